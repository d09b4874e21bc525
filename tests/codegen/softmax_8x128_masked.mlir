// Row softmax of the first n columns, eight rows a block.
tile_sugar.kernel @softmax_rows(%S: tensor<?x128xf32> {readonly}, %P: tensor<?x128xf32> {writeonly}, %n: i32) grid(ceildiv(dim %S 0, 8)) {
  %bx = block_id 0
  %c8 = arith.constant 8 : i32
  %r = arith.muli %bx, %c8 : i32
  %s = load %S[%r, 0] : tensor<?x128xf32> -> tile<8x128xf32>
  %k = mask_cols %s, %n, -1.0e30 : tile<8x128xf32>
  %p = softmax %k : tile<8x128xf32>
  store %p, %P[%r, 0] : tile<8x128xf32>, tensor<?x128xf32>
  return
}
