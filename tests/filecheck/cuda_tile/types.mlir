// Types are read in their short and long spelling and print short, except in the generic form.
// RUN: tile-opt %s | filecheck %s --strict-whitespace
// RUN: tile-opt %s --print-op-generic | filecheck %s --check-prefix=GENERIC

// CHECK-LABEL: entry @spellings(
// CHECK-SAME: %arg0: tile<f32>, %arg1: tile<ptr<i8>>, %arg2: tile<ptr<f32>>)
// GENERIC: function_type = (!cuda_tile.tile<f32>, !cuda_tile.tile<ptr<i8>>, !cuda_tile.tile<ptr<f32>>) -> ()
entry @spellings(%x: !cuda_tile.tile<f32>, %p: tile<!cuda_tile.ptr<i8>>, %q: !cuda_tile.tile<!cuda_tile.ptr<f32>>) {
}

// CHECK-LABEL: entry @elements(
// CHECK-SAME: tile<i1>, %arg1: tile<i4>, %arg2: tile<i8>, %arg3: tile<i16>, %arg4: tile<i32>, %arg5: tile<i64>, %arg6: tile<f16>, %arg7: tile<bf16>, %arg8: tile<f32>, %arg9: tile<f64>, %arg10: tile<tf32>, %arg11: tile<f8E4M3FN>, %arg12: tile<f8E5M2>, %arg13: tile<f8E8M0FNU>, %arg14: tile<fnv8E5M3FNU>)
entry @elements(%a: tile<i1>, %b: tile<i4>, %c: tile<i8>, %d: tile<i16>, %e: tile<i32>, %f: tile<i64>, %g: tile<f16>, %h: tile<bf16>, %i: tile<f32>, %j: tile<f64>, %k: tile<tf32>, %l: tile<f8E4M3FN>, %m: tile<f8E5M2>, %n: tile<f8E8M0FNU>, %o: tile<fnv8E5M3FNU>) {
}

// CHECK-LABEL: entry @pointers(
// CHECK-SAME: %arg0: tile<ptr<f4E2M1FN>>, %arg1: tile<ptr<f32, <none>>>, %arg2: tile<ptr<f32, <unicast>>>, %arg3: tile<ptr<f32, <multicast>>>)
entry @pointers(%a: tile<ptr<f4E2M1FN>>, %b: tile<ptr<f32, <none>>>, %c: tile<ptr<f32, <unicast>>>, %d: tile<ptr<f32, #cuda_tile.ptr_attr<multicast>>>) {
}

// A stride list has no spaces, a dimension map has.
// CHECK-LABEL: entry @views(
// CHECK: : tensor_view<64x64x64xf32, strides=[4096,64,1]>
// CHECK: : partition_view<tile=(4x8x2), padding_value = neg_inf, tensor_view<64x64x64xf32, strides=[4096,64,1]>, dim_map=[2, 0, 1]>
// GENERIC-LABEL: sym_name = "views"
// GENERIC: -> !cuda_tile.tensor_view<64x64x64xf32, strides=[4096,64,1]>
// GENERIC: -> !cuda_tile.partition_view<tile=(4x8x2), padding_value = neg_inf, tensor_view<64x64x64xf32, strides=[4096,64,1]>, dim_map=[2, 0, 1]>
entry @views(%p: tile<ptr<f32>>) {
  %t = make_tensor_view %p, shape = [64, 64, 64], strides = [4096, 64, 1] : !cuda_tile.tensor_view<64x64x64xf32, strides = [4096, 64, 1]>
  %v = make_partition_view %t : !cuda_tile.partition_view<tile=(4x8x2), padding_value=neg_inf, !cuda_tile.tensor_view<64x64x64xf32, strides=[4096, 64, 1]>, dim_map=[2,0,1]>
}

// The identity is the default order of dimensions and does not print.
// CHECK-LABEL: entry @default_dim_map(
// CHECK: : partition_view<tile=(4x8), tensor_view<64x64xf32, strides=[64,1]>>{{$}}
entry @default_dim_map(%p: tile<ptr<f32>>) {
  %t = make_tensor_view %p, shape = [64, 64], strides = [64, 1] : tensor_view<64x64xf32, strides=[64,1]>
  %v = make_partition_view %t : partition_view<tile=(4x8), tensor_view<64x64xf32, strides=[64,1]>, dim_map=[0, 1]>
}

// CHECK-LABEL: entry @largest_tile(
// CHECK: tile<4096x4096xi8>
entry @largest_tile() {
  %0 = constant <i8: 0> : tile<4096x4096xi8>
}
