// Cross entropy of logits over 100 classes, one row of labels a block of eight.
tile_sugar.kernel @cross_entropy(%x: tensor<?x100xf16> {readonly}, %label: tensor<?x1xi32> {readonly}, %loss: tensor<?x1xf16> {writeonly})
    grid(ceildiv(dim %x 0, 8)) {
  %bx = block_id 0
  %c8 = arith.constant 8 : i32
  %r = arith.muli %bx, %c8 : i32
  %t = load %x[%r, 0] : tensor<?x100xf16> -> tile<8x100xf16>
  %l = load %label[%r, 0] : tensor<?x1xi32> -> tile<8x1xi32>
  %e = cross_entropy %t, %l : tile<8x100xf16>, tile<8x1xi32>
  store %e, %loss[%r, 0] : tile<8x1xf16>, tensor<?x1xf16>
  return
}
