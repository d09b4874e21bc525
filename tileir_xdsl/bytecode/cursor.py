"""Bounded reading of a byte range, and the error that says what was wrong at which offset."""

from __future__ import annotations

from tileir_xdsl.bytecode.varint import MASK64, unzigzag

MAX_VARINT_BYTES = 10


class BytecodeError(Exception):
    """Bytes that cannot be read: the offset in the file and what was expected there.

    What encloses the place (a section, a function, an operation) is added as the error passes
    through the reader.
    """

    def __init__(self, offset: int, message: str):
        super().__init__(message)
        self.offset = offset
        self.message = message
        self.context: list[str] = []
        """What was being read, from the innermost outwards."""
        self.in_operation = False
        """Whether the context names an operation."""

    def within(self, what: str) -> None:
        self.context.append(what)


class Cursor:
    """A position in the bytes of a file that does not pass `end`."""

    __slots__ = ("data", "end", "pos")

    def __init__(self, data: bytes, pos: int, end: int):
        self.data = data
        self.pos = pos
        self.end = end

    @property
    def remaining(self) -> int:
        return self.end - self.pos

    def byte(self, what: str = "a byte") -> int:
        pos = self.pos
        if pos >= self.end:
            raise BytecodeError(pos, f"expected {what}, but the data ends here")
        self.pos = pos + 1
        return self.data[pos]

    def varint(self, what: str = "a number") -> int:
        """An unsigned LEB128 number of 64 bits; overlong forms of up to ten bytes are read."""
        pos = self.pos
        if pos < self.end:
            byte = self.data[pos]
            if byte < 0x80:
                self.pos = pos + 1
                return byte
        return self._long_varint(what)

    def _long_varint(self, what: str) -> int:
        start = self.pos
        value = 0
        for count in range(MAX_VARINT_BYTES):
            pos = start + count
            if pos >= self.end:
                raise BytecodeError(start, f"expected {what}, but the data ends here")
            byte = self.data[pos]
            value |= (byte & 0x7F) << (7 * count)
            if byte < 0x80:
                self.pos = pos + 1
                return value & MASK64
        raise BytecodeError(start, f"expected {what}, but found more than ten varint bytes")

    def zigzag(self, what: str = "a number") -> int:
        return unzigzag(self.varint(what))

    def count(self, what: str, size: int = 1) -> int:
        """A number of items of at least `size` bytes each that the rest of the data can hold."""
        start = self.pos
        count = self.varint(f"the number of {what}")
        if count * size > self.end - self.pos:
            raise BytecodeError(
                start, f"{count} {what} do not fit in the remaining {self.remaining} bytes"
            )
        return count

    def take(self, size: int, what: str) -> bytes:
        pos = self.pos
        if size > self.end - pos:
            raise BytecodeError(
                pos, f"expected {size} bytes of {what}, but only {self.remaining} are left"
            )
        self.pos = pos + size
        return self.data[pos : pos + size]

    def align(self, alignment: int, origin: int, what: str) -> None:
        """Skip padding up to a multiple of `alignment` from `origin`."""
        padding = -(self.pos - origin) % alignment
        if padding > self.end - self.pos:
            raise BytecodeError(self.pos, f"expected {what}, but the data ends here")
        self.pos += padding
