// Row softmax of 8x128 tiles that lie inside the tensor.
tile_sugar.kernel @softmax_8x128_full(%S: tensor<?x128xf32> {readonly}, %P: tensor<?x128xf32> {writeonly}) grid(ceildiv(dim %S 0, 8)) {
  %bx = block_id 0
  %c8 = arith.constant 8 : i32
  %r = arith.muli %bx, %c8 : i32
  %s = load %S[%r, 0] full : tensor<?x128xf32> -> tile<8x128xf32>
  %p = softmax %s : tile<8x128xf32>
  store %p, %P[%r, 0] full : tile<8x128xf32>, tensor<?x128xf32>
  return
}
