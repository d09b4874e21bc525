// RUN: tile-opt %s -p 'legalize-elementwise,chunk-rows{width=64 chunk=32}' --split-input-file | filecheck %s
// RUN: tile-opt %s -p 'legalize-elementwise,chunk-rows{width=64 chunk=32}' --split-input-file --remarks=fusion -o %t 2>&1 | filecheck %s --check-prefix REMARK
// RUN: tile-opt %s -p legalize-elementwise,chunk-rows --split-input-file | filecheck %s --check-prefix PARTS
// RUN: not tile-opt %s -p 'chunk-rows{chunk=48}' --split-input-file 2>&1 | filecheck %s --check-prefix INVALID

// INVALID: error: {{.*}}chunk must be a power of two up to width, 32768, but is 48

// A reduction accumulates a tile of a chunk's columns, which it reduces once behind the loop.

// CHECK-LABEL: kernel @reduce
// CHECK-NEXT:    %[[Z:.*]] = constant -0.000000e+00 : tile<2x32xf32>
// CHECK:         %[[T:.*]] = scf.for %[[C:.*]] = %{{.*}} to %{{.*}} step %{{.*}} iter_args(%[[S:.*]] = %[[Z]]) -> (tile<2x32xf32>) : i32 {
// CHECK:           %[[X:.*]] = load %X[%r, %[[C]]] : tensor<?x128xf32> -> tile<2x32xf32>
// CHECK:           %[[Q:.*]] = square %[[X]] : tile<2x32xf32>
// CHECK:           %[[N:.*]] = add %[[S]], %[[Q]] : tile<2x32xf32>
// CHECK:           scf.yield %[[N]]
// CHECK:         rowsum %[[T]] axis 1 : tile<2x32xf32>
// REMARK: :[[# @LINE + 4]]:8: remark: reduced in chunks of 32 columns
tile_sugar.kernel @reduce(%X: tensor<?x128xf32> {readonly}, %Y: tensor<?x1xf32>, %r: i32) {
  %x = load %X[%r, 0] : tensor<?x128xf32> -> tile<2x128xf32>
  %q = square %x : tile<2x128xf32>
  %s = rowsum %q : tile<2x128xf32>
  store %s, %Y[%r, 0] : tile<2x1xf32>, tensor<?x1xf32>
  return
}

// -----

// A store computes its chunks from memory; positions count on, and what belongs to a row stays.

// CHECK-LABEL: kernel @store
// CHECK:         scf.for %[[C:.*]] = %{{.*}} to %{{.*}} step %{{.*}} : i32 {
// CHECK-NEXT:      %[[I:.*]] = iota 1 : tile<1x32xi32>
// CHECK-NEXT:      %[[O:.*]] = splat %[[C]] : i32 -> tile<1x32xi32>
// CHECK-NEXT:      add %[[I]], %[[O]] : tile<1x32xi32>
// CHECK:           store %{{.*}}, %Y[%r, %[[C]]] : tile<2x32xf32>, tensor<?x128xf32>
// REMARK: :[[# @LINE + 6]]:3: remark: stored in chunks of 32 columns
tile_sugar.kernel @store(%X: tensor<?x128xf32> {readonly}, %Y: tensor<?x128xf32>, %r: i32, %n: i32) {
  %x = load %X[%r, 0] : tensor<?x128xf32> -> tile<2x128xf32>
  %i = iota 1 : tile<1x128xi32>
  %c = cmp lt %i, %n : tile<1x128xi32>, i32
  %m = select %c, %x, %x : tile<1x128xi1>, tile<2x128xf32>, tile<2x128xf32>
  store %m, %Y[%r, 0] : tile<2x128xf32>, tensor<?x128xf32>
  return
}

// -----

// Short rows are no concern of this pass.

// CHECK-LABEL: kernel @short
// CHECK-NOT:     scf.for
// CHECK:         return
tile_sugar.kernel @short(%X: tensor<?x64xf32>) {
  %x = load %X[0, 0] : tensor<?x64xf32> -> tile<2x64xf32>
  store %x, %X[0, 0] : tile<2x64xf32>, tensor<?x64xf32>
  return
}

// -----

// What is written between two reads might change.

// CHECK-LABEL: kernel @written
// CHECK-NOT:     scf.for
// CHECK:         return
// REMARK: :[[# @LINE + 2]]:8: remark: long rows stay whole tiles: the tensor is not readonly, and is read more than once
tile_sugar.kernel @written(%X: tensor<?x128xf32>, %Y: tensor<?x1xf32>) {
  %x = load %X[0, 0] : tensor<?x128xf32> -> tile<2x128xf32>
  %s = rowsum %x : tile<2x128xf32>
  store %s, %Y[0, 0] : tile<2x1xf32>, tensor<?x1xf32>
  return
}

// -----

// CHECK-LABEL: kernel @ragged
// CHECK-NOT:     scf.for
// CHECK:         return
// REMARK: remark: long rows stay whole tiles: 32 does not divide 100 columns
tile_sugar.kernel @ragged(%X: tensor<?x100xf32> {readonly}, %Y: tensor<?x1xf32>) {
  %x = load %X[0, 0] : tensor<?x100xf32> -> tile<2x100xf32>
  %s = rowsum %x : tile<2x100xf32>
  store %s, %Y[0, 0] : tile<2x1xf32>, tensor<?x1xf32>
  return
}

// -----

// The first column and a chunk's might overflow together.

// CHECK-LABEL: kernel @computed
// CHECK-NOT:     scf.for
// CHECK:         return
// REMARK: remark: long rows stay whole tiles: the first column is computed
tile_sugar.kernel @computed(%X: tensor<?x?xf32> {readonly}, %Y: tensor<?x1xf32>, %c: i32) {
  %x = load %X[0, %c] : tensor<?x?xf32> -> tile<2x128xf32>
  %s = rowsum %x : tile<2x128xf32>
  store %s, %Y[0, 0] : tile<2x1xf32>, tensor<?x1xf32>
  return
}

// -----

// CHECK-LABEL: kernel @whole
// CHECK-NOT:     scf.for
// CHECK:         return
// REMARK: remark: long rows stay whole tiles: 'tile_sugar.cumsum' needs the whole row
tile_sugar.kernel @whole(%X: tensor<?x128xf32> {readonly}, %Y: tensor<?x128xf32>) {
  %x = load %X[0, 0] : tensor<?x128xf32> -> tile<2x128xf32>
  %s = cumsum %x axis 1 : tile<2x128xf32>
  store %s, %Y[0, 0] : tile<2x128xf32>, tensor<?x128xf32>
  return
}

// -----

// A part of a tensor may be another's memory.

// CHECK-LABEL: kernel @part
// CHECK-NOT:     scf.for
// CHECK:         return
// REMARK: remark: long rows stay whole tiles: the tensor is no parameter
tile_sugar.kernel @part(%X: tensor<?x128xf32> {readonly}, %Y: tensor<?x1xf32>) {
  %P = make_tensor %X : tensor<?x128xf32> -> tensor<4x128xf32>
  %x = load %P[0, 0] : tensor<4x128xf32> -> tile<2x128xf32>
  %s = rowsum %x : tile<2x128xf32>
  store %s, %Y[0, 0] : tile<2x1xf32>, tensor<?x1xf32>
  return
}

// -----

// Short rows, in parts of 128 columns that are added before they are reduced; without a sum of
// floats the rows are left to split-rows.

// PARTS-LABEL: tile_sugar.kernel @short
// PARTS:         %4 = add %0, %1 : tile<4x128xf32>
// PARTS-NEXT:    %5 = add %2, %3 : tile<4x128xf32>
// PARTS-NEXT:    %6 = add %4, %5 : tile<4x128xf32>
// PARTS-NEXT:    %7 = rowsum %6 axis 1 : tile<4x128xf32>
// PARTS-LABEL: tile_sugar.kernel @maximum
// PARTS:         rowmax %{{.*}} : tile<4x512xf32>
tile_sugar.kernel @short(%X: tensor<?x512xf32>) {
  %x = load %X[0, 0] fill 1.0 : tensor<?x512xf32> -> tile<4x512xf32>
  %s = rowsum %x : tile<4x512xf32>
  %d = sub %x, %s : tile<4x512xf32>, tile<4x1xf32>
  store %d, %X[0, 0] : tile<4x512xf32>, tensor<?x512xf32>
  return
}
tile_sugar.kernel @maximum(%X: tensor<?x512xf32>) {
  %x = load %X[0, 0] : tensor<?x512xf32> -> tile<4x512xf32>
  %s = rowmax %x : tile<4x512xf32>
  %d = sub %x, %s : tile<4x512xf32>, tile<4x1xf32>
  store %d, %X[0, 0] : tile<4x512xf32>, tensor<?x512xf32>
  return
}
