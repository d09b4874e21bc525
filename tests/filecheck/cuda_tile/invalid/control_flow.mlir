// RUN: tile-opt %s --verify-diagnostics --split-input-file

// expected-note@below:21 {{defined here}}
entry @if_condition(%i: tile<i32>) {
  %v = constant <i1: true> : tile<4xi1>
  // expected-error@below:6 {{'%i' has type 'tile<i32>', but is used as 'tile<i1>'}}
  if %i {
  }
  return
}

// -----

entry @if_condition_rank(%c: tile<i1>) {
  // expected-note@below:3 {{defined here}}
  %v = constant <i1: true> : tile<4xi1>
  // expected-error@below:6 {{'%v' has type 'tile<4xi1>', but is used as 'tile<i1>'}}
  if %v {
  }
  return
}

// -----

entry @if_results(%c: tile<i1>, %i: tile<i32>, %f: tile<f32>) {
  // expected-error@below:8 {{'cuda_tile.if' op an if with results needs an else region}}
  %0 = if %c -> (tile<i32>) {
    yield %i : tile<i32>
  }
  // expected-error@below:8 {{'cuda_tile.yield' op must pass (tile<i32>), the results of the if, but passes ()}}
  // expected-note@below:8 {{to this 'cuda_tile.if'}}
  %1 = if %c -> (tile<i32>) {
    yield %i : tile<i32>
  } else {
  }
  // expected-note@below:8 {{to this 'cuda_tile.if'}}
  // expected-note@below:8 {{to this 'cuda_tile.if'}}
  %2 = if %c -> (tile<i32>) {
    // expected-error@below:5 {{'cuda_tile.yield' op must pass (tile<i32>), the results of the if, but passes (tile<f32>)}}
    yield %f : tile<f32>
  } else {
    // expected-error@below:5 {{'cuda_tile.yield' op must pass (tile<i32>), the results of the if, but passes (tile<i32>, tile<i32>)}}
    yield %i, %i : tile<i32>, tile<i32>
  }
  // expected-note@below:3 {{to this 'cuda_tile.if'}}
  if %c {
    // expected-error@below:5 {{'cuda_tile.yield' op must pass (), the results of the if, but passes (tile<i32>)}}
    yield %i : tile<i32>
  }
  return
}

// -----

// Views cannot be carried.

entry @views(%c: tile<i1>, %p: tile<ptr<f32>>, %i: tile<i32>) {
  %t = make_tensor_view %p, shape = [64], strides = [1] : tensor_view<64xf32, strides=[1]>
  // expected-error@below:8 {{'cuda_tile.if' op result #0 ('outputs') must be a tile or token (views cannot be carried), but got 'tensor_view<64xf32, strides=[1]>'}}
  %0 = if %c -> (tensor_view<64xf32, strides=[1]>) {
    yield %t : tensor_view<64xf32, strides=[1]>
  } else {
    yield %t : tensor_view<64xf32, strides=[1]>
  }
  // expected-error@below:67 {{'cuda_tile.for' op operand #3 ('init_values') must be a tile or token (views cannot be carried), but got 'tensor_view<64xf32, strides=[1]>'}}
  %1 = for %k in (%i to %i, step %i) : tile<i32> iter_values(%x = %t) -> (tensor_view<64xf32, strides=[1]>) {
    continue %x : tensor_view<64xf32, strides=[1]>
  }
  // expected-error@below:25 {{'cuda_tile.loop' op operand #0 ('init_values') must be a tile or token (views cannot be carried), but got 'tensor_view<64xf32, strides=[1]>'}}
  loop iter_values(%x = %t) : tensor_view<64xf32, strides=[1]> {
    break
  }
  return
}

// -----

entry @for_bounds(%f: tile<f32>, %i: tile<i32>) {
  %v = constant <i32: 0> : tile<4xi32>
  // expected-error@below:14 {{'cuda_tile.for' op operand #0 ('lower_bound') must be a rank-0 tile of i1, i8, i16, i32 or i64, but got 'tile<f32>'}}
  for %k in (%f to %f, step %f) : tile<f32> {
  }
  // expected-error@below:14 {{'cuda_tile.for' op operand #0 ('lower_bound') must be a rank-0 tile of i1, i8, i16, i32 or i64, but got 'tile<4xi32>'}}
  for %k in (%v to %v, step %v) : tile<4xi32> {
  }
  return
}

// -----

entry @for_carried(%i: tile<i32>, %f: tile<f32>) {
  // expected-note@below:8 {{to this 'cuda_tile.for'}}
  %0 = for %k in (%i to %i, step %i) : tile<i32> iter_values(%x = %f) -> (tile<f32>) {
    // expected-error@below:5 {{'cuda_tile.continue' op must pass (tile<f32>), the carried values of the loop, but passes ()}}
    continue
  }
  // expected-note@below:8 {{to this 'cuda_tile.for'}}
  %1 = for %k in (%i to %i, step %i) : tile<i32> iter_values(%x = %f) -> (tile<f32>) {
    // expected-error@below:5 {{'cuda_tile.continue' op must pass (tile<f32>), the carried values of the loop, but passes (tile<i32>)}}
    continue %k : tile<i32>
  }
  // expected-note@below:3 {{to this 'cuda_tile.for'}}
  for %k in (%i to %i, step %i) : tile<i32> {
    // expected-error@below:5 {{'cuda_tile.continue' op must pass (), the carried values of the loop, but passes (tile<i32>)}}
    continue %k : tile<i32>
  }
  return
}

// -----

// Only a loop can be left.

entry @leaving_a_for(%i: tile<i32>, %c: tile<i1>) {
  for %k in (%i to %i, step %i) : tile<i32> {
    // expected-error@below:5 {{'cuda_tile.break' op must be in a 'cuda_tile.loop', with only 'cuda_tile.if' between}}
    break
  }
  for %k in (%i to %i, step %i) : tile<i32> {
    // expected-error@below:5 {{'cuda_tile.return' op cannot leave a 'cuda_tile.for'; use 'cuda_tile.loop'}}
    return
  }
  for %k in (%i to %i, step %i) : tile<i32> {
    if %c {
      // expected-error@below:7 {{'cuda_tile.break' op must be in a 'cuda_tile.loop', with only 'cuda_tile.if' between}}
      break
    }
  }
  for %k in (%i to %i, step %i) : tile<i32> {
    if %c {
      // expected-error@below:7 {{'cuda_tile.return' op cannot leave a 'cuda_tile.for'; use 'cuda_tile.loop'}}
      return
    }
  }
  for %k in (%i to %i, step %i) : tile<i32> {
    loop {
      // expected-error@below:7 {{'cuda_tile.return' op cannot leave a 'cuda_tile.for'; use 'cuda_tile.loop'}}
      return
    }
  }
  return
}

// -----

entry @loop_carried(%i: tile<i32>, %f: tile<f32>, %c: tile<i1>) {
  // expected-note@below:8 {{to this 'cuda_tile.loop'}}
  // expected-note@below:8 {{to this 'cuda_tile.loop'}}
  // expected-note@below:8 {{to this 'cuda_tile.loop'}}
  // expected-note@below:8 {{to this 'cuda_tile.loop'}}
  %0 = loop iter_values(%x = %i) : tile<i32> -> tile<f32> {
    if %c {
      // expected-error@below:7 {{'cuda_tile.break' op must pass (tile<f32>), the results of the loop, but passes (tile<i32>)}}
      break %x : tile<i32>
    }
    if %c {
      // expected-error@below:7 {{'cuda_tile.break' op must pass (tile<f32>), the results of the loop, but passes ()}}
      break
    }
    if %c {
      // expected-error@below:7 {{'cuda_tile.continue' op must pass (tile<i32>), the carried values of the loop, but passes (tile<f32>)}}
      continue %f : tile<f32>
    }
    // expected-error@below:5 {{'cuda_tile.continue' op must pass (tile<i32>), the carried values of the loop, but passes ()}}
    continue
  }
  return
}

// -----

entry @misplaced(%c: tile<i1>) {
  loop {
    // expected-error@below:5 {{'cuda_tile.yield' op must be directly in a 'cuda_tile.if', 'cuda_tile.reduce' or 'cuda_tile.scan'}}
    yield
  }
  if %c {
    // expected-error@below:5 {{'cuda_tile.break' op must be in a 'cuda_tile.loop', with only 'cuda_tile.if' between}}
    break
  }
  if %c {
    // expected-error@below:5 {{'cuda_tile.continue' op must be in a 'cuda_tile.for' or 'cuda_tile.loop', with only 'cuda_tile.if' between}}
    continue
  }
  // expected-error@below:3 {{'cuda_tile.yield' op must be directly in a 'cuda_tile.if', 'cuda_tile.reduce' or 'cuda_tile.scan'}}
  yield
}

// -----

entry @break_at_the_end(%i: tile<i32>) {
  // expected-error@below:3 {{'cuda_tile.break' op must be in a 'cuda_tile.loop', with only 'cuda_tile.if' between}}
  break %i : tile<i32>
}

// -----

entry @return_values(%i: tile<i32>, %c: tile<i1>) {
  if %c {
    // expected-error@below:5 {{'cuda_tile.return' op an entry has no results to return}}
    return %i : tile<i32>
  }
  // expected-error@below:3 {{'cuda_tile.return' op an entry has no results to return}}
  return %i : tile<i32>
}

// -----

// Nothing follows a terminator.

entry @after_a_terminator(%i: tile<i32>, %c: tile<i1>) {
  loop {
    // expected-error@below:5 {{'cuda_tile.break' op must be the last operation in its block}}
    break
    // expected-note@below:10 {{this operation is never reached}}
    %0 = addi %i, %i : tile<i32>
    continue
  }
  if %c {
    // expected-error@below:5 {{'cuda_tile.return' op must be the last operation in its block}}
    return
    // expected-note@below:5 {{this operation is never reached}}
    return
  }
  // expected-error@below:3 {{'cuda_tile.return' op must be the last operation in its block}}
  return
  // expected-note@below:8 {{this operation is never reached}}
  %1 = addi %i, %i : tile<i32>
}

// -----

entry @assertion(%i: tile<i32>) {
  // expected-error@below:10 {{'cuda_tile.assert' op operand #0 ('condition') must be a tile of i1, but got 'tile<i32>'}}
  assert %i, "no" : tile<i32>
  return
}
