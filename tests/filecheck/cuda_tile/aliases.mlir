// Aliases are read before and after their use, and also inside of one another.
// RUN: tile-opt %s --print-debuginfo | filecheck %s
// RUN: tile-opt %s --print-debuginfo | tile-opt - --print-debuginfo | filecheck %s
#early = loc("a.py":1:2)
#late_user = #cuda_tile.di_loc<#early in #scope>

// CHECK-LABEL: entry @k(
entry @k(%x: tile<f32>) {
  // CHECK: negf {{.*}} loc(#loc[[EARLY:[0-9]*]])
  %0 = negf %x : tile<f32> loc(#early)
  // CHECK: absf {{.*}} loc(#loc[[LATE:[0-9]*]])
  %1 = absf %x : tile<f32> loc(#late)
  // CHECK: ceil {{.*}} loc(#loc[[SCOPED:[0-9]*]])
  %2 = ceil %x : tile<f32> loc(#late_user)
  // CHECK: floor {{.*}} loc(#loc[[CALL:[0-9]*]])
  %3 = floor %x : tile<f32> loc(#call)
  return loc(#late)
} loc(#late_user)

// Numbers follow the depth of definitions, not the order of use.
// CHECK: #di_file = #cuda_tile.di_file<"a.py" in "/">
// CHECK-NEXT: #loc[[EARLY]] = loc("a.py":1:2)
// CHECK-NEXT: #loc[[LATE]] = loc("b.py":3:4)
// CHECK-NEXT: #di_compile_unit = #cuda_tile.di_compile_unit<file = #di_file>
// CHECK-NEXT: #di_subprogram = #cuda_tile.di_subprogram<file = #di_file, line = 1, name = "k", linkageName = "k", compileUnit = #di_compile_unit>
// CHECK-NEXT: #loc[[SCOPED]] = #cuda_tile.di_loc<#loc[[EARLY]] in #di_subprogram>
// CHECK-NEXT: #loc[[CALL]] = loc(callsite(#loc[[SCOPED]] at #loc[[SCOPED]]))
#call = loc(callsite(#late_user at #late_user))
#scope = #cuda_tile.di_subprogram<file = #file, line = 1, name = "k", linkageName = "k", compileUnit = #unit>
#unit = #cuda_tile.di_compile_unit<file = #file>
#file = #cuda_tile.di_file<"a.py" in "/">
#late = loc("b.py":3:4)
