// The eight largest of 256 columns and where they stand.
tile_sugar.kernel @topk_8x256(%x: tensor<?x256xf32> {readonly}, %v: tensor<?x8xf32> {writeonly}, %i: tensor<?x8xi32> {writeonly}) grid(ceildiv(dim %x 0, 8)) {
  %bx = block_id 0
  %c8 = arith.constant 8 : i32
  %r = arith.muli %bx, %c8 : i32
  %t = load %x[%r, 0] : tensor<?x256xf32> -> tile<8x256xf32>
  %values, %columns = topk %t k 8 : tile<8x256xf32>
  store %values, %v[%r, 0] : tile<8x8xf32>, tensor<?x8xf32>
  store %columns, %i[%r, 0] : tile<8x8xi32>, tensor<?x8xi32>
  return
}
