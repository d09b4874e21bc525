// RUN: tile-opt %s -p clear-fastmath | filecheck %s
// RUN: tile-opt %s -p 'tile-sugar-to-cuda-tile{exact=true}' | filecheck %s --check-prefix EXACT
// RUN: tile-opt %s -p tile-sugar-to-cuda-tile | filecheck %s --check-prefix FAST
// RUN: tile-opt %s -p clear-fastmath --remarks=math -o %t 2>&1 | filecheck %s --check-prefix REMARK

// The licence goes, in sweeps too; what is not a licence stays.
// CHECK:      %1 = sweep(%0)
// CHECK:      %4 = exp %arg0 : f32
// CHECK:      %2 = max %1, %0 propagate_nan : tile<8x128xf32>

// REMARK: remark: exp is exact: not licensed by afn, ftz
// REMARK: remark: max is exact: not licensed by ftz
// REMARK: remark: div is exact: not licensed by afn

// FAST:       exp2 {{.*}} flush_to_zero
// FAST:       divf {{.*}} rounding<approx>

// EXACT-NOT:  flush_to_zero
// EXACT-NOT:  approx
// EXACT:      divf {{%.*, %.*}}  : tile<8x128xf32>
tile_sugar.kernel @k(%X: tensor<8x128xf32>) {
  %x = load %X[0, 0] : tensor<8x128xf32> -> tile<8x128xf32>
  %y = sweep(%x) : tile<8x128xf32> -> tile<8x128xf32> {
  ^bb0(%a: f32):
    %0 = exp %a fastmath<afn, ftz> : f32
    yield %0 : f32
  }
  %z = max %y, %x propagate_nan fastmath<ftz> : tile<8x128xf32>
  %w = div %z, %x fastmath<afn> : tile<8x128xf32>
  store %w, %X[0, 0] : tile<8x128xf32>, tensor<8x128xf32>
  return
}
