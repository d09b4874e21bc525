// RUN: tile-opt %s --split-input-file --verify-diagnostics

// -----

tile_sugar.kernel @shapes() {
  %a = constant 1.0 : tile<8x100xf32>
  %b = constant 1.0 : tile<8x128xf32>
  // expected-error@below:8 {{'tile_sugar.add' op shapes 8x100 and 8x128 do not broadcast: dimension 1 is 100 and 128}}
  %c = add %a, %b : tile<8x100xf32>, tile<8x128xf32>
  return
}

// -----

tile_sugar.kernel @ranks() {
  %a = constant 1.0 : tile<8x100xf32>
  %b = constant 1.0 : tile<100xf32>
  // expected-error@below:8 {{'tile_sugar.add' op shapes 8x100 and 100 have different ranks; reshape one so that the ranks are equal}}
  %c = add %a, %b : tile<8x100xf32>, tile<100xf32>
  return
}

// -----

tile_sugar.kernel @no_join() {
  %a = constant 1.0 : tile<8xf8E4M3FN>
  %b = constant 1.0 : tile<8xf32>
  %m = constant true : i1
  // expected-error@below:8 {{'tile_sugar.select' op 'f8E4M3FN' and 'f32' have no common type; cast one of them}}
  %c = select %m, %a, %b : i1, tile<8xf8E4M3FN>, tile<8xf32>
  return
}

// -----

tile_sugar.kernel @unsigned_arithmetic() {
  %a = constant 1 : tile<8xui8>
  // expected-error@below:8 {{'tile_sugar.add' op cannot add 'ui8' elements: cast them to i32 or f32 first}}
  %c = add %a, %a : tile<8xui8>
  return
}

// -----

tile_sugar.kernel @f8_arithmetic() {
  %a = constant 1.0 : tile<8xf8E5M2>
  // expected-error@below:8 {{'tile_sugar.exp' op cannot compute with 'f8E5M2' elements: cast them to f32 first}}
  %c = exp %a : tile<8xf8E5M2>
  return
}

// -----

tile_sugar.kernel @truth_arithmetic() {
  %a = constant true : tile<8xi1>
  // expected-error@below:8 {{'tile_sugar.mul' op needs integers or floats, but got 'i1'}}
  %c = mul %a, %a : tile<8xi1>
  return
}

// -----

tile_sugar.kernel @float_shift() {
  %a = constant 1.0 : tile<8xf32>
  // expected-error@below:8 {{'tile_sugar.shl' op cannot shift 'f32' elements: bitcast or cast them to integers first}}
  %c = shl %a, %a : tile<8xf32>
  return
}

// -----

tile_sugar.kernel @bits_of_two_types() {
  %a = constant 1 : tile<8xi32>
  %b = constant 1 : tile<8xi8>
  // expected-error@below:8 {{'tile_sugar.and' op needs one element type, but got 'i32' and 'i8'; cast one of them}}
  %c = and %a, %b : tile<8xi32>, tile<8xi8>
  return
}

// -----

tile_sugar.kernel @integer_exp() {
  %a = constant 1 : tile<8xi32>
  // expected-error@below:8 {{'tile_sugar.exp' op needs floats, but got 'i32'}}
  %c = exp %a : tile<8xi32>
  return
}

// -----

tile_sugar.kernel @unsigned_compare_of_floats() {
  %a = constant 1.0 : tile<8xf32>
  // expected-error@below:8 {{'tile_sugar.cmp' op ult compares integers; use lt for floats}}
  %c = cmp ult %a, %a : tile<8xf32>
  return
}

// -----

tile_sugar.kernel @nan_of_integers() {
  %a = constant 1 : tile<8xi32>
  // expected-error@below:8 {{'tile_sugar.cmp' op uno is about NaN, which integers do not have}}
  %c = cmp uno %a, %a : tile<8xi32>
  return
}

// -----

tile_sugar.kernel @propagate() {
  %a = constant 1 : tile<8xi32>
  // expected-error@below:8 {{'tile_sugar.max' op propagate_nan is for floats: integers have no NaN}}
  %c = max %a, %a propagate_nan : tile<8xi32>
  return
}

// -----

tile_sugar.kernel @condition() {
  %a = constant 1 : tile<8xi32>
  // expected-error@below:8 {{'tile_sugar.select' op the condition must be i1, but got 'i32'; compare it first}}
  %c = select %a, %a, %a : tile<8xi32>
  return
}

// -----

tile_sugar.kernel @erf_f64() {
  %a = constant 1.0 : tile<8xf64>
  // expected-error@below:8 {{'tile_sugar.erf' op erf is for f16, bf16 and f32: cast f64 to f32 first}}
  %c = erf %a : tile<8xf64>
  return
}

// -----

tile_sugar.kernel @cast_shape() {
  %a = constant 1.0 : tile<8xf32>
  // expected-error@below:8 {{'tile_sugar.cast' op a cast keeps the shape, but 'tile<8xf32>' becomes 'tile<4xf16>'}}
  %c = cast %a : tile<8xf32> -> tile<4xf16>
  return
}

// -----

tile_sugar.kernel @cast_e8m0() {
  %a = constant 1.0 : tile<8xf32>
  // expected-error@below:8 {{'tile_sugar.cast' op no conversion to f8E8M0FNU rounds to nearest even: use cuda_tile.ftof with rounding<zero> or rounding<positive_inf>}}
  %c = cast %a : tile<8xf32> -> tile<8xf8E8M0FNU>
  return
}

// -----

tile_sugar.kernel @cast_unchecked() {
  %a = constant 1.0 : tile<8xf32>
  // expected-error@below:8 {{'tile_sugar.cast' op unchecked is for casts from floats to integers}}
  %c = cast %a unchecked : tile<8xf32> -> tile<8xf16>
  return
}

// -----

tile_sugar.kernel @bitcast_width() {
  %a = constant 1.0 : tile<8xf32>
  // expected-error@below:8 {{'tile_sugar.bitcast' op 'f32' has 32 bits, but 'i16' has 16}}
  %c = bitcast %a : tile<8xf32> -> tile<8xi16>
  return
}

// -----

tile_sugar.kernel @iota_dimension() {
  // expected-error@below:8 {{'tile_sugar.iota' op dimension must be in 0 to 1, not 2}}
  %c = iota 2 : tile<8x100xi32>
  return
}

// -----

tile_sugar.kernel @iota_element() {
  // expected-error@below:8 {{'tile_sugar.iota' op an index is i32, not 'i64'}}
  %c = iota 0 : tile<8xi64>
  return
}

// -----

tile_sugar.kernel @splat_tile() {
  %a = constant 1.0 : tile<8xf32>
  // expected-error@below:8 {{'tile_sugar.splat' op the operand must be a scalar, but got 'tile<8xf32>'; broadcast repeats a tile}}
  %c = splat %a : tile<8xf32> -> tile<8x8xf32>
  return
}

// -----

tile_sugar.kernel @to_scalar() {
  %a = constant 1.0 : tile<8xf32>
  // expected-error@below:8 {{'tile_sugar.to_scalar' op the operand must have one element, but 'tile<8xf32>' has more; extract or reduce first}}
  %c = to_scalar %a : tile<8xf32>
  return
}

// -----

tile_sugar.kernel @slice_rank(%X: tensor<?x100xf32>) {
  // expected-error@below:8 {{'tile_sugar.load' op 'tensor<?x100xf32>' needs 2 indices, one for each dimension, but got 1}}
  %c = load %X[0] : tensor<?x100xf32> -> tile<8xf32>
  return
}

// -----

tile_sugar.kernel @tile_rank(%X: tensor<?x100xf32>) {
  // expected-error@below:8 {{'tile_sugar.load' op a slice of 'tensor<?x100xf32>' has rank 2, but 'tile<8xf32>' has rank 1}}
  %c = load %X[0, 0] : tensor<?x100xf32> -> tile<8xf32>
  return
}

// -----

tile_sugar.kernel @no_store_cast(%X: tensor<?xf16>) {
  %a = constant 1.0 : tile<8xf32>
  // expected-error@below:3 {{'tile_sugar.store' op 'tensor<?xf16>' has 'f16' elements, but the tile 'f32': cast it, an access converts nothing}}
  store %a, %X[0] : tile<8xf32>, tensor<?xf16>
  return
}

// -----

tile_sugar.kernel @index_type(%X: tensor<?xf32>, %i: i64) {
  // expected-error@below:8 {{'tile_sugar.load' op indices are i32, but index 0 is 'i64'}}
  %a = load %X[%i] : tensor<?xf32>, i64 -> tile<8xf32>
  return
}

// -----

tile_sugar.kernel @slice_by_tile(%X: tensor<?xf32>) {
  %i = iota 0 : tile<8xi32>
  // expected-error@below:8 {{'tile_sugar.load' op the start of a slice is a scalar, but got 'tile<8xi32>'}}
  %a = load %X[%i] : tensor<?xf32>, tile<8xi32> -> tile<8xf32>
  return
}

// -----

tile_sugar.kernel @gather_shape(%X: tensor<?xf32>) {
  %i = iota 0 : tile<8xi32>
  // expected-error@below:8 {{'tile_sugar.gather' op the indices have shape 8, but the result 4}}
  %a = gather %X[%i] : tensor<?xf32>, tile<8xi32> -> tile<4xf32>
  return
}

// -----

tile_sugar.kernel @readonly(%X: tensor<?xf32> {readonly}) {
  %a = constant 1.0 : tile<8xf32>
  // expected-error@below:3 {{'tile_sugar.store' op writes '%X', which the kernel declares readonly}}
  store %a, %X[0] : tile<8xf32>, tensor<?xf32>
  return
}

// -----

tile_sugar.kernel @writeonly(%X: tensor<?xf32> {writeonly}) {
  // expected-error@below:8 {{'tile_sugar.load' op reads '%X', which the kernel declares writeonly}}
  %a = load %X[0] : tensor<?xf32> -> tile<8xf32>
  return
}

// -----

tile_sugar.kernel @atomic_type(%X: tensor<?xf32>) {
  %a = constant 1.0 : tile<8xf32>
  // expected-error@below:3 {{'tile_sugar.atomic' op atomic max takes i32, i64 elements, but got 'f32'}}
  atomic max %a, %X[0] : tile<8xf32>, tensor<?xf32>
  return
}

// -----

tile_sugar.kernel @atomic_result(%X: tensor<?xi32>) {
  %i = iota 0 : tile<8xi32>
  // expected-error@below:3 {{'tile_sugar.atomic' op the result must have the type of the value}}
  atomic add %i, %X[%i] : tile<8xi32>, tensor<?xi32>, tile<8xi32>
  return
}

// -----

tile_sugar.kernel @table() {
  %t = constant 1.0 : tile<4096xf32>
  %i = constant 0 : tile<512xi32>
  // expected-error@below:8 {{'tile_sugar.gather_tile' op 4096 entries for 512 indices are 2097152 comparisons, more than 1048576: store the table and gather from memory}}
  %c = gather_tile %t, %i : tile<4096xf32>, tile<512xi32>
  return
}

// -----

tile_sugar.kernel @print_format(%n: i32) {
  // expected-error@below:3 {{'tile_sugar.print' op the format has 2 conversions, but there is 1 value}}
  print "%d %d", %n : i32
  return
}

// -----

tile_sugar.kernel @assert_type(%n: i32) {
  // expected-error@below:3 {{'tile_sugar.assert' op the condition must be i1, but got 'i32'}}
  assert %n, "" : i32
  return
}

// -----

tile_sugar.kernel @axis() {
  %a = constant 1.0 : tile<8x8xf32>
  // expected-error@below:8 {{'tile_sugar.rowsum' op a tile of shape 8x8 has axes 0 to 1, not 2}}
  %c = rowsum %a axis 2 : tile<8x8xf32>
  return
}

// -----

tile_sugar.kernel @column_of_a_row() {
  %a = constant 1.0 : tile<8xf32>
  // expected-error@below:8 {{'tile_sugar.colsum' op a tile of rank 1 has no columns; reduce its row}}
  %c = colsum %a : tile<8xf32>
  return
}

// -----

tile_sugar.kernel @topk() {
  %a = constant 1.0 : tile<4x50xf32>
  // expected-error@below:12 {{'tile_sugar.topk' op cannot pick 51 of 50 columns}}
  %c, %d = topk %a k 51 : tile<4x50xf32>
  return
}

// -----

tile_sugar.kernel @reduce_kinds() {
  %a = constant 1.0 : tile<4x50xf32>
  // expected-error@below:8 {{'tile_sugar.reduce' op 2 kinds for 1 results}}
  %c = reduce(%a) axis 1 kinds [sum, max] : tile<4x50xf32> -> tile<4x1xf32>
  return
}

// -----

tile_sugar.kernel @reduce_bits() {
  %a = constant 1.0 : tile<4x50xf32>
  // expected-error@below:8 {{'tile_sugar.reduce' op xor combines integers, not 'f32'}}
  %c = reduce(%a) axis 1 kinds [xor] : tile<4x50xf32> -> tile<4x1xf32>
  return
}

// -----

tile_sugar.kernel @reduce_how() {
  %a = constant 1.0 : tile<4x50xf32>
  // expected-error@below:8 {{'tile_sugar.reduce' op needs either kinds or a combine region}}
  %c = reduce(%a) axis 1 : tile<4x50xf32> -> tile<4x1xf32>
  return
}

// -----

tile_sugar.kernel @reduce_shape() {
  %a = constant 1.0 : tile<4x50xf32>
  // expected-error@below:8 {{'tile_sugar.reduce' op a result must have shape 4x1, but has 1x50}}
  %c = reduce(%a) axis 1 kinds [sum] : tile<4x50xf32> -> tile<1x50xf32>
  return
}

// -----

tile_sugar.kernel @reduce_shapes() {
  %a = constant 1.0 : tile<4x50xf32>
  %b = constant 1.0 : tile<4x1xf32>
  // expected-error@below:12 {{'tile_sugar.reduce' op without a map operands have one shape, but got 4x50 and 4x1}}
  %c, %d = reduce(%a, %b) axis 1 kinds [sum, sum] : tile<4x50xf32>, tile<4x1xf32> -> tile<4x1xf32>, tile<4x1xf32>
  return
}

// -----

tile_sugar.kernel @reduce_scalars(%x: f32) {
  // expected-error@below:8 {{'tile_sugar.reduce' op needs an operand that is a tile}}
  %c = reduce(%x) axis 0 kinds [sum] : f32 -> tile<1xf32> map {
  ^bb0(%p: f32):
    yield %p : f32
  }
  return
}

// -----

tile_sugar.kernel @reduce_positions() {
  %a = constant 1 : tile<4x50xi32>
  // expected-error@below:8 {{'tile_sugar.reduce' op the combination holds elementwise operations on scalars, but has 'tile_sugar.index'}}
  %c = reduce(%a) axis 1 identities [0] : tile<4x50xi32> -> tile<4x1xi32> combine {
  ^bb0(%p: i32, %q: i32):
    // expected-error@below:10 {{'tile_sugar.index' op must be in a 'tile_sugar.sweep' or the map of a reduction}}
    %r = index 1
    yield %r : i32
  }
  return
}

// -----

tile_sugar.kernel @combine_arguments() {
  %a = constant 1.0 : tile<4x50xf32>
  // expected-error@below:8 {{'tile_sugar.reduce' op the combination must take (f32, f32), but takes (f32)}}
  %c = reduce(%a) axis 1 identities [0.0] : tile<4x50xf32> -> tile<4x1xf32> combine {
  ^bb0(%p: f32):
    yield %p : f32
  }
  return
}

// -----

tile_sugar.kernel @sweep_holds_tiles() {
  %a = constant 1.0 : tile<4x50xf32>
  // expected-error@below:8 {{'tile_sugar.sweep' op the body holds elementwise operations on scalars, but has 'tile_sugar.rowsum'}}
  %c = sweep(%a) : tile<4x50xf32> -> tile<4x50xf32> {
  ^bb0(%p: f32):
    %q = rowsum %a : tile<4x50xf32>
    yield %p : f32
  }
  return
}

// -----

tile_sugar.kernel @sweep_shapes() {
  %a = constant 1.0 : tile<4x50xf32>
  // expected-error@below:8 {{'tile_sugar.sweep' op operand of shape 4x50 does not broadcast to the results' 4x1}}
  %c = sweep(%a) : tile<4x50xf32> -> tile<4x1xf32> {
  ^bb0(%p: f32):
    yield %p : f32
  }
  return
}

// -----

tile_sugar.kernel @reshape_count() {
  %a = constant 1.0 : tile<4x50xf32>
  // expected-error@below:8 {{'tile_sugar.reshape' op 200 elements of shape 4x50 cannot be reshaped to 4x64, which has 256}}
  %c = reshape %a : tile<4x50xf32> -> tile<4x64xf32>
  return
}

// -----

tile_sugar.kernel @reshape_odd() {
  %a = constant 1.0 : tile<8x100xf32>
  // expected-error@below:8 {{'tile_sugar.reshape' op cannot reshape 8x100 to 800: extent 100 is no power of two and not the slowest of the dimensions that are regrouped; store the tile and load it in the other shape}}
  %c = reshape %a : tile<8x100xf32> -> tile<800xf32>
  return
}

// -----

tile_sugar.kernel @flat_odd() {
  %a = constant 1.0 : tile<8x100xf32>
  // expected-error@below:8 {{'tile_sugar.flat' op cannot reshape 8x100 to 800: extent 100 is no power of two and not the slowest of the dimensions that are regrouped; store the tile and load it in the other shape}}
  %c = flat %a : tile<8x100xf32>
  return
}

// -----

tile_sugar.kernel @concat_odd() {
  %a = constant 1.0 : tile<8x36xf32>
  %b = constant 1.0 : tile<8x64xf32>
  // expected-error@below:8 {{'tile_sugar.concat' op cannot put extent 64 behind 36: the first part must be a power of two and not the smaller one; store the tile and load it in the other shape}}
  %c = concat %a, %b axis 1 : tile<8x36xf32>, tile<8x64xf32>
  return
}

// -----

tile_sugar.kernel @extract_odd() {
  %a = constant 1.0 : tile<8x100xf32>
  // expected-error@below:8 {{'tile_sugar.extract' op extent 3 of dimension 1 is no power of two; store the tile and load it in the other shape}}
  %c = extract %a[0, 0] : tile<8x100xf32> -> tile<8x3xf32>
  return
}

// -----

tile_sugar.kernel @extract_offset() {
  %a = constant 1.0 : tile<8x100xf32>
  // expected-error@below:8 {{'tile_sugar.extract' op offset 6 of dimension 1 is no multiple of the piece's 4; store the tile and load it in the other shape}}
  %c = extract %a[0, 6] : tile<8x100xf32> -> tile<8x4xf32>
  return
}

// -----

tile_sugar.kernel @extract_outside() {
  %a = constant 1.0 : tile<8x100xf32>
  // expected-error@below:8 {{'tile_sugar.extract' op offset 100 of dimension 1 leaves the tile of extent 100}}
  %c = extract %a[0, 100] : tile<8x100xf32> -> tile<8x4xf32>
  return
}

// -----

tile_sugar.kernel @transpose_rank() {
  %a = constant 1.0 : tile<2x8x100xf32>
  // expected-error@below:8 {{'tile_sugar.transpose' op a matrix has rank 2, not 3; use permute}}
  %c = transpose %a : tile<2x8x100xf32>
  return
}

// -----

tile_sugar.kernel @permutation() {
  %a = constant 1.0 : tile<8x100xf32>
  // expected-error@below:8 {{'tile_sugar.permute' op [0, 0] is no permutation of 0 to 1}}
  %c = permute %a order [0, 0] : tile<8x100xf32>
  return
}

// -----

tile_sugar.kernel @dot_k() {
  %a = constant 1.0 : tile<8x100xf16>
  %b = constant 1.0 : tile<96x8xf16>
  // expected-error@below:8 {{'tile_sugar.dot' op 8x100 has 100 columns, but 96x8 has 96 rows}}
  %c = dot %a, %b : tile<8x100xf16>, tile<96x8xf16>
  return
}

// -----

tile_sugar.kernel @dot_types() {
  %a = constant 1 : tile<16x16xi32>
  // expected-error@below:8 {{'tile_sugar.dot' op no product of 'i32' and 'i32': dot takes f16, bf16, f32, f64, tf32, f8E4M3FN, f8E5M2 and 8-bit integers; cast one of them}}
  %c = dot %a, %a : tile<16x16xi32>
  return
}

// -----

tile_sugar.kernel @dot_acc() {
  %a = constant 1.0 : tile<16x16xf16>
  // expected-error@below:8 {{'tile_sugar.dot' op acc must be 'tile<16x16xf32>' as the product is, but is 'tile<16x16xf16>'}}
  %c = dot %a, %a acc %a : tile<16x16xf16>, tile<16x16xf16>, tile<16x16xf16>
  return
}

// -----

tile_sugar.kernel @tile_dot_types() {
  %a = constant 1.0 : tile<16xf16>
  %b = constant 1.0 : tile<17xf16>
  // expected-error@below:8 {{'tile_sugar.tile_dot' op operands have one type, but got 'tile<16xf16>' and 'tile<17xf16>' (shapes 16 and 17)}}
  %c = tile_dot %a, %b : tile<16xf16>, tile<17xf16>
  return
}

// -----

tile_sugar.kernel @labels() {
  %a = constant 1.0 : tile<8x10xf32>
  %l = constant 0 : tile<8xi32>
  // expected-error@below:8 {{'tile_sugar.cross_entropy' op the labels must be 'tile<8x1xi32>', but are 'tile<8xi32>'}}
  %c = cross_entropy %a, %l : tile<8x10xf32>, tile<8xi32>
  return
}

// -----

tile_sugar.kernel @early_return(%n: i32) {
  scf.for %k = %n to %n step %n : i32 {
    // expected-error@below:5 {{'tile_sugar.return' op cannot leave 'scf.for': a return is at kernel level or under 'scf.if'}}
    return
  }
  return
}

// -----

// expected-error@below:1 {{'tile_sugar.kernel' op a kernel ends with 'return'}}
tile_sugar.kernel @no_return() {
  %a = constant 1.0 : tile<8xf32>
}

// -----

tile_sugar.kernel @tile_extent() {
  // expected-error@below:23 {{tile dimensions must be positive, but dimension 0 is 0}}
  %a = constant 1.0 : tile<0xf32>
  return
}

// -----

tile_sugar.kernel @tile_rank_9() {
  // expected-error@below:23 {{a tile has rank 1 to 8, but this one has 9}}
  %a = constant 1.0 : tile<1x1x1x1x1x1x1x1x1xf32>
  return
}

// -----

// expected-error@below:36 {{a stride is at least 1 and fits i32, but stride 0 is 0}}
tile_sugar.kernel @stride_zero(%X: tensor<?xf32, strides=[0]>) {
  return
}

// -----

// expected-error@below:1 {{'tile_sugar.kernel' op parameter 0 has no promise 'aligned'; there are align, multiple, stride_multiple, max, readonly, writeonly, may_alias}}
tile_sugar.kernel @promise(%X: tensor<?xf32> {aligned = 16}) {
  return
}

// -----

// expected-error@below:1 {{'tile_sugar.kernel' op promise 'multiple' of parameter 0 must be a list of 1 integers}}
tile_sugar.kernel @promise_list(%X: tensor<?xf32> {multiple = 4}) {
  return
}

// -----

// expected-error@below:1 {{'tile_sugar.kernel' op promise 'align' of parameter 0 must be a power of two, not 24}}
tile_sugar.kernel @promise_align(%X: tensor<?xf32> {align = 24}) {
  return
}

// -----

// expected-error@below:66 {{'%Z' is no parameter of the kernel}}
tile_sugar.kernel @unknown_parameter(%X: tensor<?xf32>) grid(dim %Z 0) {
  return
}

// -----

// expected-error@below:66 {{'%X' has no dimension 1}}
tile_sugar.kernel @grid_dimension(%X: tensor<?xf32>) grid(dim %X 1) {
  return
}

// -----

// expected-error@below:1 {{'tile_sugar.kernel' op the grid depends on a parameter of type 'f32', but only i32 counts}}
tile_sugar.kernel @grid_of_float(%a: f32) grid(%a) {
  return
}

// -----

tile_sugar.kernel @unknown_operation() {
  // expected-error@below:8 {{unknown operation 'constnat'; did you mean 'constant'?}}
  %a = constnat 1.0 : tile<8xf32>
  return
}

// -----

tile_sugar.kernel @constant_value() {
  // expected-error@below:17 {{nan is no value of 'tile<8xi32>'}}
  %a = constant nan : tile<8xi32>
  return
}

// -----

tile_sugar.kernel @no_global() {
  // expected-error@below:8 {{'cuda_tile.get_global' op no global is called '@table'}}
  %p = cuda_tile.get_global @table : tile<ptr<i32>>
  return
}

// -----

// Scalars of other dialects, tiles of this one.
tile_sugar.kernel @tile_in_arith(%X: tensor<?x100xf32>) {
  %x = load %X[0, 0] : tensor<?x100xf32> -> tile<8x100xf32>
  // expected-error@below:3 {{'tile<8x100xf32>' is no scalar: operations on tiles have no 'arith.' or 'math.' before them}}
  %y = arith.addf %x, %x : tile<8x100xf32>
  return
}

// -----

tile_sugar.kernel @number(%x: f32) {
  // expected-error@below:16 {{a number must be the value of a 'constant' here}}
  %y = mul %x, 2.0 : f32
  return
}

// -----

// expected-note@below:36 {{defined here}}
tile_sugar.kernel @loop_over_index(%n: i32) {
  // expected-error@below:16 {{'%n' has type 'i32', but is used as 'index'; a loop over 'i32' says so: ': i32'}}
  scf.for %i = %n to %n step %n {
  }
  return
}

// -----

// expected-error@below:49 {{expected ',' or ')'; extents of a grid use + - * ceildiv(a, b) floordiv(a, b) mod(a, b), but got '/'}}
tile_sugar.kernel @grid(%n: i32) grid(4, %n, %n / 4) {
  return
}

// -----

// expected-error@below:1 {{unknown operation 'kernel'; did you mean 'tile_sugar.kernel'?}}
kernel @k() {
  return
}

// -----

tile_sugar.kernel @undefined(%X: tensor<?xf32>) {
  // expected-error@below:16 {{use of undefined value '%i'}}
  %x = load %X[%i] : tensor<?xf32> -> tile<8xf32>
  return
}

// -----

// The body of a kernel is no graph: what it uses is defined before.
tile_sugar.kernel @order(%X: tensor<?xf32>) {
  // expected-error@below:12 {{'tile_sugar.neg' op operand #0 does not dominate this use: it is defined later}}
  %y = neg %x : tile<8xf32>
  // expected-note@below:8 {{defined here}}
  %x = load %X[0] : tensor<?xf32> -> tile<8xf32>
  store %y, %X[0] : tile<8xf32>, tensor<?xf32>
  return
}

// -----

tile_sugar.kernel @own_body(%X: tensor<8xf32>) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  // expected-error@below:56 {{'%b' is defined inside of 'scf.for' and not visible outside of it}}
  %r = scf.for %k = %c0 to %c1 step %c1 iter_args(%a = %b) -> (tile<8xf32>) : i32 {
    %b = constant 0.0 : tile<8xf32>
    scf.yield %b : tile<8xf32>
  }
  store %r, %X[0] : tile<8xf32>, tensor<8xf32>
  return
}
