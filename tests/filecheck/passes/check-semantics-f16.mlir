// A pass that moves f32 values a little may move their rounding to f16 by a whole unit.
// RUN: tile-opt %s -p expand-library,legalize-elementwise,approximate-math --check-semantics -o %t
tile_sugar.kernel @k(%X: tensor<?x512xf32>, %Y: tensor<?x512xf16>) grid(ceildiv(dim %X 0, 64)) {
  %c64 = arith.constant 64 : i32
  %b = block_id 0
  %r = arith.muli %b, %c64 : i32
  %x = load %X[%r, 0] : tensor<?x512xf32> -> tile<64x512xf32>
  %c = constant 0.01 : f32
  %n = mul %x, %c : tile<64x512xf32>, f32
  %p = softmax %n fastmath<afn, contract> : tile<64x512xf32>
  %h = cast %p : tile<64x512xf32> -> tile<64x512xf16>
  store %h, %Y[%r, 0] : tile<64x512xf16>, tensor<?x512xf16>
  return
}
