// Matrix product of f32 that may round its operands to tf32.
tile_sugar.kernel @matmul_tf32(%A: tensor<?x32xf32> {readonly}, %B: tensor<32x?xf32> {readonly}, %C: tensor<?x?xf32> {writeonly})
    grid(ceildiv(dim %C 0, 16), ceildiv(dim %C 1, 16)) {
  %bx = block_id 0
  %by = block_id 1
  %c16 = arith.constant 16 : i32
  %m = arith.muli %bx, %c16 : i32
  %n = arith.muli %by, %c16 : i32
  %a = load %A[%m, 0] : tensor<?x32xf32> -> tile<16x32xf32>
  %b = load %B[0, %n] : tensor<32x?xf32> -> tile<32x16xf32>
  %p = dot %a, %b tf32 : tile<16x32xf32>, tile<32x16xf32>
  store %p, %C[%m, %n] : tile<16x16xf32>, tensor<?x?xf32>
  return
}
