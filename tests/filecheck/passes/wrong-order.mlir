// A pass that meets what an earlier one should have removed says which.
// RUN: not tile-opt %s -p pad-to-power-of-two 2>&1 | filecheck %s --check-prefix LIBRARY
// RUN: not tile-opt %s -p lower-elementwise 2>&1 | filecheck %s --check-prefix BROADCAST
// RUN: not tile-opt %s -p expand-library,legalize-elementwise,lower-reductions 2>&1 | filecheck %s --check-prefix PADDED
// RUN: not tile-opt %s -p expand-library,legalize-elementwise,lower-kernel 2>&1 | filecheck %s --check-prefix PADDED
// RUN: tile-opt %s -p expand-library,legalize-elementwise,pad-to-power-of-two,lower-reductions,lower-elementwise

// LIBRARY:      wrong-order.mlir:[[# @LINE + 15]]:8: error: 'tile_sugar.softmax' op is not ready for this pass: it is a library operation
// LIBRARY:      note: fix: run 'expand-library' before
// LIBRARY-NOT:  Traceback
// BROADCAST:    wrong-order.mlir:[[# @LINE + 11]]:8: error: 'tile_sugar.mul' op is not ready for this pass: it broadcasts its operands
// BROADCAST:    note: fix: run 'legalize-elementwise' before
// BROADCAST-NOT: Traceback
// PADDED:       wrong-order.mlir:[[# @LINE + 7]]:8: error: 'tile_sugar.load' op is not ready for this pass: an extent of its tile is no power of two
// PADDED:       note: fix: run 'pad-to-power-of-two' before
// PADDED-NOT:   Traceback
tile_sugar.kernel @k(%X: tensor<?x100xf32>, %s: f32) grid(ceildiv(dim %X 0, 8)) {
  %c8 = arith.constant 8 : i32
  %b = block_id 0
  %r = arith.muli %b, %c8 : i32
  %x = load %X[%r, 0] : tensor<?x100xf32> -> tile<8x100xf32>
  %y = mul %x, %s : tile<8x100xf32>, f32
  %p = softmax %y : tile<8x100xf32>
  store %p, %X[%r, 0] : tile<8x100xf32>, tensor<?x100xf32>
  return
}
