// RUN: not tile-run %s --check-order --arg "x=full:2:f32:4" 2>&1 | filecheck %s
// RUN: tile-run %s --order sequential --arg "x=full:2:f32:4" | filecheck %s --check-prefix=SEQUENTIAL
// RUN: tile-run %s --arg "x=full:2:f32:4" | filecheck %s --check-prefix=TREE
// RUN: not tile-run %s --order sideways --arg "x=full:2:f32:4" 2>&1 | filecheck %s --check-prefix=UNKNOWN

// A difference depends on the order. ((2-2)-(2-2)) is 0, (((2-2)-2)-2) is -4.
// CHECK: check_order.mlir:[[# @LINE + 12]]:16: warning: identity 0.0 is none: combined with it 2.0 becomes -2.0, in lane [0] of block (0, 0, 0)
// CHECK: check_order.mlir:[[# @LINE + 11]]:16: warning: the result depends on the order, which the specification leaves open: 0.0 in order tree, -4.0 in sequential, in block (0, 0, 0)
// SEQUENTIAL: -4.0
// TREE: 0.0
// UNKNOWN: tile-run: error: --order sideways: expected one of tree, sequential, reversed, halves, shuffled, identity-front, identity-middle

cuda_tile.module @m {
  entry @k(%x: tile<ptr<f32>>) {
    %zero = constant <i32: 0> : tile<i32>
    %t = make_tensor_view %x, shape = [4], strides = [1] : tensor_view<4xf32, strides=[1]>
    %v = make_partition_view %t : partition_view<tile=(4), tensor_view<4xf32, strides=[1]>>
    %a, %t0 = load_view_tko weak %v[%zero] : partition_view<tile=(4), tensor_view<4xf32, strides=[1]>>, tile<i32> -> tile<4xf32>, token
    %reduced = reduce %a dim=0 identities=[0.0 : f32] : tile<4xf32> -> tile<f32>
    (%l: tile<f32>, %r: tile<f32>) {
      %d = subf %l, %r : tile<f32>
      yield %d : tile<f32>
    }
    %t1 = print_tko "%.1f\n", %reduced : tile<f32> -> token
    return
  }
}
