// GELU, then SiLU of it, on three columns.
tile_sugar.kernel @activations(%x: tensor<?x3xf16> {readonly}, %y: tensor<?x3xf16> {writeonly}) grid(ceildiv(dim %x 0, 32)) {
  %bx = block_id 0
  %c32 = arith.constant 32 : i32
  %r = arith.muli %bx, %c32 : i32
  %t = load %x[%r, 0] : tensor<?x3xf16> -> tile<32x3xf16>
  %g = gelu %t : tile<32x3xf16>
  %s = silu %g : tile<32x3xf16>
  store %s, %y[%r, 0] : tile<32x3xf16>, tensor<?x3xf16>
  return
}
