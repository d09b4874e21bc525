// Elementwise floating-point operations. The two spaces before ':' are where NVIDIA's text has an
// empty slot for the rounding mode.
// RUN: tile-opt %s | filecheck %s --strict-whitespace
// RUN: tile-opt %s --print-op-generic | filecheck %s --check-prefix=GENERIC
// RUN: tile-opt %s -t tileirbc --bytecode-version 13.5 -o %t && tile-opt %t --bare | filecheck %s --strict-whitespace

// CHECK-LABEL: entry @absf(
// CHECK: %0 = absf %arg0 : tile<f32>
// GENERIC-LABEL: sym_name = "absf"
// GENERIC: %0 = "cuda_tile.absf"(%arg0) : (!cuda_tile.tile<f32>) -> !cuda_tile.tile<f32>
entry @absf(%x: tile<f32>) {
  %r = absf %x : tile<f32>
}

// CHECK-LABEL: entry @addf(
// CHECK: addf %arg0, %arg0  : tile<f32>
// CHECK: addf %arg0, %arg0 rounding<zero> : tile<f32>
// CHECK: addf %arg0, %arg0  flush_to_zero : tile<f32>
// CHECK: addf %arg0, %arg0 rounding<negative_inf> flush_to_zero : tile<f32>
// CHECK: addf %arg0, %arg0  : tile<f32>
// GENERIC-LABEL: sym_name = "addf"
// GENERIC: "cuda_tile.addf"{{.*}} <{rounding_mode = #cuda_tile.rounding<nearest_even>}>
// GENERIC: "cuda_tile.addf"{{.*}} <{rounding_mode = #cuda_tile.rounding<zero>}>
// GENERIC: "cuda_tile.addf"{{.*}} <{flush_to_zero, rounding_mode = #cuda_tile.rounding<nearest_even>}>
entry @addf(%x: tile<f32>) {
  %0 = addf %x, %x : tile<f32>
  %1 = addf %x, %x rounding<zero> : tile<f32>
  %2 = addf %x, %x flush_to_zero : tile<f32>
  %3 = addf %x, %x rounding<negative_inf> flush_to_zero : tile<f32>
  %4 = cuda_tile.addf %x, %x rounding<nearest_even> : !cuda_tile.tile<f32>
}

// CHECK-LABEL: entry @atan2(
// CHECK: atan2 %arg0, %arg1 : tile<f64>
// GENERIC-LABEL: sym_name = "atan2"
entry @atan2(%y: tile<f64>, %x: tile<f64>) {
  %r = atan2 %y, %x : tile<f64>
}

// CHECK-LABEL: entry @ceil(
// CHECK: ceil %arg0 : tile<bf16>
entry @ceil(%x: tile<bf16>) {
  %r = ceil %x : tile<bf16>
}

// CHECK-LABEL: entry @cos(
// CHECK: cos %arg0 : tile<f32>
entry @cos(%x: tile<f32>) {
  %r = cos %x : tile<f32>
}

// CHECK-LABEL: entry @cosh(
// CHECK: cosh %arg0 : tile<f32>
entry @cosh(%x: tile<f32>) {
  %r = cosh %x : tile<f32>
}

// CHECK-LABEL: entry @divf(
// CHECK: divf %arg0, %arg0  : tile<f32>
// CHECK: divf %arg0, %arg0 rounding<full> : tile<f32>
// CHECK: divf %arg0, %arg0 rounding<approx> flush_to_zero : tile<f32>
entry @divf(%x: tile<f32>) {
  %0 = divf %x, %x : tile<f32>
  %1 = divf %x, %x rounding<full> : tile<f32>
  %2 = divf %x, %x rounding<approx> flush_to_zero : tile<f32>
}

// The default of exp and tanh is `full`, not `nearest_even`.
// CHECK-LABEL: entry @exp(
// CHECK: exp %arg0  : tile<f32>
// CHECK: exp %arg0  : tile<f32>
// CHECK: exp %arg0 rounding<approx> : tile<f32>
// GENERIC-LABEL: sym_name = "exp"
// GENERIC: "cuda_tile.exp"{{.*}} <{rounding_mode = #cuda_tile.rounding<full>}>
entry @exp(%x: tile<f32>) {
  %0 = exp %x : tile<f32>
  %1 = exp %x rounding<full> : tile<f32>
  %2 = exp %x rounding<approx> : tile<f32>
}

// CHECK-LABEL: entry @exp2(
// CHECK: exp2 %arg0 : tile<f32>
// CHECK: exp2 %arg0 flush_to_zero : tile<f32>
entry @exp2(%x: tile<f32>) {
  %0 = exp2 %x : tile<f32>
  %1 = exp2 %x flush_to_zero : tile<f32>
}

// CHECK-LABEL: entry @floor(
// CHECK: floor %arg0 : tile<f16>
entry @floor(%x: tile<f16>) {
  %r = floor %x : tile<f16>
}

// CHECK-LABEL: entry @fma(
// CHECK: fma %arg0, %arg1, %arg2  : tile<f32>
// CHECK: fma %arg0, %arg1, %arg2 rounding<positive_inf> flush_to_zero : tile<f32>
entry @fma(%a: tile<f32>, %b: tile<f32>, %c: tile<f32>) {
  %0 = fma %a, %b, %c : tile<f32>
  %1 = fma %a, %b, %c rounding<positive_inf> flush_to_zero : tile<f32>
}

// `pow` is the name up to 13.3.
// CHECK-LABEL: entry @fpowf(
// CHECK: fpowf %arg0, %arg0 : tile<f32>
// CHECK: fpowf %arg0, %arg0 : tile<f32>
entry @fpowf(%x: tile<f32>) {
  %0 = fpowf %x, %x : tile<f32>
  %1 = pow %x, %x : tile<f32>
}

// CHECK-LABEL: entry @fpowi(
// CHECK: fpowi %arg0, %arg1 : tile<f32>, tile<i8>
entry @fpowi(%x: tile<f32>, %n: tile<i8>) {
  %0 = fpowi %x, %n : tile<f32>, tile<i8>
}

// CHECK-LABEL: entry @log(
// CHECK: log %arg0 : tile<f32>
entry @log(%x: tile<f32>) {
  %r = log %x : tile<f32>
}

// CHECK-LABEL: entry @log2(
// CHECK: log2 %arg0 : tile<f32>
entry @log2(%x: tile<f32>) {
  %r = log2 %x : tile<f32>
}

// The two keywords are read in either order.
// CHECK-LABEL: entry @maxf(
// CHECK: maxf %arg0, %arg0 : tile<f32>
// CHECK: maxf %arg0, %arg0 flush_to_zero propagate_nan : tile<f32>
// CHECK: maxf %arg0, %arg0 flush_to_zero propagate_nan : tile<f32>
entry @maxf(%x: tile<f32>) {
  %0 = maxf %x, %x : tile<f32>
  %1 = maxf %x, %x flush_to_zero propagate_nan : tile<f32>
  %2 = maxf %x, %x propagate_nan flush_to_zero : tile<f32>
}

// CHECK-LABEL: entry @minf(
// CHECK: minf %arg0, %arg0 propagate_nan : tile<f64>
// GENERIC-LABEL: sym_name = "minf"
// GENERIC: "cuda_tile.minf"{{.*}} <{propagate_nan}>
entry @minf(%x: tile<f64>) {
  %r = minf %x, %x propagate_nan : tile<f64>
}

// CHECK-LABEL: entry @mulf(
// CHECK: mulf %arg0, %arg0  : tile<f16>
// CHECK: mulf %arg0, %arg0 rounding<zero> : tile<f16>
entry @mulf(%x: tile<f16>) {
  %0 = mulf %x, %x : tile<f16>
  %1 = mulf %x, %x rounding<zero> : tile<f16>
}

// CHECK-LABEL: entry @negf(
// CHECK: negf %arg0 : tile<f32>
entry @negf(%x: tile<f32>) {
  %r = negf %x : tile<f32>
}

// CHECK-LABEL: entry @remf(
// CHECK: remf %arg0, %arg1 : tile<f32>
entry @remf(%x: tile<f32>, %y: tile<f32>) {
  %r = remf %x, %y : tile<f32>
}

// CHECK-LABEL: entry @rsqrt(
// CHECK: rsqrt %arg0 flush_to_zero : tile<f32>
entry @rsqrt(%x: tile<f32>) {
  %r = rsqrt %x flush_to_zero : tile<f32>
}

// CHECK-LABEL: entry @sin(
// CHECK: sin %arg0 : tile<f32>
entry @sin(%x: tile<f32>) {
  %r = sin %x : tile<f32>
}

// CHECK-LABEL: entry @sinh(
// CHECK: sinh %arg0 : tile<f32>
entry @sinh(%x: tile<f32>) {
  %r = sinh %x : tile<f32>
}

// CHECK-LABEL: entry @sqrt(
// CHECK: sqrt %arg0  : tile<f32>
// CHECK: sqrt %arg0 rounding<approx> flush_to_zero : tile<f32>
entry @sqrt(%x: tile<f32>) {
  %0 = sqrt %x : tile<f32>
  %1 = sqrt %x rounding<approx> flush_to_zero : tile<f32>
}

// CHECK-LABEL: entry @subf(
// CHECK: subf %arg0, %arg1  : tile<f32>
entry @subf(%x: tile<f32>, %y: tile<f32>) {
  %r = subf %x, %y : tile<f32>
}

// CHECK-LABEL: entry @tan(
// CHECK: tan %arg0 : tile<f32>
entry @tan(%x: tile<f32>) {
  %r = tan %x : tile<f32>
}

// CHECK-LABEL: entry @tanh(
// CHECK: tanh %arg0  : tile<f32>
// CHECK: tanh %arg0 rounding<approx> : tile<f32>
entry @tanh(%x: tile<f32>) {
  %0 = tanh %x : tile<f32>
  %1 = tanh %x rounding<approx> : tile<f32>
}
