// RUN: tile-opt %s --split-input-file -p legalize-elementwise,pad-to-power-of-two | filecheck %s

// Accesses say how much is logical. A sum selects its identity -0.0 in the padding of its axis.
tile_sugar.kernel @sum(%X: tensor<?x100xf32>) {
  %x = load %X[0, 0] : tensor<?x100xf32> -> tile<3x100xf32>
  %s = rowsum %x : tile<3x100xf32>
  store %s, %X[0, 0] : tile<3x1xf32>, tensor<?x100xf32>
  return
}

// CHECK: tile_sugar.kernel @sum(%X: tensor<?x100xf32>) {
// CHECK-NEXT: %0 = load %X[0, 0] extent [3, 100] : tensor<?x100xf32> -> tile<4x128xf32>
// CHECK-NEXT: %1 = constant -0.000000e+00 : f32
// CHECK-NEXT: %2 = splat %1 : f32 -> tile<4x128xf32>
// CHECK-NEXT: %3 = iota 1 : tile<1x128xi32>
// CHECK-NEXT: %4 = constant 100 : i32
// CHECK-NEXT: %5 = splat %4 : i32 -> tile<1x128xi32>
// CHECK-NEXT: %6 = cmp lt %3, %5 : tile<1x128xi32>
// CHECK-NEXT: %7 = broadcast %6 : tile<1x128xi1> -> tile<4x128xi1>
// CHECK-NEXT: %8 = select %7, %0, %2 : tile<4x128xi1>, tile<4x128xf32>, tile<4x128xf32>
// CHECK-NEXT: %9 = rowsum %8 : tile<4x128xf32>
// CHECK-NEXT: store %9, %X[0, 0] extent [3, 1] : tile<4x1xf32>, tensor<?x100xf32>
// CHECK-NEXT: return
// CHECK-NEXT: }

// -----

// No select where the padding holds the identity already.
tile_sugar.kernel @filled(%X: tensor<?x100xf32>) {
  %x = load %X[0, 0] fill nan : tensor<?x100xf32> -> tile<4x100xf32>
  %s = rowmax %x : tile<4x100xf32>
  store %s, %X[0, 0] : tile<4x1xf32>, tensor<?x100xf32>
  return
}

// CHECK: tile_sugar.kernel @filled(%X: tensor<?x100xf32>) {
// CHECK-NEXT: %0 = load %X[0, 0] fill 0x7FC00000 extent [4, 100] : tensor<?x100xf32> -> tile<4x128xf32>
// CHECK-NEXT: %1 = rowmax %0 : tile<4x128xf32>
// CHECK-NEXT: store %1, %X[0, 0] : tile<4x1xf32>, tensor<?x100xf32>
// CHECK-NEXT: return
// CHECK-NEXT: }

// -----

// A product selects 0 along K of both operands, not along M and N.
tile_sugar.kernel @product(%X: tensor<3x5xf32>) {
  %a = load %X[0, 0] fill 1.0 : tensor<3x5xf32> -> tile<3x5xf32>
  %b = load %X[0, 0] : tensor<3x5xf32> -> tile<5x3xf32>
  %z = constant 0.0 : tile<3x3xf32>
  %p = dot %a, %b acc %z : tile<3x5xf32>, tile<5x3xf32>, tile<3x3xf32>
  store %p, %X[0, 0] : tile<3x3xf32>, tensor<3x5xf32>
  return
}

// CHECK: tile_sugar.kernel @product(%X: tensor<3x5xf32>) {
// CHECK-NEXT: %0 = load %X[0, 0] fill 1.000000e+00 extent [3, 5] : tensor<3x5xf32> -> tile<4x8xf32>
// CHECK-NEXT: %1 = load %X[0, 0] extent [5, 3] : tensor<3x5xf32> -> tile<8x4xf32>
// CHECK-NEXT: %2 = constant 0.000000e+00 : tile<4x4xf32>
// CHECK-NEXT: %3 = constant 0.000000e+00 : f32
// CHECK-NEXT: %4 = splat %3 : f32 -> tile<4x8xf32>
// CHECK-NEXT: %5 = iota 1 : tile<1x8xi32>
// CHECK-NEXT: %6 = constant 5 : i32
// CHECK-NEXT: %7 = splat %6 : i32 -> tile<1x8xi32>
// CHECK-NEXT: %8 = cmp lt %5, %7 : tile<1x8xi32>
// CHECK-NEXT: %9 = broadcast %8 : tile<1x8xi1> -> tile<4x8xi1>
// CHECK-NEXT: %10 = select %9, %0, %4 : tile<4x8xi1>, tile<4x8xf32>, tile<4x8xf32>
// CHECK-NEXT: %11 = dot %10, %1 acc %2 : tile<4x8xf32>, tile<8x4xf32>, tile<4x4xf32>
// CHECK-NEXT: store %11, %X[0, 0] extent [3, 3] : tile<4x4xf32>, tensor<3x5xf32>
// CHECK-NEXT: return
// CHECK-NEXT: }

// -----

// A division sees a safe divisor in the padding; a constant one is safe.
tile_sugar.kernel @divide(%X: tensor<3xi32>) {
  %a = load %X[0] : tensor<3xi32> -> tile<3xi32>
  %q = div %a, %a : tile<3xi32>
  %two = constant 2 : tile<3xi32>
  %r = div %q, %two : tile<3xi32>
  store %r, %X[0] : tile<3xi32>, tensor<3xi32>
  return
}

// CHECK: tile_sugar.kernel @divide(%X: tensor<3xi32>) {
// CHECK-NEXT: %0 = load %X[0] extent [3] : tensor<3xi32> -> tile<4xi32>
// CHECK-NEXT: %1 = constant 1 : i32
// CHECK-NEXT: %2 = splat %1 : i32 -> tile<4xi32>
// CHECK-NEXT: %3 = iota 0 : tile<4xi32>
// CHECK-NEXT: %4 = constant 3 : i32
// CHECK-NEXT: %5 = splat %4 : i32 -> tile<4xi32>
// CHECK-NEXT: %6 = cmp lt %3, %5 : tile<4xi32>
// CHECK-NEXT: %7 = select %6, %0, %2 : tile<4xi1>, tile<4xi32>, tile<4xi32>
// CHECK-NEXT: %8 = div %0, %7 : tile<4xi32>
// CHECK-NEXT: %9 = constant 2 : tile<4xi32>
// CHECK-NEXT: %10 = div %8, %9 : tile<4xi32>
// CHECK-NEXT: store %10, %X[0] extent [3] : tile<4xi32>, tensor<3xi32>
// CHECK-NEXT: return
// CHECK-NEXT: }

// -----

// The body of a sweep tells padding by its index.
tile_sugar.kernel @sweep(%X: tensor<3xi32>) {
  %a = load %X[0] : tensor<3xi32> -> tile<3xi32>
  %q = sweep(%a) : tile<3xi32> -> tile<3xi32> {
  ^bb0(%x: i32):
    %0 = rem %x, %x : i32
    yield %0 : i32
  }
  store %q, %X[0] : tile<3xi32>, tensor<3xi32>
  return
}

// CHECK: tile_sugar.kernel @sweep(%X: tensor<3xi32>) {
// CHECK-NEXT: %0 = load %X[0] extent [3] : tensor<3xi32> -> tile<4xi32>
// CHECK-NEXT: %1 = sweep(%0) : tile<4xi32> -> tile<4xi32> {
// CHECK-NEXT: ^bb0(%arg0: i32):
// CHECK-NEXT: %2 = index 0
// CHECK-NEXT: %3 = constant 3 : i32
// CHECK-NEXT: %4 = cmp lt %2, %3 : i32
// CHECK-NEXT: %5 = constant 1 : i32
// CHECK-NEXT: %6 = select %4, %arg0, %5 : i1, i32, i32
// CHECK-NEXT: %7 = rem %arg0, %6 : i32
// CHECK-NEXT: yield %7 : i32
// CHECK-NEXT: }
// CHECK-NEXT: store %1, %X[0] extent [3] : tile<4xi32>, tensor<3xi32>
// CHECK-NEXT: return
// CHECK-NEXT: }

// -----

// Unsigned elements become signless; casts remember.
tile_sugar.kernel @unsigned(%X: tensor<4xui8>, %Y: tensor<4xf32>) {
  %a = load %X[0] fill 255 : tensor<4xui8> -> tile<4xui8>
  %f = cast %a : tile<4xui8> -> tile<4xf32>
  store %f, %Y[0] : tile<4xf32>, tensor<4xf32>
  return
}

// CHECK: tile_sugar.kernel @unsigned(%X: tensor<4xi8>, %Y: tensor<4xf32>) {
// CHECK-NEXT: %0 = load %X[0] fill -1 : tensor<4xi8> -> tile<4xi8>
// CHECK-NEXT: %1 = cast %0 from_unsigned : tile<4xi8> -> tile<4xf32>
// CHECK-NEXT: store %1, %Y[0] : tile<4xf32>, tensor<4xf32>
// CHECK-NEXT: return
// CHECK-NEXT: }

// -----

// The second part of a concatenation is repeated until it is as long as the first.
tile_sugar.kernel @concat(%X: tensor<9xf32>) {
  %a = load %X[0] : tensor<9xf32> -> tile<8xf32>
  %b = load %X[0] : tensor<9xf32> -> tile<1xf32>
  %c = concat %a, %b axis 0 : tile<8xf32>, tile<1xf32>
  store %c, %X[0] : tile<9xf32>, tensor<9xf32>
  return
}

// CHECK: tile_sugar.kernel @concat(%X: tensor<9xf32>) {
// CHECK-NEXT: %0 = load %X[0] : tensor<9xf32> -> tile<8xf32>
// CHECK-NEXT: %1 = load %X[0] : tensor<9xf32> -> tile<1xf32>
// CHECK-NEXT: %2 = reshape %1 : tile<1xf32> -> tile<1x1xf32>
// CHECK-NEXT: %3 = broadcast %2 : tile<1x1xf32> -> tile<8x1xf32>
// CHECK-NEXT: %4 = reshape %3 : tile<8x1xf32> -> tile<8xf32>
// CHECK-NEXT: %5 = concat %0, %4 axis 0 : tile<8xf32>
// CHECK-NEXT: store %5, %X[0] extent [9] : tile<16xf32>, tensor<9xf32>
// CHECK-NEXT: return
// CHECK-NEXT: }
