// Causal attention with online softmax: 16 queries a block, 16 keys a step, heads of 32.
tile_sugar.kernel @attention(%Q: tensor<?x32xf16> {readonly}, %K: tensor<?x32xf16> {readonly}, %V: tensor<?x32xf16> {readonly}, %O: tensor<?x32xf16> {writeonly})
    grid(ceildiv(dim %Q 0, 16)) {
  %bx = block_id 0
  %c0 = arith.constant 0 : i32
  %c16 = arith.constant 16 : i32
  %q0 = arith.muli %bx, %c16 : i32
  %end = arith.addi %q0, %c16 : i32
  %q = load %Q[%q0, 0] : tensor<?x32xf16> -> tile<16x32xf16>
  %m0 = constant -inf : tile<16x1xf32>
  %l0 = constant 0.0 : tile<16x1xf32>
  %a0 = constant 0.0 : tile<16x32xf32>
  %m, %l, %a = scf.for %k0 = %c0 to %end step %c16 iter_args(%mi = %m0, %li = %l0, %ai = %a0) -> (tile<16x1xf32>, tile<16x1xf32>, tile<16x32xf32>) : i32 {
    %k = load %K[%k0, 0] : tensor<?x32xf16> -> tile<16x32xf16>
    %kt = transpose %k : tile<16x32xf16>
    %s = dot %q, %kt : tile<16x32xf16>, tile<32x16xf16>
    %sm = causal_mask %s, %q0, %k0 : tile<16x16xf32>
    %v = load %V[%k0, 0] : tensor<?x32xf16> -> tile<16x32xf16>
    %mo, %lo, %ao = online_softmax_step %mi, %li, %ai, %sm, %v scale 0.17677669 : tile<16x1xf32>, tile<16x1xf32>, tile<16x32xf32>, tile<16x16xf32>, tile<16x32xf16>
    scf.yield %mo, %lo, %ao : tile<16x1xf32>, tile<16x1xf32>, tile<16x32xf32>
  }
  %o = div %a, %l : tile<16x32xf32>, tile<16x1xf32>
  %h = cast %o : tile<16x32xf32> -> tile<16x32xf16>
  store %h, %O[%q0, 0] : tile<16x32xf16>, tensor<?x32xf16>
  return
}
