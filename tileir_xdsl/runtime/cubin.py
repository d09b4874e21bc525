"""What a cubin says about its kernels: names, architecture, and where their parameters lie.

A cubin is an ELF image. The section `.nv.info.KERNEL` lists attributes of a kernel, among them one
record for each parameter with its ordinal, offset and size; layout as in cubins that `tileiras`
13.5.37 writes.
"""

from __future__ import annotations

import struct
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, NamedTuple

ELF_MAGIC = b"\x7fELF"

_HEADER = struct.Struct("<16sHHIQQQIHHHHHH")
_SECTION_HEADER = struct.Struct("<IIQQQQIIQQ")
_ATTRIBUTE = struct.Struct("<BBH")
_PARAMETER = struct.Struct("<IHHI")
_INFO_PREFIX = ".nv.info."
_SIZED = 4
"""The format of an attribute whose third field is the size of the value that follows."""
_KERNEL_PARAMETER = 0x17
_SIZE_SHIFT = 18
"""The bit of the last field of a parameter's record at which its size begins."""


class CubinError(Exception):
    """An image that is no cubin; the message says why."""


@dataclass(frozen=True)
class CubinParameter:
    """Where one parameter of a kernel lies, in bytes."""

    offset: int
    size: int


def is_cubin(data: bytes) -> bool:
    return data.startswith(ELF_MAGIC)


def kernel_parameters(cubin: bytes) -> dict[str, tuple[CubinParameter, ...]]:
    """The parameters of each kernel in order, by the kernel's name.

    Raises `CubinError` when the image is damaged.
    """
    try:
        return {
            name.removeprefix(_INFO_PREFIX): _parameters(content)
            for name, content in _sections(cubin)
            if name.startswith(_INFO_PREFIX)
        }
    except (struct.error, ValueError, UnicodeDecodeError) as error:
        raise CubinError(f"not a cubin: {error}") from None


def _sections(cubin: bytes) -> Iterator[tuple[str, bytes]]:
    if not is_cubin(cubin):
        raise ValueError("it is no ELF image")
    header: tuple[Any, ...] = _HEADER.unpack_from(cubin)
    table, entry_size, count, names_index = (int(header[k]) for k in (6, 11, 12, 13))
    if names_index >= count:
        raise ValueError("its sections have no names")
    sections = [_section(cubin, table + k * entry_size) for k in range(count)]
    names = sections[names_index].start
    for section in sections:
        start = names + section.name
        name = cubin[start : cubin.index(b"\0", start)].decode()
        yield name, cubin[section.start : section.start + section.size]


class _Section(NamedTuple):
    name: int
    """Where the name begins in the section of names."""
    start: int
    size: int


def _section(cubin: bytes, position: int) -> _Section:
    fields: tuple[Any, ...] = _SECTION_HEADER.unpack_from(cubin, position)
    return _Section(fields[0], fields[4], fields[5])


def _parameters(content: bytes) -> tuple[CubinParameter, ...]:
    found: dict[int, CubinParameter] = {}
    position = 0
    while position < len(content):
        form, attribute, size = _ATTRIBUTE.unpack_from(content, position)
        position += _ATTRIBUTE.size
        if form != _SIZED:
            continue
        if attribute == _KERNEL_PARAMETER:
            _, ordinal, offset, packed = _PARAMETER.unpack_from(content, position)
            found[ordinal] = CubinParameter(offset, packed >> _SIZE_SHIFT)
        position += size
    return tuple(found[ordinal] for ordinal in sorted(found))
