// RUN: tile-run %s --kernel add --grid 2 --arg x=iota:f32:8 --arg y=ones:8 --arg n=8 --print y --save y=%t.npy 2>&1 | filecheck %s
// RUN: tile-run %s --kernel add --grid 2 --arg x=iota:f32:8 --arg y=%t.npy --arg n=8 --print y | filecheck %s --check-prefix=AGAIN
// RUN: tile-opt %s -t tileirbc -o %t.tileirbc
// RUN: tile-run %t.tileirbc --kernel add --grid 2 --arg arg0=iota:f32:8 --arg arg1=ones:8 --arg arg2=8 --print arg1 2>&1 | filecheck %s --check-prefix=BYTECODE
// RUN: tile-run %s --kernel add --grid 2 --arg x=iota:f32:8 --arg y=ones:8 --arg n=8 --quiet 2>&1 | filecheck %s --allow-empty --check-prefix=QUIET
// RUN: tile-run %s --kernel add --grid 2x1 --arg x=iota:f32:8 --arg y=ones:8 --arg n=8 --unchecked 2>&1 | filecheck %s --check-prefix=UNCHECKED
// RUN: tile-run %s --kernel add --grid 2 --arg x=iota:f32:8 --arg y=ones:8 --arg n=8 --trace 2>&1 | filecheck %s --check-prefix=TRACE
// RUN: tile-run %s --kernel hello --grid 3 | filecheck %s --check-prefix=HELLO
// RUN: tile-run %s --kernel hello --grid 3 --jobs 2 | filecheck %s --check-prefix=HELLO

// CHECK: y = [1., 2., 3., 4., 5., 6., 7., 8.]
// CHECK-NEXT: @add: 2 blocks of grid 2x1x1, {{[0-9]+}} operations
// AGAIN: y = [ 1.,  3.,  5.,  7.,  9., 11., 13., 15.]
// BYTECODE: arg1 = [1., 2., 3., 4., 5., 6., 7., 8.]
// QUIET-NOT: add
// UNCHECKED: @add
// UNCHECKED-NEXT: not checked: unspecified, race-blocks, race-tokens, duplicate-lanes, assume, overflow
// TRACE: run.mlir:{{[0-9]+}}:{{[0-9]+}}: block (0, 0, 0): get_tile_block_id -> tile<i32> int32 0; tile<i32> int32 0; tile<i32> int32 0
// TRACE: block (1, 0, 0): addf -> tile<4xf32> float32 [5, 6, 7, 8]
// HELLO: block 0 of 3
// HELLO-NEXT: block 1 of 3
// HELLO-NEXT: block 2 of 3

cuda_tile.module @m {
  entry @add(%x: tile<ptr<f32>>, %y: tile<ptr<f32>>, %n: tile<i32>) {
    %b, %by, %bz = get_tile_block_id : tile<i32>
    %xt = make_tensor_view %x, shape = [%n], strides = [1] : tile<i32> -> tensor_view<?xf32, strides=[1]>
    %yt = make_tensor_view %y, shape = [%n], strides = [1] : tile<i32> -> tensor_view<?xf32, strides=[1]>
    %xv = make_partition_view %xt : partition_view<tile=(4), tensor_view<?xf32, strides=[1]>>
    %yv = make_partition_view %yt : partition_view<tile=(4), tensor_view<?xf32, strides=[1]>>
    %a, %t0 = load_view_tko weak %xv[%b] : partition_view<tile=(4), tensor_view<?xf32, strides=[1]>>, tile<i32> -> tile<4xf32>, token
    %c, %t1 = load_view_tko weak %yv[%b] : partition_view<tile=(4), tensor_view<?xf32, strides=[1]>>, tile<i32> -> tile<4xf32>, token
    %s = addf %a, %c : tile<4xf32>
    %t2 = store_view_tko weak %s, %yv[%b] token = %t1 : tile<4xf32>, partition_view<tile=(4), tensor_view<?xf32, strides=[1]>>, tile<i32> -> token
    return
  }

  entry @hello() {
    %b, %by, %bz = get_tile_block_id : tile<i32>
    %n, %ny, %nz = get_num_tile_blocks : tile<i32>
    %t = print_tko "block %d of %d\n", %b, %n : tile<i32>, tile<i32> -> token
    return
  }
}
