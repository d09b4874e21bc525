// Mean, maximum and minimum of each column of 24 rows.
tile_sugar.kernel @column_stats(%x: tensor<24x?xf32> {readonly}, %out: tensor<3x?xf32> {writeonly}) grid(ceildiv(dim %x 1, 64)) {
  %bx = block_id 0
  %c64 = arith.constant 64 : i32
  %c = arith.muli %bx, %c64 : i32
  %t = load %x[0, %c] : tensor<24x?xf32> -> tile<24x64xf32>
  %mean = colmean %t : tile<24x64xf32>
  %max = colmax %t : tile<24x64xf32>
  %min = colmin %t : tile<24x64xf32>
  store %mean, %out[0, %c] : tile<1x64xf32>, tensor<3x?xf32>
  store %max, %out[1, %c] : tile<1x64xf32>, tensor<3x?xf32>
  store %min, %out[2, %c] : tile<1x64xf32>, tensor<3x?xf32>
  return
}
