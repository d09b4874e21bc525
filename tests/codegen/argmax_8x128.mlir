// The column of the largest number of each row.
tile_sugar.kernel @argmax_8x128(%x: tensor<?x128xf32> {readonly}, %i: tensor<?x1xi32> {writeonly}) grid(ceildiv(dim %x 0, 8)) {
  %bx = block_id 0
  %c8 = arith.constant 8 : i32
  %r = arith.muli %bx, %c8 : i32
  %t = load %x[%r, 0] : tensor<?x128xf32> -> tile<8x128xf32>
  %c = rowargmax %t : tile<8x128xf32>
  store %c, %i[%r, 0] : tile<8x1xi32>, tensor<?x1xi32>
  return
}
