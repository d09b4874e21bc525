// Row softmax of 1024 columns, a row a block.
tile_sugar.kernel @softmax_1x1024(%S: tensor<?x1024xf32> {readonly}, %P: tensor<?x1024xf32> {writeonly}) grid(dim %S 0) {
  %r = block_id 0
  %s = load %S[%r, 0] : tensor<?x1024xf32> -> tile<1x1024xf32>
  %p = softmax %s : tile<1x1024xf32>
  store %p, %P[%r, 0] : tile<1x1024xf32>, tensor<?x1024xf32>
  return
}
