// RUN: tile-opt %s -p choose-hints --split-input-file | filecheck %s
// RUN: tile-opt %s -p 'choose-hints{target=sm_100}' --split-input-file | filecheck %s --check-prefix SM100
// RUN: tile-opt %s -p 'choose-hints{target=sm_80}' --split-input-file | filecheck %s --check-prefix SM80
// RUN: tile-opt %s -p 'choose-hints{target=sm_90,sm_100}' --split-input-file | filecheck %s --check-prefix BOTH
// RUN: tile-opt %s -p choose-hints --split-input-file --remarks=choose-hints -o %t 2>&1 | filecheck %s --check-prefix REMARK

// An accumulator for eight warps, but for tensor memory, and where two blocks of four warps fit.

// CHECK: entry @large({{.*}}) optimization_hints=<sm_90 = {num_worker_warps_per_cta = 8}>
// SM100: entry @large({{[^)]*}}) {
// BOTH: entry @large({{.*}}) optimization_hints=<sm_90 = {num_worker_warps_per_cta = 8}>
// CHECK: entry @small({{[^)]*}}) {
// CHECK: entry @two({{.*}}) optimization_hints=<sm_90 = {num_worker_warps_per_cta = 8}>
// SM80: entry @large({{.*}}) optimization_hints=<sm_80 = {num_worker_warps_per_cta = 8}>
// SM80: entry @two({{[^)]*}}) {
// SM100: entry @two({{.*}}) optimization_hints=<sm_100 = {num_worker_warps_per_cta = 8}>
// REMARK: remark: 8 warps: products of 32768 elements do not fit the registers of 4
// REMARK: remark: 8 warps: products of 24576 elements do not fit the registers of 4
cuda_tile.module @m {
  entry @large(%p: tile<ptr<f16>>) {
    %a = constant <f16: 1.0> : tile<128x16xf16>
    %b = constant <f16: 1.0> : tile<16x256xf16>
    %c = constant <f32: 0.0> : tile<128x256xf32>
    %d = mmaf %a, %b, %c : tile<128x16xf16>, tile<16x256xf16>, tile<128x256xf32>
    return
  }
  entry @small(%p: tile<ptr<f16>>) {
    %a = constant <f16: 1.0> : tile<128x16xf16>
    %b = constant <f16: 1.0> : tile<16x128xf16>
    %c = constant <f32: 0.0> : tile<128x128xf32>
    %d = mmaf %a, %b, %c : tile<128x16xf16>, tile<16x128xf16>, tile<128x128xf32>
    return
  }
  entry @two(%p: tile<ptr<f16>>) {
    %a = constant <f16: 1.0> : tile<128x64xf16>
    %b = constant <f16: 1.0> : tile<64x128xf16>
    %c = constant <f32: 0.0> : tile<128x128xf32>
    %d = mmaf %a, %b, %c : tile<128x64xf16>, tile<64x128xf16>, tile<128x128xf32>
    %e = ftof %d : tile<128x128xf32> -> tile<128x128xf16>
    %f = constant <f16: 1.0> : tile<128x64xf16>
    %g = constant <f32: 0.0> : tile<128x64xf32>
    %h = mmaf %e, %f, %g : tile<128x128xf16>, tile<128x64xf16>, tile<128x64xf32>
    return
  }
}

// -----

// A loop that goes on where another ended holds the same accumulator; what is in a loop and around
// it is held at once.

// CHECK: entry @one_after_the_other({{[^)]*}}) {
// CHECK: entry @nested({{.*}}) optimization_hints=<sm_90 = {num_worker_warps_per_cta = 8}>
// REMARK: remark: 8 warps: products of 32768 elements do not fit the registers of 4
cuda_tile.module @m {
  entry @one_after_the_other(%n: tile<i32>) {
    %a = constant <f16: 1.0> : tile<128x16xf16>
    %b = constant <f16: 1.0> : tile<16x128xf16>
    %c = constant <f32: 0.0> : tile<128x128xf32>
    %0 = constant <i32: 0> : tile<i32>
    %1 = constant <i32: 1> : tile<i32>
    %d = for %i in (%0 to %n, step %1) : tile<i32> iter_values(%v = %c) -> (tile<128x128xf32>) {
      %s = mmaf %a, %b, %v : tile<128x16xf16>, tile<16x128xf16>, tile<128x128xf32>
      continue %s : tile<128x128xf32>
    }
    %e = for %i in (%0 to %n, step %1) : tile<i32> iter_values(%v = %d) -> (tile<128x128xf32>) {
      %s = mmaf %a, %b, %v : tile<128x16xf16>, tile<16x128xf16>, tile<128x128xf32>
      continue %s : tile<128x128xf32>
    }
    %f = mmaf %a, %b, %e : tile<128x16xf16>, tile<16x128xf16>, tile<128x128xf32>
    return
  }
  entry @nested(%n: tile<i32>) {
    %a = constant <f16: 1.0> : tile<128x16xf16>
    %b = constant <f16: 1.0> : tile<16x128xf16>
    %c = constant <f32: 0.0> : tile<128x128xf32>
    %0 = constant <i32: 0> : tile<i32>
    %1 = constant <i32: 1> : tile<i32>
    %d = for %i in (%0 to %n, step %1) : tile<i32> iter_values(%v = %c) -> (tile<128x128xf32>) {
      %s = mmaf %a, %b, %v : tile<128x16xf16>, tile<16x128xf16>, tile<128x128xf32>
      %e = for %j in (%0 to %n, step %1) : tile<i32> iter_values(%w = %s) -> (tile<128x128xf32>) {
        %t = mmaf %a, %b, %w : tile<128x16xf16>, tile<16x128xf16>, tile<128x128xf32>
        continue %t : tile<128x128xf32>
      }
      continue %e : tile<128x128xf32>
    }
    return
  }
}

// -----

// One row: as many warps as it needs; several rows, short ones and stated hints stay.

// CHECK: entry @row({{.*}}) optimization_hints=<sm_90 = {num_worker_warps_per_cta = 1}>
// CHECK: entry @long({{.*}}) optimization_hints=<sm_90 = {num_worker_warps_per_cta = 32, occupancy = 2}>
// CHECK: entry @rows({{[^)]*}}) {
// CHECK: entry @stated({{.*}}) optimization_hints=<sm_90 = {num_worker_warps_per_cta = 2}>
// CHECK: entry @stated_for_all({{.*}}) optimization_hints=<default = {num_worker_warps_per_cta = 2}>
// SM100: entry @stated({{.*}}) optimization_hints=<sm_100 = {num_worker_warps_per_cta = 1}, sm_90 = {num_worker_warps_per_cta = 2}>
// SM100: entry @stated_for_all({{.*}}) optimization_hints=<default = {num_worker_warps_per_cta = 2}>
// BOTH: entry @row({{.*}}) optimization_hints=<sm_100 = {num_worker_warps_per_cta = 1}, sm_90 = {num_worker_warps_per_cta = 1}>
// REMARK: remark: 1 warp for a row of 1024 columns
cuda_tile.module @m {
  entry @row(%p: tile<ptr<f32>>) {
    %a = constant <f32: 1.0> : tile<1x1024xf32>
    %s = reduce %a dim=1 identities=[-0.0 : f32] : tile<1x1024xf32> -> tile<1xf32> (%l: tile<f32>, %r: tile<f32>) {
      %t = addf %l, %r : tile<f32>
      yield %t : tile<f32>
    }
    return
  }
  entry @long(%p: tile<ptr<f32>>) optimization_hints=<sm_90 = {occupancy = 2}> {
    %a = constant <f32: 1.0> : tile<1x32768xf32>
    %s = reduce %a dim=1 identities=[-0.0 : f32] : tile<1x32768xf32> -> tile<1xf32> (%l: tile<f32>, %r: tile<f32>) {
      %t = addf %l, %r : tile<f32>
      yield %t : tile<f32>
    }
    return
  }
  entry @rows(%p: tile<ptr<f32>>) {
    %a = constant <f32: 1.0> : tile<2x1024xf32>
    %s = reduce %a dim=1 identities=[-0.0 : f32] : tile<2x1024xf32> -> tile<2xf32> (%l: tile<f32>, %r: tile<f32>) {
      %t = addf %l, %r : tile<f32>
      yield %t : tile<f32>
    }
    return
  }
  entry @stated(%p: tile<ptr<f32>>) optimization_hints=<sm_90 = {num_worker_warps_per_cta = 2}> {
    %a = constant <f32: 1.0> : tile<1x1024xf32>
    %s = reduce %a dim=1 identities=[-0.0 : f32] : tile<1x1024xf32> -> tile<1xf32> (%l: tile<f32>, %r: tile<f32>) {
      %t = addf %l, %r : tile<f32>
      yield %t : tile<f32>
    }
    return
  }
  entry @stated_for_all(%p: tile<ptr<f32>>) optimization_hints=<default = {num_worker_warps_per_cta = 2}> {
    %a = constant <f32: 1.0> : tile<1x1024xf32>
    %s = reduce %a dim=1 identities=[-0.0 : f32] : tile<1x1024xf32> -> tile<1xf32> (%l: tile<f32>, %r: tile<f32>) {
      %t = addf %l, %r : tile<f32>
      yield %t : tile<f32>
    }
    return
  }
}

// -----

// Products behind a loop have operands of their own in shared memory, which leaves none for a
// second block.

// SM80: entry @peeled({{.*}}) optimization_hints=<sm_80 = {num_worker_warps_per_cta = 8}>
cuda_tile.module @m {
  entry @peeled(%n: tile<i32>) {
    %a = constant <f16: 1.0> : tile<128x16xf16>
    %b = constant <f16: 1.0> : tile<16x128xf16>
    %c = constant <f32: 0.0> : tile<128x128xf32>
    %d = constant <f16: 1.0> : tile<16x64xf16>
    %e = constant <f32: 0.0> : tile<128x64xf32>
    %0 = constant <i32: 0> : tile<i32>
    %1 = constant <i32: 1> : tile<i32>
    %f = for %i in (%0 to %n, step %1) : tile<i32> iter_values(%v = %c) -> (tile<128x128xf32>) {
      %s = mmaf %a, %b, %v : tile<128x16xf16>, tile<16x128xf16>, tile<128x128xf32>
      %t = mmaf %a, %d, %e : tile<128x16xf16>, tile<16x64xf16>, tile<128x64xf32>
      continue %s : tile<128x128xf32>
    }
    %s = mmaf %a, %b, %f : tile<128x16xf16>, tile<16x128xf16>, tile<128x128xf32>
    return
  }
}
