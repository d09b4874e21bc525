"""Kernels written with NVIDIA's `cuda-tile`: programs as its users have them, of every kind.

Importing this needs the package `cuda-tile` (and neither a GPU nor a driver): a test takes it with
`pytest.importorskip("support.cutile_kernels", reason=...)`.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from importlib import import_module
from typing import Any, TypeVar

# The package has no types for what a kernel calls, and type checking must work without it.
ct: Any = import_module("cuda.tile")
_compilation: Any = import_module("cuda.tile.compilation")
_compile: Any = import_module("cuda.tile._compile")
_options: Any = import_module("cuda.tile._compiler_options")
_version: Any = import_module("cuda.tile._bytecode.version")

VERSIONS = ("13.1", "13.2", "13.3", "13.4", "13.5")
"""13.5 is behind a private name of the package, whose public functions end at 13.4."""

DEFAULT_GPU = "sm_100"

Function = TypeVar("Function", bound=Callable[..., Any])


@dataclass(frozen=True)
class Kernel:
    """A kernel, the signatures it is compiled for and what it needs."""

    name: str
    function: Callable[..., Any]
    signatures: tuple[tuple[Any, ...], ...]
    """Each becomes an entry of the module."""
    since: str
    """The first bytecode version that has all that the kernel uses."""
    hints: dict[str, Any]

    @property
    def versions(self) -> tuple[str, ...]:
        return VERSIONS[VERSIONS.index(self.since) :]

    def __str__(self) -> str:
        return self.name


KERNELS: list[Kernel] = []


def kernel(
    *signature: Any,
    also: tuple[tuple[Any, ...], ...] = (),
    since: str = "13.1",
    hints: dict[str, Any] | None = None,
) -> Callable[[Function], Function]:
    """Keep a kernel with the constraints of its parameters; constants stand for themselves.

    `also` holds further signatures, `hints` are the compiler's options for the kernel.
    """

    def keep(function: Function) -> Function:
        KERNELS.append(
            Kernel(function.__name__, function, (signature, *also), since, dict(hints or {}))
        )
        return function

    return keep


def kernel_named(name: str) -> Kernel:
    return next(kernel for kernel in KERNELS if kernel.name == name)


def compile_kernel(kernel: Kernel, version: str = "13.3", gpu: str = DEFAULT_GPU) -> bytes:
    """The bytecode that `cuda-tile` writes for a kernel."""
    convention = _compilation.CallingConvention.cutile_python_v2()
    count = len(kernel.signatures)
    signatures = [
        _compilation.KernelSignature(
            parameters, convention, kernel.name if count == 1 else f"{kernel.name}_{position}"
        )
        for position, parameters in enumerate(kernel.signatures)
    ]
    result = _compile.compile_tile(
        kernel.function,
        signatures,
        sm_arch=gpu,
        compiler_options=_options.CompilerOptions(**kernel.hints),
        bytecode_version=_version.BytecodeVersion["V_" + version.replace(".", "_")],
        return_bytecode=True,
        return_cubin=False,
    )
    return bytes(result.bytecode)


def array(dtype: Any, rank: int, **assumptions: Any) -> Any:
    """An array whose last dimension is contiguous, aligned as allocators align."""
    elements = max(1, 128 // dtype.bitwidth)
    known: dict[str, Any] = {
        "index_dtype": ct.int32,
        "stride_lower_bound_incl": 0,
        "alias_groups": (),
        "may_alias_internally": False,
        "stride_constant": (None,) * (rank - 1) + (1,) if rank else (),
        "stride_divisible_by": (elements,) * (rank - 1) + (1,) if rank else (),
        "base_addr_divisible_by": 16,
    }
    return _compilation.ArrayConstraint(dtype, rank, **(known | assumptions))


def strided(dtype: Any, rank: int, **assumptions: Any) -> Any:
    """An array about whose layout nothing is known."""
    loose = {"stride_constant": None, "stride_divisible_by": 1, "base_addr_divisible_by": 1}
    return array(dtype, rank, **(loose | assumptions))


def scalar(dtype: Any) -> Any:
    return _compilation.ScalarConstraint(dtype)


F16, BF16, F32, F64, TF32 = ct.float16, ct.bfloat16, ct.float32, ct.float64, ct.tfloat32
I8, I16, I32, I64 = ct.int8, ct.int16, ct.int32, ct.int64
U8, U16, U32, U64 = ct.uint8, ct.uint16, ct.uint32, ct.uint64
BOOL = ct.bool_

assert_all: Any = ct.assert_

# --- elementwise


@kernel(array(F32, 1), array(F32, 1), array(F32, 1), 128)
def vector_add(x: Any, y: Any, out: Any, tile: Any) -> None:
    i = ct.bid(0)
    a = ct.load(x, (i,), (tile,))
    b = ct.load(y, (i,), (tile,))
    ct.store(out, (i,), a + b)


@kernel(
    array(F16, 1),
    array(F16, 1),
    scalar(F32),
    256,
    also=(
        (strided(F64, 1), strided(F64, 1), scalar(F32), 64),
        (array(BF16, 1), array(BF16, 1), scalar(F32), 1024),
    ),
)
def axpy_three_types(x: Any, y: Any, a: Any, tile: Any) -> None:
    i = ct.bid(0)
    value = ct.load(x, (i,), (tile,), padding_mode=ct.PaddingMode.ZERO)
    other = ct.load(y, (i,), (tile,))
    result = a * value.astype(ct.float32) + other.astype(ct.float32)
    ct.store(y, (i,), result.astype(y.dtype))


@kernel(array(BF16, 2), array(BF16, 2), 16, 128)
def gelu(x: Any, out: Any, rows: Any, columns: Any) -> None:
    i, j = ct.bid(0), ct.bid(1)
    v = ct.load(x, (i, j), (rows, columns)).astype(ct.float32)
    inner = 0.7978845608028654 * (v + 0.044715 * v * v * v)
    ct.store(out, (i, j), (0.5 * v * (1.0 + ct.tanh(inner))).astype(out.dtype))


@kernel(array(F16, 2), array(F16, 2), 4096)
def silu_and_mul(x: Any, out: Any, hidden: Any) -> None:
    row = ct.bid(0)
    gate = ct.load(x, (row, 0), (1, hidden)).astype(ct.float32)
    up = ct.load(x, (row, 1), (1, hidden)).astype(ct.float32)
    sigmoid = 1.0 / (1.0 + ct.exp(-gate))
    ct.store(out, (row, 0), (gate * sigmoid * up).astype(out.dtype))


@kernel(array(F32, 1), array(F32, 1), scalar(F32), scalar(F32))
def clip_and_select(x: Any, out: Any, low: Any, high: Any) -> None:
    i = ct.bid(0)
    v = ct.load(x, (i,), (512,))
    clipped = ct.minimum(ct.maximum(v, low, propagate_nan=True), high, propagate_nan=True)
    positive = ct.where(v > 0, clipped, 0.01 * clipped)
    ct.store(out, (i,), ct.where(ct.isnan(v), 0.0, positive))


@kernel(array(F32, 1), array(F32, 1))
def trigonometry(x: Any, out: Any) -> None:
    i = ct.bid(0)
    v = ct.load(x, (i,), (64,))
    a = ct.sin(v) * ct.cos(v) + ct.tan(v)
    b = ct.sinh(v) - ct.cosh(v) * ct.tanh(v)
    ct.store(out, (i,), a / b)


@kernel(array(F32, 1), array(F32, 1), array(F32, 1), since="13.2")
def polar_form(x: Any, y: Any, out: Any) -> None:
    i = ct.bid(0)
    a, b = ct.load(x, (i,), (64,)), ct.load(y, (i,), (64,))
    ct.store(out, (i,), ct.atan2(a, b) + ct.tanh(a, rounding_mode=ct.RoundingMode.APPROX))


@kernel(array(F32, 1), array(F32, 1))
def rounding_modes(x: Any, out: Any) -> None:
    i = ct.bid(0)
    v = ct.load(x, (i,), (32,))
    a = ct.add(v, 1.0, rounding_mode=ct.RoundingMode.RZ, flush_to_zero=True)
    b = ct.sub(a, v, rounding_mode=ct.RoundingMode.RM)
    c = ct.mul(b, v, rounding_mode=ct.RoundingMode.RP)
    d = ct.truediv(c, v, rounding_mode=ct.RoundingMode.APPROX)
    e = ct.truediv(d, v, rounding_mode=ct.RoundingMode.FULL, flush_to_zero=True)
    f = ct.sqrt(e, rounding_mode=ct.RoundingMode.APPROX)
    ct.store(out, (i,), ct.maximum(f, v, flush_to_zero=True))


@kernel(array(F32, 1), array(F32, 1), since="13.3")
def fast_exponentials(x: Any, out: Any) -> None:
    i = ct.bid(0)
    v = ct.load(x, (i,), (128,))
    a = ct.exp(v, rounding_mode=ct.RoundingMode.APPROX)
    b = ct.exp2(v, flush_to_zero=True)
    c = ct.rsqrt(a, flush_to_zero=True)
    ct.store(out, (i,), a + b * c + ct.log(a) - ct.log2(b) + ct.pow(a, b))


@kernel(array(F64, 1), array(F64, 1))
def rounding_to_integers(x: Any, out: Any) -> None:
    i = ct.bid(0)
    v = ct.load(x, (i,), (64,))
    ct.store(out, (i,), ct.floor(v) + ct.ceil(v) - abs(v) + ct.mod(v, 3.0))


@kernel(array(I32, 1), array(I32, 1), array(I32, 1))
def integer_arithmetic(x: Any, y: Any, out: Any) -> None:
    i = ct.bid(0)
    a, b = ct.load(x, (i,), (128,)), ct.load(y, (i,), (128,))
    quotient, remainder = divmod(a, b)
    c = ct.cdiv(a, 7) + a // 3 - a % 5
    d = (a << 3) ^ (b >> 2) & ~a | -b
    ct.store(out, (i,), quotient * remainder + c - d + ct.maximum(a, b) - ct.minimum(a, 4) + abs(b))


@kernel(array(U32, 1), array(U8, 1), array(U64, 1))
def unsigned_arithmetic(x: Any, bytes_in: Any, out: Any) -> None:
    i = ct.bid(0)
    a = ct.load(x, (i,), (64,))
    b = ct.load(bytes_in, (i,), (64,))
    c = a % 10 + (a >> 5) + ct.cdiv(a, 3)
    wide = c.astype(ct.uint64) * 2654435761 + b.astype(ct.uint64)
    ct.store(out, (i,), ct.where(a > 100, wide, wide >> 32))


@kernel(array(F32, 2), array(F32, 1), array(BOOL, 2))
def comparisons(x: Any, limits: Any, out: Any) -> None:
    i = ct.bid(0)
    v = ct.load(x, (i, 0), (8, 64))
    limit = ct.load(limits, (0,), (64,))
    inside = (v >= 0.0) & (v < limit) | (v == -1.0)
    odd = (v != limit) ^ (v <= 0.5)
    ct.store(out, (i, 0), inside & ~odd)


@kernel(array(F32, 1), array(F16, 1), array(BF16, 1), array(I8, 1), array(I64, 1), array(U16, 1))
def conversions(x: Any, half: Any, brain: Any, small: Any, wide: Any, short: Any) -> None:
    i = ct.bid(0)
    v = ct.load(x, (i,), (64,))
    ct.store(half, (i,), v.astype(ct.float16))
    ct.store(brain, (i,), (v.astype(ct.float16)).astype(ct.bfloat16))
    integer = v.astype(ct.int32)
    ct.store(small, (i,), integer.astype(ct.int8))
    ct.store(wide, (i,), integer.astype(ct.int64) + ct.bitcast(v, ct.int32).astype(ct.int64))
    truth = integer.astype(ct.bool_)
    ct.store(short, (i,), truth.astype(ct.uint16) + v.astype(ct.uint16))


@kernel(array(F32, 1), array(ct.float8_e4m3fn, 1), array(ct.float8_e5m2, 1), scalar(F32))
def quantize_float8(x: Any, narrow: Any, wide: Any, scale: Any) -> None:
    i = ct.bid(0)
    v = ct.load(x, (i,), (256,)) * scale
    ct.store(narrow, (i,), v.astype(ct.float8_e4m3fn))
    ct.store(wide, (i,), v.astype(ct.float8_e5m2))


@kernel(array(ct.float8_e4m3fn, 2), array(F32, 2), array(F16, 2))
def dequantize_blocks(x: Any, scales: Any, out: Any) -> None:
    i, j = ct.bid(0), ct.bid(1)
    v = ct.load(x, (i, j), (128, 128)).astype(ct.float32)
    scale = ct.load(scales, (i, j), (1, 1))
    ct.store(out, (i, j), (v * scale).astype(ct.float16))


@kernel(array(F32, 1), array(ct.float8_e8m0fnu, 1), array(F32, 1), since="13.2")
def power_of_two_scales(x: Any, scales: Any, out: Any) -> None:
    i = ct.bid(0)
    v = ct.load(x, (i,), (64,))
    scale = ct.load(scales, (i,), (64,)).astype(ct.float32)
    ct.store(out, (i,), v * scale)


@kernel(strided(F32, 2), strided(F32, 2))
def transposed_copy(x: Any, out: Any) -> None:
    i, j = ct.bid(0), ct.bid(1)
    tile = ct.load(x, (j, i), (32, 64), order="F")
    ct.store(out, (i, j), ct.transpose(tile))


@kernel(array(F32, 3), array(F32, 3))
def permuted_copy(x: Any, out: Any) -> None:
    i = ct.bid(0)
    tile = ct.load(x, (i, 0, 0), (4, 8, 16))
    ct.store(out, (0, i, 0), ct.permute(tile, (1, 0, 2)))
    ct.store(out, (1, i, 0), tile.reshape((8, 4, 16)), order=(0, 1, 2))


@kernel(array(F32, 2, index_dtype=ct.int64), array(F32, 1), array(F32, 2, index_dtype=ct.int64))
def bias_with_wide_indices(x: Any, bias: Any, out: Any) -> None:
    row = ct.bid(0)
    for column in range(ct.num_tiles(x, 1, (1, 256))):
        v = ct.load(x, (row, column), (1, 256))
        b = ct.load(bias, (column,), (256,))
        ct.store(out, (row, column), v + b)


@kernel(array(F32, 1), array(F32, 1), array(F32, 1), array(F32, 1))
def complex_product(real_a: Any, imaginary_a: Any, real_b: Any, imaginary_b: Any) -> None:
    i = ct.bid(0)
    a, b = ct.load(real_a, (i,), (256,)), ct.load(imaginary_a, (i,), (256,))
    c, d = ct.load(real_b, (i,), (256,)), ct.load(imaginary_b, (i,), (256,))
    ct.store(real_a, (i,), a * c - b * d)
    ct.store(imaginary_a, (i,), a * d + b * c)


@kernel(array(U32, 1), scalar(U32), scalar(U32))
def philox_random(out: Any, seed: Any, stream: Any) -> None:
    i = ct.bid(0)
    counter = ct.arange(128, dtype=ct.uint32) + i.astype(ct.uint32) * 128
    key = ct.full((128,), 0, ct.uint32) + seed
    for _ in range(7):
        product = counter.astype(ct.uint64) * 3528531795
        low = product.astype(ct.uint32)
        high = (product >> 32).astype(ct.uint32)
        counter = high ^ key ^ low
        key = key + 2654435769
    ct.store(out, (i,), counter ^ stream)


@kernel(array(F32, 2), array(F32, 2), array(F32, 2), scalar(F32), scalar(F32), scalar(I32))
def adam_step(
    parameters: Any, gradient: Any, moments: Any, rate: Any, decay: Any, step: Any
) -> None:
    i = ct.bid(0)
    p = ct.load(parameters, (i, 0), (1, 1024))
    g = ct.load(gradient, (i, 0), (1, 1024))
    m = ct.load(moments, (i, 0), (1, 1024))
    m = 0.9 * m + 0.1 * g
    correction = 1.0 - ct.pow(0.9, step.astype(ct.float32))
    updated = p - rate * (m / correction / (ct.sqrt(g * g) + 1e-8) + decay * p)
    ct.store(parameters, (i, 0), updated)
    ct.store(moments, (i, 0), m)


# --- reductions


@kernel(array(F32, 2), array(F32, 1), 1024)
def row_sums(x: Any, out: Any, columns: Any) -> None:
    row = ct.bid(0)
    total = ct.zeros((1, columns), ct.float32)
    for j in range(ct.num_tiles(x, 1, (1, columns))):
        total += ct.load(x, (row, j), (1, columns), padding_mode=ct.PaddingMode.ZERO)
    ct.store(out, (row,), ct.sum(total, axis=1))


@kernel(array(F32, 2), array(F32, 1), array(I32, 1), array(I32, 1))
def extremes(x: Any, highest: Any, where_highest: Any, where_lowest: Any) -> None:
    row = ct.bid(0)
    v = ct.load(x, (row, 0), (4, 256), padding_mode=ct.PaddingMode.NEG_INF)
    ct.store(highest, (row,), ct.max(v, axis=1) - ct.min(v, axis=1))
    ct.store(where_highest, (row,), ct.argmax(v, axis=1))
    ct.store(where_lowest, (row,), ct.argmin(v, axis=1))


@kernel(array(F32, 2), array(F32, 2), 2048)
def softmax_one_tile(x: Any, out: Any, columns: Any) -> None:
    row = ct.bid(0)
    v = ct.load(x, (row, 0), (1, columns), padding_mode=ct.PaddingMode.NEG_INF)
    exponential = ct.exp(v - ct.max(v, axis=1, keepdims=True))
    ct.store(out, (row, 0), exponential / ct.sum(exponential, axis=1, keepdims=True))


@kernel(array(F16, 2), array(F16, 2), 512)
def softmax_online(x: Any, out: Any, columns: Any) -> None:
    row = ct.bid(0)
    tiles = ct.num_tiles(x, 1, (1, columns))
    highest = ct.full((1, 1), -math.inf, ct.float32)
    total = ct.zeros((1, 1), ct.float32)
    for j in range(tiles):
        v = ct.load(x, (row, j), (1, columns), padding_mode=ct.PaddingMode.NEG_INF).astype(
            ct.float32
        )
        new = ct.maximum(highest, ct.max(v, axis=1, keepdims=True))
        total = total * ct.exp(highest - new) + ct.sum(ct.exp(v - new), axis=1, keepdims=True)
        highest = new
    for j in range(tiles):
        v = ct.load(x, (row, j), (1, columns), padding_mode=ct.PaddingMode.NEG_INF).astype(
            ct.float32
        )
        ct.store(out, (row, j), (ct.exp(v - highest) / total).astype(out.dtype))


@kernel(array(BF16, 2), array(BF16, 1), array(BF16, 1), array(BF16, 2), scalar(F32), 1024)
def layer_norm(x: Any, weight: Any, bias: Any, out: Any, epsilon: Any, columns: Any) -> None:
    row = ct.bid(0)
    v = ct.load(x, (row, 0), (1, columns), padding_mode=ct.PaddingMode.ZERO).astype(ct.float32)
    mean = ct.sum(v, axis=1, keepdims=True) / x.shape[1]
    centred = ct.where(ct.arange(columns, dtype=ct.int32) < x.shape[1], v - mean, 0.0)
    variance = ct.sum(centred * centred, axis=1, keepdims=True) / x.shape[1]
    normal = centred * ct.rsqrt(variance + epsilon)
    w = ct.load(weight, (0,), (columns,)).astype(ct.float32)
    b = ct.load(bias, (0,), (columns,)).astype(ct.float32)
    ct.store(out, (row, 0), (normal * w + b).astype(out.dtype))


@kernel(array(F16, 2), array(F16, 1), array(F16, 2), 4096, hints={"num_ctas": 2, "occupancy": 4})
def rms_norm(x: Any, weight: Any, out: Any, columns: Any) -> None:
    row = ct.bid(0)
    v = ct.load(x, (row, 0), (1, columns), latency=4).astype(ct.float32)
    scale = ct.rsqrt(ct.sum(v * v, axis=1, keepdims=True) * (1.0 / columns) + 1e-6)
    w = ct.load(weight, (0,), (columns,), allow_tma=False).astype(ct.float32)
    ct.store(out, (row, 0), (v * scale * w).astype(out.dtype), latency=2, allow_tma=False)


@kernel(array(F32, 2), array(F32, 1), array(F32, 1))
def welford(x: Any, means: Any, variances: Any) -> None:
    def combine(n_a: Any, mean_a: Any, m_a: Any, n_b: Any, mean_b: Any, m_b: Any) -> Any:
        n = n_a + n_b
        delta = mean_b - mean_a
        return n, mean_a + delta * n_b / n, m_a + m_b + delta * delta * n_a * n_b / n

    row = ct.bid(0)
    v = ct.load(x, (row, 0), (2, 512))
    ones = ct.ones((2, 512), ct.float32)
    n, mean, m = ct.reduce((ones, v, ct.zeros((2, 512), ct.float32)), 1, combine, (0.0, 0.0, 0.0))
    ct.store(means, (row,), mean)
    ct.store(variances, (row,), m / n)


@kernel(array(I32, 2), array(I32, 1), array(BOOL, 1))
def integer_reductions(x: Any, out: Any, truth: Any) -> None:
    def either(a: Any, b: Any) -> Any:
        return a | b

    i = ct.bid(0)
    v = ct.load(x, (i, 0), (16, 32))
    bits = ct.reduce(v, 0, either, 0)
    product = ct.prod(v, axis=0)
    some = ct.reduce(v > 3, 0, either, False)
    ct.store(out, (i,), bits + product + ct.max(v, axis=0) + ct.min(v, axis=0))
    ct.store(truth, (i,), some)


@kernel(array(F32, 2), array(I32, 1), array(F32, 1), 8192)
def cross_entropy(logits: Any, targets: Any, losses: Any, classes: Any) -> None:
    row = ct.bid(0)
    v = ct.load(logits, (row, 0), (1, classes), padding_mode=ct.PaddingMode.NEG_INF)
    target = ct.load(targets, (row,), (1,))
    highest = ct.max(v, axis=1, keepdims=True)
    log_sum = ct.log(ct.sum(ct.exp(v - highest), axis=1, keepdims=True)) + highest
    picked = ct.gather(logits, (row, target))
    ct.store(losses, (row,), log_sum.reshape((1,)) - picked)


@kernel(array(F64, 3), array(F64, 1))
def sum_of_squares(x: Any, out: Any) -> None:
    i = ct.bid(0)
    v = ct.load(x, (i, 0, 0), (1, 16, 16))
    ct.store(out, (i,), ct.sqrt(ct.sum(ct.sum(v * v, axis=2), axis=1)))


# --- matrix products


@kernel(array(F16, 2), array(F16, 2), array(F16, 2), 128, 128, 64)
def matmul(a: Any, b: Any, c: Any, tm: Any, tn: Any, tk: Any) -> None:
    i, j = ct.bid(0), ct.bid(1)
    acc = ct.zeros((tm, tn), ct.float32)
    for k in range(ct.num_tiles(a, 1, (tm, tk))):
        x = ct.load(a, (i, k), (tm, tk), padding_mode=ct.PaddingMode.ZERO)
        y = ct.load(b, (k, j), (tk, tn), padding_mode=ct.PaddingMode.ZERO)
        acc = ct.mma(x, y, acc)
    ct.store(c, (i, j), acc.astype(c.dtype))


@kernel(
    array(BF16, 2),
    array(BF16, 2),
    array(F32, 1),
    array(BF16, 2),
    hints={
        "num_ctas": ct.ByTarget(sm_100=2, default=1),
        "occupancy": ct.ByTarget(sm_90=1, sm_120=2),
    },
)
def matmul_with_epilogue(a: Any, b: Any, bias: Any, c: Any) -> None:
    tm, tn, tk, group = 128, 256, 64, 8
    rows, columns = ct.cdiv(a.shape[0], tm), ct.cdiv(b.shape[1], tn)
    block = ct.bid(0)
    per_group = group * columns
    first = block // per_group * group
    height = ct.minimum(rows - first, group)
    i = first + block % per_group % height
    j = block % per_group // height
    acc = ct.zeros((tm, tn), ct.float32)
    for k in range(ct.cdiv(a.shape[1], tk)):
        acc = ct.mma(ct.load(a, (i, k), (tm, tk)), ct.load(b, (k, j), (tk, tn)), acc)
    acc += ct.load(bias, (j,), (tn,))
    ct.store(c, (i, j), ct.maximum(acc, 0.0).astype(c.dtype))


@kernel(array(F16, 3), array(F16, 3), array(F32, 3))
def matmul_batched(a: Any, b: Any, c: Any) -> None:
    batch, i, j = ct.bid(0), ct.bid(1), ct.bid(2)
    acc = ct.zeros((1, 64, 64), ct.float32)
    for k in range(ct.num_tiles(a, 2, (1, 64, 32))):
        x = ct.load(a, (batch, i, k), (1, 64, 32))
        y = ct.load(b, (batch, k, j), (1, 32, 64))
        acc = ct.mma(x, y, acc)
    ct.store(c, (batch, i, j), acc)


@kernel(array(F32, 2), array(F32, 2), array(F32, 2), scalar(I32))
def matmul_split_k(a: Any, b: Any, c: Any, parts: Any) -> None:
    i, j, part = ct.bid(0), ct.bid(1), ct.bid(2)
    acc = ct.zeros((64, 64), ct.float32)
    for k in range(part, ct.num_tiles(a, 1, (64, 32)), parts):
        x = ct.load(a, (i, k), (64, 32), padding_mode=ct.PaddingMode.ZERO).astype(ct.tfloat32)
        y = ct.load(b, (k, j), (32, 64), padding_mode=ct.PaddingMode.ZERO).astype(ct.tfloat32)
        acc = ct.mma(x, y, acc)
    rows = ct.arange(64, dtype=ct.int32) + i * 64
    columns = ct.arange(64, dtype=ct.int32) + j * 64
    ct.atomic_add(c, (rows[:, None], columns[None, :]), acc, memory_order=ct.MemoryOrder.RELAXED)


@kernel(
    array(I8, 2),
    array(I8, 2),
    array(F32, 1),
    array(F16, 2),
    also=((array(U8, 2), array(I8, 2), array(F32, 1), array(F16, 2)),),
)
def matmul_int8(a: Any, b: Any, scales: Any, c: Any) -> None:
    i, j = ct.bid(0), ct.bid(1)
    acc = ct.zeros((64, 128), ct.int32)
    for k in range(ct.num_tiles(a, 1, (64, 64))):
        acc = ct.mma(ct.load(a, (i, k), (64, 64)), ct.load(b, (k, j), (64, 128)), acc)
    scale = ct.load(scales, (j,), (128,))
    ct.store(c, (i, j), (acc.astype(ct.float32) * scale).astype(ct.float16))


@kernel(array(F64, 2), array(F64, 2), array(F64, 2), scalar(F64), scalar(F64))
def gemm_double(a: Any, b: Any, c: Any, alpha: Any, beta: Any) -> None:
    i, j = ct.bid(0), ct.bid(1)
    acc = ct.zeros((32, 32), ct.float64)
    for k in range(ct.num_tiles(a, 1, (32, 16))):
        acc = ct.mma(ct.load(a, (i, k), (32, 16)), ct.load(b, (k, j), (16, 32)), acc)
    ct.store(c, (i, j), alpha * acc + beta * ct.load(c, (i, j), (32, 32)))


@kernel(array(ct.float8_e4m3fn, 2), array(ct.float8_e4m3fn, 2), array(F32, 2), since="13.3")
def matmul_float8_fast(a: Any, b: Any, c: Any) -> None:
    i, j = ct.bid(0), ct.bid(1)
    acc = ct.zeros((128, 128), ct.float32)
    for k in range(ct.num_tiles(a, 1, (128, 128))):
        x = ct.load(a, (i, k), (128, 128))
        y = ct.load(b, (j, k), (128, 128)).transpose()
        acc = ct.mma(x, y, acc, use_fast_acc=True)
    ct.store(c, (i, j), acc)


@kernel(
    array(ct.float8_e4m3fn, 2),
    array(ct.float8_e8m0fnu, 2),
    array(ct.float8_e4m3fn, 2),
    array(ct.float8_e8m0fnu, 2),
    array(F32, 2),
    since="13.3",
)
def matmul_block_scaled(a: Any, a_scale: Any, b: Any, b_scale: Any, c: Any) -> None:
    i, j = ct.bid(0), ct.bid(1)
    acc = ct.zeros((128, 128), ct.float32)
    for k in range(ct.num_tiles(a, 1, (128, 128))):
        x, sx = ct.load(a, (i, k), (128, 128)), ct.load(a_scale, (i, k), (128, 4))
        y, sy = ct.load(b, (k, j), (128, 128)), ct.load(b_scale, (k, j), (4, 128))
        acc = ct.mma_scaled(x, sx, y, sy, acc)
    ct.store(c, (i, j), acc)


@kernel(array(U8, 2), array(ct.float8_e4m3fn, 2), array(F32, 2), since="13.3")
def matmul_packed_float4(packed: Any, scales: Any, c: Any) -> None:
    i = ct.bid(0)
    raw = ct.load(packed, (i, 0), (128, 32)).reshape((4096,))
    x = ct.unpack_from_bytes(raw, ct.float4_e2m1fn).reshape((128, 64))
    scale = ct.load(scales, (i, 0), (128, 4))
    product = ct.mma_scaled(
        x, scale, x.transpose(), scale.transpose(), ct.zeros((128, 128), ct.float32)
    )
    ct.store(c, (i, i), product)


@kernel(
    array(F16, 2),
    array(F16, 2),
    array(F16, 2),
    scalar(I32),
    hints={"num_worker_warps": 8},
    since="13.3",
)
def matmul_persistent(a: Any, b: Any, c: Any, tiles: Any) -> None:
    columns = ct.num_tiles(b, 1, (64, 128))
    for tile in range(ct.bid(0), tiles, ct.num_blocks(0)):
        i, j = tile // columns, tile % columns
        acc = ct.zeros((128, 128), ct.float32)
        for k in range(ct.num_tiles(a, 1, (128, 64))):
            acc = ct.mma(ct.load(a, (i, k), (128, 64)), ct.load(b, (k, j), (64, 128)), acc)
        ct.store(c, (i, j), acc.astype(ct.float16))


@kernel(array(F32, 2), array(F32, 1), array(F32, 1))
def matrix_vector(a: Any, x: Any, y: Any) -> None:
    i = ct.bid(0)
    acc = ct.zeros((64,), ct.float32)
    for k in range(ct.num_tiles(a, 1, (64, 64))):
        acc += ct.load(a, (i, k), (64, 64)) @ ct.load(x, (k,), (64,))
    ct.store(y, (i,), acc)


# --- attention


@kernel(
    array(F16, 4),
    array(F16, 4),
    array(F16, 4),
    array(F16, 4),
    scalar(F32),
    True,
    also=((array(F16, 4), array(F16, 4), array(F16, 4), array(F16, 4), scalar(F32), False),),
)
def flash_attention(q: Any, k: Any, v: Any, out: Any, scale: Any, causal: Any) -> None:
    tm, tn, depth = 128, 64, 64
    block, batch, head = ct.bid(0), ct.bid(1), ct.bid(2)
    queries = ct.load(q, (batch, head, block, 0), (1, 1, tm, depth)).reshape((tm, depth))
    rows = block * tm + ct.arange(tm, dtype=ct.int32)[:, None]
    highest = ct.full((tm, 1), -math.inf, ct.float32)
    total = ct.zeros((tm, 1), ct.float32)
    acc = ct.zeros((tm, depth), ct.float32)
    end = ct.num_tiles(k, 2, (1, 1, tn, depth))
    if causal:
        end = ct.minimum(end, ct.cdiv((block + 1) * tm, tn))
    for j in range(end):
        keys = ct.load(k, (batch, head, 0, j), (1, 1, depth, tn), order=(0, 1, 3, 2)).reshape(
            (depth, tn)
        )
        scores = ct.mma(queries, keys, ct.zeros((tm, tn), ct.float32)) * scale
        columns = j * tn + ct.arange(tn, dtype=ct.int32)[None, :]
        if causal:
            scores = ct.where(rows >= columns, scores, -math.inf)
        else:
            scores = ct.where(columns < k.shape[2], scores, -math.inf)
        new = ct.maximum(highest, ct.max(scores, axis=1, keepdims=True))
        weights = ct.exp2(scores - new, flush_to_zero=True)
        shrink = ct.exp2(highest - new, flush_to_zero=True)
        total = total * shrink + ct.sum(weights, axis=1, keepdims=True)
        values = ct.load(v, (batch, head, j, 0), (1, 1, tn, depth)).reshape((tn, depth))
        acc = ct.mma(weights.astype(ct.float16), values, acc * shrink)
        highest = new
    result = ct.truediv(acc, total, rounding_mode=ct.RoundingMode.APPROX, flush_to_zero=True)
    ct.store(out, (batch, head, block, 0), result.astype(ct.float16).reshape((1, 1, tm, depth)))


@kernel(array(BF16, 3), array(BF16, 4), array(BF16, 4), array(F32, 4), array(I32, 1))
def decode_attention(q: Any, k: Any, v: Any, partial: Any, lengths: Any) -> None:
    batch, head, part = ct.bid(0), ct.bid(1), ct.bid(2)
    length = ct.load(lengths, (batch,), (1,)).item()
    start = part * 256
    if start >= length:
        return
    query = ct.load(q, (batch, head, 0), (1, 1, 128)).reshape((1, 128)).astype(ct.float32)
    highest = ct.full((1, 1), -math.inf, ct.float32)
    total = ct.zeros((1, 1), ct.float32)
    acc = ct.zeros((1, 128), ct.float32)
    for j in range(4):
        keys = (
            ct.load(k, (batch, head, part * 4 + j, 0), (1, 1, 64, 128))
            .reshape((64, 128))
            .astype(ct.float32)
        )
        scores = ct.sum(keys * query, axis=1).reshape((1, 64)) * 0.088
        position = start + j * 64 + ct.arange(64, dtype=ct.int32)
        scores = ct.where(position < length, scores, -1e30)
        new = ct.maximum(highest, ct.max(scores, axis=1, keepdims=True))
        weights = ct.exp(scores - new)
        values = (
            ct.load(v, (batch, head, part * 4 + j, 0), (1, 1, 64, 128))
            .reshape((64, 128))
            .astype(ct.float32)
        )
        shrink = ct.exp(highest - new)
        acc = acc * shrink + weights @ values
        total = total * shrink + ct.sum(weights, axis=1, keepdims=True)
        highest = new
    ct.store(partial, (batch, head, part, 0), (acc / total).reshape((1, 1, 1, 128)))


@kernel(array(F16, 3), array(F16, 3), array(F16, 3), array(F32, 2), array(F16, 3))
def attention_gradient_of_values(q: Any, k: Any, gradient: Any, log_sums: Any, out: Any) -> None:
    head, block = ct.bid(0), ct.bid(1)
    keys = ct.load(k, (head, block, 0), (1, 64, 64)).reshape((64, 64))
    acc = ct.zeros((64, 64), ct.float32)
    for i in range(ct.num_tiles(q, 1, (1, 64, 64))):
        queries = ct.load(q, (head, i, 0), (1, 64, 64)).reshape((64, 64))
        scores = ct.mma(keys, queries.transpose(), ct.zeros((64, 64), ct.float32))
        log_sum = ct.load(log_sums, (head, i), (1, 64))
        weights = ct.exp(scores - log_sum).astype(ct.float16)
        upstream = ct.load(gradient, (head, i, 0), (1, 64, 64)).reshape((64, 64))
        acc = ct.mma(weights, upstream, acc)
    ct.store(out, (head, block, 0), acc.astype(ct.float16).reshape((1, 64, 64)))


@kernel(array(F16, 3), array(F32, 2), array(F32, 2))
def rotary_embedding(x: Any, cosines: Any, sines: Any) -> None:
    position, head = ct.bid(0), ct.bid(1)
    first = ct.load(x, (position, head, 0), (1, 1, 64)).astype(ct.float32)
    second = ct.load(x, (position, head, 1), (1, 1, 64)).astype(ct.float32)
    c = ct.load(cosines, (position, 0), (1, 64)).reshape((1, 1, 64))
    s = ct.load(sines, (position, 0), (1, 64)).reshape((1, 1, 64))
    ct.store(x, (position, head, 0), (first * c - second * s).astype(ct.float16))
    ct.store(x, (position, head, 1), (second * c + first * s).astype(ct.float16))


# --- scans


@kernel(array(F32, 2), array(F32, 2))
def prefix_sums(x: Any, out: Any) -> None:
    row = ct.bid(0)
    carry = ct.zeros((1, 1), ct.float32)
    for j in range(ct.num_tiles(x, 1, (1, 256))):
        v = ct.load(x, (row, j), (1, 256), padding_mode=ct.PaddingMode.ZERO)
        ct.store(out, (row, j), ct.cumsum(v, axis=1) + carry)
        carry += ct.sum(v, axis=1, keepdims=True)


@kernel(array(F32, 2), array(I64, 2))
def products_backwards(x: Any, counts: Any) -> None:
    i = ct.bid(0)
    v = ct.load(x, (i, 0), (8, 32))
    n = ct.load(counts, (i, 0), (8, 32))
    ct.store(x, (i, 0), ct.cumprod(v, axis=1, reverse=True))
    ct.store(counts, (i, 0), ct.cumsum(n, axis=0, reverse=True))


@kernel(array(F32, 2), array(F32, 2), array(F32, 2))
def linear_recurrence(gates: Any, inputs: Any, out: Any) -> None:
    def step(a_left: Any, b_left: Any, a_right: Any, b_right: Any) -> Any:
        return a_left * a_right, b_left * a_right + b_right

    i = ct.bid(0)
    a = ct.load(gates, (i, 0), (4, 128))
    b = ct.load(inputs, (i, 0), (4, 128))
    _, state = ct.scan((a, b), 1, step, (1.0, 0.0))
    ct.store(out, (i, 0), state)


@kernel(array(I32, 1), array(I32, 1), array(I32, 1))
def segmented_maximum(values: Any, flags: Any, out: Any) -> None:
    def combine(v_left: Any, f_left: Any, v_right: Any, f_right: Any) -> Any:
        value = ct.where(f_right != 0, v_right, ct.maximum(v_left, v_right))
        return value, f_left | f_right

    i = ct.bid(0)
    v, f = ct.load(values, (i,), (256,)), ct.load(flags, (i,), (256,))
    result, _ = ct.scan((v, f), 0, combine, (-2147483648, 0))
    ct.store(out, (i,), result)


# --- gathers and scatters


@kernel(array(F16, 2), array(I32, 1), array(F16, 2))
def embedding(table: Any, tokens: Any, out: Any) -> None:
    i = ct.bid(0)
    token = ct.load(tokens, (i,), (16,))
    columns = ct.arange(256, dtype=ct.int32)
    rows = ct.gather(table, (token[:, None], columns[None, :]))
    ct.store(out, (i, 0), rows)


@kernel(array(F32, 1), array(I64, 1), array(F32, 1), scalar(F32))
def masked_gather(x: Any, indices: Any, out: Any, fill: Any) -> None:
    i = ct.bid(0)
    index = ct.load(indices, (i,), (128,))
    v = ct.gather(x, index, mask=index % 2 == 0, padding_value=fill, latency=3)
    ct.scatter(out, index, v + 1.0, mask=v > 0.0)
    ct.scatter(out, index + 1, v, check_bounds=False)


@kernel(array(F32, 3), array(F32, 2))
def stencil_by_gather(x: Any, out: Any) -> None:
    plane, i = ct.bid(0), ct.bid(1)
    rows = (i * 16 + ct.arange(16, dtype=ct.int32))[:, None]
    columns = ct.arange(32, dtype=ct.int32)[None, :]
    centre = ct.gather(x, (plane, rows, columns))
    around = ct.gather(x, (plane, rows - 1, columns)) + ct.gather(x, (plane, rows + 1, columns))
    around += ct.gather(x, (plane, rows, columns - 1)) + ct.gather(x, (plane, rows, columns + 1))
    ct.store(out, (i, 0), 0.25 * around - centre)


@kernel(array(F32, 2), array(I32, 1), array(F32, 2), since="13.3")
def rows_by_index(x: Any, indices: Any, out: Any) -> None:
    i = ct.bid(0)
    chosen = ct.load(indices, (i,), (16,))
    tile = ct.load_advanced_indexing(
        x, (chosen, ct.Slice(64, 32)), padding_mode=ct.PaddingMode.ZERO, latency=2
    )
    ct.store_advanced_indexing(out, (chosen, ct.Slice(i * 32, 32)), tile * 2.0, allow_tma=False)


@kernel(array(F32, 1), array(I32, 1))
def raw_offsets(x: Any, counts: Any) -> None:
    i = ct.bid(0)
    offsets = i * 64 + ct.arange(64, dtype=ct.int32)
    memory = x.get_raw_memory()
    v = memory.load_offset(offsets, mask=offsets < 1000, padding_value=1.5)
    memory.store_offset(offsets + 64, v * v)
    counts.get_raw_memory().atomic_add_offset(offsets, 1)


@kernel(array(I8, 4), array(F32, 4))
def nearest_upsampling(x: Any, out: Any) -> None:
    batch, row = ct.bid(0), ct.bid(1)
    columns = ct.arange(64, dtype=ct.int32)[:, None]
    channels = ct.arange(8, dtype=ct.int32)[None, :]
    v = ct.gather(x, (batch, row // 2, columns // 2, channels))
    ct.scatter(out, (batch, row, columns, channels), v.astype(ct.float32))


# --- atomics


@kernel(array(U8, 1), array(I32, 1))
def histogram(x: Any, bins: Any) -> None:
    i = ct.bid(0)
    v = ct.load(x, (i,), (1024,)).astype(ct.int32)
    ct.atomic_add(
        bins, v, 1, memory_order=ct.MemoryOrder.RELAXED, memory_scope=ct.MemoryScope.DEVICE
    )


@kernel(array(I32, 1), array(F32, 1))
def spin_lock(lock: Any, total: Any) -> None:
    while ct.atomic_cas(lock, 0, 0, 1, memory_order=ct.MemoryOrder.ACQUIRE) == 1:
        pass
    v = ct.load(total, (0,), (1,))
    ct.store(total, (0,), v + 1.0)
    ct.atomic_xchg(lock, 0, 0, memory_order=ct.MemoryOrder.RELEASE)


@kernel(array(I32, 1), array(U64, 1), array(F16, 1))
def every_atomic(x: Any, wide: Any, half: Any) -> None:
    i = ct.arange(32, dtype=ct.int32)
    a = ct.atomic_max(x, i, 5)
    b = ct.atomic_min(x, i, a, memory_scope=ct.MemoryScope.SYS)
    c = ct.atomic_and(x, i, b, check_bounds=False)
    d = ct.atomic_or(x, i, c, memory_scope=ct.MemoryScope.BLOCK)
    e = ct.atomic_xor(x, i, d)
    f = ct.atomic_max(wide, i, e.astype(ct.uint64))
    ct.atomic_min(wide, i, f)
    ct.atomic_add(half, i, f.astype(ct.float16))


@kernel(array(F32, 2), array(I32, 2), since="13.3")
def reductions_into_views(x: Any, flags: Any) -> None:
    i, j = ct.bid(0), ct.bid(1)
    view = x.tiled_view((8, 16))
    view.atomic_store_add((i, j), ct.full((8, 16), 0.5, ct.float32))
    bits = flags.tiled_view((8, 16))
    bits.atomic_store_or((i, j), ct.full((8, 16), 3, ct.int32))
    bits.atomic_store_max((i, j), ct.full((8, 16), 7, ct.int32))


@kernel(array(I32, 1), array(F32, 1), array(F32, 1))
def last_block_finishes(counter: Any, partial: Any, out: Any) -> None:
    i = ct.bid(0)
    ct.store(
        partial,
        (i,),
        ct.full((1,), 1.0, ct.float32),
        memory_order=ct.MemoryOrder.RELEASE,
        memory_scope=ct.MemoryScope.DEVICE,
    )
    done = ct.atomic_add(counter, 0, 1)
    if done == ct.num_blocks(0) - 1:
        v = ct.load(
            partial,
            (0,),
            (1024,),
            padding_mode=ct.PaddingMode.ZERO,
            memory_order=ct.MemoryOrder.ACQUIRE,
            memory_scope=ct.MemoryScope.SYS,
        )
        ct.store(out, (0,), ct.sum(v).reshape((1,)))


# --- control flow


@kernel(array(F32, 1), array(I32, 1), scalar(F32))
def search_with_break(x: Any, out: Any, wanted: Any) -> None:
    found = -1
    for i in range(ct.num_tiles(x, 0, (64,))):
        v = ct.load(x, (i,), (64,))
        if ct.max(v) >= wanted:
            found = i
            break
    ct.store(out, (0,), found)


@kernel(array(F32, 1), array(I32, 1))
def newton_iterations(x: Any, counts: Any) -> None:
    i = ct.bid(0)
    v = ct.load(x, (i,), (16,))
    guess = ct.full((16,), 1.0, ct.float32)
    steps = 0
    while ct.max(abs(guess * guess - v)) > 1e-5:
        if steps > 50:
            break
        guess = 0.5 * (guess + v / guess)
        steps += 1
    ct.store(x, (i,), guess)
    ct.store(counts, (i,), steps)


@kernel(array(I32, 1), scalar(I32), scalar(I32))
def nested_branches(out: Any, a: Any, b: Any) -> None:
    if a > b:
        value = a * 2
        if b == 3:
            value = value - 1
        elif b == 4:
            value = value + 1
    else:
        value = b if a < 0 else a
        for i in range(a, b):
            if i % 2 == 0:
                continue
            value += i
    ct.store(out, (0,), value)


@kernel(array(I32, 1), scalar(I32))
def early_return(x: Any, limit: Any) -> None:
    i = ct.bid(0)
    if i >= limit:
        return
    v = ct.load(x, (i,), (32,))
    if ct.max(v) == 0:
        ct.store(x, (i,), v + 1)
    else:
        ct.store(x, (i,), v - 1)


@kernel(array(I32, 1), scalar(I32), since="13.4")
def return_from_a_loop(x: Any, limit: Any) -> None:
    for i in range(limit):
        v = ct.load(x, (i,), (8,))
        if ct.max(v) > 100:
            ct.store(x, (i,), v * 0)
            return
    ct.store(x, (0,), ct.full((8,), 1, ct.int32))


@kernel(array(F32, 2), array(I32, 2))
def mandelbrot(bounds: Any, out: Any) -> None:
    i, j = ct.bid(0), ct.bid(1)
    step = ct.load(bounds, (0, 0), (1, 1)).item()
    real = (ct.arange(32, dtype=ct.int32) + j * 32).astype(ct.float32)[None, :] * step - 2.0
    imaginary = (ct.arange(32, dtype=ct.int32) + i * 32).astype(ct.float32)[:, None] * step - 1.0
    a = ct.zeros((32, 32), ct.float32)
    b = ct.zeros((32, 32), ct.float32)
    count = ct.zeros((32, 32), ct.int32)
    for _ in range(100):
        inside = a * a + b * b <= 4.0
        a, b = a * a - b * b + real, 2.0 * a * b + imaginary
        count += inside.astype(ct.int32)
        if not ct.max(inside.astype(ct.int32)):
            break
    ct.store(out, (i, j), count)


@kernel(array(I32, 2))
def bitonic_sort(x: Any) -> None:
    row = ct.bid(0)
    v = ct.load(x, (row, 0), (1, 16)).reshape((16,))
    position = ct.arange(16, dtype=ct.int32)
    for k in ct.static_iter((2, 4, 8, 16)):
        for j in ct.static_iter((8, 4, 2, 1)):
            if j < k:
                pairs = v.reshape((8 // j, 2, j))
                low = ct.extract(pairs, (0, 0, 0), (8 // j, 1, j))
                high = ct.extract(pairs, (0, 1, 0), (8 // j, 1, j))
                other = ct.cat((high, low), axis=1).reshape((16,))
                first = (position & j) == 0
                rising = (position & k) == 0
                v = ct.where(first == rising, ct.minimum(v, other), ct.maximum(v, other))
    ct.store(x, (row, 0), v.reshape((1, 16)))


@kernel(array(F32, 1), scalar(I64), scalar(I8))
def loops_over_integer_types(x: Any, wide: Any, small: Any) -> None:
    total = ct.zeros((4,), ct.float32)
    for i in range(wide):
        total += ct.astype(i, ct.float32)
    for i in range(0, small.astype(ct.int32), 3):
        for j in range(i, 10):
            total += ct.astype(i * j, ct.float32)
    ct.store(x, (0,), total)


# --- prints and assertions


@kernel(array(F32, 1), array(I32, 1))
def prints(x: Any, y: Any) -> None:
    i = ct.bid(0)
    v, n = ct.load(x, (i,), (4,)), ct.load(y, (i,), (4,))
    ct.printf("block %d: %f %5.2e 100%%\n", i, v, v)
    print(f"n={n} of block {i}", 'quote " backslash \\ tab \t', sep=" | ")
    ct.printf("é ∞ \x01 no arguments\n")


@kernel(array(I32, 1), scalar(I32))
def assertions(x: Any, limit: Any) -> None:
    i = ct.bid(0)
    v = ct.load(x, (i,), (16,))
    assert_all(v >= 0, "negative index")
    assert_all(limit > 0)
    if limit > 7:
        print("limit is large:", limit)
    ct.store(x, (i,), v % limit)


# --- parameters and the newest features


@kernel(
    _compilation.ListConstraint(
        array(F32, 2, alias_groups=("inputs",)), alias_groups=(), elements_may_alias=True
    ),
    array(F32, 2, alias_groups=("inputs",)),
)
def list_of_arrays(inputs: Any, out: Any) -> None:
    i = ct.bid(0)
    total = ct.zeros((8, 32), ct.float32)
    for k in range(len(inputs)):
        total += ct.load(inputs[k], (i, 0), (8, 32))
    ct.store(out, (i, 0), total)


@kernel((array(F32, 1), array(F32, 1)), (scalar(F32), 3), array(F32, 1))
def tuples(inputs: Any, factors: Any, out: Any) -> None:
    i = ct.bid(0)
    scale, power = factors
    v = ct.load(inputs[0], (i,), (64,)) * scale
    for _ in ct.static_iter(range(power)):
        v = v * ct.load(inputs[1], (i,), (64,))
    ct.store(out, (i,), v)


@kernel(
    array(F32, 2, shape_constant=(None, 512), stride_constant=(512, 1), stride_divisible_by=1),
    array(F32, 2),
)
def static_shape(x: Any, out: Any) -> None:
    i = ct.bid(0)
    total = ct.zeros((1, 128), ct.float32)
    for j in range(x.shape[1] // 128):
        total += ct.load(x, (i, j), (1, 128))
    ct.store(out, (i, 0), total)


@kernel(array(F32, 2), array(F32, 2), scalar(I32), scalar(I32))
def slices(x: Any, out: Any, start: Any, stop: Any) -> None:
    rows = ct.assume_divisible_by(start, 8)
    part = x.slice(0, rows, stop)
    for i in range(ct.num_tiles(part, 0, (8, 64))):
        ct.store(out, (i, 0), ct.load(part, (i, 0), (8, 64)))


@kernel(array(U8, 1), array(I32, 1), since="13.3")
def bytes_and_words(packed: Any, out: Any) -> None:
    i = ct.bid(0)
    raw = ct.load(packed, (i,), (64,))
    words = ct.unpack_from_bytes(raw, ct.int32)
    ct.store(out, (i,), words * 3)
    ct.store(packed, (i,), ct.pack_to_bytes(words + 1))


@kernel(array(F32, 2), array(F32, 2), since="13.3")
def overlapping_tiles(x: Any, out: Any) -> None:
    i, j = ct.bid(0), ct.bid(1)
    view = x.tiled_view((16, 16), traversal_steps=(8, 8), padding_mode=ct.PaddingMode.ZERO)
    total = view.load((i, j)) + view.load((i + 1, j + 1), latency=5, allow_tma=False)
    out.tiled_view((16, 16)).store((i, j), total)


@kernel(array(F32, 2), array(F32, 2), since="13.4")
def promised_bounds(x: Any, out: Any) -> None:
    i = ct.bid(0)
    v = ct.load(x, (i, 0), (16, 64), check_bounds=False)
    part = ct.extract(v, (1, 0), (4, 64))
    v = ct.insert(v, (0, 0), part * 2.0)
    ct.store(out, (i, 0), v, check_bounds=False)


@kernel(array(F32, 1), array(F32, 1), since="13.4")
def dependent_launch(x: Any, out: Any) -> None:
    i = ct.bid(0)
    ct.grid_dependency_control_wait()
    v = ct.load(x, (i,), (256,))
    ct.grid_dependency_control_launch_dependents()
    ct.store(out, (i,), v + 1.0)


@kernel(array(F32, 1), array(I32, 1), since="13.4")
def integer_powers(x: Any, exponents: Any) -> None:
    i = ct.bid(0)
    v, n = ct.load(x, (i,), (64,)), ct.load(exponents, (i,), (64,))
    ct.store(x, (i,), v**n + v**3)
