// RUN: tile-opt %s -p loop-split --split-input-file | filecheck %s
// RUN: tile-opt %s -p 'loop-split{threshold=2}' --split-input-file | filecheck %s --check-prefix LARGE

// Two loops, the second from where the first ends.

// CHECK-LABEL: entry @split
// CHECK-NEXT:    %cst_1_i32 = constant <i32: 1> : tile<i32>
// CHECK-NEXT:    %0 = mini %arg2, %arg1 signed : tile<i32>
// CHECK-NEXT:    %1 = maxi %arg2, %arg0 signed : tile<i32>
// CHECK-NEXT:    for %loopIdx in (%arg0 to %0, step %cst_1_i32) : tile<i32> {
// CHECK-NEXT:      print_tko "before"
// CHECK-NEXT:    }
// CHECK-NEXT:    for %loopIdx in (%1 to %arg1, step %cst_1_i32) : tile<i32> {
// CHECK-NEXT:      print_tko "after"
// CHECK-NEXT:    }
// LARGE-LABEL: entry @split
// LARGE:         if
cuda_tile.module @m {
  entry @split(%n: tile<i32>, %m: tile<i32>, %p: tile<i32>) {
    %c1 = constant <i32: 1> : tile<i32>
    for %i in (%n to %m, step %c1) : tile<i32> {
      %c = cmpi less_than %i, %p, signed : tile<i32> -> tile<i1>
      if %c {
        %t = print_tko "before" -> token
      } else {
        %t = print_tko "after" -> token
      }
    }
    return
  }
}

// -----

// Another signedness, an equality, a bound from the loop: not split.

// CHECK-LABEL: entry @left
// CHECK-COUNT-3: for %
// CHECK-NOT:     for %
// CHECK:         return
cuda_tile.module @m {
  entry @left(%n: tile<i32>, %m: tile<i32>, %p: tile<i32>) {
    %c1 = constant <i32: 1> : tile<i32>
    for %i in (%n to %m, step %c1) : tile<i32> {
      %c = cmpi less_than %i, %p, unsigned : tile<i32> -> tile<i1>
      if %c {
        %t = print_tko "before" -> token
      }
    }
    for %i in (%n to %m, step %c1) : tile<i32> {
      %c = cmpi equal %i, %p, signed : tile<i32> -> tile<i1>
      if %c {
        %t = print_tko "at" -> token
      }
    }
    for %i in (%n to %m, step %c1) : tile<i32> {
      %q = subi %p, %i : tile<i32>
      %c = cmpi less_than %i, %q, signed : tile<i32> -> tile<i1>
      if %c {
        %t = print_tko "before" -> token
      }
    }
    return
  }
}

// -----

// The attribute decides before the option: on the if, the loop, or the entry.

// CHECK-LABEL: entry @attribute
// CHECK-COUNT-1: for %
// CHECK-NOT:     for %
// CHECK:         return
cuda_tile.module @m {
  entry @attribute(%n: tile<i32>, %m: tile<i32>, %p: tile<i32>) {
    %c1 = constant <i32: 1> : tile<i32>
    for %i in (%n to %m, step %c1) : tile<i32> {
      %c = cmpi less_than %i, %p, signed : tile<i32> -> tile<i1>
      if %c {
        %t = print_tko "before" -> token
      }
    } {cuda_tile.loop_split = 0 : i32}
    return
  }
}
