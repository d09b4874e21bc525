// RUN: tile-opt %s --nvidia-text | filecheck %s --strict-whitespace

// CHECK-LABEL: {{^}}entry @k(%arg0: tile<f32> {cuda_tile.x = 5 : i32}) optimization_hints=<sm_100 = {occupancy = 2}> {
// CHECK-NEXT: {{^}}  %0 = addf %arg0, %arg0  flush_to_zero : tile<f32>
// CHECK-NEXT: {{^}}  return
// CHECK-NEXT: {{^}}}
entry @k(%x: tile<f32> {cuda_tile.x = 5 : i32}) optimization_hints=<sm_100 = {occupancy = 2}> {
  %y = addf %x, %x flush_to_zero : tile<f32>
}
