// RUN: tile-opt %s -p legalize-elementwise,contract-fma --split-input-file | filecheck %s
// RUN: tile-opt %s -p legalize-elementwise,contract-fma --split-input-file --remarks=contract-fma -o %t 2>&1 | filecheck %s --check-prefix REMARK

// All forms, where both the product and the sum allow it.

// CHECK-LABEL: kernel @forms
// CHECK:         %[[A:.*]] = load
// CHECK-NEXT:    %[[B:.*]] = fma %[[A]], %[[A]], %[[A]] fastmath<contract>
// CHECK-NEXT:    %[[C:.*]] = fma %[[B]], %[[A]], %[[B]] fastmath<contract>
// CHECK-NEXT:    %[[N:.*]] = neg %[[A]]
// CHECK-NEXT:    %[[D:.*]] = fma %[[C]], %[[C]], %[[N]] fastmath<contract>
// CHECK-NEXT:    %[[M:.*]] = neg %[[D]]
// CHECK-NEXT:    %[[E:.*]] = fma %[[M]], %[[B]], %[[A]] fastmath<contract>
// CHECK-NEXT:    store %[[E]]
// REMARK: remark: contracted with its product: licensed by contract
tile_sugar.kernel @forms(%x: tensor<8xf32>) {
  %a = load %x[0] : tensor<8xf32> -> tile<8xf32>
  %p = mul %a, %a fastmath<contract> : tile<8xf32>
  %b = add %p, %a fastmath<contract> : tile<8xf32>
  %q = mul %b, %a fastmath<contract> : tile<8xf32>
  %c = add %b, %q fastmath<contract> : tile<8xf32>
  %r = square %c fastmath<contract> : tile<8xf32>
  %d = sub %r, %a fastmath<contract> : tile<8xf32>
  %s = mul %d, %b fastmath<contract> : tile<8xf32>
  %e = sub %a, %s fastmath<contract> : tile<8xf32>
  store %e, %x[0] : tile<8xf32>, tensor<8xf32>
  return
}

// -----

// No licence on one of the two, different flushing, another use: the product stays.

// CHECK-LABEL: kernel @kept
// CHECK-NOT:     fma
// REMARK: remark: not contracted with its product, which has no licence: 'contract'
// REMARK: remark: not contracted with its product: one of them flushes subnormal numbers
// REMARK: remark: not contracted with its product, which has other uses
tile_sugar.kernel @kept(%x: tensor<8xf32>) {
  %a = load %x[0] : tensor<8xf32> -> tile<8xf32>
  %p = mul %a, %a : tile<8xf32>
  %b = add %p, %a fastmath<contract> : tile<8xf32>
  %q = mul %b, %a fastmath<contract> : tile<8xf32>
  %c = add %b, %q : tile<8xf32>
  %r = mul %c, %a fastmath<contract, ftz> : tile<8xf32>
  %d = add %r, %b fastmath<contract> : tile<8xf32>
  %s = mul %d, %a fastmath<contract> : tile<8xf32>
  %e = add %s, %s fastmath<contract> : tile<8xf32>
  store %e, %x[0] : tile<8xf32>, tensor<8xf32>
  return
}

// -----

// In a sweep as well, and for floats alone.

// CHECK-LABEL: kernel @sweep
// CHECK:         fma
// CHECK:         mul
// CHECK-NEXT:    add
tile_sugar.kernel @sweep(%x: tensor<8xf32>, %y: tensor<8xi32>) {
  %a = load %x[0] : tensor<8xf32> -> tile<8xf32>
  %b = sweep(%a) : tile<8xf32> -> tile<8xf32> {
  ^bb0(%s: f32):
    %p = mul %s, %s fastmath<contract> : f32
    %q = add %p, %s fastmath<contract> : f32
    yield %q : f32
  }
  store %b, %x[0] : tile<8xf32>, tensor<8xf32>
  %i = load %y[0] : tensor<8xi32> -> tile<8xi32>
  %p = mul %i, %i fastmath<contract> : tile<8xi32>
  %q = add %p, %i fastmath<contract> : tile<8xi32>
  store %q, %y[0] : tile<8xi32>, tensor<8xi32>
  return
}

// -----

// A product before a loop is computed once.

// CHECK-LABEL: kernel @block
// CHECK:         mul
// CHECK-NEXT:    scf.for
// CHECK-NEXT:      add
// REMARK: :[[# @LINE + 7]]:10: remark: not contracted with its product, which is in another block
tile_sugar.kernel @block(%x: tensor<8xf32>, %n: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %a = load %x[0] : tensor<8xf32> -> tile<8xf32>
  %p = mul %a, %a fastmath<contract> : tile<8xf32>
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%s = %a) -> (tile<8xf32>) : i32 {
    %t = add %s, %p fastmath<contract> : tile<8xf32>
    scf.yield %t : tile<8xf32>
  }
  store %r, %x[0] : tile<8xf32>, tensor<8xf32>
  return
}
