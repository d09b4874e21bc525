// Each part is a program of its own; places count from the file's first line.
// RUN: not tile-opt %s --split-input-file 2>&1 | filecheck %s
// RUN: not tile-opt %s --split-input-file -o %t; not cat %t
entry @first() {
}

// -----

// CHECK: split_input_file.mlir:[[# @LINE + 2]]:3: error: unknown operation 'foor'; did you mean 'floor'?
entry @second() {
  foor
}

// -----

// CHECK: split_input_file.mlir:[[# @LINE + 2]]:13: error: use of undefined value '%x'
entry @third() {
  %0 = negf %x : tile<f32>
}
