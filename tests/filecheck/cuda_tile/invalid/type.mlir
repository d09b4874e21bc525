// RUN: tile-opt %s --verify-diagnostics --split-input-file

// expected-error@below:18 {{tile dimensions must be powers of two, but dimension 0 is 3; the next power of two is 4}}
entry @three(%p: tile<3xi32>) {
  return
}

// -----

entry @zero() {
  // expected-error@below:15 {{tile dimensions must be positive, but dimension 0 is 0}}
  %0 = iota : tile<0xi32>
  return
}

// -----

entry @large() {
  // expected-error@below:15 {{tile dimensions must be powers of two, but dimension 0 is 100; the next power of two is 128}}
  %0 = iota : tile<100xi32>
  return
}

// -----

entry @too_many_elements() {
  // expected-error@below:15 {{tile has 33554432 elements, at most 16777216 are allowed}}
  %0 = iota : tile<4096x8192xi32>
  return
}

// -----

entry @dynamic() {
  // expected-error@below:22 {{tile dimensions must be static, '?' is for tensor_view}}
  %0 = iota : tile<?xi32>
  return
}

// -----

entry @element() {
  // expected-error@below:15 {{tile element type must be a number, a pointer or i4, but got 'i24'}}
  %0 = iota : tile<4xi24>
  return
}

// -----

entry @element_of_tiles() {
  // expected-error@below:15 {{tile element type must be a number, a pointer or i4, but got 'tile<i32>'}}
  %0 = iota : tile<4xtile<i32>>
  return
}

// -----

entry @index() {
  // expected-error@below:15 {{tile element type must be a number, a pointer or i4, but got 'index'}}
  %0 = iota : tile<4xindex>
  return
}

// -----

// expected-error@below:19 {{f4E2M1FN tiles need at least one even dimension}}
entry @packed(%a: tile<f4E2M1FN>) {
  return
}

// -----

entry @pointers_to_packed() {
  // expected-error@below:15 {{tiles of ptr<f4E2M1FN> must have rank 0}}
  %0 = iota : tile<4xptr<f4E2M1FN>>
  return
}

// -----

// expected-error@below:25 {{pointee must be a number type, but got 'ptr<f32>'}}
entry @pointee(%p: tile<ptr<ptr<f32>>>) {
  return
}

// -----

// expected-error@below:28 {{pointee must be a number type, but got 'i4'}}
entry @pointee_i4(%p: tile<ptr<i4>>) {
  return
}

// -----

// expected-error@below:40 {{expected a kind of pointer (none, unicast, multicast), but got 'broadcast'}}
entry @pointer_kind(%p: tile<ptr<f32, <broadcast>>>) {
  return
}

// -----

// expected-error@below:24 {{tensor_view needs one stride for each dimension, but got 1 for 2}}
entry @few_strides(%p: tensor_view<8x8xf32, strides=[8]>) {
  return
}

// -----

// expected-error@below:23 {{tensor_view needs one stride for each dimension, but got 0 for 1}}
entry @no_strides(%p: tensor_view<8xf32>) {
  return
}

// -----

// expected-error@below:24 {{static tensor_view strides must be positive, but stride 0 is 0}}
entry @zero_stride(%p: tensor_view<8x8xf32, strides=[0,1]>) {
  return
}

// -----

// expected-error@below:24 {{static tensor_view dimensions must be positive, but dimension 0 is 0}}
entry @zero_extent(%p: tensor_view<0xf32, strides=[1]>) {
  return
}

// -----

// expected-error@below:31 {{tensor_view element type must be a number, but got 'ptr<f32>'}}
entry @tensor_of_pointers(%p: tensor_view<8xptr<f32>, strides=[1]>) {
  return
}

// -----

// expected-error@below:26 {{tile dimensions must be powers of two, but dimension 0 is 3; the next power of two is 4}}
entry @tile_of_three(%p: partition_view<tile=(3x8), tensor_view<64x64xf32, strides=[64,1]>>) {
  return
}

// -----

// expected-error@below:22 {{partition_view tile has rank 1, but its tensor_view has rank 2}}
entry @tile_rank(%p: partition_view<tile=(8), tensor_view<64x64xf32, strides=[64,1]>>) {
  return
}

// -----

// expected-error@below:20 {{partition_view tile must have at least one dimension}}
entry @no_tile(%p: partition_view<tile=(), tensor_view<f32>>) {
  return
}

// -----

// expected-error@below:20 {{partition_view dim_map must be a permutation of 0 to 1, but got [0, 0]}}
entry @dim_map(%p: partition_view<tile=(4x8), tensor_view<64x64xf32, strides=[64,1]>, dim_map=[0, 0]>) {
  return
}

// -----

// expected-error@below:27 {{partition_view dim_map needs one entry for each dimension of its tile, but has 1 for 2}}
entry @dim_map_length(%p: partition_view<tile=(4x8), tensor_view<64x64xf32, strides=[64,1]>, dim_map=[0]>) {
  return
}

// -----

// expected-error@below:27 {{partition_view must be over a tensor_view, but got 'tile<4x8xf32>'}}
entry @view_of_a_tile(%p: partition_view<tile=(4x8), tile<4x8xf32>>) {
  return
}

// -----

// expected-error@below:29 {{traversal strides must be positive, but stride 0 is 0}}
entry @traversal_stride(%p: strided_view<tile=(4x8), traversal_strides=[0,1], tensor_view<64x64xf32, strides=[64,1]>>) {
  return
}

// -----

// expected-error@below:30 {{strided_view needs one traversal stride for each tile dimension, but got 1 for 2}}
entry @traversal_strides(%p: strided_view<tile=(4x8), traversal_strides=[1], tensor_view<64x64xf32, strides=[64,1]>>) {
  return
}

// -----

// expected-error@below:23 {{sparse_dim must be in 0 to 1, but got 2}}
entry @sparse_dim(%p: gather_scatter_view<tile=(4x8), tensor_view<64x64xf32, strides=[64,1]>, sparse_dim=2>) {
  return
}

// -----

// Padding is a value that the elements can hold.

// expected-error@below:32 {{padding_value nan needs a float element type, but got 'i32'}}
entry @padding_of_integers(%p: partition_view<tile=(8), padding_value = nan, tensor_view<64xi32, strides=[1]>>) {
  return
}

// -----

// expected-error@below:29 {{padding_value pos_inf is no value of f8E4M3FN; use zero, neg_zero or nan}}
entry @infinity_in_e4m3(%p: partition_view<tile=(8), padding_value = pos_inf, tensor_view<64xf8E4M3FN, strides=[1]>>) {
  return
}

// -----

// expected-error@below:38 {{padding_value neg_inf is no value of f8E4M3FN; use zero, neg_zero or nan}}
entry @negative_infinity_in_e4m3(%p: partition_view<tile=(8), padding_value = neg_inf, tensor_view<64xf8E4M3FN, strides=[1]>>) {
  return
}

// -----

// expected-error@below:34 {{padding_value neg_zero is no value of f8E8M0FNU; use zero or nan}}
entry @negative_zero_in_e8m0(%p: partition_view<tile=(8), padding_value = neg_zero, tensor_view<64xf8E8M0FNU, strides=[1]>>) {
  return
}

// -----

// expected-error@below:29 {{padding_value pos_inf is no value of f8E8M0FNU; use zero or nan}}
entry @infinity_in_e8m0(%p: partition_view<tile=(8), padding_value = pos_inf, tensor_view<64xf8E8M0FNU, strides=[1]>>) {
  return
}

// -----

// expected-error@below:38 {{padding_value neg_inf is no value of f8E8M0FNU; use zero or nan}}
entry @negative_infinity_in_e8m0(%p: partition_view<tile=(8), padding_value = neg_inf, tensor_view<64xf8E8M0FNU, strides=[1]>>) {
  return
}

// -----

// expected-error@below:69 {{expected a padding value (zero, neg_zero, nan, pos_inf, neg_inf), but got 'one'}}
entry @unknown_padding(%p: partition_view<tile=(8), padding_value = one, tensor_view<64xf32, strides=[1]>>) {
  return
}

// -----

// expected-error@below:25 {{unknown type 'tiles'; did you mean 'tile'?}}
entry @unknown_type(%p: tiles<4xi32>) {
  return
}

// -----

// expected-error@below:33 {{unknown type 'fp32'; did you mean 'f32'?}}
entry @unknown_element(%p: tile<fp32>) {
  return
}

// -----

// expected-error@below:22 {{tile dimensions must be powers of two, but dimension 0 is 3; the next power of two is 4}}
entry @long_form(%p: !cuda_tile.tile<3xi32>) {
  return
}

// -----

// expected-error@below:47 {{unknown type 'cuda_tile.vector'}}
entry @long_form_unknown(%p: !cuda_tile.vector<4xi32>) {
  return
}

// -----

// expected-error@below:24 {{padding_value nan is no value of f4E2M1FN; use zero or neg_zero}}
entry @nan_in_f4e2(%p: partition_view<tile=(8), padding_value = nan, tensor_view<64xf4E2M1FN, strides=[1]>>) {
  return
}

// -----

// expected-error@below:28 {{padding_value pos_inf is no value of f4E2M1FN; use zero or neg_zero}}
entry @pos_inf_in_f4e2(%p: partition_view<tile=(8), padding_value = pos_inf, tensor_view<64xf4E2M1FN, strides=[1]>>) {
  return
}

// -----

// expected-error@below:28 {{padding_value neg_inf is no value of f4E2M1FN; use zero or neg_zero}}
entry @neg_inf_in_f4e2(%p: partition_view<tile=(8), padding_value = neg_inf, tensor_view<64xf4E2M1FN, strides=[1]>>) {
  return
}

// -----

// expected-error@below:28 {{padding_value neg_inf is no value of fnv8E5M3FNU; use zero, neg_zero, nan or pos_inf}}
entry @neg_inf_in_fnv8(%p: partition_view<tile=(8), padding_value = neg_inf, tensor_view<64xfnv8E5M3FNU, strides=[1]>>) {
  return
}
