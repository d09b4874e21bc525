// RUN: not tile-run %s 2>&1 | filecheck %s

// A program that does not verify is not run.
// CHECK: invalid.mlir:[[# @LINE + 5]]:{{[0-9]+}}: error: 'cuda_tile.extract' op
// CHECK-NOT: @k:
cuda_tile.module @m {
  entry @k() {
    %i = iota : tile<8xi32>
    %a = extract %i[] : tile<8xi32> -> tile<4xi32>
    return
  }
}
