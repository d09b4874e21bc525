// RUN: not tile-run %s --grid 2 --arg p=zeros:8 --arg q=zeros:8 --arg n=3 2>&1 | filecheck %s
// RUN: not tile-run %s --grid 2 --arg p=zeros:8 --arg q=zeros:8 --arg n=3 --diagnostics json 2>&1 | filecheck %s --check-prefix=JSON
// RUN: tile-run %s --grid 1 --arg p=zeros:8 --arg q=zeros:8 --arg n=3 2>&1 | filecheck %s --check-prefix=ONE
// RUN: tile-run %s --grid 2 --arg p=zeros:8 --arg q=zeros:8 --arg n=3 --unchecked 2>&1 | filecheck %s --check-prefix=ONE
// RUN: not tile-run %s --grid 1 --arg p=zeros:8 --arg q=zeros:8 --arg n=100 --step-limit 50 2>&1 | filecheck %s --check-prefix=STEPS

// The message stands at the operation, names block, lane and buffer, and shows the other access.
// CHECK: undefined.mlir:[[# @LINE + 16]]:15: error: writes what block (0, 0, 0) writes in argument 'p', without atomics or synchronisation, in block (1, 0, 0)
// CHECK-NEXT: %stored = store_ptr_tko
// CHECK-NEXT: ^~~~
// CHECK-NEXT: undefined.mlir:[[# @LINE + 13]]:15: note: the other access, a write, is here
// JSON: "code": "race-blocks"
// ONE: @k: {{[12]}} block
// STEPS: undefined.mlir:[[# @LINE + 8]]:5: error: more than 50 loop iterations, in block (0, 0, 0)
// STEPS: note: fix: raise the step limit if the loop is meant to run that long

cuda_tile.module @m {
  entry @k(%p: tile<ptr<f32>>, %q: tile<ptr<f32>>, %n: tile<i32>) {
    %zero = constant <i32: 0> : tile<i32>
    %step = constant <i32: 1> : tile<i32>
    %value = constant <f32: 1.0> : tile<f32>
    for %i in (%zero to %n, step %step) : tile<i32> {
    }
    %stored = store_ptr_tko weak %p, %value : tile<ptr<f32>>, tile<f32> -> token
    return
  }
}
