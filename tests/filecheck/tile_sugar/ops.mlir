// RUN: tile-opt %s --split-input-file --verify-roundtrip | filecheck %s

// Every operation of the dialect in its own form. Values are renumbered; types print short in all
// operations of a kernel.

tile_sugar.kernel @promises(%X: tensor<?x100xf32> {align = 64, multiple = [8, 4], max = [4096, 0], readonly}, %Y: tensor<?x?xui8, strides=[?, 1]> {writeonly, stride_multiple = [16, 1], may_alias}, %n: i32 {multiple = 4, min = 0, max = 100}, %a: f16) grid(ceildiv(dim %X 0, 8) + 1, (stride %Y 0 + %n) * 2, mod(%n, 3) + floordiv(%n, 4)) optimization_hints = <sm_90 = {occupancy = 2}> {
  %bx = block_id 0
  %gy = num_blocks 1
  %e = extent %Y, 1 : tensor<?x?xui8, strides=[?, 1]>
  %k = arith.muli %bx, %n : i32
  %sub = make_tensor %Y + %k extents(%e) : tensor<?x?xui8, strides=[?, 1]>, i32 -> tensor<?xui8>
  %strided = make_tensor %X extents(%n) strides(%n) : tensor<?x100xf32> -> tensor<?x4xf32, strides=[?, 2]>
  %low = arith.cmpi slt, %n, %e : i32
  scf.if %low {
    return
  }
  return
}

// CHECK: tile_sugar.kernel @promises(%X: tensor<?x100xf32> {align = 64 : i64, max = [4096, 0], multiple = [8, 4], readonly}, %Y: tensor<?x?xui8, strides=[?, 1]> {may_alias, stride_multiple = [16, 1], writeonly}, %n: i32 {max = 100 : i64, min = 0 : i64, multiple = 4 : i64}, %a: f16) grid(ceildiv(dim %X 0, 8) + 1, stride %Y 0 * 2 + %n * 2, mod(%n, 3) + floordiv(%n, 4)) optimization_hints = <sm_90 = {occupancy = 2}> {
// CHECK-NEXT: %0 = block_id 0
// CHECK-NEXT: %1 = num_blocks 1
// CHECK-NEXT: %2 = extent %Y, 1 : tensor<?x?xui8, strides=[?, 1]>
// CHECK-NEXT: %3 = arith.muli %0, %n : i32
// CHECK-NEXT: %4 = make_tensor %Y + %3 extents(%2) : tensor<?x?xui8, strides=[?, 1]>, i32 -> tensor<?xui8>
// CHECK-NEXT: %5 = make_tensor %X extents(%n) strides(%n) : tensor<?x100xf32> -> tensor<?x4xf32, strides=[?, 2]>
// CHECK-NEXT: %6 = arith.cmpi slt, %n, %2 : i32
// CHECK-NEXT: scf.if %6 {
// CHECK-NEXT: return
// CHECK-NEXT: }
// CHECK-NEXT: return
// CHECK-NEXT: }

// -----

tile_sugar.kernel @memory(%X: tensor<?x100xf32>, %L: tensor<?xi32>, %r: i32) {
  %x = load %X[%r, -3] fill -inf : tensor<?x100xf32> -> tile<8x100xf32>
  %i = load %X[0, 0] inside : tensor<?x100xf32> -> tile<8x64xf32>
  %f = load %X[0, %r] full : tensor<?x100xf32> -> tile<8x64xf32>
  store %x, %X[%r, 0] : tile<8x100xf32>, tensor<?x100xf32>
  %k = iota 0 : tile<8x1xi32>
  %l = iota 1 : tile<1x64xi32>
  %g = gather %X[%k, %l] fill 2.5 : tensor<?x100xf32>, tile<8x1xi32>, tile<1x64xi32> -> tile<8x64xf32>
  %rows = gather_rows %X[%k, %r] : tensor<?x100xf32>, tile<8x1xi32>, i32 -> tile<8x32xf32>
  scatter %g, %X[%k, %l] : tile<8x64xf32>, tensor<?x100xf32>, tile<8x1xi32>, tile<1x64xi32>
  %c = iota 0 : tile<17xi32>
  %old = atomic add %c, %L[%c] : tile<17xi32>, tensor<?xi32>, tile<17xi32> -> tile<17xi32>
  %was = atomic cas acq_rel sys %c, %c, %L[%c] : tile<17xi32>, tile<17xi32>, tensor<?xi32>, tile<17xi32> -> tile<17xi32>
  atomic umax %c, %L[%r] : tile<17xi32>, tensor<?xi32>
  %t = constant 1.0 : tile<100xf32>
  %gt = gather_tile %t, %c fill nan : tile<100xf32>, tile<17xi32>
  print "%d of %f\0A", %r, %t : i32, tile<100xf32>
  print "hello\0A"
  %ok = cmp ge %c, %r : tile<17xi32>, i32
  assert %ok, "in range" : tile<17xi1>
  return
}

// CHECK: tile_sugar.kernel @memory(%X: tensor<?x100xf32>, %L: tensor<?xi32>, %r: i32) {
// CHECK-NEXT: %0 = load %X[%r, -3] fill 0xFF800000 : tensor<?x100xf32> -> tile<8x100xf32>
// CHECK-NEXT: %1 = load %X[0, 0] inside : tensor<?x100xf32> -> tile<8x64xf32>
// CHECK-NEXT: %2 = load %X[0, %r] full : tensor<?x100xf32> -> tile<8x64xf32>
// CHECK-NEXT: store %0, %X[%r, 0] : tile<8x100xf32>, tensor<?x100xf32>
// CHECK-NEXT: %3 = iota 0 : tile<8x1xi32>
// CHECK-NEXT: %4 = iota 1 : tile<1x64xi32>
// CHECK-NEXT: %5 = gather %X[%3, %4] fill 2.500000e+00 : tensor<?x100xf32>, tile<8x1xi32>, tile<1x64xi32> -> tile<8x64xf32>
// CHECK-NEXT: %6 = gather_rows %X[%3, %r] : tensor<?x100xf32>, tile<8x1xi32>, i32 -> tile<8x32xf32>
// CHECK-NEXT: scatter %5, %X[%3, %4] : tile<8x64xf32>, tensor<?x100xf32>, tile<8x1xi32>, tile<1x64xi32>
// CHECK-NEXT: %7 = iota 0 : tile<17xi32>
// CHECK-NEXT: %8 = atomic add %7, %L[%7] : tile<17xi32>, tensor<?xi32>, tile<17xi32> -> tile<17xi32>
// CHECK-NEXT: %9 = atomic cas acq_rel sys %7, %7, %L[%7] : tile<17xi32>, tile<17xi32>, tensor<?xi32>, tile<17xi32> -> tile<17xi32>
// CHECK-NEXT: atomic umax %7, %L[%r] : tile<17xi32>, tensor<?xi32>
// CHECK-NEXT: %10 = constant 1.000000e+00 : tile<100xf32>
// CHECK-NEXT: %11 = gather_tile %10, %7 fill 0x7FC00000 : tile<100xf32>, tile<17xi32>
// CHECK-NEXT: print "%d of %f\0A", %r, %10 : i32, tile<100xf32>
// CHECK-NEXT: print "hello\0A"
// CHECK-NEXT: %12 = cmp ge %7, %r : tile<17xi32>, i32
// CHECK-NEXT: assert %12, "in range" : tile<17xi1>
// CHECK-NEXT: return
// CHECK-NEXT: }

// -----

tile_sugar.kernel @elementwise(%X: tensor<?x100xf32>, %s: f32, %n: i32) {
  %x = load %X[0, 0] : tensor<?x100xf32> -> tile<8x100xf32>
  %m = load %X[0, 0] : tensor<?x100xf32> -> tile<8x1xf32>
  %0 = add %x, %m : tile<8x100xf32>, tile<8x1xf32>
  %1 = mul %x, %s fastmath<contract> : tile<8x100xf32>, f32
  %2 = div %s, %s : f32
  %3 = max %x, %0 propagate_nan : tile<8x100xf32>
  %4 = exp %x fastmath<afn, ftz> : tile<8x100xf32>
  %5 = fma %x, %s, %m : tile<8x100xf32>, f32, tile<8x1xf32>
  %6 = cmp uno %x, %m : tile<8x100xf32>, tile<8x1xf32>
  %7 = select %6, %x, %s : tile<8x100xi1>, tile<8x100xf32>, f32
  %8 = cast %x : tile<8x100xf32> -> tile<8x100xi8>
  %9 = cast %x unchecked : tile<8x100xf32> -> tile<8x100xi32>
  %10 = cast %8 from_unsigned : tile<8x100xi8> -> tile<8x100xf64>
  %11 = cast %x to_unsigned : tile<8x100xf32> -> tile<8x100xi16>
  %12 = bitcast %x : tile<8x100xf32> -> tile<8x100xi32>
  %13 = mulhi %12, %9 unsigned : tile<8x100xi32>
  %14 = shru %12, %8 : tile<8x100xi32>, tile<8x100xi8>
  %15 = iota 1 : tile<1x100xi32>
  %16 = constant -1.0e30 : f16
  %17 = constant 200 : tile<3xui8>
  %18 = splat %s : f32 -> tile<2x3xf32>
  %19 = broadcast %15 : tile<1x100xi32> -> tile<8x100xi32>
  %20 = constant 0x7F800000 : tile<1x1xf32>
  %21 = to_scalar %20 : tile<1x1xf32>
  %22 = powi %x, %n : tile<8x100xf32>, i32
  return
}

// CHECK: tile_sugar.kernel @elementwise(%X: tensor<?x100xf32>, %s: f32, %n: i32) {
// CHECK-NEXT: %0 = load %X[0, 0] : tensor<?x100xf32> -> tile<8x100xf32>
// CHECK-NEXT: %1 = load %X[0, 0] : tensor<?x100xf32> -> tile<8x1xf32>
// CHECK-NEXT: %2 = add %0, %1 : tile<8x100xf32>, tile<8x1xf32>
// CHECK-NEXT: %3 = mul %0, %s fastmath<contract> : tile<8x100xf32>, f32
// CHECK-NEXT: %4 = div %s, %s : f32
// CHECK-NEXT: %5 = max %0, %2 propagate_nan : tile<8x100xf32>
// CHECK-NEXT: %6 = exp %0 fastmath<afn, ftz> : tile<8x100xf32>
// CHECK-NEXT: %7 = fma %0, %s, %1 : tile<8x100xf32>, f32, tile<8x1xf32>
// CHECK-NEXT: %8 = cmp uno %0, %1 : tile<8x100xf32>, tile<8x1xf32>
// CHECK-NEXT: %9 = select %8, %0, %s : tile<8x100xi1>, tile<8x100xf32>, f32
// CHECK-NEXT: %10 = cast %0 : tile<8x100xf32> -> tile<8x100xi8>
// CHECK-NEXT: %11 = cast %0 unchecked : tile<8x100xf32> -> tile<8x100xi32>
// CHECK-NEXT: %12 = cast %10 from_unsigned : tile<8x100xi8> -> tile<8x100xf64>
// CHECK-NEXT: %13 = cast %0 to_unsigned : tile<8x100xf32> -> tile<8x100xi16>
// CHECK-NEXT: %14 = bitcast %0 : tile<8x100xf32> -> tile<8x100xi32>
// CHECK-NEXT: %15 = mulhi %14, %11 unsigned : tile<8x100xi32>
// CHECK-NEXT: %16 = shru %14, %10 : tile<8x100xi32>, tile<8x100xi8>
// CHECK-NEXT: %17 = iota 1 : tile<1x100xi32>
// CHECK-NEXT: %18 = constant -6.550400e+04 : f16
// CHECK-NEXT: %19 = constant 200 : tile<3xui8>
// CHECK-NEXT: %20 = splat %s : f32 -> tile<2x3xf32>
// CHECK-NEXT: %21 = broadcast %17 : tile<1x100xi32> -> tile<8x100xi32>
// CHECK-NEXT: %22 = constant 0x7F800000 : tile<1x1xf32>
// CHECK-NEXT: %23 = to_scalar %22 : tile<1x1xf32>
// CHECK-NEXT: %24 = powi %0, %n : tile<8x100xf32>, i32
// CHECK-NEXT: return
// CHECK-NEXT: }

// -----

tile_sugar.kernel @sweep(%x: f32) {
  %t = splat %x : f32 -> tile<8x100xf32>
  %a, %b = sweep(%t, %x) : tile<8x100xf32>, f32 -> tile<8x100xf32>, tile<8x100xi1> {
  ^bb0(%p: f32, %q: f32):
    %0 = sub %p, %q : f32
    %1 = exp %0 fastmath<afn> : f32
    %2 = index 1
    %3 = constant 50 : i32
    %4 = cmp lt %2, %3 : i32
    yield %1, %4 : f32, i1
  }
  %c = sweep() : -> tile<4x4xi32> {
    %0 = index 0
    yield %0 : i32
  }
  return
}

// CHECK: tile_sugar.kernel @sweep(%x: f32) {
// CHECK-NEXT: %0 = splat %x : f32 -> tile<8x100xf32>
// CHECK-NEXT: %1:2 = sweep(%0, %x) : tile<8x100xf32>, f32 -> tile<8x100xf32>, tile<8x100xi1> {
// CHECK-NEXT: ^bb0(%arg0: f32, %arg1: f32):
// CHECK-NEXT: %3 = sub %arg0, %arg1 : f32
// CHECK-NEXT: %4 = exp %3 fastmath<afn> : f32
// CHECK-NEXT: %5 = index 1
// CHECK-NEXT: %6 = constant 50 : i32
// CHECK-NEXT: %7 = cmp lt %5, %6 : i32
// CHECK-NEXT: yield %4, %7 : f32, i1
// CHECK-NEXT: }
// CHECK-NEXT: %2 = sweep() : -> tile<4x4xi32> {
// CHECK-NEXT: %3 = index 0
// CHECK-NEXT: yield %3 : i32
// CHECK-NEXT: }
// CHECK-NEXT: return
// CHECK-NEXT: }

// -----

tile_sugar.kernel @reductions(%x: f16) {
  %t = splat %x : f16 -> tile<8x100xf16>
  %0 = rowmax %t : tile<8x100xf16>
  %1 = rowsum %t axis 0 ordered : tile<8x100xf16>
  %2 = colmean %t : tile<8x100xf16>
  %3 = rowargmin %t : tile<8x100xf16>
  %4 = cumsum %t axis 1 reverse exclusive : tile<8x100xf16>
  %5, %6 = reduce(%t, %t) init(%x, %x) axis 1 kinds [prod, min] ordered : tile<8x100xf16>, tile<8x100xf16>, f16, f16 -> tile<8x1xf16>, tile<8x1xf16>
  %7 = reduce(%t) axis 1 identities [0.0] : tile<8x100xf16> -> tile<8x1xf32> map {
  ^bb0(%a: f16):
    %8 = cast %a : f16 -> f32
    yield %8 : f32
  } combine {
  ^bb0(%a: f32, %b: f32):
    %8 = add %a, %b : f32
    yield %8 : f32
  }
  %9 = scan(%t) axis 0 kinds [max] reverse : tile<8x100xf16> -> tile<8x100xf16>
  %10 = reduce(%t, %0, %x) axis 0 kinds [max] : tile<8x100xf16>, tile<8x1xf16>, f16 -> tile<1x100xi32> map {
  ^bb0(%a: f16, %b: f16, %c: f16):
    %11 = index 1
    yield %11 : i32
  }
  return
}

// CHECK: tile_sugar.kernel @reductions(%x: f16) {
// CHECK-NEXT: %0 = splat %x : f16 -> tile<8x100xf16>
// CHECK-NEXT: %1 = rowmax %0 : tile<8x100xf16>
// CHECK-NEXT: %2 = rowsum %0 axis 0 ordered : tile<8x100xf16>
// CHECK-NEXT: %3 = colmean %0 : tile<8x100xf16>
// CHECK-NEXT: %4 = rowargmin %0 : tile<8x100xf16>
// CHECK-NEXT: %5 = cumsum %0 axis 1 reverse exclusive : tile<8x100xf16>
// CHECK-NEXT: %6:2 = reduce(%0, %0) init(%x, %x) axis 1 kinds [prod, min] ordered : tile<8x100xf16>, tile<8x100xf16>, f16, f16 -> tile<8x1xf16>, tile<8x1xf16>
// CHECK-NEXT: %7 = reduce(%0) axis 1 identities [0.000000e+00] : tile<8x100xf16> -> tile<8x1xf32> map {
// CHECK-NEXT: ^bb0(%arg0: f16):
// CHECK-NEXT: %10 = cast %arg0 : f16 -> f32
// CHECK-NEXT: yield %10 : f32
// CHECK-NEXT: } combine {
// CHECK-NEXT: ^bb0(%arg0: f32, %arg1: f32):
// CHECK-NEXT: %10 = add %arg0, %arg1 : f32
// CHECK-NEXT: yield %10 : f32
// CHECK-NEXT: }
// CHECK-NEXT: %8 = scan(%0) axis 0 kinds [max] reverse : tile<8x100xf16> -> tile<8x100xf16>
// CHECK-NEXT: %9 = reduce(%0, %1, %x) axis 0 kinds [max] : tile<8x100xf16>, tile<8x1xf16>, f16 -> tile<1x100xi32> map {
// CHECK-NEXT: ^bb0(%arg0: f16, %arg1: f16, %arg2: f16):
// CHECK-NEXT: %10 = index 1
// CHECK-NEXT: yield %10 : i32
// CHECK-NEXT: }
// CHECK-NEXT: return
// CHECK-NEXT: }

// -----

// Names in a loop are those of the kernel, though `scf` has a `reduce` of its own.
tile_sugar.kernel @loop(%x: tensor<8x4xf32>, %n: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  scf.for %i = %c0 to %n step %c1 : i32 {
    %a = load %x[0, 0] : tensor<8x4xf32> -> tile<8x4xf32>
    %b = reduce(%a) axis 1 kinds [sum] : tile<8x4xf32> -> tile<8x1xf32>
  }
  return
}

// CHECK: tile_sugar.kernel @loop
// CHECK: scf.for
// CHECK-NEXT: load
// CHECK-NEXT: reduce(%{{.*}}) axis 1 kinds [sum]

// -----

tile_sugar.kernel @shapes(%x: f32, %n: i32) {
  %t = splat %x : f32 -> tile<8x100xf32>
  %0 = transpose %t : tile<8x100xf32>
  %1 = permute %t order [1, 0] : tile<8x100xf32>
  %2 = reshape %0 : tile<100x8xf32> -> tile<50x2x8xf32>
  %3 = flat %2 : tile<50x2x8xf32>
  %4 = extract %t[%n, 64] : tile<8x100xf32> -> tile<2x32xf32>
  %5 = insert %4, %t[0, %n] : tile<2x32xf32>, tile<8x100xf32>
  %6 = concat %4, %4 axis 1 : tile<2x32xf32>
  %7 = tril %t diagonal -2 : tile<8x100xf32>
  %8 = triu %t : tile<8x100xf32>
  return
}

// CHECK: tile_sugar.kernel @shapes(%x: f32, %n: i32) {
// CHECK-NEXT: %0 = splat %x : f32 -> tile<8x100xf32>
// CHECK-NEXT: %1 = transpose %0 : tile<8x100xf32>
// CHECK-NEXT: %2 = permute %0 order [1, 0] : tile<8x100xf32>
// CHECK-NEXT: %3 = reshape %1 : tile<100x8xf32> -> tile<50x2x8xf32>
// CHECK-NEXT: %4 = flat %3 : tile<50x2x8xf32>
// CHECK-NEXT: %5 = extract %0[%n, 64] : tile<8x100xf32> -> tile<2x32xf32>
// CHECK-NEXT: %6 = insert %5, %0[0, %n] : tile<2x32xf32>, tile<8x100xf32>
// CHECK-NEXT: %7 = concat %5, %5 axis 1 : tile<2x32xf32>
// CHECK-NEXT: %8 = tril %0 diagonal -2 : tile<8x100xf32>
// CHECK-NEXT: %9 = triu %0 : tile<8x100xf32>
// CHECK-NEXT: return
// CHECK-NEXT: }

// -----

tile_sugar.kernel @products(%x: f16, %u: f32) {
  %a = splat %x : f16 -> tile<48x96xf16>
  %b = splat %x : f16 -> tile<96x40xf16>
  %0 = dot %a, %b : tile<48x96xf16>, tile<96x40xf16>
  %1 = dot %a, %b acc %0 fast_acc : tile<48x96xf16>, tile<96x40xf16>, tile<48x40xf32>
  %s = splat %u : f32 -> tile<16x16xf32>
  %2 = dot %s, %s tf32 : tile<16x16xf32>
  %q = cast %s : tile<16x16xf32> -> tile<16x16xui8>
  %3 = dot %q, %q ordered : tile<16x16xui8>
  %4 = tile_dot %a, %a : tile<48x96xf16>
  %5 = axpy %u, %s, %s : f32, tile<16x16xf32>, tile<16x16xf32>
  %f = cast %s : tile<16x16xf32> -> tile<16x16xf8E4M3FN>
  %w = constant 1.0 : tile<64x64xf8E4M3FN>
  %e = constant 1.0 : tile<64x2xf8E8M0FNU>
  %e2 = constant 1.0 : tile<2x64xf8E8M0FNU>
  %6 = dot_scaled %w, %e, %w, %e2 : tile<64x64xf8E4M3FN>, tile<64x2xf8E8M0FNU>, tile<64x64xf8E4M3FN>, tile<2x64xf8E8M0FNU>
  return
}

// CHECK: tile_sugar.kernel @products(%x: f16, %u: f32) {
// CHECK-NEXT: %0 = splat %x : f16 -> tile<48x96xf16>
// CHECK-NEXT: %1 = splat %x : f16 -> tile<96x40xf16>
// CHECK-NEXT: %2 = dot %0, %1 : tile<48x96xf16>, tile<96x40xf16>
// CHECK-NEXT: %3 = dot %0, %1 acc %2 fast_acc : tile<48x96xf16>, tile<96x40xf16>, tile<48x40xf32>
// CHECK-NEXT: %4 = splat %u : f32 -> tile<16x16xf32>
// CHECK-NEXT: %5 = dot %4, %4 tf32 : tile<16x16xf32>
// CHECK-NEXT: %6 = cast %4 : tile<16x16xf32> -> tile<16x16xui8>
// CHECK-NEXT: %7 = dot %6, %6 ordered : tile<16x16xui8>
// CHECK-NEXT: %8 = tile_dot %0, %0 : tile<48x96xf16>
// CHECK-NEXT: %9 = axpy %u, %4, %4 : f32, tile<16x16xf32>, tile<16x16xf32>
// CHECK-NEXT: %10 = cast %4 : tile<16x16xf32> -> tile<16x16xf8E4M3FN>
// CHECK-NEXT: %11 = constant 1.000000e+00 : tile<64x64xf8E4M3FN>
// CHECK-NEXT: %12 = constant 1.000000e+00 : tile<64x2xf8E8M0FNU>
// CHECK-NEXT: %13 = constant 1.000000e+00 : tile<2x64xf8E8M0FNU>
// CHECK-NEXT: %14 = dot_scaled %11, %12, %11, %13 : tile<64x64xf8E4M3FN>, tile<64x2xf8E8M0FNU>, tile<64x64xf8E4M3FN>, tile<2x64xf8E8M0FNU>
// CHECK-NEXT: return
// CHECK-NEXT: }

// -----

tile_sugar.kernel @library(%x: f16, %n: i32) {
  %t = splat %x : f16 -> tile<8x50xf16>
  %row = splat %x : f16 -> tile<1x50xf16>
  %0 = softmax %t fastmath<afn> : tile<8x50xf16>
  %1 = logsumexp %t axis 0 : tile<8x50xf16>
  %2 = mask_cols %t, %n, -1.0e30 : tile<8x50xf16>
  %3 = causal_mask %t, %n, %n : tile<8x50xf16>
  %l = splat %n : i32 -> tile<8x1xi32>
  %4 = cross_entropy %t, %l : tile<8x50xf16>, tile<8x1xi32>
  %5, %6 = topk %t k 4 : tile<8x50xf16>
  %7 = layer_norm %t, %row, %row eps 1.0e-5 : tile<8x50xf16>, tile<1x50xf16>, tile<1x50xf16>
  %8 = rms_norm %t, %row eps 1.0e-6 : tile<8x50xf16>, tile<1x50xf16>
  %9 = gelu %t : tile<8x50xf16>
  %10 = argsel %t, %t, %n, %n : tile<8x50xf16>, tile<8x50xf16>, i32, i32
  %m = constant -inf : tile<8x1xf32>
  %s = cast %t : tile<8x50xf16> -> tile<8x50xf32>
  %v = splat %x : f16 -> tile<50x16xf16>
  %acc = constant 0.0 : tile<8x16xf32>
  %11, %12, %13 = online_softmax_step %m, %m, %acc, %s, %v scale 0.125 : tile<8x1xf32>, tile<8x1xf32>, tile<8x16xf32>, tile<8x50xf32>, tile<50x16xf16>
  return
}

// CHECK: tile_sugar.kernel @library(%x: f16, %n: i32) {
// CHECK-NEXT: %0 = splat %x : f16 -> tile<8x50xf16>
// CHECK-NEXT: %1 = splat %x : f16 -> tile<1x50xf16>
// CHECK-NEXT: %2 = softmax %0 fastmath<afn> : tile<8x50xf16>
// CHECK-NEXT: %3 = logsumexp %0 axis 0 : tile<8x50xf16>
// CHECK-NEXT: %4 = mask_cols %0, %n, -6.550400e+04 : tile<8x50xf16>
// CHECK-NEXT: %5 = causal_mask %0, %n, %n : tile<8x50xf16>
// CHECK-NEXT: %6 = splat %n : i32 -> tile<8x1xi32>
// CHECK-NEXT: %7 = cross_entropy %0, %6 : tile<8x50xf16>, tile<8x1xi32>
// CHECK-NEXT: %8:2 = topk %0 k 4 : tile<8x50xf16>
// CHECK-NEXT: %9 = layer_norm %0, %1, %1 eps 9.99999974E-6 : tile<8x50xf16>, tile<1x50xf16>, tile<1x50xf16>
// CHECK-NEXT: %10 = rms_norm %0, %1 eps 9.99999997E-7 : tile<8x50xf16>, tile<1x50xf16>
// CHECK-NEXT: %11 = gelu %0 : tile<8x50xf16>
// CHECK-NEXT: %12 = argsel %0, %0, %n, %n : tile<8x50xf16>, tile<8x50xf16>, i32, i32
// CHECK-NEXT: %13 = constant 0xFF800000 : tile<8x1xf32>
// CHECK-NEXT: %14 = cast %0 : tile<8x50xf16> -> tile<8x50xf32>
// CHECK-NEXT: %15 = splat %x : f16 -> tile<50x16xf16>
// CHECK-NEXT: %16 = constant 0.000000e+00 : tile<8x16xf32>
// CHECK-NEXT: %17:3 = online_softmax_step %13, %13, %16, %14, %15 scale 1.250000e-01 : tile<8x1xf32>, tile<8x1xf32>, tile<8x16xf32>, tile<8x50xf32>, tile<50x16xf16>
// CHECK-NEXT: return
// CHECK-NEXT: }

// -----

tile_sugar.kernel @loops(%X: tensor<?xf32>, %n: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %z = constant 0.0 : tile<100xf32>
  %s = scf.for %k = %c0 to %n step %c1 iter_args(%a = %z) -> (tile<100xf32>) : i32 {
    %x = load %X[%k] : tensor<?xf32> -> tile<100xf32>
    %y = add %a, %x : tile<100xf32>
    scf.yield %y : tile<100xf32>
  }
  %i, %t = scf.while (%j = %c0, %b = %z) : (i32, tile<100xf32>) -> (i32, tile<100xf32>) {
    %go = arith.cmpi slt, %j, %n : i32
    scf.condition(%go) %j, %b : i32, tile<100xf32>
  } do {
  ^bb0(%j: i32, %b: tile<100xf32>):
    %next = arith.addi %j, %c1 : i32
    %twice = add %b, %s : tile<100xf32>
    scf.yield %next, %twice : i32, tile<100xf32>
  }
  store %t, %X[0] : tile<100xf32>, tensor<?xf32>
  return
}

// CHECK: tile_sugar.kernel @loops(%X: tensor<?xf32>, %n: i32) {
// CHECK-NEXT: %0 = arith.constant 0 : i32
// CHECK-NEXT: %1 = arith.constant 1 : i32
// CHECK-NEXT: %2 = constant 0.000000e+00 : tile<100xf32>
// CHECK-NEXT: %3 = scf.for %arg0 = %0 to %n step %1 iter_args(%arg1 = %2) -> (tile<100xf32>) : i32 {
// CHECK-NEXT: %5 = load %X[%arg0] : tensor<?xf32> -> tile<100xf32>
// CHECK-NEXT: %6 = add %arg1, %5 : tile<100xf32>
// CHECK-NEXT: scf.yield %6 : tile<100xf32>
// CHECK-NEXT: }
// CHECK-NEXT: %4:2 = scf.while (%arg0 = %0, %arg1 = %2) : (i32, tile<100xf32>) -> (i32, tile<100xf32>) {
// CHECK-NEXT: %5 = arith.cmpi slt, %arg0, %n : i32
// CHECK-NEXT: scf.condition(%5) %arg0, %arg1 : i32, tile<100xf32>
// CHECK-NEXT: } do {
// CHECK-NEXT: ^bb0(%arg0: i32, %arg1: tile<100xf32>):
// CHECK-NEXT: %5 = arith.addi %arg0, %1 : i32
// CHECK-NEXT: %6 = add %arg1, %3 : tile<100xf32>
// CHECK-NEXT: scf.yield %5, %6 : i32, tile<100xf32>
// CHECK-NEXT: }
// CHECK-NEXT: store %4#1, %X[0] : tile<100xf32>, tensor<?xf32>
// CHECK-NEXT: return
// CHECK-NEXT: }

// -----

tile_sugar.kernel @escape(%X: tensor<?xf32>) {
  %bx, %by, %bz = cuda_tile.get_tile_block_id : tile<i32>
  %x = load %X[%bx] : tensor<?xf32>, tile<i32> -> tile<64xf32>
  %r = cuda_tile.addf %x, %x rounding<zero> : tile<64xf32>
  store %r, %X[%bx] : tile<64xf32>, tensor<?xf32>, tile<i32>
  return
}

// CHECK: tile_sugar.kernel @escape(%X: tensor<?xf32>) {
// CHECK-NEXT: %blockId_x, %blockId_y, %blockId_z = cuda_tile.get_tile_block_id : tile<i32>
// CHECK-NEXT: %0 = load %X[%blockId_x] : tensor<?xf32>, tile<i32> -> tile<64xf32>
// CHECK-NEXT: %1 = cuda_tile.addf %0, %0 rounding<zero> : tile<64xf32>
// CHECK-NEXT: store %1, %X[%blockId_x] : tile<64xf32>, tensor<?xf32>, tile<i32>
// CHECK-NEXT: return
// CHECK-NEXT: }
