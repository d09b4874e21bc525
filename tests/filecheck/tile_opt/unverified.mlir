// What has no custom form, because it breaks the rules of its operation, prints generic.
// RUN: tile-opt %s --disable-verify | filecheck %s

// CHECK: "cuda_tile.entry"
// CHECK: "cuda_tile.cmpi"(%0, %0) : (i32, i32) -> i32
"cuda_tile.module"() <{sym_name = "m"}> ({
  "cuda_tile.entry"() <{sym_name = "k", function_type = () -> ()}> ({
    %0 = "cuda_tile.iota"() : () -> i32
    %1 = "cuda_tile.cmpi"(%0, %0) : (i32, i32) -> i32
    "cuda_tile.return"() : () -> ()
  }) : () -> ()
}) : () -> ()
