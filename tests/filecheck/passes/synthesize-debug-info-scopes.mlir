// RUN: tile-opt %s -p synthesize-debug-info-scopes --print-debuginfo | filecheck %s
// RUN: tile-opt %s -p synthesize-debug-info-scopes -t tileirbc -o %t && tile-opt %t --print-debuginfo | filecheck %s

// Plain places become places in a subprogram; what has none is where the entry is.

// CHECK:     addi %arg0, %arg0 : tile<i32> loc(#[[ADD:.*]])
// CHECK:     return loc(#[[ENTRY:.*]])
// CHECK:     } loc(#[[ENTRY]])
// CHECK-DAG: #[[FILE:.*]] = #cuda_tile.di_file<"k.py" in "/src">
// CHECK-DAG: #[[UNIT:.*]] = #cuda_tile.di_compile_unit<file = #[[FILE]]>
// CHECK-DAG: #[[SCOPE:.*]] = #cuda_tile.di_subprogram<file = #[[FILE]], line = 3, name = "k", linkageName = "k", compileUnit = #[[UNIT]], scopeLine = 3>
cuda_tile.module @kernels {
  entry @k(%n: tile<i32>) {
    %a = addi %n, %n : tile<i32> loc("/src/k.py":4:5)
    %t = print_tko "%i", %a : tile<i32> -> token loc("/src/k.py":5:5)
    return loc(unknown)
  } loc("/src/k.py":3:1)
} loc("/src/k.py":1:1)
