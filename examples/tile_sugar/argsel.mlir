// The position of the largest of four columns by folds of argsel: the first on a tie.
tile_sugar.kernel @argsel(%x: tensor<?x4xf32> {readonly}, %y: tensor<?x1xi32> {writeonly}) grid(ceildiv(dim %x 0, 16)) {
  %bx = block_id 0
  %c16 = arith.constant 16 : i32
  %r = arith.muli %bx, %c16 : i32
  %a = load %x[%r, 0] : tensor<?x4xf32> -> tile<16x1xf32>
  %b = load %x[%r, 1] : tensor<?x4xf32> -> tile<16x1xf32>
  %c = load %x[%r, 2] : tensor<?x4xf32> -> tile<16x1xf32>
  %d = load %x[%r, 3] : tensor<?x4xf32> -> tile<16x1xf32>
  %i0 = constant 0 : i32
  %i1 = constant 1 : i32
  %i2 = constant 2 : i32
  %i3 = constant 3 : i32
  %ab = max %a, %b : tile<16x1xf32>
  %cd = max %c, %d : tile<16x1xf32>
  %iab = argsel %a, %b, %i0, %i1 : tile<16x1xf32>, tile<16x1xf32>, i32, i32
  %icd = argsel %c, %d, %i2, %i3 : tile<16x1xf32>, tile<16x1xf32>, i32, i32
  %i = argsel %ab, %cd, %iab, %icd : tile<16x1xf32>, tile<16x1xf32>, tile<16x1xi32>, tile<16x1xi32>
  store %i, %y[%r, 0] : tile<16x1xi32>, tensor<?x1xi32>
  return
}
