// z = x + y, all of it inside.
tile_sugar.kernel @elementwise_1024_full(%x: tensor<?xf32> {readonly, multiple = [4]}, %y: tensor<?xf32> {readonly, multiple = [4]}, %z: tensor<?xf32> {writeonly, multiple = [4]}) grid(ceildiv(dim %x 0, 1024)) {
  %bx = block_id 0
  %c1024 = arith.constant 1024 : i32
  %k = arith.muli %bx, %c1024 : i32
  %a = load %x[%k] full : tensor<?xf32> -> tile<1024xf32>
  %b = load %y[%k] full : tensor<?xf32> -> tile<1024xf32>
  %c = add %a, %b : tile<1024xf32>
  store %c, %z[%k] full : tile<1024xf32>, tensor<?xf32>
  return
}
