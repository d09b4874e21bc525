// Literals of constants: how they are read, and the one way in which each prints.
// RUN: tile-opt %s | filecheck %s --strict-whitespace
// RUN: tile-opt %s -t tileirbc --bytecode-version 13.4 -o %t && tile-opt %t --bare | filecheck %s --strict-whitespace
// RUN: tile-opt %s --print-op-generic -o %t.generic && tile-opt %t.generic --bare | filecheck %s --strict-whitespace

// Integers print signed; they are read as decimal or hexadecimal, signed or unsigned.
// CHECK-LABEL: entry @integers(
// CHECK: %cst_-1_i8 = constant <i8: -1> : tile<i8>
// CHECK: %cst_-1_i8_0 = constant <i8: -1> : tile<i8>
// CHECK: %cst_-128_i8 = constant <i8: -128> : tile<i8>
// CHECK: %cst_32767_i16 = constant <i16: 32767> : tile<2xi16>
// CHECK: %cst_-1_i32 = constant <i32: -1> : tile<i32>
// CHECK: %cst_-9223372036854775808_i64 = constant <i64: -9223372036854775808> : tile<i64>
// CHECK: %cst_-1_i64 = constant <i64: -1> : tile<i64>
entry @integers() {
  %0 = constant <i8: 255> : tile<i8>
  %1 = constant <i8: 0xFF> : tile<i8>
  %2 = constant <i8: -128> : tile<i8>
  %3 = constant <i16: 0x7fff> : tile<2xi16>
  %4 = constant <i32: 4294967295> : tile<i32>
  %5 = constant <i64: -9223372036854775808> : tile<i64>
  %6 = constant <i64: 0xFFFFFFFFFFFFFFFF> : tile<i64>
}

// CHECK-LABEL: entry @booleans(
// CHECK: %true = constant <i1: true> : tile<i1>
// CHECK: %false = constant <i1: false> : tile<4xi1>
// CHECK: %true_0 = constant <i1: true> : tile<i1>
// CHECK: %cst_i1 = constant <i1: [true, false]> : tile<2xi1>
entry @booleans() {
  %0 = constant <i1: true> : tile<i1>
  %1 = constant <i1: 0> : tile<4xi1>
  %2 = constant <i1: -1> : tile<i1>
  %3 = constant <i1: [1, false]> : tile<2xi1>
}

// Equal elements always print as one.
// CHECK-LABEL: entry @lists(
// CHECK: %cst_7_i32 = constant <i32: 7> : tile<4xi32>
// CHECK: %cst_i8 = constant <i8: {{\[\[}}1, 2], [-1, -128]]> : tile<2x2xi8>
// CHECK: %cst_i16 = constant <i16: {{\[\[\[}}1], [2]]]> : tile<1x2x1xi16>
entry @lists() {
  %0 = constant <i32: [7, 7, 7, 7]> : tile<4xi32>
  %1 = constant <i8: [[1, 2], [-1, -128]]> : tile<2x2xi8>
  %2 = constant <i16: [[[1], [2]]]> : tile<1x2x1xi16>
}

// The shortest decimal that reads back as the same bits; bits where there is none.
// CHECK-LABEL: entry @floats(
// CHECK: constant <f32: 1.000000e+00> : tile<f32>
// CHECK: constant <f32: -0.000000e+00> : tile<f32>
// CHECK: constant <f32: 3.14159274> : tile<f32>
// CHECK: constant <f32: 1.17549435E-38> : tile<f32>
// CHECK: constant <f32: 0x4B800000> : tile<f32>
// CHECK: constant <f64: 1.000000e-01> : tile<f64>
// CHECK: constant <bf16: 1.000000e+00> : tile<bf16>
entry @floats() {
  %0 = constant <f32: 1.0> : tile<f32>
  %1 = constant <f32: -0.0> : tile<f32>
  %2 = constant <f32: 3.14159265358979> : tile<f32>
  %3 = constant <f32: 0x00800000> : tile<f32>
  %4 = constant <f32: 16777216.0> : tile<f32>
  %5 = constant <f64: 0.1> : tile<f64>
  %6 = constant <bf16: 1.0> : tile<bf16>
}

// Infinities and NaNs print as bits; a payload and a sign stay.
// CHECK-LABEL: entry @specials(
// CHECK: %cst_f32 = constant <f32: 0x7F800000> : tile<f32>
// CHECK: %cst_NaN_f32 = constant <f32: 0x7FC00000> : tile<f32>
// CHECK: %cst_NaN_f32_0 = constant <f32: 0xFF800001> : tile<f32>
// CHECK: %cst_f16 = constant <f16: 0xFC00> : tile<f16>
// CHECK: %cst_NaN_f64 = constant <f64: 0x7FF0000000000001> : tile<f64>
// CHECK: %cst_NaN_tf32 = constant <tf32: 0x3FE00> : tile<tf32>
// CHECK: %cst_NaN_f8E4M3FN = constant <f8E4M3FN: 0x7F> : tile<f8E4M3FN>
entry @specials() {
  %0 = constant <f32: 0x7F800000> : tile<f32>
  %1 = constant <f32: 0x7FC00000> : tile<f32>
  %2 = constant <f32: 0xFF800001> : tile<f32>
  %3 = constant <f16: 0xFC00> : tile<f16>
  %4 = constant <f64: 0x7FF0000000000001> : tile<f64>
  %5 = constant <tf32: 0x3FE00> : tile<tf32>
  %6 = constant <f8E4M3FN: 0x7F> : tile<f8E4M3FN>
}

// CHECK-LABEL: entry @narrow_floats(
// CHECK: constant <f8E5M2: [1.000000e+00, 5.734400e+04]> : tile<2xf8E5M2>
// CHECK: constant <f8E8M0FNU: 1.000000e+00> : tile<f8E8M0FNU>
// CHECK: constant <f4E2M1FN: [6.000000e+00, -5.000000e-01]> : tile<2xf4E2M1FN>
// CHECK: constant <fnv8E5M3FNU: 1.500000e+00> : tile<fnv8E5M3FNU>
entry @narrow_floats() {
  %0 = constant <f8E5M2: [1.0, 57344.0]> : tile<2xf8E5M2>
  %1 = constant <f8E8M0FNU: 1.0> : tile<f8E8M0FNU>
  %2 = constant <f4E2M1FN: [6.0, -0.5]> : tile<2xf4E2M1FN>
  %3 = constant <fnv8E5M3FNU: 1.5> : tile<fnv8E5M3FNU>
}

// More than 100 elements print as their bytes, which NVIDIA's parser does not read.
// CHECK-LABEL: entry @many_elements(
// CHECK: %cst_i8 = constant <i8: "0x000102{{[0-9A-F]*}}7F"> : tile<128xi8>
// CHECK: %cst_3_i8 = constant <i8: 3> : tile<128xi8>
entry @many_elements() {
  %0 = constant <i8: "0x000102030405060708090A0B0C0D0E0F101112131415161718191A1B1C1D1E1F202122232425262728292A2B2C2D2E2F303132333435363738393A3B3C3D3E3F404142434445464748494A4B4C4D4E4F505152535455565758595A5B5C5D5E5F606162636465666768696A6B6C6D6E6F707172737475767778797A7B7C7D7E7F"> : tile<128xi8>
  %1 = constant <i8: 3> : tile<128xi8>
}
