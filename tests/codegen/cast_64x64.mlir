// f16 to f32, tiles of 64x64 that lie inside the tensors.
tile_sugar.kernel @cast_64x64(%x: tensor<?x64xf16> {readonly}, %y: tensor<?x64xf32> {writeonly}) grid(ceildiv(dim %x 0, 64)) {
  %bx = block_id 0
  %c64 = arith.constant 64 : i32
  %r = arith.muli %bx, %c64 : i32
  %a = load %x[%r, 0] full : tensor<?x64xf16> -> tile<64x64xf16>
  %b = cast %a : tile<64x64xf16> -> tile<64x64xf32>
  store %b, %y[%r, 0] full : tile<64x64xf32>, tensor<?x64xf32>
  return
}
