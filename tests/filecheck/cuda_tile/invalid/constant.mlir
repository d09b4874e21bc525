// RUN: tile-opt %s --verify-diagnostics --split-input-file

entry @element() {
  // expected-error@below:18 {{literal has element type 'f32', but its type is 'tile<4xf64>'}}
  %0 = constant <f32: 1.0> : tile<4xf64>
  return
}

// -----

entry @list_length() {
  // expected-error@below:23 {{literal has shape [3], but its type is 'tile<4xi32>'}}
  %0 = constant <i32: [1, 2, 3]> : tile<4xi32>
  return
}

// -----

entry @list_rank() {
  // expected-error@below:23 {{literal has shape [4], but its type is 'tile<2x2xi32>'}}
  %0 = constant <i32: [1, 2, 3, 4]> : tile<2x2xi32>
  return
}

// -----

entry @ragged() {
  // expected-error@below:23 {{the lists of one dimension have different lengths}}
  %0 = constant <i32: [[1, 2], [3]]> : tile<2x2xi32>
  return
}

// -----

entry @too_large() {
  // expected-error@below:22 {{256 does not fit i8}}
  %0 = constant <i8: 256> : tile<i8>
  return
}

// -----

entry @too_small() {
  // expected-error@below:22 {{-129 does not fit i8}}
  %0 = constant <i8: -129> : tile<i8>
  return
}

// -----

entry @boolean_of_i32() {
  // expected-error@below:23 {{expected an integer, but got 'true'}}
  %0 = constant <i32: true> : tile<i32>
  return
}

// -----

entry @float_as_integer() {
  // expected-error@below:23 {{expected an integer, but got '1.5'}}
  %0 = constant <i32: 1.5> : tile<i32>
  return
}

// -----

entry @overflow() {
  // expected-error@below:23 {{65520.0 is out of range of 'f16'}}
  %0 = constant <f16: 65520.0> : tile<f16>
  return
}

// -----

entry @hexadecimal() {
  // expected-error@below:23 {{hexadecimal literal does not fit 'f16'}}
  %0 = constant <f16: 0x10000> : tile<f16>
  return
}

// -----

entry @word() {
  // expected-error@below:23 {{expected a float literal, but got 'nan'; write NaNs and infinities as bits, such as 0x7FC00000}}
  %0 = constant <f32: nan> : tile<f32>
  return
}

// -----

entry @i4() {
  // expected-error@below:18 {{i4 has no constants}}
  %n = constant <i4: 1> : tile<i4>
  return
}

// -----

entry @pointer() {
  // expected-error@below:18 {{expected a number type}}
  %0 = constant <ptr<f32>: 0> : tile<ptr<f32>>
  return
}

// -----

entry @scalar_type() {
  // expected-error@below:28 {{expected a tile type, but got 'i32'}}
  %0 = constant <i32: 1> : i32
  return
}

// -----

entry @missing_element_type() {
  // expected-error@below:17 {{expected '<', but got '1'}}
  %0 = constant 1 : tile<i32>
  return
}

// -----

entry @hex_string() {
  // expected-error@below:23 {{hex string is not a whole number of 4-byte elements}}
  %0 = constant <i32: "0x000000"> : tile<4xi32>
  return
}

// -----

entry @hex_digits() {
  // expected-error@below:23 {{expected hexadecimal bytes, e.g. "0x00FF"}}
  %0 = constant <i32: "0xZZ"> : tile<4xi32>
  return
}

// -----

entry @infinite_in_e4m3() {
  // expected-error@below:28 {{1000.0 is out of range of 'f8E4M3FN'}}
  %0 = constant <f8E4M3FN: 1000.0> : tile<f8E4M3FN>
  return
}
