// RUN: tile-opt %s --verify-diagnostics --split-input-file

entry @operands() {
  %m = constant <f32: 0.0> : tile<8x4xf32>
  %v = constant <f32: 0.0> : tile<8xf32>
  %s = constant <f32: 0.0> : tile<f32>
  // The dimension exists.
  // expected-error@below:8 {{'cuda_tile.reduce' op dim must be in 0 to 1, but got 2}}
  %0 = reduce %m dim=2 identities=[0.0 : f32] : tile<8x4xf32> -> tile<8xf32>
  (%a: tile<f32>, %b: tile<f32>) {
    yield %a : tile<f32>
  }
  // expected-error@below:8 {{'cuda_tile.reduce' op dim must be in 0 to 1, but got -1}}
  %1 = reduce %m dim=-1 identities=[0.0 : f32] : tile<8x4xf32> -> tile<8xf32>
  (%a: tile<f32>, %b: tile<f32>) {
    yield %a : tile<f32>
  }
  // expected-error@below:8 {{'cuda_tile.reduce' op dim 0 does not exist in a rank-0 tile}}
  %2 = reduce %s dim=0 identities=[0.0 : f32] : tile<f32> -> tile<f32>
  (%a: tile<f32>, %b: tile<f32>) {
    yield %a : tile<f32>
  }
  // All operands have one shape.
  // expected-error@below:12 {{'cuda_tile.reduce' op operands and results must have one shape, but got 'tile<8x4xf32>', 'tile<8xf32>'}}
  %3, %4 = reduce %m, %v dim=0 identities=[0.0 : f32, 0.0 : f32]
      : tile<8x4xf32>, tile<8xf32> -> tile<4xf32>, tile<f32>
  (%a: tile<f32>, %b: tile<f32>, %c: tile<f32>, %d: tile<f32>) {
    yield %a, %c : tile<f32>, tile<f32>
  }
  return
}

// -----

entry @results() {
  %m = constant <f32: 0.0> : tile<8x4xf32>
  // expected-error@below:8 {{'cuda_tile.reduce' op result 0 must be 'tile<4xf32>', but got 'tile<8xf32>'}}
  %0 = reduce %m dim=0 identities=[0.0 : f32] : tile<8x4xf32> -> tile<8xf32>
  (%a: tile<f32>, %b: tile<f32>) {
    yield %a : tile<f32>
  }
  // expected-error@below:8 {{'cuda_tile.reduce' op result 0 must be 'tile<4xf32>', but got 'tile<1x4xf32>'}}
  %1 = reduce %m dim=0 identities=[0.0 : f32] : tile<8x4xf32> -> tile<1x4xf32>
  (%a: tile<f32>, %b: tile<f32>) {
    yield %a : tile<f32>
  }
  // expected-error@below:12 {{'cuda_tile.reduce' op needs one result for each of its 1 operands, but has 2}}
  %2, %3 = reduce %m dim=0 identities=[0.0 : f32] : tile<8x4xf32> -> tile<4xf32>, tile<4xf32>
  (%a: tile<f32>, %b: tile<f32>) {
    yield %a : tile<f32>
  }
  // expected-error@below:8 {{'cuda_tile.scan' op result 0 must be 'tile<8x4xf32>', but got 'tile<4xf32>'}}
  %4 = scan %m dim=0 reverse=false identities=[0.0 : f32] : tile<8x4xf32> -> tile<4xf32>
  (%a: tile<f32>, %b: tile<f32>) {
    yield %a : tile<f32>
  }
  return
}

// -----

entry @identities() {
  %m = constant <f32: 0.0> : tile<8x4xf32>
  // expected-error@below:8 {{'cuda_tile.reduce' op needs one identity for each operand, but got 0 for 1}}
  %0 = reduce %m dim=0 identities=[] : tile<8x4xf32> -> tile<4xf32>
  (%a: tile<f32>, %b: tile<f32>) {
    yield %a : tile<f32>
  }
  // expected-error@below:8 {{'cuda_tile.reduce' op identity 0 has type 'f64', but the operand's elements are 'f32'}}
  %1 = reduce %m dim=0 identities=[0.0] : tile<8x4xf32> -> tile<4xf32>
  (%a: tile<f32>, %b: tile<f32>) {
    yield %a : tile<f32>
  }
  // expected-error@below:8 {{'cuda_tile.reduce' op identity 0 has type 'i32', but the operand's elements are 'f32'}}
  %2 = reduce %m dim=0 identities=[0 : i32] : tile<8x4xf32> -> tile<4xf32>
  (%a: tile<f32>, %b: tile<f32>) {
    yield %a : tile<f32>
  }
  // expected-error@below:8 {{'cuda_tile.scan' op needs one identity for each operand, but got 2 for 1}}
  %3 = scan %m dim=0 reverse=true identities=[0.0 : f32, 1.0 : f32]
      : tile<8x4xf32> -> tile<8x4xf32>
  (%a: tile<f32>, %b: tile<f32>) {
    yield %a : tile<f32>
  }
  return
}

// -----

// The other 16-bit format is taken, its bits are not converted.

entry @identity_of_another_format() {
  %m = constant <bf16: 0.0> : tile<8xbf16>
  // expected-warning@below:8 {{'cuda_tile.reduce' op identity 0 is 'f16', but the operand's elements are 'bf16': tools take its bits for a 'bf16'}}
  %0 = reduce %m dim=0 identities=[1.0 : f16] : tile<8xbf16> -> tile<bf16>
  (%a: tile<bf16>, %b: tile<bf16>) {
    yield %a : tile<bf16>
  }
  return
}

// -----

entry @body_arguments() {
  %m = constant <f32: 0.0> : tile<8x4xf32>
  // expected-error@below:8 {{'cuda_tile.reduce' op the body needs 2 arguments, an accumulator and an element for each operand, but has 1}}
  %0 = reduce %m dim=0 identities=[0.0 : f32] : tile<8x4xf32> -> tile<4xf32>
  (%a: tile<f32>) {
    yield %a : tile<f32>
  }
  // expected-error@below:8 {{'cuda_tile.reduce' op body argument 1 must be 'tile<f32>', but got 'tile<i32>'}}
  %1 = reduce %m dim=0 identities=[0.0 : f32] : tile<8x4xf32> -> tile<4xf32>
  (%a: tile<f32>, %b: tile<i32>) {
    yield %a : tile<f32>
  }
  // expected-error@below:8 {{'cuda_tile.scan' op body argument 0 must be 'tile<f32>', but got 'tile<4xf32>'}}
  %2 = scan %m dim=0 reverse=false identities=[0.0 : f32] : tile<8x4xf32> -> tile<8x4xf32>
  (%a: tile<4xf32>, %b: tile<4xf32>) {
    yield %a : tile<4xf32>
  }
  return
}

// -----

entry @yields() {
  %m = constant <f32: 0.0> : tile<8x4xf32>
  %i = constant <i32: 0> : tile<i32>
  // expected-note@below:8 {{for this 'cuda_tile.reduce'}}
  %0 = reduce %m dim=0 identities=[0.0 : f32] : tile<8x4xf32> -> tile<4xf32>
  (%a: tile<f32>, %b: tile<f32>) {
    // expected-error@below:5 {{'cuda_tile.yield' op must pass (tile<f32>), the new accumulators, but passes ()}}
    yield
  }
  // expected-note@below:8 {{for this 'cuda_tile.reduce'}}
  %1 = reduce %m dim=0 identities=[0.0 : f32] : tile<8x4xf32> -> tile<4xf32>
  (%a: tile<f32>, %b: tile<f32>) {
    // expected-error@below:5 {{'cuda_tile.yield' op must pass (tile<f32>), the new accumulators, but passes (tile<f32>, tile<f32>)}}
    yield %a, %b : tile<f32>, tile<f32>
  }
  // expected-note@below:8 {{for this 'cuda_tile.scan'}}
  %2 = scan %m dim=0 reverse=false identities=[0.0 : f32] : tile<8x4xf32> -> tile<8x4xf32>
  (%a: tile<f32>, %b: tile<f32>) {
    // expected-error@below:5 {{'cuda_tile.yield' op must pass (tile<f32>), the new accumulators, but passes (tile<i32>)}}
    yield %i : tile<i32>
  }
  %3 = reduce %m dim=0 identities=[0.0 : f32] : tile<8x4xf32> -> tile<4xf32>
  (%a: tile<f32>, %b: tile<f32>) {
    // expected-error@below:5 {{'cuda_tile.return' op cannot be in 'cuda_tile.reduce'}}
    return
  }
  %4 = reduce %m dim=0 identities=[0.0 : f32] : tile<8x4xf32> -> tile<4xf32>
  (%a: tile<f32>, %b: tile<f32>) {
    // expected-error@below:5 {{'cuda_tile.continue' op must be in a 'cuda_tile.for' or 'cuda_tile.loop', with only 'cuda_tile.if' between}}
    continue
  }
  return
}

// -----

// Bodies have no memory effects.

entry @effects(%p: tile<ptr<f32>>, %c: tile<i1>) {
  %m = constant <f32: 0.0> : tile<8x4xf32>
  // expected-note@below:8 {{the reduction is here}}
  // expected-note@below:8 {{the reduction is here}}
  %0 = reduce %m dim=0 identities=[0.0 : f32] : tile<8x4xf32> -> tile<4xf32>
  (%a: tile<f32>, %b: tile<f32>) {
    // expected-error@below:10 {{'cuda_tile.print_tko' op has memory effects, which the body of 'cuda_tile.reduce' must not have}}
    %t = print_tko "%f", %a : tile<f32> -> token
    // expected-error@below:14 {{'cuda_tile.load_ptr_tko' op has memory effects, which the body of 'cuda_tile.reduce' must not have}}
    %x, %u = load_ptr_tko weak %p : tile<ptr<f32>> -> tile<f32>, token
    yield %x : tile<f32>
  }
  // expected-note@below:8 {{the reduction is here}}
  %1 = scan %m dim=0 reverse=false identities=[0.0 : f32] : tile<8x4xf32> -> tile<8x4xf32>
  (%a: tile<f32>, %b: tile<f32>) {
    if %c {
      // expected-error@below:7 {{'cuda_tile.assert' op has memory effects, which the body of 'cuda_tile.scan' must not have}}
      assert %c, "no" : tile<i1>
    }
    yield %a : tile<f32>
  }
  return
}

// -----

// Tools up to 13.3 refuse what can divide by zero.

entry @divisions() {
  %m = constant <i32: 1> : tile<8xi32>
  %0 = reduce %m dim=0 identities=[1 : i32] : tile<8xi32> -> tile<i32>
  (%a: tile<i32>, %b: tile<i32>) {
    // expected-warning@below:10 {{'cuda_tile.divi' op in the body of 'cuda_tile.reduce' is refused by tools up to 13.3, those from 13.4 on take it}}
    %d = divi %a, %b signed : tile<i32>
    // expected-warning@below:10 {{'cuda_tile.remi' op in the body of 'cuda_tile.reduce' is refused by tools up to 13.3, those from 13.4 on take it}}
    %r = remi %a, %b signed : tile<i32>
    yield %r : tile<i32>
  }
  return
}
