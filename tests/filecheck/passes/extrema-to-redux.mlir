// RUN: tile-opt %s -p extrema-to-redux --split-input-file | filecheck %s
// RUN: tile-opt %s -p 'extrema-to-redux{target=sm_100}' --split-input-file | filecheck %s --check-prefix SM100
// RUN: tile-opt %s -p extrema-to-redux --split-input-file --remarks=extrema-to-redux -o %t 2>&1 | filecheck %s --check-prefix REMARK

// Four neighbours first, then integers in the order of the numbers, NaN below all of them. Where
// the target has the instruction for f32, nothing changes.

// CHECK-LABEL: entry @max
// CHECK:         %[[G:.*]] = reshape %{{.*}} : tile<8x128xf32> -> tile<8x32x4xf32>
// CHECK:         %[[FOURS:.*]] = reduce %[[G]] dim=2 identities=[0x7FC00000 : f32]
// CHECK:           maxf
// CHECK:         %[[NAN:.*]] = cmpf not_equal unordered %[[FOURS]], %[[FOURS]]
// CHECK:         %[[BITS:.*]] = bitcast %[[FOURS]] : tile<8x32xf32> -> tile<8x32xi32>
// CHECK:         %[[KEY:.*]] = xori %[[BITS]]
// CHECK:         %[[LOST:.*]] = constant <i32: -2143289345>
// CHECK:         %[[SAFE:.*]] = select %[[NAN]], %[[LOST]], %[[KEY]]
// CHECK:         %[[R:.*]] = reduce %[[SAFE]] dim=1 identities=[-2147483648 : i32]
// CHECK:           maxi %{{.*}}, %{{.*}} signed
// CHECK:         %[[BACK:.*]] = xori %[[R]]
// CHECK:         %[[V:.*]] = bitcast %[[BACK]] : tile<8xi32> -> tile<8xf32>
// CHECK:         print_tko "%f", %[[V]]
// SM100-LABEL: entry @max
// SM100:         reduce %{{.*}} dim=1
// SM100-NOT:     bitcast
// REMARK: extrema-to-redux.mlir:[[# @LINE + 4]]:10: remark: reduced between lanes as integers of the same order
cuda_tile.module @m {
  entry @max() {
    %x = constant <f32: 0.0> : tile<8x128xf32>
    %m = reduce %x dim=1 identities=[0x7FC00000 : f32] : tile<8x128xf32> -> tile<8xf32>
    (%a: tile<f32>, %b: tile<f32>) {
      %c = maxf %a, %b : tile<f32>
      yield %c : tile<f32>
    }
    %t = print_tko "%f", %m : tile<8xf32> -> token
    return
  }
}

// -----

// NaN is above all numbers where the least one is looked for.

// CHECK-LABEL: entry @min
// CHECK:         constant <i32: 2143289344>
// CHECK:         reduce %{{.*}} dim=1 identities=[2147483647 : i32]
// CHECK:           mini %{{.*}}, %{{.*}} signed
cuda_tile.module @m {
  entry @min() {
    %x = constant <f32: 0.0> : tile<4x256xf32>
    %m = reduce %x dim=1 identities=[0x7FC00000 : f32] : tile<4x256xf32> -> tile<4xf32>
    (%a: tile<f32>, %b: tile<f32>) {
      %c = minf %a, %b : tile<f32>
      yield %c : tile<f32>
    }
    %t = print_tko "%f", %m : tile<4xf32> -> token
    return
  }
}

// -----

// Few rows, short rows, columns, NaN that wins and another identity stay.

// CHECK-LABEL: entry @others
// CHECK-NOT:     bitcast
cuda_tile.module @m {
  entry @others() {
    %x = constant <f32: 0.0> : tile<1x1024xf32>
    %y = constant <f32: 0.0> : tile<8x64xf32>
    %z = constant <f32: 0.0> : tile<128x128xf32>
    %0 = reduce %x dim=1 identities=[0x7FC00000 : f32] : tile<1x1024xf32> -> tile<1xf32>
    (%a: tile<f32>, %b: tile<f32>) {
      %c = maxf %a, %b : tile<f32>
      yield %c : tile<f32>
    }
    %1 = reduce %y dim=1 identities=[0x7FC00000 : f32] : tile<8x64xf32> -> tile<8xf32>
    (%a: tile<f32>, %b: tile<f32>) {
      %c = maxf %a, %b : tile<f32>
      yield %c : tile<f32>
    }
    %2 = reduce %z dim=0 identities=[0x7FC00000 : f32] : tile<128x128xf32> -> tile<128xf32>
    (%a: tile<f32>, %b: tile<f32>) {
      %c = maxf %a, %b : tile<f32>
      yield %c : tile<f32>
    }
    %3 = reduce %z dim=1 identities=[0xFF800000 : f32] : tile<128x128xf32> -> tile<128xf32>
    (%a: tile<f32>, %b: tile<f32>) {
      %c = maxf %a, %b propagate_nan : tile<f32>
      yield %c : tile<f32>
    }
    %4 = reduce %z dim=1 identities=[0xFF800000 : f32] : tile<128x128xf32> -> tile<128xf32>
    (%a: tile<f32>, %b: tile<f32>) {
      %c = maxf %a, %b : tile<f32>
      yield %c : tile<f32>
    }
    %t = print_tko "%f %f %f %f %f", %0, %1, %2, %3, %4 : tile<1xf32>, tile<8xf32>, tile<128xf32>, tile<128xf32>, tile<128xf32> -> token
    return
  }
}

// -----

// An entry with products keeps its reductions, whose rows lie in other lanes.

// CHECK-LABEL: entry @product
// CHECK:         mmaf
// CHECK:         reduce %{{.*}} dim=1
// CHECK-NOT:     bitcast
cuda_tile.module @m {
  entry @product() {
    %x = constant <f16: 0.0> : tile<128x128xf16>
    %z = constant <f32: 0.0> : tile<128x128xf32>
    %p = mmaf %x, %x, %z : tile<128x128xf16>, tile<128x128xf16>, tile<128x128xf32>
    %m = reduce %p dim=1 identities=[0x7FC00000 : f32] : tile<128x128xf32> -> tile<128xf32>
    (%a: tile<f32>, %b: tile<f32>) {
      %c = maxf %a, %b : tile<f32>
      yield %c : tile<f32>
    }
    %t = print_tko "%f", %m : tile<128xf32> -> token
    return
  }
}
