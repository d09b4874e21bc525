// RUN: tile-opt %s --verify-diagnostics --split-input-file

// The tools take unknown hints silently: warnings.

// expected-warning@below:1 {{'cuda_tile.entry' op unknown architecture 'sm_10' in optimization hints; known are sm_80, sm_86, sm_87, sm_88, sm_89, sm_90, sm_100, sm_103, sm_107, sm_110, sm_120, sm_121, default}}
// expected-warning@below:1 {{'cuda_tile.entry' op unknown architecture 'sm_50' in optimization hints; known are sm_80, sm_86, sm_87, sm_88, sm_89, sm_90, sm_100, sm_103, sm_107, sm_110, sm_120, sm_121, default}}
entry @architectures() optimization_hints=<sm_50 = {occupancy = 2}, sm_10 = {occupancy = 2}, sm_120 = {occupancy = 2}, default = {occupancy = 4}> {
  return
}

// -----

// expected-warning@below:1 {{'cuda_tile.entry' op has no optimization hint 'allow_tma'; it takes num_cta_in_cga, num_worker_warps_per_cta, occupancy}}
// expected-warning@below:1 {{'cuda_tile.entry' op has no optimization hint 'latency'; it takes num_cta_in_cga, num_worker_warps_per_cta, occupancy}}
// expected-warning@below:1 {{'cuda_tile.entry' op has no optimization hint 'ocupancy'; did you mean 'occupancy'?}}
entry @keys() optimization_hints=<sm_100 = {ocupancy = 2, latency = 3, allow_tma = true}> {
  return
}

// -----

// expected-warning@below:1 {{'cuda_tile.entry' op optimization hint 'num_cta_in_cga' of sm_100 must be a power of two from 1 to 16, but is 3}}
// expected-warning@below:1 {{'cuda_tile.entry' op optimization hint 'num_worker_warps_per_cta' of sm_100 must be a power of two from 1 to 32, but is 64}}
// expected-warning@below:1 {{'cuda_tile.entry' op optimization hint 'occupancy' of sm_100 must be an integer from 1 to 32, but is 33}}
// expected-warning@below:1 {{'cuda_tile.entry' op optimization hint 'num_cta_in_cga' of sm_90 must be a power of two from 1 to 16}}
// expected-warning@below:1 {{'cuda_tile.entry' op optimization hint 'occupancy' of sm_90 must be an integer from 1 to 32}}
entry @values() optimization_hints=<sm_100 = {occupancy = 33, num_cta_in_cga = 3, num_worker_warps_per_cta = 64}, sm_90 = {occupancy = true, num_cta_in_cga = "2"}> {
  return
}

// -----

// expected-warning@below:1 {{'cuda_tile.entry' op optimization hint 'num_cta_in_cga' of sm_80 must be 1, as it has no clusters, but is 2}}
entry @clusters() optimization_hints=<sm_80 = {num_cta_in_cga = 2}, sm_89 = {num_cta_in_cga = 1}> {
  return
}

// -----

entry @loads(%p: tile<ptr<f32>>, %f: tile<f32>) {
  // expected-warning@below:13 {{'cuda_tile.load_ptr_tko' op optimization hint 'latency' of sm_100 must be an integer from 1 to 10, but is 11}}
  %0, %t0 = load_ptr_tko weak %p optimization_hints = <sm_100 = {latency = 11}> : tile<ptr<f32>> -> tile<f32>, token
  // expected-warning@below:13 {{'cuda_tile.load_ptr_tko' op has no optimization hint 'allow_tma'; it takes latency}}
  %1, %t1 = load_ptr_tko weak %p optimization_hints = <sm_100 = {allow_tma = true}> : tile<ptr<f32>> -> tile<f32>, token
  // expected-warning@below:8 {{'cuda_tile.store_ptr_tko' op has no optimization hint 'occupancy'; it takes latency}}
  %2 = store_ptr_tko weak %p, %f optimization_hints = <sm_100 = {occupancy = 1}> : tile<ptr<f32>>, tile<f32> -> token
  return
}

// -----

entry @views(%p: tile<ptr<f32>>, %i: tile<i32>) {
  %t = make_tensor_view %p, shape = [64], strides = [1] : tensor_view<64xf32, strides=[1]>
  %v = make_partition_view %t : partition_view<tile=(8), tensor_view<64xf32, strides=[1]>>
  // expected-warning@below:13 {{'cuda_tile.load_view_tko' op optimization hint 'allow_tma' of sm_100 must be true or false}}
  // expected-warning@below:13 {{'cuda_tile.load_view_tko' op optimization hint 'latency' of sm_100 must be an integer from 1 to 10, but is 0}}
  %0, %t0 = load_view_tko weak %v[%i] optimization_hints = <sm_100 = {allow_tma = 1, latency = 0}> : partition_view<tile=(8), tensor_view<64xf32, strides=[1]>>, tile<i32> -> tile<8xf32>, token
  // expected-warning@below:8 {{'cuda_tile.store_view_tko' op unknown architecture 'sm_1000' in optimization hints; known are sm_80, sm_86, sm_87, sm_88, sm_89, sm_90, sm_100, sm_103, sm_107, sm_110, sm_120, sm_121, default}}
  %1 = store_view_tko weak %0, %v[%i] optimization_hints = <sm_1000 = {latency = 5}> : tile<8xf32>, partition_view<tile=(8), tensor_view<64xf32, strides=[1]>>, tile<i32> -> token
  return
}

// -----

// expected-error@below:62 {{'sm_100' is given twice}}
entry @twice() optimization_hints=<sm_100 = {occupancy = 2}, sm_100 = {occupancy = 3}> {
  return
}

// -----

// expected-error@below:65 {{'occupancy' is given twice}}
entry @key_twice() optimization_hints=<sm_100 = {occupancy = 2, occupancy = 3}> {
  return
}

// -----

// expected-error@below:53 {{expected '{', but got '2'}}
entry @no_dictionary() optimization_hints=<sm_100 = 2> {
  return
}
