// The lower triangle of 20x20 matrices, with the diagonal above the main one.
tile_sugar.kernel @tril(%x: tensor<?x20x20xf32> {readonly}, %y: tensor<?x20x20xf32> {writeonly}) grid(dim %x 0) {
  %bx = block_id 0
  %t = load %x[%bx, 0, 0] : tensor<?x20x20xf32> -> tile<1x20x20xf32>
  %l = tril %t diagonal 1 : tile<1x20x20xf32>
  store %l, %y[%bx, 0, 0] : tile<1x20x20xf32>, tensor<?x20x20xf32>
  return
}
