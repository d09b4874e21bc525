// Row softmax over 100 columns, three rows a block.
tile_sugar.kernel @softmax_100(%x: tensor<?x100xf32> {readonly}, %y: tensor<?x100xf32> {writeonly}) grid(ceildiv(dim %x 0, 3)) {
  %bx = block_id 0
  %c3 = arith.constant 3 : i32
  %r = arith.muli %bx, %c3 : i32
  %t = load %x[%r, 0] : tensor<?x100xf32> -> tile<3x100xf32>
  %s = softmax %t : tile<3x100xf32>
  store %s, %y[%r, 0] : tile<3x100xf32>, tensor<?x100xf32>
  return
}
