// Views of tensors in memory, and accesses through them.
// RUN: tile-opt %s | filecheck %s --strict-whitespace
// RUN: tile-opt %s --print-op-generic | filecheck %s --check-prefix=GENERIC
// RUN: tile-opt %s -t tileirbc --bytecode-version 13.5 -o %t && tile-opt %t --bare | filecheck %s --strict-whitespace

// CHECK-LABEL: entry @make_tensor_view(
// CHECK: %tview = make_tensor_view %arg0, shape = [64, 32], strides = [32, 1] : tensor_view<64x32xf32, strides=[32,1]>
// CHECK: %tview_0 = make_tensor_view %arg0, shape = [%arg1, 32], strides = [%arg2, 1] : tile<i32> -> tensor_view<?x32xf32, strides=[?,1]>
// CHECK: make_tensor_view %arg0, shape = [], strides = [] : tensor_view<f32>
// GENERIC-LABEL: sym_name = "make_tensor_view"
// GENERIC: "cuda_tile.make_tensor_view"(%{{.*}}) <{operandSegmentSizes = array<i32: 1, 0, 0>}>
// GENERIC: operandSegmentSizes = array<i32: 1, 1, 1>
entry @make_tensor_view(%p: tile<ptr<f32>>, %n: tile<i32>, %s: tile<i32>) {
  %0 = make_tensor_view %p, shape = [64, 32], strides = [32, 1] : tensor_view<64x32xf32, strides=[32,1]>
  %1 = make_tensor_view %p, shape = [%n, 32], strides = [%s, 1] : tile<i32> -> tensor_view<?x32xf32, strides=[?,1]>
  %2 = make_tensor_view %p, shape = [], strides = [] : tensor_view<f32>
}

// The type of the base is printed when it is no plain pointer.
// CHECK-LABEL: entry @make_tensor_view_multicast(
// CHECK: make_tensor_view %arg0, shape = [%arg1], strides = [1] : tile<ptr<f32, <multicast>>>, tile<i64> -> tensor_view<?xf32, strides=[1], #cuda_tile.ptr_attr<multicast>>
entry @make_tensor_view_multicast(%p: tile<ptr<f32, <multicast>>>, %n: tile<i64>) {
  %0 = make_tensor_view %p, shape = [%n], strides = [1] : tile<ptr<f32, <multicast>>>, tile<i64> -> tensor_view<?xf32, strides=[1], #cuda_tile.ptr_attr<multicast>>
}

// CHECK-LABEL: entry @make_partition_view(
// CHECK: %pview = make_partition_view %tview : partition_view<tile=(4x8), tensor_view<64x32xf32, strides=[32,1]>>
// CHECK: %pview_0 = make_partition_view %tview : partition_view<tile=(4x8), padding_value = zero, tensor_view<64x32xf32, strides=[32,1]>, dim_map=[1, 0]>
entry @make_partition_view(%p: tile<ptr<f32>>) {
  %t = make_tensor_view %p, shape = [64, 32], strides = [32, 1] : tensor_view<64x32xf32, strides=[32, 1]>
  %0 = make_partition_view %t : partition_view<tile=(4x8), tensor_view<64x32xf32, strides=[32, 1]>, dim_map = [0, 1]>
  %1 = make_partition_view %t : partition_view<tile = (4 x 8), padding_value = zero, tensor_view<64x32xf32, strides=[32, 1]>, dim_map=[1,0]>
}

// CHECK-LABEL: entry @make_strided_view(
// CHECK: %sview = make_strided_view %tview : strided_view<tile=(4x8), traversal_strides=[2,3], tensor_view<64x32xf32, strides=[32,1]>>
entry @make_strided_view(%p: tile<ptr<f32>>) {
  %t = make_tensor_view %p, shape = [64, 32], strides = [32, 1] : tensor_view<64x32xf32, strides=[32,1]>
  %0 = make_strided_view %t : strided_view<tile=(4x8), traversal_strides=[2,3], tensor_view<64x32xf32, strides=[32,1]>>
}

// CHECK-LABEL: entry @make_gather_scatter_view(
// CHECK: %gsview = make_gather_scatter_view %tview : gather_scatter_view<tile=(4x8), padding_value = nan, tensor_view<64x32xf32, strides=[32,1]>, sparse_dim=0>
entry @make_gather_scatter_view(%p: tile<ptr<f32>>) {
  %t = make_tensor_view %p, shape = [64, 32], strides = [32, 1] : tensor_view<64x32xf32, strides=[32,1]>
  %0 = make_gather_scatter_view %t : gather_scatter_view<tile=(4x8), padding_value = nan, tensor_view<64x32xf32, strides=[32,1]>, sparse_dim=0>
}

// One type stands for all results.
// CHECK-LABEL: entry @get_tensor_shape(
// CHECK: %0:2 = get_tensor_shape %tview : tensor_view<?x32xf32, strides=[32,1]> -> tile<i64>
// CHECK: addi %0#0, %0#1
entry @get_tensor_shape(%p: tile<ptr<f32>>, %n: tile<i32>) {
  %t = make_tensor_view %p, shape = [%n, 32], strides = [32, 1] : tile<i32> -> tensor_view<?x32xf32, strides=[32,1]>
  %s:2 = get_tensor_shape %t : tensor_view<?x32xf32, strides=[32,1]> -> tile<i64>
  %r = addi %s#0, %s#1 : tile<i64>
}

// CHECK-LABEL: entry @get_index_space_shape(
// CHECK: %0 = get_index_space_shape %pview : partition_view<tile=(4), tensor_view<64xf32, strides=[1]>> -> tile<i32>
entry @get_index_space_shape(%p: tile<ptr<f32>>) {
  %t = make_tensor_view %p, shape = [64], strides = [1] : tensor_view<64xf32, strides=[1]>
  %v = make_partition_view %t : partition_view<tile=(4), tensor_view<64xf32, strides=[1]>>
  %n = get_index_space_shape %v : partition_view<tile=(4), tensor_view<64xf32, strides=[1]>> -> tile<i32>
}

// CHECK-LABEL: entry @load_view_tko(
// CHECK: %tile, %result_token = load_view_tko weak %pview[%arg1, %arg1] : partition_view<tile=(4x8), tensor_view<64x32xf32, strides=[32,1]>>, tile<i32> -> tile<4x8xf32>, token
// CHECK: %tile_0, %result_token_1 = load_view_tko relaxed device %pview[%arg1, %arg1] token = %result_token optimization_hints = <sm_100 = {allow_tma = true}> inbounds = [true, false] : partition_view
// GENERIC-LABEL: sym_name = "load_view_tko"
// GENERIC: "cuda_tile.load_view_tko"{{.*}} operandSegmentSizes = array<i32: 1, 2, 0>
// GENERIC: inbounds = array<i1: true, false>, memory_ordering_semantics
entry @load_view_tko(%p: tile<ptr<f32>>, %i: tile<i32>) {
  %t = make_tensor_view %p, shape = [64, 32], strides = [32, 1] : tensor_view<64x32xf32, strides=[32,1]>
  %v = make_partition_view %t : partition_view<tile=(4x8), tensor_view<64x32xf32, strides=[32,1]>>
  %0, %a = load_view_tko weak %v[%i, %i] : partition_view<tile=(4x8), tensor_view<64x32xf32, strides=[32,1]>>, tile<i32> -> tile<4x8xf32>, token
  %1, %b = load_view_tko relaxed device %v[%i, %i] token = %a optimization_hints = <sm_100 = {allow_tma = true}> inbounds = [true, false] : partition_view<tile=(4x8), tensor_view<64x32xf32, strides=[32,1]>>, tile<i32>, tile<i32> -> tile<4x8xf32>, token
}

// A gather takes a tile of indices along its sparse dimension: the index types differ.
// CHECK-LABEL: entry @load_view_tko_gather(
// CHECK: load_view_tko weak %gsview[%0, %arg1] : gather_scatter_view<tile=(4x8), tensor_view<64x32xf32, strides=[32,1]>, sparse_dim=0>, tile<4xi32>, tile<i32> -> tile<4x8xf32>, token
entry @load_view_tko_gather(%p: tile<ptr<f32>>, %j: tile<i32>) {
  %i = iota : tile<4xi32>
  %t = make_tensor_view %p, shape = [64, 32], strides = [32, 1] : tensor_view<64x32xf32, strides=[32,1]>
  %v = make_gather_scatter_view %t : gather_scatter_view<tile=(4x8), tensor_view<64x32xf32, strides=[32,1]>, sparse_dim=0>
  %0, %a = load_view_tko weak %v[%i, %j] : gather_scatter_view<tile=(4x8), tensor_view<64x32xf32, strides=[32,1]>, sparse_dim=0>, tile<4xi32>, tile<i32> -> tile<4x8xf32>, token
}

// CHECK-LABEL: entry @store_view_tko(
// CHECK: %0 = store_view_tko weak %cst_1_f32, %pview[%arg1] : tile<4xf32>, partition_view<tile=(4), tensor_view<64xf32, strides=[1]>>, tile<i32> -> token
// CHECK: %1 = store_view_tko release sys %cst_1_f32, %pview[%arg1] token = %0 inbounds = [true] : tile<4xf32>, partition_view<tile=(4), tensor_view<64xf32, strides=[1]>>, tile<i32> -> token
// CHECK: %2 = store_view_tko weak %cst_1_f32, %pview[%arg1] : tile<4xf32>
entry @store_view_tko(%p: tile<ptr<f32>>, %i: tile<i32>) {
  %x = constant <f32: 1.0> : tile<4xf32>
  %t = make_tensor_view %p, shape = [64], strides = [1] : tensor_view<64xf32, strides=[1]>
  %v = make_partition_view %t : partition_view<tile=(4), tensor_view<64xf32, strides=[1]>>
  %0 = store_view_tko weak %x, %v[%i] : tile<4xf32>, partition_view<tile=(4), tensor_view<64xf32, strides=[1]>>, tile<i32> -> token
  %1 = store_view_tko release sys %x, %v[%i] token = %0 inbounds = [true] : tile<4xf32>, partition_view<tile=(4), tensor_view<64xf32, strides=[1]>>, tile<i32> -> token
  %2 = store_view_tko weak %x, %v[%i] inbounds = [false] : tile<4xf32>, partition_view<tile=(4), tensor_view<64xf32, strides=[1]>>, tile<i32> -> token
}

// CHECK-LABEL: entry @atomic_red_view_tko(
// CHECK: %0 = atomic_red_view_tko relaxed device %pview[%arg1], umax, %cst_1_i32 : tile<4xi32>, partition_view<tile=(4), tensor_view<64xi32, strides=[1]>>, tile<i32> -> token
// CHECK: %1 = atomic_red_view_tko relaxed tl_blk %pview[%arg1], xor, %cst_1_i32 token = %0 inbounds = [true] : tile<4xi32>
entry @atomic_red_view_tko(%p: tile<ptr<i32>>, %i: tile<i32>) {
  %x = constant <i32: 1> : tile<4xi32>
  %t = make_tensor_view %p, shape = [64], strides = [1] : tensor_view<64xi32, strides=[1]>
  %v = make_partition_view %t : partition_view<tile=(4), tensor_view<64xi32, strides=[1]>>
  %0 = atomic_red_view_tko relaxed device %v[%i], umax, %x : tile<4xi32>, partition_view<tile=(4), tensor_view<64xi32, strides=[1]>>, tile<i32> -> token
  %1 = atomic_red_view_tko relaxed tl_blk %v[%i], xor, %x token = %0 inbounds = [true] : tile<4xi32>, partition_view<tile=(4), tensor_view<64xi32, strides=[1]>>, tile<i32> -> token
}
