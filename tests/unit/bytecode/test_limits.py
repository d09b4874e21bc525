"""No input of n bytes takes more than 1 s + 10 us * n, nor more than 60 MB + 300 B * n."""

import time
import tracemalloc
from collections.abc import Callable

import pytest

from tileir_xdsl.bytecode.container import (
    OFFSET_WIDTH,
    Section,
    header,
    put_offset_table,
    put_section,
)
from tileir_xdsl.bytecode.reader import decode_module
from tileir_xdsl.bytecode.varint import varint
from tileir_xdsl.diagnostics import DiagnosticError
from tileir_xdsl.versions import V13_3

I32, TILE, TOKEN, I1, BOOL, SIGNATURE, F32 = range(7)
TYPES = [b"\x03", b"\x0d\x00\x00", b"\x11", b"\x00", b"\x0d\x03\x00", b"\x10\x01\x04\x00", b"\x07"]
RETURN = b"\x5c\x00\x00"


def file_of(
    body: bytes = b"",
    *,
    hints: bytes = b"",
    location: int = 0,
    functions: bytes = b"",
    types: list[bytes] = TYPES,
    strings: list[bytes] | None = None,
    constants: list[bytes] | None = None,
    sections: dict[Section, bytes] | None = None,
) -> bytes:
    """A file with one kernel `@k(%0: tile<i1>)` that ends in a return, or some functions."""
    body += RETURN
    head = bytes((0, SIGNATURE, 6 if hints else 2, location))
    out = bytearray(header(V13_3))
    put_section(
        out, Section.FUNCTION, functions or b"\x01" + head + hints + varint(len(body)) + body
    )
    tables = {Section.TYPE: types, Section.STRING: strings or [b"k"]}
    if constants:
        tables[Section.CONSTANT] = constants
    for section, items in tables.items():
        payload = bytearray()
        put_offset_table(payload, items, OFFSET_WIDTH[section])
        put_section(out, section, bytes(payload))
    for section, payload in (sections or {}).items():
        put_section(out, section, payload)
    return bytes(out + b"\x00")


def array_of(element: bytes) -> Callable[[int], bytes]:
    """Hints that hold an array of equal attributes."""

    def make(size: int) -> bytes:
        count = size // len(element)
        return file_of(hints=b"\x0b\x01\x00\x0a\x01\x00\x06" + varint(count) + element * count)

    return make


def repeated(operation: bytes) -> Callable[[int], bytes]:
    return lambda size: file_of(operation * (size // len(operation)))


def distinct_types(size: int) -> bytes:
    count = size // 11
    body = b"".join(b"\x3a" + varint(len(TYPES) + k) for k in range(count))
    return file_of(body, types=[*TYPES, *[b"\x0d\x00\x00"] * count])


def shared_constant(size: int) -> bytes:
    """One constant as data of many shapes."""
    count = 1 << (size // 2).bit_length() - 1
    shapes = [
        (1 << a, 1 << b, 1 << c, count >> a + b + c)
        for a in range(6)
        for b in range(6)
        for c in range(6)
    ]
    tiles = [
        bytes((0x0D, len(TYPES), 4)) + b"".join(extent.to_bytes(8, "little") for extent in shape)
        for shape in shapes
    ]
    body = b"".join(b"\x10" + varint(len(TYPES) + 1 + k) + b"\x00" for k in range(len(tiles)))
    constant = varint(count) + b"\x00" * (count - 1) + b"\x01"
    return file_of(body, types=[*TYPES, b"\x01", *tiles], constants=[constant])


def debug_section(row: list[int], attributes: list[bytes]) -> bytes:
    out = bytearray(b"\x01\xcb\xcb\xcb" + bytes(4) + varint(len(row)))
    out += b"\xcb" * (-len(out) % 8)
    out += b"".join(index.to_bytes(8, "little") for index in row)
    put_offset_table(out, attributes, 4)
    return bytes(out)


DEBUG_INFO = [b"\x02\x00\x00", b"\x01\x01", b"\x05\x01\x0a\x00\x00\x02\x0b"]


def locations(size: int) -> bytes:
    count = size // 24
    row = [4, *(4 + k for k in range(count)), 0]
    attributes = [*DEBUG_INFO, *[b"\x04\x03\x00\x05\x06"] * (count + 1)]
    sections = {Section.DEBUG: debug_section(row, attributes)}
    return file_of(b"\x44\x02" * count, location=1, sections=sections)


def calls(size: int) -> bytes:
    """Calls inside of each other, doubling."""
    count = size // 8
    attributes = [*DEBUG_INFO, b"\x04\x03\x00\x05\x06"]
    for k in range(count):
        attributes.append(b"\x06" + 2 * varint(4 + k))
    return file_of(location=1, sections={Section.DEBUG: debug_section([4 + count, 0], attributes)})


def functions(size: int) -> bytes:
    count = size // 20
    entries = b"".join(varint(k) + bytes((SIGNATURE, 2, 0, 3)) + RETURN for k in range(count))
    return file_of(functions=varint(count) + entries, strings=[b"k%d" % k for k in range(count)])


def sections(size: int) -> bytes:
    whole = file_of()
    return whole[:12] + b"\x07\x01\x00" * (size // 3) + whole[12:]


BRANCH = b"\x32\x00\x00\x02\x01\x00\x01\x6d\x00\x00\x00"

INPUTS: dict[str, Callable[[int], bytes]] = {
    "operations of two bytes": repeated(b"\x44\x02"),
    "operations of three bytes": repeated(RETURN),
    "branches": repeated(BRANCH),
    "assertions": repeated(b"\x05\x00\x00"),
    "operands": lambda n: file_of(b"\x44\x02\x3c\x01\x02" + varint(n) + b"\x01" * n),
    "results": lambda n: file_of(b"\x2f" + varint(n) + b"\x01" * n + b"\x00"),
    "block arguments": lambda n: file_of(
        b"\x32\x00\x00\x02\x01" + varint(n) + b"\x01" * n + b"\x01\x6d\x00\x00\x00"
    ),
    "types": distinct_types,
    "shapes of a constant": shared_constant,
    "locations": locations,
    "calls": calls,
    "functions": functions,
    "sections": sections,
    "integers": array_of(b"\x01\x00\x05"),
    "floats": array_of(b"\x02\x06\x02"),
    "arrays": array_of(b"\x06\x00"),
    "nested arrays": array_of(b"\x06\x01" * 20 + b"\x06\x00"),
    "dictionaries": array_of(b"\x0a\x01\x00\x03\x01"),
    "predicates": array_of(b"\x0c\x00"),
}


def read(data: bytes) -> None:
    try:
        decode_module(data)
    except DiagnosticError:
        pass


@pytest.mark.slow
@pytest.mark.parametrize("make", INPUTS.values(), ids=INPUTS.keys())
def test_time(make: Callable[[int], bytes]):
    data = make(300_000)
    start = time.process_time()
    read(data)
    assert time.process_time() - start < 1 + 10e-6 * len(data)


@pytest.mark.slow
@pytest.mark.parametrize("make", INPUTS.values(), ids=INPUTS.keys())
def test_memory(make: Callable[[int], bytes]):
    # The constant part is much smaller than allowed, so that a small input shows the growth.
    data = make(100_000)
    read(make(100))
    tracemalloc.start()
    try:
        read(data)
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert peak < 5e6 + 300 * len(data)
