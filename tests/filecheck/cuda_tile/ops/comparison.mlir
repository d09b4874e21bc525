// Comparisons and select.
// RUN: tile-opt %s | filecheck %s --strict-whitespace
// RUN: tile-opt %s --print-op-generic | filecheck %s --check-prefix=GENERIC
// RUN: tile-opt %s -t tileirbc -o %t && tile-opt %t --bare | filecheck %s --strict-whitespace

// CHECK-LABEL: entry @cmpf(
// CHECK: cmpf less_than ordered %arg0, %arg1 : tile<f32> -> tile<i1>
// CHECK: cmpf not_equal unordered %arg0, %arg1 : tile<f32> -> tile<i1>
// GENERIC-LABEL: sym_name = "cmpf"
// GENERIC: <{comparison_ordering = #cuda_tile.comparison_ordering<ordered>, comparison_predicate = #cuda_tile.comparison_predicate<less_than>}>
entry @cmpf(%x: tile<f32>, %y: tile<f32>) {
  %0 = cmpf less_than ordered %x, %y : tile<f32> -> tile<i1>
  %1 = cmpf not_equal unordered %x, %y : tile<f32> -> tile<i1>
}

// CHECK-LABEL: entry @cmpi(
// CHECK: cmpi greater_than_or_equal %arg0, %arg1, signed : tile<i32> -> tile<i1>
// CHECK: cmpi equal %arg0, %arg1, unsigned : tile<i32> -> tile<i1>
entry @cmpi(%x: tile<i32>, %y: tile<i32>) {
  %0 = cmpi greater_than_or_equal %x, %y, signed : tile<i32> -> tile<i1>
  %1 = cmpi equal %x, %y, unsigned : tile<i32> -> tile<i1>
}

// CHECK-LABEL: entry @select(
// CHECK: select %arg0, %arg1, %arg2 : tile<i1>, tile<f32>
entry @select(%c: tile<i1>, %x: tile<f32>, %y: tile<f32>) {
  %r = select %c, %x, %y : tile<i1>, tile<f32>
}

// CHECK-LABEL: entry @select_pointers(
// CHECK: select %arg0, %arg1, %arg1 : tile<i1>, tile<ptr<i8>>
entry @select_pointers(%c: tile<i1>, %p: tile<ptr<i8>>) {
  %r = select %c, %p, %p : tile<i1>, tile<ptr<i8>>
}
