// o = softmax(scale * q * transpose(k)) * v for one head, without ever holding the whole score
// matrix: one block takes 64 queries and walks over the keys 64 at a time, keeping for each query
// the maximum so far (m), the sum of powers so far (l) and the weighted sum of values (acc). When
// the maximum grows, what was summed before is scaled down. q, k, v, o: f16, rows x 64, row-major.
// `scale` is that of the scores times log2(e), because the powers are of two. Queries come in
// multiples of 64, as do keys.
// The pointers are aligned to 16 bytes, as allocators align; saying so lets accesses be wide.
cuda_tile.module @attention {
  entry @attention(%q: tile<ptr<f16>>, %k: tile<ptr<f16>>, %v: tile<ptr<f16>>, %o: tile<ptr<f16>>, %queries: tile<i32>, %keys: tile<i32>, %scale: tile<f32>) {
    %q_aligned = assume div_by<16>, %q : tile<ptr<f16>>
    %k_aligned = assume div_by<16>, %k : tile<ptr<f16>>
    %v_aligned = assume div_by<16>, %v : tile<ptr<f16>>
    %o_aligned = assume div_by<16>, %o : tile<ptr<f16>>
    %zero = constant <i32: 0> : tile<i32>
    %one = constant <i32: 1> : tile<i32>
    %keys_per_step = constant <i32: 64> : tile<i32>
    %no_maximum = constant <f32: 0xFF800000> : tile<64x1xf32>
    %no_sum = constant <f32: 0.0> : tile<64x1xf32>
    %no_scores = constant <f32: 0.0> : tile<64x64xf32>
    %block, %block_y, %block_z = get_tile_block_id : tile<i32>
    %q_array = make_tensor_view %q_aligned, shape = [%queries, 64], strides = [64, 1] : tile<i32> -> tensor_view<?x64xf16, strides=[64,1]>
    %k_array = make_tensor_view %k_aligned, shape = [%keys, 64], strides = [64, 1] : tile<i32> -> tensor_view<?x64xf16, strides=[64,1]>
    %v_array = make_tensor_view %v_aligned, shape = [%keys, 64], strides = [64, 1] : tile<i32> -> tensor_view<?x64xf16, strides=[64,1]>
    %o_array = make_tensor_view %o_aligned, shape = [%queries, 64], strides = [64, 1] : tile<i32> -> tensor_view<?x64xf16, strides=[64,1]>
    %q_tiles = make_partition_view %q_array : partition_view<tile=(64x64), tensor_view<?x64xf16, strides=[64,1]>>
    // The dimension map transposes: a tile of k is 64 features x 64 keys.
    %k_tiles = make_partition_view %k_array : partition_view<tile=(64x64), tensor_view<?x64xf16, strides=[64,1]>, dim_map=[1, 0]>
    %v_tiles = make_partition_view %v_array : partition_view<tile=(64x64), tensor_view<?x64xf16, strides=[64,1]>>
    %o_tiles = make_partition_view %o_array : partition_view<tile=(64x64), tensor_view<?x64xf16, strides=[64,1]>>
    %q_tile, %q_read = load_view_tko weak %q_tiles[%block, %zero] : partition_view<tile=(64x64), tensor_view<?x64xf16, strides=[64,1]>>, tile<i32> -> tile<64x64xf16>, token
    %scale_1x1 = reshape %scale : tile<f32> -> tile<1x1xf32>
    %scale_tile = broadcast %scale_1x1 : tile<1x1xf32> -> tile<64x64xf32>
    %steps = divi %keys, %keys_per_step signed : tile<i32>
    %final:3 = for %step in (%zero to %steps, step %one) : tile<i32> iter_values(%m = %no_maximum, %l = %no_sum, %acc = %no_scores) -> (tile<64x1xf32>, tile<64x1xf32>, tile<64x64xf32>) {
      %k_tile, %k_read = load_view_tko weak %k_tiles[%zero, %step] : partition_view<tile=(64x64), tensor_view<?x64xf16, strides=[64,1]>, dim_map=[1, 0]>, tile<i32> -> tile<64x64xf16>, token
      %v_tile, %v_read = load_view_tko weak %v_tiles[%step, %zero] : partition_view<tile=(64x64), tensor_view<?x64xf16, strides=[64,1]>>, tile<i32> -> tile<64x64xf16>, token
      %products = mmaf %q_tile, %k_tile, %no_scores : tile<64x64xf16>, tile<64x64xf16>, tile<64x64xf32>
      %scores = mulf %products, %scale_tile : tile<64x64xf32>
      %largest = reduce %scores dim=1 identities=[0xFF800000 : f32] : tile<64x64xf32> -> tile<64xf32>
      (%max_lhs: tile<f32>, %max_rhs: tile<f32>) {
        %larger = maxf %max_lhs, %max_rhs : tile<f32>
        yield %larger : tile<f32>
      }
      %largest_column = reshape %largest : tile<64xf32> -> tile<64x1xf32>
      %m_next = maxf %m, %largest_column : tile<64x1xf32>
      %m_tile = broadcast %m_next : tile<64x1xf32> -> tile<64x64xf32>
      %shifted = subf %scores, %m_tile : tile<64x64xf32>
      %powers = exp2 %shifted : tile<64x64xf32>
      %m_grown = subf %m, %m_next : tile<64x1xf32>
      %shrink = exp2 %m_grown : tile<64x1xf32>
      %sums = reduce %powers dim=1 identities=[0.0 : f32] : tile<64x64xf32> -> tile<64xf32>
      (%sum_lhs: tile<f32>, %sum_rhs: tile<f32>) {
        %total = addf %sum_lhs, %sum_rhs : tile<f32>
        yield %total : tile<f32>
      }
      %sums_column = reshape %sums : tile<64xf32> -> tile<64x1xf32>
      %l_next = fma %l, %shrink, %sums_column : tile<64x1xf32>
      %shrink_tile = broadcast %shrink : tile<64x1xf32> -> tile<64x64xf32>
      %acc_shrunk = mulf %acc, %shrink_tile : tile<64x64xf32>
      %weights = ftof %powers : tile<64x64xf32> -> tile<64x64xf16>
      %acc_next = mmaf %weights, %v_tile, %acc_shrunk : tile<64x64xf16>, tile<64x64xf16>, tile<64x64xf32>
      continue %m_next, %l_next, %acc_next : tile<64x1xf32>, tile<64x1xf32>, tile<64x64xf32>
    }
    %l_tile = broadcast %final#1 : tile<64x1xf32> -> tile<64x64xf32>
    %mean = divf %final#2, %l_tile : tile<64x64xf32>
    %result = ftof %mean : tile<64x64xf32> -> tile<64x64xf16>
    %written = store_view_tko weak %result, %o_tiles[%block, %zero] : tile<64x64xf16>, partition_view<tile=(64x64), tensor_view<?x64xf16, strides=[64,1]>>, tile<i32> -> token
    return
  }
}
