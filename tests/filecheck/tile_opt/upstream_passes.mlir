// xDSL's own passes know the traits of our operations: what is pure and unused goes, equal pure
// operations become one, what has effects stays.
// RUN: tile-opt %s -p cse,dce | filecheck %s

// CHECK: entry @k(%arg0: tile<f32>, %arg1: tile<ptr<f32>>) {
// CHECK-NEXT: %0 = negf %arg0 : tile<f32>
// CHECK-NEXT: %1 = addf %0, %0  : tile<f32>
// CHECK-NEXT: %2 = store_ptr_tko weak %arg1, %1
// CHECK-NEXT: return
entry @k(%x: tile<f32>, %p: tile<ptr<f32>>) {
  %a = negf %x : tile<f32>
  %b = negf %x : tile<f32>
  %unused = absf %x : tile<f32>
  %s = addf %a, %b : tile<f32>
  %t = store_ptr_tko weak %p, %s : tile<ptr<f32>>, tile<f32> -> token
}
