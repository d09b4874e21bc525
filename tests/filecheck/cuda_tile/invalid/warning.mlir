// RUN: tile-opt %s --verify-diagnostics --split-input-file

// What verifies, but does not do what was meant.

// expected-warning@below:1 {{'cuda_tile.entry' op '@a.b' is no PTX identifier (letters, digits, '_' and '$'), tileiras cannot compile it}}
entry @a.b() {
  return
}
// expected-warning@below:1 {{'cuda_tile.entry' op '@k 3' is no PTX identifier (letters, digits, '_' and '$'), tileiras cannot compile it}}
entry @"k 3"() {
  return
}
// expected-warning@below:1 {{'cuda_tile.entry' op '@9a' is no PTX identifier (letters, digits, '_' and '$'), tileiras cannot compile it}}
entry @"9a"() {
  return
}
// expected-warning@below:1 {{'cuda_tile.entry' op '@_' is no PTX identifier (letters, digits, '_' and '$'), tileiras cannot compile it}}
entry @_() {
  return
}
// expected-warning@below:1 {{'cuda_tile.global' op '@a-b' is no PTX identifier (letters, digits, '_' and '$'), tileiras cannot compile it}}
global @"a-b" <i32: [1]> : tile<1xi32>

// -----

entry @index_ranges(%v: tile<i32>) {
  %m = constant <f32: 0.0> : tile<4x8xf32>
  %s = constant <f32: 0.0> : tile<2x8xf32>
  %0 = constant <i32: 0> : tile<i32>
  %2 = constant <i32: 2> : tile<i32>
  %n = constant <i32: -1> : tile<i32>
  // expected-warning@below:19 {{'cuda_tile.extract' op index 0 is 2, but dimension 0 has 2 parts: indices count parts, not elements}}
  %a = extract %m[%2, %0] : tile<4x8xf32> -> tile<2x8xf32>
  // expected-warning@below:23 {{'cuda_tile.extract' op index 1 is 2, but dimension 1 has 1 part: indices count parts, not elements}}
  %b = extract %m[%0, %2] : tile<4x8xf32> -> tile<2x8xf32>
  // expected-warning@below:22 {{'cuda_tile.insert' op index 0 is -1, but dimension 0 has 2 parts: indices count parts, not elements}}
  %c = insert %s, %m[%n, %0] : tile<2x8xf32>, tile<4x8xf32>
  %d = extract %m[%v, %0] : tile<4x8xf32> -> tile<2x8xf32>
  return
}

// -----

entry @gather(%p: tile<ptr<f32>>, %i: tile<i32>) {
  %t = make_tensor_view %p, shape = [64, 64], strides = [64, 1] : tensor_view<64x64xf32, strides=[64,1]>
  %g = make_gather_scatter_view %t : gather_scatter_view<tile=(4x8), tensor_view<64x64xf32, strides=[64,1]>, sparse_dim=0>
  %r = iota : tile<4xi16>
  // expected-warning@below:35 {{'cuda_tile.load_view_tko' op index 0 is 'tile<4xi16>', tileiras cannot compile a gather index of fewer than 32 bits}}
  %0, %t0 = load_view_tko weak %g[%r, %i] : gather_scatter_view<tile=(4x8), tensor_view<64x64xf32, strides=[64,1]>, sparse_dim=0>, tile<4xi16>, tile<i32> -> tile<4x8xf32>, token
  // expected-warning@below:35 {{'cuda_tile.store_view_tko' op index 0 is 'tile<4xi16>', tileiras cannot compile a gather index of fewer than 32 bits}}
  %1 = store_view_tko weak %0, %g[%r, %i] : tile<4x8xf32>, gather_scatter_view<tile=(4x8), tensor_view<64x64xf32, strides=[64,1]>, sparse_dim=0>, tile<4xi16>, tile<i32> -> token
  return
}
