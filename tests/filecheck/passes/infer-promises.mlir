// RUN: tile-opt %s -p infer-promises --split-input-file | filecheck %s
// RUN: tile-opt %s -p infer-promises --split-input-file --remarks=infer-promises -o %t 2>&1 | filecheck %s --check-prefix REMARK

// The grid bounds the block's index; a multiple makes the last tile whole.

// CHECK-LABEL: kernel @grid
// CHECK:         load %{{.*}}[%{{.*}}, 0] full
// CHECK:         store %{{.*}} inside
// REMARK: remark: full: proven
// REMARK: remark: 'full' not provable: extent 0 of %Y has no `multiple` of 8
tile_sugar.kernel @grid(%X: tensor<?x4xf32> {multiple = [8, 1]}) grid(ceildiv(dim %X 0, 8)) {
  %b = block_id 0
  %c8 = arith.constant 8 : i32
  %r = arith.muli %b, %c8 : i32
  %t = load %X[%r, 0] : tensor<?x4xf32> -> tile<8x4xf32>
  return
}
tile_sugar.kernel @ragged(%Y: tensor<?x4xf32>) grid(ceildiv(dim %Y 0, 8)) {
  %b = block_id 0
  %c8 = arith.constant 8 : i32
  %r = arith.muli %c8, %b : i32
  %t = constant 0 : tile<8x4xf32>
  store %t, %Y[%r, 0] : tile<8x4xf32>, tensor<?x4xf32>
  return
}

// -----

// The extent of one tensor says nothing about another, nor does a smaller step than the tile.

// CHECK-LABEL: kernel @other
// CHECK-NOT:     full
// CHECK-NOT:     inside
// REMARK: remark: 'full' not provable: the grid does not divide extent 0 of %Y by 8 or more
// REMARK: remark: 'full' not provable: extent 0 of %X may be small
// REMARK: remark: 'full' not provable: the kernel states no grid for the block's index
tile_sugar.kernel @other(%X: tensor<?x4xf32>, %Y: tensor<?x4xf32>) grid(ceildiv(dim %X 0, 8)) {
  %b = block_id 0
  %d = block_id 1
  %c8 = arith.constant 8 : i32
  %r = arith.muli %b, %c8 : i32
  %t = load %Y[%r, 0] : tensor<?x4xf32> -> tile<8x4xf32>
  %u = load %X[0, 0] : tensor<?x4xf32> -> tile<8x4xf32>
  %v = load %X[%d, 0] : tensor<?x4xf32> -> tile<8x4xf32>
  return
}

// -----

// A loop ends at the extent; constants fit static extents.

// CHECK-LABEL: kernel @loop
// CHECK:         load %{{.*}}[0, 4] full : tensor<8x12xf32> -> tile<8x8xf32>
// CHECK:         load %{{.*}}[0, 8] inside : tensor<8x12xf32> -> tile<8x8xf32>
// CHECK:         load %{{.*}}[0, 12] : tensor<8x12xf32> -> tile<8x8xf32>
// CHECK:         scf.for
// CHECK:         load %{{.*}} full : tensor<?xf32> -> tile<4xf32>
// CHECK:         load %{{.*}} inside : tensor<?xf32> -> tile<8xf32>
tile_sugar.kernel @loop(%X: tensor<8x12xf32>, %Y: tensor<?xf32> {multiple = [4]}) {
  %c0 = arith.constant 0 : i32
  %c4 = arith.constant 4 : i32
  %a = load %X[0, 4] : tensor<8x12xf32> -> tile<8x8xf32>
  %b = load %X[0, 8] : tensor<8x12xf32> -> tile<8x8xf32>
  %c = load %X[0, 12] : tensor<8x12xf32> -> tile<8x8xf32>
  %n = extent %Y, 0 : tensor<?xf32>
  scf.for %k = %c0 to %n step %c4 : i32 {
    %d = load %Y[%k] : tensor<?xf32> -> tile<4xf32>
    %e = load %Y[%k] : tensor<?xf32> -> tile<8xf32>
  }
  return
}

// -----

// What keeps an access in a loop from being `full`.

// CHECK-LABEL: kernel @loops
// CHECK-NOT:     full
// CHECK:         return
// REMARK: remark: 'full' not provable: the loop does not end at extent 0 of %Y
// REMARK: remark: 'full' not provable: an access along extent 0 of %X is longer than a step
// REMARK: remark: 'full' not provable: the loop has no constant start and step
tile_sugar.kernel @loops(%X: tensor<?xf32> {multiple = [4]}, %Y: tensor<?xf32>, %s: i32) {
  %c0 = arith.constant 0 : i32
  %c4 = arith.constant 4 : i32
  %n = extent %X, 0 : tensor<?xf32>
  scf.for %k = %c0 to %n step %c4 : i32 {
    %a = load %Y[%k] : tensor<?xf32> -> tile<4xf32>
    %b = load %X[%k] : tensor<?xf32> -> tile<8xf32>
  }
  scf.for %k = %s to %n step %c4 : i32 {
    %a = load %X[%k] : tensor<?xf32> -> tile<4xf32>
  }
  return
}

// -----

// What keeps any other from it.

// CHECK-LABEL: kernel @bounds
// CHECK-NOT:     full
// CHECK:         return
// REMARK: remark: 'full' not provable: the start along extent 0 of %X has no known bound
// REMARK: remark: 'full' not provable: extent 0 of %Y is 12
// REMARK: remark: 'full' not provable: extent 0 of %X is not bounded from below
tile_sugar.kernel @bounds(%X: tensor<?xf32>, %Y: tensor<12xf32>, %s: i32) grid(4) {
  %b = block_id 0
  %c8 = arith.constant 8 : i32
  %r = arith.muli %b, %c8 : i32
  %t = load %X[%s] : tensor<?xf32> -> tile<8xf32>
  %u = load %Y[8] : tensor<12xf32> -> tile<8xf32>
  %v = load %X[%r] : tensor<?xf32> -> tile<8xf32>
  return
}
