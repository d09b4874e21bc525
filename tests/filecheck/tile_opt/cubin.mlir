// REQUIRES: tileiras
// RUN: tile-opt %s -t cubin --gpu-name sm_100 -o %t && head -c 4 %t | filecheck %s
// RUN: not tile-opt %s -t cubin --gpu-name sm_1 -o %t.other 2>&1 | filecheck %s --check-prefix=GPU
// RUN: not cat %t.other

// CHECK: ELF
// GPU: cubin.mlir: error: unknown GPU 'sm_1'
entry @k(%p: tile<ptr<f32>>, %x: tile<f32>) {
  %t = store_ptr_tko weak %p, %x : tile<ptr<f32>>, tile<f32> -> token
}
