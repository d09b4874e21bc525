// RUN: tile-opt %s --split-input-file -p lower-kernel,lower-views | filecheck %s

// One unsigned comparison a dimension; addresses in 64 bits.
tile_sugar.kernel @slice(%X: tensor<?x100xf32>, %Y: tensor<?x128xf32>, %r: i32) {
  %x = load %X[%r, 0] : tensor<?x100xf32> -> tile<8x128xf32>
  store %x, %Y[%r, 0] : tile<8x128xf32>, tensor<?x128xf32>
  return
}

// CHECK: cuda_tile.module @kernels {
// CHECK-NEXT: entry @slice(%arg0: tile<ptr<f32>>, %arg1: tile<i32>, %arg2: tile<ptr<f32>>, %arg3: tile<i32>, %arg4: tile<i32>) {
// CHECK-NEXT: %assume = assume div_by<16>, %arg0 : tile<ptr<f32>>
// CHECK-NEXT: %assume_0 = assume bounded<0, ?>, %arg1 : tile<i32>
// CHECK-NEXT: %assume_1 = assume div_by<16>, %arg2 : tile<ptr<f32>>
// CHECK-NEXT: %assume_2 = assume bounded<0, ?>, %arg3 : tile<i32>
// CHECK-NEXT: %0 = iota : tile<8xi32>
// CHECK-NEXT: %reshape = reshape %0 : tile<8xi32> -> tile<8x1xi32>
// CHECK-NEXT: %reshape_3 = reshape %arg4 : tile<i32> -> tile<1x1xi32>
// CHECK-NEXT: %bcast = broadcast %reshape_3 : tile<1x1xi32> -> tile<8x1xi32>
// CHECK-NEXT: %1 = addi %bcast, %reshape : tile<8x1xi32>
// CHECK-NEXT: %reshape_4 = reshape %assume_0 : tile<i32> -> tile<1x1xi32>
// CHECK-NEXT: %bcast_5 = broadcast %reshape_4 : tile<1x1xi32> -> tile<8x1xi32>
// CHECK-NEXT: %2 = cmpi less_than %1, %bcast_5, unsigned : tile<8x1xi32> -> tile<8x1xi1>
// CHECK-NEXT: %3 = exti %arg4 signed : tile<i32> -> tile<i64>
// CHECK-NEXT: %cst_100_i64 = constant <i64: 100> : tile<i64>
// CHECK-NEXT: %4 = muli %3, %cst_100_i64 : tile<i64>
// CHECK-NEXT: %5 = offset %assume, %4 : tile<ptr<f32>>, tile<i64> -> tile<ptr<f32>>
// CHECK-NEXT: %6 = iota : tile<128xi32>
// CHECK-NEXT: %reshape_6 = reshape %6 : tile<128xi32> -> tile<1x128xi32>
// CHECK-NEXT: %cst_100_i32 = constant <i32: 100> : tile<1x128xi32>
// CHECK-NEXT: %7 = cmpi less_than %reshape_6, %cst_100_i32, unsigned : tile<1x128xi32> -> tile<1x128xi1>
// CHECK-NEXT: %bcast_7 = broadcast %2 : tile<8x1xi1> -> tile<8x128xi1>
// CHECK-NEXT: %bcast_8 = broadcast %7 : tile<1x128xi1> -> tile<8x128xi1>
// CHECK-NEXT: %8 = andi %bcast_7, %bcast_8 : tile<8x128xi1>
// CHECK-NEXT: %9 = iota : tile<8xi32>
// CHECK-NEXT: %reshape_9 = reshape %9 : tile<8xi32> -> tile<8x1xi32>
// CHECK-NEXT: %cst_100_i32_10 = constant <i32: 100> : tile<8x1xi32>
// CHECK-NEXT: %10 = muli %reshape_9, %cst_100_i32_10 : tile<8x1xi32>
// CHECK-NEXT: %11 = iota : tile<128xi32>
// CHECK-NEXT: %reshape_11 = reshape %11 : tile<128xi32> -> tile<1x128xi32>
// CHECK-NEXT: %bcast_12 = broadcast %10 : tile<8x1xi32> -> tile<8x128xi32>
// CHECK-NEXT: %bcast_13 = broadcast %reshape_11 : tile<1x128xi32> -> tile<8x128xi32>
// CHECK-NEXT: %12 = addi %bcast_12, %bcast_13 : tile<8x128xi32>
// CHECK-NEXT: %reshape_14 = reshape %5 : tile<ptr<f32>> -> tile<1x1xptr<f32>>
// CHECK-NEXT: %bcast_15 = broadcast %reshape_14 : tile<1x1xptr<f32>> -> tile<8x128xptr<f32>>
// CHECK-NEXT: %13 = offset %bcast_15, %12 : tile<8x128xptr<f32>>, tile<8x128xi32> -> tile<8x128xptr<f32>>
// CHECK-NEXT: %cst_0_f32 = constant <f32: 0.000000e+00> : tile<8x128xf32>
// CHECK-NEXT: %result, %result_token = load_ptr_tko weak %13, %8, %cst_0_f32 : tile<8x128xptr<f32>>, tile<8x128xi1>, tile<8x128xf32> -> tile<8x128xf32>, token
// CHECK-NEXT: %14 = iota : tile<8xi32>
// CHECK-NEXT: %reshape_16 = reshape %14 : tile<8xi32> -> tile<8x1xi32>
// CHECK-NEXT: %reshape_17 = reshape %arg4 : tile<i32> -> tile<1x1xi32>
// CHECK-NEXT: %bcast_18 = broadcast %reshape_17 : tile<1x1xi32> -> tile<8x1xi32>
// CHECK-NEXT: %15 = addi %bcast_18, %reshape_16 : tile<8x1xi32>
// CHECK-NEXT: %reshape_19 = reshape %assume_2 : tile<i32> -> tile<1x1xi32>
// CHECK-NEXT: %bcast_20 = broadcast %reshape_19 : tile<1x1xi32> -> tile<8x1xi32>
// CHECK-NEXT: %16 = cmpi less_than %15, %bcast_20, unsigned : tile<8x1xi32> -> tile<8x1xi1>
// CHECK-NEXT: %17 = exti %arg4 signed : tile<i32> -> tile<i64>
// CHECK-NEXT: %cst_128_i64 = constant <i64: 128> : tile<i64>
// CHECK-NEXT: %18 = muli %17, %cst_128_i64 : tile<i64>
// CHECK-NEXT: %19 = offset %assume_1, %18 : tile<ptr<f32>>, tile<i64> -> tile<ptr<f32>>
// CHECK-NEXT: %20 = iota : tile<1024xi32>
// CHECK-NEXT: %reshape_21 = reshape %20 : tile<1024xi32> -> tile<8x128xi32>
// CHECK-NEXT: %reshape_22 = reshape %19 : tile<ptr<f32>> -> tile<1x1xptr<f32>>
// CHECK-NEXT: %bcast_23 = broadcast %reshape_22 : tile<1x1xptr<f32>> -> tile<8x128xptr<f32>>
// CHECK-NEXT: %21 = offset %bcast_23, %reshape_21 : tile<8x128xptr<f32>>, tile<8x128xi32> -> tile<8x128xptr<f32>>
// CHECK-NEXT: %bcast_24 = broadcast %16 : tile<8x1xi1> -> tile<8x128xi1>
// CHECK-NEXT: %22 = store_ptr_tko weak %21, %result, %bcast_24 : tile<8x128xptr<f32>>, tile<8x128xf32>, tile<8x128xi1> -> token
// CHECK-NEXT: return
// CHECK-NEXT: }
// CHECK-NEXT: }

// -----

// A full access is not checked.
tile_sugar.kernel @full(%X: tensor<?xf32>, %Y: tensor<?xf32>, %r: i32) {
  %x = load %X[%r] full : tensor<?xf32> -> tile<64xf32>
  store %x, %Y[0] full : tile<64xf32>, tensor<?xf32>
  return
}

// CHECK: cuda_tile.module @kernels {
// CHECK-NEXT: entry @full(%arg0: tile<ptr<f32>>, %arg1: tile<i32>, %arg2: tile<ptr<f32>>, %arg3: tile<i32>, %arg4: tile<i32>) {
// CHECK-NEXT: %assume = assume div_by<16>, %arg0 : tile<ptr<f32>>
// CHECK-NEXT: %assume_0 = assume bounded<0, ?>, %arg1 : tile<i32>
// CHECK-NEXT: %assume_1 = assume div_by<16>, %arg2 : tile<ptr<f32>>
// CHECK-NEXT: %assume_2 = assume bounded<0, ?>, %arg3 : tile<i32>
// CHECK-NEXT: %0 = exti %arg4 signed : tile<i32> -> tile<i64>
// CHECK-NEXT: %1 = offset %assume, %0 : tile<ptr<f32>>, tile<i64> -> tile<ptr<f32>>
// CHECK-NEXT: %2 = iota : tile<64xi32>
// CHECK-NEXT: %reshape = reshape %1 : tile<ptr<f32>> -> tile<1xptr<f32>>
// CHECK-NEXT: %bcast = broadcast %reshape : tile<1xptr<f32>> -> tile<64xptr<f32>>
// CHECK-NEXT: %3 = offset %bcast, %2 : tile<64xptr<f32>>, tile<64xi32> -> tile<64xptr<f32>>
// CHECK-NEXT: %result, %result_token = load_ptr_tko weak %3 : tile<64xptr<f32>> -> tile<64xf32>, token
// CHECK-NEXT: %4 = iota : tile<64xi32>
// CHECK-NEXT: %reshape_3 = reshape %assume_1 : tile<ptr<f32>> -> tile<1xptr<f32>>
// CHECK-NEXT: %bcast_4 = broadcast %reshape_3 : tile<1xptr<f32>> -> tile<64xptr<f32>>
// CHECK-NEXT: %5 = offset %bcast_4, %4 : tile<64xptr<f32>>, tile<64xi32> -> tile<64xptr<f32>>
// CHECK-NEXT: %6 = store_ptr_tko weak %5, %result : tile<64xptr<f32>>, tile<64xf32> -> token
// CHECK-NEXT: return
// CHECK-NEXT: }
// CHECK-NEXT: }

// -----

// In place: the store waits for the loads. Another tensor does not matter.
tile_sugar.kernel @tokens(%X: tensor<64xf32>, %Y: tensor<64xf32>) {
  %a = load %X[0] : tensor<64xf32> -> tile<64xf32>
  %b = load %X[1] : tensor<64xf32> -> tile<64xf32>
  store %b, %X[0] : tile<64xf32>, tensor<64xf32>
  store %a, %Y[0] : tile<64xf32>, tensor<64xf32>
  return
}

// CHECK: cuda_tile.module @kernels {
// CHECK-NEXT: entry @tokens(%arg0: tile<ptr<f32>>, %arg1: tile<ptr<f32>>) {
// CHECK-NEXT: %assume = assume div_by<16>, %arg0 : tile<ptr<f32>>
// CHECK-NEXT: %assume_0 = assume div_by<16>, %arg1 : tile<ptr<f32>>
// CHECK-NEXT: %0 = iota : tile<64xi32>
// CHECK-NEXT: %reshape = reshape %assume : tile<ptr<f32>> -> tile<1xptr<f32>>
// CHECK-NEXT: %bcast = broadcast %reshape : tile<1xptr<f32>> -> tile<64xptr<f32>>
// CHECK-NEXT: %1 = offset %bcast, %0 : tile<64xptr<f32>>, tile<64xi32> -> tile<64xptr<f32>>
// CHECK-NEXT: %result, %result_token = load_ptr_tko weak %1 : tile<64xptr<f32>> -> tile<64xf32>, token
// CHECK-NEXT: %2 = iota : tile<64xi32>
// CHECK-NEXT: %cst_1_i32 = constant <i32: 1> : tile<64xi32>
// CHECK-NEXT: %3 = addi %cst_1_i32, %2 : tile<64xi32>
// CHECK-NEXT: %cst_64_i32 = constant <i32: 64> : tile<64xi32>
// CHECK-NEXT: %4 = cmpi less_than %3, %cst_64_i32, unsigned : tile<64xi32> -> tile<64xi1>
// CHECK-NEXT: %cst_1_i64 = constant <i64: 1> : tile<i64>
// CHECK-NEXT: %5 = offset %assume, %cst_1_i64 : tile<ptr<f32>>, tile<i64> -> tile<ptr<f32>>
// CHECK-NEXT: %6 = iota : tile<64xi32>
// CHECK-NEXT: %reshape_1 = reshape %5 : tile<ptr<f32>> -> tile<1xptr<f32>>
// CHECK-NEXT: %bcast_2 = broadcast %reshape_1 : tile<1xptr<f32>> -> tile<64xptr<f32>>
// CHECK-NEXT: %7 = offset %bcast_2, %6 : tile<64xptr<f32>>, tile<64xi32> -> tile<64xptr<f32>>
// CHECK-NEXT: %cst_0_f32 = constant <f32: 0.000000e+00> : tile<64xf32>
// CHECK-NEXT: %result_3, %result_token_4 = load_ptr_tko weak %7, %4, %cst_0_f32 : tile<64xptr<f32>>, tile<64xi1>, tile<64xf32> -> tile<64xf32>, token
// CHECK-NEXT: %8 = join_tokens %result_token, %result_token_4 : token
// CHECK-NEXT: %9 = iota : tile<64xi32>
// CHECK-NEXT: %reshape_5 = reshape %assume : tile<ptr<f32>> -> tile<1xptr<f32>>
// CHECK-NEXT: %bcast_6 = broadcast %reshape_5 : tile<1xptr<f32>> -> tile<64xptr<f32>>
// CHECK-NEXT: %10 = offset %bcast_6, %9 : tile<64xptr<f32>>, tile<64xi32> -> tile<64xptr<f32>>
// CHECK-NEXT: %11 = store_ptr_tko weak %10, %result_3 token=%8 : tile<64xptr<f32>>, tile<64xf32> -> token
// CHECK-NEXT: %12 = iota : tile<64xi32>
// CHECK-NEXT: %reshape_7 = reshape %assume_0 : tile<ptr<f32>> -> tile<1xptr<f32>>
// CHECK-NEXT: %bcast_8 = broadcast %reshape_7 : tile<1xptr<f32>> -> tile<64xptr<f32>>
// CHECK-NEXT: %13 = offset %bcast_8, %12 : tile<64xptr<f32>>, tile<64xi32> -> tile<64xptr<f32>>
// CHECK-NEXT: %14 = store_ptr_tko weak %13, %result : tile<64xptr<f32>>, tile<64xf32> -> token
// CHECK-NEXT: return
// CHECK-NEXT: }
// CHECK-NEXT: }

// -----

// Tokens go through loops and branches.
tile_sugar.kernel @loop(%X: tensor<64xf32>, %n: i32, %c: i1) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  scf.for %k = %c0 to %n step %c1 : i32 {
    %a = load %X[%k] : tensor<64xf32> -> tile<16xf32>
    scf.if %c {
      store %a, %X[0] : tile<16xf32>, tensor<64xf32>
    }
  }
  return
}

// CHECK: cuda_tile.module @kernels {
// CHECK-NEXT: entry @loop(%arg0: tile<ptr<f32>>, %arg1: tile<i32>, %arg2: tile<i1>) {
// CHECK-NEXT: %assume = assume div_by<16>, %arg0 : tile<ptr<f32>>
// CHECK-NEXT: %cst_0_i32 = constant <i32: 0> : tile<i32>
// CHECK-NEXT: %cst_1_i32 = constant <i32: 1> : tile<i32>
// CHECK-NEXT: %0 = make_token : token
// CHECK-NEXT: %for = for %loopIdx in (%cst_0_i32 to %arg1, step %cst_1_i32) : tile<i32> iter_values(%iterArg0 = %0) -> (token) {
// CHECK-NEXT: %1 = iota : tile<16xi32>
// CHECK-NEXT: %reshape = reshape %loopIdx : tile<i32> -> tile<1xi32>
// CHECK-NEXT: %bcast = broadcast %reshape : tile<1xi32> -> tile<16xi32>
// CHECK-NEXT: %2 = addi %bcast, %1 : tile<16xi32>
// CHECK-NEXT: %cst_64_i32 = constant <i32: 64> : tile<16xi32>
// CHECK-NEXT: %3 = cmpi less_than %2, %cst_64_i32, unsigned : tile<16xi32> -> tile<16xi1>
// CHECK-NEXT: %4 = exti %loopIdx signed : tile<i32> -> tile<i64>
// CHECK-NEXT: %5 = offset %assume, %4 : tile<ptr<f32>>, tile<i64> -> tile<ptr<f32>>
// CHECK-NEXT: %6 = iota : tile<16xi32>
// CHECK-NEXT: %reshape_0 = reshape %5 : tile<ptr<f32>> -> tile<1xptr<f32>>
// CHECK-NEXT: %bcast_1 = broadcast %reshape_0 : tile<1xptr<f32>> -> tile<16xptr<f32>>
// CHECK-NEXT: %7 = offset %bcast_1, %6 : tile<16xptr<f32>>, tile<16xi32> -> tile<16xptr<f32>>
// CHECK-NEXT: %cst_0_f32 = constant <f32: 0.000000e+00> : tile<16xf32>
// CHECK-NEXT: %result, %result_token = load_ptr_tko weak %7, %3, %cst_0_f32 token=%iterArg0 : tile<16xptr<f32>>, tile<16xi1>, tile<16xf32> -> tile<16xf32>, token
// CHECK-NEXT: %8 = if %arg2 -> (token) {
// CHECK-NEXT: %9 = iota : tile<16xi32>
// CHECK-NEXT: %reshape_2 = reshape %assume : tile<ptr<f32>> -> tile<1xptr<f32>>
// CHECK-NEXT: %bcast_3 = broadcast %reshape_2 : tile<1xptr<f32>> -> tile<16xptr<f32>>
// CHECK-NEXT: %10 = offset %bcast_3, %9 : tile<16xptr<f32>>, tile<16xi32> -> tile<16xptr<f32>>
// CHECK-NEXT: %11 = store_ptr_tko weak %10, %result token=%result_token : tile<16xptr<f32>>, tile<16xf32> -> token
// CHECK-NEXT: yield %11 : token
// CHECK-NEXT: } else {
// CHECK-NEXT: yield %result_token : token
// CHECK-NEXT: }
// CHECK-NEXT: continue %8 : token
// CHECK-NEXT: }
// CHECK-NEXT: return
// CHECK-NEXT: }
// CHECK-NEXT: }

// -----

// Parameters that may alias are one memory.
tile_sugar.kernel @alias(%X: tensor<64xf32> {may_alias}, %Y: tensor<64xf32> {may_alias}) {
  %a = load %X[0] : tensor<64xf32> -> tile<64xf32>
  store %a, %Y[0] : tile<64xf32>, tensor<64xf32>
  return
}

// CHECK: cuda_tile.module @kernels {
// CHECK-NEXT: entry @alias(%arg0: tile<ptr<f32>>, %arg1: tile<ptr<f32>>) {
// CHECK-NEXT: %assume = assume div_by<16>, %arg0 : tile<ptr<f32>>
// CHECK-NEXT: %assume_0 = assume div_by<16>, %arg1 : tile<ptr<f32>>
// CHECK-NEXT: %0 = iota : tile<64xi32>
// CHECK-NEXT: %reshape = reshape %assume : tile<ptr<f32>> -> tile<1xptr<f32>>
// CHECK-NEXT: %bcast = broadcast %reshape : tile<1xptr<f32>> -> tile<64xptr<f32>>
// CHECK-NEXT: %1 = offset %bcast, %0 : tile<64xptr<f32>>, tile<64xi32> -> tile<64xptr<f32>>
// CHECK-NEXT: %result, %result_token = load_ptr_tko weak %1 : tile<64xptr<f32>> -> tile<64xf32>, token
// CHECK-NEXT: %2 = iota : tile<64xi32>
// CHECK-NEXT: %reshape_1 = reshape %assume_0 : tile<ptr<f32>> -> tile<1xptr<f32>>
// CHECK-NEXT: %bcast_2 = broadcast %reshape_1 : tile<1xptr<f32>> -> tile<64xptr<f32>>
// CHECK-NEXT: %3 = offset %bcast_2, %2 : tile<64xptr<f32>>, tile<64xi32> -> tile<64xptr<f32>>
// CHECK-NEXT: %4 = store_ptr_tko weak %3, %result token=%result_token : tile<64xptr<f32>>, tile<64xf32> -> token
// CHECK-NEXT: return
// CHECK-NEXT: }
// CHECK-NEXT: }

// -----

// Offsets whose sum may pass 2**31 are computed in 64 bits, and 32 suffice for smaller ones.
tile_sugar.kernel @far(%X: tensor<16x16x16xi8, strides=[67108863, 67108863, 67108863]>, %Y: tensor<16x16x16xi8, strides=[33554432, 33554432, 33554432]>) {
  %x = load %X[0, 0, 0] full : tensor<16x16x16xi8, strides=[67108863, 67108863, 67108863]> -> tile<16x16x16xi8>
  store %x, %Y[0, 0, 0] full : tile<16x16x16xi8>, tensor<16x16x16xi8, strides=[33554432, 33554432, 33554432]>
  return
}

// CHECK-LABEL: entry @far
// CHECK: offset %{{.*}}, %{{.*}} : tile<16x16x16xptr<i8>>, tile<16x16x16xi64>
// CHECK: load_ptr_tko
// CHECK: offset %{{.*}}, %{{.*}} : tile<16x16x16xptr<i8>>, tile<16x16x16xi32>
// CHECK: store_ptr_tko
