// The four largest of 50 columns and where they stand.
tile_sugar.kernel @top4(%x: tensor<?x50xf32> {readonly}, %v: tensor<?x4xf32> {writeonly}, %i: tensor<?x4xi32> {writeonly})
    grid(ceildiv(dim %x 0, 8)) {
  %bx = block_id 0
  %c8 = arith.constant 8 : i32
  %r = arith.muli %bx, %c8 : i32
  %t = load %x[%r, 0] : tensor<?x50xf32> -> tile<8x50xf32>
  %values, %columns = topk %t k 4 : tile<8x50xf32>
  store %values, %v[%r, 0] : tile<8x4xf32>, tensor<?x4xf32>
  store %columns, %i[%r, 0] : tile<8x4xi32>, tensor<?x4xi32>
  return
}
