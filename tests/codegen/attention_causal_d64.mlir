// Causal attention with online softmax: 128 queries a block, 128 keys a step, heads of 64.
tile_sugar.kernel @attention_causal_d64(%Q: tensor<?x64xf16> {readonly}, %K: tensor<?x64xf16> {readonly, multiple = [128, 1]}, %V: tensor<?x64xf16> {readonly, multiple = [128, 1]}, %O: tensor<?x64xf16> {writeonly})
    grid(ceildiv(dim %Q 0, 128)) {
  %bx = block_id 0
  %c0 = arith.constant 0 : i32
  %c128 = arith.constant 128 : i32
  %q0 = arith.muli %bx, %c128 : i32
  %end = arith.addi %q0, %c128 : i32
  %q = load %Q[%q0, 0] inside : tensor<?x64xf16> -> tile<128x64xf16>
  %m0 = constant -inf : tile<128x1xf32>
  %l0 = constant 0.0 : tile<128x1xf32>
  %a0 = constant 0.0 : tile<128x64xf32>
  %m, %l, %a = scf.for %k0 = %c0 to %end step %c128 iter_args(%mi = %m0, %li = %l0, %ai = %a0) -> (tile<128x1xf32>, tile<128x1xf32>, tile<128x64xf32>) : i32 {
    %k = load %K[%k0, 0] inside : tensor<?x64xf16> -> tile<128x64xf16>
    %kt = transpose %k : tile<128x64xf16>
    %s = dot %q, %kt : tile<128x64xf16>, tile<64x128xf16>
    %sm = causal_mask %s, %q0, %k0 : tile<128x128xf32>
    %v = load %V[%k0, 0] inside : tensor<?x64xf16> -> tile<128x64xf16>
    %mo, %lo, %ao = online_softmax_step %mi, %li, %ai, %sm, %v scale 0.125 : tile<128x1xf32>, tile<128x1xf32>, tile<128x64xf32>, tile<128x128xf32>, tile<128x64xf16>
    scf.yield %mo, %lo, %ao : tile<128x1xf32>, tile<128x1xf32>, tile<128x64xf32>
  }
  %o = div %a, %l fastmath<afn> : tile<128x64xf32>, tile<128x1xf32>
  %h = cast %o : tile<128x64xf32> -> tile<128x64xf16>
  store %h, %O[%q0, 0] inside : tile<128x64xf16>, tensor<?x64xf16>
  return
}
