// z = x + y; the last block may run past the end.
tile_sugar.kernel @elementwise_1024(%x: tensor<?xf32> {readonly, multiple = [4]}, %y: tensor<?xf32> {readonly, multiple = [4]}, %z: tensor<?xf32> {writeonly, multiple = [4]}) grid(ceildiv(dim %x 0, 1024)) {
  %bx = block_id 0
  %c1024 = arith.constant 1024 : i32
  %k = arith.muli %bx, %c1024 : i32
  %a = load %x[%k] : tensor<?xf32> -> tile<1024xf32>
  %b = load %y[%k] : tensor<?xf32> -> tile<1024xf32>
  %c = add %a, %b : tile<1024xf32>
  store %c, %z[%k] : tile<1024xf32>, tensor<?xf32>
  return
}
