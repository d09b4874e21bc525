"""What the passes over `tile_sugar` share: the walk over kernels, and replacing operations."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any, TypeVar

from xdsl.builder import Builder
from xdsl.ir import Operation, Region, SSAValue
from xdsl.rewriter import InsertPoint
from xdsl.utils.exceptions import VerifyException

from tileir_xdsl.diagnostics import DiagnosticError
from tileir_xdsl.dialects.cuda_tile.places import place_of
from tileir_xdsl.dialects.cuda_tile.types import is_power_of_two
from tileir_xdsl.dialects.tile_sugar import elementwise as ew
from tileir_xdsl.dialects.tile_sugar.expansion import Writer
from tileir_xdsl.dialects.tile_sugar.primitives import Emitter
from tileir_xdsl.dialects.tile_sugar.types import element_of, is_tile, shape_of, tile_type
from tileir_xdsl.versions import DEFAULT, LATEST, Version

SM_8X = ("sm_80", "sm_86", "sm_87", "sm_88", "sm_89")
"""The GPUs of compute capability 8."""

SM_10X = ("sm_100", "sm_103", "sm_110")
"""The GPUs with tensor memory, which compute alike in other things, too."""

EmitterT = TypeVar("EmitterT", bound=Emitter)


def needs(op: Operation, name: str, why: str) -> DiagnosticError:
    """The error for an operation that a pass should have met before."""
    message = f"'{op.name}' op is not ready for this pass: {why}"
    return DiagnosticError.at(message, place_of(op), fix=f"run '{name}' before")


def check_padded(root: Operation) -> None:
    """Raises DiagnosticError at an operation whose result has an extent that is no power of two."""
    for op in operations(root.regions):
        types = [result.type for result in op.results if is_tile(result.type)]
        if not all(is_power_of_two(n) for type in types for n in shape_of(type)):
            raise needs(op, "pad-to-power-of-two", "an extent of its tile is no power of two")


def check_version(option: str | float) -> None:
    """Raises ValueError unless the option `version` names a version of the bytecode."""
    Version.parse(str(option))


def targets_of(option: str | tuple[str, ...]) -> tuple[str, ...]:
    """The GPUs that the option `target` names, one or several.

    Raises ValueError for none, and for one that `tileiras` does not know.
    """
    from tileir_xdsl.verifier.lints import ARCHITECTURES

    targets = (option,) if isinstance(option, str) else option
    known = [name for name in ARCHITECTURES if name != "default"]
    if not targets:
        raise ValueError(f"no target: there are {', '.join(known)}")
    for target in targets:
        if target not in known:
            raise ValueError(f"unknown target '{target}': there are {', '.join(known)}")
    return targets


def assembler_of(option: str | float) -> Version:
    """The release of tileiras that the option `assembler` names; of newer ones, the newest known.

    Raises ValueError for what names none.
    """
    try:
        major, minor = map(int, str(option).split("."))
    except ValueError:
        raise ValueError(f"'{option}' is no release of the assembler, such as {LATEST}") from None
    return min(Version(major, minor), LATEST)


def before(op: Operation, version: Version = DEFAULT, cls: type[EmitterT] = Writer) -> EmitterT:
    """What puts operations in front of one, on its behalf."""
    return cls(Builder(InsertPoint.before(op)), op, version)


def replace(op: Operation, results: Sequence[SSAValue]) -> None:
    """Let values stand for an operation's results, and remove it."""
    for old, new in zip(op.results, results, strict=True):
        new.name_hint = new.name_hint or old.name_hint
        old.replace_all_uses_with(new)
    op.detach()
    op.erase()


def at_shape(w: Writer, op: Any, operands: Sequence[SSAValue], shape: Sequence[int]) -> SSAValue:
    """An elementwise operation, or one that makes equal elements, again for another shape."""
    result = tile_type(shape, element_of(op.results[0].type))
    if isinstance(op, ew.ConstantOp):
        return w.constant(op.value, result)
    if isinstance(op, ew.SplatOp | ew.BroadcastOp):
        return w.one(op.__class__.to(operands[0], shape))
    cls: type[Operation] = op.__class__
    return w.one(
        cls.create(
            operands=operands,
            result_types=[result],
            properties=dict(op.properties),
            attributes=dict(op.attributes),
        )
    )


def operations(regions: Sequence[Region]) -> Iterator[Operation]:
    """All operations in some regions, outer ones first; what is replaced meanwhile is not met."""
    for region in regions:
        for block in region.blocks:
            for op in list(block.ops):
                if op.parent is block:
                    yield op
                if op.parent is block:
                    yield from operations(op.regions)


def rewrite(root: Operation, rewrite_one: Callable[[Operation], bool]) -> None:
    """Offer every operation in `root` to a function until it changes none.

    A rule that an operation breaks is an error at its place.
    """
    changed = True
    while changed:
        changed = False
        for op in operations(root.regions):
            try:
                changed |= rewrite_one(op)
            except VerifyException as error:
                raise DiagnosticError.at(str(error), place_of(op), code="lowering") from None


def erase_unused(value: SSAValue, may_erase: Callable[[Operation], bool]) -> None:
    """Erase the operation of a value that nothing uses, and what only it used, if they may go."""
    op = value.owner
    if not isinstance(op, Operation) or not may_erase(op):
        return
    if any(result.first_use is not None for result in op.results):
        return
    erase_with_operands(op, may_erase)


def erase_with_operands(op: Operation, may_erase: Callable[[Operation], bool]) -> None:
    """Erase an unused operation, and what only it used, if that may go."""
    operands = list(op.operands)
    op.detach()
    op.erase()
    for operand in operands:
        erase_unused(operand, may_erase)
