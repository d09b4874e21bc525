// Rows of an embedding table by index; an index outside the table gives zeros.
tile_sugar.kernel @gather_rows(%table: tensor<?x48xf32> {readonly}, %index: tensor<?x1xi32> {readonly}, %y: tensor<?x48xf32> {writeonly})
    grid(ceildiv(dim %index 0, 16)) {
  %bx = block_id 0
  %c16 = arith.constant 16 : i32
  %r = arith.muli %bx, %c16 : i32
  %i = load %index[%r, 0] fill -1 : tensor<?x1xi32> -> tile<16x1xi32>
  %rows = gather_rows %table[%i, 0] : tensor<?x48xf32>, tile<16x1xi32> -> tile<16x48xf32>
  store %rows, %y[%r, 0] : tile<16x48xf32>, tensor<?x48xf32>
  return
}
