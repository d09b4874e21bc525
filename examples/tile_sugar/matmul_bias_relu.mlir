// relu(A @ B + bias) in f16 with an f32 accumulator.
tile_sugar.kernel @matmul_bias_relu(%A: tensor<?x64xf16> {readonly}, %B: tensor<64x?xf16> {readonly}, %bias: tensor<1x?xf16> {readonly}, %C: tensor<?x?xf16> {writeonly})
    grid(ceildiv(dim %C 0, 16), ceildiv(dim %C 1, 32)) {
  %bx = block_id 0
  %by = block_id 1
  %c0 = arith.constant 0 : i32
  %c16 = arith.constant 16 : i32
  %c32 = arith.constant 32 : i32
  %c64 = arith.constant 64 : i32
  %m = arith.muli %bx, %c16 : i32
  %n = arith.muli %by, %c32 : i32
  %zero = constant 0 : tile<16x32xf32>
  %acc = scf.for %k = %c0 to %c64 step %c16 iter_args(%c = %zero) -> (tile<16x32xf32>) : i32 {
    %a = load %A[%m, %k] : tensor<?x64xf16> -> tile<16x16xf16>
    %b = load %B[%k, %n] : tensor<64x?xf16> -> tile<16x32xf16>
    %p = dot %a, %b : tile<16x16xf16>, tile<16x32xf16>
    %next = add %c, %p : tile<16x32xf32>
    scf.yield %next : tile<16x32xf32>
  }
  %v = load %bias[0, %n] : tensor<1x?xf16> -> tile<1x32xf16>
  %sum = add %acc, %v : tile<16x32xf32>, tile<1x32xf16>
  %h = cast %sum : tile<16x32xf32> -> tile<16x32xf16>
  %z = constant 0 : f16
  %relu = max %h, %z : tile<16x32xf16>, f16
  store %relu, %C[%m, %n] : tile<16x32xf16>, tensor<?x?xf16>
  return
}
