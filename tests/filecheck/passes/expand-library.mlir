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

// Floats are ordered as integers, which leaves the lowest one for picks, below NaN and -inf.
tile_sugar.kernel @topk(%X: tensor<8x100xf32>, %I: tensor<8x3xi32>) {
  %x = load %X[0, 0] : tensor<8x100xf32> -> tile<8x100xf32>
  %v, %i = topk %x k 3 : tile<8x100xf32>
  store %v, %X[0, 0] : tile<8x3xf32>, tensor<8x100xf32>
  store %i, %I[0, 0] : tile<8x3xi32>, tensor<8x3xi32>
  return
}

// CHECK: tile_sugar.kernel @topk(%X: tensor<8x100xf32>, %I: tensor<8x3xi32>) {
// CHECK-NEXT: %0 = load %X[0, 0] : tensor<8x100xf32> -> tile<8x100xf32>
// CHECK-NEXT: %1 = bitcast %0 : tile<8x100xf32> -> tile<8x100xi32>
// CHECK-NEXT: %2 = constant 0 : i32
// CHECK-NEXT: %3 = cmp lt %1, %2 : tile<8x100xi32>, i32
// CHECK-NEXT: %4 = constant -2147483648 : i32
// CHECK-NEXT: %5 = sub %4, %1 : i32, tile<8x100xi32>
// CHECK-NEXT: %6 = select %3, %5, %1 : tile<8x100xi1>, tile<8x100xi32>, tile<8x100xi32>
// CHECK-NEXT: %7 = cmp uno %0, %0 : tile<8x100xf32>
// CHECK-NEXT: %8 = constant -2143289344 : i32
// CHECK-NEXT: %9 = select %7, %8, %6 : tile<8x100xi1>, i32, tile<8x100xi32>
// CHECK-NEXT: %10 = iota 1 : tile<1x100xi32>
// CHECK-NEXT: %11 = broadcast %10 : tile<1x100xi32> -> tile<8x100xi32>
// CHECK-NEXT: %12 = constant 0.000000e+00 : tile<8x3xf32>
// CHECK-NEXT: %13 = constant 0 : tile<8x3xi32>
// CHECK-NEXT: %14 = arith.constant 0 : i32
// CHECK-NEXT: %15 = arith.constant 3 : i32
// CHECK-NEXT: %16 = arith.constant 1 : i32
// CHECK-NEXT: %17:3 = scf.for %arg0 = %14 to %15 step %16 iter_args(%arg1 = %9, %arg2 = %12, %arg3 = %13) -> (tile<8x100xi32>, tile<8x3xf32>, tile<8x3xi32>) : i32 {
// CHECK-NEXT: %18 = constant 2147483647 : i32
// CHECK-NEXT: %19 = rowmax %arg1 : tile<8x100xi32>
// CHECK-NEXT: %20 = cmp eq %arg1, %19 : tile<8x100xi32>, tile<8x1xi32>
// CHECK-NEXT: %21 = select %20, %11, %18 : tile<8x100xi1>, tile<8x100xi32>, i32
// CHECK-NEXT: %22 = rowmin %21 : tile<8x100xi32>
// CHECK-NEXT: %23 = iota 1 : tile<1x3xi32>
// CHECK-NEXT: %24 = cmp eq %23, %arg0 : tile<1x3xi32>, i32
// CHECK-NEXT: %25 = cmp eq %11, %22 : tile<8x100xi32>, tile<8x1xi32>
// CHECK-NEXT: %26 = constant -2147483648 : i32
// CHECK-NEXT: %27 = select %25, %26, %arg1 : tile<8x100xi1>, i32, tile<8x100xi32>
// CHECK-NEXT: %28 = constant 0 : i32
// CHECK-NEXT: %29 = cmp lt %19, %28 : tile<8x1xi32>, i32
// CHECK-NEXT: %30 = constant -2147483648 : i32
// CHECK-NEXT: %31 = sub %30, %19 : i32, tile<8x1xi32>
// CHECK-NEXT: %32 = select %29, %31, %19 : tile<8x1xi1>, tile<8x1xi32>, tile<8x1xi32>
// CHECK-NEXT: %33 = bitcast %32 : tile<8x1xi32> -> tile<8x1xf32>
// CHECK-NEXT: %34 = select %24, %33, %arg2 : tile<1x3xi1>, tile<8x1xf32>, tile<8x3xf32>
// CHECK-NEXT: %35 = select %24, %22, %arg3 : tile<1x3xi1>, tile<8x1xi32>, tile<8x3xi32>
// CHECK-NEXT: scf.yield %27, %34, %35 : tile<8x100xi32>, tile<8x3xf32>, tile<8x3xi32>
// CHECK-NEXT: }
// CHECK-NEXT: store %17#1, %X[0, 0] : tile<8x3xf32>, tensor<8x100xf32>
// CHECK-NEXT: store %17#2, %I[0, 0] : tile<8x3xi32>, tensor<8x3xi32>
// CHECK-NEXT: return
// CHECK-NEXT: }

// -----

// No i32 is left to mark a pick with: its column says it too.
tile_sugar.kernel @topk_i32(%X: tensor<8x100xi32>, %I: tensor<8x3xi32>) {
  %x = load %X[0, 0] : tensor<8x100xi32> -> tile<8x100xi32>
  %v, %i = topk %x k 3 : tile<8x100xi32>
  store %v, %X[0, 0] : tile<8x3xi32>, tensor<8x100xi32>
  store %i, %I[0, 0] : tile<8x3xi32>, tensor<8x3xi32>
  return
}

// CHECK: tile_sugar.kernel @topk_i32(%X: tensor<8x100xi32>, %I: tensor<8x3xi32>) {
// CHECK-NEXT: %0 = load %X[0, 0] : tensor<8x100xi32> -> tile<8x100xi32>
// CHECK-NEXT: %1 = iota 1 : tile<1x100xi32>
// CHECK-NEXT: %2 = broadcast %1 : tile<1x100xi32> -> tile<8x100xi32>
// CHECK-NEXT: %3 = constant 0 : tile<8x3xi32>
// CHECK-NEXT: %4 = constant 0 : tile<8x3xi32>
// CHECK-NEXT: %5 = arith.constant 0 : i32
// CHECK-NEXT: %6 = arith.constant 3 : i32
// CHECK-NEXT: %7 = arith.constant 1 : i32
// CHECK-NEXT: %8:4 = scf.for %arg0 = %5 to %6 step %7 iter_args(%arg1 = %0, %arg2 = %3, %arg3 = %4, %arg4 = %2) -> (tile<8x100xi32>, tile<8x3xi32>, tile<8x3xi32>, tile<8x100xi32>) : i32 {
// CHECK-NEXT: %9 = constant 2147483647 : i32
// CHECK-NEXT: %10 = rowmax %arg1 : tile<8x100xi32>
// CHECK-NEXT: %11 = cmp eq %arg1, %10 : tile<8x100xi32>, tile<8x1xi32>
// CHECK-NEXT: %12 = select %11, %arg4, %9 : tile<8x100xi1>, tile<8x100xi32>, i32
// CHECK-NEXT: %13 = rowmin %12 : tile<8x100xi32>
// CHECK-NEXT: %14 = iota 1 : tile<1x3xi32>
// CHECK-NEXT: %15 = cmp eq %14, %arg0 : tile<1x3xi32>, i32
// CHECK-NEXT: %16 = cmp eq %arg4, %13 : tile<8x100xi32>, tile<8x1xi32>
// CHECK-NEXT: %17 = constant -2147483648 : i32
// CHECK-NEXT: %18 = select %16, %17, %arg1 : tile<8x100xi1>, i32, tile<8x100xi32>
// CHECK-NEXT: %19 = select %15, %10, %arg2 : tile<1x3xi1>, tile<8x1xi32>, tile<8x3xi32>
// CHECK-NEXT: %20 = select %15, %13, %arg3 : tile<1x3xi1>, tile<8x1xi32>, tile<8x3xi32>
// CHECK-NEXT: %21 = select %16, %9, %arg4 : tile<8x100xi1>, i32, tile<8x100xi32>
// CHECK-NEXT: scf.yield %18, %19, %20, %21 : tile<8x100xi32>, tile<8x3xi32>, tile<8x3xi32>, tile<8x100xi32>
// CHECK-NEXT: }
// CHECK-NEXT: store %8#1, %X[0, 0] : tile<8x3xi32>, tensor<8x100xi32>
// CHECK-NEXT: store %8#2, %I[0, 0] : tile<8x3xi32>, tensor<8x3xi32>
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
