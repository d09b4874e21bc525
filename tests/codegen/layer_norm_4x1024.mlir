// Layer norm of 1024 columns, four rows a block.
tile_sugar.kernel @layer_norm_4x1024(%x: tensor<?x1024xf32> {readonly}, %g: tensor<1x1024xf32> {readonly}, %b: tensor<1x1024xf32> {readonly}, %y: tensor<?x1024xf32> {writeonly}) grid(ceildiv(dim %x 0, 4)) {
  %bx = block_id 0
  %c4 = arith.constant 4 : i32
  %r = arith.muli %bx, %c4 : i32
  %t = load %x[%r, 0] : tensor<?x1024xf32> -> tile<4x1024xf32>
  %scale = load %g[0, 0] : tensor<1x1024xf32> -> tile<1x1024xf32>
  %shift = load %b[0, 0] : tensor<1x1024xf32> -> tile<1x1024xf32>
  %n = layer_norm %t, %scale, %shift eps 1.0e-5 : tile<4x1024xf32>, tile<1x1024xf32>, tile<1x1024xf32>
  store %n, %y[%r, 0] : tile<4x1024xf32>, tensor<?x1024xf32>
  return
}
