// RUN: tile-opt %s --verify-diagnostics --split-input-file

// Only multimem operations access multicast memory; address arithmetic is free.

entry @pointers(%p: tile<ptr<f32, <multicast>>>, %x: tile<f32>, %i: tile<i64>) {
  %q = offset %p, %i : tile<ptr<f32, <multicast>>>, tile<i64> -> tile<ptr<f32, <multicast>>>
  // expected-error@below:12 {{'cuda_tile.load_ptr_tko' op loads do not take multicast pointers}}
  %0, %1 = load_ptr_tko weak %q : tile<ptr<f32, <multicast>>> -> tile<f32>, token
  // expected-error@below:8 {{'cuda_tile.store_ptr_tko' op stores do not take multicast pointers}}
  %2 = store_ptr_tko weak %q, %x : tile<ptr<f32, <multicast>>>, tile<f32> -> token
  return
}

// -----

entry @views(%p: tile<ptr<f32, <multicast>>>, %i: tile<i32>) {
  %x = constant <f32: 1.0> : tile<4xf32>
  %t = make_tensor_view %p, shape = [64], strides = [1] : tile<ptr<f32, <multicast>>> -> tensor_view<64xf32, strides=[1], #cuda_tile.ptr_attr<multicast>>
  %v = make_partition_view %t : partition_view<tile=(4), tensor_view<64xf32, strides=[1], #cuda_tile.ptr_attr<multicast>>>
  // expected-error@below:12 {{'cuda_tile.load_view_tko' op only multimem accesses take a view of a multicast tensor_view}}
  %0, %1 = load_view_tko weak %v[%i] : partition_view<tile=(4), tensor_view<64xf32, strides=[1], #cuda_tile.ptr_attr<multicast>>>, tile<i32> -> tile<4xf32>, token
  // expected-error@below:8 {{'cuda_tile.store_view_tko' op only multimem accesses take a view of a multicast tensor_view}}
  %2 = store_view_tko weak %x, %v[%i] : tile<4xf32>, partition_view<tile=(4), tensor_view<64xf32, strides=[1], #cuda_tile.ptr_attr<multicast>>>, tile<i32> -> token
  // expected-error@below:8 {{'cuda_tile.atomic_red_view_tko' op only multimem accesses take a view of a multicast tensor_view}}
  %3 = atomic_red_view_tko relaxed device %v[%i], addf, %x : tile<4xf32>, partition_view<tile=(4), tensor_view<64xf32, strides=[1], #cuda_tile.ptr_attr<multicast>>>, tile<i32> -> token
  return
}

// -----

entry @half_precision_reductions(%p: tile<ptr<f16, <multicast>>>, %i: tile<i32>) {
  %x = constant <f16: 1.0> : tile<4xf16>
  %t = make_tensor_view %p, shape = [64], strides = [1] : tile<ptr<f16, <multicast>>> -> tensor_view<64xf16, strides=[1], #cuda_tile.ptr_attr<multicast>>
  %v = make_partition_view %t : partition_view<tile=(4), tensor_view<64xf16, strides=[1], #cuda_tile.ptr_attr<multicast>>>
  %0, %1 = multimem_load_reduce_view_tko weak %v[%i] attributes {reduction = #cuda_tile.multimem_reduction_kind<min>} : partition_view<tile=(4), tensor_view<64xf16, strides=[1], #cuda_tile.ptr_attr<multicast>>>, tile<i32> -> tile<4xf16>, token
  // expected-error@below:8 {{'cuda_tile.multimem_reduce_view_tko' op reduction min does not exist for 'f16'}}
  %2 = multimem_reduce_view_tko relaxed device %v, %x[%i] attributes {reduction = #cuda_tile.multimem_reduction_kind<min>} : partition_view<tile=(4), tensor_view<64xf16, strides=[1], #cuda_tile.ptr_attr<multicast>>>, tile<4xf16>, tile<i32> -> token
  return
}
