// The forms of a module: as it was read, its body alone, with its wrapper.
// RUN: tile-opt %s --split-input-file | filecheck %s --strict-whitespace
// RUN: tile-opt %s --split-input-file --bare | filecheck %s --strict-whitespace --check-prefix=BARE
// RUN: tile-opt %s --split-input-file --wrapped | filecheck %s --strict-whitespace --check-prefix=WRAPPED
// RUN: tile-opt %s --split-input-file --print-op-generic | filecheck %s --strict-whitespace --check-prefix=GENERIC

// CHECK: {{^}}cuda_tile.module @wrapped {{[{]}}
// CHECK-NEXT: {{^}}  entry @k() {{[{]}}
// CHECK-NEXT: {{^}}    return
// CHECK-NEXT: {{^}}  }
// CHECK-NEXT: {{^}}}
// CHECK-NEXT: // -----
// BARE: {{^}}entry @k() {{[{]}}
// BARE-NEXT: {{^}}  return
// BARE-NEXT: {{^}}}
// BARE-NEXT: // -----
// GENERIC: {{^}}"cuda_tile.module"() <{sym_name = "wrapped"}> ({
// GENERIC-NEXT: {{^}}  "cuda_tile.entry"() <{function_type = () -> (), sym_name = "k"}> ({
// GENERIC-NEXT: {{^}}    "cuda_tile.return"() : () -> ()
// GENERIC-NEXT: {{^}}  }) : () -> ()
// GENERIC-NEXT: {{^}}}) : () -> ()
cuda_tile.module @wrapped {
  entry @k() {
  }
}

// -----

// The body alone is that of a module called `kernels`, as bytecode has it.
// CHECK-NEXT: {{^}}entry @bare() {{[{]}}
// WRAPPED: cuda_tile.module @kernels {
// WRAPPED-NEXT: {{^}}  entry @bare() {{[{]}}
// GENERIC: "cuda_tile.module"() <{sym_name = "kernels"}>
entry @bare() {
}

// -----

// A module inside of `builtin.module` is the program.
// CHECK: // -----
// CHECK-NEXT: {{^}}cuda_tile.module @inside {{[{]}}
// CHECK-NOT: builtin.module
builtin.module {
  cuda_tile.module @inside {
    cuda_tile.entry @k() {
      cuda_tile.return
    }
  }
}

// -----

// CHECK: cuda_tile.module @made attributes {producer = "some \22tool\22"} {
// CHECK-NEXT: {{^}}}
// BARE: // Producer: some "tool"
// GENERIC: "cuda_tile.module"() <{producer = "some \22tool\22", sym_name = "made"}>
cuda_tile.module @made attributes {producer = "some \"tool\""} {
}

// -----

// Names that are no identifiers are quoted. Order is kept.
// CHECK: cuda_tile.module @"a b" {
// CHECK-NEXT: {{^}}  entry @"k 3\C3\A9"(%arg0: tile<i32>) {{[{]}}
// CHECK-NEXT: return
// CHECK-NEXT: }
// CHECK-NEXT: {{^}}  global  @g1 <i32: 1> : tile<2xi32>
// CHECK-NEXT: {{^}}  global private  constant @g2 alignment = 64 <i8: [1, 2]> : tile<2xi8>
// CHECK-NEXT: {{^}}  global  constant @g3 <i1: true> : tile<1xi1>
// CHECK-NEXT: {{^}}  entry @second$.() {{[{]}}
cuda_tile.module @"a b" {
  entry @"k 3é"(%n: tile<i32>) {
  }
  global public @g1 <i32: 1> : tile<2xi32>
  global private constant @g2 alignment = 64 <i8: [1, 2]> : tile<2xi8>
  global constant @g3 alignment = 0 <i1: 1> : tile<1xi1>
  entry @second$.() {
    return
  }
}
