// c[i] = a[i] + b[i] for i < n. One block adds 1024 elements: launch ceil(n / 1024) blocks.
// Elements of a tile that lie past the end of a view are neither read nor written.
// The pointers are aligned to 16 bytes, as allocators align; saying so lets accesses be wide.
cuda_tile.module @vector_add {
  entry @vector_add(%a: tile<ptr<f32>>, %b: tile<ptr<f32>>, %c: tile<ptr<f32>>, %n: tile<i32>) {
    %a_aligned = assume div_by<16>, %a : tile<ptr<f32>>
    %b_aligned = assume div_by<16>, %b : tile<ptr<f32>>
    %c_aligned = assume div_by<16>, %c : tile<ptr<f32>>
    %block, %y, %z = get_tile_block_id : tile<i32>
    %a_array = make_tensor_view %a_aligned, shape = [%n], strides = [1] : tile<i32> -> tensor_view<?xf32, strides=[1]>
    %b_array = make_tensor_view %b_aligned, shape = [%n], strides = [1] : tile<i32> -> tensor_view<?xf32, strides=[1]>
    %c_array = make_tensor_view %c_aligned, shape = [%n], strides = [1] : tile<i32> -> tensor_view<?xf32, strides=[1]>
    %a_tiles = make_partition_view %a_array : partition_view<tile=(1024), tensor_view<?xf32, strides=[1]>>
    %b_tiles = make_partition_view %b_array : partition_view<tile=(1024), tensor_view<?xf32, strides=[1]>>
    %c_tiles = make_partition_view %c_array : partition_view<tile=(1024), tensor_view<?xf32, strides=[1]>>
    %a_tile, %a_done = load_view_tko weak %a_tiles[%block] : partition_view<tile=(1024), tensor_view<?xf32, strides=[1]>>, tile<i32> -> tile<1024xf32>, token
    %b_tile, %b_done = load_view_tko weak %b_tiles[%block] : partition_view<tile=(1024), tensor_view<?xf32, strides=[1]>>, tile<i32> -> tile<1024xf32>, token
    %sum = addf %a_tile, %b_tile : tile<1024xf32>
    %c_done = store_view_tko weak %sum, %c_tiles[%block] : tile<1024xf32>, partition_view<tile=(1024), tensor_view<?xf32, strides=[1]>>, tile<i32> -> token
    return
  }
}
