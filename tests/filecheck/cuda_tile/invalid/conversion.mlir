// RUN: tile-opt %s --verify-diagnostics --split-input-file

entry @bitcast(%f: tile<f32>, %b: tile<i1>, %t: tile<tf32>, %p: tile<ptr<f32>>) {
  %c = constant <f32: 0.0> : tile<4xf32>
  // expected-error@below:8 {{'cuda_tile.bitcast' op elements must have equal widths, but 'f32' has 32 and 'i64' has 64 bits}}
  %0 = bitcast %f : tile<f32> -> tile<i64>
  // expected-error@below:8 {{'cuda_tile.bitcast' op elements must have equal widths, but 'i1' has 1 and 'i8' has 8 bits}}
  %1 = bitcast %b : tile<i1> -> tile<i8>
  // expected-error@below:8 {{'cuda_tile.bitcast' op elements must have equal widths, but 'tf32' has 19 and 'f32' has 32 bits}}
  %2 = bitcast %t : tile<tf32> -> tile<f32>
  // expected-error@below:8 {{'cuda_tile.bitcast' op operands and results must have one shape, but got 'tile<4xf32>', 'tile<2x2xi32>'}}
  %3 = bitcast %c : tile<4xf32> -> tile<2x2xi32>
  // expected-error@below:16 {{'cuda_tile.bitcast' op operand #0 ('source') must be a tile of numbers, but got 'tile<ptr<f32>>'}}
  %4 = bitcast %p : tile<ptr<f32>> -> tile<i64>
  // expected-error@below:8 {{'cuda_tile.bitcast' op result #0 ('result') must be a tile of numbers, but got 'tile<ptr<f32>>'}}
  %5 = bitcast %f : tile<f32> -> tile<ptr<f32>>
  return
}

// -----

entry @integer_widths(%i: tile<i32>, %b: tile<i8>, %f: tile<f32>) {
  // expected-error@below:8 {{'cuda_tile.exti' op result elements must be wider than the source's, but got 'i32' to 'i32'}}
  %0 = exti %i signed : tile<i32> -> tile<i32>
  // expected-error@below:8 {{'cuda_tile.exti' op result elements must be wider than the source's, but got 'i32' to 'i16'}}
  %1 = exti %i unsigned : tile<i32> -> tile<i16>
  // expected-error@below:8 {{'cuda_tile.trunci' op result elements must be narrower than the source's, but got 'i8' to 'i32'}}
  %2 = trunci %b : tile<i8> -> tile<i32>
  // expected-error@below:8 {{'cuda_tile.trunci' op result elements must be narrower than the source's, but got 'i8' to 'i8'}}
  %3 = trunci %b : tile<i8> -> tile<i8>
  // expected-error@below:13 {{'cuda_tile.exti' op operand #0 ('from') must be a tile of i1, i4, i8, i16, i32 or i64, but got 'tile<f32>'}}
  %4 = exti %f signed : tile<f32> -> tile<i64>
  // expected-error@below:8 {{'cuda_tile.trunci' op result #0 ('to') must be a tile of i1, i4, i8, i16, i32 or i64, but got 'tile<f16>'}}
  %5 = trunci %i : tile<i32> -> tile<f16>
  return
}

// -----

entry @shapes(%i: tile<i32>, %f: tile<f32>) {
  // expected-error@below:8 {{'cuda_tile.exti' op operands and results must have one shape, but got 'tile<i32>', 'tile<4xi64>'}}
  %0 = exti %i signed : tile<i32> -> tile<4xi64>
  // expected-error@below:8 {{'cuda_tile.trunci' op operands and results must have one shape, but got 'tile<i32>', 'tile<1xi8>'}}
  %1 = trunci %i : tile<i32> -> tile<1xi8>
  // expected-error@below:8 {{'cuda_tile.ftof' op operands and results must have one shape, but got 'tile<f32>', 'tile<1xf16>'}}
  %2 = ftof %f : tile<f32> -> tile<1xf16>
  // expected-error@below:8 {{'cuda_tile.ftoi' op operands and results must have one shape, but got 'tile<f32>', 'tile<2xi32>'}}
  %3 = ftoi %f signed : tile<f32> -> tile<2xi32>
  // expected-error@below:8 {{'cuda_tile.itof' op operands and results must have one shape, but got 'tile<i32>', 'tile<2xf32>'}}
  %4 = itof %i signed : tile<i32> -> tile<2xf32>
  return
}

// -----

// The modes of ftof depend on both formats.

entry @ftof(%f: tile<f32>, %d: tile<f64>, %e: tile<f8E4M3FN>, %h: tile<f16>) {
  // expected-error@below:8 {{'cuda_tile.ftof' op source and result types must differ, but both are 'tile<f32>'}}
  %0 = ftof %f : tile<f32> -> tile<f32>
  // expected-error@below:8 {{'cuda_tile.ftof' op rounding mode from f32 to f8E8M0FNU must be zero or positive_inf, but got nearest_even}}
  %1 = ftof %f : tile<f32> -> tile<f8E8M0FNU>
  // expected-error@below:8 {{'cuda_tile.ftof' op rounding mode from f32 to f8E4M3FN must be nearest_even, but got zero}}
  %2 = ftof %f rounding<zero> : tile<f32> -> tile<f8E4M3FN>
  // expected-error@below:8 {{'cuda_tile.ftof' op rounding mode from f64 to f32 must be nearest_even, zero, negative_inf or positive_inf, but got nearest_away}}
  %3 = ftof %d rounding<nearest_away> : tile<f64> -> tile<f32>
  // expected-error@below:8 {{'cuda_tile.ftof' op rounding mode from f32 to tf32 must be nearest_even, zero or nearest_away, but got positive_inf}}
  %4 = ftof %f rounding<positive_inf> : tile<f32> -> tile<tf32>
  // expected-error@below:8 {{'cuda_tile.ftof' op rounding mode from f32 to f16 must be nearest_even or zero, but got negative_inf}}
  %5 = ftof %f rounding<negative_inf> : tile<f32> -> tile<f16>
  // expected-error@below:8 {{'cuda_tile.ftof' op rounding mode from f8E4M3FN to f16 must be nearest_even, zero, negative_inf, positive_inf or nearest_away, but got approx}}
  %6 = ftof %e rounding<approx> : tile<f8E4M3FN> -> tile<f16>
  // expected-error@below:8 {{'cuda_tile.ftof' op rounding mode from f16 to bf16 must be nearest_even or zero, but got nearest_int_to_zero}}
  %7 = ftof %h rounding<nearest_int_to_zero> : tile<f16> -> tile<bf16>
  return
}

// -----

entry @float_and_integer(%f: tile<f32>, %i: tile<i32>, %b: tile<i8>) {
  %n = trunci %b : tile<i8> -> tile<i4>
  // expected-error@below:8 {{'cuda_tile.ftoi' op rounding mode must be nearest_int_to_zero, but got zero}}
  %0 = ftoi %f signed rounding<zero> : tile<f32> -> tile<i32>
  // expected-error@below:13 {{'cuda_tile.ftoi' op operand #0 ('from') must be a tile of floats, but got 'tile<i32>'}}
  %1 = ftoi %i signed : tile<i32> -> tile<i32>
  // expected-error@below:8 {{'cuda_tile.ftoi' op result #0 ('to') must be a tile of i1, i8, i16, i32 or i64, but got 'tile<f16>'}}
  %2 = ftoi %f signed : tile<f32> -> tile<f16>
  // expected-error@below:8 {{'cuda_tile.itof' op rounding mode must be nearest_even, but got zero}}
  %3 = itof %i signed rounding<zero> : tile<i32> -> tile<f32>
  // expected-error@below:8 {{'cuda_tile.itof' op cannot convert integers to f8E8M0FNU; go through f32 with ftof}}
  %4 = itof %i signed : tile<i32> -> tile<f8E8M0FNU>
  // expected-error@below:13 {{'cuda_tile.itof' op operand #0 ('from') must be a tile of i1, i8, i16, i32 or i64, but got 'tile<i4>'}}
  %5 = itof %n signed : tile<i4> -> tile<f32>
  // expected-error@below:13 {{'cuda_tile.itof' op operand #0 ('from') must be a tile of i1, i8, i16, i32 or i64, but got 'tile<f32>'}}
  %6 = itof %f signed : tile<f32> -> tile<f16>
  return
}

// -----

entry @pointers(%i: tile<i32>, %l: tile<i64>, %p: tile<ptr<f32>>) {
  // expected-error@below:19 {{'cuda_tile.int_to_ptr' op operand #0 ('source') must be a tile of i64, but got 'tile<i32>'}}
  %0 = int_to_ptr %i : tile<i32> -> tile<ptr<f32>>
  // expected-error@below:8 {{'cuda_tile.int_to_ptr' op result #0 ('result') must be a tile of pointers, but got 'tile<i64>'}}
  %1 = int_to_ptr %l : tile<i64> -> tile<i64>
  // expected-error@below:8 {{'cuda_tile.ptr_to_int' op result #0 ('result') must be a tile of i64, but got 'tile<i32>'}}
  %2 = ptr_to_int %p : tile<ptr<f32>> -> tile<i32>
  // expected-error@below:19 {{'cuda_tile.ptr_to_int' op operand #0 ('source') must be a tile of pointers, but got 'tile<i64>'}}
  %3 = ptr_to_int %l : tile<i64> -> tile<i64>
  // expected-error@below:19 {{'cuda_tile.ptr_to_ptr' op operand #0 ('source') must be a tile of pointers, but got 'tile<i64>'}}
  %4 = ptr_to_ptr %l : tile<i64> -> tile<ptr<f32>>
  // expected-error@below:8 {{'cuda_tile.ptr_to_ptr' op operands and results must have one shape, but got 'tile<ptr<f32>>', 'tile<4xptr<f32>>'}}
  %5 = ptr_to_ptr %p : tile<ptr<f32>> -> tile<4xptr<f32>>
  // expected-error@below:8 {{'cuda_tile.int_to_ptr' op operands and results must have one shape, but got 'tile<i64>', 'tile<4xptr<f32>>'}}
  %6 = int_to_ptr %l : tile<i64> -> tile<4xptr<f32>>
  return
}
