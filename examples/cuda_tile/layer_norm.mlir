// y[r, :] = (x[r, :] - mean) / sqrt(variance + eps) * g + b with the mean and the variance of the
// row, the variance from the distances to the mean. Rows of 1024; one block does four of them.
// Launch ceil(rows / 4) blocks.
// The pointers are aligned to 16 bytes, as allocators align; saying so lets accesses be wide.
cuda_tile.module @layer_norm {
  entry @layer_norm(%x: tile<ptr<f32>>, %g: tile<ptr<f32>>, %b: tile<ptr<f32>>, %y: tile<ptr<f32>>, %rows: tile<i32>, %eps: tile<f32>) {
    %x_aligned = assume div_by<16>, %x : tile<ptr<f32>>
    %g_aligned = assume div_by<16>, %g : tile<ptr<f32>>
    %b_aligned = assume div_by<16>, %b : tile<ptr<f32>>
    %y_aligned = assume div_by<16>, %y : tile<ptr<f32>>
    %zero = constant <i32: 0> : tile<i32>
    %columns = constant <f32: 1024.0> : tile<4xf32>
    %block, %block_y, %block_z = get_tile_block_id : tile<i32>
    %x_array = make_tensor_view %x_aligned, shape = [%rows, 1024], strides = [1024, 1] : tile<i32> -> tensor_view<?x1024xf32, strides=[1024,1]>
    %y_array = make_tensor_view %y_aligned, shape = [%rows, 1024], strides = [1024, 1] : tile<i32> -> tensor_view<?x1024xf32, strides=[1024,1]>
    %g_array = make_tensor_view %g_aligned, shape = [1, 1024], strides = [1024, 1] : tensor_view<1x1024xf32, strides=[1024,1]>
    %b_array = make_tensor_view %b_aligned, shape = [1, 1024], strides = [1024, 1] : tensor_view<1x1024xf32, strides=[1024,1]>
    // Rows past the end are computed as well and not written; what they read is zero.
    %x_tiles = make_partition_view %x_array : partition_view<tile=(4x1024), padding_value = zero, tensor_view<?x1024xf32, strides=[1024,1]>>
    %y_tiles = make_partition_view %y_array : partition_view<tile=(4x1024), tensor_view<?x1024xf32, strides=[1024,1]>>
    %g_tiles = make_partition_view %g_array : partition_view<tile=(1x1024), tensor_view<1x1024xf32, strides=[1024,1]>>
    %b_tiles = make_partition_view %b_array : partition_view<tile=(1x1024), tensor_view<1x1024xf32, strides=[1024,1]>>
    %values, %x_read = load_view_tko weak %x_tiles[%block, %zero] : partition_view<tile=(4x1024), padding_value = zero, tensor_view<?x1024xf32, strides=[1024,1]>>, tile<i32> -> tile<4x1024xf32>, token
    %scale_row, %g_read = load_view_tko weak %g_tiles[%zero, %zero] : partition_view<tile=(1x1024), tensor_view<1x1024xf32, strides=[1024,1]>>, tile<i32> -> tile<1x1024xf32>, token
    %shift_row, %b_read = load_view_tko weak %b_tiles[%zero, %zero] : partition_view<tile=(1x1024), tensor_view<1x1024xf32, strides=[1024,1]>>, tile<i32> -> tile<1x1024xf32>, token
    %sum = reduce %values dim=1 identities=[0.0 : f32] : tile<4x1024xf32> -> tile<4xf32>
    (%sum_lhs: tile<f32>, %sum_rhs: tile<f32>) {
      %total = addf %sum_lhs, %sum_rhs : tile<f32>
      yield %total : tile<f32>
    }
    %mean = divf %sum, %columns : tile<4xf32>
    %mean_column = reshape %mean : tile<4xf32> -> tile<4x1xf32>
    %mean_tile = broadcast %mean_column : tile<4x1xf32> -> tile<4x1024xf32>
    %distances = subf %values, %mean_tile : tile<4x1024xf32>
    %squares = mulf %distances, %distances : tile<4x1024xf32>
    %square_sum = reduce %squares dim=1 identities=[0.0 : f32] : tile<4x1024xf32> -> tile<4xf32>
    (%square_lhs: tile<f32>, %square_rhs: tile<f32>) {
      %square_total = addf %square_lhs, %square_rhs : tile<f32>
      yield %square_total : tile<f32>
    }
    %variance = divf %square_sum, %columns : tile<4xf32>
    %eps_1 = reshape %eps : tile<f32> -> tile<1xf32>
    %eps_tile = broadcast %eps_1 : tile<1xf32> -> tile<4xf32>
    %raised = addf %variance, %eps_tile : tile<4xf32>
    %reciprocal = rsqrt %raised : tile<4xf32>
    %reciprocal_column = reshape %reciprocal : tile<4xf32> -> tile<4x1xf32>
    %reciprocal_tile = broadcast %reciprocal_column : tile<4x1xf32> -> tile<4x1024xf32>
    %normal = mulf %distances, %reciprocal_tile : tile<4x1024xf32>
    %scale = broadcast %scale_row : tile<1x1024xf32> -> tile<4x1024xf32>
    %shift = broadcast %shift_row : tile<1x1024xf32> -> tile<4x1024xf32>
    %result = fma %normal, %scale, %shift : tile<4x1024xf32>
    %written = store_view_tko weak %result, %y_tiles[%block, %zero] : tile<4x1024xf32>, partition_view<tile=(4x1024), tensor_view<?x1024xf32, strides=[1024,1]>>, tile<i32> -> token
    return
  }
}
