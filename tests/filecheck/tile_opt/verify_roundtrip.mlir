// RUN: tile-opt %s --verify-roundtrip | filecheck %s
// CHECK: entry @k(
entry @k(%x: tile<f32>) {
  %y = negf %x {a = [1, "b"]} : tile<f32>
}
