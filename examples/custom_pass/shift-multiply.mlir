// RUN: tile-opt %s -p shift-multiply | filecheck %s

cuda_tile.module @m {
  // CHECK-LABEL: entry @multiply
  // CHECK:         %[[THREE:.*]] = constant <i32: 3> : tile<i32>
  // CHECK:         shli %arg1, %[[THREE]] : tile<i32>
  // CHECK:         muli %arg1, %cst_7_i32 : tile<i32>
  // CHECK:         muli %arg1, %cst_8_i32 overflow<no_signed_wrap> : tile<i32>
  entry @multiply(%p: tile<ptr<i32>>, %n: tile<i32>) {
    %c8 = constant <i32: 8> : tile<i32>
    %c7 = constant <i32: 7> : tile<i32>
    %a = muli %n, %c8 : tile<i32>
    %b = muli %n, %c7 : tile<i32>
    %c = muli %n, %c8 overflow<no_signed_wrap> : tile<i32>
    %d = addi %a, %b : tile<i32>
    %e = addi %d, %c : tile<i32>
    %t = store_ptr_tko weak %p, %e : tile<ptr<i32>>, tile<i32> -> token
    return
  }
}
