"""Assumptions and printing."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np
import numpy.typing as npt
from xdsl.ir import SSAValue

from tileir_xdsl.dialects.cuda_tile import misc as ir
from tileir_xdsl.dialects.cuda_tile.attributes import BoundedAttr, DivByAttr, SameElementsAttr
from tileir_xdsl.dialects.cuda_tile.types import TileType
from tileir_xdsl.interpreter.cuda_tile.memory import token_of, token_slot
from tileir_xdsl.interpreter.plan import Compiler, Env, Step, builder
from tileir_xdsl.interpreter.printing import format_values
from tileir_xdsl.interpreter.values import (
    TensorView,
    full,
    integer_format,
    is_pointer,
    tile_type,
)
from tileir_xdsl.numerics import integer as integers

Array = npt.NDArray[Any]


@builder(ir.AssumeOp)
def build_assume(op: ir.AssumeOp, compiler: Compiler) -> Step:
    source, target = compiler.slot(op.value), compiler.slot(op.result)
    verify = _assumption(op) if compiler.checked else None

    def run(env: Env) -> None:
        if verify is not None:
            verify(env, env[source], env[source + 1])
        env[target] = env[source]
        env[target + 1] = env[source + 1]

    return run


def _assumption(op: ir.AssumeOp) -> Any:
    """The function that raises when the predicate does not hold."""
    predicate = op.predicate
    if isinstance(predicate, BoundedAttr):
        return partial(_check_bounded, op, predicate)
    if isinstance(predicate, SameElementsAttr):
        return partial(_check_same_elements, op, predicate)
    if isinstance(predicate, DivByAttr) and isinstance(op.value.type, TileType):
        return partial(_check_div_by, op, predicate)
    if isinstance(predicate, DivByAttr):
        return partial(_check_view_div_by, op, predicate)
    return None


def _numbers(op: ir.AssumeOp, values: Array) -> Array:
    """Addresses as they are, integers read signed."""
    if is_pointer(op.value):
        return values
    return integers.read_signed(values, integer_format(op.value))


def _refuse(
    op: ir.AssumeOp, env: Env, what: str, bad: Array, unsure: Array | None, values: Array
) -> None:
    shape = tile_type(op.value).get_shape()
    compact = bad.shape == values.shape
    shown: dict[str, Any] = {"value": values if compact else full(values, shape)}
    if is_pointer(op.value):
        addresses: Array = shown["value"]
        names = [env[0].memory.describe(address) for address in addresses.reshape(-1).tolist()]
        shown = {"address": np.array(names, object).reshape(addresses.shape)}
    env[0].refuse_lanes(op, "assume", f"false assumption: {what}", bad, unsure, shown)


def _check_bounded(
    op: ir.AssumeOp, predicate: BoundedAttr, env: Env, values: Array, unsure: Array | None
) -> None:
    numbers = _numbers(op, values)
    low, high = predicate.lower_value, predicate.upper_value
    if low is not None and bool((numbers < low).any()):
        _refuse(op, env, f"the value is below {low}", np.asarray(numbers < low), unsure, values)
    if high is not None and bool((numbers > high).any()):
        _refuse(op, env, f"the value is above {high}", np.asarray(numbers > high), unsure, values)


def _check_div_by(
    op: ir.AssumeOp, predicate: DivByAttr, env: Env, values: Array, unsure: Array | None
) -> None:
    divisor = predicate.divisor.data
    numbers = _numbers(op, values).astype(np.int64)
    every, along = predicate.every_value, predicate.along_value
    if every is None or along is None:
        bad = (numbers & (divisor - 1)) != 0
        if bad.any():
            what = f"the value is no multiple of {divisor}"
            _refuse(op, env, what, np.asarray(bad), unsure, values)
        return
    if every == 0:
        return
    shape = tile_type(op.value).get_shape()
    numbers = full(numbers, shape)
    position = np.arange(shape[along]) % every
    column = position.reshape([-1 if axis == along else 1 for axis in range(len(shape))])
    first = (numbers & (divisor - 1)) != 0
    bad = first & (column == 0)
    if bad.any():
        what = f"the first of {every} values along {along} is no multiple of {divisor}"
        _refuse(op, env, what, bad, unsure, values)
    step = 1
    if is_pointer(op.value):
        from tileir_xdsl.interpreter.cuda_tile.memory import pointee
        from tileir_xdsl.interpreter.memory import memory_format

        step = memory_format(pointee(op.value)).size
    heads = np.take(numbers, np.arange(shape[along]) // every * every, axis=along)
    bad = numbers != heads + column * step
    if bad.any():
        what = f"the {every} values of a group along {along} are not consecutive"
        _refuse(op, env, what, bad, unsure, values)


def _check_same_elements(
    op: ir.AssumeOp, predicate: SameElementsAttr, env: Env, values: Array, unsure: Array | None
) -> None:
    """Groups of V elements along each dimension are equal (0 and 1 say nothing)."""
    shape = tile_type(op.value).get_shape()
    values = full(values, shape)
    heads = values
    for axis, group in enumerate(predicate.value_list):
        if group > 1:
            heads = np.take(heads, np.arange(shape[axis]) // group * group, axis=axis)
    bad = values != heads
    if bad.any():
        groups = "x".join(map(str, predicate.value_list))
        _refuse(op, env, f"the elements of a {groups} group differ", bad, unsure, values)


def _check_view_div_by(
    op: ir.AssumeOp, predicate: DivByAttr, env: Env, view: TensorView, unsure: Array | None
) -> None:
    """Of a tensor view the address is divisible."""
    divisor = predicate.divisor.data
    if view.address & (divisor - 1):
        raise env[0].undefined(
            op,
            "assume",
            f"false assumption: the address is no multiple of {divisor}",
            values={"address": env[0].memory.describe(view.address)},
        )


@builder(ir.PrintTkoOp)
def build_print(op: ir.PrintTkoOp, compiler: Compiler) -> Step:
    text = op.format.data
    token, after = token_slot(compiler, op.token), compiler.slot(op.result_token)
    arguments = [(arg, compiler.slot(arg)) for arg in op.args]

    def run(env: Env) -> None:
        values = [_shown(env, arg, slot) for arg, slot in arguments]
        env[0].launch.out.write(format_values(text, values))
        env[after] = token_of(env, token)

    return run


def _shown(env: Env, arg: SSAValue, slot: int) -> tuple[Array, Array | None, int | None]:
    """The elements of an argument, which of them are unspecified, and the width of integers."""
    shape = tile_type(arg).get_shape()
    values, lanes = full(env[slot], shape), env[slot + 1]
    lanes = None if lanes is None else full(lanes, shape)
    element = tile_type(arg).element_type
    width = getattr(getattr(element, "width", None), "data", None)
    return values, lanes, 64 if is_pointer(arg) else width
