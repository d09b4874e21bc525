// Elementwise integer and bitwise operations.
// RUN: tile-opt %s | filecheck %s --strict-whitespace
// RUN: tile-opt %s --print-op-generic | filecheck %s --check-prefix=GENERIC
// RUN: tile-opt %s -t tileirbc -o %t && tile-opt %t --bare | filecheck %s --strict-whitespace

// CHECK-LABEL: entry @absi(
// CHECK: absi %arg0 : tile<i64>
entry @absi(%x: tile<i64>) {
  %r = absi %x : tile<i64>
}

// CHECK-LABEL: entry @addi(
// CHECK: addi %arg0, %arg1 : tile<i32>
// CHECK: addi %arg0, %arg1 overflow<no_signed_wrap> : tile<i32>
// CHECK: addi %arg0, %arg1 overflow<no_unsigned_wrap> : tile<i32>
// CHECK: addi %arg0, %arg1 overflow<no_wrap> : tile<i32>
// CHECK: addi %arg0, %arg1 : tile<i32>
// GENERIC-LABEL: sym_name = "addi"
// GENERIC: "cuda_tile.addi"{{.*}} <{overflow = #cuda_tile.overflow<none>}>
// GENERIC: "cuda_tile.addi"{{.*}} <{overflow = #cuda_tile.overflow<no_signed_wrap>}>
entry @addi(%x: tile<i32>, %y: tile<i32>) {
  %0 = addi %x, %y : tile<i32>
  %1 = addi %x, %y overflow<no_signed_wrap> : tile<i32>
  %2 = addi %x, %y overflow<no_unsigned_wrap> : tile<i32>
  %3 = addi %x, %y overflow<no_wrap> : tile<i32>
  %4 = addi %x, %y overflow<none> : tile<i32>
}

// CHECK-LABEL: entry @andi(
// CHECK: andi %arg0, %arg0 : tile<i1>
entry @andi(%x: tile<i1>) {
  %r = andi %x, %x : tile<i1>
}

// CHECK-LABEL: entry @divi(
// CHECK: divi %arg0, %arg1 signed : tile<i32>
// CHECK: divi %arg0, %arg1 unsigned : tile<i32>
// CHECK: divi %arg0, %arg1 signed rounding<negative_inf> : tile<i32>
// CHECK: divi %arg0, %arg1 unsigned rounding<positive_inf> : tile<i32>
// CHECK: divi %arg0, %arg1 signed : tile<i32>
// GENERIC-LABEL: sym_name = "divi"
// GENERIC: "cuda_tile.divi"{{.*}} <{rounding = #cuda_tile.rounding<zero>, signedness = #cuda_tile.signedness<signed>}>
entry @divi(%x: tile<i32>, %y: tile<i32>) {
  %0 = divi %x, %y signed : tile<i32>
  %1 = divi %x, %y unsigned : tile<i32>
  %2 = divi %x, %y signed rounding<negative_inf> : tile<i32>
  %3 = divi %x, %y unsigned rounding<positive_inf> : tile<i32>
  %4 = divi %x, %y signed rounding<zero> : tile<i32>
}

// CHECK-LABEL: entry @maxi(
// CHECK: maxi %arg0, %arg0 signed : tile<i8>
entry @maxi(%x: tile<i8>) {
  %r = maxi %x, %x signed : tile<i8>
}

// CHECK-LABEL: entry @mini(
// CHECK: mini %arg0, %arg0 unsigned : tile<i16>
entry @mini(%x: tile<i16>) {
  %r = mini %x, %x unsigned : tile<i16>
}

// CHECK-LABEL: entry @mulhii(
// CHECK: mulhii %arg0, %arg0 : tile<i32>
entry @mulhii(%x: tile<i32>) {
  %r = mulhii %x, %x : tile<i32>
}

// CHECK-LABEL: entry @muli(
// CHECK: muli %arg0, %arg0 overflow<no_wrap> : tile<i32>
entry @muli(%x: tile<i32>) {
  %r = muli %x, %x overflow<no_wrap> : tile<i32>
}

// CHECK-LABEL: entry @negi(
// CHECK: negi %arg0 : tile<i32>
// CHECK: negi %arg0 overflow<no_signed_wrap> : tile<i32>
entry @negi(%x: tile<i32>) {
  %0 = negi %x : tile<i32>
  %1 = negi %x overflow<no_signed_wrap> : tile<i32>
}

// CHECK-LABEL: entry @ori(
// CHECK: ori %arg0, %arg0 : tile<i32>
entry @ori(%x: tile<i32>) {
  %r = ori %x, %x : tile<i32>
}

// CHECK-LABEL: entry @remi(
// CHECK: remi %arg0, %arg0 unsigned : tile<i32>
entry @remi(%x: tile<i32>) {
  %r = remi %x, %x unsigned : tile<i32>
}

// CHECK-LABEL: entry @shli(
// CHECK: shli %arg0, %arg0 overflow<no_unsigned_wrap> : tile<i32>
entry @shli(%x: tile<i32>) {
  %r = shli %x, %x overflow<no_unsigned_wrap> : tile<i32>
}

// CHECK-LABEL: entry @shri(
// CHECK: shri %arg0, %arg0 signed : tile<i32>
// CHECK: shri %arg0, %arg0 unsigned : tile<i32>
entry @shri(%x: tile<i32>) {
  %0 = shri %x, %x signed : tile<i32>
  %1 = shri %x, %x unsigned : tile<i32>
}

// CHECK-LABEL: entry @subi(
// CHECK: subi %arg0, %arg0 : tile<i64>
entry @subi(%x: tile<i64>) {
  %r = subi %x, %x : tile<i64>
}

// CHECK-LABEL: entry @xori(
// CHECK: xori %arg0, %arg0 : tile<i1>
entry @xori(%x: tile<i1>) {
  %r = xori %x, %x : tile<i1>
}
