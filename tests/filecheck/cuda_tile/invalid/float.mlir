// RUN: tile-opt %s --verify-diagnostics --split-input-file

// Element types: f16, bf16, f32 and f64 only.

entry @element_types(%i: tile<i32>, %t: tile<tf32>, %e: tile<f8E5M2>, %m: tile<f8E8M0FNU>) {
  // expected-error@below:13 {{'cuda_tile.absf' op operand #0 ('source') must be a tile of f16, bf16, f32 or f64, but got 'tile<i32>'}}
  %0 = absf %i : tile<i32>
  // expected-error@below:13 {{'cuda_tile.addf' op operand #0 ('lhs') must be a tile of f16, bf16, f32 or f64, but got 'tile<tf32>'}}
  %1 = addf %t, %t : tile<tf32>
  // expected-error@below:13 {{'cuda_tile.ceil' op operand #0 ('source') must be a tile of f16, bf16, f32 or f64, but got 'tile<f8E5M2>'}}
  %2 = ceil %e : tile<f8E5M2>
  // expected-error@below:27 {{'cuda_tile.cmpf' op operand #0 ('lhs') must be a tile of f16, bf16, f32 or f64, but got 'tile<i32>'}}
  %3 = cmpf equal ordered %i, %i : tile<i32> -> tile<i1>
  // expected-error@below:12 {{'cuda_tile.cos' op operand #0 ('source') must be a tile of f16, bf16, f32 or f64, but got 'tile<tf32>'}}
  %4 = cos %t : tile<tf32>
  // expected-error@below:13 {{'cuda_tile.cosh' op operand #0 ('source') must be a tile of f16, bf16, f32 or f64, but got 'tile<tf32>'}}
  %5 = cosh %t : tile<tf32>
  // expected-error@below:13 {{'cuda_tile.divf' op operand #0 ('lhs') must be a tile of f16, bf16, f32 or f64, but got 'tile<f8E5M2>'}}
  %6 = divf %e, %e : tile<f8E5M2>
  // expected-error@below:12 {{'cuda_tile.exp' op operand #0 ('source') must be a tile of f16, bf16, f32 or f64, but got 'tile<f8E8M0FNU>'}}
  %7 = exp %m : tile<f8E8M0FNU>
  // expected-error@below:13 {{'cuda_tile.exp2' op operand #0 ('source') must be a tile of f16, bf16, f32 or f64, but got 'tile<i32>'}}
  %8 = exp2 %i : tile<i32>
  // expected-error@below:14 {{'cuda_tile.floor' op operand #0 ('source') must be a tile of f16, bf16, f32 or f64, but got 'tile<i32>'}}
  %9 = floor %i : tile<i32>
  // expected-error@below:13 {{'cuda_tile.fma' op operand #0 ('lhs') must be a tile of f16, bf16, f32 or f64, but got 'tile<tf32>'}}
  %10 = fma %t, %t, %t : tile<tf32>
  // expected-error@below:13 {{'cuda_tile.log' op operand #0 ('source') must be a tile of f16, bf16, f32 or f64, but got 'tile<i32>'}}
  %11 = log %i : tile<i32>
  // expected-error@below:14 {{'cuda_tile.log2' op operand #0 ('source') must be a tile of f16, bf16, f32 or f64, but got 'tile<i32>'}}
  %12 = log2 %i : tile<i32>
  // expected-error@below:14 {{'cuda_tile.maxf' op operand #0 ('lhs') must be a tile of f16, bf16, f32 or f64, but got 'tile<i32>'}}
  %13 = maxf %i, %i : tile<i32>
  // expected-error@below:14 {{'cuda_tile.minf' op operand #0 ('lhs') must be a tile of f16, bf16, f32 or f64, but got 'tile<i32>'}}
  %14 = minf %i, %i : tile<i32>
  // expected-error@below:14 {{'cuda_tile.mulf' op operand #0 ('lhs') must be a tile of f16, bf16, f32 or f64, but got 'tile<f8E5M2>'}}
  %15 = mulf %e, %e : tile<f8E5M2>
  // expected-error@below:14 {{'cuda_tile.negf' op operand #0 ('source') must be a tile of f16, bf16, f32 or f64, but got 'tile<i32>'}}
  %16 = negf %i : tile<i32>
  // expected-error@below:15 {{'cuda_tile.fpowf' op operand #0 ('source') must be a tile of f16, bf16, f32 or f64, but got 'tile<i32>'}}
  %17 = fpowf %i, %i : tile<i32>
  // expected-error@below:14 {{'cuda_tile.remf' op operand #0 ('lhs') must be a tile of f16, bf16, f32 or f64, but got 'tile<i32>'}}
  %18 = remf %i, %i : tile<i32>
  // expected-error@below:15 {{'cuda_tile.rsqrt' op operand #0 ('source') must be a tile of f16, bf16, f32 or f64, but got 'tile<tf32>'}}
  %19 = rsqrt %t : tile<tf32>
  // expected-error@below:13 {{'cuda_tile.sin' op operand #0 ('source') must be a tile of f16, bf16, f32 or f64, but got 'tile<i32>'}}
  %20 = sin %i : tile<i32>
  // expected-error@below:14 {{'cuda_tile.sinh' op operand #0 ('source') must be a tile of f16, bf16, f32 or f64, but got 'tile<i32>'}}
  %21 = sinh %i : tile<i32>
  // expected-error@below:14 {{'cuda_tile.sqrt' op operand #0 ('source') must be a tile of f16, bf16, f32 or f64, but got 'tile<i32>'}}
  %22 = sqrt %i : tile<i32>
  // expected-error@below:14 {{'cuda_tile.subf' op operand #0 ('lhs') must be a tile of f16, bf16, f32 or f64, but got 'tile<i32>'}}
  %23 = subf %i, %i : tile<i32>
  // expected-error@below:13 {{'cuda_tile.tan' op operand #0 ('source') must be a tile of f16, bf16, f32 or f64, but got 'tile<i32>'}}
  %24 = tan %i : tile<i32>
  // expected-error@below:14 {{'cuda_tile.tanh' op operand #0 ('source') must be a tile of f16, bf16, f32 or f64, but got 'tile<i32>'}}
  %25 = tanh %i : tile<i32>
  // expected-error@below:15 {{'cuda_tile.atan2' op operand #0 ('x') must be a tile of f16, bf16, f32 or f64, but got 'tile<i32>'}}
  %26 = atan2 %i, %i : tile<i32>
  return
}

// -----

// flush_to_zero is a mode of f32 alone.

entry @flush_to_zero(%h: tile<f16>, %b: tile<bf16>, %d: tile<f64>) {
  // expected-error@below:8 {{'cuda_tile.addf' op flush_to_zero is only for f32, but the element type is 'f16'}}
  %0 = addf %h, %h flush_to_zero : tile<f16>
  // expected-error@below:8 {{'cuda_tile.divf' op flush_to_zero is only for f32, but the element type is 'f64'}}
  %1 = divf %d, %d flush_to_zero : tile<f64>
  // expected-error@below:8 {{'cuda_tile.exp2' op flush_to_zero is only for f32, but the element type is 'bf16'}}
  %2 = exp2 %b flush_to_zero : tile<bf16>
  // expected-error@below:8 {{'cuda_tile.fma' op flush_to_zero is only for f32, but the element type is 'f16'}}
  %3 = fma %h, %h, %h flush_to_zero : tile<f16>
  // expected-error@below:8 {{'cuda_tile.maxf' op flush_to_zero is only for f32, but the element type is 'f16'}}
  %4 = maxf %h, %h flush_to_zero : tile<f16>
  // expected-error@below:8 {{'cuda_tile.minf' op flush_to_zero is only for f32, but the element type is 'f16'}}
  %5 = minf %h, %h propagate_nan flush_to_zero : tile<f16>
  // expected-error@below:8 {{'cuda_tile.mulf' op flush_to_zero is only for f32, but the element type is 'bf16'}}
  %6 = mulf %b, %b flush_to_zero : tile<bf16>
  // expected-error@below:8 {{'cuda_tile.rsqrt' op flush_to_zero is only for f32, but the element type is 'f64'}}
  %7 = rsqrt %d flush_to_zero : tile<f64>
  // expected-error@below:8 {{'cuda_tile.sqrt' op flush_to_zero is only for f32, but the element type is 'f16'}}
  %8 = sqrt %h flush_to_zero : tile<f16>
  // expected-error@below:8 {{'cuda_tile.subf' op flush_to_zero is only for f32, but the element type is 'f64'}}
  %9 = subf %d, %d flush_to_zero : tile<f64>
  return
}

// -----

// Each operation has its rounding modes.

entry @rounding_modes(%f: tile<f32>) {
  // expected-error@below:8 {{'cuda_tile.addf' op rounding mode must be nearest_even, zero, negative_inf or positive_inf, but got approx}}
  %0 = addf %f, %f rounding<approx> : tile<f32>
  // expected-error@below:8 {{'cuda_tile.addf' op rounding mode must be nearest_even, zero, negative_inf or positive_inf, but got nearest_away}}
  %1 = addf %f, %f rounding<nearest_away> : tile<f32>
  // expected-error@below:8 {{'cuda_tile.subf' op rounding mode must be nearest_even, zero, negative_inf or positive_inf, but got full}}
  %2 = subf %f, %f rounding<full> : tile<f32>
  // expected-error@below:8 {{'cuda_tile.mulf' op rounding mode must be nearest_even, zero, negative_inf or positive_inf, but got nearest_int_to_zero}}
  %3 = mulf %f, %f rounding<nearest_int_to_zero> : tile<f32>
  // expected-error@below:8 {{'cuda_tile.fma' op rounding mode must be nearest_even, zero, negative_inf or positive_inf, but got approx}}
  %4 = fma %f, %f, %f rounding<approx> : tile<f32>
  // expected-error@below:8 {{'cuda_tile.divf' op rounding mode must be nearest_even, zero, negative_inf, positive_inf, approx or full, but got nearest_away}}
  %5 = divf %f, %f rounding<nearest_away> : tile<f32>
  // expected-error@below:8 {{'cuda_tile.sqrt' op rounding mode must be nearest_even, zero, negative_inf, positive_inf or approx, but got full}}
  %6 = sqrt %f rounding<full> : tile<f32>
  // expected-error@below:8 {{'cuda_tile.exp' op rounding mode must be full or approx, but got nearest_even}}
  %7 = exp %f rounding<nearest_even> : tile<f32>
  // expected-error@below:8 {{'cuda_tile.tanh' op rounding mode must be full or approx, but got zero}}
  %8 = tanh %f rounding<zero> : tile<f32>
  return
}

// -----

// The inexact modes are for f32 alone.

entry @inexact_modes(%h: tile<f16>, %d: tile<f64>) {
  // expected-error@below:8 {{'cuda_tile.divf' op rounding mode full is only for f32, but the element type is 'f64'}}
  %0 = divf %d, %d rounding<full> : tile<f64>
  // expected-error@below:8 {{'cuda_tile.divf' op rounding mode approx is only for f32, but the element type is 'f16'}}
  %1 = divf %h, %h rounding<approx> : tile<f16>
  // expected-error@below:8 {{'cuda_tile.sqrt' op rounding mode approx is only for f32, but the element type is 'f64'}}
  %2 = sqrt %d rounding<approx> : tile<f64>
  // expected-error@below:8 {{'cuda_tile.exp' op rounding mode approx is only for f32, but the element type is 'f64'}}
  %3 = exp %d rounding<approx> : tile<f64>
  // expected-error@below:8 {{'cuda_tile.tanh' op rounding mode approx is only for f32, but the element type is 'f16'}}
  %4 = tanh %h rounding<approx> : tile<f16>
  return
}

// -----

entry @comparison_result(%f: tile<f32>) {
  %c = constant <f32: 0.0> : tile<4xf32>
  // expected-error@below:8 {{'cuda_tile.cmpf' op result #0 ('result') must be 'tile<4xi1>', an i1 for each element, but got 'tile<i1>'}}
  %0 = cmpf less_than ordered %c, %c : tile<4xf32> -> tile<i1>
  // expected-error@below:8 {{'cuda_tile.cmpf' op result #0 ('result') must be 'tile<4xi1>', an i1 for each element, but got 'tile<8xi1>'}}
  %1 = cmpf less_than ordered %c, %c : tile<4xf32> -> tile<8xi1>
  // expected-error@below:8 {{'cuda_tile.cmpf' op result #0 ('result') must be 'tile<4xi1>', an i1 for each element, but got 'tile<4xi8>'}}
  %2 = cmpf less_than ordered %c, %c : tile<4xf32> -> tile<4xi8>
  return
}

// -----

entry @integer_power(%f: tile<f32>, %l: tile<i64>, %i: tile<i32>) {
  %c = constant <f32: 2.0> : tile<4xf32>
  // expected-error@below:18 {{'cuda_tile.fpowi' op operand #1 ('exponent') must be a tile of i1, i8, i16 or i32, but got 'tile<i64>'}}
  %0 = fpowi %f, %l : tile<f32>, tile<i64>
  // expected-error@below:8 {{'cuda_tile.fpowi' op operands and results must have one shape, but got 'tile<4xf32>', 'tile<i32>'}}
  %1 = fpowi %c, %i : tile<4xf32>, tile<i32>
  // expected-error@below:18 {{'cuda_tile.fpowi' op operand #1 ('exponent') must be a tile of i1, i8, i16 or i32, but got 'tile<f32>'}}
  %2 = fpowi %f, %f : tile<f32>, tile<f32>
  // expected-error@below:14 {{'cuda_tile.fpowi' op operand #0 ('source') must be a tile of f16, bf16, f32 or f64, but got 'tile<i32>'}}
  %3 = fpowi %i, %i : tile<i32>, tile<i32>
  return
}
