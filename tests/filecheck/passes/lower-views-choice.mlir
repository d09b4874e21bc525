// RUN: tile-opt %s -p lower-elementwise,lower-kernel,'lower-views{version=13.4}' --split-input-file | filecheck %s
// RUN: tile-opt %s -p lower-elementwise,lower-kernel,'lower-views{version=13.3}' --split-input-file | filecheck %s --check-prefix OLD
// RUN: tile-opt %s -p lower-elementwise,lower-kernel,'lower-views{version=13.4 target=sm_80}' --split-input-file | filecheck %s --check-prefix SM80
// RUN: tile-opt %s -p lower-elementwise,lower-kernel,'lower-views{version=13.4 target=sm_90,sm_80}' --split-input-file | filecheck %s --check-prefix SM80
// RUN: tile-opt %s -p lower-elementwise,lower-kernel,'lower-views{version=13.4}' --split-input-file --remarks=lower-views -o %t 2>&1 | filecheck %s --check-prefix REMARK

// What is full needs no checks: a view where the version has `inbounds` and the tile has gaps, else
// plain pointers, which are better for rows of unknown length.

// CHECK-LABEL: entry @full
// CHECK:         load_view_tko weak %{{.*}}[%{{.*}}, %{{.*}}] optimization_hints = <default = {allow_tma = false}> inbounds = [true, true]
// CHECK:         store_view_tko {{.*}} inbounds = [true, true]
// CHECK:         load_ptr_tko weak %{{[a-z0-9_]*}} :
// CHECK:         load_ptr_tko weak %{{[a-z0-9_]*}} :
// OLD-LABEL:   entry @full
// OLD-NOT:       view
// OLD:           load_ptr_tko weak %{{[a-z0-9_]*}} :
// REMARK: remark: partition view without checks: full is promised
// REMARK: remark: pointers: no worse here than a view
tile_sugar.kernel @full(%X: tensor<?x16xf32>, %Y: tensor<?xf32>, %Z: tensor<?x?xf32>) {
  %b = block_id 0
  %c8 = arith.constant 8 : i32
  %r = arith.muli %b, %c8 : i32
  %t = load %X[%r, 0] full : tensor<?x16xf32> -> tile<8x8xf32>
  store %t, %X[%r, 0] full : tile<8x8xf32>, tensor<?x16xf32>
  %u = load %Y[%r] full : tensor<?xf32> -> tile<8xf32>
  %v = load %Z[%r, 0] full : tensor<?x?xf32> -> tile<8x8xf32>
  return
}

// -----

// A tile without gaps is one offset for each lane, whichever its rank.

// CHECK-LABEL: entry @without_gaps
// CHECK-NOT:     view
// CHECK:         %[[LINE:.*]] = iota : tile<128xi32>
// CHECK-NEXT:    %[[TILE:.*]] = reshape %[[LINE]] : tile<128xi32> -> tile<2x8x8xi32>
// CHECK:         %[[P:.*]] = offset %{{.*}}, %[[TILE]]
// CHECK-NEXT:    load_ptr_tko weak %[[P]] :
tile_sugar.kernel @without_gaps(%X: tensor<?x8x8xf32>) {
  %b = block_id 0
  %c2 = arith.constant 2 : i32
  %r = arith.muli %b, %c2 : i32
  %t = load %X[%r, 0, 0] full : tensor<?x8x8xf32> -> tile<2x8x8xf32>
  return
}

// -----

// Where all of a store is inside or none of it, a branch takes the place of the mask; what waits
// for the store waits for the branch.

// CHECK-LABEL: entry @row
// CHECK:         %[[IN:.*]] = reshape %{{.*}} : tile<1x1xi1> -> tile<i1>
// CHECK:         %[[DONE:.*]] = if %[[IN]] -> (token) {
// CHECK-NEXT:      %[[S:.*]] = store_ptr_tko weak %{{[^,]*}}, %{{[^,]*}} token=%[[READ:[a-z0-9_]*]] : tile<1x64x
// CHECK-NEXT:      yield %[[S]] : token
// CHECK-NEXT:    } else {
// CHECK-NEXT:      yield %[[READ]] : token
// CHECK-NEXT:    }
// CHECK:         load_ptr_tko weak %{{.*}} token=%[[DONE]]
tile_sugar.kernel @row(%X: tensor<?x64xf32>) {
  %r = block_id 0
  %t = load %X[%r, 0] : tensor<?x64xf32> -> tile<1x64xf32>
  store %t, %X[%r, 0] : tile<1x64xf32>, tensor<?x64xf32>
  %u = load %X[%r, 0] : tensor<?x64xf32> -> tile<1x64xf32>
  return
}

// -----

// A start that may be no tile's: pointers.

// CHECK-LABEL: entry @start
// CHECK-NOT:     view
// REMARK: remark: pointers: the start of dimension 0 is not known to be a multiple of 8
// REMARK: remark: masked pointers: the start of dimension 0 may be negative, and 'inside' is not promised
// REMARK: remark: masked pointers: the fill is not zero
tile_sugar.kernel @start(%X: tensor<?xf32>, %k: i32) {
  %c8 = arith.constant 8 : i32
  %r = arith.muli %k, %c8 : i32
  %t = load %X[%k] full : tensor<?xf32> -> tile<8xf32>
  %u = load %X[%r] : tensor<?xf32> -> tile<8xf32>
  %v = load %X[%r] inside fill -inf : tensor<?xf32> -> tile<8xf32>
  return
}

// -----

// A loop that feeds a product uses checked views where there is TMA, for all that allows it: rows
// of C need not be multiples of 16 bytes.

// CHECK-LABEL: entry @product
// CHECK-DAG:     make_partition_view %{{.*}} : partition_view<tile=(16x16), padding_value = zero,
// CHECK:         for
// CHECK:         load_view_tko weak %{{.*}}[%{{.*}}, %{{.*}}] : partition_view
// CHECK:         load_view_tko weak %{{.*}}[%{{.*}}, %{{.*}}] : partition_view
// CHECK:         store_ptr_tko weak
// SM80-LABEL:  entry @product
// SM80-NOT:      view
// REMARK: remark: partition view, as a loop feeds a product from this kernel's tensors
tile_sugar.kernel @product(%A: tensor<?x?xf16> {multiple = [1, 8]}, %B: tensor<?x?xf16> {multiple = [1, 8]}, %C: tensor<?x?xf32>) {
  %b = block_id 0
  %c0 = arith.constant 0 : i32
  %c16 = arith.constant 16 : i32
  %m = arith.muli %b, %c16 : i32
  %n = extent %A, 1 : tensor<?x?xf16>
  %zero = constant 0 : tile<16x16xf32>
  %acc = scf.for %k = %c0 to %n step %c16 iter_args(%s = %zero) -> (tile<16x16xf32>) : i32 {
    %x = load %A[%m, %k] inside : tensor<?x?xf16> -> tile<16x16xf16>
    %y = load %B[%k, %m] inside : tensor<?x?xf16> -> tile<16x16xf16>
    %p = cuda_tile.mmaf %x, %y, %s : tile<16x16xf16>, tile<16x16xf16>, tile<16x16xf32>
    scf.yield %p : tile<16x16xf32>
  }
  store %acc, %C[%m, %m] inside : tile<16x16xf32>, tensor<?x?xf32>
  return
}

// -----

// Without TMA only products that leave few registers do.

// SM80-LABEL:  entry @crowded
// SM80:          for
// SM80:          load_view_tko weak %{{.*}}[%{{.*}}, %{{.*}}] : partition_view
// SM80:          load_view_tko weak %{{.*}}[%{{.*}}, %{{.*}}] : partition_view
tile_sugar.kernel @crowded(%A: tensor<?x16xf16>, %B: tensor<?x128xf16>) {
  %b = block_id 0
  %c0 = arith.constant 0 : i32
  %c16 = arith.constant 16 : i32
  %c64 = arith.constant 64 : i32
  %m = arith.muli %b, %c64 : i32
  %n = extent %B, 0 : tensor<?x128xf16>
  %zero = constant 0 : tile<64x128xf32>
  %acc = scf.for %k = %c0 to %n step %c16 iter_args(%s = %zero) -> (tile<64x128xf32>) : i32 {
    %x = load %A[%m, 0] inside : tensor<?x16xf16> -> tile<64x16xf16>
    %y = load %B[%k, 0] inside : tensor<?x128xf16> -> tile<16x128xf16>
    %p = cuda_tile.mmaf %x, %y, %s : tile<64x16xf16>, tile<16x128xf16>, tile<64x128xf32>
    scf.yield %p : tile<64x128xf32>
  }
  return
}

// -----

// Accesses through views of rows of unknown length would be narrow.

// CHECK-LABEL: entry @narrow
// CHECK-NOT:     view
// REMARK: remark: masked pointers: rows are not known to be multiples of 16 bytes
tile_sugar.kernel @narrow(%A: tensor<?x?xf16>) {
  %b = block_id 0
  %c0 = arith.constant 0 : i32
  %c16 = arith.constant 16 : i32
  %m = arith.muli %b, %c16 : i32
  %n = extent %A, 1 : tensor<?x?xf16>
  %zero = constant 0 : tile<16x16xf32>
  %acc = scf.for %k = %c0 to %n step %c16 iter_args(%s = %zero) -> (tile<16x16xf32>) : i32 {
    %x = load %A[%m, %k] inside : tensor<?x?xf16> -> tile<16x16xf16>
    %p = cuda_tile.mmaf %x, %x, %s : tile<16x16xf16>, tile<16x16xf16>, tile<16x16xf32>
    scf.yield %p : tile<16x16xf32>
  }
  return
}

// -----

// Without the promise a start beyond the tensor has no tile, which only pointers allow.

// CHECK-LABEL: entry @beyond
// CHECK-NOT:     view
// REMARK: remark: masked pointers: the start of dimension 0 is not known to lie in the tensor, and 'inside' is not promised
tile_sugar.kernel @beyond(%A: tensor<?x16xf16>) {
  %b = block_id 0
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c16 = arith.constant 16 : i32
  %m = arith.muli %b, %c16 : i32
  %zero = constant 0 : tile<16x16xf32>
  %acc = scf.for %k = %c0 to %c16 step %c1 iter_args(%s = %zero) -> (tile<16x16xf32>) : i32 {
    %x = load %A[%m, 0] : tensor<?x16xf16> -> tile<16x16xf16>
    %p = cuda_tile.mmaf %x, %x, %s : tile<16x16xf16>, tile<16x16xf16>, tile<16x16xf32>
    scf.yield %p : tile<16x16xf32>
  }
  return
}
