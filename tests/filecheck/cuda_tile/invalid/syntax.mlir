// RUN: tile-opt %s --verify-diagnostics --split-input-file

// What people get wrong when they write text.

entry @missing_arrow(%f: tile<f32>) {
  // expected-error@below:28 {{expected '->', but got 'tile'}}
  %0 = ftof %f : tile<f32> tile<f16>
  return
}

// -----

entry @missing_result_type(%f: tile<f32>) {
  %0 = ftof %f : tile<f32>
  // expected-error@below:3 {{expected '->', but got 'return'}}
  return
}

// -----

entry @missing_colon(%i: tile<i32>) {
  // expected-error@below:20 {{expected ':', but got 'tile'}}
  %0 = addi %i, %i tile<i32>
  return
}

// -----

entry @missing_type(%i: tile<i32>) {
  %0 = addi %i, %i
  // expected-error@below:3 {{expected ':', but got 'return'}}
  return
}

// -----

entry @missing_comma(%i: tile<i32>) {
  // expected-error@below:16 {{expected ',', but got '%i'}}
  %0 = addi %i %i : tile<i32>
  return
}

// -----

entry @missing_operand(%i: tile<i32>) {
  // expected-error@below:16 {{expected ',', but got ':'}}
  %0 = addi %i : tile<i32>
  return
}

// -----

entry @extra_operand(%i: tile<i32>) {
  // expected-error@below:19 {{expected ':', but got ','}}
  %0 = addi %i, %i, %i : tile<i32>
  return
}

// -----

entry @no_operand(%i: tile<i32>) {
  // expected-error@below:13 {{expected an operand, but got '1'}}
  %0 = addi 1, %i : tile<i32>
  return
}

// -----

entry @missing_equals(%i: tile<i32>) {
  // expected-error@below:6 {{expected '=' after the results, but got 'addi'}}
  %0 addi %i, %i : tile<i32>
  return
}

// -----

entry @missing_operation(%i: tile<i32>) {
  // expected-error@below:8 {{expected an operation name, but got '%i'}}
  %0 = %i
  return
}

// -----

entry @unknown_rounding(%f: tile<f32>) {
  // expected-error@below:29 {{expected a rounding mode (nearest_even, zero, negative_inf, positive_inf, approx, full, nearest_int_to_zero, nearest_away), but got 'nearest'; did you mean 'nearest_even'?}}
  %0 = addf %f, %f rounding<nearest> : tile<f32>
  return
}

// -----

entry @unknown_rounding_of_exp(%f: tile<f32>) {
  // expected-error@below:24 {{expected a rounding mode (nearest_even, zero, negative_inf, positive_inf, approx, full, nearest_int_to_zero, nearest_away), but got 'aprox'; did you mean 'approx'?}}
  %0 = exp %f rounding<aprox> : tile<f32>
  return
}

// -----

entry @missing_brackets(%f: tile<f32>) {
  // expected-error@below:29 {{expected '<', but got 'zero'}}
  %0 = addf %f, %f rounding zero : tile<f32>
  return
}

// -----

entry @unknown_predicate(%i: tile<i32>) {
  // expected-error@below:13 {{expected a comparison predicate (equal, not_equal, less_than, less_than_or_equal, greater_than, greater_than_or_equal), but got 'eq'}}
  %0 = cmpi eq %i, %i, signed : tile<i32> -> tile<i1>
  return
}

// -----

entry @missing_signedness(%i: tile<i32>) {
  // expected-error@below:20 {{expected signedness (unsigned, signed), but got ':'}}
  %0 = divi %i, %i : tile<i32>
  return
}

// -----

entry @misspelt_signedness(%i: tile<i32>) {
  // expected-error@below:20 {{expected signedness (unsigned, signed), but got 'singed'; did you mean 'signed'?}}
  %0 = maxi %i, %i singed : tile<i32>
  return
}

// -----

entry @unknown_overflow(%i: tile<i32>) {
  // expected-error@below:29 {{expected a kind of overflow (none, no_signed_wrap, no_unsigned_wrap, no_wrap), but got 'nsw'}}
  %0 = addi %i, %i overflow<nsw> : tile<i32>
  return
}

// -----

entry @unknown_ordering(%f: tile<f32>) {
  // expected-error@below:19 {{expected a comparison ordering (unordered, ordered), but got 'order'; did you mean 'ordered'?}}
  %0 = cmpf equal order %f, %f : tile<f32> -> tile<i1>
  return
}

// -----

entry @unknown_memory_ordering(%p: tile<ptr<f32>>) {
  // expected-error@below:25 {{expected a memory ordering (weak, relaxed, acquire, release, acq_rel), but got 'seq_cst'}}
  %0, %t = load_ptr_tko seq_cst %p : tile<ptr<f32>> -> tile<f32>, token
  return
}

// -----

entry @missing_scope(%p: tile<ptr<i32>>, %i: tile<i32>) {
  // expected-error@below:35 {{expected a memory scope: tl_blk, device or sys, but got '%p'}}
  %0, %t = atomic_rmw_tko relaxed %p, add, %i : tile<ptr<i32>>, tile<i32> -> tile<i32>, token
  return
}

// -----

entry @unknown_mode(%p: tile<ptr<i32>>, %i: tile<i32>) {
  // expected-error@below:46 {{expected a mode (and, or, xor, add, addf, max, min, umax, umin, xchg), but got 'sub'}}
  %0, %t = atomic_rmw_tko relaxed device %p, sub, %i : tile<ptr<i32>>, tile<i32> -> tile<i32>, token
  return
}

// -----

entry @unknown_operation(%i: tile<i32>) {
  // expected-error@below:8 {{unknown operation 'add'; did you mean 'addi'?}}
  %0 = add %i, %i : tile<i32>
  return
}

// -----

entry @unknown_operation_with_dialect(%i: tile<i32>) {
  // expected-error@below:8 {{unknown operation 'cuda_tile.multi'; did you mean 'muli'?}}
  %0 = cuda_tile.multi %i, %i : tile<i32>
  return
}

// -----

entry @nothing_like_it(%i: tile<i32>) {
  // expected-error@below:8 {{unknown operation 'frobnicate'}}
  %0 = frobnicate %i : tile<i32>
  return
}

// -----

// expected-note@below:22 {{defined here}}
entry @swapped_types(%p: tile<ptr<i32>>, %i: tile<i32>) {
  // expected-error@below:15 {{'%p' has type 'tile<ptr<i32>>', but is used as 'tile<i32>'}}
  %0 = offset %p, %i : tile<i32>, tile<ptr<i32>> -> tile<ptr<i32>>
  return
}

// -----

// expected-note@below:34 {{defined here}}
entry @other_type(%i: tile<i32>, %l: tile<i64>) {
  // expected-error@below:17 {{'%l' has type 'tile<i64>', but is used as 'tile<i32>'}}
  %0 = addi %i, %l : tile<i32>
  return
}

// -----

entry @used_with_two_types(%i: tile<i32>) {
  // expected-note@below:13 {{used here}}
  %0 = addi %x, %i : tile<i32>
  // expected-error@below:13 {{'%x' is used as 'tile<i64>', but was used as 'tile<i32>' before}}
  %1 = addi %x, %x : tile<i64>
  %x = addi %i, %i : tile<i32>
  return
}

// -----

entry @twice(%i: tile<i32>) {
  // expected-note@below:3 {{first here}}
  %0 = addi %i, %i : tile<i32>
  // expected-error@below:3 {{'%0' is defined twice}}
  %0 = muli %i, %i : tile<i32>
  return
}

// -----

// expected-error@below:38 {{'%i' is defined twice}}
// expected-note@below:23 {{first here}}
entry @argument_twice(%i: tile<i32>, %i: tile<i32>) {
  return
}

// -----

// expected-note@below:17 {{first here}}
entry @shadowed(%i: tile<i32>, %c: tile<i1>) {
  if %c {
    // expected-error@below:5 {{'%i' is defined twice}}
    %i = addi %i, %i : tile<i32>
  }
  return
}

// -----

entry @result_counts(%i: tile<i32>) {
  // expected-error@below:12 {{'cuda_tile.addi' has 1 result, but 2 are named}}
  %0, %1 = addi %i, %i : tile<i32>
  return
}

// -----

entry @few_names(%p: tile<ptr<f32>>) {
  // expected-error@below:8 {{'cuda_tile.load_ptr_tko' has 2 results, but 1 is named}}
  %0 = load_ptr_tko weak %p : tile<ptr<f32>> -> tile<f32>, token
  return
}

// -----

entry @no_such_result(%i: tile<i32>) {
  // expected-note@below:3 {{defined here}}
  %0:3 = get_tile_block_id : tile<i32>
  // expected-error@below:19 {{'%0' has 3 values, numbered from 0: there is no number 3}}
  %1 = addi %0#0, %0#3 : tile<i32>
  return
}

// -----

entry @missing_token_type(%p: tile<ptr<f32>>) {
  // expected-error@below:53 {{expected 2 result types, but got 1}}
  %0, %t = load_ptr_tko weak %p : tile<ptr<f32>> -> tile<f32>
  return
}

// -----

entry @operand_types(%p: tile<ptr<f32>>, %f: tile<f32>) {
  // expected-error@below:36 {{expected 2 operand types, but got 1}}
  %0 = store_ptr_tko weak %p, %f : tile<ptr<f32>> -> token
  return
}

// -----

entry @yield_types(%c: tile<i1>, %i: tile<i32>) {
  %0 = if %c -> (tile<i32>) {
    // expected-error@below:16 {{expected 1 operand type, but got 2}}
    yield %i : tile<i32>, tile<i32>
  } else {
    yield %i : tile<i32>
  }
  return
}

// -----

entry @missing_brace(%c: tile<i1>) {
  if %c
    // expected-error@below:5 {{expected '{' and a body, but got 'return'}}
    return
  return
}

// -----

entry @missing_parentheses(%c: tile<i1>, %i: tile<i32>) {
  // expected-error@below:17 {{expected '(', but got 'tile'}}
  %0 = if %c -> tile<i32> {
    yield %i : tile<i32>
  } else {
    yield %i : tile<i32>
  }
  return
}

// -----

entry @missing_step(%i: tile<i32>) {
  // expected-error@below:22 {{expected ',', but got ')'}}
  for %k in (%i to %i) : tile<i32> {
  }
  return
}

// -----

entry @misspelt_to(%i: tile<i32>) {
  // expected-error@below:17 {{expected 'to', but got 'til'}}
  for %k in (%i til %i, step %i) : tile<i32> {
  }
  return
}

// -----

entry @carried_types(%i: tile<i32>) {
  // expected-error@below:85 {{expected 2 types, but got 1}}
  %0:2 = for %k in (%i to %i, step %i) : tile<i32> iter_values(%x = %i, %y = %i) -> (tile<i32>) {
    continue %x, %y : tile<i32>, tile<i32>
  }
  return
}

// -----

entry @loop_types(%i: tile<i32>) {
  // expected-error@below:31 {{expected 1 type, but got 2}}
  loop iter_values(%x = %i) : tile<i32>, tile<i32> {
    break
  }
  return
}

// -----

entry @missing_dim(%i: tile<i32>) {
  %v = constant <i32: 0> : tile<8xi32>
  // expected-error@below:18 {{expected 'dim', but got 'identities'}}
  %0 = reduce %v identities=[0 : i32] : tile<8xi32> -> tile<i32>
  (%a: tile<i32>, %b: tile<i32>) {
    yield %a : tile<i32>
  }
  return
}

// -----

entry @identity_without_value(%i: tile<i32>) {
  %v = constant <i32: 0> : tile<8xi32>
  // expected-error@below:36 {{expected a number, but got 'i32'}}
  %0 = reduce %v dim=0 identities=[i32] : tile<8xi32> -> tile<i32>
  (%a: tile<i32>, %b: tile<i32>) {
    yield %a : tile<i32>
  }
  return
}

// -----

entry @missing_body_arguments(%i: tile<i32>) {
  %v = constant <i32: 0> : tile<8xi32>
  // expected-error@below:72 {{expected '(', but got '{'}}
  %0 = reduce %v dim=0 identities=[0 : i32] : tile<8xi32> -> tile<i32> {
    yield %a : tile<i32>
  }
  return
}

// -----

// expected-error@below:7 {{expected a symbol name, such as '@name', but got 'no_name'}}
entry no_name() {
  return
}

// -----

// expected-error@below:21 {{expected '(', but got '{'}}
entry @no_arguments {
  return
}

// -----

// expected-error@below:27 {{expected ':', but got ')'}}
entry @untyped_argument(%a) {
  return
}

// -----

// expected-error@below:27 {{expected the name of a block argument, such as '%arg', but got '1'}}
entry @number_as_argument(1: tile<i32>) {
  return
}

// -----

entry @statement_after_the_end() {
  return
}
// expected-error@below:1 {{'cuda_tile.return' op cannot be in a module, which holds entries and globals}}
return

// -----

entry @unclosed() {
  return

// expected-error@below:1 {{expected an operation, a block label or '}', but the file ends}}
// -----

entry @string_without_end() {
  // expected-error@below:18 {{string has no end on its line, or a wrong escape}}
  %0 = print_tko "hello -> token
  return
}

// -----

entry @strange_character(%i: tile<i32>) {
  // expected-error@below:17 {{unexpected character '~'}}
  %0 = addi %i, ~%i : tile<i32>
  return
}

// -----

entry @lonely_percent(%i: tile<i32>) {
  // expected-error@below:17 {{expected a name after '%'}}
  %0 = addi %i, % : tile<i32>
  return
}

// -----

// expected-error@below:18 {{expected a symbol name, such as '@name', but got '{'}}
cuda_tile.module {
}

// -----

// Every entry has its own errors.

entry @first(%i: tile<i32>) {
  // expected-error@below:20 {{expected ':', but got 'tile'}}
  %0 = addi %i, %i tile<i32>
  return
}
entry @second(%i: tile<i32>) {
  // expected-error@below:16 {{expected ',', but got ':'}}
  %0 = muli %i : tile<i32>
  return
}
entry @third(%i: tile<i32>) {
  %0 = addi %i, %i : tile<i32>
  return
}
// expected-error@below:23 {{expected '>', but got ','}}
global @fourth <i32: 1, 2> : tile<2xi32>
