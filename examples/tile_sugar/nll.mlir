// Negative log likelihood: -logp[label] of each row.
tile_sugar.kernel @nll(%logp: tensor<?x100xf32> {readonly}, %label: tensor<?xi32> {readonly}, %loss: tensor<?xf32> {writeonly})
    grid(ceildiv(dim %logp 0, 16)) {
  %bx = block_id 0
  %c16 = arith.constant 16 : i32
  %r = arith.muli %bx, %c16 : i32
  %row = iota 0 : tile<16xi32>
  %rows = add %row, %r : tile<16xi32>, i32
  %l = load %label[%r] : tensor<?xi32> -> tile<16xi32>
  %p = gather %logp[%rows, %l] fill nan : tensor<?x100xf32>, tile<16xi32> -> tile<16xf32>
  %n = neg %p : tile<16xf32>
  store %n, %loss[%r] : tile<16xf32>, tensor<?xf32>
  return
}
