"""For each kind of undefined behaviour a program that has it beside one that has not."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest
from support.tile_programs import marked_line, module_of, program

from tileir_xdsl.diagnostics import DiagnosticError, Severity
from tileir_xdsl.interpreter import COSTLY, KINDS, UndefinedBehaviour, run

Arguments = Callable[[], list[Any]]


def floats(n: int) -> Any:
    return np.arange(n, dtype=np.float32)


def ints(*values: int) -> Any:
    return np.array(values, np.int32)


@dataclass
class Pair:
    """Two programs, or one with two lists of arguments."""

    kind: str
    parameters: str
    bad: str
    """The line that is undefined ends in `// here`."""
    bad_args: Arguments
    good: str | None = None
    """None: the same program."""
    good_args: Arguments | None = None
    grid: int = 1
    good_grid: int | None = None
    lane: tuple[int, ...] | None = None
    block: tuple[int, int, int] = (0, 0, 0)
    message: str = ""
    globals: str = ""

    def __str__(self) -> str:
        return f"{self.kind}-{self.message.replace(' ', '_')}"


LANES = """
%i = iota : tile<8xi32>
%p1 = reshape %p : tile<ptr<f32>> -> tile<1xptr<f32>>
%pb = broadcast %p1 : tile<1xptr<f32>> -> tile<8xptr<f32>>
%ps = offset %pb, %i : tile<8xptr<f32>>, tile<8xi32> -> tile<8xptr<f32>>
"""
LOAD = "load_ptr_tko weak %ps : tile<8xptr<f32>> -> tile<8xf32>, token"
STORE = "store_ptr_tko weak %ps, %v : tile<8xptr<f32>>, tile<8xf32> -> token"
VALUES = "%v = constant <f32: 1.0> : tile<8xf32>"
TV = "tensor_view<?xf32, strides=[1]>"
PV = f"partition_view<tile=(8), {TV}>"
VIEW = f"""
%t = make_tensor_view %p, shape = [%n], strides = [1] : tile<i32> -> {TV}
%w = make_partition_view %t : {PV}
"""
INDEX = "%b, %by, %bz = get_tile_block_id : tile<i32>"


def binary(op: str, type: str = "i32") -> str:
    return f"""
%x1 = reshape %x : tile<{type}> -> tile<1x{type}>
%y1 = reshape %y : tile<{type}> -> tile<1x{type}>
%r = {op}  // here
"""


def numbers(*values: Any) -> Arguments:
    return lambda: list(values)


PAIRS = [
    # Memory.
    Pair(
        "out-of-bounds",
        "%p: tile<ptr<f32>>",
        f"{LANES}%v, %d = {LOAD}  // here",
        lambda: [floats(7)],
        good_args=lambda: [floats(8)],
        lane=(7,),
        message="reads outside of argument 'p', which has 28 bytes",
    ),
    Pair(
        "out-of-bounds",
        "%p: tile<ptr<f32>>",
        f"{LANES}{VALUES}\n%d = {STORE}  // here",
        lambda: [floats(3)],
        good_args=lambda: [floats(8)],
        lane=(3,),
        message="writes outside of argument 'p'",
    ),
    Pair(
        "out-of-bounds",
        "%p: tile<ptr<f32>>, %n: tile<i32>",
        "%q = offset %p, %n : tile<ptr<f32>>, tile<i32> -> tile<ptr<f32>>\n"
        "%v, %d = load_ptr_tko weak %q : tile<ptr<f32>> -> tile<f32>, token  // here",
        lambda: [floats(4), -1],
        good_args=lambda: [floats(4), 3],
        message="reads outside",
    ),
    Pair(
        "out-of-bounds",
        "%p: tile<ptr<f32>>, %n: tile<i32>",
        f"{VIEW}{INDEX}\n%v, %d = load_view_tko weak %w[%b] : {PV}, tile<i32> "
        "-> tile<8xf32>, token  // here",
        lambda: [floats(12), 16],
        good_args=lambda: [floats(12), 12],
        grid=2,
        lane=(7,),
        block=(1, 0, 0),
        message="reads outside of argument 'p', which has 48 bytes",
    ),
    Pair(
        "dangling",
        "%p: tile<ptr<f32>>",
        "%v, %d = load_ptr_tko weak %p : tile<ptr<f32>> -> tile<f32>, token  // here",
        lambda: [None],
        good_args=lambda: [floats(1)],
        message="an address that belongs to no buffer",
    ),
    Pair(
        "misaligned",
        "%p: tile<ptr<f32>>, %n: tile<i32>",
        "%b = ptr_to_ptr %p : tile<ptr<f32>> -> tile<ptr<i8>>\n"
        "%c = offset %b, %n : tile<ptr<i8>>, tile<i32> -> tile<ptr<i8>>\n"
        "%q = ptr_to_ptr %c : tile<ptr<i8>> -> tile<ptr<f32>>\n"
        "%v, %d = load_ptr_tko weak %q : tile<ptr<f32>> -> tile<f32>, token  // here",
        lambda: [floats(4), 2],
        good_args=lambda: [floats(4), 4],
        message="no multiple of 4",
    ),
    Pair(
        "constant-write",
        "%v: tile<f32>",
        "%p = get_global @g : tile<ptr<f32>>\n"
        "%d = store_ptr_tko weak %p, %v : tile<ptr<f32>>, tile<f32> -> token  // here",
        numbers(1.0),
        good="%p = get_global @h : tile<ptr<f32>>\n"
        "%d = store_ptr_tko weak %p, %v : tile<ptr<f32>>, tile<f32> -> token",
        globals="global constant @g <f32: 1.0> : tile<4xf32>\nglobal @h <f32: 1.0> : tile<4xf32>",
        message="global @g, which is constant",
    ),
    # Views.
    Pair(
        "index-space",
        "%p: tile<ptr<f32>>, %n: tile<i32>",
        f"{VIEW}{INDEX}\n%v, %d = load_view_tko weak %w[%b] : {PV}, tile<i32> "
        "-> tile<8xf32>, token  // here",
        lambda: [floats(16), 8],
        good_args=lambda: [floats(16), 9],
        grid=2,
        block=(1, 0, 0),
        message="view index 0 is outside the index space of 1",
    ),
    Pair(
        "index-space",
        "%p: tile<ptr<f32>>, %n: tile<i32>",
        f"{VIEW}%m = constant <i32: -1> : tile<i32>\n{VALUES}\n"
        f"%d = store_view_tko weak %v, %w[%m] : tile<8xf32>, {PV}, tile<i32> -> token  // here",
        lambda: [floats(16), 16],
        good=f"{VIEW}%m = constant <i32: 1> : tile<i32>\n{VALUES}\n"
        f"%d = store_view_tko weak %v, %w[%m] : tile<8xf32>, {PV}, tile<i32> -> token",
        good_args=lambda: [floats(16), 16],
        message="index = 4294967295",
    ),
    Pair(
        "inbounds",
        "%p: tile<ptr<f32>>, %n: tile<i32>",
        f"{VIEW}{INDEX}\n%v, %d = load_view_tko weak %w[%b] inbounds = [true] : {PV}, tile<i32> "
        "-> tile<8xf32>, token  // here",
        lambda: [floats(16), 12],
        good_args=lambda: [floats(16), 16],
        grid=2,
        block=(1, 0, 0),
        message="in spite of inbounds",
    ),
    Pair(
        "tensor-view",
        "%p: tile<ptr<f32>>, %n: tile<i32>",
        f"%t = make_tensor_view %p, shape = [%n], strides = [1] : tile<i32> -> {TV}  // here",
        lambda: [floats(1), -1],
        good_args=lambda: [floats(1), 0],
        message="the extent is negative",
    ),
    # Unspecified lanes.
    Pair(
        "unspecified",
        "%p: tile<ptr<f32>>, %q: tile<ptr<f32>>, %n: tile<i32>",
        f"""{LANES}
%n1 = reshape %n : tile<i32> -> tile<1xi32>
%nb = broadcast %n1 : tile<1xi32> -> tile<8xi32>
%m = cmpi less_than %i, %nb, signed : tile<8xi32> -> tile<8xi1>
%v, %d = load_ptr_tko weak %ps, %m : tile<8xptr<f32>>, tile<8xi1> -> tile<8xf32>, token
%u = addf %v, %v : tile<8xf32>
%q1 = reshape %q : tile<ptr<f32>> -> tile<1xptr<f32>>
%qb = broadcast %q1 : tile<1xptr<f32>> -> tile<8xptr<f32>>
%qs = offset %qb, %i : tile<8xptr<f32>>, tile<8xi32> -> tile<8xptr<f32>>
%e = store_ptr_tko weak %qs, %u : tile<8xptr<f32>>, tile<8xf32> -> token  // here
""",
        lambda: [floats(8), floats(8), 5],
        good_args=lambda: [floats(8), floats(8), 8],
        lane=(5,),
        message="the stored value is unspecified",
    ),
    Pair(
        "unspecified",
        "%p: tile<ptr<f32>>, %n: tile<i32>",
        f"""{VIEW}{INDEX}
%v, %d = load_view_tko weak %w[%b] : {PV}, tile<i32> -> tile<8xf32>, token
%s = reduce %v dim=0 identities=[0.0 : f32] : tile<8xf32> -> tile<f32>
(%x: tile<f32>, %y: tile<f32>) {{
  %z = addf %x, %y : tile<f32>
  yield %z : tile<f32>
}}
%zero = constant <f32: 0.0> : tile<f32>
%c = cmpf greater_than ordered %s, %zero : tile<f32> -> tile<i1>
if %c {{  // here
}}
""",
        lambda: [floats(16), 5],
        good_args=lambda: [floats(16), 8],
        message="the condition is unspecified",
    ),
    Pair(
        "unspecified",
        "%p: tile<ptr<f32>>",
        """
%a = alloca num_elem = 4, alignment = 16 : tile<ptr<f32>>
%v, %d = load_ptr_tko weak %a : tile<ptr<f32>> -> tile<f32>, token
%e = store_ptr_tko weak %p, %v : tile<ptr<f32>>, tile<f32> -> token  // here
""",
        lambda: [floats(1)],
        good="""
%a = alloca num_elem = 4, alignment = 16 : tile<ptr<f32>>
%one = constant <f32: 1.0> : tile<f32>
%t = store_ptr_tko weak %a, %one : tile<ptr<f32>>, tile<f32> -> token
%v, %d = load_ptr_tko weak %a token=%t : tile<ptr<f32>> -> tile<f32>, token
%e = store_ptr_tko weak %p, %v : tile<ptr<f32>>, tile<f32> -> token
""",
        good_args=lambda: [floats(1)],
        message="the stored value is unspecified",
    ),
    # Races.
    Pair(
        "race-tokens",
        "%p: tile<ptr<f32>>",
        f"{LANES}%v, %d = {LOAD}\n%e = {STORE}  // here",
        lambda: [floats(8)],
        good=f"{LANES}%v, %d = {LOAD}\n"
        "%e = store_ptr_tko weak %ps, %v token=%d : tile<8xptr<f32>>, tile<8xf32> -> token",
        good_args=lambda: [floats(8)],
        lane=(0,),
        message="with no token path between them",
    ),
    Pair(
        "race-blocks",
        "%p: tile<ptr<f32>>",
        f"{LANES}{VALUES}\n%e = {STORE}  // here",
        lambda: [floats(8)],
        good_args=lambda: [floats(8)],
        grid=2,
        good_grid=1,
        block=(1, 0, 0),
        lane=(0,),
        message="writes what block (0, 0, 0) writes in argument 'p'",
    ),
    Pair(
        "duplicate-lanes",
        "%p: tile<ptr<f32>>, %s: tile<i32>",
        f"""
%i = iota : tile<8xi32>
%s1 = reshape %s : tile<i32> -> tile<1xi32>
%sb = broadcast %s1 : tile<1xi32> -> tile<8xi32>
%k = divi %i, %sb signed : tile<8xi32>
%p1 = reshape %p : tile<ptr<f32>> -> tile<1xptr<f32>>
%pb = broadcast %p1 : tile<1xptr<f32>> -> tile<8xptr<f32>>
%ps = offset %pb, %k : tile<8xptr<f32>>, tile<8xi32> -> tile<8xptr<f32>>
{VALUES}
%d = {STORE}  // here
""",
        lambda: [floats(8), 2],
        good_args=lambda: [floats(8), 1],
        lane=(1,),
        message="two lanes write the same element of argument 'p'",
    ),
    # Claims.
    Pair(
        "assume",
        "%x: tile<i32>",
        "%a = assume div_by<16>, %x : tile<i32>  // here",
        numbers(24),
        good_args=numbers(32),
        message="no multiple of 16",
    ),
    Pair(
        "assume",
        "%x: tile<i32>",
        "%a = assume bounded<0, 10>, %x : tile<i32>  // here",
        numbers(-1),
        good_args=numbers(10),
        message="below 0",
    ),
    Pair(
        "assume",
        "%p: tile<ptr<f32>>",
        "%a = assume div_by<16>, %p : tile<ptr<f32>>  // here",
        lambda: [floats(8)[1:]],
        good_args=lambda: [floats(8)[4:]],
        message="no multiple of 16",
    ),
    Pair(
        "assume",
        "%x: tile<i32>",
        """
%i = iota : tile<8xi32>
%x1 = reshape %x : tile<i32> -> tile<1xi32>
%xb = broadcast %x1 : tile<1xi32> -> tile<8xi32>
%k = divi %i, %xb signed : tile<8xi32>
%a = assume same_elements<[2]>, %k : tile<8xi32>  // here
""",
        numbers(3),
        good_args=numbers(2),
        lane=(3,),
        message="elements of a 2 group differ",
    ),
    Pair(
        "assume",
        "%x: tile<i32>",
        """
%i = iota : tile<8xi32>
%x1 = reshape %x : tile<i32> -> tile<1xi32>
%xb = broadcast %x1 : tile<1xi32> -> tile<8xi32>
%k = addi %i, %xb : tile<8xi32>
%a = assume div_by<4, every 4 along 0>, %k : tile<8xi32>  // here
""",
        numbers(1),
        good_args=numbers(4),
        lane=(0,),
        message="the first of 4 values along 0",
    ),
    Pair(
        "overflow",
        "%x: tile<i32>, %y: tile<i32>",
        binary("addi %x, %y overflow<no_signed_wrap> : tile<i32>"),
        numbers(2**31 - 1, 1),
        good_args=numbers(2**31 - 1, 0),
        message="lhs = 2147483647, rhs = 1",
    ),
    Pair(
        "overflow",
        "%x: tile<i32>, %y: tile<i32>",
        binary("subi %x, %y overflow<no_unsigned_wrap> : tile<i32>"),
        numbers(1, 2),
        good_args=numbers(2, 1),
        message="overflow<no_unsigned_wrap>",
    ),
    Pair(
        "overflow",
        "%x: tile<i32>, %y: tile<i32>",
        binary("muli %x, %y overflow<no_wrap> : tile<i32>"),
        numbers(2**16, 2**16),
        good_args=numbers(2**15, 2**15),
        message="overflow<no_wrap>",
    ),
    Pair(
        "overflow",
        "%x: tile<i32>, %y: tile<i32>",
        binary("shli %x, %y overflow<no_signed_wrap> : tile<i32>"),
        numbers(1, 31),
        good_args=numbers(1, 30),
        message="overflow<no_signed_wrap>",
    ),
    Pair(
        "overflow",
        "%x: tile<i32>, %y: tile<i32>",
        binary("negi %x overflow<no_signed_wrap> : tile<i32>"),
        numbers(-(2**31), 0),
        good_args=numbers(-(2**31) + 1, 0),
        message="source = -2147483648",
    ),
    Pair(
        "overflow",
        "%x: tile<i32>, %y: tile<i32>",
        binary("trunci %x overflow<no_signed_wrap> : tile<i32> -> tile<i8>"),
        numbers(128, 0),
        good_args=numbers(127, 0),
        message="i8 cannot hold the value",
    ),
    Pair(
        "overflow",
        "%x: tile<i32>",
        """
%i = iota : tile<8xi32>
%x1 = reshape %x : tile<i32> -> tile<1xi32>
%xb = broadcast %x1 : tile<1xi32> -> tile<8xi32>
%r = muli %xb, %i overflow<no_signed_wrap> : tile<8xi32>  // here
""",
        numbers(2**29),
        good_args=numbers(2**28),
        lane=(4,),
        message="lhs = 536870912, rhs = 4",
    ),
    # Arithmetic.
    Pair(
        "division",
        "%x: tile<i32>, %y: tile<i32>",
        binary("divi %x, %y signed : tile<i32>"),
        numbers(1, 0),
        good_args=numbers(1, 1),
        message="lhs = 1, rhs = 0",
    ),
    Pair(
        "division",
        "%x: tile<i32>, %y: tile<i32>",
        binary("remi %x, %y signed : tile<i32>"),
        numbers(-(2**31), -1),
        good_args=numbers(-(2**31), 1),
        message="overflowing quotient",
    ),
    Pair(
        "shift",
        "%x: tile<i32>, %y: tile<i32>",
        binary("shri %x, %y unsigned : tile<i32>"),
        numbers(1, 32),
        good_args=numbers(1, 31),
        message="shift of i32 by 32 or more",
    ),
    Pair(
        "shift",
        "%x: tile<i32>, %y: tile<i32>",
        binary("shli %x, %y : tile<i32>"),
        numbers(1, -1),
        good_args=numbers(1, 0),
        message="rhs = -1",
    ),
    Pair(
        "float-to-int",
        "%x: tile<f32>, %y: tile<f32>",
        binary("ftoi %x signed : tile<f32> -> tile<i8>", "f32"),
        numbers(128.0, 0.0),
        good_args=numbers(127.9, 0.0),
        message="signed i8 cannot hold the value",
    ),
    Pair(
        "slice-index",
        "%x: tile<i32>, %y: tile<i32>",
        "%i = iota : tile<8xi32>\n%r = extract %i[%x] : tile<8xi32> -> tile<4xi32>  // here",
        numbers(2, 0),
        good_args=numbers(1, 0),
        message="slice index 0 is not in 0 to 1",
    ),
    # Ends.
    Pair(
        "step-limit",
        "%x: tile<i32>",
        """
%zero = constant <i32: 0> : tile<i32>
loop {  // here
  %c = cmpi equal %x, %zero, signed : tile<i32> -> tile<i1>
  if %c {
    break
  }
  continue
}
""",
        numbers(1),
        good_args=numbers(0),
        message="more than 1000 loop iterations",
    ),
    Pair(
        "step-limit",
        "%x: tile<i32>",
        """
%zero = constant <i32: 0> : tile<i32>
%ten = constant <i32: 10> : tile<i32>
for %i in (%zero to %ten, step %x) : tile<i32> {  // here
}
""",
        numbers(0),
        good_args=numbers(3),
        message="the step is not positive",
    ),
    Pair(
        "assert",
        "%x: tile<i32>",
        """
%i = iota : tile<4xi32>
%x1 = reshape %x : tile<i32> -> tile<1xi32>
%xb = broadcast %x1 : tile<1xi32> -> tile<4xi32>
%c = cmpi less_than %i, %xb, signed : tile<4xi32> -> tile<4xi1>
assert %c, "small" : tile<4xi1>  // here
""",
        numbers(2),
        good_args=numbers(4),
        lane=(2,),
        message='assertion failed: "small"',
    ),
]


@pytest.mark.parametrize("pair", PAIRS, ids=str)
def test_undefined_is_reported(pair: Pair):
    text = program(pair.parameters, pair.bad, pair.globals)
    with pytest.raises(UndefinedBehaviour) as caught:
        run(module_of(text), grid=pair.grid, args=pair.bad_args(), step_limit=1000)
    error = caught.value
    (diagnostic,) = error.diagnostics
    assert diagnostic.severity is Severity.ERROR
    assert diagnostic.code == error.kind == pair.kind
    assert diagnostic.range is not None
    assert diagnostic.range.start.line == marked_line(text)
    assert error.block == pair.block
    assert error.lane == pair.lane or pair.lane is None
    assert pair.message in diagnostic.message
    assert f"block ({pair.block[0]}, 0, 0)" in diagnostic.message


@pytest.mark.parametrize("pair", PAIRS, ids=str)
def test_defined_program_runs(pair: Pair):
    body = pair.bad.replace("// here", "") if pair.good is None else pair.good
    arguments = (pair.good_args or pair.bad_args)()
    grid = pair.grid if pair.good_grid is None else pair.good_grid
    text = program(pair.parameters, body, pair.globals)
    report = run(module_of(text), grid=grid, args=arguments, step_limit=1000)
    assert report.unchecked == ()


def test_every_kind_has_a_program():
    assert {pair.kind for pair in PAIRS} == set(KINDS)


@pytest.mark.parametrize("pair", [pair for pair in PAIRS if pair.kind in COSTLY], ids=str)
def test_unchecked_run_does_not_look_for_costly_kinds(pair: Pair):
    text = program(pair.parameters, pair.bad, pair.globals)
    report = run(
        module_of(text), grid=pair.grid, args=pair.bad_args(), step_limit=1000, checked=False
    )
    assert set(report.unchecked) == COSTLY


@pytest.mark.parametrize("pair", [pair for pair in PAIRS if pair.kind not in COSTLY], ids=str)
def test_unchecked_run_still_reports_the_others(pair: Pair):
    text = program(pair.parameters, pair.bad, pair.globals)
    with pytest.raises(UndefinedBehaviour):
        run(module_of(text), grid=pair.grid, args=pair.bad_args(), step_limit=1000, checked=False)


def test_refused_operation_is_named():
    pointer = "tile<ptr<f32, <multicast>>>"
    tensor = "tensor_view<8xf32, strides=[1], #cuda_tile.ptr_attr<multicast>>"
    view = f"partition_view<tile=(8), {tensor}>"
    text = program(
        f"%p: {pointer}",
        f"""
%t = make_tensor_view %p, shape = [8], strides = [1] : {pointer} -> {tensor}
%w = make_partition_view %t : {view}
%z = constant <i32: 0> : tile<i32>
%v, %d = multimem_load_reduce_view_tko weak %w[%z]  // here
  : {view}, tile<i32> -> tile<8xf32>, token
""",
    )
    with pytest.raises(DiagnosticError) as caught:
        run(module_of(text), args=[floats(8)])
    (diagnostic,) = caught.value.diagnostics
    assert "does not run 'cuda_tile.multimem_load_reduce_view_tko'" in diagnostic.message
    assert diagnostic.code == "refused"
    assert diagnostic.range is not None
    assert diagnostic.range.start.line == marked_line(text)
