// RUN: tile-opt %s --verify-diagnostics --split-input-file

entry @later(%a: tile<i32>) {
  // expected-error@below:13 {{'cuda_tile.addi' op operand #0 does not dominate this use: it is defined later}}
  %0 = addi %1, %a : tile<i32>
  // expected-note@below:8 {{defined here}}
  %1 = addi %a, %a : tile<i32>
  return
}

// -----

entry @itself(%a: tile<i32>) {
  // expected-error@below:17 {{'cuda_tile.addi' op operand #1 is a result of the operation itself}}
  // expected-note@below:8 {{defined here}}
  %0 = addi %a, %0 : tile<i32>
  return
}

// -----

entry @second_of_several(%a: tile<i32>) {
  // expected-error@below:17 {{'cuda_tile.addi' op operand #1 does not dominate this use: it is defined later}}
  %0 = addi %a, %1#1 : tile<i32>
  // expected-note@below:10 {{defined here}}
  %1:3 = get_tile_block_id : tile<i32>
  return
}

// -----

// Text gives the names of a region to that region alone.

entry @inner(%c: tile<i1>, %a: tile<i32>) {
  if %c {
    %0 = addi %a, %a : tile<i32>
  }
  // expected-error@below:13 {{use of undefined value '%0'}}
  %1 = addi %0, %a : tile<i32>
  return
}

// -----

entry @before_its_region(%c: tile<i1>, %a: tile<i32>) {
  // expected-error@below:13 {{'cuda_tile.addi' op operand #0 is defined inside of 'cuda_tile.if' and not visible outside of it}}
  %1 = addi %0, %a : tile<i32>
  if %c {
    // expected-note@below:10 {{defined here}}
    %0 = addi %a, %a : tile<i32>
  }
  return
}

// -----

entry @from_the_other_branch(%c: tile<i1>, %a: tile<i32>) {
  if %c {
    // expected-error@below:15 {{'cuda_tile.addi' op operand #0 does not dominate this use}}
    %1 = addi %0, %a : tile<i32>
  } else {
    // expected-note@below:10 {{defined here}}
    %0 = addi %a, %a : tile<i32>
  }
  return
}

// -----

entry @in_its_own_region(%i: tile<i32>) {
  // expected-note@below:8 {{defined here}}
  %0 = for %k in (%i to %i, step %i) : tile<i32> iter_values(%x = %i) -> (tile<i32>) {
    // expected-error@below:14 {{'cuda_tile.continue' op operand #0 is a result of 'cuda_tile.for', which is around this use}}
    continue %0 : tile<i32>
  }
  return
}

// -----

entry @induction_variable_outside(%i: tile<i32>) {
  for %k in (%i to %i, step %i) : tile<i32> {
  }
  // expected-error@below:13 {{use of undefined value '%k'}}
  %0 = addi %k, %i : tile<i32>
  return
}

// -----

entry @undefined(%a: tile<i32>) {
  // expected-error@below:13 {{use of undefined value '%b'}}
  %0 = addi %b, %a : tile<i32>
  // expected-error@below:13 {{use of undefined value '%c'}}
  %1 = muli %c, %b : tile<i32>
  return
}

// -----

// Several blocks: values of the blocks before on every path.

func.func @blocks(%c: i1, %a: i32) {
  cf.cond_br %c, ^left, ^right
^left:
  // expected-note@below:8 {{defined here}}
  // expected-note@below:8 {{defined here}}
  %0 = arith.addi %a, %a : i32
  cf.br ^end
^right:
  // expected-error@below:19 {{'arith.addi' op operand #0 does not dominate this use}}
  %1 = arith.addi %0, %a : i32
  cf.br ^end
^end:
  // expected-error@below:19 {{'arith.addi' op operand #0 does not dominate this use}}
  %2 = arith.addi %0, %a : i32
  func.return
}
