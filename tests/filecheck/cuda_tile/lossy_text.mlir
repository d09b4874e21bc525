// Where NVIDIA's text loses what the program says: the default text keeps it and reads back;
// --nvidia-text prints theirs.
// RUN: tile-opt %s --verify-roundtrip | filecheck %s --strict-whitespace
// RUN: tile-opt %s -o %t && tile-opt %t | filecheck %s --strict-whitespace
// RUN: tile-opt %s -t tileirbc --bytecode-version 13.5 -o %t && tile-opt %t --bare | filecheck %s --strict-whitespace
// RUN: tile-opt %s --nvidia-text | filecheck %s --strict-whitespace --check-prefix=NVIDIA

// Padding without a mask stands in the mask's place; the types tell it from a mask, unless it is
// itself of i1.
// CHECK-LABEL: entry @padding_without_mask(
// CHECK: load_ptr_tko weak %arg0 padding=%arg1 : tile<ptr<f32>>, tile<f32> -> tile<f32>, token
// CHECK: load_ptr_tko weak %arg2 padding=%arg3 : tile<ptr<i1>>, tile<i1> -> tile<i1>, token
// CHECK: load_ptr_tko weak %arg0 padding=%arg1 : tile<ptr<f32>>, tile<f32> -> tile<f32>, token
// NVIDIA-LABEL: entry @padding_without_mask(
// NVIDIA: load_ptr_tko weak %arg0, %arg1 : tile<ptr<f32>>, tile<f32> -> tile<f32>, token
// NVIDIA: load_ptr_tko weak %arg2, %arg3 : tile<ptr<i1>>, tile<i1> -> tile<i1>, token
// NVIDIA: load_ptr_tko weak %arg0, %arg1 : tile<ptr<f32>>, tile<f32> -> tile<f32>, token
entry @padding_without_mask(%p: tile<ptr<f32>>, %x: tile<f32>, %q: tile<ptr<i1>>, %b: tile<i1>) {
  %0, %t = load_ptr_tko weak %p padding=%x : tile<ptr<f32>>, tile<f32> -> tile<f32>, token
  %1, %u = load_ptr_tko weak %q padding=%b : tile<ptr<i1>>, tile<i1> -> tile<i1>, token
  %2, %v = load_ptr_tko weak %p, %x : tile<ptr<f32>>, tile<f32> -> tile<f32>, token
}

// CHECK-LABEL: entry @shape_of_different_types(
// CHECK: get_tensor_shape %tview : tensor_view<4x4xf32, strides=[4,1]> -> tile<i32>, tile<i64>
// NVIDIA-LABEL: entry @shape_of_different_types(
// NVIDIA: get_tensor_shape %tview : tensor_view<4x4xf32, strides=[4,1]> -> tile<i32>{{$}}
entry @shape_of_different_types(%p: tile<ptr<f32>>) {
  %t = make_tensor_view %p, shape = [4, 4], strides = [4, 1] : tensor_view<4x4xf32, strides=[4,1]>
  %n:2 = get_tensor_shape %t : tensor_view<4x4xf32, strides=[4,1]> -> tile<i32>, tile<i64>
}

// Integers of hints are i32 where it holds them.
// CHECK-LABEL: entry @hint_types()
// CHECK-SAME: <default = {a = 1, b = 1 : i64, c = 1 : i8, d = 4294967296}>
// NVIDIA-LABEL: entry @hint_types()
// NVIDIA-SAME: <default = {a = 1, b = 1, c = 1, d = 4294967296}>
entry @hint_types() optimization_hints=<default = {a = 1 : i32, b = 1 : i64, c = 1 : i8, d = 4294967296}> {
}

// CHECK-LABEL: entry @hint_keys()
// CHECK-SAME: <default = {"9" = 2, "a b" = 1}>
// NVIDIA-LABEL: entry @hint_keys()
// NVIDIA-SAME: <default = {9 = 2, a b = 1}>
entry @hint_keys() optimization_hints=<default = {"a b" = 1, "9" = 2}> {
}
