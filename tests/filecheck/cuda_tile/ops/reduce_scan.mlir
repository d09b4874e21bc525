// Folds along a dimension. NVIDIA's text ends their first line with a space, and the arguments of
// the body start the next line where the operation starts.
// RUN: tile-opt %s | filecheck %s --strict-whitespace
// RUN: tile-opt %s --print-op-generic | filecheck %s --check-prefix=GENERIC
// RUN: tile-opt %s -t tileirbc -o %t && tile-opt %t --bare | filecheck %s --strict-whitespace

// CHECK-LABEL: entry @reduce(
// CHECK: {{^}}  %reduce = reduce %cst_0_f32 dim=0 identities=[0.000000e+00 : f32] : tile<8x4xf32> -> tile<4xf32> {{$}}
// CHECK-NEXT: {{^}}  (%reduce_lhs: tile<f32>, %reduce_rhs: tile<f32>) {
// CHECK-NEXT: {{^}}    %0 = addf %reduce_lhs, %reduce_rhs  : tile<f32>
// CHECK-NEXT: {{^}}    yield %0 : tile<f32>
// CHECK-NEXT: {{^}}  }
// GENERIC-LABEL: sym_name = "reduce"
// GENERIC: "cuda_tile.reduce"(%{{.*}}) <{dim = 0 : i32, identities = [0.000000e+00 : f32]}> ({
// GENERIC-NEXT: ^bb0(%{{.*}}: !cuda_tile.tile<f32>, %{{.*}}: !cuda_tile.tile<f32>):
entry @reduce() {
  %x = constant <f32: 0.0> : tile<8x4xf32>
  %r = reduce %x dim=0 identities=[0.000000e+00 : f32] : tile<8x4xf32> -> tile<4xf32>
  (%acc: tile<f32>, %elem: tile<f32>) {
    %s = addf %acc, %elem : tile<f32>
    yield %s : tile<f32>
  }
}

// An argmax: two operands share the body, whose arguments come in pairs.
// CHECK-LABEL: entry @reduce_two(
// CHECK: %reduce:2 = reduce %{{.*}}, %{{.*}} dim=1 identities=[0xFF800000 : f32, -1 : i32] : tile<8x4xf32>, tile<8x4xi32> -> tile<8xf32>, tile<8xi32> {{$}}
// CHECK-NEXT: (%reduce_lhs0: tile<f32>, %reduce_rhs0: tile<f32>, %reduce_lhs1: tile<i32>, %reduce_rhs1: tile<i32>) {
// CHECK: yield %{{.*}}, %{{.*}} : tile<f32>, tile<i32>
// CHECK: bitcast %reduce#1 : tile<8xi32> -> tile<8xf32>
entry @reduce_two() {
  %x = constant <f32: 0.0> : tile<8x4xf32>
  %i = constant <i32: 0> : tile<8x4xi32>
  %r:2 = reduce %x, %i dim=1 identities=[0xFF800000 : f32, -1 : i32] : tile<8x4xf32>, tile<8x4xi32> -> tile<8xf32>, tile<8xi32>
  (%a: tile<f32>, %b: tile<f32>, %j: tile<i32>, %k: tile<i32>) {
    %c = cmpf greater_than ordered %a, %b : tile<f32> -> tile<i1>
    %m = select %c, %a, %b : tile<i1>, tile<f32>
    %n = select %c, %j, %k : tile<i1>, tile<i32>
    yield %m, %n : tile<f32>, tile<i32>
  }
  %z = bitcast %r#1 : tile<8xi32> -> tile<8xf32>
}

// Identities of type i64, and decimal ones of f64, stand without their type.
// CHECK-LABEL: entry @reduce_identities(
// CHECK: identities=[-5, 1.000000e+00, true] :
entry @reduce_identities() {
  %x = constant <i64: 0> : tile<4xi64>
  %y = constant <f64: 0.0> : tile<4xf64>
  %z = constant <i1: true> : tile<4xi1>
  %r:3 = reduce %x, %y, %z dim=0 identities=[-5 : i64, 1.0 : f64, true] : tile<4xi64>, tile<4xf64>, tile<4xi1> -> tile<i64>, tile<f64>, tile<i1>
  (%a: tile<i64>, %b: tile<i64>, %c: tile<f64>, %d: tile<f64>, %e: tile<i1>, %f: tile<i1>) {
    yield %a, %c, %e : tile<i64>, tile<f64>, tile<i1>
  }
}

// CHECK-LABEL: entry @scan(
// CHECK: %0 = scan %cst_1_i32 dim=0 reverse=true identities=[0 : i32] : tile<8xi32> -> tile<8xi32> {{$}}
// CHECK-NEXT: (%arg0: tile<i32>, %arg1: tile<i32>) {
// CHECK-NEXT: %2 = addi %arg0, %arg1 : tile<i32>
// CHECK: %1 = scan %0 dim=0 reverse=false
// GENERIC-LABEL: sym_name = "scan"
// GENERIC: "cuda_tile.scan"(%{{.*}}) <{dim = 0 : i32, identities = [0 : i32], reverse = true}>
entry @scan() {
  %x = constant <i32: 1> : tile<8xi32>
  %0 = scan %x dim=0 reverse=true identities=[0 : i32] : tile<8xi32> -> tile<8xi32>
  (%a: tile<i32>, %b: tile<i32>) {
    %s = addi %a, %b : tile<i32>
    yield %s : tile<i32>
  }
  %1 = scan %0 dim=0 reverse=false identities=[0 : i32] : tile<8xi32> -> tile<8xi32>
  (%a: tile<i32>, %b: tile<i32>) {
    yield %a : tile<i32>
  }
}
