// RUN: tile-opt %s --split-input-file -p lower-elementwise,lower-kernel | filecheck %s

// A tensor is its pointer, then its `?` extents, then its `?` strides. Promises become
// assumptions.
tile_sugar.kernel @abi(%X: tensor<?x?xf32, strides=[?, 1]> {align = 64, multiple = [8, 1], stride_multiple = [16, 1], max = [4096, 0]}, %n: i32 {min = 1}, %a: f16) {
  %e = extent %X, 1 : tensor<?x?xf32, strides=[?, 1]>
  %s = arith.addi %e, %n : i32
  %x = load %X[%s, 0] : tensor<?x?xf32, strides=[?, 1]> -> tile<8x64xf32>
  store %x, %X[0, 0] : tile<8x64xf32>, tensor<?x?xf32, strides=[?, 1]>
  return
}

// CHECK: cuda_tile.module @kernels {
// CHECK-NEXT: entry @abi(%arg0: tile<ptr<f32>>, %arg1: tile<i32>, %arg2: tile<i32>, %arg3: tile<i32>, %arg4: tile<i32>, %arg5: tile<f16>) {
// CHECK-NEXT: %assume = assume div_by<64>, %arg0 : tile<ptr<f32>>
// CHECK-NEXT: %assume_0 = assume bounded<0, 4096>, %arg1 : tile<i32>
// CHECK-NEXT: %assume_assume = assume div_by<8>, %assume_0 : tile<i32>
// CHECK-NEXT: %assume_1 = assume bounded<0, ?>, %arg2 : tile<i32>
// CHECK-NEXT: %assume_2 = assume bounded<1, ?>, %arg3 : tile<i32>
// CHECK-NEXT: %assume_assume_3 = assume div_by<16>, %assume_2 : tile<i32>
// CHECK-NEXT: %0 = tile_sugar.make_tensor %assume extents(%assume_assume, %assume_1) strides(%assume_assume_3) : tile<ptr<f32>>, tile<i32> -> tensor<?x?xf32, strides=[?, 1]>
// CHECK-NEXT: %assume_4 = assume bounded<1, ?>, %arg4 : tile<i32>
// CHECK-NEXT: %1 = addi %assume_1, %assume_4 overflow<no_signed_wrap> : tile<i32>
// CHECK-NEXT: %2 = tile_sugar.load %0[%1, 0] : tensor<?x?xf32, strides=[?, 1]>, tile<i32> -> tile<8x64xf32>
// CHECK-NEXT: tile_sugar.store %2, %0[0, 0] : tile<8x64xf32>, tensor<?x?xf32, strides=[?, 1]>
// CHECK-NEXT: return
// CHECK-NEXT: }
// CHECK-NEXT: }

// -----

// Control flow: a loop, an early return, and a `while` that leaves when its condition fails.
tile_sugar.kernel @control(%n: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %s = scf.for %k = %c0 to %n step %c1 iter_args(%a = %c0) -> (i32) : i32 {
    %b = arith.muli %a, %k : i32
    scf.yield %b : i32
  }
  %neg = arith.cmpi slt, %s, %c0 : i32
  scf.if %neg {
    return
  }
  %w = scf.while (%a = %s) : (i32) -> i32 {
    %go = arith.cmpi sgt, %a, %c1 : i32
    scf.condition(%go) %a : i32
  } do {
  ^bb0(%a: i32):
    %half = arith.shrsi %a, %c1 : i32
    scf.yield %half : i32
  }
  print "%d", %w : i32
  return
}

// CHECK: cuda_tile.module @kernels {
// CHECK-NEXT: entry @control(%arg0: tile<i32>) {
// CHECK-NEXT: %cst_0_i32 = constant <i32: 0> : tile<i32>
// CHECK-NEXT: %cst_1_i32 = constant <i32: 1> : tile<i32>
// CHECK-NEXT: %for = for %loopIdx in (%cst_0_i32 to %arg0, step %cst_1_i32) : tile<i32> iter_values(%iterArg0 = %cst_0_i32) -> (tile<i32>) {
// CHECK-NEXT: %2 = muli %iterArg0, %loopIdx : tile<i32>
// CHECK-NEXT: continue %2 : tile<i32>
// CHECK-NEXT: }
// CHECK-NEXT: %0 = cmpi less_than %for, %cst_0_i32, signed : tile<i32> -> tile<i1>
// CHECK-NEXT: if %0 {
// CHECK-NEXT: return
// CHECK-NEXT: }
// CHECK-NEXT: %1 = loop iter_values(%arg1 = %for) : tile<i32> -> tile<i32> {
// CHECK-NEXT: %2 = cmpi greater_than %arg1, %cst_1_i32, signed : tile<i32> -> tile<i1>
// CHECK-NEXT: if %2 {
// CHECK-NEXT: } else {
// CHECK-NEXT: break %arg1 : tile<i32>
// CHECK-NEXT: }
// CHECK-NEXT: %3 = shri %arg1, %cst_1_i32 signed : tile<i32>
// CHECK-NEXT: continue %3 : tile<i32>
// CHECK-NEXT: }
// CHECK-NEXT: tile_sugar.print "%d", %1 : tile<i32>
// CHECK-NEXT: return
// CHECK-NEXT: }
// CHECK-NEXT: }
