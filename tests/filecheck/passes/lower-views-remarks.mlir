// What keeps an access from a partition view.
// RUN: tile-opt %s -p 'pad-to-power-of-two,lower-elementwise,lower-kernel,lower-views{version=13.3}' --remarks=views -o %t 2>&1 | filecheck %s
// RUN: tile-opt %s -p 'pad-to-power-of-two,lower-elementwise,lower-kernel,lower-views{version=13.4 access=pointer}' --remarks=views -o %t 2>&1 | filecheck %s --check-prefix POINTER --allow-empty

// POINTER-NOT: remark

tile_sugar.kernel @reasons(%X: tensor<?x8xf32>, %Y: tensor<?xf32>, %n: i32) grid(4) {
  %b = block_id 0
  %c8 = arith.constant 8 : i32
  %r = arith.muli %b, %c8 : i32
  %P = make_tensor %Y + %n extents(%n) : tensor<?xf32>, i32 -> tensor<?xf32>
  // CHECK: :[[# @LINE + 1]]:8: remark: masked pointers: 'full' is not promised
  %s = load %X[%r, 0] inside : tensor<?x8xf32> -> tile<8x8xf32>
  // CHECK: :[[# @LINE + 1]]:8: remark: pointers: inbounds needs bytecode 13.4
  %t = load %X[%r, 0] full : tensor<?x8xf32> -> tile<8x4xf32>
  // CHECK: :[[# @LINE + 1]]:8: remark: pointers: the tile is padded
  %u = load %X[%r, 0] full : tensor<?x8xf32> -> tile<8x5xf32>
  // CHECK: :[[# @LINE + 1]]:8: remark: masked pointers: the tensor is a part of another
  %v = load %P[%r] : tensor<?xf32> -> tile<8xf32>
  return
}
