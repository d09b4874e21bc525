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
// REMARK: :[[# @LINE + 5]]:8: remark: 4 elementwise operations are one sweep
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

// What only a reduction uses is its map, a single operation too.

// CHECK-LABEL: kernel @map
// CHECK:         %[[A:.*]] = load
// CHECK-NEXT:    %[[M:.*]] = rowmax %[[A]]
// CHECK-NEXT:    %[[S:.*]] = reduce(%[[A]], %[[M]]) axis 1 kinds [sum] : tile<4x8xf32>, tile<4x1xf32> -> tile<4x1xf32> map {
// CHECK-NEXT:    ^bb0(%[[X:.*]]: f32, %[[Y:.*]]: f32):
// CHECK-NEXT:      %[[D:.*]] = sub %[[X]], %[[Y]] : f32
// CHECK-NEXT:      %[[E:.*]] = exp %[[D]] : f32
// CHECK-NEXT:      yield %[[E]] : f32
// CHECK-NEXT:    }
// CHECK-NEXT:    %[[Q:.*]] = reduce(%[[A]]) axis 1 kinds [min] : tile<4x8xf32> -> tile<4x1xf32> map {
// CHECK:           square
// CHECK:         store %[[S]]
// REMARK: :[[# @LINE + 7]]:8: remark: 2 operations are in the map of this reduction
// REMARK: :[[# @LINE + 8]]:8: remark: an operation is in the map of this reduction
tile_sugar.kernel @map(%x: tensor<4x8xf32>, %y: tensor<4x1xf32>, %z: tensor<4x1xf32>) {
  %a = load %x[0, 0] : tensor<4x8xf32> -> tile<4x8xf32>
  %m = rowmax %a : tile<4x8xf32>
  %d = sub %a, %m : tile<4x8xf32>, tile<4x1xf32>
  %e = exp %d : tile<4x8xf32>
  %s = rowsum %e : tile<4x8xf32>
  %f = square %a : tile<4x8xf32>
  %q = rowmin %f : tile<4x8xf32>
  store %s, %y[0, 0] : tile<4x1xf32>, tensor<4x1xf32>
  store %q, %z[0, 0] : tile<4x1xf32>, tensor<4x1xf32>
  return
}

// -----

// A sum of narrow floats is one of f32 after its map.

// CHECK-LABEL: kernel @narrow
// CHECK:         %[[S:.*]] = reduce(%{{.*}}) axis 1 kinds [sum] : tile<4x8xf16> -> tile<4x1xf32> map {
// CHECK-NEXT:    ^bb0(%[[X:.*]]: f16):
// CHECK-NEXT:      %[[W:.*]] = cast %[[X]] : f16 -> f32
// CHECK-NEXT:      yield %[[W]] : f32
// CHECK:         cast %[[S]] : tile<4x1xf32> -> tile<4x1xf16>
tile_sugar.kernel @narrow(%x: tensor<4x8xf16>, %y: tensor<4x1xf16>) {
  %a = load %x[0, 0] : tensor<4x8xf16> -> tile<4x8xf16>
  %s = rowsum %a : tile<4x8xf16>
  store %s, %y[0, 0] : tile<4x1xf16>, tensor<4x1xf16>
  return
}

// -----

// The map of a general reduction, and that of a scan, begin with what moves in.

// CHECK-LABEL: kernel @general
// CHECK:         %{{.*}}:2 = reduce(%[[A:.*]]) init(%n, %n) axis 0 kinds [sum, max]
// CHECK-NEXT:    ^bb0(%[[X:.*]]: f32):
// CHECK-NEXT:      %[[N:.*]] = neg %[[X]] : f32
// CHECK-NEXT:      %[[Q:.*]] = square %[[N]] : f32
// CHECK-NEXT:      yield %[[Q]], %[[N]] : f32
// CHECK:         scan(%[[A]]) axis 1 kinds [max] reverse : tile<4x8xf32> -> tile<4x8xf32> map {
// CHECK-NEXT:    ^bb0(%[[Y:.*]]: f32):
// CHECK-NEXT:      abs %[[Y]] : f32
tile_sugar.kernel @general(%x: tensor<4x8xf32>, %y: tensor<1x8xf32>, %n: f32) {
  %a = load %x[0, 0] : tensor<4x8xf32> -> tile<4x8xf32>
  %b = neg %a : tile<4x8xf32>
  %s, %m = reduce(%b) init(%n, %n) axis 0 kinds [sum, max] : tile<4x8xf32>, f32, f32 -> tile<1x8xf32>, tile<1x8xf32> map {
  ^bb0(%v: f32):
    %w = square %v : f32
    yield %w, %v : f32
  }
  %c = abs %a : tile<4x8xf32>
  %d = scan(%c) axis 1 kinds [max] reverse : tile<4x8xf32> -> tile<4x8xf32>
  store %s, %y[0, 0] : tile<1x8xf32>, tensor<1x8xf32>
  store %m, %y[0, 0] : tile<1x8xf32>, tensor<1x8xf32>
  store %d, %x[0, 0] : tile<4x8xf32>, tensor<4x8xf32>
  return
}

// -----

// Expressions with the same operands are one sweep of two results, and what both use moves in.

// CHECK-LABEL: kernel @merge
// CHECK:         %[[A:.*]] = load
// CHECK-NEXT:    %[[B:.*]] = load
// CHECK-NEXT:    %[[R:.*]]:2 = sweep(%[[A]], %[[B]]) : tile<4x8xf32> -> tile<4x8xf32>, tile<4x8xi1> {
// CHECK-NEXT:    ^bb0(%[[X:.*]]: f32, %[[Y:.*]]: f32):
// CHECK-NEXT:      %[[S:.*]] = add %[[X]], %[[Y]] : f32
// CHECK-NEXT:      %[[E:.*]] = exp %[[S]] : f32
// CHECK-NEXT:      %[[N:.*]] = neg %[[E]] : f32
// CHECK-NEXT:      %[[F:.*]] = abs %[[S]] : f32
// CHECK-NEXT:      %[[Z:.*]] = constant 1.000000e+00 : f32
// CHECK-NEXT:      %[[C:.*]] = cmp lt %[[F]], %[[Z]] : f32
// CHECK-NEXT:      yield %[[N]], %[[C]] : f32, i1
// REMARK: remark: 5 elementwise operations are one sweep, with 2 results
tile_sugar.kernel @merge(%x: tensor<4x8xf32>, %y: tensor<4x8xf32>, %z: tensor<4x8xi1>) {
  %a = load %x[0, 0] : tensor<4x8xf32> -> tile<4x8xf32>
  %b = load %y[0, 0] : tensor<4x8xf32> -> tile<4x8xf32>
  %one = constant 1.0 : f32
  %s = add %a, %b : tile<4x8xf32>
  %e = exp %s : tile<4x8xf32>
  %n = neg %e : tile<4x8xf32>
  store %n, %x[0, 0] : tile<4x8xf32>, tensor<4x8xf32>
  %f = abs %s : tile<4x8xf32>
  %c = cmp lt %f, %one : tile<4x8xf32>, f32
  store %c, %z[0, 0] : tile<4x8xi1>, tensor<4x8xi1>
  return
}

// -----

// A sweep that a person wrote takes what only it uses, and moves where only one uses it.

// CHECK-LABEL: kernel @written
// CHECK:         sweep(%{{.*}}, %n) : tile<4x8xi32>, i32 -> tile<4x8xi32> {
// CHECK-NEXT:    ^bb0(%[[X:.*]]: i32, %[[N:.*]]: i32):
// CHECK-NEXT:      %[[A:.*]] = neg %[[X]] : i32
// CHECK-NEXT:      %[[I:.*]] = index 1
// CHECK-NEXT:      %[[B:.*]] = add %[[A]], %[[I]] : i32
// CHECK-NEXT:      %[[C:.*]] = mul %[[B]], %[[N]] : i32
// CHECK-NEXT:      %[[D:.*]] = abs %[[C]] : i32
// CHECK-NEXT:      yield %[[D]] : i32
tile_sugar.kernel @written(%x: tensor<4x8xi32>, %n: i32) {
  %a = load %x[0, 0] : tensor<4x8xi32> -> tile<4x8xi32>
  %b = neg %a : tile<4x8xi32>
  %c = sweep(%b, %n) : tile<4x8xi32>, i32 -> tile<4x8xi32> {
  ^bb0(%u: i32, %v: i32):
    %i = index 1
    %s = add %u, %i : i32
    %p = mul %s, %v : i32
    yield %p : i32
  }
  %d = abs %c : tile<4x8xi32>
  store %d, %x[0, 0] : tile<4x8xi32>, tensor<4x8xi32>
  return
}

// -----

// Positions are `index`, and what is made of positions and scalars alone belongs to any shape.

// CHECK-LABEL: kernel @mask
// CHECK:         sweep(%n, %{{.*}}) : i32, tile<4x8xf32> -> tile<4x8xf32> {
// CHECK-NEXT:    ^bb0(%[[N:.*]]: i32, %[[X:.*]]: f32):
// CHECK-NEXT:      %[[I:.*]] = index 1
// CHECK-NEXT:      %[[S:.*]] = add %[[I]], %[[N]] : i32
// CHECK-NEXT:      %[[J:.*]] = index 0
// CHECK-NEXT:      %[[C:.*]] = cmp le %[[S]], %[[J]] : i32
// CHECK-NEXT:      %[[Z:.*]] = constant 0.000000e+00 : f32
// CHECK-NEXT:      %[[R:.*]] = select %[[C]], %[[X]], %[[Z]] : i1, f32, f32
// CHECK-NEXT:      yield %[[R]] : f32
tile_sugar.kernel @mask(%x: tensor<4x8xf32>, %n: i32) {
  %a = load %x[0, 0] : tensor<4x8xf32> -> tile<4x8xf32>
  %zero = constant 0.0 : f32
  %i = iota 1 : tile<1x8xi32>
  %s = add %i, %n : tile<1x8xi32>, i32
  %j = iota 0 : tile<4x1xi32>
  %c = cmp le %s, %j : tile<1x8xi32>, tile<4x1xi32>
  %r = select %c, %a, %zero : tile<4x8xi1>, tile<4x8xf32>, f32
  store %r, %x[0, 0] : tile<4x8xf32>, tensor<4x8xf32>
  return
}

// -----

// A computation on broadcasts alone reads them as they are, since a sweep would compute it at a
// smaller shape.

// CHECK-LABEL: kernel @whole
// CHECK:         %[[A:.*]] = load
// CHECK-NEXT:    %[[C:.*]] = iota 1 : tile<4x8xi32>
// CHECK-NEXT:    %[[N:.*]] = splat %n
// CHECK-NEXT:    sweep(%[[A]], %[[C]], %[[N]]) : tile<4x8xi32> -> tile<4x8xi32> {
// CHECK:           index 1
// CHECK-NEXT:      add
// CHECK-NEXT:      sub
// CHECK-NEXT:      max
tile_sugar.kernel @whole(%x: tensor<4x8xi32>, %n: i32) {
  %a = load %x[0, 0] : tensor<4x8xi32> -> tile<4x8xi32>
  %c = iota 1 : tile<4x8xi32>
  %b = add %a, %c : tile<4x8xi32>
  %d = sub %c, %n : tile<4x8xi32>, i32
  %r = max %b, %d : tile<4x8xi32>
  store %r, %x[0, 0] : tile<4x8xi32>, tensor<4x8xi32>
  return
}

// -----

// What two expressions use is computed once, for both; a single operation stays free.

// CHECK-LABEL: kernel @shared
// CHECK:         %[[E:.*]] = exp %{{.*}} : tile<4x8xf32>
// CHECK-NEXT:    rowsum %[[E]]
// CHECK-NOT:     sweep
// REMARK: :[[# @LINE + 3]]:8: remark: exp stays apart: more than one expression uses it
tile_sugar.kernel @shared(%x: tensor<4x8xf32>) {
  %a = load %x[0, 0] : tensor<4x8xf32> -> tile<4x8xf32>
  %e = exp %a : tile<4x8xf32>
  %s = rowsum %e : tile<4x8xf32>
  %q = div %e, %s : tile<4x8xf32>, tile<4x1xf32>
  store %q, %x[0, 0] : tile<4x8xf32>, tensor<4x8xf32>
  return
}

// -----

// A store uses it too.

// CHECK-LABEL: kernel @stored
// CHECK-NOT:     sweep
// CHECK:         return
// REMARK: :[[# @LINE + 3]]:8: remark: exp stays apart: 'tile_sugar.store' uses it too
tile_sugar.kernel @stored(%x: tensor<8xf32>, %y: tensor<8xf32>) {
  %a = load %x[0] : tensor<8xf32> -> tile<8xf32>
  %e = exp %a : tile<8xf32>
  %n = neg %e : tile<8xf32>
  store %e, %x[0] : tile<8xf32>, tensor<8xf32>
  store %n, %y[0] : tile<8xf32>, tensor<8xf32>
  return
}

// -----

// A row's work is done once a row.

// CHECK-LABEL: kernel @row
// CHECK:         %[[S:.*]] = sqrt %{{.*}} : tile<4x1xf32>
// CHECK:         sweep(%{{.*}}, %[[S]])
// REMARK: :[[# @LINE + 4]]:8: remark: sqrt stays apart: needed at 4x1, and its use is an expression of 4x8
tile_sugar.kernel @row(%x: tensor<4x8xf32>, %y: tensor<4x1xf32>) {
  %a = load %x[0, 0] : tensor<4x8xf32> -> tile<4x8xf32>
  %b = load %y[0, 0] : tensor<4x1xf32> -> tile<4x1xf32>
  %s = sqrt %b : tile<4x1xf32>
  %p = mul %a, %s : tile<4x8xf32>, tile<4x1xf32>
  %q = neg %p : tile<4x8xf32>
  store %q, %x[0, 0] : tile<4x8xf32>, tensor<4x8xf32>
  return
}

// -----

// What a loop uses is computed before it.

// CHECK-LABEL: kernel @loop
// CHECK:         exp
// CHECK-NEXT:    scf.for
// CHECK-NOT:     sweep
// REMARK: :[[# @LINE + 5]]:8: remark: exp stays apart: it is used in another block
tile_sugar.kernel @loop(%x: tensor<8xf32>, %n: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %a = load %x[0] : tensor<8xf32> -> tile<8xf32>
  %e = exp %a : tile<8xf32>
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%s = %a) -> (tile<8xf32>) : i32 {
    %t = add %s, %e : tile<8xf32>
    scf.yield %t : tile<8xf32>
  }
  store %r, %x[0] : tile<8xf32>, tensor<8xf32>
  return
}

// -----

// Nothing would say how long the rows are.

// CHECK-LABEL: kernel @positions
// CHECK:         %[[I:.*]] = sweep(%n)
// CHECK:         rowsum %[[I]]
// REMARK: remark: add stays apart: no operand has the shape 4x8 of the reduction
tile_sugar.kernel @positions(%y: tensor<4x1xi32>, %n: i32) {
  %i = iota 1 : tile<1x8xi32>
  %j = iota 0 : tile<4x1xi32>
  %k = mul %j, %n : tile<4x1xi32>, i32
  %s = add %i, %k : tile<1x8xi32>, tile<4x1xi32>
  %r = rowsum %s : tile<4x8xi32>
  store %r, %y[0, 0] : tile<4x1xi32>, tensor<4x1xi32>
  return
}

// -----

// Padding gives a quotient a safe divisor, at the shape of the tile.

// CHECK-LABEL: kernel @padded
// CHECK-NOT:     sweep
// CHECK:         return
// REMARK: remark: div stays apart: padding gives it a safe operand
tile_sugar.kernel @padded(%x: tensor<4x7xi32>) {
  %a = load %x[0, 0] fill 1 : tensor<4x7xi32> -> tile<4x7xi32>
  %b = neg %a : tile<4x7xi32>
  %q = div %a, %b : tile<4x7xi32>
  store %q, %x[0, 0] : tile<4x7xi32>, tensor<4x7xi32>
  return
}
