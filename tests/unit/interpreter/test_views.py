"""Tile views against a reference that addresses every element by the definition."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support.tile_programs import execute, printed

SHAPES = st.tuples(st.integers(1, 9), st.integers(1, 9))
TILES = st.tuples(st.sampled_from([1, 2, 4]), st.sampled_from([1, 2, 4]))


def view_type(kind: str, tile: tuple[int, int], **options: Any) -> str:
    tensor = "tensor_view<?x?xf32, strides=[?,1]>"
    padding = f"padding_value = {options['padding']}, " if options.get("padding") else ""
    dims = f", dim_map={list(options['dims'])}" if options.get("dims") else ""
    if kind == "strided":
        steps = ",".join(map(str, options["steps"]))
        middle = f"traversal_strides=[{steps}], {padding}"
    else:
        middle = padding
    return f"{kind}_view<tile=({tile[0]}x{tile[1]}), {middle}{tensor}{dims}>"


def copy_kernel(kind: str, view: str, tile: tuple[int, int]) -> tuple[str, str]:
    """Loads a tile and stores it whole into a dense 2-D array."""
    out = f"tensor_view<{tile[0]}x{tile[1]}xf32, strides=[{tile[1]},1]>"
    dense = f"partition_view<tile=({tile[0]}x{tile[1]}), {out}>"
    loaded = f"tile<{tile[0]}x{tile[1]}xf32>"
    parameters = (
        "%p: tile<ptr<f32>>, %q: tile<ptr<f32>>, "
        "%m: tile<i32>, %n: tile<i32>, %i: tile<i32>, %j: tile<i32>"
    )
    body = f"""
%zero = constant <i32: 0> : tile<i32>
%t = make_tensor_view %p, shape = [%m, %n], strides = [%n, 1]
  : tile<i32> -> tensor_view<?x?xf32, strides=[?,1]>
%w = make_{kind}_view %t : {view}
%v, %a = load_view_tko weak %w[%i, %j] : {view}, tile<i32> -> {loaded}, token
%o = make_tensor_view %q, shape = [{tile[0]}, {tile[1]}], strides = [{tile[1]}, 1] : {out}
%d = make_partition_view %o : {dense}
%b = store_view_tko weak %v, %d[%zero, %zero] : {loaded}, {dense}, tile<i32> -> token
"""
    return parameters, body


def reference(
    tensor: Any, tile: tuple[int, int], steps: tuple[int, int], dims: tuple[int, int],
    index: tuple[int, int], fill: float,
) -> Any:  # fmt: skip
    result = np.full(tile, fill, np.float32)
    for lane in itertools.product(*map(range, tile)):
        place = [0, 0]
        for axis in range(2):
            place[dims[axis]] = index[axis] * steps[axis] + lane[axis]
        if all(k < n for k, n in zip(place, tensor.shape, strict=True)):
            result[lane] = tensor[tuple(place)]
    return result


@settings(max_examples=40, deadline=None)
@given(data=st.data(), shape=SHAPES, tile=TILES)
def test_loads(data: Any, shape: tuple[int, int], tile: tuple[int, int]):
    kind = data.draw(st.sampled_from(["partition", "strided"]))
    steps = tile
    if kind == "strided":
        steps = data.draw(st.tuples(st.integers(1, 5), st.integers(1, 5)))
    dims: tuple[int, int] = data.draw(st.sampled_from([(0, 1), (1, 0)]))
    padding, fill = data.draw(st.sampled_from([("zero", 0.0), ("neg_inf", -np.inf)]))
    index = tuple(
        data.draw(st.integers(0, (shape[dims[axis]] - 1) // steps[axis])) for axis in range(2)
    )
    view = view_type(kind, tile, padding=padding, dims=dims if dims != (0, 1) else None,
                     steps=steps)  # fmt: skip
    parameters, body = copy_kernel(kind, view, tile)
    tensor = np.arange(shape[0] * shape[1], dtype=np.float32).reshape(shape) + 1
    loaded = np.zeros(tile, np.float32)
    execute(parameters, body, [tensor, loaded, *shape, *index])
    expected = reference(tensor, tile, steps, dims, (index[0], index[1]), fill)
    assert loaded.tolist() == expected.tolist()


@settings(max_examples=20, deadline=None)
@given(data=st.data(), shape=SHAPES, tile=TILES)
def test_stores_leave_the_outside_alone(data: Any, shape: tuple[int, int], tile: tuple[int, int]):
    dims: tuple[int, int] = data.draw(st.sampled_from([(0, 1), (1, 0)]))
    index = tuple(
        data.draw(st.integers(0, (shape[dims[axis]] - 1) // tile[axis])) for axis in range(2)
    )
    view = view_type("partition", tile, dims=dims if dims != (0, 1) else None)
    body = f"""
%t = make_tensor_view %p, shape = [%m, %n], strides = [%n, 1]
  : tile<i32> -> tensor_view<?x?xf32, strides=[?,1]>
%w = make_partition_view %t : {view}
%v = constant <f32: 1.0> : tile<{tile[0]}x{tile[1]}xf32>
%b = store_view_tko weak %v, %w[%i, %j]
  : tile<{tile[0]}x{tile[1]}xf32>, {view}, tile<i32> -> token
"""
    parameters = "%p: tile<ptr<f32>>, %m: tile<i32>, %n: tile<i32>, %i: tile<i32>, %j: tile<i32>"
    tensor, mask = np.zeros(shape, np.float32), np.zeros(shape, np.float32)
    execute(parameters, body, [tensor, *shape, *index])
    rows = slice(index[dims.index(0)] * tile[dims.index(0)], None)
    columns = slice(index[dims.index(1)] * tile[dims.index(1)], None)
    window = mask[rows, columns]
    window[: tile[dims.index(0)], : tile[dims.index(1)]] = 1
    assert tensor.tolist() == mask.tolist()


@pytest.mark.parametrize("sparse", [0, 1])
def test_gather_and_scatter_choose_rows_by_element(sparse: int):
    """Along the sparse dimension indices name elements, along the other one tiles."""
    view = (
        f"gather_scatter_view<tile=(4x4), tensor_view<8x8xf32, strides=[8,1]>, sparse_dim={sparse}>"
    )
    order = "%rows, %one" if sparse == 0 else "%one, %rows"
    types = "tile<4xi32>, tile<i32>" if sparse == 0 else "tile<i32>, tile<4xi32>"
    body = f"""
%one = constant <i32: 1> : tile<i32>
%rows = constant <i32: [6, 0, 3, 5]> : tile<4xi32>
%t = make_tensor_view %p, shape = [8, 8], strides = [8, 1] : tensor_view<8x8xf32, strides=[8,1]>
%w = make_gather_scatter_view %t : {view}
%v, %a = load_view_tko weak %w[{order}] : {view}, {types} -> tile<4x4xf32>, token
%n = negf %v : tile<4x4xf32>
%b = store_view_tko weak %n, %w[{order}] token = %a : tile<4x4xf32>, {view}, {types} -> token
%print = print_tko "%.0f", %v : tile<4x4xf32> -> token
"""
    tensor = np.arange(64, dtype=np.float32).reshape(8, 8)
    rows = np.ix_([6, 0, 3, 5], range(4, 8)) if sparse == 0 else np.ix_(range(4, 8), [6, 0, 3, 5])
    expected = tensor.copy()
    expected[rows] *= -1
    shown = "[" + ", ".join(f"[{', '.join(f'{x:.0f}' for x in r)}]" for r in tensor[rows]) + "]"
    assert printed("%p: tile<ptr<f32>>", body, [tensor]) == shown
    assert tensor.tolist() == expected.tolist()


def test_index_space():
    body = """
%t = make_tensor_view %p, shape = [%m, %n], strides = [%n, 1]
  : tile<i32> -> tensor_view<?x?xf32, strides=[?,1]>
%a = make_partition_view %t
  : partition_view<tile=(4x8), tensor_view<?x?xf32, strides=[?,1]>, dim_map=[1, 0]>
%b = make_strided_view %t
  : strided_view<tile=(4x8), traversal_strides=[2,3], tensor_view<?x?xf32, strides=[?,1]>>
%c = make_gather_scatter_view %t
  : gather_scatter_view<tile=(4x8), tensor_view<?x?xf32, strides=[?,1]>, sparse_dim=0>
%x:2 = get_index_space_shape %a
  : partition_view<tile=(4x8), tensor_view<?x?xf32, strides=[?,1]>, dim_map=[1, 0]> -> tile<i32>
%y:2 = get_index_space_shape %b
  : strided_view<tile=(4x8), traversal_strides=[2,3], tensor_view<?x?xf32, strides=[?,1]>>
  -> tile<i64>
%z:2 = get_index_space_shape %c
  : gather_scatter_view<tile=(4x8), tensor_view<?x?xf32, strides=[?,1]>, sparse_dim=0> -> tile<i32>
%s:2 = get_tensor_shape %t : tensor_view<?x?xf32, strides=[?,1]> -> tile<i32>
%p0 = print_tko "%d %d/%d %d/%d %d/%d %d", %x#0, %x#1, %y#0, %y#1, %z#0, %z#1, %s#0, %s#1
  : tile<i32>, tile<i32>, tile<i64>, tile<i64>, tile<i32>, tile<i32>, tile<i32>, tile<i32> -> token
"""
    out = printed(
        "%p: tile<ptr<f32>>, %m: tile<i32>, %n: tile<i32>", body, [np.zeros(1, np.float32), 9, 10]
    )
    # 10 / 4 and 9 / 8, 9 / 2 and 10 / 3, 9 rows and 10 / 8, all rounded up.
    assert out == "3 2/5 4/9 2/9 10"


@pytest.mark.parametrize("packed", [True, False])
def test_f4_elements_share_bytes(packed: bool):
    import ml_dtypes

    view = "partition_view<tile=(4), tensor_view<6xf4E2M1FN, strides=[1]>>"
    body = f"""
%one = constant <i32: 1> : tile<i32>
%zero = constant <i32: 0> : tile<i32>
%s = make_tensor_view %p, shape = [6], strides = [1] : tensor_view<6xf4E2M1FN, strides=[1]>
%w = make_partition_view %s : {view}
%v, %a = load_view_tko weak %w[%zero] : {view}, tile<i32> -> tile<4xf4E2M1FN>, token
%b = store_view_tko weak %v, %w[%one] token = %a : tile<4xf4E2M1FN>, {view}, tile<i32> -> token
"""
    values = np.array([0.5, -1, 3, 6, 0, 0]).astype(ml_dtypes.float4_e2m1fn)
    expected = [0.5, -1, 3, 6, 0.5, -1]
    if not packed:
        execute("%p: tile<ptr<f4E2M1FN>>", body, [values])
        assert values.astype(np.float32).tolist() == expected
        return
    nibbles = values.view(np.uint8)
    memory = nibbles[0::2] | nibbles[1::2] << 4
    execute("%p: tile<ptr<f4E2M1FN>>", body, [memory])
    unpacked = np.stack([memory & 15, memory >> 4], axis=1).reshape(-1)
    assert unpacked.view(ml_dtypes.float4_e2m1fn).astype(np.float32).tolist() == expected


def test_padding_keeps_what_is_unspecified_out():
    """Rows past the end hold padding and count in a sum; without padding they spoil it."""
    kernel = """
%zero = constant <i32: 0> : tile<i32>
%t = make_tensor_view %p, shape = [3], strides = [1] : tensor_view<3xf32, strides=[1]>
%w = make_partition_view %t : VIEW
%v, %a = load_view_tko weak %w[%zero] : VIEW, tile<i32> -> tile<4xf32>, token
%s = reduce %v dim=0 identities=[0.0 : f32] : tile<4xf32> -> tile<f32>
(%x: tile<f32>, %y: tile<f32>) {
  %z = addf %x, %y : tile<f32>
  yield %z : tile<f32>
}
%print = print_tko "%.1f", %s : tile<f32> -> token
"""
    ones = np.ones(3, np.float32)
    padded = "partition_view<tile=(4), padding_value = zero, tensor_view<3xf32, strides=[1]>>"
    assert printed("%p: tile<ptr<f32>>", kernel.replace("VIEW", padded), [ones]) == "3.0"
    plain = padded.replace("padding_value = zero, ", "")
    assert printed("%p: tile<ptr<f32>>", kernel.replace("VIEW", plain), [ones]) == "?"
