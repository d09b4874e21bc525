// RUN: tile-opt %s -t tileirbc --bytecode-version 13.1 -o %t --verify-diagnostics

// What 13.1 lacks: tokens of print_tko, operations, fields, values and types of later versions.

// expected-error@below:1 {{'cuda_tile.entry': type 'f8E8M0FNU' needs bytecode version 13.2, but version 13.1 was asked for}}
entry @k(%i: tile<i32>, %f: tile<f32>, %p: tile<ptr<f32>>, %e: tile<f8E8M0FNU>) {
  %t = make_token : token
  // expected-error@below:8 {{'cuda_tile.print_tko': a use of result 'result_token' needs bytecode version 13.2, but version 13.1 was asked for}}
  // expected-error@below:8 {{'cuda_tile.print_tko': operand 'token' needs bytecode version 13.2, but version 13.1 was asked for}}
  %0 = print_tko "%d", %i token=%t : tile<i32> -> token
  %1 = join_tokens %0, %t : token
  // expected-error@below:8 {{'cuda_tile.atan2': the operation needs bytecode version 13.2, but version 13.1 was asked for}}
  %2 = atan2 %f, %f : tile<f32>
  // expected-error@below:8 {{'cuda_tile.tanh': attribute 'rounding_mode' (#cuda_tile.rounding<approx>) needs bytecode version 13.2, but version 13.1 was asked for}}
  %3 = tanh %f rounding<approx> : tile<f32>
  // expected-error@below:8 {{'cuda_tile.negi': attribute 'overflow' (#cuda_tile.overflow<no_wrap>) needs bytecode version 13.2, but version 13.1 was asked for}}
  %4 = negi %i overflow<no_wrap> : tile<i32>
  // expected-error@below:3 {{'cuda_tile.for': attribute 'unsignedCmp' (unit) needs bytecode version 13.2, but version 13.1 was asked for}}
  for unsigned %k in (%i to %i, step %i) : tile<i32> {
  }
  // expected-error@below:8 {{'cuda_tile.alloca': the operation needs bytecode version 13.3, but version 13.1 was asked for}}
  %5 = alloca num_elem = 4, alignment = 4 : tile<ptr<f32>>
  return
}
// expected-error@below:1 {{'cuda_tile.global': attribute 'symbol_visibility' (#cuda_tile.symbol_visibility<private>) needs bytecode version 13.3, but version 13.1 was asked for}}
// expected-error@below:1 {{'cuda_tile.global': attribute 'constant' (unit) needs bytecode version 13.3, but version 13.1 was asked for}}
global private constant @g <i32: [1]> : tile<1xi32>
