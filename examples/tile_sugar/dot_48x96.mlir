// A product of tiles whose extents are no powers of two: 48x96 by 96x40.
tile_sugar.kernel @dot_48x96(%A: tensor<48x96xf16> {readonly}, %B: tensor<96x40xf16> {readonly}, %C: tensor<48x40xf32> {writeonly}) grid(1) {
  %a = load %A[0, 0] : tensor<48x96xf16> -> tile<48x96xf16>
  %b = load %B[0, 0] : tensor<96x40xf16> -> tile<96x40xf16>
  %p = dot %a, %b : tile<48x96xf16>, tile<96x40xf16>
  store %p, %C[0, 0] : tile<48x40xf32>, tensor<48x40xf32>
  return
}
