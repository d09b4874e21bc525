// Mean and variance of rows of 96 columns.
tile_sugar.kernel @row_mean_var(%x: tensor<?x96xf32> {readonly}, %mean: tensor<?x1xf32> {writeonly}, %var: tensor<?x1xf32> {writeonly})
    grid(ceildiv(dim %x 0, 4)) {
  %bx = block_id 0
  %c4 = arith.constant 4 : i32
  %r = arith.muli %bx, %c4 : i32
  %t = load %x[%r, 0] : tensor<?x96xf32> -> tile<4x96xf32>
  %m = rowmean %t : tile<4x96xf32>
  %v = rowvar %t : tile<4x96xf32>
  store %m, %mean[%r, 0] : tile<4x1xf32>, tensor<?x1xf32>
  store %v, %var[%r, 0] : tile<4x1xf32>, tensor<?x1xf32>
  return
}
