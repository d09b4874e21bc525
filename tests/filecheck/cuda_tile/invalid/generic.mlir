// RUN: tile-opt %s --verify-diagnostics --split-input-file

// MLIR's generic form: what the custom form cannot even say.

cuda_tile.module @operands {
  entry @k(%i: tile<i32>) {
    // expected-error@below:10 {{'cuda_tile.addi' op needs 2 operands, but has 1}}
    %0 = "cuda_tile.addi"(%i) <{overflow = #cuda_tile.overflow<none>}> : (!cuda_tile.tile<i32>) -> !cuda_tile.tile<i32>
    // expected-error@below:10 {{'cuda_tile.addi' op takes 2 operands, but has 3}}
    %1 = "cuda_tile.addi"(%i, %i, %i) <{overflow = #cuda_tile.overflow<none>}> : (!cuda_tile.tile<i32>, !cuda_tile.tile<i32>, !cuda_tile.tile<i32>) -> !cuda_tile.tile<i32>
    // expected-error@below:5 {{'cuda_tile.addi' op needs 1 result, but has 0}}
    "cuda_tile.addi"(%i, %i) <{overflow = #cuda_tile.overflow<none>}> : (!cuda_tile.tile<i32>, !cuda_tile.tile<i32>) -> ()
    // expected-error@below:12 {{'cuda_tile.addi' op takes 1 result, but has 2}}
    %2:2 = "cuda_tile.addi"(%i, %i) <{overflow = #cuda_tile.overflow<none>}> : (!cuda_tile.tile<i32>, !cuda_tile.tile<i32>) -> (!cuda_tile.tile<i32>, !cuda_tile.tile<i32>)
    // expected-error@below:5 {{'cuda_tile.extract' op needs at least 1 operand, but has 0}}
    "cuda_tile.extract"() : () -> ()
    return
  }
}

// -----

cuda_tile.module @types {
  entry @k(%i: tile<i32>, %l: tile<i64>) {
    // expected-error@below:31 {{'cuda_tile.addi' op operand #1 ('rhs') must have the type of operand #0 ('lhs'), 'tile<i32>', but got 'tile<i64>'}}
    %0 = "cuda_tile.addi"(%i, %l) <{overflow = #cuda_tile.overflow<none>}> : (!cuda_tile.tile<i32>, !cuda_tile.tile<i64>) -> !cuda_tile.tile<i32>
    // expected-error@below:10 {{'cuda_tile.addi' op result #0 ('result') must have the type of operand #0 ('lhs'), 'tile<i32>', but got 'tile<i64>'}}
    %1 = "cuda_tile.addi"(%i, %i) <{overflow = #cuda_tile.overflow<none>}> : (!cuda_tile.tile<i32>, !cuda_tile.tile<i32>) -> !cuda_tile.tile<i64>
    // expected-error@below:10 {{'cuda_tile.addi' op result #0 ('result') must have the type of operand #0 ('lhs'), 'tile<i32>', but got 'i32'}}
    %2 = "cuda_tile.addi"(%i, %i) <{overflow = #cuda_tile.overflow<none>}> : (!cuda_tile.tile<i32>, !cuda_tile.tile<i32>) -> i32
    return
  }
}

// -----

cuda_tile.module @attributes {
  entry @k(%i: tile<i32>, %f: tile<f32>) {
    %0 = "cuda_tile.addi"(%i, %i) <{}> : (!cuda_tile.tile<i32>, !cuda_tile.tile<i32>) -> !cuda_tile.tile<i32>
    // expected-error@below:10 {{'cuda_tile.addi' op attribute 'overflow' must be a kind of overflow, one of none, no_signed_wrap, no_unsigned_wrap, no_wrap, but got '#cuda_tile.rounding<zero>'}}
    %1 = "cuda_tile.addi"(%i, %i) <{overflow = #cuda_tile.rounding<zero>}> : (!cuda_tile.tile<i32>, !cuda_tile.tile<i32>) -> !cuda_tile.tile<i32>
    // expected-error@below:10 {{'cuda_tile.addi' op has no attribute 'overlow'; did you mean 'overflow'?}}
    %2 = "cuda_tile.addi"(%i, %i) <{overflow = #cuda_tile.overflow<none>, overlow = 1 : i32}> : (!cuda_tile.tile<i32>, !cuda_tile.tile<i32>) -> !cuda_tile.tile<i32>
    // expected-error@below:10 {{'cuda_tile.addf' op attribute 'flush_to_zero' must be a unit attribute, but got 'true'}}
    %3 = "cuda_tile.addf"(%f, %f) <{rounding_mode = #cuda_tile.rounding<zero>, flush_to_zero = true}> : (!cuda_tile.tile<f32>, !cuda_tile.tile<f32>) -> !cuda_tile.tile<f32>
    // expected-error@below:10 {{'cuda_tile.alloca' op attribute 'num_elem' must be an i64 integer, but got '4 : i32'}}
    %4 = "cuda_tile.alloca"() <{num_elem = 4 : i32, alignment = 4 : i64}> : () -> !cuda_tile.tile<ptr<f32>>
    // expected-error@below:10 {{'cuda_tile.alloca' op requires attribute 'alignment'}}
    %5 = "cuda_tile.alloca"() <{num_elem = 4 : i64}> : () -> !cuda_tile.tile<ptr<f32>>
    // expected-error@below:5 {{'cuda_tile.assert' op needs 1 operand, but has 0}}
    "cuda_tile.assert"() <{message = 5 : i32}> : () -> ()
    return
  }
}

// -----

cuda_tile.module @regions {
  entry @k(%c: tile<i1>) {
    // expected-error@below:5 {{'cuda_tile.if' op region #0 ('then_region') must have one block, but is empty}}
    "cuda_tile.if"(%c) ({
    }, {
    }) : (!cuda_tile.tile<i1>) -> ()
    // expected-error@below:5 {{'cuda_tile.if' op needs 2 regions, but has 1}}
    "cuda_tile.if"(%c) ({
      "cuda_tile.yield"() : () -> ()
    }) : (!cuda_tile.tile<i1>) -> ()
    // expected-error@below:5 {{'cuda_tile.loop' op region #0 ('region') must have one block, but has 2}}
    "cuda_tile.loop"() ({
    ^a:
      "cuda_tile.break"() : () -> ()
    ^b:
      "cuda_tile.break"() : () -> ()
    }) : () -> ()
    // expected-error@below:5 {{'cuda_tile.loop' op has an empty block: it needs at least a terminator}}
    "cuda_tile.loop"() ({
    ^a:
    }) : () -> ()
    "cuda_tile.loop"() ({
      // expected-error@below:12 {{'cuda_tile.iota' op ends a block of 'cuda_tile.loop', but is no terminator}}
      %0 = "cuda_tile.iota"() : () -> !cuda_tile.tile<8xi32>
    }) : () -> ()
    return
  }
}

// -----

cuda_tile.module @bodies {
  entry @k(%i: tile<i32>, %l: tile<i64>) {
    // expected-error@below:5 {{'cuda_tile.for' op the body's first argument must have the type of the bounds, 'tile<i32>'}}
    "cuda_tile.for"(%i, %i, %i) ({
    ^body(%k: !cuda_tile.tile<i64>):
      "cuda_tile.continue"() : () -> ()
    }) : (!cuda_tile.tile<i32>, !cuda_tile.tile<i32>, !cuda_tile.tile<i32>) -> ()
    // expected-error@below:29 {{'cuda_tile.for' op operand #2 ('step') must have the type of operand #0 ('lower_bound'), 'tile<i32>', but got 'tile<i64>'}}
    "cuda_tile.for"(%i, %i, %l) ({
    ^body(%k: !cuda_tile.tile<i32>):
      "cuda_tile.continue"() : () -> ()
    }) : (!cuda_tile.tile<i32>, !cuda_tile.tile<i32>, !cuda_tile.tile<i64>) -> ()
    // expected-error@below:5 {{'cuda_tile.for' op initial values, the body's arguments and results must have equal types}}
    "cuda_tile.for"(%i, %i, %i, %l) ({
    ^body(%k: !cuda_tile.tile<i32>, %x: !cuda_tile.tile<i64>):
      "cuda_tile.continue"() : () -> ()
    }) : (!cuda_tile.tile<i32>, !cuda_tile.tile<i32>, !cuda_tile.tile<i32>, !cuda_tile.tile<i64>) -> ()
    // expected-error@below:5 {{'cuda_tile.loop' op initial values and the body's arguments must have equal types}}
    "cuda_tile.loop"(%i) ({
    ^body(%x: !cuda_tile.tile<i64>):
      "cuda_tile.break"() : () -> ()
    }) : (!cuda_tile.tile<i32>) -> ()
    return
  }
}

// -----

cuda_tile.module @segments {
  entry @k(%p: tile<ptr<f32>>, %c: tile<i1>) {
    // expected-error@below:14 {{'cuda_tile.load_ptr_tko' op has 2 operands, which 'operandSegmentSizes' does not divide into source, mask, padding_value, token}}
    %0, %1 = "cuda_tile.load_ptr_tko"(%p, %c) <{memory_ordering_semantics = #cuda_tile.memory_ordering_semantics<weak>, operandSegmentSizes = array<i32: 1, 0, 0, 0>}> : (!cuda_tile.tile<ptr<f32>>, !cuda_tile.tile<i1>) -> (!cuda_tile.tile<f32>, !cuda_tile.token)
    // expected-error@below:14 {{'cuda_tile.load_ptr_tko' op requires attribute 'operandSegmentSizes'}}
    %2, %3 = "cuda_tile.load_ptr_tko"(%p, %c) <{memory_ordering_semantics = #cuda_tile.memory_ordering_semantics<weak>}> : (!cuda_tile.tile<ptr<f32>>, !cuda_tile.tile<i1>) -> (!cuda_tile.tile<f32>, !cuda_tile.token)
    return
  }
}

// -----

cuda_tile.module @signature {
  // expected-error@below:3 {{'cuda_tile.entry' op the body's arguments must have the types of the signature}}
  "cuda_tile.entry"() <{sym_name = "k", function_type = (!cuda_tile.tile<i32>) -> ()}> ({
  ^body(%a: !cuda_tile.tile<i64>):
    "cuda_tile.return"() : () -> ()
  }) : () -> ()
  // expected-error@below:3 {{'cuda_tile.entry' op arg_attrs has 2 entries for 1 argument}}
  "cuda_tile.entry"() <{sym_name = "l", function_type = (!cuda_tile.tile<i32>) -> (), arg_attrs = [{}, {}]}> ({
  ^body(%a: !cuda_tile.tile<i32>):
    "cuda_tile.return"() : () -> ()
  }) : () -> ()
}

// -----

// Isolated bodies see only their own values.

"builtin.module"() ({
  "cuda_tile.module"() <{sym_name = "m"}> ({
    // expected-error@below:10 {{'cuda_tile.iota' op cannot be in a module, which holds entries and globals}}
    // expected-note@below:10 {{defined here}}
    // expected-note@below:10 {{defined here}}
    %0 = "cuda_tile.iota"() : () -> !cuda_tile.tile<8xi32>
    "cuda_tile.entry"() <{sym_name = "k", function_type = () -> ()}> ({
      // expected-error@below:29 {{'cuda_tile.addi' op operand #0 is defined outside of 'cuda_tile.entry', which sees only its own values}}
      // expected-error@below:33 {{'cuda_tile.addi' op operand #1 is defined outside of 'cuda_tile.entry', which sees only its own values}}
      %1 = "cuda_tile.addi"(%0, %0) <{overflow = #cuda_tile.overflow<none>}> : (!cuda_tile.tile<8xi32>, !cuda_tile.tile<8xi32>) -> !cuda_tile.tile<8xi32>
      "cuda_tile.return"() : () -> ()
    }) : () -> ()
  }) : () -> ()
}) : () -> ()
