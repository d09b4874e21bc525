// y[i] = index[i] < n ? table[index[i]] : 0 for i < count: one block gathers 256 elements through
// a tile of pointers. Lanes past the end, or whose index is outside of the table, read the padding.
// Launch ceil(count / 256) blocks.
cuda_tile.module @gather {
  entry @gather(%table: tile<ptr<f32>>, %index: tile<ptr<i32>>, %y: tile<ptr<f32>>, %n: tile<i32>, %count: tile<i32>) {
    %per_block = constant <i32: 256> : tile<i32>
    %no_index = constant <i32: -1> : tile<256xi32>
    %padding = constant <f32: 0.0> : tile<256xf32>
    %block, %block_y, %block_z = get_tile_block_id : tile<i32>
    %first = muli %block, %per_block : tile<i32>
    %lane = iota : tile<256xi32>
    %first_1 = reshape %first : tile<i32> -> tile<1xi32>
    %first_tile = broadcast %first_1 : tile<1xi32> -> tile<256xi32>
    %i = addi %first_tile, %lane : tile<256xi32>
    %count_1 = reshape %count : tile<i32> -> tile<1xi32>
    %count_tile = broadcast %count_1 : tile<1xi32> -> tile<256xi32>
    %inside = cmpi less_than %i, %count_tile, signed : tile<256xi32> -> tile<256xi1>

    %index_1 = reshape %index : tile<ptr<i32>> -> tile<1xptr<i32>>
    %index_base = broadcast %index_1 : tile<1xptr<i32>> -> tile<256xptr<i32>>
    %index_pointers = offset %index_base, %i : tile<256xptr<i32>>, tile<256xi32> -> tile<256xptr<i32>>
    %indices, %index_read = load_ptr_tko weak %index_pointers, %inside, %no_index : tile<256xptr<i32>>, tile<256xi1>, tile<256xi32> -> tile<256xi32>, token

    // As an unsigned number a negative index is large: one comparison checks both ends.
    %n_1 = reshape %n : tile<i32> -> tile<1xi32>
    %n_tile = broadcast %n_1 : tile<1xi32> -> tile<256xi32>
    %valid = cmpi less_than %indices, %n_tile, unsigned : tile<256xi32> -> tile<256xi1>
    %table_1 = reshape %table : tile<ptr<f32>> -> tile<1xptr<f32>>
    %table_base = broadcast %table_1 : tile<1xptr<f32>> -> tile<256xptr<f32>>
    %table_pointers = offset %table_base, %indices : tile<256xptr<f32>>, tile<256xi32> -> tile<256xptr<f32>>
    %values, %table_read = load_ptr_tko weak %table_pointers, %valid, %padding : tile<256xptr<f32>>, tile<256xi1>, tile<256xf32> -> tile<256xf32>, token

    %y_1 = reshape %y : tile<ptr<f32>> -> tile<1xptr<f32>>
    %y_base = broadcast %y_1 : tile<1xptr<f32>> -> tile<256xptr<f32>>
    %y_pointers = offset %y_base, %i : tile<256xptr<f32>>, tile<256xi32> -> tile<256xptr<f32>>
    %written = store_ptr_tko weak %y_pointers, %values, %inside : tile<256xptr<f32>>, tile<256xf32>, tile<256xi1> -> token
    return
  }
}
