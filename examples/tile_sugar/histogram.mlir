// Counts how often each number occurs; numbers outside the bins are not counted.
tile_sugar.kernel @histogram(%x: tensor<?xi32> {readonly}, %bins: tensor<?xi32>) grid(ceildiv(dim %x 0, 100)) {
  %bx = block_id 0
  %c100 = arith.constant 100 : i32
  %k = arith.muli %bx, %c100 : i32
  %t = load %x[%k] fill -1 : tensor<?xi32> -> tile<100xi32>
  %one = constant 1 : tile<100xi32>
  %old = atomic add %one, %bins[%t] : tile<100xi32>, tensor<?xi32>, tile<100xi32> -> tile<100xi32>
  return
}
