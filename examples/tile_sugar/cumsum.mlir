// Running sums down 17 rows, and backwards without the element itself.
tile_sugar.kernel @cumsum(%x: tensor<17x?xf32> {readonly}, %y: tensor<17x?xf32> {writeonly}, %z: tensor<17x?xf32> {writeonly})
    grid(ceildiv(dim %x 1, 32)) {
  %bx = block_id 0
  %c32 = arith.constant 32 : i32
  %c = arith.muli %bx, %c32 : i32
  %t = load %x[0, %c] : tensor<17x?xf32> -> tile<17x32xf32>
  %s = cumsum %t : tile<17x32xf32>
  %e = cumsum %t reverse exclusive : tile<17x32xf32>
  store %s, %y[0, %c] : tile<17x32xf32>, tensor<17x?xf32>
  store %e, %z[0, %c] : tile<17x32xf32>, tensor<17x?xf32>
  return
}
