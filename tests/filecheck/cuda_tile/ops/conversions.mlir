// Conversions between element types.
// RUN: tile-opt %s | filecheck %s --strict-whitespace
// RUN: tile-opt %s --print-op-generic | filecheck %s --check-prefix=GENERIC
// RUN: tile-opt %s -t tileirbc --bytecode-version 13.4 -o %t && tile-opt %t --bare | filecheck %s --strict-whitespace

// CHECK-LABEL: entry @bitcast(
// CHECK: bitcast %arg0 : tile<f32> -> tile<i32>
entry @bitcast(%x: tile<f32>) {
  %r = bitcast %x : tile<f32> -> tile<i32>
}

// CHECK-LABEL: entry @exti(
// CHECK: exti %arg0 signed : tile<i8> -> tile<i32>
// CHECK: exti %arg0 unsigned : tile<i8> -> tile<i64>
entry @exti(%x: tile<i8>) {
  %0 = exti %x signed : tile<i8> -> tile<i32>
  %1 = exti %x unsigned : tile<i8> -> tile<i64>
}

// CHECK-LABEL: entry @ftof(
// CHECK: ftof %arg0  : tile<f32> -> tile<f16>
// CHECK: ftof %arg0 rounding<zero> : tile<f32> -> tile<f8E8M0FNU>
// CHECK: ftof %arg0 rounding<nearest_away> : tile<f32> -> tile<tf32>
// GENERIC-LABEL: sym_name = "ftof"
// GENERIC: "cuda_tile.ftof"{{.*}} <{rounding_mode = #cuda_tile.rounding<nearest_even>}>
entry @ftof(%x: tile<f32>) {
  %0 = ftof %x : tile<f32> -> tile<f16>
  %1 = ftof %x rounding<zero> : tile<f32> -> tile<f8E8M0FNU>
  %2 = ftof %x rounding<nearest_away> : tile<f32> -> tile<tf32>
}

// CHECK-LABEL: entry @ftoi(
// CHECK: ftoi %arg0 signed  : tile<f32> -> tile<i32>
// CHECK: ftoi %arg0 unsigned  saturating : tile<f32> -> tile<i8>
// CHECK: ftoi %arg0 signed  : tile<f32> -> tile<i32>
// GENERIC-LABEL: sym_name = "ftoi"
// GENERIC: "cuda_tile.ftoi"{{.*}} <{rounding_mode = #cuda_tile.rounding<nearest_int_to_zero>, signedness = #cuda_tile.signedness<signed>}>
entry @ftoi(%x: tile<f32>) {
  %0 = ftoi %x signed : tile<f32> -> tile<i32>
  %1 = ftoi %x unsigned saturating : tile<f32> -> tile<i8>
  %2 = ftoi %x signed rounding<nearest_int_to_zero> : tile<f32> -> tile<i32>
}

// CHECK-LABEL: entry @int_to_ptr(
// CHECK: int_to_ptr %arg0 : tile<i64> -> tile<ptr<f32>>
entry @int_to_ptr(%x: tile<i64>) {
  %r = int_to_ptr %x : tile<i64> -> tile<ptr<f32>>
}

// CHECK-LABEL: entry @itof(
// CHECK: itof %arg0 signed  : tile<i32> -> tile<f32>
// CHECK: itof %arg0 unsigned  : tile<i32> -> tile<f8E4M3FN>
entry @itof(%x: tile<i32>) {
  %0 = itof %x signed : tile<i32> -> tile<f32>
  %1 = itof %x unsigned rounding<nearest_even> : tile<i32> -> tile<f8E4M3FN>
}

// CHECK-LABEL: entry @ptr_to_int(
// CHECK: ptr_to_int %arg0 : tile<ptr<f32>> -> tile<i64>
entry @ptr_to_int(%p: tile<ptr<f32>>) {
  %r = ptr_to_int %p : tile<ptr<f32>> -> tile<i64>
}

// CHECK-LABEL: entry @ptr_to_ptr(
// CHECK: ptr_to_ptr %arg0 : tile<ptr<f32>> -> tile<ptr<i8>>
entry @ptr_to_ptr(%p: tile<ptr<f32>>) {
  %r = ptr_to_ptr %p : tile<ptr<f32>> -> tile<ptr<i8>>
}

// CHECK-LABEL: entry @trunci(
// CHECK: trunci %arg0 : tile<i32> -> tile<i1>
// CHECK: trunci %arg0 overflow<no_wrap> : tile<i32> -> tile<i4>
entry @trunci(%x: tile<i32>) {
  %0 = trunci %x : tile<i32> -> tile<i1>
  %1 = trunci %x overflow<no_wrap> : tile<i32> -> tile<i4>
}
