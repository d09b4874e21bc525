// RUN: tile-opt %s --verify-diagnostics --split-input-file

// Operations of other dialects are reported alike.

func.func @arith(%f: f32, %i: i32) {
  // expected-error@below:21 {{'arith.addi' op operand #0 ('lhs') must be an integer, an index, a vector or a tensor, but got 'f32'}}
  %0 = "arith.addi"(%f, %f) : (f32, f32) -> f32
  // expected-error@below:8 {{'arith.addi' op result #0 ('result') must have the type of operand #0 ('lhs'), 'i32', but got 'i64'}}
  %1 = "arith.addi"(%i, %i) : (i32, i32) -> i64
  // expected-error@below:8 {{'arith.addi' op needs 2 operands, but has 1}}
  %2 = "arith.addi"(%i) : (i32) -> i32
  // expected-error@below:8 {{'arith.constant' op requires attribute 'value'}}
  %3 = "arith.constant"() : () -> i32
  func.return
}

// -----

func.func @loops(%i: index, %f: f32) {
  // expected-error@below:8 {{'scf.for' op expected yield arg #0 to be f32, but got index. scf.yield of scf.for must match loop-carried variable types}}
  %0 = scf.for %k = %i to %i step %i iter_args(%x = %f) -> (f32) {
    scf.yield %k : index
  }
  func.return
}

// -----

func.func @no_terminator() {
  // expected-error@below:8 {{'arith.constant' op ends a block of 'func.func', but is no terminator}}
  %0 = arith.constant 1 : i32
}

// -----

// expected-note@below:1 {{defined first here}}
func.func @twice() {
  func.return
}
// expected-error@below:1 {{'func.func' op defines the symbol '@twice' again}}
func.func @twice() {
  func.return
}

// -----

// expected-error@below:22 {{expected a type, but got 'tile': outside of cuda_tile operations put '!cuda_tile.' before it}}
func.func @mixed(%i: tile<i32>) {
  func.return
}

// -----

func.func @returned(%i: i32) -> i64 {
  // expected-error@below:3 {{'func.return' op expected arguments to have the same types as the function output types: expected [i64], got [i32]}}
  func.return %i : i32
}

// -----

// A terminator of another dialect does not end the body of a loop.

entry @k(%c: tile<i1>) {
  loop {
    // expected-error@below:5 {{'scf.yield' op cannot end this body, which ends with 'cuda_tile.continue' or 'cuda_tile.break' or 'cuda_tile.return'}}
    // expected-error@below:5 {{'scf.yield' op expects parent op to be one of 'scf.for', 'scf.if', 'scf.execute_region', 'scf.while', 'scf.index_switch'}}
    "scf.yield"() : () -> ()
  }
  return
}

// -----

// expected-error@below:1 {{unknown operation 'nothing.known'}}
"nothing.known"() : () -> ()
