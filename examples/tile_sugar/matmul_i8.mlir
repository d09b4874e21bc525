// Matrix product of i8, tiles of 16x16 over K in steps of 16; ragged sizes read zeros.
tile_sugar.kernel @matmul_i8(%A: tensor<?x?xi8> {readonly}, %B: tensor<?x?xi8> {readonly}, %C: tensor<?x?xi32> {writeonly})
    grid(ceildiv(dim %C 0, 16), ceildiv(dim %C 1, 16)) {
  %bx = block_id 0
  %by = block_id 1
  %c0 = arith.constant 0 : i32
  %c16 = arith.constant 16 : i32
  %m = arith.muli %bx, %c16 : i32
  %n = arith.muli %by, %c16 : i32
  %K = extent %A, 1 : tensor<?x?xi8>
  %zero = constant 0 : tile<16x16xi32>
  %acc = scf.for %k = %c0 to %K step %c16 iter_args(%c = %zero) -> (tile<16x16xi32>) : i32 {
    %a = load %A[%m, %k] : tensor<?x?xi8> -> tile<16x16xi8>
    %b = load %B[%k, %n] : tensor<?x?xi8> -> tile<16x16xi8>
    %p = dot %a, %b : tile<16x16xi8>
    %next = add %c, %p : tile<16x16xi32>
    scf.yield %next : tile<16x16xi32>
  }
  store %acc, %C[%m, %n] : tile<16x16xi32>, tensor<?x?xi32>
  return
}
