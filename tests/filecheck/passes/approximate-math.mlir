// RUN: tile-opt %s -p legalize-elementwise,approximate-math --split-input-file | filecheck %s
// RUN: tile-opt %s -p legalize-elementwise,approximate-math --split-input-file --remarks=approximate-math -o %t 2>&1 | filecheck %s --check-prefix REMARK

// The distance from the row's maximum is never positive: exp2 moved up by 24 loses no subnormal
// number. What is stored needs the factor back.

// CHECK-LABEL: kernel @distance
// CHECK:         %[[D:.*]] = sub
// CHECK-NEXT:    %[[C:.*]] = constant 2.400000e+01 : f32
// CHECK-NEXT:    %[[SHIFT:.*]] = splat %[[C]]
// CHECK-NEXT:    constant 1.44269502 : f32
// CHECK-NEXT:    %[[LOG:.*]] = splat
// CHECK-NEXT:    %[[T:.*]] = fma %[[D]], %[[LOG]], %[[SHIFT]] : tile<4x8xf32>
// CHECK-NEXT:    %[[P:.*]] = exp2 %[[T]] fastmath<afn, ftz>
// CHECK-NEXT:    constant 5.96046448E-8 : f32
// CHECK-NEXT:    %[[BACK:.*]] = splat
// CHECK-NEXT:    mul %[[P]], %[[BACK]]
// REMARK: remark: exp of a distance from the row's maximum is exp2: licensed by afn
tile_sugar.kernel @distance(%x: tensor<4x8xf32>) {
  %a = load %x[0, 0] : tensor<4x8xf32> -> tile<4x8xf32>
  %m = rowmax %a : tile<4x8xf32>
  %d = sub %a, %m : tile<4x8xf32>, tile<4x1xf32>
  %e = exp %d fastmath<afn> : tile<4x8xf32>
  store %e, %x[0, 0] : tile<4x8xf32>, tensor<4x8xf32>
  return
}

// -----

// A sum alone takes the factor, once a row.

// CHECK-LABEL: kernel @sum
// CHECK:         %[[S:.*]] = rowsum %{{.*}} : tile<4x8xf32>
// CHECK:         mul %[[S]], %{{.*}} : tile<4x1xf32>
tile_sugar.kernel @sum(%x: tensor<4x8xf32>, %y: tensor<4x1xf32>) {
  %a = load %x[0, 0] : tensor<4x8xf32> -> tile<4x8xf32>
  %m = rowmax %a : tile<4x8xf32>
  %d = sub %a, %m : tile<4x8xf32>, tile<4x1xf32>
  %e = exp %d fastmath<afn> : tile<4x8xf32>
  %s = rowsum %e : tile<4x8xf32>
  store %s, %y[0, 0] : tile<4x1xf32>, tensor<4x1xf32>
  return
}

// -----

// The ratio of powers and their sum needs no factor, and divides by a normal number.

// CHECK-LABEL: kernel @ratio
// CHECK:         %[[P:.*]] = exp2
// CHECK-NEXT:    %[[S:.*]] = rowsum %[[P]]
// CHECK:         %[[I:.*]] = div %{{.*}}, %[[S]] fastmath<afn> : tile<4x1xf32>
// CHECK-NEXT:    %[[B:.*]] = broadcast %[[I]]
// CHECK-NEXT:    mul %[[P]], %[[B]] fastmath<afn>
// REMARK: remark: division by a value of each row is a product with its inverse: licensed by afn
tile_sugar.kernel @ratio(%x: tensor<4x8xf32>) {
  %a = load %x[0, 0] : tensor<4x8xf32> -> tile<4x8xf32>
  %m = rowmax %a : tile<4x8xf32>
  %d = sub %a, %m : tile<4x8xf32>, tile<4x1xf32>
  %e = exp %d fastmath<afn> : tile<4x8xf32>
  %s = rowsum %e : tile<4x8xf32>
  %r = div %e, %s fastmath<afn> : tile<4x8xf32>, tile<4x1xf32>
  store %r, %x[0, 0] : tile<4x8xf32>, tensor<4x8xf32>
  return
}

// -----

// With 'contract', a softmax needs one fma an element: the rounding of the row's shift cancels in
// the ratio. Beyond 2**30 the factor is 1, whose product with the maximum is exact.

// CHECK-LABEL: kernel @softmax
// CHECK:         %[[M:.*]] = rowmax %[[A:.*]] : tile<4x8xf32>
// CHECK:         %[[LIMIT:.*]] = constant 1.07374182E+9 : f32
// CHECK:         %[[HUGE:.*]] = cmp gt
// CHECK:         %[[SCALE:.*]] = select %[[HUGE]]
// CHECK:         %[[SHIFT:.*]] = fma %{{.*}}, %[[SCALE]], %{{.*}} : tile<4x1xf32>
// CHECK-DAG:     %[[SCALES:.*]] = broadcast %[[SCALE]]
// CHECK-DAG:     %[[SHIFTS:.*]] = broadcast %[[SHIFT]]
// CHECK:         %[[T:.*]] = fma %[[A]], %[[SCALES]], %[[SHIFTS]] : tile<4x8xf32>
// CHECK-NEXT:    exp2 %[[T]] fastmath<afn, ftz>
// CHECK-NOT:     sub
// REMARK: remark: exp of a softmax is exp2 of one fma: licensed by afn, contract
tile_sugar.kernel @softmax(%x: tensor<4x8xf32>) {
  %a = load %x[0, 0] : tensor<4x8xf32> -> tile<4x8xf32>
  %m = rowmax %a : tile<4x8xf32>
  %d = sub %a, %m fastmath<contract> : tile<4x8xf32>, tile<4x1xf32>
  %e = exp %d fastmath<afn> : tile<4x8xf32>
  %s = rowsum %e : tile<4x8xf32>
  %r = div %e, %s fastmath<afn> : tile<4x8xf32>, tile<4x1xf32>
  store %r, %x[0, 0] : tile<4x8xf32>, tensor<4x8xf32>
  return
}

// -----

// Where the powers are used themselves, the factor would not cancel.

// CHECK-LABEL: kernel @powers_used
// CHECK:         sub
// CHECK:         fma
tile_sugar.kernel @powers_used(%x: tensor<4x8xf32>, %y: tensor<4x8xf32>) {
  %a = load %x[0, 0] : tensor<4x8xf32> -> tile<4x8xf32>
  %m = rowmax %a : tile<4x8xf32>
  %d = sub %a, %m fastmath<contract> : tile<4x8xf32>, tile<4x1xf32>
  %e = exp %d fastmath<afn> : tile<4x8xf32>
  %s = rowsum %e : tile<4x8xf32>
  %r = div %e, %s fastmath<afn> : tile<4x8xf32>, tile<4x1xf32>
  store %r, %x[0, 0] : tile<4x8xf32>, tensor<4x8xf32>
  store %e, %y[0, 0] : tile<4x8xf32>, tensor<4x8xf32>
  return
}

// -----

// Any other exp keeps its results, unless 'ftz' says that subnormal ones may go. Without 'afn'
// nothing changes.

// CHECK-LABEL: kernel @operands
// CHECK:         exp %{{.*}} fastmath<afn>
// CHECK:         mul
// CHECK-NEXT:    exp2 %{{.*}} fastmath<afn, ftz>
// CHECK:         exp %{{[^ ]*}} : tile<4x8xf32>
// REMARK: remark: exp keeps its handling of subnormal results: the operand is no distance from the maximum of its row, and 'ftz' is not given
// REMARK: remark: exp is exp2 that flushes subnormal numbers: licensed by afn, ftz
tile_sugar.kernel @operands(%x: tensor<4x8xf32>) {
  %a = load %x[0, 0] : tensor<4x8xf32> -> tile<4x8xf32>
  %b = exp %a fastmath<afn> : tile<4x8xf32>
  %c = exp %b fastmath<afn, ftz> : tile<4x8xf32>
  %d = exp %c : tile<4x8xf32>
  store %d, %x[0, 0] : tile<4x8xf32>, tensor<4x8xf32>
  return
}

// -----

// The maximum of another tile proves nothing.

// CHECK-LABEL: kernel @other
// CHECK:         exp %{{.*}} fastmath<afn>
tile_sugar.kernel @other(%x: tensor<4x8xf32>, %y: tensor<4x8xf32>) {
  %a = load %x[0, 0] : tensor<4x8xf32> -> tile<4x8xf32>
  %b = load %y[0, 0] : tensor<4x8xf32> -> tile<4x8xf32>
  %m = rowmax %b : tile<4x8xf32>
  %d = sub %a, %m : tile<4x8xf32>, tile<4x1xf32>
  %e = exp %d fastmath<afn> : tile<4x8xf32>
  store %e, %x[0, 0] : tile<4x8xf32>, tensor<4x8xf32>
  return
}

// -----

// A power of two divides exactly, others only by licence; zero and numbers whose inverse is none
// stay.

// CHECK-LABEL: kernel @constants
// CHECK:         constant 2.500000e-01 : f32
// CHECK:         mul
// CHECK:         constant 0.333333343 : f32
// CHECK:         mul %{{.*}} fastmath<afn>
// CHECK-COUNT-2: div
// CHECK-NOT:     mul
// REMARK: remark: division by a constant is a product: licensed by afn
tile_sugar.kernel @constants(%x: tensor<8xf32>) {
  %a = load %x[0] : tensor<8xf32> -> tile<8xf32>
  %four = constant 4.0 : f32
  %three = constant 3.0 : f32
  %zero = constant 0.0 : f32
  %b = div %a, %four : tile<8xf32>, f32
  %c = div %b, %three fastmath<afn> : tile<8xf32>, f32
  %d = div %c, %three : tile<8xf32>, f32
  %e = div %d, %zero fastmath<afn> : tile<8xf32>, f32
  store %e, %x[0] : tile<8xf32>, tensor<8xf32>
  return
}

// -----

// Squares and roots; a quotient by a root is rsqrt.

// CHECK-LABEL: kernel @powers
// CHECK:         square
// CHECK:         sqrt
// CHECK:         select
// CHECK:         rsqrt %{{.*}} fastmath<afn>
// CHECK-NOT:     div
// REMARK: remark: division by a square root is rsqrt: licensed by afn
tile_sugar.kernel @powers(%x: tensor<8xf32>) {
  %a = load %x[0] : tensor<8xf32> -> tile<8xf32>
  %two = constant 2.0 : f32
  %half = constant 0.5 : f32
  %one = constant 1.0 : f32
  %b = pow %a, %two : tile<8xf32>, f32
  %c = pow %b, %half : tile<8xf32>, f32
  %r = sqrt %c fastmath<afn> : tile<8xf32>
  %d = div %one, %r fastmath<afn> : f32, tile<8xf32>
  store %d, %x[0] : tile<8xf32>, tensor<8xf32>
  return
}

// -----

// CHECK-LABEL: kernel @sigmoid
// CHECK:         constant -1.44269502 : f32
// CHECK:         %[[T:.*]] = mul
// CHECK-NEXT:    %[[P:.*]] = exp2 %[[T]] fastmath<afn, ftz>
// CHECK:         %[[S:.*]] = add %[[ONE:.*]], %[[P]]
// CHECK-NEXT:    div %[[ONE]], %[[S]]
// REMARK: remark: sigmoid is exp2 and a division: licensed by afn
tile_sugar.kernel @sigmoid(%x: tensor<8xf32>) {
  %a = load %x[0] : tensor<8xf32> -> tile<8xf32>
  %b = sigmoid %a fastmath<afn> : tile<8xf32>
  store %b, %x[0] : tile<8xf32>, tensor<8xf32>
  return
}
