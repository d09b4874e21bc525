// RUN: tile-opt %s -p fuse-fma --split-input-file | filecheck %s
// RUN: tile-opt %s -p 'fuse-fma{duplicate=true}' --split-input-file | filecheck %s --check-prefix TWICE
// RUN: tile-opt %s -p fuse-fma --split-input-file --remarks=fuse-fma -o %t 2>&1 | filecheck %s --check-prefix REMARK

// All four forms.

// CHECK-LABEL: entry @forms
// CHECK-NEXT:    %0 = fma %arg0, %arg1, %arg2  : tile<f32>
// CHECK-NEXT:    %1 = fma %arg0, %arg1, %arg2  : tile<f32>
// CHECK-NEXT:    %2 = negf %arg2 : tile<f32>
// CHECK-NEXT:    %3 = fma %arg0, %arg1, %2  : tile<f32>
// CHECK-NEXT:    %4 = negf %arg0 : tile<f32>
// CHECK-NEXT:    %5 = fma %4, %arg1, %arg2  : tile<f32>
// CHECK-NEXT:    print_tko "%f %f %f %f", %0, %1, %3, %5
// REMARK: remark: fused with its product
cuda_tile.module @m {
  entry @forms(%a: tile<f32>, %b: tile<f32>, %c: tile<f32>) {
    %p = mulf %a, %b : tile<f32>
    %r = addf %p, %c : tile<f32>
    %q = mulf %a, %b : tile<f32>
    %s = addf %c, %q : tile<f32>
    %u = mulf %a, %b : tile<f32>
    %v = subf %u, %c : tile<f32>
    %w = mulf %a, %b : tile<f32>
    %x = subf %c, %w : tile<f32>
    %t = print_tko "%f %f %f %f", %r, %s, %v, %x : tile<f32>, tile<f32>, tile<f32>, tile<f32> -> token
    return
  }
}

// -----

// A product with another use is computed twice only when asked.

// CHECK-LABEL: entry @shared
// CHECK-NEXT:    %0 = mulf
// CHECK-NEXT:    %1 = addf
// TWICE-LABEL: entry @shared
// TWICE-NEXT:    %0 = mulf
// TWICE-NEXT:    %1 = fma
// REMARK: remark: not fused with its product, which has other uses
cuda_tile.module @m {
  entry @shared(%a: tile<f32>, %b: tile<f32>, %c: tile<f32>) {
    %p = mulf %a, %b : tile<f32>
    %r = addf %p, %c : tile<f32>
    %t = print_tko "%f %f", %p, %r : tile<f32>, tile<f32> -> token
    return
  }
}

// -----

// Product and sum round and flush alike, or stay.

// CHECK-LABEL: entry @roundings
// CHECK:         mulf %arg0, %arg1 rounding<zero> : tile<f32>
// CHECK:         addf
// CHECK:         mulf %arg0, %arg1 flush_to_zero : tile<f32>
// CHECK:         addf
// CHECK:         fma %arg0, %arg1, %arg2 rounding<zero> flush_to_zero : tile<f32>
// REMARK: remark: not fused with its product: they round or flush differently
cuda_tile.module @m {
  entry @roundings(%a: tile<f32>, %b: tile<f32>, %c: tile<f32>) {
    %p = mulf %a, %b rounding<zero> : tile<f32>
    %r = addf %p, %c : tile<f32>
    %q = mulf %a, %b flush_to_zero : tile<f32>
    %s = addf %q, %c : tile<f32>
    %u = mulf %a, %b rounding<zero> flush_to_zero : tile<f32>
    %v = addf %u, %c rounding<zero> flush_to_zero : tile<f32>
    %t = print_tko "%f %f %f", %r, %s, %v : tile<f32>, tile<f32>, tile<f32> -> token
    return
  }
}

// -----

// Of two products, the left one is fused.

// CHECK-LABEL: entry @two_products
// CHECK-NEXT:    %0 = mulf %arg2, %arg3  : tile<f32>
// CHECK-NEXT:    %1 = negf %0 : tile<f32>
// CHECK-NEXT:    %2 = fma %arg0, %arg1, %1  : tile<f32>
cuda_tile.module @m {
  entry @two_products(%a: tile<f32>, %b: tile<f32>, %c: tile<f32>, %d: tile<f32>) {
    %p = mulf %a, %b : tile<f32>
    %q = mulf %c, %d : tile<f32>
    %r = subf %p, %q : tile<f32>
    %t = print_tko "%f", %r : tile<f32> -> token
    return
  }
}
