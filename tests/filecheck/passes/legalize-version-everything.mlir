// RUN: not tile-opt %s -t tileirbc --bytecode-version 13.1 -o %t 2>&1 | filecheck %s --check-prefix REFUSED
// RUN: tile-opt %s -p 'legalize-version{to=13.1}' -t tileirbc --bytecode-version 13.1 -o %t
// RUN: tile-opt %t | filecheck %s

// A program with features of every version after 13.1 becomes one of 13.1.

// REFUSED:   error: {{.*}} needs bytecode version 13.

// CHECK:     global  @g <i32: 3>
// CHECK:     entry @k(
// CHECK-NOT: {{for unsigned|saturating|strided_view|inbounds|fpowi| pack|atomic_red|producer}}
// CHECK:     return
cuda_tile.module @m attributes {producer = "test"} {
  global private constant @g <i32: 3> : tile<4xi32>
  entry @k(%p: tile<ptr<f32>> {cuda_tile.check = "zeros:16"}, %n: tile<i32>) {
    %z = constant <i32: 0> : tile<i32>
    %g = get_global @g : tile<ptr<i32>>
    %x, %t = load_ptr_tko weak %p : tile<ptr<f32>> -> tile<f32>, token
    %i = ftoi %x signed saturating : tile<f32> -> tile<i32>
    %m = negi %i overflow<no_signed_wrap> : tile<i32>
    for unsigned %k in (%z to %n, step %n) : tile<i32> {
      %u = print_tko "%i", %m token=%t : tile<i32> -> token
    }
    %tv = make_tensor_view %p, shape = [4, 4], strides = [4, 1] : tensor_view<4x4xf32, strides=[4,1]>
    %sv = make_strided_view %tv : strided_view<tile=(2x2), traversal_strides=[1,1], padding_value = nan, tensor_view<4x4xf32, strides=[4,1]>>
    %tile, %t2 = load_view_tko weak %sv[%z, %z] inbounds = [true, true] : strided_view<tile=(2x2), traversal_strides=[1,1], padding_value = nan, tensor_view<4x4xf32, strides=[4,1]>>, tile<i32> -> tile<2x2xf32>, token
    %one = constant <i32: 2> : tile<2x2xi32>
    %pow = fpowi %tile, %one : tile<2x2xf32>, tile<2x2xi32>
    %flat = reshape %pow : tile<2x2xf32> -> tile<4xf32>
    %bytes = pack %flat : tile<4xf32> -> tile<16xi8>
    %pv = make_partition_view %tv : partition_view<tile=(2x2), tensor_view<4x4xf32, strides=[4,1]>>
    %t3 = atomic_red_view_tko relaxed device %pv[%z, %z], addf, %pow token = %t2 : tile<2x2xf32>, partition_view<tile=(2x2), tensor_view<4x4xf32, strides=[4,1]>>, tile<i32> -> token
    %t4 = print_tko "%i %i", %bytes, %g : tile<16xi8>, tile<ptr<i32>> -> token
    return
  }
}
