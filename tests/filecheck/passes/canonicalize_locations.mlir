// RUN: tile-opt %s -p canonicalize --print-debuginfo | filecheck %s
// RUN: tile-opt %s -p fuse-fma --print-debuginfo | filecheck %s --check-prefix FMA

// What replaces an operation stands where it stood; what replaces several stands at all of them.

// CHECK: assume bounded<0, 9>, %arg0 : tile<i32> loc(#[[FUSED:loc[0-9]+]])
// CHECK: negi %assume : tile<i32> loc(#[[SUB:loc[0-9]+]])
// CHECK: #[[SUB]] = loc("k.py":5:1)
// CHECK: #[[FUSED]] = loc(fused[#{{.*}}, #{{.*}}])

// FMA: fma %arg1, %arg1, %arg1  : tile<f32> loc(#[[FUSED:loc[0-9]+]])
// FMA-DAG: #[[MUL:loc[0-9]+]] = loc("k.py":6:1)
// FMA-DAG: #[[ADD:loc[0-9]+]] = loc("k.py":7:1)
// FMA: #[[FUSED]] = loc(fused[#[[ADD]], #[[MUL]]])
cuda_tile.module @m {
  entry @k(%n: tile<i32>, %x: tile<f32>) {
    %a = assume bounded<0, ?>, %n : tile<i32> loc("k.py":2:1)
    %b = assume bounded<?, 9>, %a : tile<i32> loc("k.py":3:1)
    %z = constant <i32: 0> : tile<i32> loc("k.py":4:1)
    %c = subi %z, %b : tile<i32> loc("k.py":5:1)
    %d = mulf %x, %x : tile<f32> loc("k.py":6:1)
    %e = addf %d, %x : tile<f32> loc("k.py":7:1)
    %t = print_tko "%i %f", %c, %e : tile<i32>, tile<f32> -> token loc("k.py":8:1)
    return
  }
}
