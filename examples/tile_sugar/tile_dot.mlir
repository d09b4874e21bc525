// The sum of products of two 12x20 tiles, added up over all blocks.
tile_sugar.kernel @tile_dot(%x: tensor<?x20xf32> {readonly}, %y: tensor<?x20xf32> {readonly}, %sum: tensor<1xf32>) grid(ceildiv(dim %x 0, 12)) {
  %bx = block_id 0
  %c12 = arith.constant 12 : i32
  %r = arith.muli %bx, %c12 : i32
  %a = load %x[%r, 0] : tensor<?x20xf32> -> tile<12x20xf32>
  %b = load %y[%r, 0] : tensor<?x20xf32> -> tile<12x20xf32>
  %d = tile_dot %a, %b : tile<12x20xf32>
  %t = splat %d : f32 -> tile<1xf32>
  atomic add %t, %sum[0] : tile<1xf32>, tensor<1xf32>
  return
}
