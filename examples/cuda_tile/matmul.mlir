// c = a * b for f16 matrices of m x k and k x n, accumulated in f32: one block computes 128 x 128
// elements of c in steps of 64 along k. Launch ceil(n / 128) x ceil(m / 128) blocks. What lies past
// the end of a matrix is read as zero and not written.
// The pointers are aligned to 16 bytes, as allocators align; saying so lets accesses be wide.
cuda_tile.module @matmul {
  entry @matmul(%a: tile<ptr<f16>>, %b: tile<ptr<f16>>, %c: tile<ptr<f32>>, %m: tile<i32>, %n: tile<i32>, %k: tile<i32>) {
    %a_aligned = assume div_by<16>, %a : tile<ptr<f16>>
    %b_aligned = assume div_by<16>, %b : tile<ptr<f16>>
    %c_aligned = assume div_by<16>, %c : tile<ptr<f32>>
    %zero = constant <i32: 0> : tile<i32>
    %one = constant <i32: 1> : tile<i32>
    %k_per_step = constant <i32: 64> : tile<i32>
    %initial = constant <f32: 0.0> : tile<128x128xf32>
    %column, %row, %unused = get_tile_block_id : tile<i32>
    // Rows are multiples of 16 bytes: n and k come in multiples of eight.
    %n_multiple = assume div_by<8>, %n : tile<i32>
    %k_multiple = assume div_by<8>, %k : tile<i32>
    %a_array = make_tensor_view %a_aligned, shape = [%m, %k_multiple], strides = [%k_multiple, 1] : tile<i32> -> tensor_view<?x?xf16, strides=[?,1]>
    %b_array = make_tensor_view %b_aligned, shape = [%k_multiple, %n_multiple], strides = [%n_multiple, 1] : tile<i32> -> tensor_view<?x?xf16, strides=[?,1]>
    %c_array = make_tensor_view %c_aligned, shape = [%m, %n_multiple], strides = [%n_multiple, 1] : tile<i32> -> tensor_view<?x?xf32, strides=[?,1]>
    %a_tiles = make_partition_view %a_array : partition_view<tile=(128x64), padding_value = zero, tensor_view<?x?xf16, strides=[?,1]>>
    %b_tiles = make_partition_view %b_array : partition_view<tile=(64x128), padding_value = zero, tensor_view<?x?xf16, strides=[?,1]>>
    %c_tiles = make_partition_view %c_array : partition_view<tile=(128x128), tensor_view<?x?xf32, strides=[?,1]>>
    %steps = divi %k, %k_per_step signed rounding<positive_inf> : tile<i32>
    %product = for %step in (%zero to %steps, step %one) : tile<i32> iter_values(%sum = %initial) -> (tile<128x128xf32>) {
      %a_tile, %a_read = load_view_tko weak %a_tiles[%row, %step] : partition_view<tile=(128x64), padding_value = zero, tensor_view<?x?xf16, strides=[?,1]>>, tile<i32> -> tile<128x64xf16>, token
      %b_tile, %b_read = load_view_tko weak %b_tiles[%step, %column] : partition_view<tile=(64x128), padding_value = zero, tensor_view<?x?xf16, strides=[?,1]>>, tile<i32> -> tile<64x128xf16>, token
      %next = mmaf %a_tile, %b_tile, %sum : tile<128x64xf16>, tile<64x128xf16>, tile<128x128xf32>
      continue %next : tile<128x128xf32>
    }
    %written = store_view_tko weak %product, %c_tiles[%row, %column] : tile<128x128xf32>, partition_view<tile=(128x128), tensor_view<?x?xf32, strides=[?,1]>>, tile<i32> -> token
    return
  }
}
