// What the assembler says of operations stands at their lines, when it runs.
// REQUIRES: tileiras
// RUN: tile-opt %s -p 'tile-sugar-to-cuda-tile{access=view}' -t cubin --gpu-name sm_90 --remarks=tileiras -o %t 2>&1 | filecheck %s
// RUN: tile-opt %s -p 'tile-sugar-to-cuda-tile{access=view}' -t cubin --gpu-name sm_90 --remarks=all --remark-format=yaml -o %t 2>&1 | filecheck %s --check-prefix ALL
// RUN: not tile-opt %s -p cse --remarks=tileiras 2>&1 | filecheck %s --check-prefix TEXT

// CHECK: assembler_remarks.mlir:[[# @LINE + 7]]:8: remark: Load instruction selected: Instruction = Global-memory load instruction
// CHECK: assembler_remarks.mlir:[[# @LINE + 8]]:8: remark: MMA operation failed to optimize to use Tensor Cores{{.*}}: Instruction = FMA
// ALL: Pass: infer-promises
// ALL: --- !Failure
// ALL-NEXT: Pass: tileiras
// ALL-NEXT: Name: RemarkTensorCoreMMA
tile_sugar.kernel @product(%A: tensor<8x64xf32> {readonly}, %B: tensor<64x64xf32> {readonly}, %C: tensor<8x64xf32> {writeonly}) grid(1) {
  %a = load %A[0, 0] : tensor<8x64xf32> -> tile<8x64xf32>
  %b = load %B[0, 0] : tensor<64x64xf32> -> tile<64x64xf32>
  %p = dot %a, %b : tile<8x64xf32>, tile<64x64xf32>
  store %p, %C[0, 0] : tile<8x64xf32>, tensor<8x64xf32>
  return
}

// TEXT: error: --remarks=tileiras needs -t cubin
