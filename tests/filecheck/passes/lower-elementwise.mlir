// RUN: tile-opt %s --split-input-file -p legalize-elementwise,lower-elementwise | filecheck %s

// What depends on [R,1] alone stays [R,1]; the broadcast comes last.
tile_sugar.kernel @narrow(%X: tensor<8x128xf32>) {
  %x = load %X[0, 0] : tensor<8x128xf32> -> tile<8x128xf32>
  %m = load %X[0, 0] : tensor<8x128xf32> -> tile<8x1xf32>
  %y = sweep(%x, %m) : tile<8x128xf32>, tile<8x1xf32> -> tile<8x128xf32> {
  ^bb0(%a: f32, %b: f32):
    %0 = exp %b : f32
    %1 = constant 1.0 : f32
    %2 = div %1, %0 : f32
    %3 = mul %a, %2 : f32
    yield %3 : f32
  }
  store %y, %X[0, 0] : tile<8x128xf32>, tensor<8x128xf32>
  return
}

// CHECK: tile_sugar.kernel @narrow(%X: tensor<8x128xf32>) {
// CHECK-NEXT: %0 = load %X[0, 0] : tensor<8x128xf32> -> tile<8x128xf32>
// CHECK-NEXT: %1 = load %X[0, 0] : tensor<8x128xf32> -> tile<8x1xf32>
// CHECK-NEXT: %2 = cuda_tile.exp %1  : tile<8x1xf32>
// CHECK-NEXT: %cst_1_f32 = cuda_tile.constant <f32: 1.000000e+00> : tile<8x1xf32>
// CHECK-NEXT: %3 = cuda_tile.divf %cst_1_f32, %2  : tile<8x1xf32>
// CHECK-NEXT: %bcast = cuda_tile.broadcast %3 : tile<8x1xf32> -> tile<8x128xf32>
// CHECK-NEXT: %4 = cuda_tile.mulf %0, %bcast  : tile<8x128xf32>
// CHECK-NEXT: store %4, %X[0, 0] : tile<8x128xf32>, tensor<8x128xf32>
// CHECK-NEXT: return
// CHECK-NEXT: }

// -----

// `round` adds and subtracts 2**23, and keeps the sign and what is larger.
tile_sugar.kernel @round(%X: tensor<8xf32>) {
  %x = load %X[0] : tensor<8xf32> -> tile<8xf32>
  %y = round %x : tile<8xf32>
  store %y, %X[0] : tile<8xf32>, tensor<8xf32>
  return
}

// CHECK: tile_sugar.kernel @round(%X: tensor<8xf32>) {
// CHECK-NEXT: %0 = load %X[0] : tensor<8xf32> -> tile<8xf32>
// CHECK-NEXT: %1 = cuda_tile.absf %0 : tile<8xf32>
// CHECK-NEXT: %cst_8388608_f32 = cuda_tile.constant <f32: 0x4B000000> : tile<8xf32>
// CHECK-NEXT: %2 = cuda_tile.addf %1, %cst_8388608_f32  : tile<8xf32>
// CHECK-NEXT: %3 = cuda_tile.subf %2, %cst_8388608_f32  : tile<8xf32>
// CHECK-NEXT: %4 = cuda_tile.bitcast %0 : tile<8xf32> -> tile<8xi32>
// CHECK-NEXT: %cst_-2147483648_i32 = cuda_tile.constant <i32: -2147483648> : tile<8xi32>
// CHECK-NEXT: %5 = cuda_tile.andi %4, %cst_-2147483648_i32 : tile<8xi32>
// CHECK-NEXT: %6 = cuda_tile.bitcast %3 : tile<8xf32> -> tile<8xi32>
// CHECK-NEXT: %7 = cuda_tile.ori %6, %5 : tile<8xi32>
// CHECK-NEXT: %8 = cuda_tile.bitcast %7 : tile<8xi32> -> tile<8xf32>
// CHECK-NEXT: %9 = cuda_tile.cmpf less_than ordered %1, %cst_8388608_f32 : tile<8xf32> -> tile<8xi1>
// CHECK-NEXT: %10 = cuda_tile.select %9, %8, %0 : tile<8xi1>, tile<8xf32>
// CHECK-NEXT: store %10, %X[0] : tile<8xf32>, tensor<8xf32>
// CHECK-NEXT: return
// CHECK-NEXT: }

// -----

// Before 13.4 a conversion saturates by selecting around a safe operand.
tile_sugar.kernel @saturate(%X: tensor<8xf32>, %Y: tensor<8xi8>) {
  %x = load %X[0] : tensor<8xf32> -> tile<8xf32>
  %y = cast %x : tile<8xf32> -> tile<8xi8>
  store %y, %Y[0] : tile<8xi8>, tensor<8xi8>
  return
}

// CHECK: tile_sugar.kernel @saturate(%X: tensor<8xf32>, %Y: tensor<8xi8>) {
// CHECK-NEXT: %0 = load %X[0] : tensor<8xf32> -> tile<8xf32>
// CHECK-NEXT: %cst_128_f32 = cuda_tile.constant <f32: 1.280000e+02> : tile<8xf32>
// CHECK-NEXT: %1 = cuda_tile.cmpf greater_than_or_equal ordered %0, %cst_128_f32 : tile<8xf32> -> tile<8xi1>
// CHECK-NEXT: %cst_f32 = cuda_tile.constant <f32: -1.280000e+02> : tile<8xf32>
// CHECK-NEXT: %2 = cuda_tile.cmpf less_than_or_equal ordered %0, %cst_f32 : tile<8xf32> -> tile<8xi1>
// CHECK-NEXT: %3 = cuda_tile.cmpf not_equal unordered %0, %0 : tile<8xf32> -> tile<8xi1>
// CHECK-NEXT: %4 = cuda_tile.ori %1, %2 : tile<8xi1>
// CHECK-NEXT: %5 = cuda_tile.ori %4, %3 : tile<8xi1>
// CHECK-NEXT: %cst_0_f32 = cuda_tile.constant <f32: 0.000000e+00> : tile<8xf32>
// CHECK-NEXT: %6 = cuda_tile.select %5, %cst_0_f32, %0 : tile<8xi1>, tile<8xf32>
// CHECK-NEXT: %7 = cuda_tile.ftoi %6 signed  : tile<8xf32> -> tile<8xi8>
// CHECK-NEXT: %cst_127_i8 = cuda_tile.constant <i8: 127> : tile<8xi8>
// CHECK-NEXT: %8 = cuda_tile.select %1, %cst_127_i8, %7 : tile<8xi1>, tile<8xi8>
// CHECK-NEXT: %cst_-128_i8 = cuda_tile.constant <i8: -128> : tile<8xi8>
// CHECK-NEXT: %9 = cuda_tile.select %2, %cst_-128_i8, %8 : tile<8xi1>, tile<8xi8>
// CHECK-NEXT: store %9, %Y[0] : tile<8xi8>, tensor<8xi8>
// CHECK-NEXT: return
// CHECK-NEXT: }

// -----

// A piece is inserted by selecting it, repeated, where it belongs.
tile_sugar.kernel @insert(%X: tensor<8x16xf32>, %n: i32) {
  %x = load %X[0, 0] : tensor<8x16xf32> -> tile<8x16xf32>
  %p = extract %x[0, 4] : tile<8x16xf32> -> tile<8x4xf32>
  %y = insert %p, %x[0, %n] : tile<8x4xf32>, tile<8x16xf32>
  store %y, %X[0, 0] : tile<8x16xf32>, tensor<8x16xf32>
  return
}

// CHECK: tile_sugar.kernel @insert(%X: tensor<8x16xf32>, %n: i32) {
// CHECK-NEXT: %0 = load %X[0, 0] : tensor<8x16xf32> -> tile<8x16xf32>
// CHECK-NEXT: %cst_0_i32 = cuda_tile.constant <i32: 0> : tile<i32>
// CHECK-NEXT: %cst_1_i32 = cuda_tile.constant <i32: 1> : tile<i32>
// CHECK-NEXT: %1 = cuda_tile.extract %0[%cst_0_i32, %cst_1_i32] : tile<8x16xf32> -> tile<8x4xf32>
// CHECK-NEXT: %cst_0_i32_0 = cuda_tile.constant <i32: 0> : tile<i32>
// CHECK-NEXT: %2 = splat %n : i32 -> tile<i32>
// CHECK-NEXT: %cst_2_i32 = cuda_tile.constant <i32: 2> : tile<i32>
// CHECK-NEXT: %3 = cuda_tile.shri %2, %cst_2_i32 unsigned : tile<i32>
// CHECK-NEXT: %4 = cuda_tile.iota : tile<16xi32>
// CHECK-NEXT: %reshape = cuda_tile.reshape %4 : tile<16xi32> -> tile<1x16xi32>
// CHECK-NEXT: %cst_2_i32_1 = cuda_tile.constant <i32: 2> : tile<1x16xi32>
// CHECK-NEXT: %5 = cuda_tile.shri %reshape, %cst_2_i32_1 unsigned : tile<1x16xi32>
// CHECK-NEXT: %reshape_2 = cuda_tile.reshape %3 : tile<i32> -> tile<1x1xi32>
// CHECK-NEXT: %bcast = cuda_tile.broadcast %reshape_2 : tile<1x1xi32> -> tile<1x16xi32>
// CHECK-NEXT: %6 = cuda_tile.cmpi equal %5, %bcast, signed : tile<1x16xi32> -> tile<1x16xi1>
// CHECK-NEXT: %reshape_3 = cuda_tile.reshape %1 : tile<8x4xf32> -> tile<8x1x4xf32>
// CHECK-NEXT: %bcast_4 = cuda_tile.broadcast %reshape_3 : tile<8x1x4xf32> -> tile<8x4x4xf32>
// CHECK-NEXT: %reshape_5 = cuda_tile.reshape %bcast_4 : tile<8x4x4xf32> -> tile<8x16xf32>
// CHECK-NEXT: %bcast_6 = cuda_tile.broadcast %6 : tile<1x16xi1> -> tile<8x16xi1>
// CHECK-NEXT: %7 = cuda_tile.select %bcast_6, %reshape_5, %0 : tile<8x16xi1>, tile<8x16xf32>
// CHECK-NEXT: store %7, %X[0, 0] : tile<8x16xf32>, tensor<8x16xf32>
// CHECK-NEXT: return
// CHECK-NEXT: }

// -----

// Flags become rounding modes and flushing, where the operation has them.
tile_sugar.kernel @flags(%X: tensor<8xf32>) {
  %x = load %X[0] : tensor<8xf32> -> tile<8xf32>
  %a = exp %x fastmath<afn> : tile<8xf32>
  %b = div %a, %x fastmath<afn, ftz> : tile<8xf32>
  %c = log %b fastmath<afn> : tile<8xf32>
  store %c, %X[0] : tile<8xf32>, tensor<8xf32>
  return
}

// CHECK: tile_sugar.kernel @flags(%X: tensor<8xf32>) {
// CHECK-NEXT: %0 = load %X[0] : tensor<8xf32> -> tile<8xf32>
// CHECK-NEXT: %1 = cuda_tile.exp %0 rounding<approx> : tile<8xf32>
// CHECK-NEXT: %2 = cuda_tile.divf %1, %0 rounding<approx> flush_to_zero : tile<8xf32>
// CHECK-NEXT: %3 = cuda_tile.log %2 : tile<8xf32>
// CHECK-NEXT: store %3, %X[0] : tile<8xf32>, tensor<8xf32>
// CHECK-NEXT: return
// CHECK-NEXT: }
