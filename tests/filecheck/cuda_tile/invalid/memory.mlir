// RUN: tile-opt %s --verify-diagnostics --split-input-file

entry @load(%p: tile<ptr<f32>>, %c: tile<i1>, %i: tile<i32>, %f: tile<f32>) {
  %m = constant <i1: true> : tile<4xi1>
  // expected-error@below:31 {{'cuda_tile.load_ptr_tko' op operand #0 ('source') must be a tile of pointers, but got 'tile<i32>'}}
  %0, %t0 = load_ptr_tko weak %i : tile<i32> -> tile<f32>, token
  // expected-error@below:13 {{'cuda_tile.load_ptr_tko' op pointers to 'f32' do not hold 'i32' elements}}
  %1, %t1 = load_ptr_tko weak %p : tile<ptr<f32>> -> tile<i32>, token
  // expected-error@below:13 {{'cuda_tile.load_ptr_tko' op operands and results must have one shape, but got 'tile<ptr<f32>>', 'tile<4xf32>'}}
  %2, %t2 = load_ptr_tko weak %p : tile<ptr<f32>> -> tile<4xf32>, token
  // expected-error@below:13 {{'cuda_tile.load_ptr_tko' op the mask must have the shape of 'tile<ptr<f32>>', but got 'tile<4xi1>'}}
  %3, %t3 = load_ptr_tko weak %p, %m : tile<ptr<f32>>, tile<4xi1> -> tile<f32>, token
  // expected-error@below:13 {{'cuda_tile.load_ptr_tko' op padding must be 'tile<f32>' as the result is, but got 'tile<i32>'}}
  %4, %t4 = load_ptr_tko weak %p, %c, %i : tile<ptr<f32>>, tile<i1>, tile<i32> -> tile<f32>, token
  // expected-error@below:13 {{'cuda_tile.load_ptr_tko' op padding must be 'tile<f32>' as the result is, but got 'tile<i32>'}}
  %5, %t5 = load_ptr_tko weak %p, %i : tile<ptr<f32>>, tile<i32> -> tile<f32>, token
  // expected-error@below:13 {{'cuda_tile.load_ptr_tko' op result #1 ('result_token') must be a token, but got 'tile<f32>'}}
  %6, %t6 = load_ptr_tko weak %p : tile<ptr<f32>> -> tile<f32>, tile<f32>
  return
}

// -----

entry @load_ordering(%p: tile<ptr<f32>>) {
  // expected-error@below:13 {{'cuda_tile.load_ptr_tko' op weak accesses have no memory scope}}
  %0, %t0 = load_ptr_tko weak device %p : tile<ptr<f32>> -> tile<f32>, token
  // expected-error@below:13 {{'cuda_tile.load_ptr_tko' op relaxed accesses need a memory scope: tl_blk, device or sys}}
  %1, %t1 = load_ptr_tko relaxed %p : tile<ptr<f32>> -> tile<f32>, token
  // expected-error@below:13 {{'cuda_tile.load_ptr_tko' op acquire accesses need a memory scope: tl_blk, device or sys}}
  %2, %t2 = load_ptr_tko acquire %p : tile<ptr<f32>> -> tile<f32>, token
  // expected-error@below:13 {{'cuda_tile.load_ptr_tko' op memory ordering must be weak, relaxed or acquire, but got release}}
  %3, %t3 = load_ptr_tko release sys %p : tile<ptr<f32>> -> tile<f32>, token
  // expected-error@below:13 {{'cuda_tile.load_ptr_tko' op memory ordering must be weak, relaxed or acquire, but got acq_rel}}
  %4, %t4 = load_ptr_tko acq_rel tl_blk %p : tile<ptr<f32>> -> tile<f32>, token
  return
}

// -----

entry @store(%p: tile<ptr<f32>>, %c: tile<i1>, %i: tile<i32>, %f: tile<f32>) {
  %m = constant <i1: true> : tile<4xi1>
  %v = constant <f32: 0.0> : tile<4xf32>
  // expected-error@below:27 {{'cuda_tile.store_ptr_tko' op operand #0 ('destination') must be a tile of pointers, but got 'tile<f32>'}}
  %0 = store_ptr_tko weak %f, %f : tile<f32>, tile<f32> -> token
  // expected-error@below:8 {{'cuda_tile.store_ptr_tko' op pointers to 'f32' do not hold 'i32' elements}}
  %1 = store_ptr_tko weak %p, %i : tile<ptr<f32>>, tile<i32> -> token
  // expected-error@below:8 {{'cuda_tile.store_ptr_tko' op operands and results must have one shape, but got 'tile<ptr<f32>>', 'tile<4xf32>'}}
  %2 = store_ptr_tko weak %p, %v : tile<ptr<f32>>, tile<4xf32> -> token
  // expected-error@below:8 {{'cuda_tile.store_ptr_tko' op the mask must have the shape of 'tile<ptr<f32>>', but got 'tile<4xi1>'}}
  %3 = store_ptr_tko weak %p, %f, %m : tile<ptr<f32>>, tile<f32>, tile<4xi1> -> token
  // expected-error@below:35 {{'cuda_tile.store_ptr_tko' op operand #2 ('mask') must be a tile of i1, but got 'tile<i32>'}}
  %4 = store_ptr_tko weak %p, %f, %i : tile<ptr<f32>>, tile<f32>, tile<i32> -> token
  // expected-error@below:8 {{'cuda_tile.store_ptr_tko' op result #0 ('result_token') must be a token, but got 'tile<f32>'}}
  %5 = store_ptr_tko weak %p, %f : tile<ptr<f32>>, tile<f32> -> tile<f32>
  return
}

// -----

entry @store_ordering(%p: tile<ptr<f32>>, %f: tile<f32>) {
  // expected-error@below:8 {{'cuda_tile.store_ptr_tko' op weak accesses have no memory scope}}
  %0 = store_ptr_tko weak sys %p, %f : tile<ptr<f32>>, tile<f32> -> token
  // expected-error@below:8 {{'cuda_tile.store_ptr_tko' op release accesses need a memory scope: tl_blk, device or sys}}
  %1 = store_ptr_tko release %p, %f : tile<ptr<f32>>, tile<f32> -> token
  // expected-error@below:8 {{'cuda_tile.store_ptr_tko' op memory ordering must be weak, relaxed or release, but got acquire}}
  %2 = store_ptr_tko acquire sys %p, %f : tile<ptr<f32>>, tile<f32> -> token
  // expected-error@below:8 {{'cuda_tile.store_ptr_tko' op memory ordering must be weak, relaxed or release, but got acq_rel}}
  %3 = store_ptr_tko acq_rel sys %p, %f : tile<ptr<f32>>, tile<f32> -> token
  return
}

// -----

// expected-note@below:41 {{defined here}}
entry @token_clause(%p: tile<ptr<f32>>, %f: tile<f32>) {
  // expected-error@below:40 {{'%f' has type 'tile<f32>', but is used as 'token'}}
  %0, %t0 = load_ptr_tko weak %p token=%f : tile<ptr<f32>> -> tile<f32>, token
  return
}

// -----

entry @join() {
  %t = make_token : token
  // expected-error@below:8 {{'cuda_tile.join_tokens' op joins at least two tokens, but got 1}}
  %0 = join_tokens %t : token
  // expected-error@below:8 {{'cuda_tile.join_tokens' op result #0 ('result') must be a token, but got 'tile<i32>'}}
  %1 = join_tokens %t, %t : tile<i32>
  return
}

// -----

entry @alloca(%i: tile<i32>) {
  // expected-error@below:8 {{'cuda_tile.alloca' op alignment must be a power of two, but got 3}}
  %0 = alloca num_elem = 4, alignment = 3 : tile<ptr<f32>>
  // expected-error@below:8 {{'cuda_tile.alloca' op alignment must be at least the 4 bytes of 'f32', but got 2}}
  %1 = alloca num_elem = 4, alignment = 2 : tile<ptr<f32>>
  // expected-error@below:8 {{'cuda_tile.alloca' op alignment must be a power of two, but got 0}}
  %2 = alloca num_elem = 4, alignment = 0 : tile<ptr<f32>>
  // expected-error@below:8 {{'cuda_tile.alloca' op num_elem must not be negative, but got -1}}
  %3 = alloca num_elem = -1, alignment = 4 : tile<ptr<f32>>
  // expected-error@below:8 {{'cuda_tile.alloca' op result #0 ('result') must be a rank-0 tile of pointers, but got 'tile<f32>'}}
  %4 = alloca num_elem = 4, alignment = 4 : tile<f32>
  // expected-error@below:8 {{'cuda_tile.alloca' op result #0 ('result') must be a rank-0 tile of pointers, but got 'tile<4xptr<f32>>'}}
  %5 = alloca num_elem = 4, alignment = 4 : tile<4xptr<f32>>
  // expected-error@below:8 {{'cuda_tile.alloca' op multicast memory cannot be allocated}}
  %6 = alloca num_elem = 4, alignment = 4 : tile<ptr<f32, <multicast>>>
  // expected-error@below:8 {{'cuda_tile.alloca' op alignment must be at least the 8 bytes of 'f64', but got 4}}
  %7 = alloca num_elem = 4, alignment = 4 : tile<ptr<f64>>
  return
}

// -----

entry @dependent_launch(%f: tile<f32>) {
  // expected-error@below:8 {{'cuda_tile.gdc_wait_tko' op result #0 ('result_token') must be a token, but got 'tile<i32>'}}
  %0 = gdc_wait_tko -> tile<i32>
  // expected-error@below:8 {{'cuda_tile.gdc_launch_dependents_tko' op result #0 ('result_token') must be a token, but got 'tile<i32>'}}
  %1 = gdc_launch_dependents_tko -> tile<i32>
  return
}
