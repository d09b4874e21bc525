// RUN: tile-opt %s --verify-diagnostics --split-input-file

entry @div_by(%i: tile<i32>, %f: tile<f32>) {
  %v = constant <i32: 0> : tile<4xi32>
  // expected-error@below:8 {{'cuda_tile.assume' op div_by needs a tile of integers or pointers or a tensor_view, but got 'tile<f32>'}}
  %0 = assume div_by<16>, %f : tile<f32>
  // expected-error@below:8 {{'cuda_tile.assume' op 'every' must be in 0 to 4, the extent of dimension 0, but got 8}}
  %1 = assume div_by<16, every 8 along 0>, %v : tile<4xi32>
  // expected-error@below:8 {{'cuda_tile.assume' op 'along' must be in 0 to 0, but got 1}}
  %2 = assume div_by<16, every 2 along 1>, %v : tile<4xi32>
  // expected-error@below:8 {{'cuda_tile.assume' op div_by of a rank-0 tile has no 'every' and 'along'}}
  %3 = assume div_by<16, every 1 along 0>, %i : tile<i32>
  return
}

// -----

entry @div_by_tensor(%p: tile<ptr<f32>>) {
  %t = make_tensor_view %p, shape = [64], strides = [1] : tensor_view<64xf32, strides=[1]>
  // expected-error@below:8 {{'cuda_tile.assume' op div_by of a tensor_view has no 'every' and 'along'}}
  %0 = assume div_by<16, every 2 along 0>, %t : tensor_view<64xf32, strides=[1]>
  return
}

// -----

entry @divisor(%i: tile<i32>) {
  // expected-error@below:15 {{div_by divisor must be a power of two, but got 3}}
  %0 = assume div_by<3>, %i : tile<i32>
  return
}

// -----

entry @divisor_of_zero(%i: tile<i32>) {
  // expected-error@below:15 {{div_by divisor must be a power of two, but got 0}}
  %0 = assume div_by<0>, %i : tile<i32>
  return
}

// -----

entry @divisor_too_large(%i: tile<i64>) {
  // expected-error@below:15 {{div_by divisor must be at most 2^62, but got 9223372036854775808}}
  %0 = assume div_by<9223372036854775808>, %i : tile<i64>
  return
}

// -----

entry @every_without_along(%i: tile<i32>) {
  // expected-error@below:33 {{expected 'along', but got '>'}}
  %0 = assume div_by<16, every 4>, %i : tile<i32>
  return
}

// -----

entry @same_elements(%i: tile<i32>, %f: tile<f32>) {
  %v = constant <i32: 0> : tile<4xi32>
  // expected-error@below:8 {{'cuda_tile.assume' op same_elements needs one value for each dimension of 'tile<4xi32>', but got 2}}
  %0 = assume same_elements<[1, 1]>, %v : tile<4xi32>
  // expected-error@below:8 {{'cuda_tile.assume' op value 0 of same_elements must be in 0 to 4, but got 8}}
  %1 = assume same_elements<[8]>, %v : tile<4xi32>
  // expected-error@below:8 {{'cuda_tile.assume' op value 0 of same_elements must be in 0 to 4, but got -1}}
  %2 = assume same_elements<[-1]>, %v : tile<4xi32>
  // expected-error@below:8 {{'cuda_tile.assume' op same_elements needs a tile of integers or pointers, but got 'tile<f32>'}}
  %3 = assume same_elements<[]>, %f : tile<f32>
  return
}

// -----

entry @bounded(%b: tile<i8>, %f: tile<f32>, %p: tile<ptr<f32>>) {
  // expected-error@below:8 {{'cuda_tile.assume' op bound 200 is outside -128 to 127, the range of signed 'i8'}}
  %0 = assume bounded<0, 200>, %b : tile<i8>
  // expected-error@below:8 {{'cuda_tile.assume' op bound -129 is outside -128 to 127, the range of signed 'i8'}}
  %1 = assume bounded<-129, ?>, %b : tile<i8>
  // expected-error@below:8 {{'cuda_tile.assume' op bounded needs a tile of integers, but got 'tile<f32>'}}
  %2 = assume bounded<0, ?>, %f : tile<f32>
  // expected-error@below:8 {{'cuda_tile.assume' op bounded needs a tile of integers, but got 'tile<ptr<f32>>'}}
  %3 = assume bounded<0, ?>, %p : tile<ptr<f32>>
  return
}

// -----

entry @bounds(%b: tile<i8>) {
  // expected-error@below:15 {{bounded needs a lower bound not above the upper one, but got 5 > 4}}
  %0 = assume bounded<5, 4>, %b : tile<i8>
  return
}

// -----

entry @unknown_predicate(%b: tile<i8>) {
  // expected-error@below:15 {{expected div_by<..>, same_elements<..> or bounded<..>}}
  %0 = assume positive, %b : tile<i8>
  return
}

// -----

entry @assumed_token() {
  %t = make_token : token
  // expected-error@below:27 {{'cuda_tile.assume' op operand #0 ('value') must be a tile or view, but got 'token'}}
  %0 = assume div_by<16>, %t : token
  return
}

// -----

entry @formats(%i: tile<i32>) {
  // expected-error@below:8 {{'cuda_tile.print_tko' op the format has 0 conversions, but there is 1 argument}}
  %0 = print_tko "none" , %i : tile<i32> -> token
  // expected-error@below:8 {{'cuda_tile.print_tko' op the format has 2 conversions, but there is 1 argument}}
  %1 = print_tko "%d %d" , %i : tile<i32> -> token
  // expected-error@below:8 {{'cuda_tile.print_tko' op the format has 1 conversion, but there are 0 arguments}}
  %2 = print_tko "%d" -> token
  // expected-error@below:8 {{'cuda_tile.print_tko' op the format ends in an unfinished conversion; write %% for %}}
  %3 = print_tko "100%" -> token
  %4 = print_tko "100%%" -> token
  // expected-error@below:8 {{'cuda_tile.print_tko' op the format ends in an unfinished conversion; write %% for %}}
  %5 = print_tko "%5.2" , %i : tile<i32> -> token
  // expected-error@below:8 {{'cuda_tile.print_tko' op result #0 ('result_token') must be a token, but got 'tile<i32>'}}
  %6 = print_tko "hello" -> tile<i32>
  return
}
