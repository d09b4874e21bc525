// Names of values: those that operations suggest, MLIR's numbers, and what keeps them apart.
// RUN: tile-opt %s | filecheck %s

// Without suggestion values are numbered, and entries begin anew.
// CHECK-LABEL: entry @numbers(
// CHECK-SAME: %arg0: tile<f32>)
// CHECK: %0 = negf %arg0
// CHECK: %1 = negf %0
entry @numbers(%x: tile<f32>) {
  %a = negf %x : tile<f32>
  %b = negf %a : tile<f32>
}

// CHECK-LABEL: entry @numbers_again(
// CHECK: %0 = negf %arg0
entry @numbers_again(%x: tile<f32>) {
  %first = negf %x : tile<f32>
}

// One counter for all names of a region.
// CHECK-LABEL: entry @counter(
// CHECK: %cst_0_i32 = constant
// CHECK: %cst_0_i32_0 = constant
// CHECK: %cst_1_i32 = constant
// CHECK: %cst_1_i32_1 = constant
// CHECK: %cst_0_i32_2 = constant
entry @counter() {
  %0 = constant <i32: 0> : tile<i32>
  %1 = constant <i32: 0> : tile<i32>
  %2 = constant <i32: 1> : tile<i32>
  %3 = constant <i32: 1> : tile<i32>
  %4 = constant <i32: 0> : tile<i32>
}

// A region's own operations are numbered before those of the regions inside, whose numbers
// continue them; regions side by side use the same numbers.
// CHECK-LABEL: entry @nested(
// CHECK: if %arg0 {
// CHECK-NEXT: %1 = negf %arg1
// CHECK-NEXT: %2 = negf %1
// CHECK-NEXT: } else {
// CHECK-NEXT: %1 = negf %arg1
// CHECK-NEXT: }
// CHECK-NEXT: %0 = negf %arg1
entry @nested(%c: tile<i1>, %x: tile<f32>) {
  if %c {
    %a = negf %x : tile<f32>
    %b = negf %a : tile<f32>
  } else {
    %a = negf %x : tile<f32>
  }
  %d = negf %x : tile<f32>
}

// A name of an enclosing region is taken, also when it is defined later.
// CHECK-LABEL: entry @shadowing(
// CHECK: %true = constant
// CHECK: if %true {
// CHECK-NEXT: %cst_0_i32_0 = constant
// CHECK: %cst_0_i32 = constant
entry @shadowing() {
  %t = constant <i1: true> : tile<i1>
  if %t {
    %0 = constant <i32: 0> : tile<i32>
  }
  %1 = constant <i32: 0> : tile<i32>
}

// Nested loops suggest the same names.
// CHECK-LABEL: entry @nested_loops(
// CHECK: %for = for %loopIdx in (%arg0 to %arg0, step %arg0) : tile<i32> iter_values(%iterArg0 = %arg1)
// CHECK: %for_0 = for %loopIdx_1 in (%arg0 to %arg0, step %arg0) : tile<i32> iter_values(%iterArg0_2 = %iterArg0)
// CHECK: continue %iterArg0_2
// CHECK: continue %for_0
entry @nested_loops(%i: tile<i32>, %x: tile<f32>) {
  %r = for %j in (%i to %i, step %i) : tile<i32> iter_values(%a = %x) -> (tile<f32>) {
    %s = for %k in (%i to %i, step %i) : tile<i32> iter_values(%b = %a) -> (tile<f32>) {
      continue %b : tile<f32>
    }
    continue %s : tile<f32>
  }
}

// Arguments of `loop` and `scan` count on from those around them.
// CHECK-LABEL: entry @arguments(
// CHECK: %0 = loop iter_values(%arg1 = %arg0)
// CHECK-NEXT: %1 = loop iter_values(%arg2 = %arg1)
entry @arguments(%x: tile<f32>) {
  %a = loop iter_values(%u = %x) : tile<f32> -> tile<f32> {
    %b = loop iter_values(%v = %u) : tile<f32> -> tile<f32> {
      break %v : tile<f32>
    }
    break %b : tile<f32>
  }
}

// The suggested name of an assumption grows with each one.
// CHECK-LABEL: entry @assumptions(
// CHECK: %assume = assume div_by<4>, %arg0
// CHECK: %assume_assume = assume bounded<0, ?>, %assume
entry @assumptions(%x: tile<i32>) {
  %a = assume div_by<4>, %x : tile<i32>
  %b = assume bounded<0, ?>, %a : tile<i32>
}
