// RUN: tile-opt %s -p 'legalize-version{to=13.1}' --split-input-file | filecheck %s
// RUN: tile-opt %s -p 'legalize-version{to=13.3}' --split-input-file | filecheck %s --check-prefix V133

// Claims go; unsigned bounds that are not negative are signed ones.

// CHECK-LABEL:  entry @claims(
// CHECK-NOT:      check
// CHECK-NOT:      unsigned
// CHECK-NOT:      inbounds
// CHECK:          for %loopIdx in (%cst_0_i32 to %cst_8_i32, step %cst_2_i32) : tile<i32> {
// V133-LABEL:   entry @claims(
// V133:           for unsigned
// V133-NOT:       inbounds
cuda_tile.module @m {
  entry @claims(%p: tile<ptr<f32>> {cuda_tile.check = "zeros:8"}) {
    %c0 = constant <i32: 0> : tile<i32>
    %c2 = constant <i32: 2> : tile<i32>
    %c8 = constant <i32: 8> : tile<i32>
    %tv = make_tensor_view %p, shape = [16], strides = [1] : tensor_view<16xf32, strides=[1]>
    %pv = make_partition_view %tv : partition_view<tile=(2), tensor_view<16xf32, strides=[1]>>
    for unsigned %i in (%c0 to %c8, step %c2) : tile<i32> {
      %x, %t = load_view_tko weak %pv[%i] inbounds = [true] : partition_view<tile=(2), tensor_view<16xf32, strides=[1]>>, tile<i32> -> tile<2xf32>, token
      %u = print_tko "%f", %x : tile<2xf32> -> token
    }
    return
  }
}

// -----

// A conversion that saturates selects the limits.

// CHECK-LABEL:  entry @saturating(
// CHECK:          %[[LOW:.*]] = constant <f32: -2.147{{.*}}E+9> : tile<f32>
// CHECK:          %[[HIGH:.*]] = constant <f32: 2.147{{.*}}E+9> : tile<f32>
// CHECK:          select
// CHECK:          ftoi %{{[0-9]+}} signed  : tile<f32> -> tile<i32>
// CHECK:          select
// CHECK:          select
// V133-LABEL:   entry @saturating(
// V133-NOT:       saturating
cuda_tile.module @m {
  entry @saturating(%x: tile<f32>) {
    %i = ftoi %x signed saturating : tile<f32> -> tile<i32>
    %t = print_tko "%i", %i : tile<i32> -> token
    return
  }
}

// -----

// A strided view is pointers with a mask; 13.3 has it.

// CHECK-LABEL:  entry @strided(
// CHECK-NOT:      view
// CHECK:          %[[OFFSET:.*]] = offset
// CHECK:          load_ptr_tko weak %[[OFFSET]], %{{.*}}, %{{.*}} : tile<4xptr<f32>>, tile<4xi1>, tile<4xf32>
// V133-LABEL:   entry @strided(
// V133:           load_view_tko
cuda_tile.module @m {
  entry @strided(%p: tile<ptr<f32>>, %n: tile<i32>) {
    %tv = make_tensor_view %p, shape = [%n], strides = [1] : tile<i32> -> tensor_view<?xf32, strides=[1]>
    %sv = make_strided_view %tv : strided_view<tile=(4), traversal_strides=[2], padding_value = neg_inf, tensor_view<?xf32, strides=[1]>>
    %x, %t = load_view_tko weak %sv[%n] : strided_view<tile=(4), traversal_strides=[2], padding_value = neg_inf, tensor_view<?xf32, strides=[1]>>, tile<i32> -> tile<4xf32>, token
    %u = print_tko "%f", %x : tile<4xf32> -> token
    return
  }
}
