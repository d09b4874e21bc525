// Operations on shapes: the elements stay, their places change.
// RUN: tile-opt %s | filecheck %s --strict-whitespace
// RUN: tile-opt %s --print-op-generic | filecheck %s --check-prefix=GENERIC
// RUN: tile-opt %s -t tileirbc --bytecode-version 13.4 -o %t && tile-opt %t --bare | filecheck %s --strict-whitespace

// CHECK-LABEL: entry @reshape(
// CHECK: %reshape = reshape %arg0 : tile<f32> -> tile<1x1xf32>
// CHECK: %reshape_0 = reshape %reshape : tile<1x1xf32> -> tile<1xf32>
entry @reshape(%x: tile<f32>) {
  %0 = reshape %x : tile<f32> -> tile<1x1xf32>
  %1 = reshape %0 : tile<1x1xf32> -> tile<1xf32>
}

// CHECK-LABEL: entry @broadcast(
// CHECK: %bcast = broadcast %reshape : tile<1x1xf32> -> tile<8x4xf32>
entry @broadcast(%x: tile<f32>) {
  %0 = reshape %x : tile<f32> -> tile<1x1xf32>
  %1 = broadcast %0 : tile<1x1xf32> -> tile<8x4xf32>
}

// CHECK-LABEL: entry @iota(
// CHECK: %0 = iota : tile<8xi16>
entry @iota() {
  %0 = iota : tile<8xi16>
}

// CHECK-LABEL: entry @cat(
// CHECK: cat %{{.*}}, %{{.*}} dim = 1 : tile<2x4xi32>, tile<2x4xi32> -> tile<2x8xi32>
// GENERIC-LABEL: sym_name = "cat"
// GENERIC: "cuda_tile.cat"{{.*}} <{dim = 1 : i64}>
entry @cat() {
  %0 = constant <i32: 0> : tile<2x4xi32>
  %1 = cat %0, %0 dim = 1 : tile<2x4xi32>, tile<2x4xi32> -> tile<2x8xi32>
}

// CHECK-LABEL: entry @permute(
// CHECK: permute %{{.*}} [2, 0, 1] : tile<2x4x8xi32> -> tile<8x2x4xi32>
// GENERIC-LABEL: sym_name = "permute"
// GENERIC: "cuda_tile.permute"{{.*}} <{permutation = array<i32: 2, 0, 1>}>
entry @permute() {
  %0 = constant <i32: 0> : tile<2x4x8xi32>
  %1 = permute %0 [2, 0, 1] : tile<2x4x8xi32> -> tile<8x2x4xi32>
}

// CHECK-LABEL: entry @extract(
// CHECK: extract %{{.*}}[%arg0, %arg1] : tile<4x8xi32> -> tile<2x4xi32>
entry @extract(%i: tile<i32>, %j: tile<i32>) {
  %0 = constant <i32: 0> : tile<4x8xi32>
  %1 = extract %0[%i, %j] : tile<4x8xi32> -> tile<2x4xi32>
}

// CHECK-LABEL: entry @insert(
// CHECK: insert %{{.*}}, %{{.*}}[%arg0, %arg1] : tile<2x4xi32>, tile<4x8xi32>
entry @insert(%i: tile<i32>, %j: tile<i32>) {
  %0 = constant <i32: 0> : tile<4x8xi32>
  %1 = constant <i32: 1> : tile<2x4xi32>
  %2 = insert %1, %0[%i, %j] : tile<2x4xi32>, tile<4x8xi32>
}

// CHECK-LABEL: entry @pack(
// CHECK: pack %{{.*}} : tile<8xf32> -> tile<32xi8>
entry @pack() {
  %0 = constant <f32: 1.0> : tile<8xf32>
  %1 = pack %0 : tile<8xf32> -> tile<32xi8>
}

// CHECK-LABEL: entry @unpack(
// CHECK: unpack %{{.*}} : tile<4xi8> -> tile<8xi4>
// CHECK: unpack %{{.*}} : tile<4xi8> -> tile<8xf4E2M1FN>
entry @unpack() {
  %0 = constant <i8: 1> : tile<4xi8>
  %1 = unpack %0 : tile<4xi8> -> tile<8xi4>
  %2 = unpack %0 : tile<4xi8> -> tile<8xf4E2M1FN>
}
