"""The two smallest files, byte by byte, in all versions."""

import pytest

from tileir_xdsl.bytecode.reader import decode_module
from tileir_xdsl.bytecode.writer import encode_module
from tileir_xdsl.dialects.cuda_tile.arithmetic import NegIOp
from tileir_xdsl.dialects.cuda_tile.control_flow import ReturnOp
from tileir_xdsl.dialects.cuda_tile.core import EntryOp, ModuleOp

EMPTY_MODULE = """
7f 54 69 6c 65 49 52 00
0d 03 00 00
82 01 08 cb 00
85 04 04 00 cb cb cb
81 04 04 cb 00 cb cb cb
00
"""

ENTRIES = {
    "13.1": "00 02 02 00 06 50 01 00 5c 00 00",
    "13.2": "00 02 02 00 07 50 01 00 00 5c 00 00",
    "13.3": "00 02 02 00 07 50 01 00 00 5c 00 00",
    "13.4": "00 02 02 00 07 50 01 00 00 5c 00 00",
    "13.5": "00 02 02 00 0b 00 06 00 07 50 01 00 00 5c 00 00",
}
"""The function `entry @k(%arg0: tile<i32>) { %0 = negi %arg0 ; return }`: name, signature, flags,
location, at 13.5 empty hints and argument attributes, body length, negi (since 13.2 with
overflow), return."""

TYPES = """
85 18 04 {pad}
03 cb cb cb
00 00 00 00 01 00 00 00 04 00 00 00
03
0d 00 00
10 01 01 00
"""
STRINGS = "81 09 04 {pad} 01 cb cb cb 00 00 00 00 6b"


def padded(data: bytes, text: str, alignment: int) -> bytes:
    """The bytes of a section whose `{pad}` brings its payload to a multiple of `alignment`."""
    before, _, after = text.partition("{pad}")
    head = data + bytes.fromhex(before)
    return head + b"\xcb" * (-len(head) % alignment) + bytes.fromhex(after)


def one_kernel(version: str, *, pad_functions: bool) -> bytes:
    functions = b"\x01" + bytes.fromhex(ENTRIES[version])
    if pad_functions:
        functions += b"\xcb" * (-len(functions) % 8)
    data = b"\x7fTileIR\x00\x0d" + bytes([int(version[-1])]) + b"\x00\x00"
    data = padded(data, f"82 {len(functions):02x} 08 {{pad}} {functions.hex()}", 8)
    return padded(padded(data, TYPES, 4), STRINGS, 4) + b"\x00"


def test_sizes_of_the_documented_files():
    assert len(bytes.fromhex(EMPTY_MODULE)) == 33
    assert len(one_kernel("13.3", pad_functions=False)) == 70


@pytest.mark.parametrize("version", ENTRIES)
def test_empty_module(version: str):
    data = bytearray.fromhex(EMPTY_MODULE)
    data[9] = int(version[-1])
    module = decode_module(bytes(data)).body.block.first_op
    assert isinstance(module, ModuleOp)
    assert module.sym_name.data == "kernels"
    assert not module.body.block.ops


@pytest.mark.parametrize("version", ENTRIES)
def test_one_kernel_is_read(version: str):
    module = decode_module(one_kernel(version, pad_functions=False))
    module.verify()
    (tile_module,) = module.body.block.ops
    assert isinstance(tile_module, ModuleOp)
    (entry,) = tile_module.body.block.ops
    assert isinstance(entry, EntryOp)
    assert entry.sym_name.data == "k"
    negi, end = entry.body.block.ops
    assert isinstance(negi, NegIOp)
    assert negi.source is entry.body.block.args[0]
    assert negi.overflow.keyword == "none"
    assert isinstance(end, ReturnOp)


@pytest.mark.parametrize("version", ENTRIES)
def test_one_kernel_is_written(version: str):
    """As above, but for the padding of the function section, which NVIDIA's writers add too."""
    module = decode_module(one_kernel(version, pad_functions=False))
    assert encode_module(module, version) == one_kernel(version, pad_functions=True)
