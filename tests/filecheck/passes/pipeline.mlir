// RUN: tile-opt %s --pass-pipeline='builtin.module(cuda_tile.module(cuda_tile.entry(fuse-fma),cse))' | filecheck %s
// RUN: tile-opt %s -p fuse-fma,cse | filecheck %s
// RUN: tile-opt %s -p 'canonicalize,fuse-fma{duplicate=true}' --pass-statistics --time-passes -o %t 2>&1 | filecheck %s --check-prefix COUNTS
// RUN: tile-opt %s -p cse,fuse-fma --print-ir-after-change -o %t 2>&1 | filecheck %s --check-prefix CHANGE
// RUN: tile-opt %s -p cse,fuse-fma --print-ir-after-all -o %t 2>&1 | filecheck %s --check-prefix ALL
// RUN: tile-opt %s -p cse,fuse-fma --print-ir-before=fuse-fma -o %t 2>&1 | filecheck %s --check-prefix BEFORE
// RUN: tile-opt %s -p canonicalize,cse,licm,fuse-fma --check-semantics --no-verify-each | filecheck %s
// RUN: not tile-opt %s -p fuse-fna 2>&1 | filecheck %s --check-prefix UNKNOWN
// RUN: not tile-opt %s --pass-pipeline='cuda_tile.module(cse)' 2>&1 | filecheck %s --check-prefix ROOT
// RUN: not tile-opt %s --pass-pipeline='builtin.module(cse' 2>&1 | filecheck %s --check-prefix OPEN
// RUN: not tile-opt %s -p cse --pass-pipeline='builtin.module(cse)' 2>&1 | filecheck %s --check-prefix BOTH
// RUN: not tile-opt %s -p 'fuse-fma{duplicate=yes}' 2>&1 | filecheck %s --check-prefix TYPE
// RUN: not tile-opt %s -p 'fuse-fma{duplicate}' 2>&1 | filecheck %s --check-prefix EMPTY

// CHECK:      fma %arg0, %arg1, %arg2
// CHECK-NOT:  mulf

// COUNTS:     Pass times
// COUNTS:       canonicalize
// COUNTS:     total
// COUNTS:     Pass statistics
// COUNTS:     canonicalize: nothing
// COUNTS:     fuse-fma
// COUNTS-NEXT:  1  fuse-sum

// CHANGE-NOT: After cse
// CHANGE:     // -----// IR Dump After fuse-fma //----- //
// CHANGE:     fma

// ALL:        // -----// IR Dump After cse //----- //
// ALL:        // -----// IR Dump After fuse-fma //----- //

// BEFORE:     // -----// IR Dump Before fuse-fma //----- //
// BEFORE:     addf
// BEFORE-NOT: fma

// UNKNOWN: error: unknown pass 'fuse-fna', did you mean 'fuse-fma'?
// ROOT:    error: a nested pipeline starts at 'builtin.module(...)', not at 'cuda_tile.module'
// OPEN:    error: missing ')' in the pipeline
// BOTH:    error: -p and --pass-pipeline say the same: use one of them
// TYPE:    error: pass 'fuse-fma': option 'duplicate' cannot be 'yes': it takes bool
// EMPTY:   error: pass 'fuse-fma': option 'duplicate' has no value: it takes bool
cuda_tile.module @m {
  entry @k(%a: tile<f32>, %b: tile<f32>, %c: tile<f32>) {
    %p = mulf %a, %b : tile<f32>
    %r = addf %p, %c : tile<f32>
    %t = print_tko "%f", %r : tile<f32> -> token
    return
  }
}
