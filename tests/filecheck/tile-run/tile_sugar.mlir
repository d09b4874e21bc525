// RUN: tile-run %s --arg X=iota:6x3 --arg Y=zeros:6x3 --arg n=2 --print Y 2>&1 | filecheck %s
// RUN: not tile-run %s --arg X=iota:6x3 --arg Y=zeros:5x3 --arg n=-1 2>&1 | filecheck %s --check-prefix=PROMISE
// RUN: not tile-run %s --arg X=iota:6x4 --arg Y=zeros:6x3 --arg n=2 2>&1 | filecheck %s --check-prefix=SHAPE

// The grid is that of the kernel: two blocks.
// CHECK: Y = {{\[\[}} 0.,  2.,  4.],
// CHECK: [30., 32., 34.{{\]\]}}
// CHECK-NEXT: @scale: 2 blocks of grid 2x1x1

// PROMISE: tile_sugar.mlir:13:1: error: argument 'n' (i32): value -1 is below the minimum 0 that is promised
// SHAPE: tile_sugar.mlir:13:1: error: argument 'X' (tensor<?x3xf32>): extent 1 is 4, not 3

tile_sugar.kernel @scale(%X: tensor<?x3xf32>, %Y: tensor<?x3xf32>, %n: i32 {min = 0 : i32}) grid(ceildiv(dim %X 0, 4)) {
  %block = block_id 0
  %four = arith.constant 4 : i32
  %row = arith.muli %block, %four : i32
  %x = load %X[%row, 0] : tensor<?x3xf32> -> tile<4x3xf32>
  %factor = arith.sitofp %n : i32 to f32
  %y = mul %x, %factor : tile<4x3xf32>, f32
  store %y, %Y[%row, 0] : tile<4x3xf32>, tensor<?x3xf32>
  return
}
