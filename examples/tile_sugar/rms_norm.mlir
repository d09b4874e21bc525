// RMS norm over 256 columns.
tile_sugar.kernel @rms_norm(%x: tensor<?x256xf16> {readonly}, %g: tensor<1x256xf16> {readonly}, %y: tensor<?x256xf16> {writeonly})
    grid(ceildiv(dim %x 0, 4)) {
  %bx = block_id 0
  %c4 = arith.constant 4 : i32
  %r = arith.muli %bx, %c4 : i32
  %t = load %x[%r, 0] : tensor<?x256xf16> -> tile<4x256xf16>
  %scale = load %g[0, 0] : tensor<1x256xf16> -> tile<1x256xf16>
  %n = rms_norm %t, %scale eps 1.0e-6 : tile<4x256xf16>, tile<1x256xf16>
  store %n, %y[%r, 0] : tile<4x256xf16>, tensor<?x256xf16>
  return
}
