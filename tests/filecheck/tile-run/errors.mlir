// RUN: not tile-run %s 2>&1 | filecheck %s --check-prefix=MISSING
// RUN: not tile-run %s --arg p=zeros:1 --arg n=1 --arg z=2 2>&1 | filecheck %s --check-prefix=UNKNOWN
// RUN: not tile-run %s --arg p=zeros:1 --arg n=many 2>&1 | filecheck %s --check-prefix=NUMBER
// RUN: not tile-run %s --arg p=nothing.npy --arg n=1 2>&1 | filecheck %s --check-prefix=FILE
// RUN: not tile-run %s --arg p=zeros:f64:1 --arg n=1 2>&1 | filecheck %s --check-prefix=TYPE
// RUN: not tile-run %s --arg p --arg n=1 2>&1 | filecheck %s --check-prefix=FORM
// RUN: not tile-run %s --grid 0 2>&1 | filecheck %s --check-prefix=GRID
// RUN: not tile-run %s --kernel other 2>&1 | filecheck %s --check-prefix=KERNEL
// RUN: not tile-run %s --arg p=zeros:1 --arg n=1 --save n=%t 2>&1 | filecheck %s --check-prefix=SAVE
// RUN: not tile-run %s --jobs 0 2>&1 | filecheck %s --check-prefix=JOBS
// RUN: not tile-run %S/absent.mlir 2>&1 | filecheck %s --check-prefix=ABSENT

// MISSING: tile-run: error: no argument for parameter 'p' of @k
// MISSING-NEXT: note: fix: --arg p=VALUE
// UNKNOWN: tile-run: error: @k has no parameter 'z'; it has p, n
// NUMBER: tile-run: error: --arg n: 'many' is not an integer
// FILE: tile-run: error: --arg p: cannot read nothing.npy: No such file or directory
// TYPE: errors.mlir:[[# @LINE + 9]]:3: error: parameter 'p' points to f32, but the array holds float64
// TYPE: note: fix: pass an array of float32
// FORM: tile-run: error: --arg p: expected --arg NAME=VALUE
// GRID: tile-run: error: --grid 0: expected one to three positive numbers, as in 8x4
// KERNEL: error: no entry @other; there is @k
// SAVE: tile-run: error: 'n' is no array among the arguments
// JOBS: tile-run: error: argument --jobs: invalid
// ABSENT: absent.mlir: error: cannot read the file
cuda_tile.module @m {
  entry @k(%p: tile<ptr<f32>>, %n: tile<i32>) {
    return
  }
}
