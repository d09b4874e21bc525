// Matrix product of f16 with an f32 accumulator, 128x256 a block over K in steps of 64.
tile_sugar.kernel @matmul_128x256(%A: tensor<?x?xf16> {readonly, multiple = [1, 8]}, %B: tensor<?x?xf16> {readonly, multiple = [1, 8]}, %C: tensor<?x?xf16> {writeonly, multiple = [1, 8]})
    grid(ceildiv(dim %C 0, 128), ceildiv(dim %C 1, 256)) {
  %bx = block_id 0
  %by = block_id 1
  %c0 = arith.constant 0 : i32
  %c64 = arith.constant 64 : i32
  %c128 = arith.constant 128 : i32
  %c256 = arith.constant 256 : i32
  %m = arith.muli %bx, %c128 : i32
  %n = arith.muli %by, %c256 : i32
  %K = extent %A, 1 : tensor<?x?xf16>
  %zero = constant 0 : tile<128x256xf32>
  %acc = scf.for %k = %c0 to %K step %c64 iter_args(%c = %zero) -> (tile<128x256xf32>) : i32 {
    %a = load %A[%m, %k] inside : tensor<?x?xf16> -> tile<128x64xf16>
    %b = load %B[%k, %n] inside : tensor<?x?xf16> -> tile<64x256xf16>
    %p = dot %a, %b : tile<128x64xf16>, tile<64x256xf16>
    %next = add %c, %p : tile<128x256xf32>
    scf.yield %next : tile<128x256xf32>
  }
  %h = cast %acc : tile<128x256xf32> -> tile<128x256xf16>
  store %h, %C[%m, %n] inside : tile<128x256xf16>, tensor<?x?xf16>
  return
}
