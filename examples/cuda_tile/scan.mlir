// y[r, :] = the running sums of x[r, :] in rows of 1024, and total[r] = the sum of the row: one
// block for each row.
// The pointers are aligned to 16 bytes, as allocators align; saying so lets accesses be wide.
cuda_tile.module @scan {
  entry @scan(%x: tile<ptr<f32>>, %y: tile<ptr<f32>>, %total: tile<ptr<f32>>, %rows: tile<i32>) {
    %x_aligned = assume div_by<16>, %x : tile<ptr<f32>>
    %y_aligned = assume div_by<16>, %y : tile<ptr<f32>>
    %zero = constant <i32: 0> : tile<i32>
    %row, %block_y, %block_z = get_tile_block_id : tile<i32>
    %x_array = make_tensor_view %x_aligned, shape = [%rows, 1024], strides = [1024, 1] : tile<i32> -> tensor_view<?x1024xf32, strides=[1024,1]>
    %y_array = make_tensor_view %y_aligned, shape = [%rows, 1024], strides = [1024, 1] : tile<i32> -> tensor_view<?x1024xf32, strides=[1024,1]>
    %x_tiles = make_partition_view %x_array : partition_view<tile=(1x1024), tensor_view<?x1024xf32, strides=[1024,1]>>
    %y_tiles = make_partition_view %y_array : partition_view<tile=(1x1024), tensor_view<?x1024xf32, strides=[1024,1]>>
    %values, %read = load_view_tko weak %x_tiles[%row, %zero] : partition_view<tile=(1x1024), tensor_view<?x1024xf32, strides=[1024,1]>>, tile<i32> -> tile<1x1024xf32>, token
    %sums = scan %values dim=1 reverse=false identities=[0.0 : f32] : tile<1x1024xf32> -> tile<1x1024xf32>
    (%so_far: tile<f32>, %element: tile<f32>) {
      %next = addf %so_far, %element : tile<f32>
      yield %next : tile<f32>
    }
    %written = store_view_tko weak %sums, %y_tiles[%row, %zero] : tile<1x1024xf32>, partition_view<tile=(1x1024), tensor_view<?x1024xf32, strides=[1024,1]>>, tile<i32> -> token
    // The last of the 1024 single-element parts of the row.
    %last = constant <i32: 1023> : tile<i32>
    %row_total = extract %sums[%zero, %last] : tile<1x1024xf32> -> tile<1x1xf32>
    %scalar = reshape %row_total : tile<1x1xf32> -> tile<f32>
    %total_pointer = offset %total, %row : tile<ptr<f32>>, tile<i32> -> tile<ptr<f32>>
    %total_written = store_ptr_tko weak %total_pointer, %scalar : tile<ptr<f32>>, tile<f32> -> token
    return
  }
}
