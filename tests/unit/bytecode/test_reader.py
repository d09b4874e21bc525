"""What cannot be read is refused with its offset and what was being read; oddities are warned."""

import pytest
from support import corpus
from xdsl.dialects.builtin import CallSiteLoc, UnknownLoc

from tileir_xdsl import parse
from tileir_xdsl.bytecode.codec import MAX_REGION_DEPTH
from tileir_xdsl.bytecode.container import (
    OFFSET_WIDTH,
    Section,
    header,
    put_offset_table,
    put_section,
)
from tileir_xdsl.bytecode.reader import decode_module
from tileir_xdsl.bytecode.varint import put_varint, varint
from tileir_xdsl.bytecode.writer import encode_module
from tileir_xdsl.diagnostics import DiagnosticError, DiagnosticSink
from tileir_xdsl.dialects.cuda_tile.core import EntryOp, ModuleOp
from tileir_xdsl.dialects.cuda_tile.locations import DILocAttr
from tileir_xdsl.versions import V13_1, V13_2, V13_3, V13_4, V13_5, Version

# Type indices of every file below.
I32, TILE, SIGNATURE, TOKEN, I1, BOOL, F32, FLOAT = range(8)
TYPES = [
    bytes.fromhex("03"),
    bytes((0x0D, I32, 0)),
    bytes((0x10, 2, TILE, BOOL, 0)),
    bytes.fromhex("11"),
    bytes.fromhex("00"),
    bytes((0x0D, I1, 0)),
    bytes.fromhex("07"),
    bytes((0x0D, F32, 0)),
]
RETURN = bytes.fromhex("5c 00 00")


def file_of(
    body: bytes = RETURN,
    *,
    version: Version = V13_3,
    head: bytes = bytes((0, SIGNATURE, 2, 0)),
    functions: bytes | None = None,
    types: list[bytes] = TYPES,
    strings: tuple[bytes, ...] = (b"k", b"a"),
    constants: tuple[bytes, ...] = (),
    sections: dict[Section, bytes] | None = None,
) -> bytes:
    """A file with one kernel `@k(%0: tile<i32>, %1: tile<i1>)`, or with given functions."""
    if functions is None:
        newest = b"\x0b\x00\x06\x00" if version >= V13_5 else b""
        functions = b"\x01" + head + newest + varint(len(body)) + body
    out = bytearray(header(version))
    put_section(out, Section.FUNCTION, functions)
    for section, items in (
        (Section.TYPE, types),
        (Section.STRING, strings),
        (Section.CONSTANT, constants),
    ):
        if items:
            payload = bytearray()
            put_offset_table(payload, items, OFFSET_WIDTH[section])
            put_section(out, section, bytes(payload))
    for section, payload in (sections or {}).items():
        put_section(out, section, payload)
    return bytes(out + b"\x00")


def error_of(data: bytes, *, strict: bool = False) -> str:
    with pytest.raises(DiagnosticError) as caught:
        decode_module(data, "k.tileirbc", strict=strict)
    (error,) = caught.value.diagnostics
    assert error.place.byte_offset is not None
    assert 0 <= error.place.byte_offset <= len(data)
    return error.message


def warnings_of(data: bytes) -> list[str]:
    sink = DiagnosticSink()
    decode_module(data, "k.tileirbc", sink=sink)
    return [d.message for d in sink.diagnostics]


def entry_of(data: bytes) -> EntryOp:
    (module,) = decode_module(data).body.ops
    assert isinstance(module, ModuleOp)
    return module.entries()[0]


def test_the_file_that_the_others_damage_is_valid():
    decode_module(file_of()).verify()
    decode_module(file_of(version=V13_5)).verify()


# Instructions.


@pytest.mark.parametrize(
    ("body", "message"),
    [
        ("", "expected a terminator, but the block is empty"),
        ("50 01 00 00", "expected a terminator, but the block ends with 'cuda_tile.negi'"),
        ("50 01 00", "expected a value number, but the data ends here"),
        ("50 01 04 00", "overflow must be below 4, but is 4"),
        ("50 01 00 02", "value 2 is not defined here, 2 values are"),
        ("50 09 00 00", "type 9 does not exist, the file has 8 types"),
        ("5c 01 01 00", "expected 0 results, but found 1"),
        ("5c 00 05", "5 operands do not fit in the remaining 0 bytes"),
        ("13", "expected a result type, but the data ends here"),
        ("19", "unknown opcode 0x19"),
        ("22", "unknown opcode 0x22"),
        ("16 00", "unknown opcode 0x16"),
        ("31 00", "unknown opcode 0x31"),
        ("4b 00", "unknown opcode 0x4b"),
        ("7e 00", "unknown opcode 0x7e"),
        ("76 00", "opcode 0x76 ('cuda_tile.insert') needs version 13.4, the file is 13.3"),
        ("82 80 01", "opcode 0x4002 is preview content, which is not supported"),
        ("84 80 01", "opcode 0x4004 is preview content, which is not supported"),
        ("80 60", "opcode 0x3000 is for NVIDIA's own tests"),
        ("80 80 80 80 80 80 80 80 80 80 00", "expected an opcode, but found more than ten"),
        ("10 01 00", "constant 0 does not exist, the file has 0 constants"),
        ("10 00 00", "a constant must be a tile, but is 'i32'"),
        ("10 03 00", "a constant must be a tile, but is 'token'"),
        ("05 02 01", "string 2 does not exist, the file has 2 strings"),
        ("06 01 07 00 00 00", "attribute tag 7 is dense elements, which no reader accepts here"),
        ("06 01 0e 00", "attribute tag 14 is unknown"),
        ("06 01 01 00 05 00", "expected an assume predicate, but found integer"),
        ("06 01 08 03 00 00", "attribute is not valid: div_by divisor must be a power of two"),
        ("06 01 08 04 08 00", "unknown bits in the presence flags 0x8"),
        (
            "06 01 09 01 ff ff ff ff ff ff ff 7f 00",
            "same_elements must not hold 9223372036854775807",
        ),
        ("06 01 09 02 00", "2 elements of same_elements do not fit"),
        ("32 00 01 01 00", "expected 2 regions, but found 1"),
        ("32 00 01 02 00 00", "expected a region of one block, but found 0"),
        ("32 00 01 02 02", "expected a region of one block, but found 2"),
        ("32 00 01 02 01 00 00", "expected a terminator, but the block is empty"),
        ("32 00 01 02 01 00 01 50 01 00 00", "the block ends with 'cuda_tile.negi'"),
        ("32 00 01 02 01 7f", "127 block arguments do not fit"),
        ("32 00 01 02 01 00 7f", "127 operations do not fit"),
        ("3c 01 03 ff ff 03", "65535 operands do not fit in the remaining 0 bytes"),
        ("3c 02 03 03 00", "expected 1 results, but found 2"),
    ],
)
def test_instructions(body: str, message: str):
    assert message in error_of(file_of(bytes.fromhex(body)))


def test_the_error_says_what_is_being_read():
    data = file_of(bytes.fromhex("32 00 01 02 01 00 02 50 01 00 09 6d 00 00 00") + RETURN)
    offset = data.index(b"\x50\x01\x00\x09")
    with pytest.raises(DiagnosticError) as caught:
        decode_module(data, "k.tileirbc")
    assert str(caught.value).splitlines()[0] == (
        f"k.tileirbc:+{offset + 3:#x}: error: value 9 is not defined here, 2 values are "
        f"(reading 'cuda_tile.negi' at {offset:#x}, function @k, the function section)"
    )


def test_values_of_sibling_regions_share_numbers_and_do_not_escape():
    branch = bytes.fromhex("01 00 02 50 01 00 00 6d 00 00")
    valid = bytes.fromhex("32 00 01 02") + branch + branch + bytes.fromhex("50 01 00 00") + RETURN
    entry = entry_of(file_of(valid))
    branching, after, _ = entry.body.block.ops
    assert after.operands[0] is entry.body.block.args[0]
    assert not branching.results
    escaping = bytes.fromhex("32 00 01 02") + branch + b"\x00" + bytes.fromhex("50 01 00 02")
    assert "value 2 is not defined here" in error_of(file_of(escaping + RETURN))


def test_opcodes_of_every_version():
    """The first operation of each version, one version too early."""
    for opcode, since, before in (
        (0x6E, V13_2, V13_1),
        (0x6F, V13_3, V13_2),
        (0x76, V13_4, V13_3),
        (0x7B, V13_5, V13_4),
    ):
        message = error_of(file_of(bytes((opcode, TILE, 0, 0)), version=before))
        assert f"needs version {since}, the file is {before}" in message


def test_enum_values_of_later_versions():
    body = bytes((0x2A, FLOAT, 7, 0)) + RETURN
    types = [*TYPES[:2], bytes((0x10, 2, FLOAT, BOOL, 0)), *TYPES[3:]]
    message = error_of(file_of(body, version=V13_3, types=types))
    assert "rounding mode nearest_away needs version 13.4, the file is 13.3" in message
    decode_module(file_of(body, version=V13_4, types=types))


def test_unknown_flags_of_an_operation_are_a_warning():
    body = bytes((0x2B, TILE, 3, 1, 6, 2)) + RETURN
    types = [*TYPES[:2], bytes((0x10, 3, TILE, BOOL, FLOAT, 0)), *TYPES[3:]]
    data = file_of(body, version=V13_4, types=types)
    message = "unknown bits in the flags 0x3 of 'cuda_tile.ftoi'"
    assert warnings_of(data) == [message]
    assert message in error_of(data, strict=True)


def test_results_that_came_later_are_made_up():
    body = bytes.fromhex("55 00 01 00") + RETURN
    printing = entry_of(file_of(body, version=V13_1)).body.block.first_op
    assert printing is not None
    printing.verify()
    assert [str(result.type) for result in printing.results] == ["!cuda_tile.token"]


def test_deep_nesting_is_refused():
    opening = bytes.fromhex("32 00 01 02 01 00 02")
    assert f"regions nest more than {MAX_REGION_DEPTH} deep" in error_of(file_of(opening * 5000))


def test_deep_attributes_are_refused():
    hints = b"\x0b\x01\x01" + b"\x0a\x01\x01" * 4000 + b"\x03\x00"
    message = error_of(file_of(head=bytes((0, SIGNATURE, 6, 0)) + hints))
    assert "attributes nest more than 32 deep" in message


# Functions and globals.


@pytest.mark.parametrize(
    ("functions", "message"),
    [
        ("02 00 02 02 00 03 5c 00 00", "2 functions do not fit"),
        ("01 05 02 02 00 03 5c 00 00", "string 5 does not exist"),
        ("01 02 02 02 00 03 5c 00 00", "the name is empty"),
        ("02 00 02 02 00 03 5c 00 00 00 02 02 00 03 5c 00 00", "the name 'k' is repeated"),
        ("01 00 01 02 00 03 5c 00 00", "a signature must be a function type, but is 'tile<i32>'"),
        ("01 00 09 02 00 03 5c 00 00", "type 9 does not exist"),
        ("01 00 02 02 00 04 5c 00 00", "the body claims 4 bytes, but only 3 are left"),
        ("01 00 02 02 01 03 5c 00 00", "location 1 needs a debug section"),
        ("01 00 02 00 00 03 5c 00 00", "only kernels are supported"),
        ("01 00 02 03 00 03 5c 00 00", "an entry must have public visibility, but is private"),
        ("01 00 02 06 00 01 00 05", "expected optimization hints, but found integer"),
        ("01 00 02 06 00 0b 01 01 03 00", "optimization_hints' must be a dictionary"),
        ("01 00 02 06 00 0b 02 01 0a 00 01 0a 00", "the dictionary key 'a' is repeated"),
        ("01 00 02 06 00 0b 01 02 0a 00 00", "a dictionary key is empty"),
    ],
)
def test_functions(functions: str, message: str):
    data = file_of(functions=bytes.fromhex(functions), strings=(b"k", b"a", b""))
    if message.startswith("optimization_hints'"):
        message = "hints of 'a' must be a dictionary"
    assert message in error_of(data)


@pytest.mark.parametrize(
    ("flags", "message"),
    [
        (0x00, "only kernels are supported"),
        (0x04, "an external implementation is preview content"),
        (0x06, "an external implementation is preview content"),
        (0x0A, "unknown bits in the flags 0x0a of a function"),
    ],
)
def test_function_flags_of_the_newest_version(flags: int, message: str):
    data = file_of(version=V13_5, head=bytes((0, SIGNATURE, flags, 0)))
    assert message in error_of(data)


def test_unknown_function_flags_are_ignored_up_to_13_3():
    head = bytes((0, SIGNATURE, 0x12, 0))
    message = "unknown bits in the flags 0x12 of a function"
    assert warnings_of(file_of(head=head)) == [message]
    assert message in error_of(file_of(head=head), strict=True)
    assert message in error_of(file_of(head=head, version=V13_4))


@pytest.mark.parametrize(
    ("signature", "message"),
    [
        ((0x10, 1, I32, 0), "argument 0 must be a rank-0 tile, but is 'i32'"),
        ((0x10, 2, TILE, TOKEN, 0), "argument 1 must be a rank-0 tile, but is 'token'"),
        ((0x10, 0, 1, TILE), "the signature of an entry must have no results"),
    ],
)
def test_signatures(signature: tuple[int, ...], message: str):
    types = [*TYPES[:2], bytes(signature), *TYPES[3:]]
    assert message in error_of(file_of(types=types))


def test_argument_attributes_fit_the_arguments():
    head = bytes((0, SIGNATURE, 2, 0))

    def functions(attributes: str) -> bytes:
        return b"\x01" + head + b"\x0b\x00" + bytes.fromhex(attributes) + b"\x03" + RETURN

    for attributes, message in (
        ("06 01 0a 00", "there are attributes for 1 arguments, but 2 arguments"),
        ("06 01 03 00", "the attributes of an argument must be a dictionary, not integer"),
        ("03 00", "expected an array of argument attributes, but found integer"),
    ):
        data = file_of(functions=functions(attributes), version=V13_5)
        assert message in error_of(data)
    entry = entry_of(file_of(functions=functions("06 02 0a 00 0a 00"), version=V13_5))
    assert entry.arg_attrs is None


def test_entries_that_share_a_signature_cannot_ask_for_any_number_of_arguments():
    signature = b"\x10" + varint(5000) + bytes([TILE]) * 5000 + b"\x00"
    functions = bytearray(varint(200))
    for index in range(200):
        put_varint(functions, index)
        functions += bytes((SIGNATURE, 2, 0, 3)) + RETURN
    data = file_of(
        functions=bytes(functions),
        types=[*TYPES[:2], signature],
        strings=tuple(b"k%d" % index for index in range(200)),
    )
    assert "the functions have too many arguments for a file of this size" in error_of(data)


VECTOR = [bytes.fromhex("03"), bytes.fromhex("0d 00 01 02 00 00 00 00 00 00 00"), *TYPES[1:]]


@pytest.mark.parametrize(
    ("record", "message"),
    [
        ("01 02 00 01 00 00 00", "the type of a global must be a rank-1 tile, but is 'tile<i32>'"),
        ("01 02 01 01 00 00 00", "constant 1 does not exist"),
        ("01 01 01 00 00 00 02", "symbol visibility must be below 2, but is 2"),
        ("01 09 01 00 00 00 00", "the name is empty"),
        ("01 00 01 00 00 00 00", "the name 'k' is repeated"),
        ("09 00 01 00 00 00 00", "9 globals do not fit"),
    ],
)
def test_globals(record: str, message: str):
    fields = bytes.fromhex(record)
    if message.startswith("the name is empty"):
        fields = bytes.fromhex("01 02 01 00 00 00 00")
    if message.startswith("the type"):
        fields = bytes.fromhex("01 01 02 00 00 00 00")
    if message.startswith("constant"):
        fields = bytes.fromhex("01 01 01 01 00 00 00")
    if message.startswith("symbol"):
        fields = bytes.fromhex("01 01 01 00 00 02 00")
    types = [VECTOR[0], VECTOR[1], TYPES[1], *TYPES[2:]]
    types[3] = bytes((0x10, 0, 0))
    data = file_of(
        head=bytes((0, 3, 2, 0)),
        types=types,
        strings=(b"k", b"g", b""),
        constants=(b"\x04\x01\x02\x03\x04",),
        sections={Section.GLOBAL: fields},
    )
    assert message in error_of(data)


def test_a_constant_flag_other_than_one_is_a_warning():
    types = [VECTOR[0], VECTOR[1], bytes((0x10, 0, 0))]
    data = file_of(
        types=types,
        strings=(b"k", b"g"),
        constants=(b"\x04\x01\x02\x03\x04",),
        sections={Section.GLOBAL: bytes.fromhex("01 01 01 00 00 00 07")},
    )
    assert warnings_of(data) == ["expected 0 or 1 for the constant flag, found 7"]
    assert "constant @g" in str(decode_module(data))


def test_many_trailing_bytes_after_the_functions_are_a_warning():
    functions = b"\x01" + bytes((0, SIGNATURE, 2, 0, 3)) + RETURN
    assert warnings_of(file_of(functions=functions + b"\xcb" * 7)) == []
    assert warnings_of(file_of(functions=functions + b"\xcb" * 8)) == [
        "8 bytes follow the last function"
    ]


# Types and constants.


def with_result_type(*type: bytes, version: Version = V13_3) -> bytes:
    """An `iota` whose result type is the last of some types after those of every file."""
    body = bytes((0x3A, len(TYPES) + len(type) - 1)) + RETURN
    return file_of(body, types=[*TYPES, *type], version=version)


EIGHT = "08 00 00 00 00 00 00 00"


@pytest.mark.parametrize(
    ("type", "message"),
    [
        ("63", "unknown type tag 99"),
        ("16", "type i4 (tag 22) needs version 13.3, the file is 13.1"),
        ("12", "type f8E8M0FNU (tag 18) needs version 13.2, the file is 13.1"),
        ("82 01", "type fnv8E5M3FNU (tag 130) needs version 13.4, the file is 13.1"),
        ("14", "type gather_scatter_view (tag 20) needs version 13.3, the file is 13.1"),
        ("0d 00 01", "1 elements of shape do not fit"),
        ("0d 00 01 03 00 00 00 00 00 00 00", "tile dimensions must be powers of two"),
        ("0d 00 00 00", "expected the end of the tile type, 1 bytes follow"),
        ("0d 08 00", "type 8 contains itself"),
        ("0d 03 00", "tile element type must be a number"),
        ("0c 03", "pointee must be a number type, but got 'token'"),
        ("0e 00 01 " + EIGHT + " 00", "needs one stride for each dimension"),
        ("0f 00 09 00 00", "type 9 does not exist"),
    ],
)
def test_types(type: str, message: str):
    assert message in error_of(with_result_type(bytes.fromhex(type), version=V13_1))


def test_type_tags_have_8_bits():
    data = with_result_type(bytes.fromhex("8d 56 00 00"))
    assert warnings_of(data) == ["type tag 11021 does not fit 8 bits, the higher bits are dropped"]


def test_unknown_flags_of_a_type_are_refused():
    data = with_result_type(bytes.fromhex("0c 02 00"), version=V13_4)
    assert "unknown bits in the flags 0x2 of a type" in error_of(data)


def test_a_presence_byte_other_than_one_is_a_warning():
    view = bytes.fromhex(f"0e 06 01 {EIGHT} 01 01 00 00 00 00 00 00 00")
    partition = bytes.fromhex("0f 01 04 00 00 00 08 01 00 00 00 00 02 02")
    body = bytes((0x43, 1, 8, 0, 0, 0, 0x42, 9, 2)) + RETURN
    types = [*TYPES[:2], bytes((0x10, 2, 11, BOOL, 0)), *TYPES[3:], view, partition]
    data = file_of(body, version=V13_1, types=[*types, bytes((0x0C, F32)), bytes((0x0D, 10, 0))])
    assert "padding_value = nan" in str(decode_module(data))
    assert warnings_of(data) == ["expected 0 or 1 before a padding_value, found 2"]


def test_presence_flags_of_a_predicate_are_a_varint():
    decode_module(file_of(bytes.fromhex("06 01 0c 80 00 00") + RETURN))


def test_types_that_nest_deeply_are_refused():
    chain = [bytes((0x10, 1, len(TYPES) + k + 1, 0)) for k in range(40)]
    data = file_of(head=bytes((0, len(TYPES), 2, 0)), types=[*TYPES, *chain, b"\x03"])
    assert "types nest more than 8 deep" in error_of(data)


def test_types_that_are_not_used_are_not_looked_at():
    decode_module(file_of(types=[*TYPES, b"\x63", b""]))


def test_bytes_after_a_scalar_type_are_ignored():
    decode_module(file_of(types=[b"\x03\x01\x02", *TYPES[1:]]))


def constant_file(raw: bytes, type: bytes) -> bytes:
    body = bytes((0x10, len(TYPES), 0)) + RETURN
    return file_of(body, types=[*TYPES, type], constants=(raw,))


def tile_type(element: int, *shape: int) -> bytes:
    sizes = b"".join(size.to_bytes(8, "little") for size in shape)
    return bytes((0x0D, element, len(shape))) + sizes


@pytest.mark.parametrize(
    ("raw", "type", "message"),
    [
        ("03 01 02 03", tile_type(I32), "a constant of 'tile<i32>' takes 4 bytes, but has 3"),
        ("08" + "00" * 8, tile_type(I32, 4), "takes 4 or 16 bytes, but has 8"),
        ("05 01 02", tile_type(I32), "5 bytes of constant data do not fit"),
        ("02 01 01", tile_type(I1, 8), "8 packed i1 elements take 1 bytes, but there are 2"),
        ("03 01 01 01", tile_type(I1, 16), "16 packed i1 elements take 2 bytes, but there are 3"),
    ],
)
def test_constants(raw: str, type: bytes, message: str):
    assert message in error_of(constant_file(bytes.fromhex(raw), type))


@pytest.mark.parametrize(
    ("raw", "shape", "literal"),
    [
        ("01 05", (4,), "[true, false, true, false]"),
        ("01 01", (16,), "true"),
        ("01 fe", (16,), "false"),
        ("01 ff", (), "true"),
        ("02 01 80", (16,), "[true, " + "false, " * 14 + "true]"),
    ],
)
def test_i1_constants_are_packed_bits(raw: str, shape: tuple[int, ...], literal: str):
    data = constant_file(bytes.fromhex(raw), tile_type(I1, *shape))
    assert f"<i1: {literal}>" in str(decode_module(data))


@pytest.mark.parametrize(
    ("raw", "element", "shape", "literal"),
    [
        ("03 ff ff ff", "08", (), "0x7FFFF"),
        ("06 00 00 f8 00 00 fc", "08", (2,), "[0.000000e+00, -0.000000e+00]"),
        ("02 ff 71", "13", (2,), "[-6.000000e+00, 5.000000e-01]"),
    ],
)
def test_bits_that_no_element_has_are_dropped(
    raw: str, element: str, shape: tuple[int, ...], literal: str
):
    types = [*TYPES, bytes.fromhex(element), tile_type(len(TYPES), *shape)]
    body = bytes((0x10, len(TYPES) + 1, 0)) + RETURN
    data = file_of(body, types=types, constants=(bytes.fromhex(raw),))
    assert f": {literal}>" in str(decode_module(data))
    (message,) = warnings_of(data)
    assert message.startswith("constant 0 has bits that no 'tile<")


def test_bytes_after_a_constant_are_ignored_and_a_constant_serves_several_types():
    body = bytes((0x10, TILE, 0, 0x10, FLOAT, 0)) + RETURN
    data = file_of(body, constants=(bytes.fromhex("04 00 00 80 3f cb cb"),))
    text = str(decode_module(data))
    assert "<i32: 1065353216>" in text
    assert "<f32: 1.000000e+00>" in text


# Debug info.


def debug_section(rows: list[list[int]], attributes: list[str]) -> bytes:
    out = bytearray(varint(len(rows)))
    out += b"\xcb" * (-len(out) % 4)
    start = 0
    for row in rows:
        out += start.to_bytes(4, "little")
        start += len(row)
    out += varint(start)
    out += b"\xcb" * (-len(out) % 8)
    for row in rows:
        for index in row:
            out += index.to_bytes(8, "little")
    put_offset_table(out, [bytes.fromhex(attribute) for attribute in attributes], 4)
    return bytes(out)


FILE, UNIT, SUBPROGRAM = "02 00 01", "01 01", "05 01 0a 00 00 02 0b"
LOCATION, CALL = "04 03 01 05 06", "06 04 04"
SCOPED = [FILE, UNIT, SUBPROGRAM, LOCATION, CALL]


def debug_file(rows: list[list[int]], attributes: list[str], version: Version = V13_3) -> bytes:
    return file_of(
        bytes.fromhex("50 01 00 00") + RETURN,
        head=bytes((0, SIGNATURE, 2, 1)),
        sections={Section.DEBUG: debug_section(rows, attributes)},
        version=version,
    )


def test_locations_come_back_onto_operations():
    entry = entry_of(debug_file([[4, 5, 0]], SCOPED))
    negi, end = entry.body.block.ops
    assert isinstance(entry.location, DILocAttr)
    assert str(entry.location.position) == 'loc("a":5:6)'
    assert isinstance(negi.location, CallSiteLoc)
    assert negi.location.callee == entry.location
    assert isinstance(end.location, UnknownLoc)


def test_a_longer_row_is_read():
    decode_module(debug_file([[4, 4, 4, 4, 4]], SCOPED))


BROKEN_ROWS: list[tuple[list[list[int]], list[str], str]] = [
    ([[4, 4]], SCOPED, "the row of locations of the function is too short"),
    ([], SCOPED, "row 0 of locations does not exist, the file has 0"),
    ([[]], SCOPED, "row 0 of locations has no indices"),
    ([[9, 0, 0]], SCOPED, "debug attribute 9 does not exist, the file has 5"),
    ([[1 << 40, 0, 0]], SCOPED, "debug attribute 1099511627776 does not exist"),
    (
        [[4, 3, 0]],
        SCOPED,
        "expected a location, but debug attribute 3 is cuda_tile.di_subprogr",
    ),
    ([[1, 0, 0]], ["04 01 00 01 01"], "debug attribute 1 contains itself"),
    ([[1, 0, 0]], ["04 00 00 01 01"], "expected di_subprogram or di_lexical_block, but debug"),
    ([[2, 0, 0]], [FILE, "01 02"], "debug attribute 2 contains itself"),
    (
        [[2, 0, 0]],
        [FILE, "01 01"],
        "expected a location, but debug attribute 2 is cuda_tile.di",
    ),
    ([[1, 0, 0]], ["02 09 00"], "string 9 does not exist"),
    ([[4, 0, 0]], [*SCOPED[:3], "04 03 01"], "expected a line, but the data ends here"),
]


@pytest.mark.parametrize(("rows", "attributes", "message"), BROKEN_ROWS)
def test_debug_info(rows: list[list[int]], attributes: list[str], message: str):
    assert message in error_of(debug_file(rows, attributes))


def test_unknown_debug_attributes_are_unknown_locations():
    data = debug_file([[1, 0, 0]], ["29 01 02"])
    message = "unknown debug attribute tag 41, read as the unknown location"
    assert warnings_of(data) == [message]
    assert message in error_of(data, strict=True)


def test_lines_and_columns_have_32_bits():
    big = "ff ff ff ff ff ff 01"
    data = debug_file([[4, 0, 0]], [FILE, UNIT, SUBPROGRAM, f"04 03 01 {big} 06"])
    location = entry_of(data).location
    assert isinstance(location, DILocAttr)
    assert location.position.line.data == 0xFFFFFFFF
    assert warnings_of(data) == [
        "a line of 8796093022207 does not fit 32 bits, the higher bits are dropped"
    ]


def test_subprogram_flags_of_the_newest_version():
    attributes = [FILE, UNIT, SUBPROGRAM + " 01", LOCATION]
    entry = entry_of(debug_file([[4, 0, 0]], attributes, V13_5))
    assert "flags = declaration" in str(entry.location)
    attributes[2] = SUBPROGRAM + " 02"
    data = debug_file([[4, 0, 0]], attributes, V13_5)
    assert "unknown bits in the flags 0x2 of a subprogram" in error_of(data)


@pytest.mark.parametrize(
    ("attribute", "message"),
    [
        ("06 {0} {0}", "a debug attribute has more than 4096 nodes"),
        ("06 {0} 04", "debug attributes nest more than 128 deep"),
        ("03 {0} 01 01 01", "debug attributes nest more than 128 deep"),
    ],
)
@pytest.mark.parametrize("forward", [False, True])
def test_debug_info_that_doubles_or_grows_is_refused(attribute: str, message: str, forward: bool):
    count = 2000
    attributes = list(SCOPED)
    for k in range(count):
        previous = 3 if attribute.startswith("03") else 4
        if k:
            previous = len(SCOPED) + (k + 2 if forward else k)
        attributes.append(attribute.format(varint(previous).hex()))
    if forward:
        attributes.append(LOCATION)
        message = "debug attributes nest more than 128 deep"
    outermost = len(SCOPED) + 2 if forward else len(attributes)
    data = debug_file([[outermost, 0, 0]], attributes)
    assert message in error_of(data)


def test_debug_attributes_that_are_wrong_and_not_used_do_not_matter():
    warnings = warnings_of(debug_file([[4, 6, 0]], [*SCOPED[:4], "05 09", LOCATION]))
    assert warnings == []


def test_warnings_are_limited():
    body = bytes((0x2B, TILE, 3, 1, 6, 2)) * 500 + RETURN
    types = [*TYPES[:2], bytes((0x10, 3, TILE, BOOL, FLOAT, 0)), *TYPES[3:]]
    warnings = warnings_of(file_of(body, version=V13_4, types=types))
    assert len(warnings) == 101
    assert warnings[-1] == "further warnings are not shown"


def test_types_of_absurd_rank_are_refused():
    data = with_result_type(b"\x0d\x00" + varint(2000) + b"\x01\0\0\0\0\0\0\0" * 2000)
    assert "shape has 2000 dimensions, at most 1024 are supported" in error_of(data)


# Damage.

SMALL = encode_module(
    parse("cuda_tile.module @m { entry @k(%a: tile<i32>) { %0 = negi %a : tile<i32> return } }")
)


def read_or_refuse(data: bytes) -> bool:
    """Whether `data` is read; what is read must be written and read again."""
    try:
        module = decode_module(data)
    except DiagnosticError:
        return False
    again = decode_module(encode_module(module, f"13.{data[9]}"))
    assert module.is_structurally_equivalent(again)
    return True


def test_every_prefix_is_refused():
    assert read_or_refuse(SMALL)
    for length in range(len(SMALL)):
        assert not read_or_refuse(SMALL[:length]), length


def test_every_change_of_one_byte_is_read_or_refused():
    read = 0
    for offset in range(len(SMALL)):
        for value in range(256):
            data = SMALL[:offset] + bytes((value,)) + SMALL[offset + 1 :]
            read += read_or_refuse(data)
    assert 256 * 10 < read < 256 * len(SMALL) // 2


def test_cut_and_extended_files_are_refused():
    for case in corpus.cases("real", version="13.3"):
        data = case.bytecode
        for broken in (data[: len(data) // 2], data[:-1], data + b"\x00", data[:12] + data[13:]):
            assert not read_or_refuse(broken), case
