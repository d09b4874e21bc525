// RUN: tile-opt %s --verify-diagnostics --split-input-file

entry @read_modify_write(%p: tile<ptr<i32>>, %i: tile<i32>, %f: tile<f32>, %s: tile<ptr<i16>>, %h: tile<i16>, %q: tile<ptr<f32>>) {
  %m = constant <i1: true> : tile<4xi1>
  // expected-error@below:13 {{'cuda_tile.atomic_rmw_tko' op pointers to 'i32' do not hold 'f32' elements}}
  %0, %t0 = atomic_rmw_tko relaxed device %p, add, %f : tile<ptr<i32>>, tile<f32> -> tile<f32>, token
  // expected-error@below:13 {{'cuda_tile.atomic_rmw_tko' op atomic addf needs f16, bf16, f32 or f64 elements, but got 'i32'}}
  %1, %t1 = atomic_rmw_tko relaxed device %p, addf, %i : tile<ptr<i32>>, tile<i32> -> tile<i32>, token
  // expected-error@below:13 {{'cuda_tile.atomic_rmw_tko' op atomic add needs i32 or i64 elements, but got 'i16'}}
  %2, %t2 = atomic_rmw_tko relaxed device %s, add, %h : tile<ptr<i16>>, tile<i16> -> tile<i16>, token
  // expected-error@below:13 {{'cuda_tile.atomic_rmw_tko' op atomic xchg needs i32, i64, f32 or f64 elements, but got 'i16'}}
  %3, %t3 = atomic_rmw_tko relaxed device %s, xchg, %h : tile<ptr<i16>>, tile<i16> -> tile<i16>, token
  // expected-error@below:13 {{'cuda_tile.atomic_rmw_tko' op atomic add needs i32 or i64 elements, but got 'f32'; use addf for floats}}
  %4, %t4 = atomic_rmw_tko relaxed device %q, add, %f : tile<ptr<f32>>, tile<f32> -> tile<f32>, token
  // expected-error@below:13 {{'cuda_tile.atomic_rmw_tko' op atomic max needs i32 or i64 elements, but got 'f32'}}
  %5, %t5 = atomic_rmw_tko relaxed device %q, max, %f : tile<ptr<f32>>, tile<f32> -> tile<f32>, token
  // expected-error@below:13 {{'cuda_tile.atomic_rmw_tko' op memory ordering must be relaxed, acquire, release or acq_rel, but got weak}}
  %6, %t6 = atomic_rmw_tko weak device %p, add, %i : tile<ptr<i32>>, tile<i32> -> tile<i32>, token
  // expected-error@below:13 {{'cuda_tile.atomic_rmw_tko' op the mask must have the shape of 'tile<i32>', but got 'tile<4xi1>'}}
  %7, %t7 = atomic_rmw_tko relaxed device %p, add, %i, %m : tile<ptr<i32>>, tile<i32>, tile<4xi1> -> tile<i32>, token
  // expected-error@below:43 {{'cuda_tile.atomic_rmw_tko' op operand #0 ('pointers') must be a tile of pointers, but got 'tile<i32>'}}
  %8, %t8 = atomic_rmw_tko relaxed device %i, add, %i : tile<i32>, tile<i32> -> tile<i32>, token
  // expected-error@below:13 {{'cuda_tile.atomic_rmw_tko' op result #0 ('result') must have the type of operand #1 ('arg'), 'tile<i32>', but got 'tile<i64>'}}
  %9, %t9 = atomic_rmw_tko relaxed device %p, add, %i : tile<ptr<i32>>, tile<i32> -> tile<i64>, token
  return
}

// -----

entry @compare_and_swap(%p: tile<ptr<i32>>, %i: tile<i32>, %s: tile<ptr<i16>>, %h: tile<i16>, %f: tile<f32>) {
  %m = constant <i1: true> : tile<4xi1>
  // expected-error@below:13 {{'cuda_tile.atomic_cas_tko' op compare and swap needs i32, i64, f32 or f64 elements, but got 'i16'}}
  %0, %t0 = atomic_cas_tko relaxed device %s, %h, %h : tile<ptr<i16>>, tile<i16> -> tile<i16>, token
  // expected-error@below:13 {{'cuda_tile.atomic_cas_tko' op pointers to 'i32' do not hold 'f32' elements}}
  %1, %t1 = atomic_cas_tko relaxed device %p, %f, %f : tile<ptr<i32>>, tile<f32> -> tile<f32>, token
  // expected-error@below:13 {{'cuda_tile.atomic_cas_tko' op memory ordering must be relaxed, acquire, release or acq_rel, but got weak}}
  %2, %t2 = atomic_cas_tko weak device %p, %i, %i : tile<ptr<i32>>, tile<i32> -> tile<i32>, token
  // expected-error@below:13 {{'cuda_tile.atomic_cas_tko' op the mask must have the shape of 'tile<i32>', but got 'tile<4xi1>'}}
  %3, %t3 = atomic_cas_tko acquire sys %p, %i, %i, %m : tile<ptr<i32>>, tile<i32>, tile<4xi1> -> tile<i32>, token
  // expected-error@below:13 {{'cuda_tile.atomic_cas_tko' op result #0 ('result') must have the type of operand #1 ('cmp'), 'tile<i32>', but got 'tile<f32>'}}
  %4, %t4 = atomic_cas_tko acquire sys %p, %i, %i : tile<ptr<i32>>, tile<i32> -> tile<f32>, token
  return
}

// -----

entry @multicast(%i: tile<i32>, %l: tile<i64>) {
  %p = int_to_ptr %l : tile<i64> -> tile<ptr<i32, <multicast>>>
  // expected-error@below:13 {{'cuda_tile.atomic_rmw_tko' op atomics do not take multicast pointers}}
  %0, %t0 = atomic_rmw_tko relaxed device %p, add, %i : tile<ptr<i32, <multicast>>>, tile<i32> -> tile<i32>, token
  // expected-error@below:13 {{'cuda_tile.atomic_cas_tko' op atomics do not take multicast pointers}}
  %1, %t1 = atomic_cas_tko relaxed device %p, %i, %i : tile<ptr<i32, <multicast>>>, tile<i32> -> tile<i32>, token
  return
}

// -----

entry @view_reduction(%p: tile<ptr<f32>>, %i: tile<i32>) {
  %t = make_tensor_view %p, shape = [64, 64], strides = [64, 1] : tensor_view<64x64xf32, strides=[64,1]>
  %v = make_partition_view %t : partition_view<tile=(4x8), tensor_view<64x64xf32, strides=[64,1]>>
  %g = make_gather_scatter_view %t : gather_scatter_view<tile=(4x8), tensor_view<64x64xf32, strides=[64,1]>, sparse_dim=0>
  %f = constant <f32: 0.0> : tile<4x8xf32>
  %w = constant <f32: 0.0> : tile<8x8xf32>
  %r = constant <i32: 0> : tile<4xi32>
  // expected-error@below:8 {{'cuda_tile.atomic_red_view_tko' op atomic reductions have no xchg}}
  %0 = atomic_red_view_tko relaxed device %v[%i, %i], xchg, %f : tile<4x8xf32>, partition_view<tile=(4x8), tensor_view<64x64xf32, strides=[64,1]>>, tile<i32> -> token
  // expected-error@below:8 {{'cuda_tile.atomic_red_view_tko' op atomic reductions have scope tl_blk or device, not sys}}
  %1 = atomic_red_view_tko relaxed sys %v[%i, %i], addf, %f : tile<4x8xf32>, partition_view<tile=(4x8), tensor_view<64x64xf32, strides=[64,1]>>, tile<i32> -> token
  // expected-error@below:8 {{'cuda_tile.atomic_red_view_tko' op memory ordering must be relaxed, but got acquire}}
  %2 = atomic_red_view_tko acquire device %v[%i, %i], addf, %f : tile<4x8xf32>, partition_view<tile=(4x8), tensor_view<64x64xf32, strides=[64,1]>>, tile<i32> -> token
  // expected-error@below:8 {{'cuda_tile.atomic_red_view_tko' op atomic add needs i32 or i64 elements, but got 'f32'; use addf for floats}}
  %3 = atomic_red_view_tko relaxed device %v[%i, %i], add, %f : tile<4x8xf32>, partition_view<tile=(4x8), tensor_view<64x64xf32, strides=[64,1]>>, tile<i32> -> token
  // expected-error@below:8 {{'cuda_tile.atomic_red_view_tko' op the view takes 2 indices, but got 1}}
  %4 = atomic_red_view_tko relaxed device %v[%i], addf, %f : tile<4x8xf32>, partition_view<tile=(4x8), tensor_view<64x64xf32, strides=[64,1]>>, tile<i32> -> token
  // expected-error@below:8 {{'cuda_tile.atomic_red_view_tko' op the view's tiles are 'tile<4x8xf32>', but got 'tile<8x8xf32>'}}
  %5 = atomic_red_view_tko relaxed device %v[%i, %i], addf, %w : tile<8x8xf32>, partition_view<tile=(4x8), tensor_view<64x64xf32, strides=[64,1]>>, tile<i32> -> token
  // expected-error@below:8 {{'cuda_tile.atomic_red_view_tko' op a gather_scatter_view cannot be reduced into}}
  %6 = atomic_red_view_tko relaxed device %g[%r, %i], addf, %f : tile<4x8xf32>, gather_scatter_view<tile=(4x8), tensor_view<64x64xf32, strides=[64,1]>, sparse_dim=0>, tile<4xi32>, tile<i32> -> token
  // expected-error@below:8 {{'cuda_tile.atomic_red_view_tko' op inbounds needs one entry for each of the view's 2 dimensions, but has 1}}
  %7 = atomic_red_view_tko relaxed device %v[%i, %i], addf, %f inbounds = [true] : tile<4x8xf32>, partition_view<tile=(4x8), tensor_view<64x64xf32, strides=[64,1]>>, tile<i32> -> token
  // expected-error@below:8 {{'cuda_tile.atomic_red_view_tko' op index 0 must be a rank-0 tile, but got 'tile<4xi32>'}}
  %8 = atomic_red_view_tko relaxed device %v[%r, %i], addf, %f : tile<4x8xf32>, partition_view<tile=(4x8), tensor_view<64x64xf32, strides=[64,1]>>, tile<4xi32>, tile<i32> -> token
  return
}
