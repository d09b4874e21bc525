// Two 4-bit numbers a byte: the low and the high nibble as f32.
tile_sugar.kernel @nibbles(%q: tensor<?xi8> {readonly}, %low: tensor<?xf32> {writeonly}, %high: tensor<?xf32> {writeonly})
    grid(ceildiv(dim %q 0, 100)) {
  %bx = block_id 0
  %c100 = arith.constant 100 : i32
  %k = arith.muli %bx, %c100 : i32
  %t = load %q[%k] : tensor<?xi8> -> tile<100xi8>
  %c15 = constant 15 : i8
  %c4 = constant 4 : i8
  %l = and %t, %c15 : tile<100xi8>, i8
  %s = shr %t, %c4 : tile<100xi8>, i8
  %h = and %s, %c15 : tile<100xi8>, i8
  %lf = cast %l : tile<100xi8> -> tile<100xf32>
  %hf = cast %h : tile<100xi8> -> tile<100xf32>
  store %lf, %low[%k] : tile<100xf32>, tensor<?xf32>
  store %hf, %high[%k] : tile<100xf32>, tensor<?xf32>
  return
}
