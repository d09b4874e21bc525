// RUN: tile-opt %s -p split-causal-loops --split-input-file | filecheck %s
// RUN: tile-opt %s -p split-causal-loops --split-input-file --remarks=loops -o %t 2>&1 | filecheck %s --check-prefix REMARK
// RUN: tile-opt %s -p split-causal-loops --split-input-file --check-semantics -o %t

// A square tile, and an end no later than its block on the diagonal: that one is straight code.

// CHECK-LABEL: kernel @square
// CHECK:         %[[C0:.*]] = arith.constant 0 : i32
// CHECK:         %[[C8:.*]] = arith.constant 8 : i32
// CHECK:         %[[Q0:.*]] = arith.muli
// CHECK:         %[[END:.*]] = arith.addi %[[Q0]], %[[C8]]
// CHECK:         %[[TO:.*]] = arith.minsi %[[Q0]], %[[END]]
// CHECK:         %[[FROM:.*]] = arith.maxsi %[[Q0]], %[[C0]]
// CHECK:         %[[R:.*]] = scf.for %[[K0:.*]] = %[[C0]] to %[[TO]] step %[[C8]] iter_args(%[[A:.*]] = %{{.*}})
// CHECK-NEXT:      %[[S:.*]] = load %{{.*}}[%[[K0]], 0]
// CHECK-NEXT:      %[[N:.*]] = add %[[A]], %[[S]]
// CHECK-NEXT:      scf.yield %[[N]]
// CHECK:         %[[IF:.*]] = arith.cmpi slt, %[[FROM]], %[[END]]
// CHECK:         scf.if %[[IF]]
// CHECK-NEXT:      %[[S:.*]] = load %{{.*}}[%[[FROM]], 0]
// CHECK-NEXT:      %[[M:.*]] = causal_mask %[[S]], %[[Q0]], %[[FROM]]
// CHECK-NEXT:      %[[N:.*]] = add %[[R]], %[[M]]
// CHECK-NEXT:      scf.yield %[[N]]
// CHECK-NEXT:    } else {
// CHECK-NEXT:      scf.yield %[[R]]
// CHECK-NOT:     scf.for
// REMARK: split-causal-loops.mlir:[[# @LINE + 10]]:10: remark: loop split at the diagonal
tile_sugar.kernel @square(%S: tensor<?x8xf32>, %O: tensor<?x8xf32>) grid(ceildiv(dim %S 0, 8)) {
  %b = block_id 0
  %c0 = arith.constant 0 : i32
  %c8 = arith.constant 8 : i32
  %q0 = arith.muli %b, %c8 : i32
  %end = arith.addi %q0, %c8 : i32
  %zero = constant 0.0 : tile<8x8xf32>
  %r = scf.for %k0 = %c0 to %end step %c8 iter_args(%a = %zero) -> (tile<8x8xf32>) : i32 {
    %s = load %S[%k0, 0] : tensor<?x8xf32> -> tile<8x8xf32>
    %m = causal_mask %s, %q0, %k0 : tile<8x8xf32>
    %n = add %a, %m : tile<8x8xf32>
    scf.yield %n : tile<8x8xf32>
  }
  store %r, %O[%q0, 0] : tile<8x8xf32>, tensor<?x8xf32>
  return
}

// -----

// Anything else becomes two loops, which meet at a point that is computed in 64 bits. What the mask
// alone needed goes from the first one.

// CHECK-LABEL: kernel @two_loops
// CHECK:         %[[STEP:.*]] = arith.constant 4 : i32
// CHECK:         arith.constant 2147483640 : i32
// CHECK:         %[[AT:.*]] = arith.trunci %{{.*}} : i64 to i32
// CHECK-NEXT:    scf.for %{{.*}} = %{{.*}} to %[[AT]] step %[[STEP]]
// CHECK-NEXT:      %[[S:.*]] = load
// CHECK-NEXT:      print "%f", %[[S]]
// CHECK-NEXT:    }
// CHECK-NEXT:    scf.for %{{.*}} = %[[AT]] to %{{.*}} step %[[STEP]]
// CHECK:           iota 1
// CHECK:           select
// REMARK: remark: loop split at the diagonal
// REMARK: remark: the diagonal block stays a loop: 8 rows and 4 columns are no square of a power of two
tile_sugar.kernel @two_loops(%S: tensor<?x8xf32>, %q0: i32, %from: i32, %to: i32) {
  %c4 = arith.constant 4 : i32
  %end = arith.minsi %to, %q0 : i32
  scf.for %k0 = %from to %end step %c4 : i32 {
    %s = load %S[%k0, 0] : tensor<?x8xf32> -> tile<8x4xf32>
    %column = iota 1 : tile<1x4xi32>
    %row = iota 0 : tile<8x1xi32>
    %k = add %column, %k0 : tile<1x4xi32>, i32
    %q = add %q0, %row : i32, tile<8x1xi32>
    %above = cmp lt %q, %k : tile<8x1xi32>, tile<1x4xi32>
    %fill = constant -inf : f32
    %m = select %above, %fill, %s : tile<8x4xi1>, f32, tile<8x4xf32>
    print "%f", %m : tile<8x4xf32>
  }
  return
}

// -----

// Why the block on the diagonal is no straight code; an end that would leave work out.

// REMARK: remark: loop split at the diagonal
// REMARK: remark: the diagonal block stays a loop: the first column is neither the loop's variable nor, as the first row is, an index times a constant
// REMARK: remark: loop split at the diagonal
// REMARK: remark: the diagonal block stays a loop: the first column does not advance by 8
// REMARK: remark: loop split at the diagonal
// REMARK: remark: the diagonal block stays a loop: %q0 is not known to be a multiple of 8
// REMARK: remark: loop split at the diagonal
// REMARK: remark: the diagonal block stays a loop: the loop's start is not known to be a multiple of 8
// REMARK: remark: iterations above the diagonal stay: an end of %q plus 8 would leave them out
// REMARK: remark: loop split at the diagonal
// REMARK: remark: the diagonal block stays a loop: the loop's end is not known to be at most %q plus 8
tile_sugar.kernel @reasons(%s: i32, %q0: i32, %n: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c8 = arith.constant 8 : i32
  %t = constant 1.0 : tile<8x8xf32>
  %q = arith.muli %s, %c8 : i32
  %end = arith.addi %q, %c8 : i32
  %end0 = arith.addi %q0, %c1 : i32
  scf.for %i = %c0 to %n step %c1 : i32 {
    %k0 = arith.muli %i, %c8 : i32
    %m = causal_mask %t, %q, %k0 : tile<8x8xf32>
  }
  scf.for %k0 = %c0 to %end step %c1 : i32 {
    %m = causal_mask %t, %q, %k0 : tile<8x8xf32>
  }
  scf.for %k0 = %c0 to %end0 step %c8 : i32 {
    %m = causal_mask %t, %q0, %k0 : tile<8x8xf32>
  }
  scf.for %k0 = %s to %end step %c8 : i32 {
    %m = causal_mask %t, %q, %k0 : tile<8x8xf32>
  }
  scf.for %k0 = %c0 to %n step %c8 : i32 {
    %m = causal_mask %t, %q, %k0 : tile<8x8xf32>
  }
  return
}

// -----

// Loops that cannot be split, or that begin where the mask does.

// CHECK-LABEL: kernel @refused
// CHECK-COUNT-5: scf.for
// CHECK-NOT:     scf.for
// REMARK: remark: not split: the first column is not the loop's variable times a positive constant, plus what the loop does not change
// REMARK: remark: not split: the first column is not the loop's variable times a positive constant, plus what the loop does not change
// REMARK: remark: not split: the first row changes in the loop
// REMARK: remark: not split: the loop begins at the diagonal
tile_sugar.kernel @refused(%q0: i32, %n: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c8 = arith.constant 8 : i32
  %t = constant 1.0 : tile<8x8xf32>
  %end = arith.addi %q0, %c8 : i32
  scf.for %i = %c0 to %end step %c1 : i32 {
    %k0 = arith.muli %i, %i : i32
    %m = causal_mask %t, %q0, %k0 : tile<8x8xf32>
  }
  scf.for %i = %c0 to %end step %c1 : i32 {
    %k0 = arith.subi %n, %i : i32
    %m = causal_mask %t, %q0, %k0 : tile<8x8xf32>
  }
  scf.for %i = %c0 to %end step %c1 : i32 {
    %q = arith.addi %q0, %i : i32
    %m = causal_mask %t, %q, %i : tile<8x8xf32>
  }
  scf.for %k0 = %q0 to %end step %c8 : i32 {
    %m = causal_mask %t, %q0, %k0 : tile<8x8xf32>
  }
  scf.for %i = %c0 to %end step %c1 : i32 {
    %m = causal_mask %t, %q0, %n : tile<8x8xf32>
  }
  return
}

// -----

// The loop whose variable moves the mask is split, not the ones in it.

// CHECK-LABEL: kernel @nested
// CHECK:         scf.for
// CHECK:           scf.for
// CHECK-NOT:         causal_mask
// CHECK:         scf.if
// CHECK:           scf.for
// CHECK:             causal_mask
// REMARK: remark: loop split at the diagonal
tile_sugar.kernel @nested(%n: i32) {
  %b = block_id 0
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c8 = arith.constant 8 : i32
  %t = constant 1.0 : tile<8x8xf32>
  %q0 = arith.muli %b, %c8 : i32
  %end = arith.addi %q0, %c8 : i32
  scf.for %k0 = %c0 to %end step %c8 : i32 {
    scf.for %head = %c0 to %n step %c1 : i32 {
      %m = causal_mask %t, %q0, %k0 : tile<8x8xf32>
      print "%f", %m : tile<8x8xf32>
    }
  }
  return
}

// -----

// A loop may count blocks, where its products are indices, which do not wrap.

// CHECK-LABEL: kernel @blocks
// CHECK:         %[[B:.*]] = block_id 0
// CHECK:         %[[END:.*]] = arith.addi %[[B]]
// CHECK:         %[[TO:.*]] = arith.minsi %[[B]], %[[END]]
// CHECK:         scf.for %{{.*}} to %[[TO]]
// CHECK-NOT:       causal_mask
// CHECK:         scf.if
// CHECK:           causal_mask
// REMARK: remark: loop split at the diagonal
// REMARK-NOT: remark
tile_sugar.kernel @blocks(%S: tensor<?x8xf32>) {
  %b = block_id 0
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c8 = arith.constant 8 : i32
  %q0 = arith.muli %b, %c8 : i32
  %end = arith.addi %b, %c1 : i32
  %q = load %S[%q0, 0] : tensor<?x8xf32> -> tile<8x8xf32>
  scf.for %i = %c0 to %end step %c1 : i32 {
    %k0 = arith.muli %i, %c8 : i32
    %s = load %S[%k0, 0] : tensor<?x8xf32> -> tile<8x8xf32>
    %m = causal_mask %s, %q0, %k0 : tile<8x8xf32>
    print "%f", %m : tile<8x8xf32>
  }
  return
}
