"""What operations answer: shapes, selection, packing, control flow, printing.

The arithmetic itself is tested with `numerics`.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from support.tile_programs import execute, printed

from tileir_xdsl.diagnostics import DiagnosticError
from tileir_xdsl.interpreter.printing import format_values

IOTA = """
%i = iota : tile<8xi32>
%m = reshape %i : tile<8xi32> -> tile<2x4xi32>
%zero = constant <i32: 0> : tile<i32>
%one = constant <i32: 1> : tile<i32>
%two = constant <i32: 2> : tile<i32>
"""


def show(value: str, type: str, conversion: str = "%d") -> str:
    return f'%printed = print_tko "{conversion}", {value} : {type} -> token'


def result(body: str, type: str, conversion: str = "%d") -> str:
    """What `%r` of a type holds after a body."""
    return printed("", f"{IOTA}{body}\n{show('%r', type, conversion)}")


@pytest.mark.parametrize(
    ("body", "type", "expected"),
    [
        ("%r = permute %m [1, 0] : tile<2x4xi32> -> tile<4x2xi32>", "tile<4x2xi32>",
         "[[0, 4], [1, 5], [2, 6], [3, 7]]"),
        ("%r = cat %m, %m dim = 0 : tile<2x4xi32>, tile<2x4xi32> -> tile<4x4xi32>", "tile<4x4xi32>",
         "[[0, 1, 2, 3], [4, 5, 6, 7], [0, 1, 2, 3], [4, 5, 6, 7]]"),
        ("%r = cat %m, %m dim = 1 : tile<2x4xi32>, tile<2x4xi32> -> tile<2x8xi32>", "tile<2x8xi32>",
         "[[0, 1, 2, 3, 0, 1, 2, 3], [4, 5, 6, 7, 4, 5, 6, 7]]"),
        # Indices count slices, not elements.
        ("%r = extract %m[%one, %one] : tile<2x4xi32> -> tile<1x2xi32>", "tile<1x2xi32>",
         "[[6, 7]]"),
        ("%s = constant <i32: 9> : tile<1x2xi32>\n"
         "%r = insert %s, %m[%one, %zero] : tile<1x2xi32>, tile<2x4xi32>", "tile<2x4xi32>",
         "[[0, 1, 2, 3], [9, 9, 6, 7]]"),
        ("%r = reshape %m : tile<2x4xi32> -> tile<4x2xi32>", "tile<4x2xi32>",
         "[[0, 1], [2, 3], [4, 5], [6, 7]]"),
        # A broadcast tile is reshaped, cut and joined like any other.
        ("%c = reshape %i : tile<8xi32> -> tile<8x1xi32>\n"
         "%b = broadcast %c : tile<8x1xi32> -> tile<8x2xi32>\n"
         "%f = reshape %b : tile<8x2xi32> -> tile<16xi32>\n"
         "%r = extract %f[%one] : tile<16xi32> -> tile<8xi32>", "tile<8xi32>",
         "[4, 4, 5, 5, 6, 6, 7, 7]"),
        ("%c = constant <i32: 7> : tile<2x4xi32>\n"
         "%d = cat %c, %m dim = 0 : tile<2x4xi32>, tile<2x4xi32> -> tile<4x4xi32>\n"
         "%r = permute %d [1, 0] : tile<4x4xi32> -> tile<4x4xi32>", "tile<4x4xi32>",
         "[[7, 7, 0, 4], [7, 7, 1, 5], [7, 7, 2, 6], [7, 7, 3, 7]]"),
        ("%c = constant <i32: 7> : tile<4x2xi32>\n"
         "%r = reshape %c : tile<4x2xi32> -> tile<8xi32>", "tile<8xi32>",
         "[7, 7, 7, 7, 7, 7, 7, 7]"),
        ("%c = constant <i32: 7> : tile<8xi32>\n"
         "%r = extract %c[%one] : tile<8xi32> -> tile<2xi32>", "tile<2xi32>", "[7, 7]"),
        ("%t = trunci %i : tile<8xi32> -> tile<8xi16>\n"
         "%r = pack %t : tile<8xi16> -> tile<16xi8>", "tile<16xi8>",
         "[0, 0, 1, 0, 2, 0, 3, 0, 4, 0, 5, 0, 6, 0, 7, 0]"),
        ("%t = trunci %i : tile<8xi32> -> tile<8xi8>\n"
         "%u = unpack %t : tile<8xi8> -> tile<16xi4>\n"
         "%r = exti %u unsigned : tile<16xi4> -> tile<16xi32>", "tile<16xi32>",
         "[0, 0, 1, 0, 2, 0, 3, 0, 4, 0, 5, 0, 6, 0, 7, 0]"),
        ("%c = constant <i1: [true, false]> : tile<2xi1>\n"
         "%a = constant <i32: 1> : tile<2xi32>\n%b = constant <i32: 2> : tile<2xi32>\n"
         "%r = select %c, %a, %b : tile<2xi1>, tile<2xi32>", "tile<2xi32>", "[1, 2]"),
    ],
)  # fmt: skip
def test_tiles(body: str, type: str, expected: str):
    assert result(body, type) == expected


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ("%r = atan2 %a, %b : tile<f32>", "1.0304"),
        ("%r = remf %a, %b : tile<f32>", "2.0000"),
        ("%r = fpowf %a, %b : tile<f32>", "125.0000"),
        ("%r = fma %a, %b, %c : tile<f32>", "8.0000"),
        ("%r = divf %a, %b rounding<zero> : tile<f32>", "1.6667"),
    ],
)
def test_order_of_operands(body: str, expected: str):
    """Operations of several operands take them in the order that they are written in."""
    constants = "\n".join(
        f"%{name} = constant <f32: {value}> : tile<f32>"
        for name, value in (("a", 5.0), ("b", 3.0), ("c", -7.0))
    )
    assert printed("", f"{constants}\n{body}\n{show('%r', 'tile<f32>', '%.4f')}") == expected


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        # Bounds are compared signed or unsigned as the loop says.
        ("for %k in (%minus to %two, step %one) : tile<i32> {\nBODY\n}", "-1;0;1;"),
        ("for unsigned %k in (%minus to %two, step %one) : tile<i32> {\nBODY\n}", ""),
        ("for %k in (%two to %two, step %one) : tile<i32> {\nBODY\n}", ""),
        ("for %k in (%zero to %five, step %two) : tile<i32> {\nBODY\n}", "0;2;4;"),
    ],
)
def test_for(body: str, expected: str):
    constants = (
        "%minus = constant <i32: -1> : tile<i32>\n%five = constant <i32: 5> : tile<i32>\n" + IOTA
    )
    body = body.replace("BODY", show("%k", "tile<i32>", "%d;"))
    assert printed("", constants + body) == expected


def test_carried_values_change_places_at_once():
    body = """
%r:2 = for %k in (%zero to %one, step %one) : tile<i32>
  iter_values(%a = %one, %b = %two) -> (tile<i32>, tile<i32>) {
  continue %b, %a : tile<i32>, tile<i32>
}
%p = print_tko "%d %d", %r#0, %r#1 : tile<i32>, tile<i32> -> token
"""
    assert printed("", IOTA + body) == "2 1"


def test_break_and_continue_leave_nested_branches():
    body = f"""
%three = constant <i32: 3> : tile<i32>
%r = loop iter_values(%k = %zero) : tile<i32> -> tile<i32> {{
  %next = addi %k, %one : tile<i32>
  %odd = andi %next, %one : tile<i32>
  %is_odd = cmpi equal %odd, %one, signed : tile<i32> -> tile<i1>
  %late = cmpi greater_than %next, %three, signed : tile<i32> -> tile<i1>
  if %is_odd {{
    if %late {{
      break %next : tile<i32>
    }}
    continue %next : tile<i32>
  }}
  {show("%next", "tile<i32>", "%d;")}
  continue %next : tile<i32>
}}
%last = print_tko "%d", %r : tile<i32> -> token
"""
    assert printed("", IOTA + body) == "2;4;5"


def test_return_ends_the_block_from_inside():
    body = f"""
%b, %by, %bz = get_tile_block_id : tile<i32>
%first = cmpi equal %b, %zero, signed : tile<i32> -> tile<i1>
if %first {{
  loop {{
    if %first {{
      return
    }}
    continue
  }}
}}
{show("%b", "tile<i32>", "%d;")}
"""
    assert printed("", IOTA + body, grid=3) == "1;2;"


def test_if_yields_the_values_of_the_taken_branch():
    body = """
%n:2 = if %c -> (tile<i32>, tile<i32>) {
  yield %one, %two : tile<i32>, tile<i32>
} else {
  yield %two, %zero : tile<i32>, tile<i32>
}
%p = print_tko "%d %d", %n#0, %n#1 : tile<i32>, tile<i32> -> token
"""
    assert printed("%c: tile<i1>", IOTA + body, [True]) == "1 2"
    assert printed("%c: tile<i1>", IOTA + body, [False]) == "2 0"


def test_blocks_are_numbered_x_first():
    body = """
%x, %y, %z = get_tile_block_id : tile<i32>
%nx, %ny, %nz = get_num_tile_blocks : tile<i32>
%p = print_tko "%d%d%d/%d%d%d ", %x, %y, %z, %nx, %ny, %nz
  : tile<i32>, tile<i32>, tile<i32>, tile<i32>, tile<i32>, tile<i32> -> token
"""
    assert printed("", body, grid=(2, 1, 2)) == "000/212 100/212 001/212 101/212 "


def test_unspecified_lanes_do_not_spread_through_selection():
    """Masked lanes that a select, an and with zero or a mask keeps out are harmless."""
    body = """
%i = iota : tile<4xi32>
%two = constant <i32: 2> : tile<4xi32>
%pad = constant <i32: 7> : tile<4xi32>
%none = constant <i32: 0> : tile<4xi32>
%m = cmpi less_than %i, %two, signed : tile<4xi32> -> tile<4xi1>
%p1 = reshape %p : tile<ptr<i32>> -> tile<1xptr<i32>>
%pb = broadcast %p1 : tile<1xptr<i32>> -> tile<4xptr<i32>>
%ps = offset %pb, %i : tile<4xptr<i32>>, tile<4xi32> -> tile<4xptr<i32>>
%v, %t = load_ptr_tko weak %ps, %m : tile<4xptr<i32>>, tile<4xi1> -> tile<4xi32>, token
%s = select %m, %v, %pad : tile<4xi1>, tile<4xi32>
%a = andi %v, %none : tile<4xi32>
%r = addi %s, %a : tile<4xi32>
%u = store_ptr_tko weak %ps, %r token=%t : tile<4xptr<i32>>, tile<4xi32> -> token
%w = print_tko "%d", %v : tile<4xi32> -> token
"""
    memory = np.array([5, 6, 1, 1], np.int32)
    assert printed("%p: tile<ptr<i32>>", body, [memory]) == "[5, 6, ?, ?]"
    assert memory.tolist() == [5, 6, 7, 7]


@pytest.mark.parametrize(
    ("text", "value", "width", "expected"),
    [
        ("%d", np.int32(-1), 32, "-1"),
        ("%u", np.int32(-1), 32, "4294967295"),
        ("%x", np.int8(-1), 8, "ff"),
        ("%5d|", np.int32(7), 32, "    7|"),
        ("%-5d|", np.int32(7), 32, "7    |"),
        ("%lld", np.int64(7), 64, "7"),
        ("%.2f", np.float32(1.005), None, "1.00"),
        ("%e", np.float16(1.5), None, "1.500000e+00"),
        ("%g", np.float32(np.inf), None, "inf"),
        ("%f", np.int32(2), 32, "2.000000"),
        ("%d", np.float32(2.7), None, "2"),
        ("%d", np.bool_(True), 1, "1"),
        ("%c", np.int8(65), 8, "A"),
        ("%p", np.int64(255), 64, "0xff"),
        ("%a", np.float32(0.5), None, "0x1.0000000000000p-1"),
        ("100%% %d", np.int32(3), 32, "100% 3"),
    ],
)
def test_formats(text: str, value: Any, width: int | None, expected: str):
    assert format_values(text, [(np.asarray(value), None, width)]) == expected


def test_globals_keep_their_content_between_launches():
    from support.tile_programs import module_of, program

    from tileir_xdsl.interpreter import reset_globals, run

    text = program(
        "%out: tile<ptr<i32>>",
        """
%g = get_global @count : tile<ptr<i32>>
%one = constant <i32: 1> : tile<i32>
%v, %t = atomic_rmw_tko relaxed device %g, add, %one
  : tile<ptr<i32>>, tile<i32> -> tile<i32>, token
%s = store_ptr_tko weak %out, %v : tile<ptr<i32>>, tile<i32> -> token
""",
        "global @count <i32: 40> : tile<1xi32>",
    )
    module, out = module_of(text), np.zeros(1, np.int32)
    for expected in (40, 41, 42):
        run(module, args=[out])
        assert out[0] == expected
    run(module_of(text), args=[out])
    assert out[0] == 40
    reset_globals(module)
    run(module, args=[out])
    assert out[0] == 40


def test_allocated_memory_ends_with_its_block():
    body = """
%a = alloca num_elem = 1, alignment = 4 : tile<ptr<i32>>
%w = ptr_to_int %a : tile<ptr<i32>> -> tile<i64>
%b, %by, %bz = get_tile_block_id : tile<i32>
%zero = constant <i32: 0> : tile<i32>
%first = cmpi equal %b, %zero, signed : tile<i32> -> tile<i1>
if %first {
  %s = store_ptr_tko relaxed device %p, %w : tile<ptr<i64>>, tile<i64> -> token
} else {
  %v, %t = load_ptr_tko relaxed device %p : tile<ptr<i64>> -> tile<i64>, token
  %q = int_to_ptr %v : tile<i64> -> tile<ptr<i32>>
  %s = store_ptr_tko weak %q, %b : tile<ptr<i32>>, tile<i32> -> token
}
"""
    with pytest.raises(DiagnosticError, match=r"memory allocated by block \(0, 0, 0\) after"):
        execute("%p: tile<ptr<i64>>", body, [np.zeros(1, np.int64)], grid=2)
    execute(
        "%p: tile<ptr<i64>>",
        body.replace("alignment = 4", "alignment = 4 global"),
        [np.zeros(1, np.int64)],
        grid=2,
    )


@pytest.mark.parametrize(
    ("mode", "element", "before", "operand", "after"),
    [
        ("add", "i32", 5, 3, 8),
        ("and", "i32", 5, 3, 1),
        ("or", "i32", 5, 3, 7),
        ("xor", "i32", 5, 3, 6),
        ("max", "i32", -1, 3, 3),
        ("umax", "i32", -1, 3, -1),
        ("min", "i32", -1, 3, -1),
        ("umin", "i32", -1, 3, 3),
        ("xchg", "i32", 5, 3, 3),
        ("addf", "f32", 0.5, 0.25, 0.75),
        ("xchg", "f64", 0.5, 0.25, 0.25),
    ],
)
def test_atomic_modes(mode: str, element: str, before: Any, operand: Any, after: Any):
    body = f"""
%v, %t = atomic_rmw_tko relaxed device %p, {mode}, %x
  : tile<ptr<{element}>>, tile<{element}> -> tile<{element}>, token
%o = store_ptr_tko weak %q, %v : tile<ptr<{element}>>, tile<{element}> -> token
"""
    dtype = {"i32": np.int32, "f32": np.float32, "f64": np.float64}[element]
    memory, old = np.array([before], dtype), np.zeros(1, dtype)
    parameters = f"%p: tile<ptr<{element}>>, %q: tile<ptr<{element}>>, %x: tile<{element}>"
    execute(parameters, body, [memory, old, operand])
    assert memory[0] == after
    assert old[0] == before


def test_lanes_of_an_atomic_take_effect_in_order():
    body = """
%i = iota : tile<4xi32>
%one = constant <i32: 1> : tile<4xi32>
%k = shri %i, %one unsigned : tile<4xi32>
%p1 = reshape %p : tile<ptr<i32>> -> tile<1xptr<i32>>
%pb = broadcast %p1 : tile<1xptr<i32>> -> tile<4xptr<i32>>
%ps = offset %pb, %k : tile<4xptr<i32>>, tile<4xi32> -> tile<4xptr<i32>>
%v, %t = atomic_rmw_tko relaxed device %ps, add, %i
  : tile<4xptr<i32>>, tile<4xi32> -> tile<4xi32>, token
%w = print_tko "%d", %v : tile<4xi32> -> token
"""
    memory = np.array([10, 20], np.int32)
    assert printed("%p: tile<ptr<i32>>", body, [memory]) == "[10, 10, 20, 22]"
    assert memory.tolist() == [11, 25]


def test_compare_and_swap_compares_encodings():
    body = """
%v, %t = atomic_cas_tko relaxed device %p, %a, %b
  : tile<ptr<f32>>, tile<f32> -> tile<f32>, token
"""
    parameters = "%p: tile<ptr<f32>>, %a: tile<f32>, %b: tile<f32>"
    memory = np.array([-0.0], np.float32)
    execute(parameters, body, [memory, 0.0, 1.0])
    assert np.signbit(memory[0])
    execute(parameters, body, [memory, -0.0, 1.0])
    assert memory[0] == 1
    memory[0] = np.nan
    execute(parameters, body, [memory, np.float32(np.nan), 2.0])
    assert memory[0] == 2


@pytest.mark.parametrize(("element", "values"), [
    ("i1", [True, False, True, True]),
    ("i8", [1, -2, 3, -4]),
    ("f16", [0.5, -1, 2, 3]),
    ("bf16", [0.5, -1, 2, 3]),
    ("f8E4M3FN", [0.5, -1, 2, 448]),
    ("f8E5M2", [0.5, -1, 2, 57344]),
    ("tf32", [0.5, -1, 2, 3]),
    ("f64", [0.5, -1, 2, 3]),
])  # fmt: skip
def test_elements_of_all_sizes_pass_through_memory(element: str, values: list[Any]):
    from tileir_xdsl.numerics import FORMATS

    body = f"""
%zero = constant <i32: 0> : tile<i32>
%s = make_tensor_view %p, shape = [4], strides = [1] : tensor_view<4x{element}, strides=[1]>
%d = make_tensor_view %q, shape = [4], strides = [1] : tensor_view<4x{element}, strides=[1]>
%sv = make_partition_view %s : partition_view<tile=(4), tensor_view<4x{element}, strides=[1]>>
%dv = make_partition_view %d : partition_view<tile=(4), tensor_view<4x{element}, strides=[1]>>
%v, %t = load_view_tko weak %sv[%zero] : partition_view<tile=(4), tensor_view<4x{element}, strides=[1]>>, tile<i32> -> tile<4x{element}>, token
%u = store_view_tko weak %v, %dv[%zero] : tile<4x{element}>, partition_view<tile=(4), tensor_view<4x{element}, strides=[1]>>, tile<i32> -> token
"""  # noqa: E501
    dtype = FORMATS[element].dtype
    source, target = np.array(values).astype(dtype), np.zeros(4, dtype)
    execute(f"%p: tile<ptr<{element}>>, %q: tile<ptr<{element}>>", body, [source, target])
    assert source.tobytes() == target.tobytes()
