// RUN: tile-opt %s --split-input-file -p legalize-elementwise,split-rows | filecheck %s
// RUN: tile-opt %s --split-input-file -p legalize-elementwise,split-rows --remarks=split-rows -o %t 2>&1 | filecheck %s --check-prefix REMARKS

// Parts meet element by element, where the order makes no difference.
// REMARKS: split-rows.mlir:[[# @LINE + 3]]:8: remark: rows in parts of 128 columns, each in one warp
tile_sugar.kernel @maximum(%X: tensor<?x512xf32>) {
  %x = load %X[0, 0] fill 1.0 : tensor<?x512xf32> -> tile<4x512xf32>
  %s = rowmax %x : tile<4x512xf32>
  %d = sub %x, %s : tile<4x512xf32>, tile<4x1xf32>
  store %d, %X[0, 0] : tile<4x512xf32>, tensor<?x512xf32>
  return
}

// CHECK: tile_sugar.kernel @maximum(%X: tensor<?x512xf32>) {
// CHECK-NEXT: %0 = load %X[0, 0] fill 1.000000e+00 : tensor<?x512xf32> -> tile<4x128xf32>
// CHECK-NEXT: %1 = load %X[0, 128] fill 1.000000e+00 : tensor<?x512xf32> -> tile<4x128xf32>
// CHECK-NEXT: %2 = load %X[0, 256] fill 1.000000e+00 : tensor<?x512xf32> -> tile<4x128xf32>
// CHECK-NEXT: %3 = load %X[0, 384] fill 1.000000e+00 : tensor<?x512xf32> -> tile<4x128xf32>
// CHECK-NEXT: %4 = max %0, %1 : tile<4x128xf32>
// CHECK-NEXT: %5 = max %2, %3 : tile<4x128xf32>
// CHECK-NEXT: %6 = max %4, %5 : tile<4x128xf32>
// CHECK-NEXT: %7 = rowmax %6 axis 1 : tile<4x128xf32>
// CHECK-NEXT: %8 = broadcast %7 : tile<4x1xf32> -> tile<4x128xf32>
// CHECK-NEXT: %9 = sub %0, %8 : tile<4x128xf32>
// CHECK-NEXT: %10 = sub %1, %8 : tile<4x128xf32>
// CHECK-NEXT: %11 = sub %2, %8 : tile<4x128xf32>
// CHECK-NEXT: %12 = sub %3, %8 : tile<4x128xf32>
// CHECK-NEXT: store %9, %X[0, 0] : tile<4x128xf32>, tensor<?x512xf32>
// CHECK-NEXT: store %10, %X[0, 128] : tile<4x128xf32>, tensor<?x512xf32>
// CHECK-NEXT: store %11, %X[0, 256] : tile<4x128xf32>, tensor<?x512xf32>
// CHECK-NEXT: store %12, %X[0, 384] : tile<4x128xf32>, tensor<?x512xf32>
// CHECK-NEXT: return
// CHECK-NEXT: }

// -----

// A sum of floats keeps its order.
tile_sugar.kernel @sum(%X: tensor<?x512xf32>) {
  %x = load %X[0, 0] fill 1.0 : tensor<?x512xf32> -> tile<4x512xf32>
  %s = rowsum %x : tile<4x512xf32>
  %d = sub %x, %s : tile<4x512xf32>, tile<4x1xf32>
  store %d, %X[0, 0] : tile<4x512xf32>, tensor<?x512xf32>
  return
}

// CHECK: tile_sugar.kernel @sum(%X: tensor<?x512xf32>) {
// CHECK-NEXT: %0 = load %X[0, 0] fill 1.000000e+00 : tensor<?x512xf32> -> tile<4x128xf32>
// CHECK-NEXT: %1 = load %X[0, 128] fill 1.000000e+00 : tensor<?x512xf32> -> tile<4x128xf32>
// CHECK-NEXT: %2 = load %X[0, 256] fill 1.000000e+00 : tensor<?x512xf32> -> tile<4x128xf32>
// CHECK-NEXT: %3 = load %X[0, 384] fill 1.000000e+00 : tensor<?x512xf32> -> tile<4x128xf32>
// CHECK-NEXT: %4 = rowsum %0 axis 1 : tile<4x128xf32>
// CHECK-NEXT: %5 = rowsum %1 axis 1 : tile<4x128xf32>
// CHECK-NEXT: %6 = rowsum %2 axis 1 : tile<4x128xf32>
// CHECK-NEXT: %7 = rowsum %3 axis 1 : tile<4x128xf32>
// CHECK-NEXT: %8 = add %4, %5 : tile<4x1xf32>
// CHECK-NEXT: %9 = add %6, %7 : tile<4x1xf32>
// CHECK-NEXT: %10 = add %8, %9 : tile<4x1xf32>
// CHECK-NEXT: %11 = broadcast %10 : tile<4x1xf32> -> tile<4x128xf32>
// CHECK-NEXT: %12 = sub %0, %11 : tile<4x128xf32>
// CHECK-NEXT: %13 = sub %1, %11 : tile<4x128xf32>
// CHECK-NEXT: %14 = sub %2, %11 : tile<4x128xf32>
// CHECK-NEXT: %15 = sub %3, %11 : tile<4x128xf32>
// CHECK-NEXT: store %12, %X[0, 0] : tile<4x128xf32>, tensor<?x512xf32>
// CHECK-NEXT: store %13, %X[0, 128] : tile<4x128xf32>, tensor<?x512xf32>
// CHECK-NEXT: store %14, %X[0, 256] : tile<4x128xf32>, tensor<?x512xf32>
// CHECK-NEXT: store %15, %X[0, 384] : tile<4x128xf32>, tensor<?x512xf32>
// CHECK-NEXT: return
// CHECK-NEXT: }

// -----

// Loops carry parts, and positions count on; what is `full` stays so.
tile_sugar.kernel @loop(%X: tensor<4x256xi32>, %Y: tensor<4x1xi32>) {
  %x = load %X[0, 0] full : tensor<4x256xi32> -> tile<4x256xi32>
  %zero = constant 0 : tile<4x1xi32>
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c9 = arith.constant 9 : i32
  %a, %b = scf.for %i = %c0 to %c9 step %c1 iter_args(%u = %x, %v = %zero) -> (tile<4x256xi32>, tile<4x1xi32>) : i32 {
    %m = rowsum %u : tile<4x256xi32>
    %k = iota 1 : tile<1x256xi32>
    %w = mul %u, %k : tile<4x256xi32>, tile<1x256xi32>
    scf.yield %w, %m : tile<4x256xi32>, tile<4x1xi32>
  }
  store %b, %Y[0, 0] : tile<4x1xi32>, tensor<4x1xi32>
  return
}

// CHECK: tile_sugar.kernel @loop(%X: tensor<4x256xi32>, %Y: tensor<4x1xi32>) {
// CHECK-NEXT: %0 = load %X[0, 0] full : tensor<4x256xi32> -> tile<4x128xi32>
// CHECK-NEXT: %1 = load %X[0, 128] full : tensor<4x256xi32> -> tile<4x128xi32>
// CHECK-NEXT: %2 = constant 0 : tile<4x1xi32>
// CHECK-NEXT: %3 = arith.constant 0 : i32
// CHECK-NEXT: %4 = arith.constant 1 : i32
// CHECK-NEXT: %5 = arith.constant 9 : i32
// CHECK-NEXT: %6:3 = scf.for %arg0 = %3 to %5 step %4 iter_args(%arg1 = %0, %arg2 = %1, %arg3 = %2) -> (tile<4x128xi32>, tile<4x128xi32>, tile<4x1xi32>) : i32 {
// CHECK-NEXT: %7 = add %arg1, %arg2 : tile<4x128xi32>
// CHECK-NEXT: %8 = rowsum %7 axis 1 : tile<4x128xi32>
// CHECK-NEXT: %9 = iota 1 : tile<1x128xi32>
// CHECK-NEXT: %10 = iota 1 : tile<1x128xi32>
// CHECK-NEXT: %11 = constant 128 : tile<1x128xi32>
// CHECK-NEXT: %12 = add %10, %11 : tile<1x128xi32>
// CHECK-NEXT: %13 = broadcast %9 : tile<1x128xi32> -> tile<4x128xi32>
// CHECK-NEXT: %14 = broadcast %12 : tile<1x128xi32> -> tile<4x128xi32>
// CHECK-NEXT: %15 = mul %arg1, %13 : tile<4x128xi32>
// CHECK-NEXT: %16 = mul %arg2, %14 : tile<4x128xi32>
// CHECK-NEXT: scf.yield %15, %16, %8 : tile<4x128xi32>, tile<4x128xi32>, tile<4x1xi32>
// CHECK-NEXT: }
// CHECK-NEXT: store %6#2, %Y[0, 0] : tile<4x1xi32>, tensor<4x1xi32>
// CHECK-NEXT: return
// CHECK-NEXT: }

// -----

// Whole rows stay: rows whose number is no multiple of four.
// REMARKS: remark: long rows stay whole: 6 rows
tile_sugar.kernel @rows(%X: tensor<?x512xf32>) {
  %x = load %X[0, 0] fill 1.0 : tensor<?x512xf32> -> tile<6x512xf32>
  %s = rowmax %x : tile<6x512xf32>
  %d = sub %x, %s : tile<6x512xf32>, tile<6x1xf32>
  store %d, %X[0, 0] : tile<6x512xf32>, tensor<?x512xf32>
  return
}

// CHECK: tile_sugar.kernel @rows
// CHECK-NOT: x128x

// -----

// Whole rows stay: rows of another length.
// REMARKS: remark: long rows stay whole: 384 columns
tile_sugar.kernel @odd(%X: tensor<?x384xf32>) {
  %x = load %X[0, 0] fill 1.0 : tensor<?x384xf32> -> tile<4x384xf32>
  %s = rowmax %x : tile<4x384xf32>
  %d = sub %x, %s : tile<4x384xf32>, tile<4x1xf32>
  store %d, %X[0, 0] : tile<4x384xf32>, tensor<?x384xf32>
  return
}

// CHECK: tile_sugar.kernel @odd
// CHECK-NOT: x128x

// -----

// Whole rows stay: a start that might overflow.
// REMARKS: remark: long rows stay whole: the first column is computed
tile_sugar.kernel @computed(%X: tensor<?x512xf32>, %n: i32) {
  %x = load %X[0, %n] fill 1.0 : tensor<?x512xf32> -> tile<4x512xf32>
  %s = rowmax %x : tile<4x512xf32>
  %d = sub %x, %s : tile<4x512xf32>, tile<4x1xf32>
  store %d, %X[0, %n] : tile<4x512xf32>, tensor<?x512xf32>
  return
}

// CHECK: tile_sugar.kernel @computed
// CHECK-NOT: x128x

// -----

// Whole rows stay: what needs the whole row.
// REMARKS: remark: long rows stay whole: 'tile_sugar.cumsum' needs the whole row
tile_sugar.kernel @scan(%X: tensor<?x512xf32>) {
  %x = load %X[0, 0] fill 1.0 : tensor<?x512xf32> -> tile<4x512xf32>
  %s = rowmax %x : tile<4x512xf32>
  %c = cumsum %x : tile<4x512xf32>
  %d = sub %x, %s : tile<4x512xf32>, tile<4x1xf32>
  store %d, %X[0, 0] : tile<4x512xf32>, tensor<?x512xf32>
  return
}

// CHECK: tile_sugar.kernel @scan
// CHECK-NOT: x128x

// -----

// Whole rows stay: a row that all rows share.
// REMARKS: remark: long rows stay whole: all rows share one in memory
tile_sugar.kernel @shared(%X: tensor<?x512xf32>) {
  %x = load %X[0, 0] fill 1.0 : tensor<?x512xf32> -> tile<4x512xf32>
  %s = rowmax %x : tile<4x512xf32>
  %g = load %X[0, 0] : tensor<?x512xf32> -> tile<1x512xf32>
  %p = mul %x, %g : tile<4x512xf32>, tile<1x512xf32>
  %d = sub %x, %s : tile<4x512xf32>, tile<4x1xf32>
  store %d, %X[0, 0] : tile<4x512xf32>, tensor<?x512xf32>
  return
}

// CHECK: tile_sugar.kernel @shared
// CHECK-NOT: x128x
