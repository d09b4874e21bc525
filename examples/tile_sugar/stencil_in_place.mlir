// The same stencil in place, by one block that goes through the tensor: a tile's loads come before
// its store, and the next tile's before theirs, so each element is the old one when it is read but
// for the last of the tile before.
tile_sugar.kernel @stencil_in_place(%x: tensor<?xf32>) grid(1) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c64 = arith.constant 64 : i32
  %n = extent %x, 0 : tensor<?xf32>
  %three = constant 3 : f32
  scf.for %k = %c0 to %n step %c64 : i32 {
    %before = arith.subi %k, %c1 : i32
    %after = arith.addi %k, %c1 : i32
    %a = load %x[%before] : tensor<?xf32> -> tile<64xf32>
    %b = load %x[%k] : tensor<?xf32> -> tile<64xf32>
    %c = load %x[%after] : tensor<?xf32> -> tile<64xf32>
    %ab = add %a, %b : tile<64xf32>
    %abc = add %ab, %c : tile<64xf32>
    %r = div %abc, %three : tile<64xf32>, f32
    store %r, %x[%k] : tile<64xf32>, tensor<?xf32>
  }
  return
}
