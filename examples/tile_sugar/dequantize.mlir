// int8 times a scale for each column, as f16.
tile_sugar.kernel @dequantize(%q: tensor<?x128xi8> {readonly}, %scale: tensor<1x128xf32> {readonly}, %y: tensor<?x128xf16> {writeonly})
    grid(ceildiv(dim %q 0, 8)) {
  %bx = block_id 0
  %c8 = arith.constant 8 : i32
  %r = arith.muli %bx, %c8 : i32
  %t = load %q[%r, 0] : tensor<?x128xi8> -> tile<8x128xi8>
  %s = load %scale[0, 0] : tensor<1x128xf32> -> tile<1x128xf32>
  %p = mul %t, %s : tile<8x128xi8>, tile<1x128xf32>
  %h = cast %p : tile<8x128xf32> -> tile<8x128xf16>
  store %h, %y[%r, 0] : tile<8x128xf16>, tensor<?x128xf16>
  return
}
