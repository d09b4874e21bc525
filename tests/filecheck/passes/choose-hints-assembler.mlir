// Older assemblers take 4 and 8 warps alone: the nearest to the best, and a remark about the best.
// RUN: tile-opt %s -p 'choose-hints{assembler=13.4}' | filecheck %s
// RUN: tile-opt %s -p 'choose-hints{assembler=13.6}' | filecheck %s --check-prefix NEW
// RUN: tile-opt %s -p 'choose-hints{assembler=13.4}' --remarks=all --remark-format=yaml -o %t 2>&1 | filecheck %s --check-prefix REMARK
// RUN: not tile-opt %s -p 'choose-hints{assembler=new}' 2>&1 | filecheck %s --check-prefix INVALID
// RUN: not tile-opt %s -p 'tile-sugar-to-cuda-tile{version=13.4 assembler=13.3}' 2>&1 | filecheck %s --check-prefix READS

// CHECK: entry @short({{[^)]*}}) {
// CHECK: entry @long({{.*}}) optimization_hints=<sm_90 = {num_worker_warps_per_cta = 8}>
// NEW: entry @short({{.*}}) optimization_hints=<sm_90 = {num_worker_warps_per_cta = 1}>
// NEW: entry @long({{.*}}) optimization_hints=<sm_90 = {num_worker_warps_per_cta = 32}>
// REMARK: --- !Missed
// REMARK: String: '4 warps for a row of 1024 columns, where tileiras 13.5 would take 1'
// REMARK: --- !Missed
// REMARK: String: '8 warps for a row of 32768 columns, where tileiras 13.5 would take 32'
// INVALID: error: pass 'choose-hints': 'new' is no release of the assembler, such as 13.5
// READS: error: pass 'tile-sugar-to-cuda-tile': tileiras 13.3 does not read bytecode 13.4
cuda_tile.module @m {
  entry @short(%p: tile<ptr<f32>>) {
    %a = constant <f32: 1.0> : tile<1x1024xf32>
    %s = reduce %a dim=1 identities=[-0.0 : f32] : tile<1x1024xf32> -> tile<1xf32> (%l: tile<f32>, %r: tile<f32>) {
      %t = addf %l, %r : tile<f32>
      yield %t : tile<f32>
    }
    return
  }
  entry @long(%p: tile<ptr<f32>>) {
    %a = constant <f32: 1.0> : tile<1x32768xf32>
    %s = reduce %a dim=1 identities=[-0.0 : f32] : tile<1x32768xf32> -> tile<1xf32> (%l: tile<f32>, %r: tile<f32>) {
      %t = addf %l, %r : tile<f32>
      yield %t : tile<f32>
    }
    return
  }
}
