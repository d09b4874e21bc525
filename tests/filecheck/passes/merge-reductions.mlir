// RUN: tile-opt %s -p merge-reductions --split-input-file | filecheck %s
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
