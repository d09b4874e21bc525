"""Blocks shared by several processes do what one process does."""

from __future__ import annotations

import io
from typing import Any

import numpy as np
import pytest
from support.tile_programs import execute

from tileir_xdsl.interpreter import UndefinedBehaviour
from tileir_xdsl.interpreter.jobs import available

pytestmark = pytest.mark.skipif(not available(), reason="this platform has no fork")

PTR = "tile<ptr<i32>>"
OWN = f"""
%b, %by, %bz = get_tile_block_id : tile<i32>
%q = offset %p, %b : {PTR}, tile<i32> -> {PTR}
"""


def ints(n: int) -> Any:
    return np.zeros(n, np.int32)


def test_results_arrive_in_the_arrays():
    memory = ints(7)
    body = f"{OWN}%t = store_ptr_tko weak %q, %b : {PTR}, tile<i32> -> token"
    report = execute(f"%p: {PTR}", body, [memory], grid=7, jobs=3)
    assert memory.tolist() == list(range(7))
    assert report.blocks == 7
    assert report.operations == 7 * 4


def test_atomics_are_atomic():
    counter = ints(1)
    body = f"""
%one = constant <i32: 1> : tile<i32>
%zero = constant <i32: 0> : tile<i32>
%n = constant <i32: 200> : tile<i32>
for %i in (%zero to %n, step %one) : tile<i32> {{
  %v, %t = atomic_rmw_tko relaxed device %p, add, %one : {PTR}, tile<i32> -> tile<i32>, token
}}
"""
    execute(f"%p: {PTR}", body, [counter], grid=4, jobs=2)
    assert counter[0] == 800


def test_races_between_processes_are_found():
    body = f"""
%one = constant <i32: 1> : tile<i32>
%t = store_ptr_tko weak %p, %one : {PTR}, tile<i32> -> token
"""
    with pytest.raises(UndefinedBehaviour) as caught:
        execute(f"%p: {PTR}", body, [ints(1)], grid=2, jobs=2)
    error = caught.value
    assert error.kind == "race-blocks"
    assert error.block == (1, 0, 0)
    assert "writes what block (0, 0, 0) writes in argument 'p'" in error.diagnostics[0].message


def test_reads_of_one_process_race_with_writes_of_another():
    body = f"""
%b, %by, %bz = get_tile_block_id : tile<i32>
%zero = constant <i32: 0> : tile<i32>
%first = cmpi equal %b, %zero, signed : tile<i32> -> tile<i1>
if %first {{
  %v, %t = load_ptr_tko weak %p : {PTR} -> tile<i32>, token
}} else {{
  %t = store_ptr_tko ORDER %p, %b : {PTR}, tile<i32> -> token
}}
"""
    for order in ("weak", "relaxed device"):
        with pytest.raises(UndefinedBehaviour, match="without atomics") as caught:
            execute(f"%p: {PTR}", body.replace("ORDER", order), [ints(1)], grid=2, jobs=2)
        assert caught.value.kind == "race-blocks"
    one = body.replace("weak %p :", "relaxed device %p :").replace("ORDER", "relaxed device")
    execute(f"%p: {PTR}", one, [ints(1)], grid=2, jobs=2)


def test_undefined_behaviour_crosses_processes():
    body = f"{OWN}%t = store_ptr_tko weak %q, %b : {PTR}, tile<i32> -> token"
    with pytest.raises(UndefinedBehaviour) as caught:
        execute(f"%p: {PTR}", body, [ints(3)], grid=4, jobs=2)
    assert caught.value.kind == "out-of-bounds"
    assert caught.value.block == (3, 0, 0)
    assert caught.value.buffer == "argument 'p'"
    assert caught.value.diagnostics[0].place.source is not None


def test_output_and_notes_come_in_the_order_of_blocks():
    out = io.StringIO()
    body = f'{OWN}%t = print_tko "%d;", %b : tile<i32> -> token\n%u = gdc_wait_tko -> token'
    report = execute(f"%p: {PTR}", body, [ints(1)], grid=5, jobs=3, out=out)
    assert out.getvalue() == "0;1;2;3;4;"
    assert len(report.notes) == 1


def test_trace_comes_in_the_order_of_blocks():
    lines: list[str] = []
    execute(f"%p: {PTR}", OWN, [ints(1)], grid=3, jobs=3, trace=lines.append)
    assert [line.split("block ")[1][:9] for line in lines if "get_tile" in line] == [
        "(0, 0, 0)",
        "(1, 0, 0)",
        "(2, 0, 0)",
    ]


def test_synchronised_blocks_are_not_compared_and_a_note_says_so():
    body = f"""
%one = constant <i32: 1> : tile<i32>
%v, %t = atomic_rmw_tko acq_rel device %p, add, %one : {PTR}, tile<i32> -> tile<i32>, token
"""
    report = execute(f"%p: {PTR}", body, [ints(1)], grid=2, jobs=2)
    assert any("run with one job" in note for note in report.notes)
