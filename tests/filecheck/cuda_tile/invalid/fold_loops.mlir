// RUN: tile-opt %s --verify-diagnostics

// A loop counts as an effect, whatever is in it; branches are as free as what they hold.

entry @bodies(%n: tile<i32>) {
  %x = constant <f32: 1.0> : tile<8xf32>
  %c = constant <i1: true> : tile<i1>
  // expected-note@below:8 {{the reduction is here}}
  // expected-note@below:8 {{the reduction is here}}
  %0 = reduce %x dim=0 identities=[0.0 : f32] : tile<8xf32> -> tile<f32>
  (%a: tile<f32>, %b: tile<f32>) {
    %1 = if %c -> (tile<f32>) {
      yield %a : tile<f32>
    } else {
      yield %b : tile<f32>
    }
    // expected-error@below:5 {{'cuda_tile.for' op has memory effects, which the body of 'cuda_tile.reduce' must not have}}
    for %i in (%n to %n, step %n) : tile<i32> {
    }
    // expected-error@below:5 {{'cuda_tile.loop' op has memory effects, which the body of 'cuda_tile.reduce' must not have}}
    loop {
      break
    }
    yield %1 : tile<f32>
  }
  return
}
