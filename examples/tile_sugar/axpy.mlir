// y = alpha * x + y, in place.
tile_sugar.kernel @axpy(%alpha: f32, %x: tensor<?xf32> {readonly}, %y: tensor<?xf32>) grid(ceildiv(dim %x 0, 1000)) {
  %bx = block_id 0
  %c1000 = arith.constant 1000 : i32
  %k = arith.muli %bx, %c1000 : i32
  %a = load %x[%k] : tensor<?xf32> -> tile<1000xf32>
  %b = load %y[%k] : tensor<?xf32> -> tile<1000xf32>
  %r = axpy %alpha, %a, %b : f32, tile<1000xf32>, tile<1000xf32>
  store %r, %y[%k] : tile<1000xf32>, tensor<?xf32>
  return
}
