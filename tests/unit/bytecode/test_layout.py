"""`preserve_layout`: a file comes back byte for byte, and an edit touches only what it must."""

from collections.abc import Callable
from typing import cast

import pytest
from support import corpus
from xdsl.dialects import builtin
from xdsl.dialects.builtin import FileLineColLoc, IntAttr, LocationAttr, StringAttr, UnitAttr

from tileir_xdsl import parse
from tileir_xdsl.bytecode.container import (
    OFFSET_WIDTH,
    Section,
    header,
    put_offset_table,
    put_section,
)
from tileir_xdsl.bytecode.reader import Reader, decode_module
from tileir_xdsl.bytecode.writer import encode_module
from tileir_xdsl.diagnostics import DiagnosticError, DiagnosticSink
from tileir_xdsl.dialects.cuda_tile.arithmetic import AddFOp
from tileir_xdsl.dialects.cuda_tile.attributes import IntegerOverflowAttr
from tileir_xdsl.dialects.cuda_tile.core import EntryOp, GlobalOp, ModuleOp
from tileir_xdsl.dialects.cuda_tile.locations import DILocAttr
from tileir_xdsl.versions import V13_3


def read(data: bytes) -> builtin.ModuleOp:
    return decode_module(data, preserve_layout=True)


def written(module: builtin.ModuleOp, version: str = "13.3") -> bytes:
    return encode_module(module, version, preserve_layout=True)


def tile_module(module: builtin.ModuleOp) -> ModuleOp:
    (inner,) = module.body.ops
    assert isinstance(inner, ModuleOp)
    return inner


def version_of(data: bytes) -> str:
    return f"{data[8]}.{data[9]}"


@pytest.mark.parametrize("folder", [*corpus.VERSIONED_FOLDERS, "odd"])
def test_every_file_of_the_corpus_comes_back(folder: corpus.Folder):
    for case in corpus.cases(folder):
        data = case.bytecode
        assert written(read(data), version_of(data)) == data, case


def test_only_with_both_options():
    data = corpus.case("real/13.3/axpy_f32").bytecode
    assert encode_module(read(data)) != data
    assert written(decode_module(data)) == encode_module(decode_module(data))


def test_another_version_is_spelled_anew_with_a_remark():
    data = corpus.case("real/13.3/axpy_f32").bytecode
    sink = DiagnosticSink()
    assert encode_module(read(data), "13.4", sink=sink, preserve_layout=True) == encode_module(
        decode_module(data), "13.4"
    )
    assert [d.message for d in sink.diagnostics] == [
        "the layout is not preserved: the file has version 13.3, but 13.4 was asked for"
    ]


def test_a_module_that_was_not_read_has_no_layout():
    sink = DiagnosticSink()
    encode_module(parse("cuda_tile.module @m {}"), sink=sink, preserve_layout=True)
    assert [d.message for d in sink.diagnostics] == [
        "the layout is not preserved: the module was not read with its layout"
    ]


# A file that is spelled as no writer would.

TYPES = ["03", "0d 00 00", "10 01 01 00", "63", "0d 00 00", "07 cb cb", "0d 05 00", "10 00 00"]
"""i32, tile<i32>, the signature, an unknown one, tile<i32> again, f32, tile<f32>, no arguments."""


def odd_file() -> bytes:
    """Overlong numbers, a type at its second index, an unknown flag, wide and trailing padding."""
    out = bytearray(header(V13_3))
    functions = bytearray.fromhex("83 80 00")
    functions += bytes.fromhex("00 82 80 00 02 00 87 80 00 50 04 00 00 5c 00 00")
    functions += bytes.fromhex("01 07 12 00 06 5c 00 80 80 80 00")
    functions += bytes.fromhex("82 00 02 02 00 09 50 01 00 80 00 5c 80 00 00")
    functions += bytes(range(20))
    for section, items in (
        (Section.TYPE, [bytes.fromhex(text) for text in TYPES]),
        (Section.STRING, [b"first", b"second", b"third", b"unused", b"first", b"\xff"]),
        (Section.CONSTANT, [b"\x81\x00\x07", b"junk"]),
    ):
        payload = bytearray()
        put_offset_table(payload, items, OFFSET_WIDTH[section])
        out += bytes((section | 0x80,)) + bytes((len(payload) | 0x80, 0)) + b"\x40"
        out += b"\xee" * (-len(out) % 64) + payload
    put_section(out, Section.FUNCTION, b"\x00")
    put_section(out, Section.PRODUCER, b"\x83\x00\xaa")
    put_section(out, Section.FUNCTION, bytes(functions))
    return bytes(out + b"\x00")


ODD = odd_file()


def entries_of(data: bytes) -> dict[str, bytes]:
    """The bytes of each entry of the function table."""
    reader = Reader(data, "k", None, False)
    module = tile_module(reader.read())
    return {
        entry.sym_name.data: data[span.start : span.end]
        for entry, span in zip(module.entries(), reader.function_spans, strict=True)
    }


def test_the_odd_file_comes_back():
    assert len(tile_module(decode_module(ODD)).entries()) == 3
    assert encode_module(decode_module(ODD)) != ODD
    assert written(read(ODD)) == ODD


def change_property(module: ModuleOp) -> None:
    """A change of the first function that adds nothing to the tables."""
    entry = module.entries()[0]
    operation = entry.body.block.first_op
    assert operation is not None
    operation.properties["overflow"] = IntegerOverflowAttr.from_number(1)


def insert_operations(module: ModuleOp) -> None:
    """A change of the first function that adds strings, types and constants."""
    source = parse(
        """cuda_tile.module @m {
  entry @first(%a: tile<i32>) {
    %0 = constant <i1: true> : tile<i1>
    %1 = constant <f16: [1.0, 2.0]> : tile<2xf16>
    assert %0, "new text" : tile<i1>
    return
  }
}"""
    )
    body = tile_module(source).entries()[0].body.block
    target = module.entries()[0].body.block
    first = target.first_op
    assert first is not None
    for operation in list(body.ops)[:-1]:
        operation.detach()
        target.insert_op_before(operation, first)


@pytest.mark.parametrize("edit", [change_property, insert_operations])
def test_an_edit_leaves_the_other_functions(edit: Callable[[ModuleOp], None]):
    module = read(ODD)
    edit(tile_module(module))
    result = written(module)
    before, after = entries_of(ODD), entries_of(result)
    assert before["first"] != after["first"]
    del before["first"], after["first"]
    assert before == after
    assert decode_module(result).is_structurally_equivalent(module)
    assert result.count(b"unused") == 1
    assert written(read(result)) == result


def test_undoing_an_edit_gives_the_file_back():
    module = read(ODD)
    operation = tile_module(module).entries()[0].body.block.first_op
    assert operation is not None
    old = operation.properties["overflow"]
    change_property(tile_module(module))
    assert written(module) != ODD
    operation.properties["overflow"] = old
    assert written(module) == ODD


def test_removing_and_moving_functions():
    module = read(ODD)
    first, _, third = tile_module(module).entries()
    first.detach()
    result = written(module)
    before, after = entries_of(ODD), entries_of(result)
    assert list(after) == ["second", "third"]
    assert all(before[name] == after[name] for name in after)
    third.detach()
    tile_module(module).body.block.insert_op_before(third, tile_module(module).entries()[0])
    assert list(entries_of(written(module))) == ["third", "second"]


def test_adding_a_function_and_a_global():
    module = read(ODD)
    added = tile_module(
        parse(
            "cuda_tile.module @m { global constant @g <i64: [1, 2]> : tile<2xi64> "
            "entry @fourth(%a: tile<i64>) { return } }"
        )
    )
    for operation in list(added.body.block.ops):
        operation.detach()
        tile_module(module).body.block.add_op(operation)
    result = written(module)
    before, after = entries_of(ODD), entries_of(result)
    assert list(after) == ["first", "second", "third", "fourth"]
    assert all(before[name] == after[name] for name in before)
    (new,) = tile_module(decode_module(result)).globals()
    assert isinstance(new, GlobalOp)
    assert new.sym_name.data == "g"


def test_changing_and_removing_the_producer():
    module = read(ODD)
    inner = tile_module(module)
    inner.properties["producer"] = StringAttr("another")
    result = written(module)
    assert tile_module(decode_module(result)).producer == StringAttr("another")
    assert entries_of(result) == entries_of(ODD)
    del inner.properties["producer"]
    assert tile_module(decode_module(written(module))).producer is None


def test_changing_a_global():
    data = corpus.case("deep/13.3/entries_and_globals_private").bytecode
    module = read(data)
    inner = tile_module(module)
    assert inner.globals()[0].constant is None
    inner.globals()[0].properties["constant"] = UnitAttr()
    result = written(module)
    assert result != data
    assert entries_of(result) == entries_of(data)
    assert decode_module(result).is_structurally_equivalent(module)


def test_errors_of_what_was_changed_are_raised():
    module = read(ODD)
    operation = tile_module(module).entries()[0].body.block.first_op
    assert operation is not None
    operation.properties["overflow"] = StringAttr("x")
    with pytest.raises(DiagnosticError, match="expected an enumeration"):
        written(module)


# Locations.


def locations_of(entry: EntryOp) -> list[str]:
    return [str(op.location) for op in entry.walk()]


def test_changing_a_location_keeps_the_other_rows():
    data = corpus.case("deep/13.3/loc_di_scopes").bytecode
    module = read(data)
    located, _, other = tile_module(module).entries()
    operation = located.body.block.first_op
    assert operation is not None
    location = operation.location
    assert isinstance(location, DILocAttr)
    position = location.position
    moved = FileLineColLoc(position.filename, IntAttr(77), position.column)
    operation.location = cast(LocationAttr, DILocAttr(moved, location.scope))
    result = written(module)
    assert result != data
    before, after = entries_of(data), entries_of(result)
    assert before == after, "the rows changed, the functions did not"
    again = decode_module(result)
    for old, new in zip(
        (located, other), (tile_module(again).entries()[k] for k in (0, 2)), strict=True
    ):
        assert locations_of(old) == locations_of(new)


def test_a_function_that_gains_locations_gets_a_row():
    data = corpus.case("deep/13.3/loc_di_scopes").bytecode
    module = read(data)
    located, unlocated, _ = tile_module(module).entries()
    unlocated.location = located.location
    result = written(module)
    before, after = entries_of(data), entries_of(result)
    assert before["located"] == after["located"]
    assert before["other"] == after["other"]
    again = tile_module(decode_module(result)).entries()[1]
    assert locations_of(again) == locations_of(unlocated)


def test_an_inserted_operation_shifts_the_row():
    data = corpus.case("deep/13.3/loc_di_scopes").bytecode
    module = read(data)
    located = tile_module(module).entries()[0]
    operation = located.body.block.first_op
    assert operation is not None
    copy = operation.clone()
    located.body.block.insert_op_after(copy, operation)
    again = decode_module(written(module))
    assert locations_of(tile_module(again).entries()[0]) == locations_of(located)
    assert locations_of(tile_module(again).entries()[2]) == locations_of(
        tile_module(module).entries()[2]
    )


def test_edits_of_real_kernels_read_back():
    """One operation changed in every kernel that has a float addition."""
    edited = 0
    for case in corpus.cases("real", version="13.3"):
        module = read(case.bytecode)
        addition = next((op for op in module.walk() if isinstance(op, AddFOp)), None)
        if addition is None:
            continue
        addition.properties["rounding_mode"] = type(addition.rounding_mode).from_number(2)
        result = written(module)
        assert decode_module(result).is_structurally_equivalent(module), case
        assert result != case.bytecode
        edited += 1
    assert edited > 10
