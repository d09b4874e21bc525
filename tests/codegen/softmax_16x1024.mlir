// Row softmax of 1024 columns, sixteen rows a block.
tile_sugar.kernel @softmax_16x1024(%S: tensor<?x1024xf32> {readonly}, %P: tensor<?x1024xf32> {writeonly}) grid(ceildiv(dim %S 0, 16)) {
  %bx = block_id 0
  %c16 = arith.constant 16 : i32
  %r = arith.muli %bx, %c16 : i32
  %s = load %S[%r, 0] : tensor<?x1024xf32> -> tile<16x1024xf32>
  %p = softmax %s : tile<16x1024xf32>
  store %p, %P[%r, 0] : tile<16x1024xf32>, tensor<?x1024xf32>
  return
}
