// Loads, stores and atomics through tiles of pointers.
// RUN: tile-opt %s | filecheck %s --strict-whitespace
// RUN: tile-opt %s --print-op-generic | filecheck %s --check-prefix=GENERIC
// RUN: tile-opt %s -t tileirbc -o %t && tile-opt %t --bare | filecheck %s --strict-whitespace

// CHECK-LABEL: entry @offset(
// CHECK: offset %arg0, %arg1 : tile<ptr<f32>>, tile<i64> -> tile<ptr<f32>>
entry @offset(%p: tile<ptr<f32>>, %n: tile<i64>) {
  %r = offset %p, %n : tile<ptr<f32>>, tile<i64> -> tile<ptr<f32>>
}

// CHECK-LABEL: entry @load_ptr_tko(
// CHECK: %result, %result_token = load_ptr_tko weak %arg0 : tile<ptr<f32>> -> tile<f32>, token
// CHECK: %result_0, %result_token_1 = load_ptr_tko weak %arg0, %arg1 : tile<ptr<f32>>, tile<i1> -> tile<f32>, token
// CHECK: load_ptr_tko relaxed device %arg0, %arg1, %arg2 token=%result_token : tile<ptr<f32>>, tile<i1>, tile<f32> -> tile<f32>, token
// CHECK: load_ptr_tko acquire sys %arg0 optimization_hints = <sm_100 = {latency = 2}> : tile<ptr<f32>> -> tile<f32>, token
// GENERIC-LABEL: sym_name = "load_ptr_tko"
// GENERIC: "cuda_tile.load_ptr_tko"(%{{.*}}) <{memory_ordering_semantics = #cuda_tile.memory_ordering_semantics<weak>, operandSegmentSizes = array<i32: 1, 0, 0, 0>}>
// GENERIC: operandSegmentSizes = array<i32: 1, 1, 0, 0>
// GENERIC: memory_scope = #cuda_tile.memory_scope<device>, operandSegmentSizes = array<i32: 1, 1, 1, 1>
// GENERIC: optimization_hints = #cuda_tile.optimization_hints<sm_100 = {latency = 2}>
entry @load_ptr_tko(%p: tile<ptr<f32>>, %m: tile<i1>, %pad: tile<f32>) {
  %0, %t = load_ptr_tko weak %p : tile<ptr<f32>> -> tile<f32>, token
  %1, %u = load_ptr_tko weak %p, %m : tile<ptr<f32>>, tile<i1> -> tile<f32>, token
  %2, %v = load_ptr_tko relaxed device %p, %m, %pad token = %t : tile<ptr<f32>>, tile<i1>, tile<f32> -> tile<f32>, token
  %3, %w = load_ptr_tko acquire sys %p optimization_hints=<"sm_100" = {"latency" = 2}> : tile<ptr<f32>> -> tile<f32>, token
}

// CHECK-LABEL: entry @store_ptr_tko(
// CHECK: %0 = store_ptr_tko weak %arg0, %arg1 : tile<ptr<f32>>, tile<f32> -> token
// CHECK: %1 = store_ptr_tko release tl_blk %arg0, %arg1, %arg2 token=%0 optimization_hints = <default = {latency = 1}> : tile<ptr<f32>>, tile<f32>, tile<i1> -> token
entry @store_ptr_tko(%p: tile<ptr<f32>>, %x: tile<f32>, %m: tile<i1>) {
  %t = store_ptr_tko weak %p, %x : tile<ptr<f32>>, tile<f32> -> token
  %u = store_ptr_tko release tl_blk %p, %x, %m token=%t optimization_hints = <default = {latency = 1}> : tile<ptr<f32>>, tile<f32>, tile<i1> -> token
}

// The type of `cmp` is that of `val` and not repeated.
// CHECK-LABEL: entry @atomic_cas_tko(
// CHECK: %result, %result_token = atomic_cas_tko acq_rel device %arg0, %arg1, %arg2 : tile<ptr<i32>>, tile<i32> -> tile<i32>, token
// CHECK: atomic_cas_tko relaxed sys %arg0, %arg1, %arg2, %arg3 token=%result_token : tile<ptr<i32>>, tile<i32>, tile<i1> -> tile<i32>, token
entry @atomic_cas_tko(%p: tile<ptr<i32>>, %c: tile<i32>, %v: tile<i32>, %m: tile<i1>) {
  %0, %t = atomic_cas_tko acq_rel device %p, %c, %v : tile<ptr<i32>>, tile<i32> -> tile<i32>, token
  %1, %u = atomic_cas_tko relaxed sys %p, %c, %v, %m token=%t : tile<ptr<i32>>, tile<i32>, tile<i1> -> tile<i32>, token
}

// CHECK-LABEL: entry @atomic_rmw_tko(
// CHECK: atomic_rmw_tko relaxed device %arg0, umax, %arg1 : tile<ptr<i32>>, tile<i32> -> tile<i32>, token
// CHECK: atomic_rmw_tko acquire tl_blk %arg0, xchg, %arg1, %arg2 token=%result_token : tile<ptr<i32>>, tile<i32>, tile<i1> -> tile<i32>, token
// GENERIC-LABEL: sym_name = "atomic_rmw_tko"
// GENERIC: mode = #cuda_tile.atomic_rmw_mode<umax>
entry @atomic_rmw_tko(%p: tile<ptr<i32>>, %x: tile<i32>, %m: tile<i1>) {
  %0, %t = atomic_rmw_tko relaxed device %p, umax, %x : tile<ptr<i32>>, tile<i32> -> tile<i32>, token
  %1, %u = atomic_rmw_tko acquire tl_blk %p, xchg, %x, %m token=%t : tile<ptr<i32>>, tile<i32>, tile<i1> -> tile<i32>, token
}

// CHECK-LABEL: entry @alloca(
// CHECK: alloca num_elem = 4, alignment = 16 : tile<ptr<f32>>
// CHECK: alloca num_elem = 128, alignment = 8 global : tile<ptr<i64>>
// GENERIC-LABEL: sym_name = "alloca"
// GENERIC: "cuda_tile.alloca"() <{alignment = 16 : i64, num_elem = 4 : i64}>
// GENERIC: "cuda_tile.alloca"() <{alignment = 8 : i64, global, num_elem = 128 : i64}>
entry @alloca() {
  %0 = alloca num_elem = 4, alignment = 16 : tile<ptr<f32>>
  %1 = alloca num_elem = 128, alignment = 8 global : tile<ptr<i64>>
}
