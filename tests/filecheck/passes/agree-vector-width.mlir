// RUN: tile-opt %s -p 'lower-elementwise,lower-reductions,lower-elementwise,lower-kernel,lower-views,agree-vector-width' --split-input-file | filecheck %s
// RUN: tile-opt %s -p 'lower-elementwise,lower-reductions,lower-elementwise,lower-kernel,lower-views,agree-vector-width' --split-input-file --remarks=agree-vector-width -o %t 2>&1 | filecheck %s --check-prefix REMARK

// Four f32 are 16 bytes: four f16 are 8.

// CHECK-LABEL: entry @cast
// CHECK:         assume div_by<8>, %{{.*}} : tile<ptr<f16>>
// CHECK:         assume div_by<16>, %{{.*}} : tile<ptr<f32>>
// REMARK: remark: accesses of 4 elements, as the tiles it meets allow
tile_sugar.kernel @cast(%X: tensor<64xf16>, %Y: tensor<64xf32>) {
  %a = load %X[0] : tensor<64xf16> -> tile<64xf16>
  %b = cast %a : tile<64xf16> -> tile<64xf32>
  store %b, %Y[0] : tile<64xf32>, tensor<64xf32>
  return
}

// -----

// Tensors that do not meet keep what is known.

// CHECK-LABEL: entry @apart
// CHECK:         assume div_by<16>, %{{.*}} : tile<ptr<f16>>
// CHECK:         assume div_by<16>, %{{.*}} : tile<ptr<f32>>
tile_sugar.kernel @apart(%X: tensor<64xf16>, %Y: tensor<64xf32>) {
  %a = load %X[0] : tensor<64xf16> -> tile<64xf16>
  store %a, %X[0] : tile<64xf16>, tensor<64xf16>
  %b = load %Y[0] : tensor<64xf32> -> tile<64xf32>
  store %b, %Y[0] : tile<64xf32>, tensor<64xf32>
  return
}

// -----

// A mask may end anywhere: accesses of one element, wherever that tile goes. A multiple says where.

// CHECK-LABEL: entry @ragged
// CHECK:         assume div_by<4>, %{{.*}} : tile<ptr<f32>>
// CHECK:         assume div_by<4>, %{{.*}} : tile<ptr<f32>>
// REMARK: remark: narrow: the mask is not known to end at a multiple of 4
// REMARK: remark: accesses of 1 elements, as the tiles it meets allow
// CHECK-LABEL: entry @multiple
// CHECK:         assume div_by<8>, %{{.*}} : tile<ptr<f32>>
// CHECK:         assume div_by<8>, %{{.*}} : tile<ptr<f32>>
tile_sugar.kernel @ragged(%X: tensor<?xf32>, %Y: tensor<64xf32>) {
  %a = load %X[0] : tensor<?xf32> -> tile<64xf32>
  store %a, %Y[0] : tile<64xf32>, tensor<64xf32>
  return
}
tile_sugar.kernel @multiple(%X: tensor<?xf32> {multiple = [2]}, %Y: tensor<64xf32>) {
  %a = load %X[0] : tensor<?xf32> -> tile<64xf32>
  store %a, %Y[0] : tile<64xf32>, tensor<64xf32>
  return
}

// -----

// Rows of an unknown length start anywhere.

// CHECK-LABEL: entry @rows
// CHECK:         assume div_by<4>, %{{.*}} : tile<ptr<f32>>
// CHECK:         assume div_by<4>, %{{.*}} : tile<ptr<f32>>
// REMARK: remark: narrow: rows are not known to start at multiples of 4 elements
tile_sugar.kernel @rows(%X: tensor<?x?xf32>, %Y: tensor<4x64xf32>) {
  %a = load %X[0, 0] full : tensor<?x?xf32> -> tile<4x64xf32>
  store %a, %Y[0, 0] : tile<4x64xf32>, tensor<4x64xf32>
  return
}
