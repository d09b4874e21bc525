// y[r, :] = exp(x[r, :] - m) / sum(exp(x[r, :] - m)) with m = max(x[r, :]): softmax of each row of
// an array of rows x 1024. One block does four rows at a time and goes on as far as its rows reach:
// any number of blocks will do.
// The pointers are aligned to 16 bytes, as allocators align; saying so lets accesses be wide.
cuda_tile.module @softmax {
  entry @softmax(%x: tile<ptr<f32>>, %y: tile<ptr<f32>>, %rows: tile<i32>) {
    %x_aligned = assume div_by<16>, %x : tile<ptr<f32>>
    %y_aligned = assume div_by<16>, %y : tile<ptr<f32>>
    %zero = constant <i32: 0> : tile<i32>
    %rows_per_step = constant <i32: 4> : tile<i32>
    %block, %block_y, %block_z = get_tile_block_id : tile<i32>
    %blocks, %blocks_y, %blocks_z = get_num_tile_blocks : tile<i32>
    %x_array = make_tensor_view %x_aligned, shape = [%rows, 1024], strides = [1024, 1] : tile<i32> -> tensor_view<?x1024xf32, strides=[1024,1]>
    %y_array = make_tensor_view %y_aligned, shape = [%rows, 1024], strides = [1024, 1] : tile<i32> -> tensor_view<?x1024xf32, strides=[1024,1]>
    %x_tiles = make_partition_view %x_array : partition_view<tile=(4x1024), tensor_view<?x1024xf32, strides=[1024,1]>>
    %y_tiles = make_partition_view %y_array : partition_view<tile=(4x1024), tensor_view<?x1024xf32, strides=[1024,1]>>
    %steps = divi %rows, %rows_per_step signed rounding<positive_inf> : tile<i32>
    for %step in (%block to %steps, step %blocks) : tile<i32> {
      %values, %read = load_view_tko weak %x_tiles[%step, %zero] : partition_view<tile=(4x1024), tensor_view<?x1024xf32, strides=[1024,1]>>, tile<i32> -> tile<4x1024xf32>, token
      %max = reduce %values dim=1 identities=[0xFF800000 : f32] : tile<4x1024xf32> -> tile<4xf32>
      (%max_lhs: tile<f32>, %max_rhs: tile<f32>) {
        %larger = maxf %max_lhs, %max_rhs : tile<f32>
        yield %larger : tile<f32>
      }
      %max_column = reshape %max : tile<4xf32> -> tile<4x1xf32>
      %max_tile = broadcast %max_column : tile<4x1xf32> -> tile<4x1024xf32>
      %shifted = subf %values, %max_tile : tile<4x1024xf32>
      %powers = exp %shifted : tile<4x1024xf32>
      %sum = reduce %powers dim=1 identities=[0.0 : f32] : tile<4x1024xf32> -> tile<4xf32>
      (%sum_lhs: tile<f32>, %sum_rhs: tile<f32>) {
        %total = addf %sum_lhs, %sum_rhs : tile<f32>
        yield %total : tile<f32>
      }
      %sum_column = reshape %sum : tile<4xf32> -> tile<4x1xf32>
      %sum_tile = broadcast %sum_column : tile<4x1xf32> -> tile<4x1024xf32>
      %quotient = divf %powers, %sum_tile : tile<4x1024xf32>
      %written = store_view_tko weak %quotient, %y_tiles[%step, %zero] : tile<4x1024xf32>, partition_view<tile=(4x1024), tensor_view<?x1024xf32, strides=[1024,1]>>, tile<i32> -> token
    }
    return
  }
}
