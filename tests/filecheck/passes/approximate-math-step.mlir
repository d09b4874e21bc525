// RUN: tile-opt %s -p 'expand-library{fastmath=afn,contract}',legalize-elementwise,approximate-math --split-input-file | filecheck %s
// RUN: tile-opt %s -p 'expand-library{fastmath=afn,contract,ftz}',legalize-elementwise,approximate-math --split-input-file | filecheck %s --check-prefix FTZ
// RUN: tile-opt %s -p expand-library,legalize-elementwise,approximate-math --split-input-file | filecheck %s --check-prefix EXACT
// RUN: tile-opt %s -p 'expand-library{fastmath=afn}',legalize-elementwise,approximate-math --split-input-file --remarks=approximate-math -o %t 2>&1 | filecheck %s --check-prefix REMARK

// A step of online softmax: one fma and one exp2 for each score, and its weight is used as it is,
// since as f16 no subnormal number is left of it. Decay and weights start at the same products.

// CHECK-LABEL: kernel @step
// CHECK:         %[[G:.*]] = select
// CHECK:         %[[MAGNITUDE:.*]] = abs %[[G]]
// CHECK:         constant 0x4D300000 : f32
// CHECK:         %[[FAR:.*]] = cmp ge %[[MAGNITUDE]]
// CHECK:         %[[UNIT:.*]] = select %[[FAR]], %{{.*}}, %{{.*}} : tile<4x1xi1>, tile<4x1xf32>
// CHECK:         %[[NEG:.*]] = neg %[[G]]
// CHECK-NEXT:    %[[START:.*]] = fma %[[NEG]], %[[UNIT]], %[[ZERO:.*]] : tile<4x1xf32>
// CHECK:         %[[FACTOR:.*]] = mul %[[UNIT]], %{{.*}} : tile<4x1xf32>
// CHECK:         %[[F:.*]] = broadcast %[[FACTOR]] : tile<4x1xf32> -> tile<4x8xf32>
// CHECK-NEXT:    %[[S:.*]] = broadcast %[[START]] : tile<4x1xf32> -> tile<4x8xf32>
// CHECK-NEXT:    %[[T:.*]] = fma %{{.*}}, %[[F]], %[[S]] : tile<4x8xf32>
// CHECK-NEXT:    %[[P:.*]] = exp2 %[[T]] fastmath<afn, contract, ftz> : tile<4x8xf32>
// CHECK-NEXT:    %[[M:.*]] = neg %{{.*}} : tile<4x1xf32>
// CHECK-NEXT:    %[[BEFORE:.*]] = fma %[[M]], %[[UNIT]], %[[ZERO]] : tile<4x1xf32>
// CHECK-NEXT:    %[[D:.*]] = sub %[[START]], %[[BEFORE]] : tile<4x1xf32>
// CHECK-NEXT:    exp2 %[[D]] fastmath<afn, contract> : tile<4x1xf32>
// CHECK:         rowsum %[[P]]
// CHECK:         cast %[[P]] : tile<4x8xf32> -> tile<4x8xf16>
// EXACT-LABEL: kernel @step
// EXACT-COUNT-2: exp %
// EXACT-NOT:     exp2
// REMARK: remark: exp of scores is exp2 with their scale folded in: licensed by afn
tile_sugar.kernel @step(%S: tensor<4x8xf32>, %V: tensor<8x4xf16>, %M: tensor<4x1xf32>, %L: tensor<4x1xf32>, %A: tensor<4x4xf32>) {
  %s = load %S[0, 0] : tensor<4x8xf32> -> tile<4x8xf32>
  %v = load %V[0, 0] : tensor<8x4xf16> -> tile<8x4xf16>
  %m = load %M[0, 0] : tensor<4x1xf32> -> tile<4x1xf32>
  %l = load %L[0, 0] : tensor<4x1xf32> -> tile<4x1xf32>
  %a = load %A[0, 0] : tensor<4x4xf32> -> tile<4x4xf32>
  %x, %y, %z = online_softmax_step %m, %l, %a, %s, %v scale 0.125 : tile<4x1xf32>, tile<4x1xf32>, tile<4x4xf32>, tile<4x8xf32>, tile<8x4xf16>
  store %y, %L[0, 0] : tile<4x1xf32>, tensor<4x1xf32>
  store %z, %A[0, 0] : tile<4x4xf32>, tensor<4x4xf32>
  return
}

// -----

// bf16 has the subnormal numbers of f32: the power is taken 2**24 higher, unless 'ftz' is given.
// This scale is no power of two.

// CHECK-LABEL: kernel @bf16
// CHECK:         constant 0x4C000000 : f32
// CHECK:         constant 2.400000e+01 : f32
// CHECK:         %[[SHIFT:.*]] = select
// CHECK:         fma %{{.*}}, %{{.*}}, %[[SHIFT]] : tile<4x1xf32>
// CHECK:         %[[POWER:.*]] = exp2 %{{.*}} fastmath<afn, contract, ftz> : tile<4x8xf32>
// CHECK:         constant 5.96046448E-8 : f32
// CHECK:         %[[P:.*]] = mul %[[POWER]], %{{.*}} : tile<4x8xf32>
// CHECK:         rowsum %[[P]]
// CHECK:         cast %[[P]] : tile<4x8xf32> -> tile<4x8xbf16>
// FTZ-LABEL:   kernel @bf16
// FTZ:           %[[P:.*]] = exp2 %{{.*}} fastmath<afn, contract, ftz> : tile<4x8xf32>
// FTZ:           cast %[[P]] : tile<4x8xf32> -> tile<4x8xbf16>
tile_sugar.kernel @bf16(%S: tensor<4x8xf32>, %V: tensor<8x4xbf16>, %M: tensor<4x1xf32>, %L: tensor<4x1xf32>, %A: tensor<4x4xf32>) {
  %s = load %S[0, 0] : tensor<4x8xf32> -> tile<4x8xf32>
  %v = load %V[0, 0] : tensor<8x4xbf16> -> tile<8x4xbf16>
  %m = load %M[0, 0] : tensor<4x1xf32> -> tile<4x1xf32>
  %l = load %L[0, 0] : tensor<4x1xf32> -> tile<4x1xf32>
  %a = load %A[0, 0] : tensor<4x4xf32> -> tile<4x4xf32>
  %x, %y, %z = online_softmax_step %m, %l, %a, %s, %v scale 0.0883883461 : tile<4x1xf32>, tile<4x1xf32>, tile<4x4xf32>, tile<4x8xf32>, tile<8x4xbf16>
  store %y, %L[0, 0] : tile<4x1xf32>, tensor<4x1xf32>
  store %z, %A[0, 0] : tile<4x4xf32>, tensor<4x4xf32>
  return
}

// -----

// A scale so small that its product with log2 e may be subnormal is not folded.

// CHECK-LABEL: kernel @tiny
// CHECK-COUNT-2: exp %
tile_sugar.kernel @tiny(%S: tensor<4x8xf32>, %V: tensor<8x4xf16>, %M: tensor<4x1xf32>, %L: tensor<4x1xf32>, %A: tensor<4x4xf32>) {
  %s = load %S[0, 0] : tensor<4x8xf32> -> tile<4x8xf32>
  %v = load %V[0, 0] : tensor<8x4xf16> -> tile<8x4xf16>
  %m = load %M[0, 0] : tensor<4x1xf32> -> tile<4x1xf32>
  %l = load %L[0, 0] : tensor<4x1xf32> -> tile<4x1xf32>
  %a = load %A[0, 0] : tensor<4x4xf32> -> tile<4x4xf32>
  %x, %y, %z = online_softmax_step %m, %l, %a, %s, %v scale 1.0e-30 : tile<4x1xf32>, tile<4x1xf32>, tile<4x4xf32>, tile<4x8xf32>, tile<8x4xf16>
  store %y, %L[0, 0] : tile<4x1xf32>, tensor<4x1xf32>
  store %z, %A[0, 0] : tile<4x4xf32>, tensor<4x4xf32>
  return
}
