// RUN: tile-opt %s --verify-diagnostics --split-input-file

cuda_tile.module @twice {
  // expected-note@below:3 {{defined first here}}
  // expected-note@below:3 {{defined first here}}
  entry @k() {
    return
  }
  // expected-error@below:3 {{'cuda_tile.entry' op defines the symbol '@k' again}}
  entry @k() {
    return
  }
  // expected-error@below:3 {{'cuda_tile.global' op defines the symbol '@k' again}}
  global @k <i32: [1]> : tile<1xi32>
}

// -----

cuda_tile.module @contents {
  // expected-error@below:8 {{'cuda_tile.constant' op cannot be in a module, which holds entries and globals}}
  %0 = constant <i32: 1> : tile<i32>
  // expected-error@below:3 {{'cuda_tile.return' op cannot be in a module, which holds entries and globals}}
  return
}

// -----

builtin.module {
  // expected-error@below:3 {{'cuda_tile.entry' op must be directly in a 'cuda_tile.module', not in 'builtin.module'}}
  cuda_tile.entry @k() {
    return
  }
}

// -----

// expected-error@below:1 {{'cuda_tile.entry' op argument 0 must be a rank-0 tile, but got 'tile<4xi32>'}}
entry @arguments(%m: tile<4xi32>, %t: token, %v: tensor_view<8xf32, strides=[1]>) {
  return
}

// -----

// expected-error@below:1 {{'cuda_tile.entry' op argument 0 must be a rank-0 tile, but got 'token'}}
entry @token(%t: token) {
  return
}

// -----

// expected-error@below:1 {{'cuda_tile.entry' op argument 1 must be a rank-0 tile, but got 'tensor_view<8xf32, strides=[1]>'}}
entry @view(%i: tile<i32>, %v: tensor_view<8xf32, strides=[1]>) {
  return
}

// -----

// expected-error@below:1 {{'cuda_tile.entry' op an entry has no results}}
entry @results() -> (tile<i32>) {
  return
}

// -----

// expected-error@below:1 {{'cuda_tile.entry' op attribute 'x' of argument 0 needs a dialect prefix, e.g. 'cuda_tile.x'}}
entry @argument_attributes(%i: tile<i32> {x = 5 : i32}) {
  return
}

// -----

// expected-error@below:1 {{'cuda_tile.global' op a global's value must have rank 1, but its type is 'tile<i32>'}}
global @scalar <i32: 1> : tile<i32>
// expected-error@below:1 {{'cuda_tile.global' op a global's value must have rank 1, but its type is 'tile<2x2xi32>'}}
global @matrix <i32: [[1, 2], [3, 4]]> : tile<2x2xi32>

entry @k() {
  return
}

// -----

// expected-note@below:1 {{the global is here}}
global @alpha <f32: [1.0, 2.0]> : tile<2xf32>

entry @globals() {
  // expected-error@below:8 {{'cuda_tile.get_global' op no global is called '@alhpa'; did you mean '@alpha'?}}
  %0 = get_global @alhpa : tile<ptr<f32>>
  // expected-error@below:8 {{'cuda_tile.get_global' op no global is called '@beta'}}
  %1 = get_global @beta : tile<ptr<f32>>
  // expected-error@below:8 {{'cuda_tile.get_global' op '@alpha' holds 'f32', but the result is 'tile<ptr<i32>>'}}
  %2 = get_global @alpha : tile<ptr<i32>>
  // expected-error@below:8 {{'cuda_tile.get_global' op no global is called '@globals'}}
  %3 = get_global @globals : tile<ptr<f32>>
  // expected-error@below:8 {{'cuda_tile.get_global' op result #0 ('result') must be a rank-0 tile of pointers, but got 'tile<2xptr<f32>>'}}
  %4 = get_global @alpha : tile<2xptr<f32>>
  // expected-error@below:8 {{'cuda_tile.get_global' op result #0 ('result') must be a rank-0 tile of pointers, but got 'tile<f32>'}}
  %5 = get_global @alpha : tile<f32>
  return
}

// -----

entry @values_of_another_entry(%a: tile<i32>) {
  %0 = addi %a, %a : tile<i32>
  return
}

entry @these() {
  // expected-error@below:13 {{use of undefined value '%0'}}
  // expected-error@below:17 {{use of undefined value '%a'}}
  %1 = addi %0, %a : tile<i32>
  return
}

// -----

// A constant has the type that it states.

entry @constants() {
  // expected-error@below:8 {{'cuda_tile.constant' op value has type 'tile<2xi32>', but the result is 'tile<4xi32>'}}
  %0 = "cuda_tile.constant"() <{value = dense<1> : !cuda_tile.tile<2xi32>}> : () -> !cuda_tile.tile<4xi32>
  return
}

// -----

cuda_tile.module @nested {
  entry @k(%c: tile<i1>) {
    if %c {
      // expected-error@below:7 {{'cuda_tile.entry' op must be directly in a 'cuda_tile.module', not in 'cuda_tile.if'}}
      entry @inner() {
        return
      }
    }
    return
  }
}
