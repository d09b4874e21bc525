// RUN: tile-opt %s --verify-diagnostics --split-input-file

entry @broadcast(%i: tile<i32>) {
  %v = constant <i32: 0> : tile<2xi32>
  // expected-error@below:8 {{'cuda_tile.broadcast' op operands and results must have one rank, but got 'tile<i32>', 'tile<4xi32>'}}
  %0 = broadcast %i : tile<i32> -> tile<4xi32>
  // expected-error@below:8 {{'cuda_tile.broadcast' op dimension 0 of extent 2 cannot be broadcast to 4: only 1 can}}
  %1 = broadcast %v : tile<2xi32> -> tile<4xi32>
  // expected-error@below:8 {{'cuda_tile.broadcast' op operands and results must have one element type, but got 'tile<2xi32>', 'tile<2xi64>'}}
  %2 = broadcast %v : tile<2xi32> -> tile<2xi64>
  // expected-error@below:8 {{'cuda_tile.broadcast' op dimension 0 of extent 2 cannot be broadcast to 1: only 1 can}}
  %3 = broadcast %v : tile<2xi32> -> tile<1xi32>
  return
}

// -----

entry @cat(%i: tile<i32>) {
  %v = constant <i32: 0> : tile<2xi32>
  %w = constant <i32: 0> : tile<4xi32>
  %m = constant <i32: 0> : tile<2x4xi32>
  %f = constant <f32: 0.0> : tile<2xf32>
  // expected-error@below:8 {{'cuda_tile.cat' op dim must be in 0 to 0, but got 1}}
  %0 = cat %v, %v dim = 1 : tile<2xi32>, tile<2xi32> -> tile<4xi32>
  // expected-error@below:8 {{'cuda_tile.cat' op dim must be in 0 to 0, but got -1}}
  %1 = cat %v, %v dim = -1 : tile<2xi32>, tile<2xi32> -> tile<4xi32>
  // expected-error@below:8 {{'cuda_tile.cat' op rank-0 tiles cannot be concatenated; reshape them to rank 1}}
  %2 = cat %i, %i dim = 0 : tile<i32>, tile<i32> -> tile<i32>
  // expected-error@below:8 {{'cuda_tile.cat' op extents 2 and 4 of dimension 0 do not give 8}}
  %3 = cat %v, %w dim = 0 : tile<2xi32>, tile<4xi32> -> tile<8xi32>
  // expected-error@below:8 {{'cuda_tile.cat' op extents 2 and 2 of dimension 0 do not give 2}}
  %4 = cat %v, %v dim = 0 : tile<2xi32>, tile<2xi32> -> tile<2xi32>
  // expected-error@below:8 {{'cuda_tile.cat' op operands and results must have one element type, but got 'tile<2xi32>', 'tile<2xf32>', 'tile<4xi32>'}}
  %5 = cat %v, %f dim = 0 : tile<2xi32>, tile<2xf32> -> tile<4xi32>
  // expected-error@below:8 {{'cuda_tile.cat' op operands and results must have one rank, but got 'tile<2xi32>', 'tile<2x4xi32>', 'tile<4xi32>'}}
  %6 = cat %v, %m dim = 0 : tile<2xi32>, tile<2x4xi32> -> tile<4xi32>
  // expected-error@below:8 {{'cuda_tile.cat' op extents 4 and 4 of dimension 1 do not give 8}}
  %7 = cat %m, %m dim = 0 : tile<2x4xi32>, tile<2x4xi32> -> tile<4x8xi32>
  return
}

// -----

// Indices count parts, and parts divide the whole.

entry @extract(%i: tile<i32>, %l: tile<i64>) {
  %m = constant <i32: 0> : tile<4x8xi32>
  // expected-error@below:8 {{'cuda_tile.extract' op needs one index for each dimension of 'tile<4x8xi32>', but got 1}}
  %0 = extract %m[%i] : tile<4x8xi32> -> tile<2x8xi32>
  // expected-error@below:8 {{'cuda_tile.extract' op needs one index for each dimension of 'tile<4x8xi32>', but got 3}}
  %1 = extract %m[%i, %i, %i] : tile<4x8xi32> -> tile<2x8xi32>
  // expected-error@below:8 {{'cuda_tile.extract' op extent 4 of dimension 0 is not a multiple of 8}}
  %2 = extract %m[%i, %i] : tile<4x8xi32> -> tile<8x8xi32>
  // expected-error@below:8 {{'cuda_tile.extract' op operands and results must have one element type, but got 'tile<4x8xi32>', 'tile<2x8xf32>'}}
  %3 = extract %m[%i, %i] : tile<4x8xi32> -> tile<2x8xf32>
  // expected-error@below:8 {{'cuda_tile.extract' op operands and results must have one rank, but got 'tile<4x8xi32>', 'tile<8xi32>'}}
  %4 = extract %m[%i] : tile<4x8xi32> -> tile<8xi32>
  return
}

// -----

// expected-note@below:19 {{defined here}}
entry @index_type(%l: tile<i64>) {
  %m = constant <i32: 0> : tile<4xi32>
  // expected-error@below:19 {{'%l' has type 'tile<i64>', but is used as 'tile<i32>'}}
  %0 = extract %m[%l] : tile<4xi32> -> tile<2xi32>
  return
}

// -----

entry @insert(%i: tile<i32>) {
  %m = constant <i32: 0> : tile<4xi32>
  %w = constant <i32: 0> : tile<8xi32>
  %f = constant <f32: 0.0> : tile<2xf32>
  %q = constant <i32: 0> : tile<2x2xi32>
  // expected-error@below:8 {{'cuda_tile.insert' op extent 4 of dimension 0 is not a multiple of 8}}
  %0 = insert %w, %m[%i] : tile<8xi32>, tile<4xi32>
  // expected-error@below:8 {{'cuda_tile.insert' op operands and results must have one element type, but got 'tile<4xi32>', 'tile<2xf32>'}}
  %1 = insert %f, %m[%i] : tile<2xf32>, tile<4xi32>
  // expected-error@below:8 {{'cuda_tile.insert' op operands and results must have one rank, but got 'tile<4xi32>', 'tile<2x2xi32>'}}
  %2 = insert %q, %m[%i] : tile<2x2xi32>, tile<4xi32>
  // expected-error@below:8 {{'cuda_tile.insert' op needs one index for each dimension of 'tile<8xi32>', but got 2}}
  %3 = insert %m, %w[%i, %i] : tile<4xi32>, tile<8xi32>
  return
}

// -----

entry @permute(%i: tile<i32>) {
  %v = constant <i32: 0> : tile<4xi32>
  %m = constant <i32: 0> : tile<2x4xi32>
  // expected-error@below:8 {{'cuda_tile.permute' op source must have rank 2 or more, but has rank 1}}
  %0 = permute %v [0] : tile<4xi32> -> tile<4xi32>
  // expected-error@below:8 {{'cuda_tile.permute' op [0, 0] is not a permutation of 0 to 1}}
  %1 = permute %m [0, 0] : tile<2x4xi32> -> tile<2x2xi32>
  // expected-error@below:8 {{'cuda_tile.permute' op [-1, 0] is not a permutation of 0 to 1}}
  %2 = permute %m [-1, 0] : tile<2x4xi32> -> tile<4x2xi32>
  // expected-error@below:8 {{'cuda_tile.permute' op [0, 1, 2] is not a permutation of 0 to 1}}
  %3 = permute %m [0, 1, 2] : tile<2x4xi32> -> tile<2x4xi32>
  // expected-error@below:8 {{'cuda_tile.permute' op 'tile<2x4xi32>' permuted has shape 4x2, but the result is 'tile<2x4xi32>'}}
  %4 = permute %m [1, 0] : tile<2x4xi32> -> tile<2x4xi32>
  // expected-error@below:8 {{'cuda_tile.permute' op operands and results must have one rank, but got 'tile<2x4xi32>', 'tile<8xi32>'}}
  %5 = permute %m [1, 0] : tile<2x4xi32> -> tile<8xi32>
  // expected-error@below:8 {{'cuda_tile.permute' op operands and results must have one element type, but got 'tile<2x4xi32>', 'tile<4x2xf32>'}}
  %6 = permute %m [1, 0] : tile<2x4xi32> -> tile<4x2xf32>
  return
}

// -----

entry @reshape(%i: tile<i32>) {
  %v = constant <i32: 0> : tile<4xi32>
  // expected-error@below:8 {{'cuda_tile.reshape' op 4 elements cannot be reshaped to 8}}
  %0 = reshape %v : tile<4xi32> -> tile<8xi32>
  // expected-error@below:8 {{'cuda_tile.reshape' op operands and results must have one element type, but got 'tile<4xi32>', 'tile<2x2xf32>'}}
  %1 = reshape %v : tile<4xi32> -> tile<2x2xf32>
  // expected-error@below:8 {{'cuda_tile.reshape' op 4 elements cannot be reshaped to 1}}
  %2 = reshape %v : tile<4xi32> -> tile<i32>
  return
}

// -----

entry @iota(%i: tile<i32>) {
  // expected-error@below:8 {{'cuda_tile.iota' op result must have rank 1, but got 'tile<4x4xi32>'}}
  %0 = iota : tile<4x4xi32>
  // expected-error@below:8 {{'cuda_tile.iota' op result must have rank 1, but got 'tile<i32>'}}
  %1 = iota : tile<i32>
  // expected-error@below:8 {{'cuda_tile.iota' op 4 values do not fit 'i1'}}
  %2 = iota : tile<4xi1>
  // expected-error@below:8 {{'cuda_tile.iota' op 512 values do not fit 'i8'}}
  %3 = iota : tile<512xi8>
  // expected-error@below:8 {{'cuda_tile.iota' op result #0 ('result') must be a tile of i1, i8, i16, i32 or i64, but got 'tile<4xf32>'}}
  %4 = iota : tile<4xf32>
  return
}

// -----

entry @pack(%i: tile<i32>) {
  %m = constant <f32: 0.0> : tile<2x4xf32>
  %v = constant <f32: 0.0> : tile<4xf32>
  %b = constant <i8: 0> : tile<4xi8>
  %t = constant <i1: true> : tile<4xi1>
  %e = constant <f8E5M2: 0.0> : tile<4xf8E5M2>
  // expected-error@below:8 {{'cuda_tile.pack' op tiles must have rank 1, but got 'tile<2x4xf32>' and 'tile<2x16xi8>'}}
  %0 = pack %m : tile<2x4xf32> -> tile<2x16xi8>
  // expected-error@below:8 {{'cuda_tile.pack' op 'i8' is already one byte wide, use bitcast}}
  %1 = pack %b : tile<4xi8> -> tile<4xi8>
  // expected-error@below:8 {{'cuda_tile.pack' op 'f8E5M2' is already one byte wide, use bitcast}}
  %2 = pack %e : tile<4xf8E5M2> -> tile<4xi8>
  // expected-error@below:8 {{'cuda_tile.pack' op 'tile<4xi1>' has 4 bits, but 'tile<1xi8>' has 8}}
  %3 = pack %t : tile<4xi1> -> tile<1xi8>
  // expected-error@below:8 {{'cuda_tile.pack' op 'tile<4xf32>' has 128 bits, but 'tile<8xi8>' has 64}}
  %4 = pack %v : tile<4xf32> -> tile<8xi8>
  // expected-error@below:8 {{'cuda_tile.pack' op result #0 ('result') must be a tile of i8, but got 'tile<16xi16>'}}
  %5 = pack %v : tile<4xf32> -> tile<16xi16>
  // expected-error@below:8 {{'cuda_tile.unpack' op 'tile<2xf32>' has 64 bits, but 'tile<4xi8>' has 32}}
  %6 = unpack %b : tile<4xi8> -> tile<2xf32>
  // expected-error@below:15 {{'cuda_tile.unpack' op operand #0 ('source') must be a tile of i8, but got 'tile<4xf32>'}}
  %7 = unpack %v : tile<4xf32> -> tile<16xi8>
  // expected-error@below:8 {{'cuda_tile.unpack' op 'i8' is already one byte wide, use bitcast}}
  %8 = unpack %b : tile<4xi8> -> tile<4xi8>
  return
}

// -----

entry @select(%c: tile<i1>, %i: tile<i32>) {
  %v = constant <f32: 0.0> : tile<4xf32>
  %n = constant <f4E2M1FN: 0.0> : tile<4xf4E2M1FN>
  %b = constant <i1: true> : tile<4xi1>
  // expected-error@below:8 {{'cuda_tile.select' op operands and results must have one shape, but got 'tile<i1>', 'tile<4xf32>'}}
  %0 = select %c, %v, %v : tile<i1>, tile<4xf32>
  // expected-error@below:8 {{'cuda_tile.select' op f4E2M1FN tiles cannot be selected; select their bytes instead}}
  %1 = select %b, %n, %n : tile<4xi1>, tile<4xf4E2M1FN>
  // expected-error@below:15 {{'cuda_tile.select' op operand #0 ('cond') must be a tile of i1, but got 'tile<i32>'}}
  %2 = select %i, %i, %i : tile<i32>, tile<i32>
  return
}

// -----

entry @offset(%p: tile<ptr<f32>>, %i: tile<i32>, %f: tile<f32>) {
  %q = reshape %p : tile<ptr<f32>> -> tile<1xptr<f32>>
  %r = broadcast %q : tile<1xptr<f32>> -> tile<4xptr<f32>>
  // expected-error@below:8 {{'cuda_tile.offset' op operands and results must have one shape, but got 'tile<4xptr<f32>>', 'tile<i32>'}}
  %0 = offset %r, %i : tile<4xptr<f32>>, tile<i32> -> tile<4xptr<f32>>
  // expected-error@below:19 {{'cuda_tile.offset' op operand #1 ('offset') must be a tile of i1, i8, i16, i32 or i64, but got 'tile<f32>'}}
  %1 = offset %p, %f : tile<ptr<f32>>, tile<f32> -> tile<ptr<f32>>
  // expected-error@below:15 {{'cuda_tile.offset' op operand #0 ('ptr') must be a tile of pointers, but got 'tile<i32>'}}
  %2 = offset %i, %i : tile<i32>, tile<i32> -> tile<i32>
  // expected-error@below:8 {{'cuda_tile.offset' op result #0 ('result') must have the type of operand #0 ('ptr'), 'tile<ptr<f32>>', but got 'tile<ptr<i32>>'}}
  %3 = offset %p, %i : tile<ptr<f32>>, tile<i32> -> tile<ptr<i32>>
  return
}

// -----

entry @grid(%i: tile<i32>) {
  // expected-error@below:16 {{'cuda_tile.get_tile_block_id' op result #0 ('blockId_x') must be a rank-0 tile of i32, but got 'tile<i64>'}}
  %x, %y, %z = get_tile_block_id : tile<i64>
  // expected-error@below:16 {{'cuda_tile.get_num_tile_blocks' op result #0 ('gridSize_x') must be a rank-0 tile of i32, but got 'tile<4xi32>'}}
  %u, %v, %w = get_num_tile_blocks : tile<4xi32>
  return
}
