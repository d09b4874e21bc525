// Bytecode goes to a file or through a pipe, and is told from text by its first bytes.
// RUN: tile-opt %s -t tileirbc | tile-opt - --bare | filecheck %s
// RUN: tile-opt %s -t tileirbc --bytecode-version 13.1 | tile-opt -t tileirbc --bytecode-version 13.5 | tile-opt --bare | filecheck %s
// RUN: tile-opt %s -t tileirbc -o %t && tile-opt %t | filecheck %s --check-prefix=WRAPPED

// CHECK: {{^}}entry @k(%arg0: tile<f32>) {
// CHECK-NEXT: %0 = negf %arg0 : tile<f32>
// WRAPPED: cuda_tile.module @kernels {
// WRAPPED-NEXT: entry @k(%arg0: tile<f32>) {
entry @k(%x: tile<f32>) {
  %y = negf %x : tile<f32>
}
