// Accesses to all devices of a multicast address (13.5). Two spaces stand where there is no
// `inbounds`; a reduction other than add prints in the attribute dictionary.
// RUN: tile-opt %s | filecheck %s --strict-whitespace
// RUN: tile-opt %s --print-op-generic | filecheck %s --check-prefix=GENERIC
// RUN: tile-opt %s -t tileirbc --bytecode-version 13.5 -o %t && tile-opt %t --bare | filecheck %s --strict-whitespace

// CHECK-LABEL: entry @multimem_load_reduce_view_tko(
// CHECK: %reduced_values, %result_token = multimem_load_reduce_view_tko weak %pview[%arg1]  : partition_view<tile=(4), tensor_view<64xi32, strides=[1], #cuda_tile.ptr_attr<multicast>>>, tile<i32> -> tile<4xi32>, token
// CHECK: multimem_load_reduce_view_tko acquire sys %pview[%arg1] token = %result_token inbounds = [true] attributes {reduction = #cuda_tile.multimem_reduction_kind<umin>} : partition_view<{{.*}}>, tile<i32>, token -> tile<4xi32>, token
// GENERIC-LABEL: sym_name = "multimem_load_reduce_view_tko"
// GENERIC: "cuda_tile.multimem_load_reduce_view_tko"{{.*}} reduction = #cuda_tile.multimem_reduction_kind<add>
// GENERIC: "cuda_tile.multimem_load_reduce_view_tko"{{.*}} reduction = #cuda_tile.multimem_reduction_kind<umin>
entry @multimem_load_reduce_view_tko(%p: tile<ptr<i32, <multicast>>>, %i: tile<i32>) {
  %t = make_tensor_view %p, shape = [64], strides = [1] : tile<ptr<i32, <multicast>>> -> tensor_view<64xi32, strides=[1], #cuda_tile.ptr_attr<multicast>>
  %v = make_partition_view %t : partition_view<tile=(4), tensor_view<64xi32, strides=[1], #cuda_tile.ptr_attr<multicast>>>
  %0, %a = multimem_load_reduce_view_tko weak %v[%i] : partition_view<tile=(4), tensor_view<64xi32, strides=[1], #cuda_tile.ptr_attr<multicast>>>, tile<i32> -> tile<4xi32>, token
  %1, %b = multimem_load_reduce_view_tko acquire sys %v[%i] token = %a inbounds = [true] attributes {reduction = #cuda_tile.multimem_reduction_kind<umin>} : partition_view<tile=(4), tensor_view<64xi32, strides=[1], #cuda_tile.ptr_attr<multicast>>>, tile<i32>, token -> tile<4xi32>, token
}

// CHECK-LABEL: entry @multimem_reduce_view_tko(
// CHECK: %0 = multimem_reduce_view_tko relaxed device %pview, %cst_1_f32[%arg1]  : partition_view<{{.*}}>, tile<4xf32>, tile<i32> -> token
// CHECK: %1 = multimem_reduce_view_tko release sys %pview, %cst_1_f32[%arg1] token = %0  : partition_view<{{.*}}>, tile<4xf32>, tile<i32>, token -> token
entry @multimem_reduce_view_tko(%p: tile<ptr<f32, <multicast>>>, %i: tile<i32>) {
  %x = constant <f32: 1.0> : tile<4xf32>
  %t = make_tensor_view %p, shape = [64], strides = [1] : tile<ptr<f32, <multicast>>> -> tensor_view<64xf32, strides=[1], #cuda_tile.ptr_attr<multicast>>
  %v = make_partition_view %t : partition_view<tile=(4), tensor_view<64xf32, strides=[1], #cuda_tile.ptr_attr<multicast>>>
  %0 = multimem_reduce_view_tko relaxed device %v, %x[%i] : partition_view<tile=(4), tensor_view<64xf32, strides=[1], #cuda_tile.ptr_attr<multicast>>>, tile<4xf32>, tile<i32> -> token
  %1 = multimem_reduce_view_tko release sys %v, %x[%i] token = %0 : partition_view<tile=(4), tensor_view<64xf32, strides=[1], #cuda_tile.ptr_attr<multicast>>>, tile<4xf32>, tile<i32>, token -> token
}

// CHECK-LABEL: entry @multimem_store_view_tko(
// CHECK: %0 = multimem_store_view_tko weak %pview, %cst_1_f32[%arg1] inbounds = [true] : partition_view<{{.*}}>, tile<4xf32>, tile<i32> -> token
entry @multimem_store_view_tko(%p: tile<ptr<f32, <multicast>>>, %i: tile<i32>) {
  %x = constant <f32: 1.0> : tile<4xf32>
  %t = make_tensor_view %p, shape = [64], strides = [1] : tile<ptr<f32, <multicast>>> -> tensor_view<64xf32, strides=[1], #cuda_tile.ptr_attr<multicast>>
  %v = make_partition_view %t : partition_view<tile=(4), tensor_view<64xf32, strides=[1], #cuda_tile.ptr_attr<multicast>>>
  %0 = multimem_store_view_tko weak %v, %x[%i] inbounds = [true] : partition_view<tile=(4), tensor_view<64xf32, strides=[1], #cuda_tile.ptr_attr<multicast>>>, tile<4xf32>, tile<i32> -> token
}
