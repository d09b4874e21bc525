// The launch grid, globals, assumptions and printing.
// RUN: tile-opt %s | filecheck %s --strict-whitespace
// RUN: tile-opt %s --print-op-generic | filecheck %s --check-prefix=GENERIC
// RUN: tile-opt %s -t tileirbc -o %t && tile-opt %t --bare | filecheck %s --strict-whitespace

// CHECK-LABEL: global  @weights <f32: [1.000000e+00, 5.000000e-01]> : tile<2xf32>
// GENERIC: "cuda_tile.global"() <{alignment = 0 : i64, sym_name = "weights", symbol_visibility = #cuda_tile.symbol_visibility<public>, value = dense<[1.000000e+00, 5.000000e-01]> : !cuda_tile.tile<2xf32>}>
global @weights <f32: [1.0, 0.5]> : tile<2xf32>

// CHECK-LABEL: entry @get_global(
// CHECK: %0 = get_global @weights : tile<ptr<f32>>
// GENERIC-LABEL: sym_name = "get_global"
// GENERIC: "cuda_tile.get_global"() <{name = @weights}>
entry @get_global() {
  %0 = get_global @weights : tile<ptr<f32>>
}

// CHECK-LABEL: entry @get_tile_block_id(
// CHECK: %blockId_x, %blockId_y, %blockId_z = get_tile_block_id : tile<i32>
// GENERIC-LABEL: sym_name = "get_tile_block_id"
// GENERIC: %0:3 = "cuda_tile.get_tile_block_id"() : () -> (!cuda_tile.tile<i32>, !cuda_tile.tile<i32>, !cuda_tile.tile<i32>)
entry @get_tile_block_id() {
  %x, %y, %z = get_tile_block_id : tile<i32>
}

// CHECK-LABEL: entry @get_num_tile_blocks(
// CHECK: %gridSize_x, %gridSize_y, %gridSize_z = get_num_tile_blocks : tile<i32>
entry @get_num_tile_blocks() {
  %x, %y, %z = get_num_tile_blocks : tile<i32>
}

// The suggested name holds that of the operand, when it has one.
// CHECK-LABEL: entry @assume(
// CHECK: %assume = assume div_by<16>, %arg0 : tile<ptr<f32>>
// CHECK: %assume_reshape = assume div_by<8, every 1 along 0>, %reshape : tile<1xi32>
// CHECK: %assume_0 = assume bounded<0, ?>, %arg1 : tile<i32>
// CHECK: %assume_reshape_1 = assume same_elements<[1]>, %reshape : tile<1xi32>
// GENERIC-LABEL: sym_name = "assume"
// GENERIC: "cuda_tile.assume"(%{{.*}}) <{predicate = #cuda_tile.div_by<16>}>
// GENERIC: predicate = #cuda_tile.bounded<0, ?>
entry @assume(%p: tile<ptr<f32>>, %n: tile<i32>) {
  %0 = assume div_by<16>, %p : tile<ptr<f32>>
  %1 = reshape %n : tile<i32> -> tile<1xi32>
  %2 = assume #cuda_tile.div_by<8, every 1 along 0>, %1 : tile<1xi32>
  %3 = assume bounded<0, ?>, %n : tile<i32>
  %4 = assume same_elements<[1]>, %1 : tile<1xi32>
}

// `print` is the name in 13.1, where the operation has no result.
// CHECK-LABEL: entry @print_tko(
// CHECK: %0 = print_tko "hello\0A" -> token
// CHECK: %1 = print_tko "%d and %f", %arg0, %arg1 token=%0 : tile<i32>, tile<f32> -> token
// CHECK: %2 = print_tko "%i", %arg0 : tile<i32> -> token
entry @print_tko(%n: tile<i32>, %x: tile<f32>) {
  %t = print_tko "hello\n" -> token
  %u = print_tko "%d and %f", %n, %x token=%t : tile<i32>, tile<f32> -> token
  %v = print "%i", %n : tile<i32>
}
