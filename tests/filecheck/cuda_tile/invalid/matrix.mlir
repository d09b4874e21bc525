// RUN: tile-opt %s --verify-diagnostics --split-input-file

entry @mmaf_shapes() {
  %a = constant <f16: 0.0> : tile<4x8xf16>
  %b = constant <f16: 0.0> : tile<8x2xf16>
  %c = constant <f32: 0.0> : tile<4x2xf32>
  %v = constant <f16: 0.0> : tile<8xf16>
  %w = constant <f32: 0.0> : tile<8xf32>
  %x = constant <f16: 0.0> : tile<2x8x2xf16>
  %y = constant <f32: 0.0> : tile<8x2xf32>
  %z = constant <f32: 0.0> : tile<4x4xf32>
  // expected-error@below:8 {{'cuda_tile.mmaf' op operands must have rank 2 or 3, but lhs has rank 1}}
  %0 = mmaf %v, %v, %w : tile<8xf16>, tile<8xf16>, tile<8xf32>
  // expected-error@below:8 {{'cuda_tile.mmaf' op operands must have one rank, but got 2, 3 and 2}}
  %1 = mmaf %a, %x, %c : tile<4x8xf16>, tile<2x8x2xf16>, tile<4x2xf32>
  // expected-error@below:8 {{'cuda_tile.mmaf' op K differs: lhs has 8 columns, rhs has 4 rows}}
  %2 = mmaf %a, %a, %c : tile<4x8xf16>, tile<4x8xf16>, tile<4x2xf32>
  // expected-error@below:8 {{'cuda_tile.mmaf' op M differs: lhs has 4 rows, acc has 8}}
  %3 = mmaf %a, %b, %y : tile<4x8xf16>, tile<8x2xf16>, tile<8x2xf32>
  // expected-error@below:8 {{'cuda_tile.mmaf' op N differs: rhs has 2 columns, acc has 4}}
  %4 = mmaf %a, %b, %z : tile<4x8xf16>, tile<8x2xf16>, tile<4x4xf32>
  return
}

// -----

entry @mmaf_batches() {
  %a = constant <f16: 0.0> : tile<2x4x8xf16>
  %b = constant <f16: 0.0> : tile<4x8x2xf16>
  %c = constant <f32: 0.0> : tile<2x4x2xf32>
  // expected-error@below:8 {{'cuda_tile.mmaf' op batch dimensions of lhs, rhs and acc must be equal}}
  %0 = mmaf %a, %b, %c : tile<2x4x8xf16>, tile<4x8x2xf16>, tile<2x4x2xf32>
  return
}

// -----

entry @mmaf_elements() {
  %a = constant <bf16: 0.0> : tile<4x8xbf16>
  %b = constant <bf16: 0.0> : tile<8x2xbf16>
  %c = constant <f16: 0.0> : tile<4x2xf16>
  %d = constant <f64: 0.0> : tile<4x2xf64>
  %e = constant <f8E4M3FN: 0.0> : tile<4x8xf8E4M3FN>
  %f = constant <f8E5M2: 0.0> : tile<8x2xf8E5M2>
  %g = constant <f32: 0.0> : tile<4x2xf32>
  %h = constant <i8: 0> : tile<4x8xi8>
  %i = constant <i8: 0> : tile<8x2xi8>
  // expected-error@below:8 {{'cuda_tile.mmaf' op bf16 inputs accumulate in f32, but acc has 'f16'}}
  %0 = mmaf %a, %b, %c : tile<4x8xbf16>, tile<8x2xbf16>, tile<4x2xf16>
  // expected-error@below:8 {{'cuda_tile.mmaf' op bf16 inputs accumulate in f32, but acc has 'f64'}}
  %1 = mmaf %a, %b, %d : tile<4x8xbf16>, tile<8x2xbf16>, tile<4x2xf64>
  // expected-error@below:8 {{'cuda_tile.mmaf' op lhs and rhs must have one element type, but got 'f8E4M3FN' and 'f8E5M2'}}
  %2 = mmaf %e, %f, %g : tile<4x8xf8E4M3FN>, tile<8x2xf8E5M2>, tile<4x2xf32>
  // expected-error@below:13 {{'cuda_tile.mmaf' op operand #0 ('lhs') must be a tile of f16, bf16, f32, f64, tf32, f8E4M3FN or f8E5M2, but got 'tile<4x8xi8>'}}
  %3 = mmaf %h, %i, %g : tile<4x8xi8>, tile<8x2xi8>, tile<4x2xf32>
  // expected-error@below:21 {{'cuda_tile.mmai' op operand #2 ('acc') must be a tile of i32, but got 'tile<4x2xf32>'}}
  %4 = mmai %h, %i, %g signed signed : tile<4x8xi8>, tile<8x2xi8>, tile<4x2xf32>
  // expected-error@below:13 {{'cuda_tile.mmai' op operand #0 ('lhs') must be a tile of i8, but got 'tile<4x8xbf16>'}}
  %5 = mmai %a, %b, %g signed signed : tile<4x8xbf16>, tile<8x2xbf16>, tile<4x2xf32>
  return
}

// -----

entry @mmai_shapes() {
  %h = constant <i8: 0> : tile<4x8xi8>
  %c = constant <i32: 0> : tile<4x2xi32>
  // expected-error@below:8 {{'cuda_tile.mmai' op K differs: lhs has 8 columns, rhs has 4 rows}}
  %0 = mmai %h, %h, %c signed unsigned : tile<4x8xi8>, tile<4x8xi8>, tile<4x2xi32>
  return
}

// -----

entry @scaled() {
  %a = constant <f8E4M3FN: 0.0> : tile<4x64xf8E4M3FN>
  %b = constant <f8E4M3FN: 0.0> : tile<64x2xf8E4M3FN>
  %e = constant <f8E5M2: 0.0> : tile<64x2xf8E5M2>
  %c = constant <f32: 0.0> : tile<4x2xf32>
  %s = constant <f8E8M0FNU: 1.0> : tile<4x2xf8E8M0FNU>
  %t = constant <f8E8M0FNU: 1.0> : tile<2x2xf8E8M0FNU>
  %u = constant <f8E8M0FNU: 1.0> : tile<4x4xf8E8M0FNU>
  %w = constant <f8E4M3FN: 1.0> : tile<4x2xf8E4M3FN>
  %x = constant <f8E4M3FN: 1.0> : tile<2x2xf8E4M3FN>
  %y = constant <f8E8M0FNU: 1.0> : tile<4x2x1xf8E8M0FNU>
  %z = constant <f8E8M0FNU: 1.0> : tile<2x4xf8E8M0FNU>
  // One scale covers 32 elements of f8.
  // expected-error@below:8 {{'cuda_tile.mmaf_scaled' op one scale must cover 32 elements of K, but covers 16}}
  %0 = mmaf_scaled %a, %b, %c, %u, %s : tile<4x64xf8E4M3FN>, tile<64x2xf8E4M3FN>, tile<4x2xf32>, tile<4x4xf8E8M0FNU>, tile<4x2xf8E8M0FNU>
  // expected-error@below:8 {{'cuda_tile.mmaf_scaled' op f8E4M3FN inputs cannot be scaled by f8E4M3FN}}
  %1 = mmaf_scaled %a, %b, %c, %w, %x : tile<4x64xf8E4M3FN>, tile<64x2xf8E4M3FN>, tile<4x2xf32>, tile<4x2xf8E4M3FN>, tile<2x2xf8E4M3FN>
  // expected-error@below:8 {{'cuda_tile.mmaf_scaled' op the two inputs must have one element type, but got 'f8E4M3FN' and 'f8E5M2'}}
  %2 = mmaf_scaled %a, %e, %c, %s, %t : tile<4x64xf8E4M3FN>, tile<64x2xf8E5M2>, tile<4x2xf32>, tile<4x2xf8E8M0FNU>, tile<2x2xf8E8M0FNU>
  // expected-error@below:8 {{'cuda_tile.mmaf_scaled' op the two scales must have one element type, but got 'f8E8M0FNU' and 'f8E4M3FN'}}
  %3 = mmaf_scaled %a, %b, %c, %s, %x : tile<4x64xf8E4M3FN>, tile<64x2xf8E4M3FN>, tile<4x2xf32>, tile<4x2xf8E8M0FNU>, tile<2x2xf8E4M3FN>
  // expected-error@below:8 {{'cuda_tile.mmaf_scaled' op lhs_scale must have 4 rows as lhs has, but has 2}}
  %4 = mmaf_scaled %a, %b, %c, %t, %t : tile<4x64xf8E4M3FN>, tile<64x2xf8E4M3FN>, tile<4x2xf32>, tile<2x2xf8E8M0FNU>, tile<2x2xf8E8M0FNU>
  // expected-error@below:8 {{'cuda_tile.mmaf_scaled' op rhs_scale must have 2 columns as rhs has, but has 4}}
  %5 = mmaf_scaled %a, %b, %c, %s, %z : tile<4x64xf8E4M3FN>, tile<64x2xf8E4M3FN>, tile<4x2xf32>, tile<4x2xf8E8M0FNU>, tile<2x4xf8E8M0FNU>
  // expected-error@below:8 {{'cuda_tile.mmaf_scaled' op lhs_scale has 4 columns, but rhs_scale has 2 rows}}
  %6 = mmaf_scaled %a, %b, %c, %u, %t : tile<4x64xf8E4M3FN>, tile<64x2xf8E4M3FN>, tile<4x2xf32>, tile<4x4xf8E8M0FNU>, tile<2x2xf8E8M0FNU>
  // expected-error@below:8 {{'cuda_tile.mmaf_scaled' op scales must have rank 2 as the inputs have}}
  %7 = mmaf_scaled %a, %b, %c, %y, %t : tile<4x64xf8E4M3FN>, tile<64x2xf8E4M3FN>, tile<4x2xf32>, tile<4x2x1xf8E8M0FNU>, tile<2x2xf8E8M0FNU>
  // expected-error@below:20 {{'cuda_tile.mmaf_scaled' op operand #0 ('lhs') must be a tile of f8E4M3FN, f8E5M2 or f4E2M1FN, but got 'tile<4x2xf32>'}}
  %8 = mmaf_scaled %c, %c, %c, %s, %t : tile<4x2xf32>, tile<4x2xf32>, tile<4x2xf32>, tile<4x2xf8E8M0FNU>, tile<2x2xf8E8M0FNU>
  return
}

// -----

entry @scaled_f4() {
  %a = constant <f4E2M1FN: 0.0> : tile<4x64xf4E2M1FN>
  %b = constant <f4E2M1FN: 0.0> : tile<64x2xf4E2M1FN>
  %c = constant <f32: 0.0> : tile<4x2xf32>
  %s = constant <f8E4M3FN: 1.0> : tile<4x2xf8E4M3FN>
  %t = constant <f8E4M3FN: 1.0> : tile<2x2xf8E4M3FN>
  %u = constant <f8E8M0FNU: 1.0> : tile<4x1xf8E8M0FNU>
  %w = constant <f8E8M0FNU: 1.0> : tile<1x2xf8E8M0FNU>
  // expected-error@below:8 {{'cuda_tile.mmaf_scaled' op one scale must cover 16 elements of K, but covers 32}}
  %0 = mmaf_scaled %a, %b, %c, %s, %t : tile<4x64xf4E2M1FN>, tile<64x2xf4E2M1FN>, tile<4x2xf32>, tile<4x2xf8E4M3FN>, tile<2x2xf8E4M3FN>
  // expected-error@below:8 {{'cuda_tile.mmaf_scaled' op one scale must cover 16 or 32 elements of K, but covers 64}}
  %1 = mmaf_scaled %a, %b, %c, %u, %w : tile<4x64xf4E2M1FN>, tile<64x2xf4E2M1FN>, tile<4x2xf32>, tile<4x1xf8E8M0FNU>, tile<1x2xf8E8M0FNU>
  return
}
