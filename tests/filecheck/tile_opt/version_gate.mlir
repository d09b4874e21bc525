// What the version lacks is an error at its place, and no file is left; all of them are reported.
// RUN: not tile-opt %s -t tileirbc --bytecode-version 13.1 -o %t 2>&1 | filecheck %s
// RUN: not cat %t
// RUN: tile-opt %s -t tileirbc --bytecode-version 13.4 -o %t && cat %t | tile-opt --bare | filecheck %s --check-prefix=WRITTEN

// WRITTEN: entry @k(
entry @k(%x: tile<f32>, %n: tile<i32>) {
  // CHECK: version_gate.mlir:[[# @LINE + 1]]:8: error: 'cuda_tile.tanh': attribute 'rounding_mode' {{.*}}needs bytecode version 13.2, but version 13.1 was asked for
  %0 = tanh %x rounding<approx> : tile<f32>
  // The default is what the older version means.
  // CHECK-NOT: version_gate.mlir:[[# @LINE + 1]]
  %1 = tanh %x : tile<f32>
  // CHECK: version_gate.mlir:[[# @LINE + 1]]:8: error: 'cuda_tile.gdc_wait_tko': the operation needs bytecode version 13.4
  %2 = gdc_wait_tko -> token
}
