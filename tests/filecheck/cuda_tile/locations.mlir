// Locations in all forms. Without --print-debuginfo none prints.
// RUN: tile-opt %s --print-debuginfo | filecheck %s
// RUN: tile-opt %s --print-debuginfo -o %t && tile-opt %t --print-debuginfo | filecheck %s
// RUN: tile-opt %s --print-debuginfo --print-op-generic -o %t && tile-opt %t --bare --print-debuginfo | filecheck %s
// RUN: tile-opt %s | filecheck %s --check-prefix=NONE

// NONE-NOT: loc
// NONE-NOT: #
#file = #cuda_tile.di_file<"a.py" in "/src">
#unit = #cuda_tile.di_compile_unit<file = #file>
#sub = #cuda_tile.di_subprogram<file = #file, line = 10, name = "kern", linkageName = "k", compileUnit = #unit, scopeLine = 11>
#block = #cuda_tile.di_lexical_block<scope = #sub, file = #file, line = 12, column = 5>

// CHECK-LABEL: entry @k(
entry @k(%x: tile<f32>) {
  // CHECK: %0 = negf %arg0 : tile<f32> loc([[UNKNOWN:#loc[0-9]*]])
  %0 = negf %x : tile<f32> loc(unknown)
  // CHECK: %1 = negf %arg0 : tile<f32> loc([[FILE:#loc[0-9]*]])
  %1 = negf %x : tile<f32> loc("b.py":3:7)
  // CHECK: %2 = negf %arg0 : tile<f32> loc([[NAME:#loc[0-9]*]])
  %2 = negf %x : tile<f32> loc("stage one")
  // CHECK: %3 = negf %arg0 : tile<f32> loc([[NAMED:#loc[0-9]*]])
  %3 = negf %x : tile<f32> loc("stage two"("b.py":3:7))
  // CHECK: %4 = negf %arg0 : tile<f32> loc([[CALL:#loc[0-9]*]])
  %4 = negf %x : tile<f32> loc(callsite("b.py":3:7 at "b.py":20:1))
  // CHECK: %5 = negf %arg0 : tile<f32> loc([[FUSED:#loc[0-9]*]])
  %5 = negf %x : tile<f32> loc(fused["b.py":3:7, "b.py":20:1])
  // CHECK: %6 = negf %arg0 : tile<f32> loc([[TAGGED:#loc[0-9]*]])
  %6 = negf %x : tile<f32> loc(fused<"tag">["b.py":3:7])
  // CHECK: %7 = negf %arg0 : tile<f32> loc([[SCOPED:#loc[0-9]*]])
  %7 = negf %x : tile<f32> loc(#cuda_tile.di_loc<loc("a.py":13:9) in #block>)
  // CHECK: return loc([[UNKNOWN]])
  return loc(unknown)
  // CHECK-NEXT: } loc([[ENTRY:#loc[0-9]*]])
} loc(#cuda_tile.di_loc<loc("a.py":10:1) in #sub>)

// Aliases stand behind a module's body, what others use before those.
// CHECK: #di_file = #cuda_tile.di_file<"a.py" in "/src">
// CHECK-DAG: [[UNKNOWN]] = loc(unknown)
// CHECK-DAG: [[FILE]] = loc("b.py":3:7)
// CHECK-DAG: [[NAME]] = loc("stage one")
// CHECK-DAG: [[CALLER:#loc[0-9]*]] = loc("b.py":20:1)
// CHECK-DAG: [[LINE:#loc[0-9]*]] = loc("a.py":13:9)
// CHECK-DAG: #di_compile_unit = #cuda_tile.di_compile_unit<file = #di_file>
// CHECK-DAG: [[NAMED]] = loc("stage two"([[FILE]]))
// CHECK-DAG: [[CALL]] = loc(callsite([[FILE]] at [[CALLER]]))
// CHECK-DAG: [[FUSED]] = loc(fused{{\[}}[[FILE]], [[CALLER]]])
// CHECK-DAG: [[TAGGED]] = loc(fused<"tag">{{\[}}[[FILE]]])
// CHECK-DAG: #di_subprogram = #cuda_tile.di_subprogram<file = #di_file, line = 10, name = "kern", linkageName = "k", compileUnit = #di_compile_unit, scopeLine = 11>
// CHECK-DAG: #di_lexical_block = #cuda_tile.di_lexical_block<scope = #di_subprogram, file = #di_file, line = 12, column = 5>
// CHECK-DAG: [[ENTRY]] = #cuda_tile.di_loc<#loc{{[0-9]*}} in #di_subprogram>
// CHECK-DAG: [[SCOPED]] = #cuda_tile.di_loc<[[LINE]] in #di_lexical_block>
