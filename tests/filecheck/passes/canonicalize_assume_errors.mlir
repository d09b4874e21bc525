// RUN: tile-opt %s -p canonicalize --split-input-file --verify-diagnostics

// Bounds that leave nothing are an error with both places.

cuda_tile.module @m {
  entry @contradiction(%n: tile<i32>) {
    // expected-note@+1 {{bounded<0, 10> is assumed here}}
    %a = assume bounded<0, 10>, %n : tile<i32>
    %b = assume div_by<4>, %a : tile<i32>
    // expected-error@+1 {{assumption bounded<11, ?> contradicts an earlier one}}
    %c = assume bounded<11, ?>, %b : tile<i32>
    %t = print_tko "%i", %c : tile<i32> -> token
    return
  }
}

// -----

cuda_tile.module @m {
  entry @constant() {
    // expected-note@+1 {{the constant is defined here}}
    %k = constant <i32: 6> : tile<i32>
    // expected-error@+1 {{assumption div_by<4> is false: its value is constant}}
    %a = assume div_by<4>, %k : tile<i32>
    %t = print_tko "%i", %a : tile<i32> -> token
    return
  }
}

// -----

// Not where the program may never get to.

cuda_tile.module @m {
  entry @guarded(%n: tile<i32>, %c: tile<i1>) {
    %false = constant <i1: false> : tile<i1>
    %k = constant <i32: 6> : tile<i32>
    %a = assume bounded<0, 10>, %n : tile<i32>
    if %c {
      %b = assume bounded<11, ?>, %a : tile<i32>
      %d = assume div_by<4>, %k : tile<i32>
      %t = print_tko "%i %i", %b, %d : tile<i32>, tile<i32> -> token
    }
    if %false {
      %b = assume bounded<0, 10>, %n : tile<i32>
      %d = assume bounded<11, ?>, %b : tile<i32>
      %t = print_tko "%i", %d : tile<i32> -> token
    }
    return
  }
}
