// Tokens and what orders memory operations.
// RUN: tile-opt %s | filecheck %s --strict-whitespace
// RUN: tile-opt %s --print-op-generic | filecheck %s --check-prefix=GENERIC
// RUN: tile-opt %s -t tileirbc --bytecode-version 13.4 -o %t && tile-opt %t --bare | filecheck %s --strict-whitespace

// CHECK-LABEL: entry @make_token(
// CHECK: %0 = make_token : token
// GENERIC-LABEL: sym_name = "make_token"
// GENERIC: %0 = "cuda_tile.make_token"() : () -> !cuda_tile.token
entry @make_token() {
  %t = make_token : !cuda_tile.token
}

// CHECK-LABEL: entry @join_tokens(
// CHECK: %3 = join_tokens %0, %1, %2 : token
entry @join_tokens() {
  %a = make_token : token
  %b = make_token : token
  %c = make_token : token
  %d = join_tokens %a, %b, %c : token
}

// CHECK-LABEL: entry @gdc_launch_dependents_tko(
// CHECK: %0 = gdc_launch_dependents_tko -> token
// CHECK: %1 = gdc_launch_dependents_tko token = %0 -> token
entry @gdc_launch_dependents_tko() {
  %t = gdc_launch_dependents_tko -> token
  %u = gdc_launch_dependents_tko token=%t -> token
}

// CHECK-LABEL: entry @gdc_wait_tko(
// CHECK: %0 = gdc_wait_tko -> token
// CHECK: %1 = gdc_wait_tko token = %0 -> token
entry @gdc_wait_tko() {
  %t = gdc_wait_tko -> token
  %u = gdc_wait_tko token = %t -> token
}

// No type is printed.
// CHECK-LABEL: entry @memory_fence_alias_tko(
// CHECK: %1 = memory_fence_alias_tko %0{{$}}
entry @memory_fence_alias_tko() {
  %t = make_token : token
  %u = memory_fence_alias_tko %t
}
