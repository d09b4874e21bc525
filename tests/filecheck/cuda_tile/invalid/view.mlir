// RUN: tile-opt %s --verify-diagnostics --split-input-file


// Without its type the base has that of the elements.

// expected-note@below:13 {{defined here}}
entry @base(%q: tile<ptr<i32>>) {
  // expected-error@below:25 {{'%q' has type 'tile<ptr<i32>>', but is used as 'tile<ptr<f32>>'}}
  %0 = make_tensor_view %q, shape = [64], strides = [1] : tensor_view<64xf32, strides=[1]>
  return
}

// -----

entry @extents(%p: tile<ptr<f32>>) {
  // expected-error@below:38 {{entry 0 of shape is 32, but the type has 64}}
  %0 = make_tensor_view %p, shape = [32], strides = [1] : tensor_view<64xf32, strides=[1]>
  return
}

// -----

entry @strides(%p: tile<ptr<f32>>) {
  // expected-error@below:54 {{entry 0 of strides is 2, but the type has 1}}
  %0 = make_tensor_view %p, shape = [64], strides = [2] : tensor_view<64xf32, strides=[1]>
  return
}

// -----

entry @missing_extent(%p: tile<ptr<f32>>, %i: tile<i32>) {
  // expected-error@below:38 {{entry 0 of shape is 64, but the type has ?}}
  %0 = make_tensor_view %p, shape = [64], strides = [1] : tensor_view<?xf32, strides=[1]>
  return
}

// -----

entry @missing_type(%p: tile<ptr<f32>>, %i: tile<i32>) {
  // expected-error@below:59 {{expected the type of the dynamic operands and '->'}}
  %0 = make_tensor_view %p, shape = [%i], strides = [1] : tensor_view<?xf32, strides=[1]>
  return
}

// -----

entry @extra_extent(%p: tile<ptr<f32>>) {
  // expected-error@below:35 {{shape has 2 entries, but the type has 1}}
  %0 = make_tensor_view %p, shape = [64, 64], strides = [1] : tensor_view<64xf32, strides=[1]>
  return
}

// -----

entry @dynamic_type(%p: tile<ptr<f32>>, %f: tile<f32>) {
  // expected-error@below:38 {{'cuda_tile.make_tensor_view' op operand #1 ('dynamic_shape') must be a rank-0 tile of i1, i8, i16, i32 or i64, but got 'tile<f32>'}}
  %0 = make_tensor_view %p, shape = [%f], strides = [1] : tile<f32> -> tensor_view<?xf32, strides=[1]>
  return
}

// -----

entry @no_tensor_view(%p: tile<ptr<f32>>, %f: tile<f32>) {
  // expected-error@below:59 {{expected a tensor_view type, but got 'tile<64xf32>'}}
  %0 = make_tensor_view %p, shape = [64], strides = [1] : tile<64xf32>
  return
}

// -----

entry @pointer_attribute(%p: tile<ptr<f32, <multicast>>>) {
  // expected-error@below:8 {{'cuda_tile.make_tensor_view' op the base and the tensor_view must carry the same ptr_attr}}
  %0 = make_tensor_view %p, shape = [64], strides = [1] : tile<ptr<f32, <multicast>>> -> tensor_view<64xf32, strides=[1]>
  return
}

// -----

entry @other_tensor(%p: tile<ptr<f32>>) {
  // expected-note@below:3 {{defined here}}
  %t = make_tensor_view %p, shape = [64, 64], strides = [64, 1] : tensor_view<64x64xf32, strides=[64,1]>
  // expected-error@below:28 {{'%t' has type 'tensor_view<64x64xf32, strides=[64,1]>', but is used as 'tensor_view<64x64xf32, strides=[32,1]>'}}
  %0 = make_partition_view %t : partition_view<tile=(4x8), tensor_view<64x64xf32, strides=[32,1]>>
  return
}

// -----

entry @kinds(%p: tile<ptr<f32>>) {
  %t = make_tensor_view %p, shape = [64, 64], strides = [64, 1] : tensor_view<64x64xf32, strides=[64,1]>
  // expected-error@below:8 {{'cuda_tile.make_partition_view' op result #0 ('result') must be a partition_view, but got 'strided_view<tile=(4x8), traversal_strides=[1,1], tensor_view<64x64xf32, strides=[64,1]>>'}}
  %0 = make_partition_view %t : strided_view<tile=(4x8), traversal_strides=[1,1], tensor_view<64x64xf32, strides=[64,1]>>
  // expected-error@below:8 {{'cuda_tile.make_strided_view' op result #0 ('result') must be a strided_view, but got 'partition_view<tile=(4x8), tensor_view<64x64xf32, strides=[64,1]>>'}}
  %1 = make_strided_view %t : partition_view<tile=(4x8), tensor_view<64x64xf32, strides=[64,1]>>
  // expected-error@below:8 {{'cuda_tile.make_gather_scatter_view' op result #0 ('result') must be a gather_scatter_view, but got 'partition_view<tile=(4x8), tensor_view<64x64xf32, strides=[64,1]>>'}}
  %2 = make_gather_scatter_view %t : partition_view<tile=(4x8), tensor_view<64x64xf32, strides=[64,1]>>
  return
}

// -----

entry @no_tile_view(%p: tile<ptr<f32>>) {
  %t = make_tensor_view %p, shape = [64, 64], strides = [64, 1] : tensor_view<64x64xf32, strides=[64,1]>
  // expected-error@below:33 {{expected a tile view type, but got 'tensor_view<64x64xf32, strides=[64,1]>'}}
  %0 = make_partition_view %t : tensor_view<64x64xf32, strides=[64,1]>
  return
}

// -----

entry @shapes(%p: tile<ptr<f32>>) {
  %t = make_tensor_view %p, shape = [64, 64], strides = [64, 1] : tensor_view<64x64xf32, strides=[64,1]>
  %v = make_partition_view %t : partition_view<tile=(4x8), tensor_view<64x64xf32, strides=[64,1]>>
  // expected-error@below:12 {{'cuda_tile.get_tensor_shape' op result #0 ('extents') must be a rank-0 tile of i1, i8, i16, i32 or i64, but got 'tile<f32>'}}
  %0, %1 = get_tensor_shape %t : tensor_view<64x64xf32, strides=[64,1]> -> tile<f32>
  // expected-error@below:12 {{'cuda_tile.get_index_space_shape' op all results must have one type}}
  %2, %3 = get_index_space_shape %v : partition_view<tile=(4x8), tensor_view<64x64xf32, strides=[64,1]>> -> tile<i32>, tile<i64>
  // expected-error@below:29 {{'cuda_tile.get_tensor_shape' op operand #0 ('src') must be a tensor_view, but got 'partition_view<tile=(4x8), tensor_view<64x64xf32, strides=[64,1]>>'}}
  %4, %5 = get_tensor_shape %v : partition_view<tile=(4x8), tensor_view<64x64xf32, strides=[64,1]>> -> tile<i32>
  // expected-error@below:34 {{'cuda_tile.get_index_space_shape' op operand #0 ('src') must be a tile view, but got 'tensor_view<64x64xf32, strides=[64,1]>'}}
  %6, %7 = get_index_space_shape %t : tensor_view<64x64xf32, strides=[64,1]> -> tile<i32>
  return
}

// -----

entry @shape_results(%p: tile<ptr<f32>>) {
  %t = make_tensor_view %p, shape = [64, 64], strides = [64, 1] : tensor_view<64x64xf32, strides=[64,1]>
  // expected-error@below:16 {{'cuda_tile.get_tensor_shape' has 2 results, but 3 are named}}
  %0, %1, %2 = get_tensor_shape %t : tensor_view<64x64xf32, strides=[64,1]> -> tile<i32>
  return
}

// -----

entry @load(%p: tile<ptr<f32>>, %i: tile<i32>, %l: tile<i64>, %f: tile<f32>) {
  %t = make_tensor_view %p, shape = [64, 64], strides = [64, 1] : tensor_view<64x64xf32, strides=[64,1]>
  %v = make_partition_view %t : partition_view<tile=(4x8), tensor_view<64x64xf32, strides=[64,1]>>
  %r = constant <i32: 0> : tile<4xi32>
  // expected-error@below:13 {{'cuda_tile.load_view_tko' op the view takes 2 indices, but got 1}}
  %0, %t0 = load_view_tko weak %v[%i] : partition_view<tile=(4x8), tensor_view<64x64xf32, strides=[64,1]>>, tile<i32> -> tile<4x8xf32>, token
  // expected-error@below:13 {{'cuda_tile.load_view_tko' op the view takes 2 indices, but got 3}}
  %1, %t1 = load_view_tko weak %v[%i, %i, %i] : partition_view<tile=(4x8), tensor_view<64x64xf32, strides=[64,1]>>, tile<i32> -> tile<4x8xf32>, token
  // expected-error@below:13 {{'cuda_tile.load_view_tko' op the view's tiles are 'tile<4x8xf32>', but got 'tile<8x4xf32>'}}
  %2, %t2 = load_view_tko weak %v[%i, %i] : partition_view<tile=(4x8), tensor_view<64x64xf32, strides=[64,1]>>, tile<i32> -> tile<8x4xf32>, token
  // expected-error@below:13 {{'cuda_tile.load_view_tko' op all scalar indices must have one type, but got (tile<i32>, tile<i64>)}}
  %3, %t3 = load_view_tko weak %v[%i, %l] : partition_view<tile=(4x8), tensor_view<64x64xf32, strides=[64,1]>>, tile<i32>, tile<i64> -> tile<4x8xf32>, token
  // expected-error@below:13 {{'cuda_tile.load_view_tko' op index 0 must be a rank-0 tile, but got 'tile<4xi32>'}}
  %4, %t4 = load_view_tko weak %v[%r, %i] : partition_view<tile=(4x8), tensor_view<64x64xf32, strides=[64,1]>>, tile<4xi32>, tile<i32> -> tile<4x8xf32>, token
  // expected-error@below:35 {{'cuda_tile.load_view_tko' op operand #1 ('index') must be a tile of i1, i8, i16, i32 or i64, but got 'tile<f32>'}}
  %5, %t5 = load_view_tko weak %v[%f, %f] : partition_view<tile=(4x8), tensor_view<64x64xf32, strides=[64,1]>>, tile<f32> -> tile<4x8xf32>, token
  // expected-error@below:13 {{'cuda_tile.load_view_tko' op inbounds needs one entry for each of the view's 2 dimensions, but has 1}}
  %6, %t6 = load_view_tko weak %v[%i, %i] inbounds = [true] : partition_view<tile=(4x8), tensor_view<64x64xf32, strides=[64,1]>>, tile<i32> -> tile<4x8xf32>, token
  // expected-error@below:32 {{'cuda_tile.load_view_tko' op operand #0 ('view') must be a tile view, but got 'tensor_view<64x64xf32, strides=[64,1]>'}}
  %7, %t7 = load_view_tko weak %t[%i, %i] : tensor_view<64x64xf32, strides=[64,1]>, tile<i32> -> tile<4x8xf32>, token
  // expected-error@below:13 {{'cuda_tile.load_view_tko' op weak accesses have no memory scope}}
  %8, %t8 = load_view_tko weak sys %v[%i, %i] : partition_view<tile=(4x8), tensor_view<64x64xf32, strides=[64,1]>>, tile<i32> -> tile<4x8xf32>, token
  // expected-error@below:13 {{'cuda_tile.load_view_tko' op acquire accesses need a memory scope: tl_blk, device or sys}}
  %9, %t9 = load_view_tko acquire %v[%i, %i] : partition_view<tile=(4x8), tensor_view<64x64xf32, strides=[64,1]>>, tile<i32> -> tile<4x8xf32>, token
  // expected-error@below:15 {{'cuda_tile.load_view_tko' op memory ordering must be weak, relaxed or acquire, but got release}}
  %10, %t10 = load_view_tko release sys %v[%i, %i] : partition_view<tile=(4x8), tensor_view<64x64xf32, strides=[64,1]>>, tile<i32> -> tile<4x8xf32>, token
  return
}

// -----

entry @store(%p: tile<ptr<f32>>, %i: tile<i32>) {
  %t = make_tensor_view %p, shape = [64, 64], strides = [64, 1] : tensor_view<64x64xf32, strides=[64,1]>
  %v = make_partition_view %t : partition_view<tile=(4x8), tensor_view<64x64xf32, strides=[64,1]>>
  %a = constant <f32: 0.0> : tile<4x8xf32>
  %b = constant <f16: 0.0> : tile<4x8xf16>
  // expected-error@below:8 {{'cuda_tile.store_view_tko' op the view's tiles are 'tile<4x8xf32>', but got 'tile<4x8xf16>'}}
  %0 = store_view_tko weak %b, %v[%i, %i] : tile<4x8xf16>, partition_view<tile=(4x8), tensor_view<64x64xf32, strides=[64,1]>>, tile<i32> -> token
  // expected-error@below:8 {{'cuda_tile.store_view_tko' op the view takes 2 indices, but got 1}}
  %1 = store_view_tko weak %a, %v[%i] : tile<4x8xf32>, partition_view<tile=(4x8), tensor_view<64x64xf32, strides=[64,1]>>, tile<i32> -> token
  // expected-error@below:8 {{'cuda_tile.store_view_tko' op memory ordering must be weak, relaxed or release, but got acquire}}
  %2 = store_view_tko acquire sys %a, %v[%i, %i] : tile<4x8xf32>, partition_view<tile=(4x8), tensor_view<64x64xf32, strides=[64,1]>>, tile<i32> -> token
  // expected-error@below:8 {{'cuda_tile.store_view_tko' op weak accesses have no memory scope}}
  %3 = store_view_tko weak device %a, %v[%i, %i] : tile<4x8xf32>, partition_view<tile=(4x8), tensor_view<64x64xf32, strides=[64,1]>>, tile<i32> -> token
  // expected-error@below:8 {{'cuda_tile.store_view_tko' op relaxed accesses need a memory scope: tl_blk, device or sys}}
  %4 = store_view_tko relaxed %a, %v[%i, %i] : tile<4x8xf32>, partition_view<tile=(4x8), tensor_view<64x64xf32, strides=[64,1]>>, tile<i32> -> token
  // expected-error@below:8 {{'cuda_tile.store_view_tko' op inbounds needs one entry for each of the view's 2 dimensions, but has 3}}
  %5 = store_view_tko weak %a, %v[%i, %i] inbounds = [true, true, true] : tile<4x8xf32>, partition_view<tile=(4x8), tensor_view<64x64xf32, strides=[64,1]>>, tile<i32> -> token
  return
}

// -----

// The index along the sparse dimension is a tile, the others are scalars of one type.

entry @gather(%p: tile<ptr<f32>>, %i: tile<i32>, %l: tile<i64>) {
  %t = make_tensor_view %p, shape = [64, 64], strides = [64, 1] : tensor_view<64x64xf32, strides=[64,1]>
  %g = make_gather_scatter_view %t : gather_scatter_view<tile=(4x8), tensor_view<64x64xf32, strides=[64,1]>, sparse_dim=0>
  %r = constant <i32: 0> : tile<4xi32>
  %w = constant <i32: 0> : tile<8xi32>
  // expected-error@below:13 {{'cuda_tile.load_view_tko' op index 0, along the sparse dimension, must have shape 4, but got 'tile<i32>'}}
  %0, %t0 = load_view_tko weak %g[%i, %i] : gather_scatter_view<tile=(4x8), tensor_view<64x64xf32, strides=[64,1]>, sparse_dim=0>, tile<i32> -> tile<4x8xf32>, token
  // expected-error@below:13 {{'cuda_tile.load_view_tko' op index 0, along the sparse dimension, must have shape 4, but got 'tile<8xi32>'}}
  %1, %t1 = load_view_tko weak %g[%w, %i] : gather_scatter_view<tile=(4x8), tensor_view<64x64xf32, strides=[64,1]>, sparse_dim=0>, tile<8xi32>, tile<i32> -> tile<4x8xf32>, token
  // expected-error@below:13 {{'cuda_tile.load_view_tko' op index 1 must be a rank-0 tile, but got 'tile<8xi32>'}}
  %2, %t2 = load_view_tko weak %g[%r, %w] : gather_scatter_view<tile=(4x8), tensor_view<64x64xf32, strides=[64,1]>, sparse_dim=0>, tile<4xi32>, tile<8xi32> -> tile<4x8xf32>, token
  return
}

// -----

// Tensors of f4E2M1FN have one dimension of unit stride, and it is dense.

entry @packed(%l: tile<i64>, %i: tile<i32>) {
  %p = int_to_ptr %l : tile<i64> -> tile<ptr<f4E2M1FN>>
  %r = constant <i32: 0> : tile<4xi32>
  %t = make_tensor_view %p, shape = [64, 64], strides = [128, 2] : tensor_view<64x64xf4E2M1FN, strides=[128,2]>
  %v = make_partition_view %t : partition_view<tile=(4x8), tensor_view<64x64xf4E2M1FN, strides=[128,2]>>
  // expected-error@below:13 {{'cuda_tile.load_view_tko' op f4E2M1FN views need exactly one static unit stride}}
  %0, %t0 = load_view_tko weak %v[%i, %i] : partition_view<tile=(4x8), tensor_view<64x64xf4E2M1FN, strides=[128,2]>>, tile<i32> -> tile<4x8xf4E2M1FN>, token
  %u = make_tensor_view %p, shape = [64, 64], strides = [1, 64] : tensor_view<64x64xf4E2M1FN, strides=[1,64]>
  %g = make_gather_scatter_view %u : gather_scatter_view<tile=(4x8), tensor_view<64x64xf4E2M1FN, strides=[1,64]>, sparse_dim=0>
  // expected-error@below:13 {{'cuda_tile.load_view_tko' op the unit stride of an f4E2M1FN view must not be its sparse_dim}}
  %1, %t1 = load_view_tko weak %g[%r, %i] : gather_scatter_view<tile=(4x8), tensor_view<64x64xf4E2M1FN, strides=[1,64]>, sparse_dim=0>, tile<4xi32>, tile<i32> -> tile<4x8xf4E2M1FN>, token
  return
}
