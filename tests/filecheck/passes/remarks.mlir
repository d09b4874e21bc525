// Remarks by topic: the passes that speak of it, and no others.
// RUN: tile-opt %s -p tile-sugar-to-cuda-tile --remarks=math -o %t 2>&1 | filecheck %s --check-prefix MATH
// RUN: tile-opt %s -p tile-sugar-to-cuda-tile --remarks=views -o %t 2>&1 | filecheck %s --check-prefix VIEWS
// RUN: not tile-opt %s -p cse --remarks=maths 2>&1 | filecheck %s --check-prefix UNKNOWN
// RUN: not tile-opt %s -p cse --print-ir-before=dce 2>&1 | filecheck %s --check-prefix BEFORE

// MATH: remarks.mlir:[[# @LINE + 6]]:8: remark: exp of a softmax is exp2 of one fma: licensed by afn, contract
// MATH-NOT: provable
// VIEWS-NOT: licensed
// VIEWS: remarks.mlir:[[# @LINE + 2]]:8: remark: 'full' not provable
tile_sugar.kernel @k(%X: tensor<?x128xf32>) grid(ceildiv(dim %X 0, 8)) {
  %x = load %X[0, 0] : tensor<?x128xf32> -> tile<8x128xf32>
  %p = softmax %x : tile<8x128xf32>
  store %p, %X[0, 0] : tile<8x128xf32>, tensor<?x128xf32>
  return
}

// UNKNOWN: error: --remarks: no pass 'maths' runs; known are all, cse, fusion, loops, math, views
// BEFORE: error: --print-ir-before: no pass 'dce' runs; known are cse
