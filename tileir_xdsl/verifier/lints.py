"""Warnings: programs that verify, but that a tool refuses, ignores, or does not read as meant."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, cast

from xdsl.dialects.builtin import DictionaryAttr, IntegerAttr, IntegerType, bf16, f16, i1
from xdsl.ir import Attribute, Operation, OpResult, SSAValue

from tileir_xdsl.dialects.cuda_tile.attributes import OptimizationHintsAttr, sorted_entries
from tileir_xdsl.dialects.cuda_tile.constants import signed
from tileir_xdsl.dialects.cuda_tile.core import (
    ConstantOp,
    EntryOp,
    ExtractOp,
    FoldOp,
    GlobalOp,
    InsertOp,
)
from tileir_xdsl.dialects.cuda_tile.memory import LoadPtrTkoOp, StorePtrTkoOp
from tileir_xdsl.dialects.cuda_tile.types import (
    GatherScatterViewType,
    TileType,
    bit_width,
    short_type,
)
from tileir_xdsl.dialects.cuda_tile.views import LoadViewTkoOp, StoreViewTkoOp
from tileir_xdsl.dialects.cuda_tile.wording import suggestion


@dataclass(frozen=True)
class Lint:
    """One warning about an operation; `operand` is the index of the one that it is about."""

    code: str
    message: str
    operand: int | None = None
    fix: str | None = None


# Symbol names. tileiras ends without a message (exit 5) on names that PTX does not have.

_PTX_NAME = re.compile(r"[A-Za-z][A-Za-z0-9_$]*|[_$][A-Za-z0-9_$]+")


def _symbol_lints(op: EntryOp | GlobalOp) -> Iterator[Lint]:
    name = op.sym_name.data
    if _PTX_NAME.fullmatch(name) is not None:
        return
    usable = re.sub(r"[^A-Za-z0-9_$]", "_", name)
    if _PTX_NAME.fullmatch(usable) is None:
        usable = f"k{usable}"
    yield Lint(
        "ptx-name",
        f"'@{name}' is no PTX identifier (letters, digits, '_' and '$'), "
        "tileiras cannot compile it",
        fix=f"call it '@{usable}'",
    )


# Optimization hints. The tools take what they do not know silently.

ARCHITECTURES = (
    "sm_80",
    "sm_86",
    "sm_87",
    "sm_88",
    "sm_89",
    "sm_90",
    "sm_100",
    "sm_103",
    "sm_107",
    "sm_110",
    "sm_120",
    "sm_121",
    "default",
)


@dataclass(frozen=True)
class Hint:
    """The values that a hint takes: an integer in a range, or a truth value."""

    lowest: int = 0
    highest: int = 0
    power_of_two: bool = False
    boolean: bool = False

    def problem(self, value: Attribute) -> str | None:
        """What is wrong with a value."""
        if not isinstance(value, IntegerAttr):
            return f"must be {self}"
        integer = cast("IntegerAttr[Any]", value)
        is_boolean = integer.type == i1
        number: int = integer.value.data
        if is_boolean != self.boolean:
            return f"must be {self}"
        if self.boolean:
            return None
        if not self.lowest <= number <= self.highest:
            return f"must be {self}, but is {number}"
        if self.power_of_two and number & (number - 1):
            return f"must be {self}, but is {number}"
        return None

    def __str__(self) -> str:
        if self.boolean:
            return "true or false"
        kind = "a power of two" if self.power_of_two else "an integer"
        return f"{kind} from {self.lowest} to {self.highest}"


_LATENCY: Mapping[str, Hint] = {"latency": Hint(1, 10)}
_VIEW_HINTS: Mapping[str, Hint] = {"allow_tma": Hint(boolean=True), **_LATENCY}
HINTS: Mapping[type[Operation], Mapping[str, Hint]] = {
    EntryOp: {
        "num_cta_in_cga": Hint(1, 16, power_of_two=True),
        "num_worker_warps_per_cta": Hint(1, 32, power_of_two=True),
        "occupancy": Hint(1, 32),
    },
    LoadViewTkoOp: _VIEW_HINTS,
    StoreViewTkoOp: _VIEW_HINTS,
    LoadPtrTkoOp: _LATENCY,
    StorePtrTkoOp: _LATENCY,
}
"""The hints that each operation takes."""


def _hint_lints(op: Any) -> Iterator[Lint]:
    hints: OptimizationHintsAttr | None = op.optimization_hints
    if hints is None:
        return
    known = HINTS[type(op)]
    for architecture, keys in sorted_entries(hints.hints):
        if architecture not in ARCHITECTURES:
            yield Lint(
                "hint",
                f"unknown architecture '{architecture}' in optimization hints; "
                f"known are {', '.join(ARCHITECTURES)}",
            )
        for key, value in sorted_entries(cast(DictionaryAttr, keys)):
            if key not in known:
                yield Lint(
                    "hint",
                    f"has no optimization hint '{key}'"
                    f"{suggestion(key, known) or '; it takes ' + ', '.join(known)}",
                )
            elif (problem := known[key].problem(value)) is not None:
                yield Lint("hint", f"optimization hint '{key}' of {architecture} {problem}")
            elif key == "num_cta_in_cga" and _has_no_clusters(architecture) and _number(value) != 1:
                yield Lint(
                    "hint",
                    f"optimization hint '{key}' of {architecture} must be 1, "
                    f"as it has no clusters, but is {_number(value)}",
                )


def _has_no_clusters(architecture: str) -> bool:
    return architecture.startswith("sm_8")


def _number(value: Attribute) -> int:
    return cast("IntegerAttr[IntegerType]", value).value.data


# Identities of reductions.


def _identity_lints(op: FoldOp) -> Iterator[Lint]:
    for k, (identity, operand) in enumerate(zip(op.identity_values(), op.operands, strict=False)):
        if not isinstance(operand.type, TileType):
            continue
        element = operand.type.element_type
        got: Attribute | None = getattr(identity, "type", None)
        if got is not None and got != element and {got, element} == {f16, bf16}:
            yield Lint(
                "identity-type",
                f"identity {k} is '{short_type(got)}', but the operand's elements are "
                f"'{short_type(element)}': tools take its bits for a '{short_type(element)}'",
            )


# Constant indices.


def constant_index(value: SSAValue) -> int | None:
    """The signed value of a constant scalar."""
    if not isinstance(value, OpResult) or not isinstance(value.op, ConstantOp):
        return None
    data = value.op.value
    element = data.type.element_type
    if data.splat_bits is None or not isinstance(element, IntegerType):
        return None
    return signed(data.splat_bits, bit_width(data.type.element_type))


def _index_lints(op: ExtractOp | InsertOp) -> Iterator[Lint]:
    whole, part = (
        (op.source, op.result) if isinstance(op, ExtractOp) else (op.destination, op.source)
    )
    assert isinstance(whole.type, TileType)
    assert isinstance(part.type, TileType)
    first = len(op.operands) - len(op.indices)
    extents = zip(op.indices, whole.type.get_shape(), part.type.get_shape(), strict=True)
    for k, (index, big, small) in enumerate(extents):
        number = constant_index(index)
        parts = big // small
        if number is not None and not 0 <= number < parts:
            yield Lint(
                "index-range",
                f"index {k} is {number}, but dimension {k} has {parts} "
                f"part{'' if parts == 1 else 's'}: indices count parts, not elements",
                operand=first + k,
            )


# Gathers. Indices of fewer than 32 bits verify, but tileiras ends without a message (exit 5).


def _view_lints(op: LoadViewTkoOp | StoreViewTkoOp) -> Iterator[Lint]:
    yield from _hint_lints(op)
    view = op.view.type
    if not isinstance(view, GatherScatterViewType):
        return
    sparse = view.sparse_dim.data
    type = op.index[sparse].type
    assert isinstance(type, TileType)
    if bit_width(type.element_type) < 32:
        yield Lint(
            "gather-index",
            f"index {sparse} is '{short_type(type)}', tileiras cannot compile a gather index "
            "of fewer than 32 bits",
            operand=list(op.operands).index(op.index[sparse]),
            fix="extend it to i32 with exti",
        )


def _entry_lints(op: EntryOp) -> Iterator[Lint]:
    yield from _symbol_lints(op)
    yield from _hint_lints(op)


LINTS: dict[type[Operation], Callable[[Any], Iterator[Lint]]] = {
    EntryOp: _entry_lints,
    ExtractOp: _index_lints,
    GlobalOp: _symbol_lints,
    InsertOp: _index_lints,
    LoadPtrTkoOp: _hint_lints,
    LoadViewTkoOp: _view_lints,
    StorePtrTkoOp: _hint_lints,
    StoreViewTkoOp: _view_lints,
    **{cls: _identity_lints for cls in FoldOp.__subclasses__()},
}
"""The warnings of operations that have no errors."""
