// RUN: tile-opt %s -p canonicalize --split-input-file | filecheck %s

// The front end's chain div_by, bounded, div_by is two assumptions, and loads after nothing
// wait for nothing.

// CHECK-LABEL: entry @front_end
// CHECK-NEXT:    %assume = assume div_by<8>, %arg1 : tile<i32>
// CHECK-NEXT:    %assume_assume = assume bounded<0, ?>, %assume : tile<i32>
// CHECK-NEXT:    %result, %result_token = load_ptr_tko weak %arg0 : tile<ptr<i32>> -> tile<i32>, token
// CHECK-NEXT:    %0 = addi %result, %assume_assume : tile<i32>
// CHECK-NEXT:    %1 = store_ptr_tko weak %arg0, %0 token=%result_token
// CHECK-NEXT:    return
cuda_tile.module @m {
  entry @front_end(%p: tile<ptr<i32>>, %n: tile<i32>) {
    %t = make_token : token
    %a = assume div_by<8>, %n : tile<i32>
    %b = assume bounded<0, ?>, %a : tile<i32>
    %c = assume div_by<4>, %b : tile<i32>
    %s, %t2 = load_ptr_tko weak %p token=%t : tile<ptr<i32>> -> tile<i32>, token
    %j = join_tokens %t, %t2 : token
    %z = addi %s, %c : tile<i32>
    %t3 = store_ptr_tko weak %p, %z token=%j : tile<ptr<i32>>, tile<i32> -> token
    return
  }
}

// -----

// Constants go to the right, zeros and ones go.

// CHECK-LABEL: entry @integers
// CHECK-NEXT:    %cst_5_i32 = constant <i32: 5> : tile<i32>
// CHECK-NEXT:    %0 = addi %arg1, %cst_5_i32 : tile<i32>
// CHECK-NEXT:    %1 = store_ptr_tko weak %arg0, %0
cuda_tile.module @m {
  entry @integers(%p: tile<ptr<i32>>, %n: tile<i32>) {
    %c0 = constant <i32: 0> : tile<i32>
    %c1 = constant <i32: 1> : tile<i32>
    %c2 = constant <i32: 2> : tile<i32>
    %c3 = constant <i32: 3> : tile<i32>
    %a = addi %c2, %n : tile<i32>
    %b = addi %a, %c3 : tile<i32>
    %c = muli %b, %c1 : tile<i32>
    %d = subi %n, %n : tile<i32>
    %e = addi %c, %d : tile<i32>
    %t = store_ptr_tko weak %p, %e : tile<ptr<i32>>, tile<i32> -> token
    return
  }
}

// -----

// Factors on both sides of an extension meet, if the narrow product cannot overflow.

// CHECK-LABEL: entry @extended_products
// CHECK:         %[[WRAPS:.*]] = muli %arg1, %{{.*}} : tile<i32>
// CHECK-DAG:     %[[N:.*]] = exti %arg1 signed
// CHECK-DAG:     %[[C:.*]] = constant <i64: -1024>
// CHECK:         %[[ONE:.*]] = muli %[[N]], %[[C]] : tile<i64>
// CHECK:         %[[W:.*]] = exti %[[WRAPS]] signed
// CHECK:         %[[TWO:.*]] = muli %[[W]], %{{.*}} : tile<i64>
// CHECK:         addi %[[ONE]], %[[TWO]]
cuda_tile.module @m {
  entry @extended_products(%p: tile<ptr<i64>>, %n: tile<i32>) {
    %c = constant <i32: -8> : tile<i32>
    %d = constant <i64: 128> : tile<i64>
    %w = muli %n, %c : tile<i32>
    %a = muli %n, %c overflow<no_signed_wrap> : tile<i32>
    %b = exti %a signed : tile<i32> -> tile<i64>
    %x = muli %b, %d : tile<i64>
    %v = exti %w signed : tile<i32> -> tile<i64>
    %y = muli %v, %d : tile<i64>
    %z = addi %x, %y : tile<i64>
    %t = store_ptr_tko weak %p, %z : tile<ptr<i64>>, tile<i64> -> token
    return
  }
}

// -----

// The positions along an extent of 1 are 0.

// CHECK-LABEL: entry @one_position
// CHECK-NEXT:    %{{.*}} = constant <i32: 0> : tile<1xi32>
// CHECK-NEXT:    print_tko
cuda_tile.module @m {
  entry @one_position() {
    %i = iota : tile<1xi32>
    %t = print_tko "%d", %i : tile<1xi32> -> token
    return
  }
}

// -----

// `x + 0` stays, since -0 + 0 is 0; `x - 0` and `x * 1` do not.

// CHECK-LABEL: entry @floats
// CHECK-NEXT:    %cst_0_f32 = constant <f32: 0.000000e+00> : tile<f32>
// CHECK-NEXT:    %0 = addf %arg1, %cst_0_f32  : tile<f32>
// CHECK-NEXT:    %1 = store_ptr_tko weak %arg0, %0
cuda_tile.module @m {
  entry @floats(%p: tile<ptr<f32>>, %x: tile<f32>) {
    %c0 = constant <f32: 0.0> : tile<f32>
    %c1 = constant <f32: 1.0> : tile<f32>
    %a = subf %x, %c0 : tile<f32>
    %b = mulf %c1, %a : tile<f32>
    %c = addf %c0, %b : tile<f32>
    %t = store_ptr_tko weak %p, %c : tile<ptr<f32>>, tile<f32> -> token
    return
  }
}

// -----

// Flushing is a computation of its own.

// CHECK-LABEL: entry @flushed
// CHECK:         mulf %arg1, %cst_1_f32 flush_to_zero : tile<f32>
cuda_tile.module @m {
  entry @flushed(%p: tile<ptr<f32>>, %x: tile<f32>) {
    %c1 = constant <f32: 1.0> : tile<f32>
    %a = mulf %x, %c1 flush_to_zero : tile<f32>
    %t = store_ptr_tko weak %p, %a : tile<ptr<f32>>, tile<f32> -> token
    return
  }
}

// -----

// A NaN that arithmetic makes is not folded: its bits are the device's own.

// CHECK-LABEL: entry @no_nan
// CHECK:         subf %cst_f32, %cst_f32  : tile<f32>
cuda_tile.module @m {
  entry @no_nan(%p: tile<ptr<f32>>) {
    %inf = constant <f32: 0x7F800000> : tile<f32>
    %a = subf %inf, %inf : tile<f32>
    %t = store_ptr_tko weak %p, %a : tile<ptr<f32>>, tile<f32> -> token
    return
  }
}

// -----

// Undefined operations are not computed.

// CHECK-LABEL: entry @undefined
// CHECK:         divi %cst_7_i32, %cst_0_i32 signed : tile<i32>
cuda_tile.module @m {
  entry @undefined(%p: tile<ptr<i32>>) {
    %c7 = constant <i32: 7> : tile<i32>
    %c0 = constant <i32: 0> : tile<i32>
    %a = divi %c7, %c0 signed : tile<i32>
    %t = store_ptr_tko weak %p, %a : tile<ptr<i32>>, tile<i32> -> token
    return
  }
}

// -----

// Splats are folded at any size, other constants up to 64 elements.

// CHECK-LABEL: entry @folded
// CHECK:         %cst_5_i32 = constant <i32: 5> : tile<1024xi32>
// CHECK-NOT:     addi
cuda_tile.module @m {
  entry @folded() {
    %c2 = constant <i32: 2> : tile<1024xi32>
    %c3 = constant <i32: 3> : tile<1024xi32>
    %a = addi %c2, %c3 : tile<1024xi32>
    %s = constant <i32: [1, 2, 3, 4]> : tile<4xi32>
    %f = constant <i32: 5> : tile<4xi32>
    %b = muli %s, %f : tile<4xi32>
    // CHECK:     constant <i32: [5, 10, 15, 20]> : tile<4xi32>
    // CHECK-NOT: muli
    %t = print_tko "%i %i", %a, %b : tile<1024xi32>, tile<4xi32> -> token
    return
  }
}

// -----

// A branch whose condition is known, and what follows a branch that leaves.

// CHECK-LABEL: entry @branches
// CHECK-NEXT:    print_tko "taken"
// CHECK-NEXT:    return
// CHECK-NEXT:  }
cuda_tile.module @m {
  entry @branches() {
    %true = constant <i1: true> : tile<i1>
    if %true {
      %t = print_tko "taken" -> token
      return
    }
    %u = print_tko "unreachable" -> token
    return
  }
}

// -----

// A single iteration, and carried values that are none.

// CHECK-LABEL: entry @loops
// CHECK-NOT:     for {{.*}} iter_values
// CHECK:         for %loopIdx in (%arg1 to %arg2, step %arg2) : tile<i32> {
// CHECK-NEXT:      print_tko "%i", %arg1
cuda_tile.module @m {
  entry @loops(%p: tile<ptr<i32>>, %n: tile<i32>, %m: tile<i32>) {
    %c0 = constant <i32: 0> : tile<i32>
    %c1 = constant <i32: 1> : tile<i32>
    %r = for %i in (%c0 to %c1, step %c1) : tile<i32> iter_values(%v = %n) -> (tile<i32>) {
      continue %v : tile<i32>
    }
    %s, %u = for %i in (%n to %m, step %m) : tile<i32> iter_values(%v = %r, %w = %c0) -> (tile<i32>, tile<i32>) {
      %t = print_tko "%i", %v : tile<i32> -> token
      %x = addi %w, %c1 : tile<i32>
      continue %v, %x : tile<i32>, tile<i32>
    }
    return
  }
}

// -----

// Dead loads go, their tokens pass through; loads that acquire stay.

// CHECK-LABEL: entry @dead_loads
// CHECK-NEXT:    %result, %result_token = load_ptr_tko acquire device %arg0
// CHECK-NEXT:    %0 = store_ptr_tko weak %arg0, %arg1 token=%result_token
// CHECK-NEXT:    return
cuda_tile.module @m {
  entry @dead_loads(%p: tile<ptr<i32>>, %n: tile<i32>) {
    %a, %t = load_ptr_tko acquire device %p : tile<ptr<i32>> -> tile<i32>, token
    %b, %u = load_ptr_tko weak %p token=%t : tile<ptr<i32>> -> tile<i32>, token
    %s = store_ptr_tko weak %p, %n token=%u : tile<ptr<i32>>, tile<i32> -> token
    return
  }
}
