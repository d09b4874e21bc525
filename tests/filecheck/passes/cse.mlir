// RUN: tile-opt %s -p cse --split-input-file | filecheck %s

// Operands of commutative operations may stand in either order; comparisons are mirrored.

// CHECK-LABEL: entry @commutative
// CHECK-NEXT:    %0 = addi %arg0, %arg1 : tile<i32>
// CHECK-NEXT:    %1 = cmpi less_than %arg0, %arg1, signed : tile<i32> -> tile<i1>
// CHECK-NEXT:    %2 = fma %arg2, %arg3, %arg2  : tile<f32>
// CHECK-NEXT:    %3 = print_tko "%i %i %i %i %f %f", %0, %0, %1, %1, %2, %2
cuda_tile.module @m {
  entry @commutative(%n: tile<i32>, %m: tile<i32>, %x: tile<f32>, %y: tile<f32>) {
    %a = addi %n, %m : tile<i32>
    %b = addi %m, %n : tile<i32>
    %c = cmpi less_than %n, %m, signed : tile<i32> -> tile<i1>
    %d = cmpi greater_than %m, %n, signed : tile<i32> -> tile<i1>
    %e = fma %x, %y, %x : tile<f32>
    %f = fma %y, %x, %x : tile<f32>
    %t = print_tko "%i %i %i %i %f %f", %a, %b, %c, %d, %e, %f : tile<i32>, tile<i32>, tile<i1>, tile<i1>, tile<f32>, tile<f32> -> token
    return
  }
}

// -----

// Attributes count: roundings and promises about overflow.

// CHECK-LABEL: entry @attributes
// CHECK:         subi %arg0, %arg1 : tile<i32>
// CHECK:         subi %arg1, %arg0 : tile<i32>
// CHECK:         addi %arg0, %arg1 overflow<no_wrap> : tile<i32>
// CHECK:         addi %arg0, %arg1 : tile<i32>
// CHECK:         addf %arg2, %arg2 rounding<zero> : tile<f32>
// CHECK:         addf %arg2, %arg2  : tile<f32>
cuda_tile.module @m {
  entry @attributes(%n: tile<i32>, %m: tile<i32>, %x: tile<f32>) {
    %a = subi %n, %m : tile<i32>
    %b = subi %m, %n : tile<i32>
    %c = addi %n, %m overflow<no_wrap> : tile<i32>
    %d = addi %n, %m : tile<i32>
    %e = addf %x, %x rounding<zero> : tile<f32>
    %f = addf %x, %x : tile<f32>
    %t = print_tko "%i %i %i %i %f %f", %a, %b, %c, %d, %e, %f : tile<i32>, tile<i32>, tile<i32>, tile<i32>, tile<f32>, tile<f32> -> token
    return
  }
}

// -----

// Block ids, constants, assumptions and views are the same wherever they are made.

// CHECK-LABEL: entry @repeatable
// CHECK-COUNT-1: get_tile_block_id
// CHECK-COUNT-1: assume
// CHECK-COUNT-1: make_tensor_view
// CHECK-COUNT-1: make_partition_view
// CHECK-NOT:     get_tile_block_id
// CHECK-NOT:     assume
// CHECK-NOT:     make_
// CHECK:         return
cuda_tile.module @m {
  entry @repeatable(%p: tile<ptr<f32>>, %n: tile<i32>) {
    %x, %y, %z = get_tile_block_id : tile<i32>
    %x1, %y1, %z1 = get_tile_block_id : tile<i32>
    %a = assume bounded<0, ?>, %n : tile<i32>
    %b = assume bounded<0, ?>, %n : tile<i32>
    %v = make_tensor_view %p, shape = [%a], strides = [1] : tile<i32> -> tensor_view<?xf32, strides=[1]>
    %w = make_tensor_view %p, shape = [%b], strides = [1] : tile<i32> -> tensor_view<?xf32, strides=[1]>
    %pv = make_partition_view %v : partition_view<tile=(8), tensor_view<?xf32, strides=[1]>>
    %pw = make_partition_view %w : partition_view<tile=(8), tensor_view<?xf32, strides=[1]>>
    %t, %k = load_view_tko weak %pv[%x] : partition_view<tile=(8), tensor_view<?xf32, strides=[1]>>, tile<i32> -> tile<8xf32>, token
    %s = store_view_tko weak %t, %pw[%x1] token = %k : tile<8xf32>, partition_view<tile=(8), tensor_view<?xf32, strides=[1]>>, tile<i32> -> token
    return
  }
}

// -----

// Reductions with equal bodies are one; the names of their values do not matter.

// CHECK-LABEL: entry @regions
// CHECK:         %reduce = reduce
// CHECK:         addf
// CHECK:         %reduce_0 = reduce
// CHECK:         maxf
// CHECK:         print_tko "%f %f %f", %reduce, %reduce, %reduce_0
cuda_tile.module @m {
  entry @regions(%x: tile<f32>) {
    %r = reshape %x : tile<f32> -> tile<1xf32>
    %v = broadcast %r : tile<1xf32> -> tile<8xf32>
    %a = reduce %v dim=0 identities=[0.0 : f32] : tile<8xf32> -> tile<f32>
    (%l: tile<f32>, %e: tile<f32>) {
      %s = addf %l, %e : tile<f32>
      yield %s : tile<f32>
    }
    %b = reduce %v dim=0 identities=[0.0 : f32] : tile<8xf32> -> tile<f32>
    (%one: tile<f32>, %two: tile<f32>) {
      %sum = addf %two, %one : tile<f32>
      yield %sum : tile<f32>
    }
    %c = reduce %v dim=0 identities=[0.0 : f32] : tile<8xf32> -> tile<f32>
    (%one: tile<f32>, %two: tile<f32>) {
      %sum = maxf %two, %one : tile<f32>
      yield %sum : tile<f32>
    }
    %t = print_tko "%f %f %f", %a, %b, %c : tile<f32>, tile<f32>, tile<f32> -> token
    return
  }
}

// -----

// What one branch computes is not there in the other, nor after it.

// CHECK-LABEL: entry @branches
// CHECK-COUNT-3: muli %arg0, %arg0 : tile<i32>
cuda_tile.module @m {
  entry @branches(%n: tile<i32>, %c: tile<i1>) {
    if %c {
      %a = muli %n, %n : tile<i32>
      %t = print_tko "%i", %a : tile<i32> -> token
    } else {
      %a = muli %n, %n : tile<i32>
      %t = print_tko "%i", %a : tile<i32> -> token
    }
    %b = muli %n, %n : tile<i32>
    %t = print_tko "%i", %b : tile<i32> -> token
    return
  }
}

// -----

// Loads stay, and so do allocations.

// CHECK-LABEL: entry @effects
// CHECK-COUNT-2: load_ptr_tko
// CHECK-COUNT-2: alloca
cuda_tile.module @m {
  entry @effects(%p: tile<ptr<i32>>) {
    %a, %t = load_ptr_tko weak %p : tile<ptr<i32>> -> tile<i32>, token
    %b, %u = load_ptr_tko weak %p : tile<ptr<i32>> -> tile<i32>, token
    %x = alloca num_elem = 4, alignment = 16 : tile<ptr<i32>>
    %y = alloca num_elem = 4, alignment = 16 : tile<ptr<i32>>
    %v = store_ptr_tko weak %x, %a : tile<ptr<i32>>, tile<i32> -> token
    %w = store_ptr_tko weak %y, %b : tile<ptr<i32>>, tile<i32> -> token
    return
  }
}
