// A 3-point stencil with zeros outside: y[k] = (x[k-1] + x[k] + x[k+1]) / 3.
tile_sugar.kernel @stencil(%x: tensor<?xf32> {readonly}, %y: tensor<?xf32> {writeonly}) grid(ceildiv(dim %x 0, 128)) {
  %bx = block_id 0
  %c1 = arith.constant 1 : i32
  %c128 = arith.constant 128 : i32
  %k = arith.muli %bx, %c128 : i32
  %before = arith.subi %k, %c1 : i32
  %after = arith.addi %k, %c1 : i32
  %a = load %x[%before] : tensor<?xf32> -> tile<128xf32>
  %b = load %x[%k] : tensor<?xf32> -> tile<128xf32>
  %c = load %x[%after] : tensor<?xf32> -> tile<128xf32>
  %ab = add %a, %b : tile<128xf32>
  %abc = add %ab, %c : tile<128xf32>
  %three = constant 3 : f32
  %r = div %abc, %three : tile<128xf32>, f32
  store %r, %y[%k] : tile<128xf32>, tensor<?xf32>
  return
}
