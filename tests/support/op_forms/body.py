"""Writing the text of an entry with the value names that MLIR's printer gives."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import TypeAlias

FLOATS = ("f16", "bf16", "f32", "f64")
INTS = ("i1", "i8", "i16", "i32", "i64")
NARROW_FLOATS = ("tf32", "f8E4M3FN", "f8E5M2", "f8E8M0FNU", "f4E2M1FN", "fnv8E5M3FNU")
ANY_FLOATS = (*FLOATS, *NARROW_FLOATS)
WIDTHS = {"i1": 1, "i4": 4, "i8": 8, "i16": 16, "i32": 32, "i64": 64} | {
    "f16": 16,
    "bf16": 16,
    "f32": 32,
    "f64": 64,
    "tf32": 19,
    "f8E4M3FN": 8,
    "f8E5M2": 8,
    "f8E8M0FNU": 8,
    "f4E2M1FN": 4,
    "fnv8E5M3FNU": 8,
}

IEEE_MODES = ("nearest_even", "zero", "negative_inf", "positive_inf")
SIGNEDNESS = ("signed", "unsigned")
OVERFLOWS = ("none", "no_signed_wrap", "no_unsigned_wrap", "no_wrap")
PREDICATES = (
    "equal",
    "not_equal",
    "less_than",
    "less_than_or_equal",
    "greater_than",
    "greater_than_or_equal",
)
SCOPES = ("tl_blk", "device", "sys")
PADDINGS = ("zero", "neg_zero", "nan", "pos_inf", "neg_inf")

NOTE = '{note = "kept", weight = 7 : i8}'
"""A discardable attribute dictionary."""


def tile(element: str, *shape: int) -> str:
    return f"tile<{''.join(f'{extent}x' for extent in shape)}{element}>"


def pointer(pointee: str, kind: str | None = None) -> str:
    return f"ptr<{pointee}{'' if kind is None else f', <{kind}>'}>"


def flag(word: str) -> tuple[str, str]:
    """A keyword that is absent or there."""
    return "", f" {word}"


@dataclass(frozen=True)
class TensorView:
    """`None` is a dynamic extent or stride."""

    shape: tuple[int | None, ...] = (64, 64)
    strides: tuple[int | None, ...] = (64, 1)
    element: str = "f32"
    kind: str | None = None

    def __str__(self) -> str:
        dims = "".join(f"{'?' if extent is None else extent}x" for extent in self.shape)
        strides = ",".join("?" if stride is None else str(stride) for stride in self.strides)
        strides = f", strides=[{strides}]" if self.shape else ""
        kind = f", #cuda_tile.ptr_attr<{self.kind}>" if self.kind else ""
        return f"tensor_view<{dims}{self.element}{strides}{kind}>"


@dataclass(frozen=True)
class TileView:
    name: str
    """`partition_view`, `strided_view` or `gather_scatter_view`."""
    tensor: TensorView = TensorView()
    tile: tuple[int, ...] = (4, 8)
    padding: str | None = None
    before: str = ""
    after: str = ""

    def __str__(self) -> str:
        shape = "x".join(map(str, self.tile))
        padding = f"padding_value = {self.padding}, " if self.padding else ""
        return f"{self.name}<tile=({shape}), {self.before}{padding}{self.tensor}{self.after}>"

    @property
    def short_name(self) -> str:
        return {"partition_view": "pview", "strided_view": "sview"}.get(self.name, "gsview")

    @property
    def tile_type(self) -> str:
        return tile(self.tensor.element, *self.tile)


def views(tensor: TensorView = TensorView(), padding: str | None = None) -> tuple[TileView, ...]:
    """One view of each kind; the gather view takes index tiles of two types."""
    return (
        TileView("partition_view", tensor, padding=padding),
        TileView("strided_view", tensor, padding=padding, before="traversal_strides=[2,3], "),
        TileView("gather_scatter_view", tensor, padding=padding, after=", sparse_dim=0"),
    )


@dataclass
class Body:
    """The lines of a region, with the names that MLIR's printer gives to values."""

    attributes: str = ""
    """A discardable attribute dictionary, with a space before it."""
    number: int = 0
    suffix: int = 0
    used: set[str] = field(default_factory=set[str])
    arguments: list[str] = field(default_factory=list[str])
    argument_count: int = 0
    lines: list[str] = field(default_factory=list[str])

    @property
    def keyword_attributes(self) -> str:
        return f" attributes{self.attributes}" if self.attributes else ""

    # Names.

    def unnamed(self) -> str:
        self.number += 1
        return f"%{self.number - 1}"

    def named(self, suggestion: str) -> str:
        name = f"%{suggestion}"
        if name in self.used:
            name = f"%{suggestion}_{self.suffix}"
            self.suffix += 1
        self.used.add(name)
        return name

    def argument(self, type: str) -> str:
        self.arguments.append(type)
        return self.block_argument()

    def block_argument(self) -> str:
        self.argument_count += 1
        return f"%arg{self.argument_count - 1}"

    # Operations.

    def op(self, text: str, *suggestions: str) -> list[str]:
        """An operation with a single unnamed result, or with results of the suggested names."""
        names = [self.named(name) for name in suggestions] or [self.unnamed()]
        self.lines.append(f"{', '.join(names)} = {text}")
        return names

    def group(self, text: str, count: int, suggestion: str | None = None) -> list[str]:
        """An operation with one group of `count` results; answers the names of their uses."""
        if count == 0:
            self.lines.append(text)
            return []
        name = self.unnamed() if suggestion is None else self.named(suggestion)
        if count == 1:
            self.lines.append(f"{name} = {text}")
            return [name]
        self.lines.append(f"{name}:{count} = {text}")
        return [f"{name}#{k}" for k in range(count)]

    def inner(self) -> Body:
        """A region of the operation that comes last in this one."""
        return Body(
            number=self.number,
            suffix=self.suffix,
            used=set(self.used),
            argument_count=self.argument_count,
        )

    def region(self, head: str, *parts: Body | str) -> None:
        """The lines of an operation with regions: text and bodies in turn."""
        self.lines.append(head)
        for part in parts:
            if isinstance(part, str):
                self.lines.append(part)
            else:
                self.lines += [f"  {line}" for line in part.lines]

    # Operands.

    def value(self, type: str) -> str:
        """A value of a tile, pointer tile or token type."""
        if type == "token":
            return self.op("make_token : token")[0]
        shape, element = split_tile(type)
        if element == "i4":
            source = self.value(f"tile<{shape}i8>")
            return self.op(f"trunci {source} : tile<{shape}i8> -> {type}")[0]
        if not element.startswith("ptr"):
            return self.constant(type, element)
        if not shape:
            return self.argument(type)
        source = self.value(f"tile<{shape}i64>")
        return self.op(f"int_to_ptr {source} : tile<{shape}i64> -> {type}")[0]

    def constant(self, type: str, element: str) -> str:
        if element == "i1":
            word = "false" if "%true" in self.used else "true"
            return self.op(f"constant <i1: {word}> : {type}", word)[0]
        value = next(v for v in (1, 2, 4, 8, 16) if f"%cst_{v}_{element}" not in self.used)
        literal = str(value)
        if not element.startswith("i"):
            # 16 is written as bits from f32's 6 decimals on; the formats here hold 1 to 8.
            literal = f"{value}.000000e+00"
        return self.op(f"constant <{element}: {literal}> : {type}", f"cst_{value}_{element}")[0]

    def tensor_view(self, view: TensorView, index: str = "i32") -> str:
        base = self.argument(tile(pointer(view.element, view.kind)))
        dims = [
            [str(n) if n is not None else self.value(tile(index)) for n in dimensions]
            for dimensions in (view.shape, view.strides)
        ]
        types: list[str] = []
        if view.kind:
            types.append(tile(pointer(view.element, view.kind)))
        if None in view.shape or None in view.strides:
            types.append(tile(index))
        arrow = f"{', '.join(types)} -> " if types else ""
        shape, strides = (", ".join(numbers) for numbers in dims)
        text = f"make_tensor_view {base}, shape = [{shape}], strides = [{strides}]"
        return self.op(f"{text}{self.attributes} : {arrow}{view}", "tview")[0]

    def tile_view(self, view: TileView) -> str:
        attributes, self.attributes = self.attributes, ""
        tensor = self.tensor_view(view.tensor)
        self.attributes = attributes
        return self.op(f"make_{view.name} {tensor} : {view}", view.short_name)[0]

    def indices(self, view: TileView, index: str = "i32") -> tuple[str, str]:
        """`[%i, ...]` and the index types of an access of `view`."""
        types = [tile(index)] * len(view.tile)
        if view.name == "gather_scatter_view":
            types[0] = tile(index, view.tile[0])
        values = [self.value(type) for type in types]
        printed = types[:1] if len(set(types)) == 1 else types
        return f"[{', '.join(values)}]", ", ".join(printed)


def split_tile(type: str) -> tuple[str, str]:
    match = re.fullmatch(r"tile<((?:\d+x)*)(.*)>", type)
    assert match is not None, type
    return match[1], match[2]


Build: TypeAlias = Callable[[Body], None]
BUILDERS: dict[str, list[Callable[[str], Iterator[Build]]]] = {}


def forms(*names: str):
    """Registers a generator of the forms of some operations; it is called with the mnemonic."""

    def register(function: Callable[[str], Iterator[Build]]) -> Callable[[str], Iterator[Build]]:
        for name in names:
            BUILDERS.setdefault(name, []).append(function)
        return function

    return register


def simple(text: str, *types: str) -> Build:
    """An operation whose text has `{0}`, `{1}`, .. for operands of some types, `{a}` for the
    attribute dictionary.
    """

    def build(body: Body) -> None:
        operands = [body.value(type) for type in types]
        body.op(text.format(*operands, a=body.attributes))

    return build


def access(line: Callable[[Body], str], *results: str) -> Build:
    def build(body: Body) -> None:
        body.op(line(body), *results)

    return build
