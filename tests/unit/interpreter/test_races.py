"""What orders accesses, and what does not."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from support.tile_programs import execute, marked_line, program

from tileir_xdsl.interpreter import UndefinedBehaviour

PTR = "tile<ptr<i32>>"
LOAD = f"load_ptr_tko weak %p : {PTR} -> tile<i32>, token"
ONE = "%one = constant <i32: 1> : tile<i32>"


def ints(n: int) -> Any:
    return np.zeros(n, np.int32)


def kind_of(body: str, args: list[Any], parameters: str = f"%p: {PTR}", grid: int = 1) -> str:
    """The kind of race of a program, or `none`."""
    try:
        execute(parameters, body, args, grid)
    except UndefinedBehaviour as error:
        return error.kind
    return "none"


def store(token: str = "", ordering: str = "weak", value: str = "%one") -> str:
    suffix = f" token={token}" if token else ""
    return f"store_ptr_tko {ordering} %p, {value}{suffix} : {PTR}, tile<i32> -> token"


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        (f"{ONE}\n%a = {store()}\n%b = {store()}", "race-tokens"),
        (f"{ONE}\n%a = {store()}\n%b = {store('%a')}", "none"),
        (f"{ONE}\n%a = {store()}\n%v, %b = {LOAD}", "race-tokens"),
        (f"%v, %a = {LOAD}\n%w, %b = {LOAD}", "none"),
        # A token that is made anew orders nothing.
        (f"{ONE}\n%a = {store()}\n%t = make_token : token\n%b = {store('%t')}", "race-tokens"),
        # All reads before a write must be ordered, not only the last one.
        (f"{ONE}\n%v, %a = {LOAD}\n%w, %b = {LOAD}\n%c = {store('%b')}", "race-tokens"),
        (
            f"{ONE}\n%v, %a = {LOAD}\n%w, %b = {LOAD}\n%t = join_tokens %a, %b : token\n"
            f"%c = {store('%t')}",
            "none",
        ),
        # Order is transitive.
        (
            f"{ONE}\n%a = {store()}\n%v, %b = load_ptr_tko weak %p token=%a : {PTR} "
            f"-> tile<i32>, token\n%c = {store('%b')}",
            "none",
        ),
        # Atomic accesses do not race with each other, but with weak ones.
        (
            f"{ONE}\n%a = {store('', 'relaxed device')}\n%b = {store('', 'relaxed device')}",
            "none",
        ),
        (f"{ONE}\n%a = {store('', 'relaxed device')}\n%b = {store()}", "race-tokens"),
        (f"{ONE}\n%a = {store('', 'relaxed tl_blk')}\n%b = {store('', 'relaxed tl_blk')}", "none"),
        # Fences and launch control pass tokens on.
        (
            f"{ONE}\n%a = {store()}\n%t = memory_fence_alias_tko %a\n%b = {store('%t')}",
            "none",
        ),
        (
            f"{ONE}\n%a = {store()}\n%t = gdc_wait_tko token = %a -> token\n%b = {store('%t')}",
            "none",
        ),
        (f"{ONE}\n%a = {store()}\n%t = gdc_wait_tko -> token\n%b = {store('%t')}", "race-tokens"),
    ],
)
def test_tokens(body: str, expected: str):
    assert kind_of(body, [ints(1)]) == expected


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        (f"{ONE}\n%a = {store()}", "race-blocks"),
        (f"%v, %a = {LOAD}", "none"),
        (f"%v, %a = {LOAD}\n%b = {store('%a', value='%v')}", "race-blocks"),
        (f"{ONE}\n%a = {store('', 'relaxed device')}", "none"),
        # The scope of one block does not reach another one.
        (f"{ONE}\n%a = {store('', 'relaxed tl_blk')}", "race-blocks"),
        (
            f"{ONE}\n%v, %a = atomic_rmw_tko relaxed device %p, add, %one : {PTR}, tile<i32> "
            "-> tile<i32>, token",
            "none",
        ),
        (
            f"{ONE}\n%v, %a = atomic_rmw_tko relaxed device %p, add, %one : {PTR}, tile<i32> "
            f"-> tile<i32>, token\n%w, %b = load_ptr_tko weak %p token=%a : {PTR} "
            "-> tile<i32>, token",
            "race-blocks",
        ),
    ],
)
def test_blocks(body: str, expected: str):
    assert kind_of(body, [ints(1)], grid=2) == expected


LOCK = f"%p: {PTR}, %lock: {PTR}"


def critical_section(acquire: str, release: str, before: str = "%got", after: str = "%done") -> str:
    """Adds 1 to `%p` between taking and giving back a lock."""
    return f"""
{ONE}
%zero = constant <i32: 0> : tile<i32>
%old, %got = atomic_cas_tko {acquire} device %lock, %zero, %one
  : {PTR}, tile<i32> -> tile<i32>, token
%v, %read = load_ptr_tko weak %p token={before} : {PTR} -> tile<i32>, token
%w = addi %v, %one : tile<i32>
%done = store_ptr_tko weak %p, %w token=%read : {PTR}, tile<i32> -> token
%free, %freed = atomic_rmw_tko {release} device %lock, xchg, %zero token={after}
  : {PTR}, tile<i32> -> tile<i32>, token
"""


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        (critical_section("acquire", "release"), "none"),
        (critical_section("acq_rel", "acq_rel"), "none"),
        (critical_section("relaxed", "release"), "race-blocks"),
        (critical_section("acquire", "relaxed"), "race-blocks"),
        # The store is not ordered before the release, or the load not after the acquire.
        (critical_section("acquire", "release", after="%got"), "race-blocks"),
        (
            "%none = make_token : token\n" + critical_section("acquire", "release", before="%none"),
            "race-blocks",
        ),
    ],
)
def test_locks_order_blocks(body: str, expected: str):
    assert kind_of(body, [ints(1), ints(1)], LOCK, grid=3) == expected


def test_lock_gives_the_right_sum():
    counter = ints(1)
    execute(LOCK, critical_section("acquire", "release"), [counter, ints(1)], grid=5)
    assert counter[0] == 5


def test_last_block_reads_what_the_others_wrote():
    """The pattern of two-stage reductions: each block stores, the last one to count reads all."""
    body = f"""
{ONE}
%b, %by, %bz = get_tile_block_id : tile<i32>
%n, %ny, %nz = get_num_tile_blocks : tile<i32>
%mine = offset %p, %b : {PTR}, tile<i32> -> {PTR}
%stored = store_ptr_tko weak %mine, %b : {PTR}, tile<i32> -> token
%count, %counted = atomic_rmw_tko acq_rel device %lock, add, %one token=%stored
  : {PTR}, tile<i32> -> tile<i32>, token
%next = addi %count, %one : tile<i32>
%last = cmpi equal %next, %n, signed : tile<i32> -> tile<i1>
if %last {{
  %i = iota : tile<4xi32>
  %p1 = reshape %p : {PTR} -> tile<1xptr<i32>>
  %pb = broadcast %p1 : tile<1xptr<i32>> -> tile<4xptr<i32>>
  %ps = offset %pb, %i : tile<4xptr<i32>>, tile<4xi32> -> tile<4xptr<i32>>
  %v, %read = load_ptr_tko weak %ps token=%counted : tile<4xptr<i32>> -> tile<4xi32>, token
  %s = reduce %v dim=0 identities=[0 : i32] : tile<4xi32> -> tile<i32>
  (%x: tile<i32>, %y: tile<i32>) {{
    %z = addi %x, %y : tile<i32>
    yield %z : tile<i32>
  }}
  %e = store_ptr_tko weak %p, %s token=%read : {PTR}, tile<i32> -> token
}}
"""
    partial = ints(4)
    execute(LOCK, body, [partial, ints(1)], grid=4)
    assert partial.tolist() == [6, 1, 2, 3]
    assert kind_of(body.replace("acq_rel", "relaxed"), [ints(4), ints(1)], LOCK, 4) == "race-blocks"


def test_note_names_the_other_access():
    text = program(f"%p: {PTR}", f"{ONE}\n%a = {store()}  // here\n%b = {store()}")
    with pytest.raises(UndefinedBehaviour) as caught:
        execute(f"%p: {PTR}", f"{ONE}\n%a = {store()}  // here\n%b = {store()}", [ints(1)])
    (diagnostic,) = caught.value.diagnostics
    (note,) = diagnostic.notes
    assert note.message == "the other access, a write, is here"
    assert note.range is not None
    assert note.range.start.line == marked_line(text)
    assert diagnostic.range is not None
    assert diagnostic.range.start.line == marked_line(text) + 1


def test_neighbours_do_not_conflict():
    """Races are found element by element, also where accesses have different sizes."""
    body = f"""
%b, %by, %bz = get_tile_block_id : tile<i32>
%bytes = ptr_to_ptr %p : {PTR} -> tile<ptr<i8>>
%mine = offset %bytes, %b : tile<ptr<i8>>, tile<i32> -> tile<ptr<i8>>
%v = constant <i8: 7> : tile<i8>
%a = store_ptr_tko weak %mine, %v : tile<ptr<i8>>, tile<i8> -> token
"""
    memory = ints(1)
    assert kind_of(body, [memory], grid=4) == "none"
    assert memory.view(np.int8).tolist() == [7, 7, 7, 7]
    whole = body + f"{ONE}\n%w = {store('%a')}"
    assert kind_of(whole, [ints(1)], grid=4) == "race-blocks"


def test_loop_needs_a_carried_token():
    loop = f"""
%zero = constant <i32: 0> : tile<i32>
{ONE}
%n = constant <i32: 3> : tile<i32>
%t0 = make_token : token
%last = for %i in (%zero to %n, step %one) : tile<i32> iter_values(%t = %t0) -> (token) {{
  %v, %read = load_ptr_tko weak %p token=TOKEN : {PTR} -> tile<i32>, token
  %w = addi %v, %one : tile<i32>
  %done = store_ptr_tko weak %p, %w token=%read : {PTR}, tile<i32> -> token
  continue %done : token
}}
"""
    counter = ints(1)
    assert kind_of(loop.replace("TOKEN", "%t"), [counter]) == "none"
    assert counter[0] == 3
    assert kind_of(loop.replace("TOKEN", "%t0"), [ints(1)]) == "race-tokens"


def test_aliasing_arguments_are_one_buffer():
    parameters = f"%p: {PTR}, %q: {PTR}"
    body = f"""
{ONE}
%a = {store()}
%v, %b = load_ptr_tko weak %q : {PTR} -> tile<i32>, token
"""
    shared = ints(4)
    assert kind_of(body, [shared, shared], parameters) == "race-tokens"
    assert kind_of(body, [shared[:2], shared[2:]], parameters) == "none"
    assert kind_of(body, [shared[:3], shared[:2]], parameters) == "race-tokens"
    assert kind_of(body, [ints(1), ints(1)], parameters) == "none"


def test_many_states_are_collected(monkeypatch: Any):
    """Long runs forget the states that no element is in, and nothing else."""
    monkeypatch.setattr("tileir_xdsl.interpreter.races.COLLECT_AT", 8)
    monkeypatch.setattr(
        "tileir_xdsl.interpreter.races.Tracker.__init__", _tracker_that_collects_at(8)
    )
    body = f"""
%zero = constant <i32: 0> : tile<i32>
{ONE}
%n = constant <i32: 100> : tile<i32>
%b, %by, %bz = get_tile_block_id : tile<i32>
%mine = offset %p, %b : {PTR}, tile<i32> -> {PTR}
%t0 = make_token : token
%last = for %i in (%zero to %n, step %one) : tile<i32> iter_values(%t = %t0) -> (token) {{
  %done = store_ptr_tko weak %mine, %i token=%t : {PTR}, tile<i32> -> token
  continue %done : token
}}
"""
    memory = ints(3)
    assert kind_of(body, [memory], grid=3) == "none"
    assert memory.tolist() == [99, 99, 99]
    assert kind_of(body + f"%again = {store()}", [ints(3)], grid=3) == "race-tokens"
    late = body + f"%far = {store('%last', 'relaxed device', '%b')}"
    assert kind_of(late, [ints(3)], grid=3) == "race-blocks"


def _tracker_that_collects_at(limit: int) -> Any:
    from tileir_xdsl.interpreter.races import Tracker

    original = Tracker.__init__

    def init(self: Tracker, memory: Any) -> None:
        original(self, memory)
        self._collect_at = limit  # pyright: ignore[reportPrivateUsage]

    return init


def test_many_atomics_of_one_element():
    """More accesses than are remembered, with a race at the end."""
    body = f"""
{ONE}
%v, %a = atomic_rmw_tko relaxed device %p, add, %one : {PTR}, tile<i32> -> tile<i32>, token
"""
    counter = ints(1)
    assert kind_of(body, [counter], grid=200) == "none"
    assert counter[0] == 200
    weak = body + f"%w, %b = load_ptr_tko weak %p token=%a : {PTR} -> tile<i32>, token"
    assert kind_of(weak, [ints(1)], grid=200) == "race-blocks"
