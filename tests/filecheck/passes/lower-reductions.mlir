// RUN: tile-opt %s --split-input-file -p lower-reductions | filecheck %s

// The axis stays; the identity of a maximum is NaN; f16 sums in f32.
tile_sugar.kernel @rows(%X: tensor<4x128xf16>) {
  %x = load %X[0, 0] : tensor<4x128xf16> -> tile<4x128xf16>
  %m = rowmax %x : tile<4x128xf16>
  %s = rowsum %x : tile<4x128xf16>
  store %m, %X[0, 0] : tile<4x1xf16>, tensor<4x128xf16>
  store %s, %X[0, 1] : tile<4x1xf16>, tensor<4x128xf16>
  return
}

// CHECK: tile_sugar.kernel @rows(%X: tensor<4x128xf16>) {
// CHECK-NEXT: %0 = load %X[0, 0] : tensor<4x128xf16> -> tile<4x128xf16>
// CHECK-NEXT: %reduce = cuda_tile.reduce %0 dim=1 identities=[0x7E00 : f16] : tile<4x128xf16> -> tile<4xf16>
// CHECK-NEXT: (%reduce_lhs: tile<f16>, %reduce_rhs: tile<f16>) {
// CHECK-NEXT: %3 = maxf %reduce_lhs, %reduce_rhs : tile<f16>
// CHECK-NEXT: yield %3 : tile<f16>
// CHECK-NEXT: }
// CHECK-NEXT: %reshape = cuda_tile.reshape %reduce : tile<4xf16> -> tile<4x1xf16>
// CHECK-NEXT: %1 = cuda_tile.ftof %0  : tile<4x128xf16> -> tile<4x128xf32>
// CHECK-NEXT: %reduce_0 = cuda_tile.reduce %1 dim=1 identities=[-0.000000e+00 : f32] : tile<4x128xf32> -> tile<4xf32>
// CHECK-NEXT: (%reduce_lhs: tile<f32>, %reduce_rhs: tile<f32>) {
// CHECK-NEXT: %3 = addf %reduce_lhs, %reduce_rhs  : tile<f32>
// CHECK-NEXT: yield %3 : tile<f32>
// CHECK-NEXT: }
// CHECK-NEXT: %reshape_1 = cuda_tile.reshape %reduce_0 : tile<4xf32> -> tile<4x1xf32>
// CHECK-NEXT: %2 = cuda_tile.ftof %reshape_1  : tile<4x1xf32> -> tile<4x1xf16>
// CHECK-NEXT: store %reshape, %X[0, 0] : tile<4x1xf16>, tensor<4x128xf16>
// CHECK-NEXT: store %2, %X[0, 1] : tile<4x1xf16>, tensor<4x128xf16>
// CHECK-NEXT: return
// CHECK-NEXT: }

// -----

// An init is combined in front.
tile_sugar.kernel @reduce(%X: tensor<4x128xi32>, %n: i32) {
  %x = load %X[0, 0] : tensor<4x128xi32> -> tile<4x128xi32>
  %s = reduce(%x) init(%n) axis 1 kinds [min] : tile<4x128xi32>, i32 -> tile<4x1xi32>
  store %s, %X[0, 0] : tile<4x1xi32>, tensor<4x128xi32>
  return
}

// CHECK: tile_sugar.kernel @reduce(%X: tensor<4x128xi32>, %n: i32) {
// CHECK-NEXT: %0 = load %X[0, 0] : tensor<4x128xi32> -> tile<4x128xi32>
// CHECK-NEXT: %reduce = cuda_tile.reduce %0 dim=1 identities=[2147483647 : i32] : tile<4x128xi32> -> tile<4xi32>
// CHECK-NEXT: (%reduce_lhs: tile<i32>, %reduce_rhs: tile<i32>) {
// CHECK-NEXT: %3 = mini %reduce_lhs, %reduce_rhs signed : tile<i32>
// CHECK-NEXT: yield %3 : tile<i32>
// CHECK-NEXT: }
// CHECK-NEXT: %reshape = cuda_tile.reshape %reduce : tile<4xi32> -> tile<4x1xi32>
// CHECK-NEXT: %1 = splat %n : i32 -> tile<4x1xi32>
// CHECK-NEXT: %2 = cuda_tile.mini %1, %reshape signed : tile<4x1xi32>
// CHECK-NEXT: store %2, %X[0, 0] : tile<4x1xi32>, tensor<4x128xi32>
// CHECK-NEXT: return
// CHECK-NEXT: }

// -----

// An exclusive scan carries the total before each element.
tile_sugar.kernel @scan(%X: tensor<4x128xf32>) {
  %x = load %X[0, 0] : tensor<4x128xf32> -> tile<4x128xf32>
  %s = scan(%x) axis 1 kinds [sum] reverse exclusive : tile<4x128xf32> -> tile<4x128xf32>
  store %s, %X[0, 0] : tile<4x128xf32>, tensor<4x128xf32>
  return
}

// CHECK: tile_sugar.kernel @scan(%X: tensor<4x128xf32>) {
// CHECK-NEXT: %0 = load %X[0, 0] : tensor<4x128xf32> -> tile<4x128xf32>
// CHECK-NEXT: %cst_f32 = cuda_tile.constant <f32: -0.000000e+00> : tile<4x128xf32>
// CHECK-NEXT: %1:2 = cuda_tile.scan %0, %cst_f32 dim=1 reverse=true identities=[-0.000000e+00 : f32, -0.000000e+00 : f32] : tile<4x128xf32>, tile<4x128xf32> -> tile<4x128xf32>, tile<4x128xf32>
// CHECK-NEXT: (%arg0: tile<f32>, %arg1: tile<f32>, %arg2: tile<f32>, %arg3: tile<f32>) {
// CHECK-NEXT: %2 = addf %arg0, %arg1  : tile<f32>
// CHECK-NEXT: %3 = addf %arg0, %arg3  : tile<f32>
// CHECK-NEXT: yield %2, %3 : tile<f32>, tile<f32>
// CHECK-NEXT: }
// CHECK-NEXT: store %1#1, %X[0, 0] : tile<4x128xf32>, tensor<4x128xf32>
// CHECK-NEXT: return
// CHECK-NEXT: }

// -----

// Two floats join before a product; tf32 is rounded to.
tile_sugar.kernel @dot(%X: tensor<16x16xf32>) {
  %a = load %X[0, 0] : tensor<16x16xf32> -> tile<16x16xf32>
  %b = cast %a : tile<16x16xf32> -> tile<16x16xf16>
  %p = dot %a, %b acc %a tf32 : tile<16x16xf32>, tile<16x16xf16>, tile<16x16xf32>
  store %p, %X[0, 0] : tile<16x16xf32>, tensor<16x16xf32>
  return
}

// CHECK: tile_sugar.kernel @dot(%X: tensor<16x16xf32>) {
// CHECK-NEXT: %0 = load %X[0, 0] : tensor<16x16xf32> -> tile<16x16xf32>
// CHECK-NEXT: %1 = cast %0 : tile<16x16xf32> -> tile<16x16xf16>
// CHECK-NEXT: %2 = cuda_tile.ftof %1  : tile<16x16xf16> -> tile<16x16xf32>
// CHECK-NEXT: %3 = cuda_tile.ftof %0  : tile<16x16xf32> -> tile<16x16xtf32>
// CHECK-NEXT: %4 = cuda_tile.ftof %2  : tile<16x16xf32> -> tile<16x16xtf32>
// CHECK-NEXT: %5 = cuda_tile.mmaf %3, %4, %0 : tile<16x16xtf32>, tile<16x16xtf32>, tile<16x16xf32>
// CHECK-NEXT: store %5, %X[0, 0] : tile<16x16xf32>, tensor<16x16xf32>
// CHECK-NEXT: return
// CHECK-NEXT: }
