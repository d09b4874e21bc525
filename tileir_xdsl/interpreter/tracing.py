"""One line for each executed operation: its place, its name, and what it answered."""

from __future__ import annotations

from xdsl.ir import Operation, SSAValue

from tileir_xdsl.dialects.cuda_tile.places import place_of
from tileir_xdsl.dialects.cuda_tile.types import TileType, short_type
from tileir_xdsl.interpreter.plan import Compiler, Env
from tileir_xdsl.interpreter.printing import sample
from tileir_xdsl.interpreter.undefined import block_text
from tileir_xdsl.interpreter.values import TensorView, full, is_pointer


def trace_line(op: Operation, env: Env, compiler: Compiler) -> str:
    """The line for an operation that has just run in `env[0]`."""
    results = [_result(value, env, compiler) for value in op.results]
    answer = f" -> {'; '.join(results)}" if results else ""
    return f"{place_of(op)}: block {block_text(env[0].id)}: {op.name.partition('.')[2]}{answer}"


def _result(value: SSAValue, env: Env, compiler: Compiler) -> str:
    slot = compiler.slot(value)
    content, lanes = env[slot], env[slot + 1]
    text = short_type(value.type)
    if isinstance(content, TensorView):
        shape = "x".join(map(str, content.shape))
        return f"{text} {shape} at {env[0].memory.describe(content.address)}"
    if not isinstance(value.type, TileType) or content is None:
        return text
    if is_pointer(value):
        first = int(content.reshape(-1)[0])
        return f"{text} [{env[0].memory.describe(first)}, ...]"
    shape = value.type.get_shape()
    if content.shape != shape and content.ndim == len(shape):
        content = full(content, shape)
    return f"{text} {content.dtype} {sample(content, lanes)}"
