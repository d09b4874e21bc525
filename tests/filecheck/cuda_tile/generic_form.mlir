// MLIR's generic form is read too, with enumerations by name or by number and regions with or
// without block labels.
// RUN: tile-opt %s | filecheck %s

// CHECK: cuda_tile.module @kernels {
// CHECK-NEXT: entry @k(%arg0: tile<f32>, %arg1: tile<i1>) {
// CHECK-NEXT: %0 = addf %arg0, %arg0 rounding<zero> flush_to_zero : tile<f32>
// CHECK-NEXT: %1 = addf %0, %arg0 rounding<zero> : tile<f32>
// CHECK-NEXT: %cst_f32 = constant <f32: [1.000000e+00, 2.000000e+00]> : tile<2xf32>
// CHECK-NEXT: if %arg1 {
// CHECK-NEXT: }
// CHECK-NEXT: return
"cuda_tile.module"() <{sym_name = "kernels"}> ({
  "cuda_tile.entry"() <{sym_name = "k", function_type = (!cuda_tile.tile<f32>, !cuda_tile.tile<i1>) -> ()}> ({
  ^bb0(%x: !cuda_tile.tile<f32>, %c: !cuda_tile.tile<i1>):
    %0 = "cuda_tile.addf"(%x, %x) <{flush_to_zero, rounding_mode = #cuda_tile.rounding<zero>}> : (!cuda_tile.tile<f32>, !cuda_tile.tile<f32>) -> !cuda_tile.tile<f32>
    %1 = "cuda_tile.addf"(%0, %x) <{rounding_mode = 1 : i32}> : (!cuda_tile.tile<f32>, !cuda_tile.tile<f32>) -> !cuda_tile.tile<f32>
    %2 = "cuda_tile.constant"() <{value = dense<[1.0, 2.0]> : !cuda_tile.tile<2xf32>}> : () -> !cuda_tile.tile<2xf32>
    "cuda_tile.if"(%c) ({
      "cuda_tile.yield"() : () -> ()
    }, {
    }) : (!cuda_tile.tile<i1>) -> ()
    "cuda_tile.return"() : () -> ()
  }) : () -> ()
}) : () -> ()
