// Operations without a location are where they stand in the file; terminators that text leaves
// out are nowhere, and block arguments have no location in NVIDIA's form.
// RUN: tile-opt %s --print-debuginfo | filecheck %s
entry @k(%c: tile<i1>) {
  if %c {
  }
  %t =
    make_token : token
}
// CHECK: entry @k(%arg0: tile<i1>) {
// CHECK-NEXT: if %arg0 {
// CHECK-NEXT: } loc([[IF:#loc[0-9]*]])
// CHECK-NEXT: %0 = make_token : token loc([[TOKEN:#loc[0-9]*]])
// CHECK-NEXT: return loc([[UNKNOWN:#loc[0-9]*]])
// CHECK-NEXT: } loc([[ENTRY:#loc[0-9]*]])
// CHECK-DAG: [[IF]] = loc("{{.*}}implicit_locations.mlir":5:3)
// CHECK-DAG: [[TOKEN]] = loc("{{.*}}implicit_locations.mlir":8:5)
// CHECK-DAG: [[UNKNOWN]] = loc(unknown)
// CHECK-DAG: [[ENTRY]] = loc("{{.*}}implicit_locations.mlir":4:1)
