// RUN: tile-opt %s --split-input-file -p expand-library | filecheck %s

// The maximum is replaced by 0 where it is infinite, and the reciprocal is taken once a row.
tile_sugar.kernel @softmax(%X: tensor<?x100xf32>) {
  %x = load %X[0, 0] : tensor<?x100xf32> -> tile<8x100xf32>
  %s = softmax %x : tile<8x100xf32>
  store %s, %X[0, 0] : tile<8x100xf32>, tensor<?x100xf32>
  return
}

// CHECK: tile_sugar.kernel @softmax(%X: tensor<?x100xf32>) {
// CHECK-NEXT: %0 = load %X[0, 0] : tensor<?x100xf32> -> tile<8x100xf32>
// CHECK-NEXT: %1 = rowmax %0 axis 1 : tile<8x100xf32>
// CHECK-NEXT: %2 = abs %1 : tile<8x1xf32>
// CHECK-NEXT: %3 = constant 0x7F800000 : f32
// CHECK-NEXT: %4 = cmp eq %2, %3 : tile<8x1xf32>, f32
// CHECK-NEXT: %5 = constant 0.000000e+00 : f32
// CHECK-NEXT: %6 = select %4, %5, %1 : tile<8x1xi1>, f32, tile<8x1xf32>
// CHECK-NEXT: %7 = sub %0, %6 : tile<8x100xf32>, tile<8x1xf32>
// CHECK-NEXT: %8 = exp %7 : tile<8x100xf32>
// CHECK-NEXT: %9 = rowsum %8 axis 1 : tile<8x100xf32>
// CHECK-NEXT: %10 = constant 1.000000e+00 : f32
// CHECK-NEXT: %11 = div %10, %9 : f32, tile<8x1xf32>
// CHECK-NEXT: %12 = mul %8, %11 : tile<8x100xf32>, tile<8x1xf32>
// CHECK-NEXT: store %12, %X[0, 0] : tile<8x100xf32>, tensor<?x100xf32>
// CHECK-NEXT: return
// CHECK-NEXT: }

// -----

// Sums of f16 are taken in f32 and rounded once.
tile_sugar.kernel @mean(%X: tensor<?x100xf16>) {
  %x = load %X[0, 0] : tensor<?x100xf16> -> tile<8x100xf16>
  %s = rowmean %x : tile<8x100xf16>
  store %s, %X[0, 0] : tile<8x1xf16>, tensor<?x100xf16>
  return
}

// CHECK: tile_sugar.kernel @mean(%X: tensor<?x100xf16>) {
// CHECK-NEXT: %0 = load %X[0, 0] : tensor<?x100xf16> -> tile<8x100xf16>
// CHECK-NEXT: %1 = cast %0 : tile<8x100xf16> -> tile<8x100xf32>
// CHECK-NEXT: %2 = rowsum %1 axis 1 : tile<8x100xf32>
// CHECK-NEXT: %3 = constant 1.000000e+02 : f32
// CHECK-NEXT: %4 = div %2, %3 : tile<8x1xf32>, f32
// CHECK-NEXT: %5 = cast %4 : tile<8x1xf32> -> tile<8x1xf16>
// CHECK-NEXT: store %5, %X[0, 0] : tile<8x1xf16>, tensor<?x100xf16>
// CHECK-NEXT: return
// CHECK-NEXT: }

// -----

// No position wins in a row of only NaN: it answers 0.
tile_sugar.kernel @argmax(%X: tensor<?x100xf32>, %I: tensor<?x1xi32>) {
  %x = load %X[0, 0] : tensor<?x100xf32> -> tile<8x100xf32>
  %s = rowargmax %x : tile<8x100xf32>
  store %s, %I[0, 0] : tile<8x1xi32>, tensor<?x1xi32>
  return
}

// CHECK: tile_sugar.kernel @argmax(%X: tensor<?x100xf32>, %I: tensor<?x1xi32>) {
// CHECK-NEXT: %0 = load %X[0, 0] : tensor<?x100xf32> -> tile<8x100xf32>
// CHECK-NEXT: %1 = rowmax %0 axis 1 : tile<8x100xf32>
// CHECK-NEXT: %2 = cmp eq %0, %1 : tile<8x100xf32>, tile<8x1xf32>
// CHECK-NEXT: %3 = iota 1 : tile<1x100xi32>
// CHECK-NEXT: %4 = constant 2147483647 : i32
// CHECK-NEXT: %5 = select %2, %3, %4 : tile<8x100xi1>, tile<1x100xi32>, i32
// CHECK-NEXT: %6 = rowmin %5 axis 1 : tile<8x100xi32>
// CHECK-NEXT: %7 = constant 2147483647 : i32
// CHECK-NEXT: %8 = cmp eq %6, %7 : tile<8x1xi32>, i32
// CHECK-NEXT: %9 = constant 0 : i32
// CHECK-NEXT: %10 = select %8, %9, %6 : tile<8x1xi1>, i32, tile<8x1xi32>
// CHECK-NEXT: store %10, %I[0, 0] : tile<8x1xi32>, tensor<?x1xi32>
// CHECK-NEXT: return
// CHECK-NEXT: }

// -----

// The accumulator of a product is the other summand, when the product has no other use.
tile_sugar.kernel @accumulate(%C: tensor<16x16xf32>) {
  %a = constant 1.0 : tile<16x16xf16>
  %c = load %C[0, 0] : tensor<16x16xf32> -> tile<16x16xf32>
  %p = dot %a, %a : tile<16x16xf16>
  %s = add %c, %p : tile<16x16xf32>
  %q = dot %a, %a : tile<16x16xf16>
  %t = mul %q, %s : tile<16x16xf32>
  store %t, %C[0, 0] : tile<16x16xf32>, tensor<16x16xf32>
  return
}

// CHECK: tile_sugar.kernel @accumulate(%C: tensor<16x16xf32>) {
// CHECK-NEXT: %0 = constant 1.000000e+00 : tile<16x16xf16>
// CHECK-NEXT: %1 = load %C[0, 0] : tensor<16x16xf32> -> tile<16x16xf32>
// CHECK-NEXT: %2 = dot %0, %0 acc %1 : tile<16x16xf16>, tile<16x16xf16>, tile<16x16xf32>
// CHECK-NEXT: %3 = constant 0.000000e+00 : tile<16x16xf32>
// CHECK-NEXT: %4 = dot %0, %0 acc %3 : tile<16x16xf16>, tile<16x16xf16>, tile<16x16xf32>
// CHECK-NEXT: %5 = mul %4, %2 : tile<16x16xf32>
// CHECK-NEXT: store %5, %C[0, 0] : tile<16x16xf32>, tensor<16x16xf32>
// CHECK-NEXT: return
// CHECK-NEXT: }

// -----

// An ordered reduction is a loop over its axis.
tile_sugar.kernel @ordered(%X: tensor<8x100xf32>) {
  %x = load %X[0, 0] : tensor<8x100xf32> -> tile<8x100xf32>
  %s = rowsum %x ordered : tile<8x100xf32>
  store %s, %X[0, 0] : tile<8x1xf32>, tensor<8x100xf32>
  return
}

// CHECK: tile_sugar.kernel @ordered(%X: tensor<8x100xf32>) {
// CHECK-NEXT: %0 = load %X[0, 0] : tensor<8x100xf32> -> tile<8x100xf32>
// CHECK-NEXT: %1 = extract %0[0, 0] : tile<8x100xf32> -> tile<8x1xf32>
// CHECK-NEXT: %2 = arith.constant 1 : i32
// CHECK-NEXT: %3 = arith.constant 100 : i32
// CHECK-NEXT: %4 = arith.constant 1 : i32
// CHECK-NEXT: %5 = scf.for %arg0 = %2 to %3 step %4 iter_args(%arg1 = %1) -> (tile<8x1xf32>) : i32 {
// CHECK-NEXT: %6 = extract %0[0, %arg0] : tile<8x100xf32> -> tile<8x1xf32>
// CHECK-NEXT: %7 = sweep(%arg1, %6) : tile<8x1xf32> -> tile<8x1xf32> {
// CHECK-NEXT: ^bb0(%arg2: f32, %arg3: f32):
// CHECK-NEXT: %8 = add %arg2, %arg3 : f32
// CHECK-NEXT: yield %8 : f32
// CHECK-NEXT: }
// CHECK-NEXT: scf.yield %7 : tile<8x1xf32>
// CHECK-NEXT: }
// CHECK-NEXT: store %5, %X[0, 0] : tile<8x1xf32>, tensor<8x100xf32>
// CHECK-NEXT: return
// CHECK-NEXT: }

// -----

// A sum of products over dimensions that cannot be flattened goes one after the other, the
// fastest first.
tile_sugar.kernel @tile_dot(%X: tensor<12x20xf16>, %Y: tensor<1xf16>) {
  %x = load %X[0, 0] : tensor<12x20xf16> -> tile<12x20xf16>
  %d = tile_dot %x, %x : tile<12x20xf16>
  %t = splat %d : f16 -> tile<1xf16>
  store %t, %Y[0] : tile<1xf16>, tensor<1xf16>
  return
}

// CHECK: tile_sugar.kernel @tile_dot(%X: tensor<12x20xf16>, %Y: tensor<1xf16>) {
// CHECK-NEXT: %0 = load %X[0, 0] : tensor<12x20xf16> -> tile<12x20xf16>
// CHECK-NEXT: %1 = cast %0 : tile<12x20xf16> -> tile<12x20xf32>
// CHECK-NEXT: %2 = cast %0 : tile<12x20xf16> -> tile<12x20xf32>
// CHECK-NEXT: %3 = mul %1, %2 : tile<12x20xf32>
// CHECK-NEXT: %4 = rowsum %3 axis 1 : tile<12x20xf32>
// CHECK-NEXT: %5 = rowsum %4 axis 0 : tile<12x1xf32>
// CHECK-NEXT: %6 = to_scalar %5 : tile<1x1xf32>
// CHECK-NEXT: %7 = cast %6 : f32 -> f16
// CHECK-NEXT: %8 = splat %7 : f16 -> tile<1xf16>
// CHECK-NEXT: store %8, %Y[0] : tile<1xf16>, tensor<1xf16>
// CHECK-NEXT: return
// CHECK-NEXT: }
