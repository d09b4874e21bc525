// RUN: tile-opt %s -p 'legalize-version{to=13.1}' --split-input-file --verify-diagnostics

// What has no equivalent is refused where it stands.

cuda_tile.module @m {
  entry @refused(%x: tile<f32>) {
    // expected-error@+1 {{'cuda_tile.gdc_wait_tko': the operation needs bytecode version 13.4, but version 13.1 was asked for}}
    %t = gdc_wait_tko -> token
    // expected-error@+1 {{'cuda_tile.alloca': the operation needs bytecode version 13.3}}
    %p = alloca num_elem = 1, alignment = 4 : tile<ptr<f32>>
    // expected-error@+1 {{'cuda_tile.tanh': attribute 'rounding_mode' (#cuda_tile.rounding<approx>) needs bytecode version 13.2}}
    %y = tanh %x rounding<approx> : tile<f32>
    %u = store_ptr_tko weak %p, %y : tile<ptr<f32>>, tile<f32> -> token
    return
  }
}
