// RUN: tile-opt %s -p licm --split-input-file | filecheck %s

// Invariant operations move in front of the loop, with what they use.

// CHECK-LABEL: entry @hoisted
// CHECK-NEXT:    %cst_3_i32 = constant <i32: 3> : tile<i32>
// CHECK-NEXT:    %0 = muli %arg0, %cst_3_i32 : tile<i32>
// CHECK-NEXT:    for
// CHECK-NEXT:      addi %0, %loopIdx : tile<i32>
cuda_tile.module @m {
  entry @hoisted(%n: tile<i32>, %m: tile<i32>) {
    for %i in (%n to %m, step %m) : tile<i32> {
      %c = constant <i32: 3> : tile<i32>
      %a = muli %n, %c : tile<i32>
      %b = addi %a, %i : tile<i32>
      %t = print_tko "%i", %b : tile<i32> -> token
    }
    return
  }
}

// -----

// Out of both loops, but never out of an `if`.

// CHECK-LABEL: entry @nested
// CHECK-NEXT:    %0 = muli %arg0, %arg0 : tile<i32>
// CHECK-NEXT:    for
// CHECK-NEXT:      loop {
// CHECK-NEXT:        if %arg2 {
// CHECK-NEXT:          muli %arg1, %arg1 : tile<i32>
cuda_tile.module @m {
  entry @nested(%n: tile<i32>, %m: tile<i32>, %c: tile<i1>) {
    for %i in (%n to %m, step %m) : tile<i32> {
      loop {
        %a = muli %n, %n : tile<i32>
        if %c {
          %b = muli %m, %m : tile<i32>
          %t = print_tko "%i %i", %a, %b : tile<i32>, tile<i32> -> token
          break
        }
      }
    }
    return
  }
}

// -----

// A division stays in a loop that may not run, unless its divisor is never 0.

// CHECK-LABEL: entry @divisions
// CHECK-NEXT:    %cst_7_i32 = constant <i32: 7> : tile<i32>
// CHECK-NEXT:    %0 = remi %arg0, %cst_7_i32 signed : tile<i32>
// CHECK-NEXT:    for
// CHECK-NEXT:      divi %arg0, %arg1 signed : tile<i32>
cuda_tile.module @m {
  entry @divisions(%n: tile<i32>, %m: tile<i32>) {
    for %i in (%n to %m, step %m) : tile<i32> {
      %a = divi %n, %m signed : tile<i32>
      %c = constant <i32: 7> : tile<i32>
      %b = remi %n, %c signed : tile<i32>
      %t = print_tko "%i %i", %a, %b : tile<i32>, tile<i32> -> token
    }
    return
  }
}

// -----

// A loop that surely runs lets everything out that it surely gets to.

// CHECK-LABEL: entry @surely
// CHECK:         divi %arg0, %arg1 signed : tile<i32>
// CHECK-NEXT:    for
// CHECK-NEXT:      assert
// CHECK-NEXT:      divi %arg1, %arg0 signed : tile<i32>
cuda_tile.module @m {
  entry @surely(%n: tile<i32>, %m: tile<i32>, %c: tile<i1>) {
    %c0 = constant <i32: 0> : tile<i32>
    %c4 = constant <i32: 4> : tile<i32>
    %c1 = constant <i32: 1> : tile<i32>
    for %i in (%c0 to %c4, step %c1) : tile<i32> {
      %a = divi %n, %m signed : tile<i32>
      assert %c, "so" : tile<i1>
      %b = divi %m, %n signed : tile<i32>
      %t = print_tko "%i %i", %a, %b : tile<i32>, tile<i32> -> token
    }
    return
  }
}

// -----

// Loads stay; assumptions stay where the loop may not run.

// CHECK-LABEL: entry @stay
// CHECK-NEXT:    for
// CHECK-NEXT:      assume
// CHECK-NEXT:      load_ptr_tko
cuda_tile.module @m {
  entry @stay(%p: tile<ptr<i32>>, %n: tile<i32>, %m: tile<i32>) {
    for %i in (%n to %m, step %m) : tile<i32> {
      %a = assume bounded<0, ?>, %n : tile<i32>
      %b, %t = load_ptr_tko weak %p : tile<ptr<i32>> -> tile<i32>, token
      %u = print_tko "%i %i", %a, %b : tile<i32>, tile<i32> -> token
    }
    return
  }
}
