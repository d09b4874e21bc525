// RUN: tile-opt %s --verify-diagnostics --split-input-file

entry @views(%l: tile<i64>, %i: tile<i32>) {
  %p = int_to_ptr %l : tile<i64> -> tile<ptr<f32>>
  %t = make_tensor_view %p, shape = [64], strides = [1] : tensor_view<64xf32, strides=[1]>
  %v = make_partition_view %t : partition_view<tile=(4), tensor_view<64xf32, strides=[1]>>
  // expected-error@below:13 {{'cuda_tile.multimem_load_reduce_view_tko' op the view must be of a multicast tensor_view}}
  %0, %t0 = multimem_load_reduce_view_tko weak %v[%i] : partition_view<tile=(4), tensor_view<64xf32, strides=[1]>>, tile<i32> -> tile<4xf32>, token
  %m = int_to_ptr %l : tile<i64> -> tile<ptr<f32, <multicast>>>
  %u = make_tensor_view %m, shape = [64], strides = [1] : tile<ptr<f32, <multicast>>> -> tensor_view<64xf32, strides=[1], #cuda_tile.ptr_attr<multicast>>
  %s = make_strided_view %u : strided_view<tile=(4), traversal_strides=[1], tensor_view<64xf32, strides=[1], #cuda_tile.ptr_attr<multicast>>>
  // expected-error@below:13 {{'cuda_tile.multimem_load_reduce_view_tko' op needs a partition_view, but got 'strided_view<tile=(4), traversal_strides=[1], tensor_view<64xf32, strides=[1], #cuda_tile.ptr_attr<multicast>>>'}}
  %1, %t1 = multimem_load_reduce_view_tko weak %s[%i] : strided_view<tile=(4), traversal_strides=[1], tensor_view<64xf32, strides=[1], #cuda_tile.ptr_attr<multicast>>>, tile<i32> -> tile<4xf32>, token
  return
}

// -----

entry @reductions(%l: tile<i64>, %i: tile<i32>) {
  %m = int_to_ptr %l : tile<i64> -> tile<ptr<f32, <multicast>>>
  %u = make_tensor_view %m, shape = [64], strides = [1] : tile<ptr<f32, <multicast>>> -> tensor_view<64xf32, strides=[1], #cuda_tile.ptr_attr<multicast>>
  %v = make_partition_view %u : partition_view<tile=(4), tensor_view<64xf32, strides=[1], #cuda_tile.ptr_attr<multicast>>>
  %f = constant <f32: 0.0> : tile<4xf32>
  // expected-error@below:13 {{'cuda_tile.multimem_load_reduce_view_tko' op reduction min does not exist for 'f32'}}
  %0, %t0 = multimem_load_reduce_view_tko weak %v[%i] attributes {reduction = #cuda_tile.multimem_reduction_kind<min>} : partition_view<tile=(4), tensor_view<64xf32, strides=[1], #cuda_tile.ptr_attr<multicast>>>, tile<i32> -> tile<4xf32>, token
  // expected-error@below:8 {{'cuda_tile.multimem_reduce_view_tko' op reduction and does not exist for 'f32'}}
  %1 = multimem_reduce_view_tko relaxed device %v, %f[%i] attributes {reduction = #cuda_tile.multimem_reduction_kind<and>} : partition_view<tile=(4), tensor_view<64xf32, strides=[1], #cuda_tile.ptr_attr<multicast>>>, tile<4xf32>, tile<i32> -> token
  // expected-error@below:8 {{'cuda_tile.multimem_reduce_view_tko' op memory ordering must be relaxed or release, but got acquire}}
  %2 = multimem_reduce_view_tko acquire device %v, %f[%i] : partition_view<tile=(4), tensor_view<64xf32, strides=[1], #cuda_tile.ptr_attr<multicast>>>, tile<4xf32>, tile<i32> -> token
  // expected-error@below:8 {{'cuda_tile.multimem_store_view_tko' op weak accesses have no memory scope}}
  %3 = multimem_store_view_tko weak sys %v, %f[%i] : partition_view<tile=(4), tensor_view<64xf32, strides=[1], #cuda_tile.ptr_attr<multicast>>>, tile<4xf32>, tile<i32> -> token
  // expected-error@below:8 {{'cuda_tile.multimem_store_view_tko' op memory ordering must be weak, relaxed or release, but got acq_rel}}
  %4 = multimem_store_view_tko acq_rel sys %v, %f[%i] : partition_view<tile=(4), tensor_view<64xf32, strides=[1], #cuda_tile.ptr_attr<multicast>>>, tile<4xf32>, tile<i32> -> token
  // expected-error@below:8 {{'cuda_tile.multimem_store_view_tko' op the view takes 1 index, but got 2}}
  %5 = multimem_store_view_tko weak %v, %f[%i, %i] : partition_view<tile=(4), tensor_view<64xf32, strides=[1], #cuda_tile.ptr_attr<multicast>>>, tile<4xf32>, tile<i32> -> token
  // expected-error@below:13 {{'cuda_tile.multimem_load_reduce_view_tko' op relaxed accesses need a memory scope: tl_blk, device or sys}}
  %6, %t6 = multimem_load_reduce_view_tko relaxed %v[%i] : partition_view<tile=(4), tensor_view<64xf32, strides=[1], #cuda_tile.ptr_attr<multicast>>>, tile<i32> -> tile<4xf32>, token
  // expected-error@below:13 {{'cuda_tile.multimem_load_reduce_view_tko' op inbounds needs one entry for each of the view's 1 dimensions, but has 2}}
  %7, %t7 = multimem_load_reduce_view_tko weak %v[%i] inbounds = [true, true] : partition_view<tile=(4), tensor_view<64xf32, strides=[1], #cuda_tile.ptr_attr<multicast>>>, tile<i32> -> tile<4xf32>, token
  // expected-error@below:13 {{'cuda_tile.multimem_load_reduce_view_tko' op the view's tiles are 'tile<4xf32>', but got 'tile<8xf32>'}}
  %8, %t8 = multimem_load_reduce_view_tko weak %v[%i] : partition_view<tile=(4), tensor_view<64xf32, strides=[1], #cuda_tile.ptr_attr<multicast>>>, tile<i32> -> tile<8xf32>, token
  return
}

// -----

entry @elements(%l: tile<i64>, %i: tile<i32>) {
  %a = int_to_ptr %l : tile<i64> -> tile<ptr<i16, <multicast>>>
  %b = make_tensor_view %a, shape = [64], strides = [1] : tile<ptr<i16, <multicast>>> -> tensor_view<64xi16, strides=[1], #cuda_tile.ptr_attr<multicast>>
  %c = make_partition_view %b : partition_view<tile=(4), tensor_view<64xi16, strides=[1], #cuda_tile.ptr_attr<multicast>>>
  // expected-error@below:13 {{'cuda_tile.multimem_load_reduce_view_tko' op element type must be i32, i64, f16, bf16, f32 or f64, but got 'i16'}}
  %0, %t0 = multimem_load_reduce_view_tko weak %c[%i] : partition_view<tile=(4), tensor_view<64xi16, strides=[1], #cuda_tile.ptr_attr<multicast>>>, tile<i32> -> tile<4xi16>, token
  %d = int_to_ptr %l : tile<i64> -> tile<ptr<f16, <multicast>>>
  %e = make_tensor_view %d, shape = [64], strides = [1] : tile<ptr<f16, <multicast>>> -> tensor_view<64xf16, strides=[1], #cuda_tile.ptr_attr<multicast>>
  %f = make_partition_view %e : partition_view<tile=(1), tensor_view<64xf16, strides=[1], #cuda_tile.ptr_attr<multicast>>>
  // expected-error@below:13 {{'cuda_tile.multimem_load_reduce_view_tko' op a float tile must be a whole number of 4-byte words}}
  %1, %t1 = multimem_load_reduce_view_tko weak %f[%i] : partition_view<tile=(1), tensor_view<64xf16, strides=[1], #cuda_tile.ptr_attr<multicast>>>, tile<i32> -> tile<1xf16>, token
  %g = make_tensor_view %d, shape = [64], strides = [2] : tile<ptr<f16, <multicast>>> -> tensor_view<64xf16, strides=[2], #cuda_tile.ptr_attr<multicast>>
  %h = make_partition_view %g : partition_view<tile=(4), tensor_view<64xf16, strides=[2], #cuda_tile.ptr_attr<multicast>>>
  // expected-error@below:13 {{'cuda_tile.multimem_load_reduce_view_tko' op f16 tensors need exactly one static unit stride}}
  %2, %t2 = multimem_load_reduce_view_tko weak %h[%i] : partition_view<tile=(4), tensor_view<64xf16, strides=[2], #cuda_tile.ptr_attr<multicast>>>, tile<i32> -> tile<4xf16>, token
  return
}
