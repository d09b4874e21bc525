// RUN: tile-opt %s -p merge-reductions --split-input-file | filecheck %s
// RUN: tile-opt %s -p 'merge-reductions{target=sm_90,sm_100}' --split-input-file | filecheck %s --check-prefix BOTH
// RUN: tile-opt %s -p 'merge-reductions{target=sm_90,sm_100}' --split-input-file --remarks=merge-reductions -o %t 2>&1 | filecheck %s --check-prefix BOTH-REMARK
// RUN: tile-opt %s -p merge-reductions --split-input-file --remarks=merge-reductions -o %t 2>&1 | filecheck %s --check-prefix REMARK

// A sum and the maximum of the squares, with what the second needs moved up.

// CHECK-LABEL: entry @moments
// CHECK:         %[[X:.*]] = broadcast
// CHECK-NEXT:    %[[S:.*]] = mulf %[[X]], %[[X]]
// CHECK-NEXT:    %reduce:2 = reduce %[[X]], %[[S]] dim=1 identities=[-0.000000e+00 : f32, -0.000000e+00 : f32]
// CHECK:           %[[A:.*]] = addf
// CHECK-NEXT:      %[[B:.*]] = maxf
// CHECK-NEXT:      yield %[[A]], %[[B]]
// CHECK:         %[[T:.*]] = negf %reduce#0
// CHECK-NEXT:    print_tko "%f %f", %[[T]], %reduce#1
// REMARK: remark: two reductions are one
cuda_tile.module @m {
  entry @moments(%n: tile<f32>) {
    %r = reshape %n : tile<f32> -> tile<1x1xf32>
    %x = broadcast %r : tile<1x1xf32> -> tile<2x256xf32>
    %a = reduce %x dim=1 identities=[-0.0 : f32] : tile<2x256xf32> -> tile<2xf32> (%l: tile<f32>, %q: tile<f32>) {
      %t = addf %l, %q : tile<f32>
      yield %t : tile<f32>
    }
    %c = negf %a : tile<2xf32>
    %s = mulf %x, %x : tile<2x256xf32>
    %b = reduce %s dim=1 identities=[-0.0 : f32] : tile<2x256xf32> -> tile<2xf32> (%l: tile<f32>, %q: tile<f32>) {
      %t = maxf %l, %q : tile<f32>
      yield %t : tile<f32>
    }
    %k = print_tko "%f %f", %c, %b : tile<2xf32>, tile<2xf32> -> token
    return
  }
}

// -----

// The second needs the result of the first.

// CHECK-LABEL: entry @dependent
// CHECK-NOT:     reduce:2
// REMARK: remark: not merged with the reduction before it: it needs it or memory
cuda_tile.module @m {
  entry @dependent(%n: tile<f32>) {
    %r = reshape %n : tile<f32> -> tile<1x1xf32>
    %x = broadcast %r : tile<1x1xf32> -> tile<2x256xf32>
    %a = reduce %x dim=1 identities=[-0.0 : f32] : tile<2x256xf32> -> tile<2xf32> (%l: tile<f32>, %q: tile<f32>) {
      %t = addf %l, %q : tile<f32>
      yield %t : tile<f32>
    }
    %c = negf %a : tile<2xf32>
    %f = reshape %c : tile<2xf32> -> tile<2x1xf32>
    %g = broadcast %f : tile<2x1xf32> -> tile<2x256xf32>
    %s = mulf %x, %g : tile<2x256xf32>
    %b = reduce %s dim=1 identities=[-0.0 : f32] : tile<2x256xf32> -> tile<2xf32> (%l: tile<f32>, %q: tile<f32>) {
      %t = maxf %l, %q : tile<f32>
      yield %t : tile<f32>
    }
    %k = print_tko "%f %f", %c, %b : tile<2xf32>, tile<2xf32> -> token
    return
  }
}

// -----

// Short rows have no barriers to save.

// CHECK-LABEL: entry @short
// CHECK-NOT:     reduce:2
// CHECK:         return
// REMARK: remark: not merged with the reduction before it: no barrier to save, as each warp has all that it reduces
cuda_tile.module @m {
  entry @short(%n: tile<f32>) {
    %r = reshape %n : tile<f32> -> tile<1x1xf32>
    %x = broadcast %r : tile<1x1xf32> -> tile<2x128xf32>
    %a = reduce %x dim=1 identities=[-0.0 : f32] : tile<2x128xf32> -> tile<2xf32> (%l: tile<f32>, %q: tile<f32>) {
      %t = addf %l, %q : tile<f32>
      yield %t : tile<f32>
    }
    %c = negf %a : tile<2xf32>
    %s = mulf %x, %x : tile<2x128xf32>
    %b = reduce %s dim=1 identities=[-0.0 : f32] : tile<2x128xf32> -> tile<2xf32> (%l: tile<f32>, %q: tile<f32>) {
      %t = maxf %l, %q : tile<f32>
      yield %t : tile<f32>
    }
    %k = print_tko "%f %f", %c, %b : tile<2xf32>, tile<2xf32> -> token
    return
  }
}

// -----

// One warp has all of a row, however long.

// CHECK-LABEL: entry @one_warp
// CHECK-NOT:     reduce:2
// CHECK:         return
cuda_tile.module @m {
  entry @one_warp(%n: tile<f32>) optimization_hints=<sm_90 = {num_worker_warps_per_cta = 1}> {
    %r = reshape %n : tile<f32> -> tile<1x1xf32>
    %x = broadcast %r : tile<1x1xf32> -> tile<1x1024xf32>
    %a = reduce %x dim=1 identities=[-0.0 : f32] : tile<1x1024xf32> -> tile<1xf32> (%l: tile<f32>, %q: tile<f32>) {
      %t = addf %l, %q : tile<f32>
      yield %t : tile<f32>
    }
    %b = reduce %x dim=1 identities=[-0.0 : f32] : tile<1x1024xf32> -> tile<1xf32> (%l: tile<f32>, %q: tile<f32>) {
      %t = maxf %l, %q : tile<f32>
      yield %t : tile<f32>
    }
    %k = print_tko "%f %f", %a, %b : tile<1xf32>, tile<1xf32> -> token
    return
  }
}

// -----

// Columns are spread over the warps, unless the warps share the columns out.

// CHECK-LABEL: entry @columns
// CHECK:         reduce:2
cuda_tile.module @m {
  entry @columns(%n: tile<f32>) {
    %r = reshape %n : tile<f32> -> tile<1x1xf32>
    %x = broadcast %r : tile<1x1xf32> -> tile<8x128xf32>
    %a = reduce %x dim=0 identities=[-0.0 : f32] : tile<8x128xf32> -> tile<128xf32> (%l: tile<f32>, %q: tile<f32>) {
      %t = addf %l, %q : tile<f32>
      yield %t : tile<f32>
    }
    %b = reduce %x dim=0 identities=[-0.0 : f32] : tile<8x128xf32> -> tile<128xf32> (%l: tile<f32>, %q: tile<f32>) {
      %t = maxf %l, %q : tile<f32>
      yield %t : tile<f32>
    }
    %k = print_tko "%f %f", %a, %b : tile<128xf32>, tile<128xf32> -> token
    return
  }
}

// -----

// CHECK-LABEL: entry @wide_columns
// CHECK-NOT:     reduce:2
// CHECK:         return
cuda_tile.module @m {
  entry @wide_columns(%n: tile<f32>) {
    %r = reshape %n : tile<f32> -> tile<1x1xf32>
    %x = broadcast %r : tile<1x1xf32> -> tile<8x512xf32>
    %a = reduce %x dim=0 identities=[-0.0 : f32] : tile<8x512xf32> -> tile<512xf32> (%l: tile<f32>, %q: tile<f32>) {
      %t = addf %l, %q : tile<f32>
      yield %t : tile<f32>
    }
    %b = reduce %x dim=0 identities=[-0.0 : f32] : tile<8x512xf32> -> tile<512xf32> (%l: tile<f32>, %q: tile<f32>) {
      %t = maxf %l, %q : tile<f32>
      yield %t : tile<f32>
    }
    %k = print_tko "%f %f", %a, %b : tile<512xf32>, tile<512xf32> -> token
    return
  }
}

// -----

// A warp reduces integers in one instruction, if they come alone.

// CHECK-LABEL: entry @integers
// CHECK-NOT:     reduce:2
// CHECK:         return
// REMARK: remark: not merged with the reduction before it: alone they have instructions for integers
cuda_tile.module @m {
  entry @integers(%n: tile<i32>) {
    %r = reshape %n : tile<i32> -> tile<1x1xi32>
    %x = broadcast %r : tile<1x1xi32> -> tile<8x1024xi32>
    %a = reduce %x dim=1 identities=[0 : i32] : tile<8x1024xi32> -> tile<8xi32> (%l: tile<i32>, %q: tile<i32>) {
      %t = addi %l, %q : tile<i32>
      yield %t : tile<i32>
    }
    %b = reduce %x dim=1 identities=[0 : i32] : tile<8x1024xi32> -> tile<8xi32> (%l: tile<i32>, %q: tile<i32>) {
      %t = addi %l, %q : tile<i32>
      yield %t : tile<i32>
    }
    %k = print_tko "%d %d", %a, %b : tile<8xi32>, tile<8xi32> -> token
    return
  }
}

// -----

// A maximum of short rows is faster alone on sm_100; two sums are not.

// CHECK-LABEL: entry @maximum
// CHECK:         reduce:2
// BOTH-LABEL:  entry @maximum
// BOTH-NOT:      reduce:2
// BOTH:          return
// BOTH-REMARK: remark: not merged with the reduction before it: alone they have faster instructions on sm_100
cuda_tile.module @m {
  entry @maximum(%n: tile<f32>) {
    %r = reshape %n : tile<f32> -> tile<1x1xf32>
    %x = broadcast %r : tile<1x1xf32> -> tile<8x256xf32>
    %a = reduce %x dim=1 identities=[-0.0 : f32] : tile<8x256xf32> -> tile<8xf32> (%l: tile<f32>, %q: tile<f32>) {
      %t = addf %l, %q : tile<f32>
      yield %t : tile<f32>
    }
    %b = reduce %x dim=1 identities=[-0.0 : f32] : tile<8x256xf32> -> tile<8xf32> (%l: tile<f32>, %q: tile<f32>) {
      %t = maxf %l, %q : tile<f32>
      yield %t : tile<f32>
    }
    %k = print_tko "%f %f", %a, %b : tile<8xf32>, tile<8xf32> -> token
    return
  }
}

// -----

// BOTH-LABEL: entry @sums
// BOTH:         reduce:2
cuda_tile.module @m {
  entry @sums(%n: tile<f32>) {
    %r = reshape %n : tile<f32> -> tile<1x1xf32>
    %x = broadcast %r : tile<1x1xf32> -> tile<8x256xf32>
    %a = reduce %x dim=1 identities=[-0.0 : f32] : tile<8x256xf32> -> tile<8xf32> (%l: tile<f32>, %q: tile<f32>) {
      %t = addf %l, %q : tile<f32>
      yield %t : tile<f32>
    }
    %b = reduce %x dim=1 identities=[-0.0 : f32] : tile<8x256xf32> -> tile<8xf32> (%l: tile<f32>, %q: tile<f32>) {
      %t = addf %l, %q : tile<f32>
      yield %t : tile<f32>
    }
    %k = print_tko "%f %f", %a, %b : tile<8xf32>, tile<8xf32> -> token
    return
  }
}

// -----

// From 512 columns on the barriers saved are worth more, in blocks of several rows.

// BOTH-LABEL: entry @long
// BOTH:         reduce:2
cuda_tile.module @m {
  entry @long(%n: tile<f32>) {
    %r = reshape %n : tile<f32> -> tile<1x1xf32>
    %x = broadcast %r : tile<1x1xf32> -> tile<8x512xf32>
    %a = reduce %x dim=1 identities=[-0.0 : f32] : tile<8x512xf32> -> tile<8xf32> (%l: tile<f32>, %q: tile<f32>) {
      %t = addf %l, %q : tile<f32>
      yield %t : tile<f32>
    }
    %b = reduce %x dim=1 identities=[-0.0 : f32] : tile<8x512xf32> -> tile<8xf32> (%l: tile<f32>, %q: tile<f32>) {
      %t = maxf %l, %q : tile<f32>
      yield %t : tile<f32>
    }
    %k = print_tko "%f %f", %a, %b : tile<8xf32>, tile<8xf32> -> token
    return
  }
}

// -----

// BOTH-LABEL: entry @single
// BOTH-NOT:     reduce:2
// BOTH:         return
cuda_tile.module @m {
  entry @single(%n: tile<f32>) {
    %r = reshape %n : tile<f32> -> tile<1x1xf32>
    %x = broadcast %r : tile<1x1xf32> -> tile<1x4096xf32>
    %a = reduce %x dim=1 identities=[-0.0 : f32] : tile<1x4096xf32> -> tile<1xf32> (%l: tile<f32>, %q: tile<f32>) {
      %t = addf %l, %q : tile<f32>
      yield %t : tile<f32>
    }
    %b = reduce %x dim=1 identities=[-0.0 : f32] : tile<1x4096xf32> -> tile<1xf32> (%l: tile<f32>, %q: tile<f32>) {
      %t = addf %l, %q : tile<f32>
      yield %t : tile<f32>
    }
    %k = print_tko "%f %f", %a, %b : tile<1xf32>, tile<1xf32> -> token
    return
  }
}
