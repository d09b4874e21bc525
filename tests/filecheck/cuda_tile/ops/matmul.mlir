// Matrix products.
// RUN: tile-opt %s | filecheck %s --strict-whitespace
// RUN: tile-opt %s --print-op-generic | filecheck %s --check-prefix=GENERIC
// RUN: tile-opt %s -t tileirbc --bytecode-version 13.3 -o %t && tile-opt %t --bare | filecheck %s --strict-whitespace

// CHECK-LABEL: entry @mmaf(
// CHECK: mmaf %cst_1_f16, %cst_2_f16, %cst_0_f32 : tile<4x8xf16>, tile<8x2xf16>, tile<4x2xf32>
// GENERIC-LABEL: sym_name = "mmaf"
// GENERIC: "cuda_tile.mmaf"(%{{.*}}, %{{.*}}, %{{.*}}) : (!cuda_tile.tile<4x8xf16>, !cuda_tile.tile<8x2xf16>, !cuda_tile.tile<4x2xf32>) -> !cuda_tile.tile<4x2xf32>
entry @mmaf() {
  %a = constant <f16: 1.0> : tile<4x8xf16>
  %b = constant <f16: 2.0> : tile<8x2xf16>
  %c = constant <f32: 0.0> : tile<4x2xf32>
  %d = mmaf %a, %b, %c : tile<4x8xf16>, tile<8x2xf16>, tile<4x2xf32>
}

// CHECK-LABEL: entry @mmaf_batch_fast(
// CHECK: mmaf %{{.*}}, %{{.*}}, %{{.*}} fast_acc : tile<2x4x8xf8E4M3FN>, tile<2x8x2xf8E4M3FN>, tile<2x4x2xf16>
entry @mmaf_batch_fast() {
  %a = constant <f8E4M3FN: 1.0> : tile<2x4x8xf8E4M3FN>
  %b = constant <f8E4M3FN: 2.0> : tile<2x8x2xf8E4M3FN>
  %c = constant <f16: 0.0> : tile<2x4x2xf16>
  %d = mmaf %a, %b, %c fast_acc : tile<2x4x8xf8E4M3FN>, tile<2x8x2xf8E4M3FN>, tile<2x4x2xf16>
}

// CHECK-LABEL: entry @mmai(
// CHECK: mmai %cst_1_i8, %cst_2_i8, %cst_0_i32 signed unsigned : tile<4x8xi8>, tile<8x2xi8>, tile<4x2xi32>
// GENERIC-LABEL: sym_name = "mmai"
// GENERIC: <{signedness_lhs = #cuda_tile.signedness<signed>, signedness_rhs = #cuda_tile.signedness<unsigned>}>
entry @mmai() {
  %a = constant <i8: 1> : tile<4x8xi8>
  %b = constant <i8: 2> : tile<8x2xi8>
  %c = constant <i32: 0> : tile<4x2xi32>
  %d = mmai %a, %b, %c signed unsigned : tile<4x8xi8>, tile<8x2xi8>, tile<4x2xi32>
}

// CHECK-LABEL: entry @mmaf_scaled(
// CHECK: mmaf_scaled %{{.*}}, %{{.*}}, %{{.*}}, %{{.*}}, %{{.*}} : tile<4x64xf8E5M2>, tile<64x2xf8E5M2>, tile<4x2xf32>, tile<4x2xf8E8M0FNU>, tile<2x2xf8E8M0FNU>
entry @mmaf_scaled() {
  %a = constant <f8E5M2: 1.0> : tile<4x64xf8E5M2>
  %b = constant <f8E5M2: 2.0> : tile<64x2xf8E5M2>
  %c = constant <f32: 0.0> : tile<4x2xf32>
  %s = constant <f8E8M0FNU: 1.0> : tile<4x2xf8E8M0FNU>
  %t = constant <f8E8M0FNU: 2.0> : tile<2x2xf8E8M0FNU>
  %d = mmaf_scaled %a, %b, %c, %s, %t : tile<4x64xf8E5M2>, tile<64x2xf8E5M2>, tile<4x2xf32>, tile<4x2xf8E8M0FNU>, tile<2x2xf8E8M0FNU>
}
