// RUN: tile-opt %s --verify-diagnostics --split-input-file

// Element types: i1, i8, i16, i32 and i64 only.

entry @element_types(%f: tile<f32>, %p: tile<ptr<i32>>) {
  // expected-error@below:13 {{'cuda_tile.absi' op operand #0 ('source') must be a tile of i1, i8, i16, i32 or i64, but got 'tile<f32>'}}
  %0 = absi %f : tile<f32>
  // expected-error@below:13 {{'cuda_tile.addi' op operand #0 ('lhs') must be a tile of i1, i8, i16, i32 or i64, but got 'tile<f32>'}}
  %1 = addi %f, %f : tile<f32>
  // expected-error@below:13 {{'cuda_tile.andi' op operand #0 ('lhs') must be a tile of i1, i8, i16, i32 or i64, but got 'tile<f32>'}}
  %2 = andi %f, %f : tile<f32>
  // expected-error@below:19 {{'cuda_tile.cmpi' op operand #0 ('lhs') must be a tile of i1, i8, i16, i32 or i64, but got 'tile<f32>'}}
  %3 = cmpi equal %f, %f, signed : tile<f32> -> tile<i1>
  // expected-error@below:13 {{'cuda_tile.divi' op operand #0 ('lhs') must be a tile of i1, i8, i16, i32 or i64, but got 'tile<f32>'}}
  %4 = divi %f, %f signed : tile<f32>
  // expected-error@below:13 {{'cuda_tile.maxi' op operand #0 ('lhs') must be a tile of i1, i8, i16, i32 or i64, but got 'tile<ptr<i32>>'}}
  %5 = maxi %p, %p signed : tile<ptr<i32>>
  // expected-error@below:13 {{'cuda_tile.mini' op operand #0 ('lhs') must be a tile of i1, i8, i16, i32 or i64, but got 'tile<ptr<i32>>'}}
  %6 = mini %p, %p signed : tile<ptr<i32>>
  // expected-error@below:15 {{'cuda_tile.mulhii' op operand #0 ('x') must be a tile of i1, i8, i16, i32 or i64, but got 'tile<f32>'}}
  %7 = mulhii %f, %f : tile<f32>
  // expected-error@below:13 {{'cuda_tile.muli' op operand #0 ('lhs') must be a tile of i1, i8, i16, i32 or i64, but got 'tile<f32>'}}
  %8 = muli %f, %f : tile<f32>
  // expected-error@below:13 {{'cuda_tile.negi' op operand #0 ('source') must be a tile of i1, i8, i16, i32 or i64, but got 'tile<f32>'}}
  %9 = negi %f : tile<f32>
  // expected-error@below:13 {{'cuda_tile.ori' op operand #0 ('lhs') must be a tile of i1, i8, i16, i32 or i64, but got 'tile<f32>'}}
  %10 = ori %f, %f : tile<f32>
  // expected-error@below:14 {{'cuda_tile.remi' op operand #0 ('lhs') must be a tile of i1, i8, i16, i32 or i64, but got 'tile<f32>'}}
  %11 = remi %f, %f signed : tile<f32>
  // expected-error@below:14 {{'cuda_tile.shli' op operand #0 ('lhs') must be a tile of i1, i8, i16, i32 or i64, but got 'tile<f32>'}}
  %12 = shli %f, %f : tile<f32>
  // expected-error@below:14 {{'cuda_tile.shri' op operand #0 ('lhs') must be a tile of i1, i8, i16, i32 or i64, but got 'tile<f32>'}}
  %13 = shri %f, %f signed : tile<f32>
  // expected-error@below:14 {{'cuda_tile.subi' op operand #0 ('lhs') must be a tile of i1, i8, i16, i32 or i64, but got 'tile<ptr<i32>>'}}
  %14 = subi %p, %p : tile<ptr<i32>>
  // expected-error@below:14 {{'cuda_tile.xori' op operand #0 ('lhs') must be a tile of i1, i8, i16, i32 or i64, but got 'tile<f32>'}}
  %15 = xori %f, %f : tile<f32>
  return
}

// -----

// i4 is only stored, converted and packed.

entry @no_arithmetic_on_i4(%b: tile<i8>) {
  %n = trunci %b : tile<i8> -> tile<i4>
  // expected-error@below:13 {{'cuda_tile.addi' op operand #0 ('lhs') must be a tile of i1, i8, i16, i32 or i64, but got 'tile<i4>'}}
  %0 = addi %n, %n : tile<i4>
  return
}

// -----

entry @rounding_of_divisions(%i: tile<i32>) {
  // expected-error@below:8 {{'cuda_tile.divi' op rounding mode must be zero, negative_inf or positive_inf, but got nearest_even}}
  %0 = divi %i, %i signed rounding<nearest_even> : tile<i32>
  // expected-error@below:8 {{'cuda_tile.divi' op rounding mode negative_inf needs signed division}}
  %1 = divi %i, %i unsigned rounding<negative_inf> : tile<i32>
  return
}

// -----

entry @negation_overflow(%i: tile<i32>) {
  // expected-error@below:8 {{'cuda_tile.negi' op overflow no_unsigned_wrap is meaningless for a negation}}
  %0 = negi %i overflow<no_unsigned_wrap> : tile<i32>
  return
}

// -----

entry @comparison_result(%i: tile<i32>) {
  // expected-error@below:8 {{'cuda_tile.cmpi' op result #0 ('result') must be 'tile<i1>', an i1 for each element, but got 'tile<i32>'}}
  %0 = cmpi equal %i, %i, signed : tile<i32> -> tile<i32>
  // expected-error@below:8 {{'cuda_tile.cmpi' op result #0 ('result') must be 'tile<i1>', an i1 for each element, but got 'tile<1xi1>'}}
  %1 = cmpi equal %i, %i, signed : tile<i32> -> tile<1xi1>
  return
}
