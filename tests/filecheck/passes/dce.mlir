// RUN: tile-opt %s -p dce --split-input-file | filecheck %s

// Chains and loops that only compute go.

// CHECK-LABEL: entry @dead
// CHECK-NEXT:    return
cuda_tile.module @m {
  entry @dead(%n: tile<i32>, %m: tile<i32>) {
    %a = addi %n, %m : tile<i32>
    %b = divi %a, %m signed : tile<i32>
    %c = assume bounded<0, ?>, %b : tile<i32>
    %r = for %i in (%n to %m, step %m) : tile<i32> iter_values(%v = %c) -> (tile<i32>) {
      %w = addi %v, %i : tile<i32>
      continue %w : tile<i32>
    }
    %t = make_token : token
    return
  }
}

// -----

// Accesses, assertions, prints, jumps and loops that may not end stay.

// CHECK-LABEL: entry @effects
// CHECK:         load_ptr_tko
// CHECK:         assert
// CHECK:         loop {
// CHECK:           print_tko
// CHECK:           continue
// CHECK:         loop {
// CHECK-NEXT:      break
// CHECK:         if
// CHECK-NEXT:      return
cuda_tile.module @m {
  entry @effects(%p: tile<ptr<i32>>, %c: tile<i1>) {
    %a, %t = load_ptr_tko weak %p : tile<ptr<i32>> -> tile<i32>, token
    assert %c, "so" : tile<i1>
    loop {
      if %c {
        %u = print_tko "x" -> token
        continue
      }
      break
    }
    loop {
      break
    }
    if %c {
      return
    }
    %x = print_tko "x" -> token
    return
  }
}
