// Optimization hints, discardable attributes, and arguments' attributes.
// RUN: tile-opt %s | filecheck %s --strict-whitespace
// RUN: tile-opt %s --print-op-generic -o %t && tile-opt %t --bare | filecheck %s --strict-whitespace

// Keys are sorted as bytes: sm_100 stands before sm_90.
// CHECK-LABEL: entry @hints()
// CHECK-SAME: optimization_hints=<default = {num_worker_warps_per_cta = 8}, sm_100 = {num_cta_in_cga = 2, occupancy = 4}, sm_90 = {occupancy = 1}> {
entry @hints() optimization_hints=<sm_90 = {occupancy = 1}, "sm_100" = {occupancy = 4, "num_cta_in_cga" = 2}, default = {num_worker_warps_per_cta = 8}> {
}

// Empty hints of an entry are none.
// CHECK-LABEL: entry @no_hints() {
entry @no_hints() optimization_hints=<> {
}

// Empty hints of an access are kept.
// CHECK-LABEL: entry @empty_hints(
// CHECK: load_ptr_tko weak %arg0 optimization_hints = <> : tile<ptr<f32>> -> tile<f32>, token
// CHECK: store_ptr_tko weak %arg0, %result optimization_hints = <default = {}> : tile<ptr<f32>>, tile<f32> -> token
entry @empty_hints(%p: tile<ptr<f32>>) {
  %x, %t = load_ptr_tko weak %p optimization_hints=<> : tile<ptr<f32>> -> tile<f32>, token
  %u = store_ptr_tko weak %p, %x optimization_hints=<default = {}> : tile<ptr<f32>>, tile<f32> -> token
}

// CHECK-LABEL: entry @argument_attributes(%arg0: tile<i32> {cuda_tile.x = 5 : i32}, %arg1: tile<ptr<f32>>) {
entry @argument_attributes(%n: tile<i32> {cuda_tile.x = 5 : i32}, %p: tile<ptr<f32>> {}) {
}

// Keys of a dictionary are sorted, numbers carry their type, unit attributes are bare.
// CHECK-LABEL: entry @discardable(
// CHECK: addf %arg0, %arg0  {note = "kept", order = [1, 1.000000e+00, 2 : i8], unit} : tile<f32>
// CHECK: } {on.entry = #cuda_tile.rounding<zero>}
entry @discardable(%x: tile<f32>) {
  %0 = addf %x, %x {unit, order = [1 : i64, 1.0 : f64, 2 : i8], note = "kept"} : tile<f32>
  return
} {on.entry = #cuda_tile.rounding<zero>}

// The view accesses have them behind a keyword, other memory operations have not.
// CHECK-LABEL: entry @discardable_places(
// CHECK: load_ptr_tko weak %arg0 {a} : tile<ptr<f32>>
// CHECK: load_view_tko weak %pview[%arg1] attributes {a} : partition_view
// CHECK: for %loopIdx in (%arg1 to %arg1, step %arg1) : tile<i32> {
// CHECK-NEXT: } {a}
// CHECK: if %arg2 {
// CHECK-NEXT: } {a}
entry @discardable_places(%p: tile<ptr<f32>>, %i: tile<i32>, %c: tile<i1>) {
  %0, %a = load_ptr_tko weak %p {a} : tile<ptr<f32>> -> tile<f32>, token
  %t = make_tensor_view %p, shape = [64], strides = [1] : tensor_view<64xf32, strides=[1]>
  %v = make_partition_view %t : partition_view<tile=(4), tensor_view<64xf32, strides=[1]>>
  %1, %b = load_view_tko weak %v[%i] attributes {a} : partition_view<tile=(4), tensor_view<64xf32, strides=[1]>>, tile<i32> -> tile<4xf32>, token
  for %k in (%i to %i, step %i) : tile<i32> {
  } {a}
  if %c {
  } {a}
}

// A terminator that says something is not left out.
// CHECK-LABEL: entry @noted_terminator(
// CHECK: for %loopIdx in
// CHECK-NEXT: continue {a}
entry @noted_terminator(%i: tile<i32>) {
  for %k in (%i to %i, step %i) : tile<i32> {
    continue {a}
  }
}
