// RUN: tile-opt %s --split-input-file -p legalize-elementwise | filecheck %s

// Casts come first, in the narrow shape, then broadcasts and splats.
tile_sugar.kernel @promote(%X: tensor<8x100xf32>, %h: f16, %n: i8) {
  %x = load %X[0, 0] : tensor<8x100xf32> -> tile<8x100xf32>
  %m = rowmax %x : tile<8x100xf32>
  %c = cast %m : tile<8x1xf32> -> tile<8x1xf16>
  %0 = sub %x, %c : tile<8x100xf32>, tile<8x1xf16>
  %1 = mul %0, %h : tile<8x100xf32>, f16
  %2 = cmp lt %1, %n : tile<8x100xf32>, i8
  %3 = select %2, %1, %m : tile<8x100xi1>, tile<8x100xf32>, tile<8x1xf32>
  store %3, %X[0, 0] : tile<8x100xf32>, tensor<8x100xf32>
  return
}

// CHECK: tile_sugar.kernel @promote(%X: tensor<8x100xf32>, %h: f16, %n: i8) {
// CHECK-NEXT: %0 = load %X[0, 0] : tensor<8x100xf32> -> tile<8x100xf32>
// CHECK-NEXT: %1 = rowmax %0 : tile<8x100xf32>
// CHECK-NEXT: %2 = cast %1 : tile<8x1xf32> -> tile<8x1xf16>
// CHECK-NEXT: %3 = cast %2 : tile<8x1xf16> -> tile<8x1xf32>
// CHECK-NEXT: %4 = broadcast %3 : tile<8x1xf32> -> tile<8x100xf32>
// CHECK-NEXT: %5 = sub %0, %4 : tile<8x100xf32>
// CHECK-NEXT: %6 = cast %h : f16 -> f32
// CHECK-NEXT: %7 = splat %6 : f32 -> tile<8x100xf32>
// CHECK-NEXT: %8 = mul %5, %7 : tile<8x100xf32>
// CHECK-NEXT: %9 = cast %n : i8 -> f32
// CHECK-NEXT: %10 = splat %9 : f32 -> tile<8x100xf32>
// CHECK-NEXT: %11 = cmp lt %8, %10 : tile<8x100xf32>
// CHECK-NEXT: %12 = broadcast %1 : tile<8x1xf32> -> tile<8x100xf32>
// CHECK-NEXT: %13 = select %11, %8, %12 : tile<8x100xi1>, tile<8x100xf32>, tile<8x100xf32>
// CHECK-NEXT: store %13, %X[0, 0] : tile<8x100xf32>, tensor<8x100xf32>
// CHECK-NEXT: return
// CHECK-NEXT: }

// -----

// Regions over scalars get casts alone, and the count of a shift stays as it is.
tile_sugar.kernel @scalars(%X: tensor<8x100xi32>, %n: i8) {
  %x = load %X[0, 0] : tensor<8x100xi32> -> tile<8x100xi32>
  %s = shl %x, %n : tile<8x100xi32>, i8
  %y = sweep(%s, %n) : tile<8x100xi32>, i8 -> tile<8x100xi32> {
  ^bb0(%a: i32, %b: i8):
    %0 = add %a, %b : i32, i8
    yield %0 : i32
  }
  store %y, %X[0, 0] : tile<8x100xi32>, tensor<8x100xi32>
  return
}

// CHECK: tile_sugar.kernel @scalars(%X: tensor<8x100xi32>, %n: i8) {
// CHECK-NEXT: %0 = load %X[0, 0] : tensor<8x100xi32> -> tile<8x100xi32>
// CHECK-NEXT: %1 = splat %n : i8 -> tile<8x100xi8>
// CHECK-NEXT: %2 = shl %0, %1 : tile<8x100xi32>, tile<8x100xi8>
// CHECK-NEXT: %3 = sweep(%2, %n) : tile<8x100xi32>, i8 -> tile<8x100xi32> {
// CHECK-NEXT: ^bb0(%arg0: i32, %arg1: i8):
// CHECK-NEXT: %4 = cast %arg1 : i8 -> i32
// CHECK-NEXT: %5 = add %arg0, %4 : i32
// CHECK-NEXT: yield %5 : i32
// CHECK-NEXT: }
// CHECK-NEXT: store %3, %X[0, 0] : tile<8x100xi32>, tensor<8x100xi32>
// CHECK-NEXT: return
// CHECK-NEXT: }

// -----

// Sums of narrow floats are those of f32, rounded once; no other reduction is wider.
tile_sugar.kernel @sums(%X: tensor<8x100xf16>, %Y: tensor<8x1xf16>) {
  %x = load %X[0, 0] : tensor<8x100xf16> -> tile<8x100xf16>
  %s = rowsum %x axis 1 : tile<8x100xf16>
  %m = rowmax %x : tile<8x100xf16>
  store %s, %Y[0, 0] : tile<8x1xf16>, tensor<8x1xf16>
  return
}

// CHECK: tile_sugar.kernel @sums
// CHECK-NEXT: %[[X:.*]] = load
// CHECK-NEXT: %[[W:.*]] = cast %[[X]] : tile<8x100xf16> -> tile<8x100xf32>
// CHECK-NEXT: %[[S:.*]] = rowsum %[[W]] axis 1 : tile<8x100xf32>
// CHECK-NEXT: %[[R:.*]] = cast %[[S]] : tile<8x1xf32> -> tile<8x1xf16>
// CHECK-NEXT: rowmax %[[X]] : tile<8x100xf16>
// CHECK-NEXT: store %[[R]]
