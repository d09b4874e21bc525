// Layer norm over 100 columns in bf16, computed in f32.
tile_sugar.kernel @layer_norm(%x: tensor<?x100xbf16> {readonly}, %g: tensor<1x100xbf16> {readonly}, %b: tensor<1x100xbf16> {readonly}, %y: tensor<?x100xbf16> {writeonly})
    grid(ceildiv(dim %x 0, 4)) {
  %bx = block_id 0
  %c4 = arith.constant 4 : i32
  %r = arith.muli %bx, %c4 : i32
  %t = load %x[%r, 0] : tensor<?x100xbf16> -> tile<4x100xbf16>
  %scale = load %g[0, 0] : tensor<1x100xbf16> -> tile<1x100xbf16>
  %shift = load %b[0, 0] : tensor<1x100xbf16> -> tile<1x100xbf16>
  %n = layer_norm %t, %scale, %shift eps 1.0e-5 : tile<4x100xbf16>, tile<1x100xbf16>, tile<1x100xbf16>
  store %n, %y[%r, 0] : tile<4x100xbf16>, tensor<?x100xbf16>
  return
}
