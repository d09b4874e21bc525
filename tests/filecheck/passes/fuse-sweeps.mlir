// RUN: tile-opt %s -p legalize-elementwise,fuse-sweeps --split-input-file | filecheck %s
// RUN: tile-opt %s -p legalize-elementwise,fuse-sweeps --split-input-file --remarks=fuse-sweeps -o %t 2>&1 | filecheck %s --check-prefix REMARK

// One expression, one sweep: rows, scalars, constants and positions are read as they are.

// CHECK-LABEL: kernel @expression
// CHECK:         %[[R:.*]] = sweep(%[[A:.*]], %[[M:.*]], %n) : tile<4x8xf32>, tile<4x1xf32>, f32 -> tile<4x8xf32> {
// CHECK-NEXT:    ^bb0(%[[X:.*]]: f32, %[[Y:.*]]: f32, %[[N:.*]]: f32):
// CHECK-NEXT:      %[[D:.*]] = sub %[[X]], %[[Y]] : f32
// CHECK-NEXT:      %[[E:.*]] = exp %[[D]] fastmath<afn> : f32
// CHECK-NEXT:      %[[C:.*]] = constant 2.000000e+00 : f32
// CHECK-NEXT:      %[[P:.*]] = mul %[[E]], %[[C]] : f32
// CHECK-NEXT:      %[[Q:.*]] = add %[[P]], %[[N]] : f32
// CHECK-NEXT:      yield %[[Q]] : f32
// CHECK:         store %[[R]]
// REMARK: remark: 4 elementwise operations are one sweep
tile_sugar.kernel @expression(%x: tensor<4x8xf32>, %m: tensor<4x1xf32>, %n: f32) {
  %a = load %x[0, 0] : tensor<4x8xf32> -> tile<4x8xf32>
  %b = load %m[0, 0] : tensor<4x1xf32> -> tile<4x1xf32>
  %two = constant 2.0 : f32
  %d = sub %a, %b : tile<4x8xf32>, tile<4x1xf32>
  %e = exp %d fastmath<afn> : tile<4x8xf32>
  %p = mul %e, %two : tile<4x8xf32>, f32
  %q = add %p, %n : tile<4x8xf32>, f32
  store %q, %x[0, 0] : tile<4x8xf32>, tensor<4x8xf32>
  return
}

// -----

// What two expressions use is computed once, for both; a single operation stays free.

// CHECK-LABEL: kernel @shared
// CHECK:         %[[E:.*]] = exp %{{.*}} : tile<4x8xf32>
// CHECK-NOT:     sweep
// REMARK: remark: begins a sweep of its own: more than one expression uses it
tile_sugar.kernel @shared(%x: tensor<4x8xf32>, %y: tensor<4x1xf32>) {
  %a = load %x[0, 0] : tensor<4x8xf32> -> tile<4x8xf32>
  %e = exp %a : tile<4x8xf32>
  %s = rowsum %e : tile<4x8xf32>
  %q = div %e, %s : tile<4x8xf32>, tile<4x1xf32>
  store %q, %x[0, 0] : tile<4x8xf32>, tensor<4x8xf32>
  return
}

// -----

// Positions are `index`. A computation on broadcasts alone reads them as they are, since a sweep
// would compute it at a smaller shape.

// CHECK-LABEL: kernel @positions
// CHECK:         %[[A:.*]] = load
// CHECK-NEXT:    %[[C:.*]] = iota 1 : tile<4x8xi32>
// CHECK-NEXT:    %[[N:.*]] = splat %n
// CHECK-NEXT:    sweep(%[[A]], %[[C]], %[[N]]) : tile<4x8xi32> -> tile<4x8xi32> {
// CHECK:           index 1
// CHECK-NEXT:      add
// CHECK-NEXT:      sub
// CHECK-NEXT:      max
tile_sugar.kernel @positions(%x: tensor<4x8xi32>, %n: i32) {
  %a = load %x[0, 0] : tensor<4x8xi32> -> tile<4x8xi32>
  %c = iota 1 : tile<4x8xi32>
  %b = add %a, %c : tile<4x8xi32>
  %d = sub %c, %n : tile<4x8xi32>, i32
  %r = max %b, %d : tile<4x8xi32>
  store %r, %x[0, 0] : tile<4x8xi32>, tensor<4x8xi32>
  return
}
