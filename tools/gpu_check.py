"""Checks a machine with an NVIDIA GPU: examples, device facts, times. Takes under three minutes.

    python tools/gpu_check.py [--output device-facts.json] [--table] [--only facts]

* Every example runs through the GPU and the interpreter, and the results are compared.
* Device facts: what static evidence leaves open, each a tiny kernel with a yes or no.
* Times of softmax, layer norm, matmul and attention, with and without TMA, by device events,
  medians of 20, beside a plain copy of the same bytes.

Needs what `pip install 'tileir-xdsl[gpu,tileiras]'` installs. Exits 0 when all examples match, 1
when one does not, 3 without a device. `--engine interpreter` asks the interpreter the same
questions: what it assumes.
"""

from __future__ import annotations

import argparse
import importlib.util
import json
import statistics
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

import tileir_xdsl
from tileir_xdsl.diagnostics import DiagnosticError
from tileir_xdsl.runtime.engines import GpuEngine, Interpreter
from tileir_xdsl.runtime.gpu import Gpu, GpuError, NoDevice
from tileir_xdsl.runtime.handlers import Comparison
from tileir_xdsl.runtime.kernel import Kernel
from tileir_xdsl.runtime.launch import Engine, prepare

ROOT = Path(__file__).parents[1]
EXIT_MISMATCH, EXIT_NO_DEVICE = 1, 3
SECTIONS = ("examples", "facts", "times")
BUDGET = 170.0
"""Seconds after which nothing new is started."""
ROUNDS = 20
WARM_UP = 3
FACT_SECONDS = 60

Array = npt.NDArray[Any]


# --- facts


@dataclass(frozen=True)
class Fact:
    """A question to a device."""

    id: str
    question: str
    kernel: str
    inputs: tuple[Array, ...]
    output: Array
    """What the array for the results holds before the launch."""
    answer: Callable[[Array], bool | None]
    """The answer from the results; None when they fit neither."""
    expected: bool | None
    """What static evidence says, None where it says nothing."""
    evidence: str
    dangerous: bool = False
    """Whether the kernel may fail, and with it the process's use of the device."""


@dataclass
class Answer:
    id: str
    question: str
    answer: bool | None
    expected: bool | None
    seen: str
    evidence: str


GENERATED = "code that tileiras 13.5.37 generates for sm_90"
DOCUMENTED = "NVIDIA's documentation"
REPORTED = "measured by others on sm_86"
UNKNOWN = "none"


def text_of(inputs: Sequence[tuple[str, str]], body: str, result: tuple[str, str]) -> str:
    """A kernel that loads `%in0`, `%in1`, … of some shapes and elements, runs `body`, and stores
    `%out`. Shapes are two extents, as in `1x128`."""
    lines: list[str] = []
    parameters: list[str] = []
    for k, (shape, element) in enumerate(inputs):
        parameters.append(f"%p{k}: tile<ptr<{element}>>")
        view, partition = _views(shape, element)
        lines += [
            f"%v{k} = make_tensor_view %p{k}, {_extents(shape)} : {view}",
            f"%t{k} = make_partition_view %v{k} : {partition}",
            f"%in{k}, %r{k} = load_view_tko weak %t{k}[%zero, %zero] : {partition}, tile<i32> "
            f"-> tile<{shape}x{element}>, token",
        ]
    shape, element = result
    view, partition = _views(shape, element)
    parameters.append(f"%q: tile<ptr<{element}>>")
    lines += [
        body,
        f"%w = make_tensor_view %q, {_extents(shape)} : {view}",
        f"%u = make_partition_view %w : {partition}",
        f"%done = store_view_tko weak %out, %u[%zero, %zero] : tile<{shape}x{element}>, "
        f"{partition}, tile<i32> -> token",
    ]
    joined = "\n".join(lines)
    return (
        f"cuda_tile.module @fact {{ entry @fact({', '.join(parameters)}) {{\n"
        f"%zero = constant <i32: 0> : tile<i32>\n{joined}\nreturn }} }}"
    )


def _extents(shape: str) -> str:
    rows, columns = shape.split("x")
    return f"shape = [{rows}, {columns}], strides = [{columns}, 1]"


def _views(shape: str, element: str) -> tuple[str, str]:
    columns = shape.split("x")[1]
    view = f"tensor_view<{shape}x{element}, strides=[{columns},1]>"
    return view, f"partition_view<tile=({shape}), {view}>"


def fold(kind: str, shape: str, element: str, identity: str, combined: str) -> str:
    """A reduce or scan of `%in0` along its columns; `combined` is its region."""
    rows = shape.split("x")[0]
    region = f"(%first: tile<{element}>, %second: tile<{element}>) {{ {combined} }}"
    operand, identities = f"tile<{shape}x{element}>", f"identities=[{identity} : {element}]"
    if kind == "scan":
        return (
            f"%out = scan %in0 dim=1 reverse=false {identities} : {operand} -> {operand}\n{region}"
        )
    result = f"tile<{rows}x{element}>"
    return (
        f"%s = reduce %in0 dim=1 {identities} : {operand} -> {result}\n{region}\n"
        f"%out = reshape %s : {result} -> tile<{rows}x1x{element}>"
    )


def numbers(*values: float, dtype: Any = np.float32) -> Array:
    return np.asarray([values], dtype)


def is_value(value: float, other: float) -> Callable[[Array], bool | None]:
    """Yes when all results are one number, no when all are the other."""

    def answer(results: Array) -> bool | None:
        if np.all(results == value):
            return True
        return False if np.all(results == other) else None

    return answer


def equal_bits(expected: Array) -> Callable[[Array], bool | None]:
    return lambda results: results.tobytes() == expected.tobytes()


def bits32(*values: int) -> Array:
    return np.asarray([values], np.uint32).view(np.float32)


def facts() -> list[Fact]:
    """All questions."""
    return [
        *_fold_facts(),
        *_identity_facts(),
        *_conversion_facts(),
        *_view_facts(),
        *_arithmetic_facts(),
        *_memory_facts(),
    ]


def _fold_facts() -> list[Fact]:
    first = "yield %first : tile<i32>"
    second = "yield %second : tile<i32>"
    two = numbers(3, 7, dtype=np.int32)
    eight = np.arange(10, 18, dtype=np.int32).reshape(1, 8)
    mixed = (
        "%three = constant <i32: 3> : tile<i32> %m = muli %first, %three : tile<i32> "
        "%c = addi %m, %second : tile<i32> yield %c : tile<i32>"
    )
    row = np.arange(1, 129, dtype=np.int32).reshape(1, 128)
    return [
        Fact(
            "reduce_accumulator_first",
            "Is the first argument of a reduce region the accumulator?",
            text_of([("1x2", "i32")], fold("reduce", "1x2", "i32", "0", first), ("1x1", "i32")),
            (two,),
            np.zeros((1, 1), np.int32),
            is_value(3, 7),
            True,
            GENERATED,
        ),
        Fact(
            "scan_accumulator_first",
            "Is the first argument of a scan region the accumulator?",
            text_of([("1x8", "i32")], fold("scan", "1x8", "i32", "0", second), ("1x8", "i32")),
            (eight,),
            np.zeros((1, 8), np.int32),
            equal_bits(eight),
            True,
            GENERATED,
        ),
        Fact(
            "reduce_is_the_interpreters_tree",
            "Does a non-commutative reduce of 128 combine as the interpreter's tree does?",
            text_of([("1x128", "i32")], fold("reduce", "1x128", "i32", "0", mixed), ("1x1", "i32")),
            (row,),
            np.zeros((1, 1), np.int32),
            lambda results: bool(results[0, 0] == _tree_of(row[0])),
            None,
            UNKNOWN,
        ),
        Fact(
            "scan_is_left_to_right",
            "Does a non-commutative scan of 128 combine from left to right?",
            text_of([("1x128", "i32")], fold("scan", "1x128", "i32", "0", mixed), ("1x128", "i32")),
            (row,),
            np.zeros((1, 128), np.int32),
            lambda results: results[0].tolist() == _sequence_of(row[0]),
            None,
            UNKNOWN,
        ),
    ]


def _combined(first: int, second: int) -> int:
    return (3 * first + second + (1 << 31)) % (1 << 32) - (1 << 31)


def _tree_of(row: Array) -> int:
    values = [int(value) for value in row]
    while len(values) > 1:
        values = [_combined(a, b) for a, b in zip(values[::2], values[1::2], strict=True)]
    return values[0]


def _sequence_of(row: Array) -> list[int]:
    values: list[int] = []
    for value in row:
        values.append(_combined(values[-1], int(value)) if values else int(value))
    return values


def _identity_facts() -> list[Fact]:
    add = "%c = addf %first, %second : tile<f32> yield %c : tile<f32>"
    subtract = "%c = subf %first, %second : tile<f32> yield %c : tile<f32>"
    largest = "%c = maxf %first, %second : tile<f32> yield %c : tile<f32>"
    found: list[Fact] = []
    for shape, enters in (("8x128", False), ("1x128", None), ("1x256", True), ("1x1024", None)):
        rows, columns = map(int, shape.split("x"))
        text = text_of(
            [(shape, "f32")], fold("reduce", shape, "f32", "1.0", add), (f"{rows}x1", "f32")
        )
        found.append(
            Fact(
                f"identity_enters_reduce_{shape}",
                f"Does the identity of a reduce of {shape} enter the result?",
                text,
                (np.zeros((rows, columns), np.float32),),
                np.zeros((rows, 1), np.float32),
                lambda results: bool(np.all(results != 0)),
                enters,
                GENERATED if enters is not None else UNKNOWN,
            )
        )
        text = text_of(
            [(shape, "f32")],
            fold("reduce", shape, "f32", "0xFF800000", largest),
            (f"{rows}x1", "f32"),
        )
        found.append(
            Fact(
                f"maximum_of_nan_{shape}",
                f"Is the maximum of {shape} NaNs, with the identity -inf, a NaN?",
                text,
                (np.full((rows, columns), np.nan, np.float32),),
                np.zeros((rows, 1), np.float32),
                lambda results: bool(np.all(np.isnan(results))),
                None if enters is None else not enters,
                GENERATED if enters is not None else UNKNOWN,
            )
        )
    for columns in (128, 1024):
        shape = f"1x{columns}"
        text = text_of(
            [(shape, "f32")], fold("scan", shape, "f32", "0.0", subtract), (shape, "f32")
        )
        row = np.full((1, columns), 5, np.float32)
        found.append(
            Fact(
                f"scan_keeps_the_first_{columns}",
                f"Is the first result of a scan of {columns}, whose identity is one from the right "
                "only, the first element?",
                text,
                (row,),
                np.zeros_like(row),
                lambda results: {5.0: True, -5.0: False}.get(float(results[0, 0])),
                None,
                UNKNOWN,
            )
        )
    return found


def _conversion_facts() -> list[Fact]:
    values = numbers(1e6, -1e6, np.inf, -np.inf)
    found: list[Fact] = []
    for element, largest in (("f8E4M3FN", 0x7E), ("f8E5M2", 0x7B)):
        body = (
            f"%f = ftof %in0 : tile<1x4xf32> -> tile<1x4x{element}> "
            f"%out = bitcast %f : tile<1x4x{element}> -> tile<1x4xi8>"
        )
        found.append(
            Fact(
                f"{element}_saturates",
                f"Do numbers beyond the range of {element} become its largest ones?",
                text_of([("1x4", "f32")], body, ("1x4", "i8")),
                (values,),
                np.zeros((1, 4), np.int8),
                equal_bits(np.asarray([[largest, largest | 0x80] * 2], np.uint8)),
                True,
                GENERATED,
            )
        )
    return found


def _view_facts() -> list[Fact]:
    view = "tensor_view<1x100xf32, strides=[100,1]>"

    def load(padding: str, index: str) -> str:
        partition = f"partition_view<tile=(1x128), {padding}{view}>"
        body = (
            f"%i = constant <i32: {index}> : tile<i32> "
            f"%view = make_tensor_view %p0, shape = [1, 100], strides = [100, 1] : {view} "
            f"%tiles = make_partition_view %view : {partition} "
            f"%out, %read = load_view_tko weak %tiles[%zero, %i] : {partition}, tile<i32> "
            "-> tile<1x128xf32>, token"
        )
        return text_of([("1x128", "f32")], body, ("1x128", "f32"))

    data = np.full((1, 128), 9, np.float32)
    empty = np.full((1, 128), 5, np.float32)
    return [
        Fact(
            "view_outside_reads_padding",
            "Does a view index outside the index space, which is undefined, read padding?",
            load("padding_value = zero, ", "3"),
            (data,),
            empty,
            lambda results: bool(np.all(results == 0)),
            None,
            UNKNOWN,
            dangerous=True,
        ),
        Fact(
            "unspecified_padding_is_zero",
            "Are lanes past the end of a view without padding, which are unspecified, zero?",
            load("", "0"),
            (data,),
            empty,
            lambda results: bool(np.all(results[0, 100:] == 0)),
            None,
            UNKNOWN,
        ),
    ]


def _arithmetic_facts() -> list[Fact]:
    from tileir_xdsl.numerics.floating import fpowi
    from tileir_xdsl.numerics.formats import F32, I32

    zero, minus = 0x00000000, 0x80000000
    base = np.asarray([[1.1, 3.7, -2.3, 0.3, 1.0001, -1.7, 7.9, 0.91]], np.float32)
    power = np.asarray([[7, -3, 5, 11, 1000, -9, 0, -30]], np.int32)
    powered = np.asarray(fpowi(base, power, F32, I32), np.float32)
    maximum = "%out = maxf %in0, %in1 : tile<1x2xf32>"
    minimum = "%out = minf %in0, %in1 : tile<1x2xf32>"
    products = np.ones((16, 16), np.float16)
    products[0] = [4096, *[1] * 14, -4096]
    columns = np.ones((16, 16), np.float16)
    columns[0] = columns[15] = 4096
    mma = (
        "%c = constant <f32: 0.0> : tile<16x16xf32> "
        "%out = mmaf %in0, %in1, %c : tile<16x16xf16>, tile<16x16xf16>, tile<16x16xf32>"
    )
    return [
        Fact(
            "maximum_of_zeros_is_positive",
            "Is max(+0, -0) = max(-0, +0) = +0?",
            text_of([("1x2", "f32")] * 2, maximum, ("1x2", "f32")),
            (bits32(zero, minus), bits32(minus, zero)),
            np.ones((1, 2), np.float32),
            equal_bits(bits32(zero, zero)),
            True,
            DOCUMENTED,
        ),
        Fact(
            "minimum_of_zeros_is_negative",
            "Is min(+0, -0) = min(-0, +0) = -0?",
            text_of([("1x2", "f32")] * 2, minimum, ("1x2", "f32")),
            (bits32(zero, minus), bits32(minus, zero)),
            np.ones((1, 2), np.float32),
            equal_bits(bits32(minus, minus)),
            True,
            DOCUMENTED,
        ),
        Fact(
            "fpowi_is_binary_exponentiation",
            "Has fpowi the bits of right-to-left binary exponentiation and a reciprocal?",
            text_of(
                [("1x8", "f32"), ("1x8", "i32")],
                "%out = fpowi %in0, %in1 : tile<1x8xf32>, tile<1x8xi32>",
                ("1x8", "f32"),
            ),
            (base, power),
            np.zeros((1, 8), np.float32),
            equal_bits(powered),
            True,
            GENERATED,
        ),
        Fact(
            "atan2_takes_the_numerator_first",
            "Is atan2(1, 2) the angle of the point (x, y) = (2, 1)?",
            text_of(
                [("1x2", "f32")] * 2, "%out = atan2 %in0, %in1 : tile<1x2xf32>", ("1x2", "f32")
            ),
            (numbers(1, 1), numbers(2, 2)),
            np.zeros((1, 2), np.float32),
            lambda results: bool(np.all(np.abs(results - np.arctan2(1, 2)) < 1e-5)),
            True,
            REPORTED,
        ),
        Fact(
            "mmaf_sums_exactly",
            "Is 2^24 + 14 * 1 - 2^24, summed by mmaf over K = 16, 14 (0 when each step rounds)?",
            text_of([("16x16", "f16")] * 2, mma, ("16x16", "f32")),
            (products, columns),
            np.zeros((16, 16), np.float32),
            lambda results: bool(results[0, 0] == 14),
            None,
            UNKNOWN,
        ),
    ]


def _memory_facts() -> list[Fact]:
    smallest = bits32(0x00001000)
    text = """
cuda_tile.module @fact {
  entry @fact(%p0: tile<ptr<f32>>, %q: tile<ptr<f32>>) {
    %v, %t = load_ptr_tko weak %p0 : tile<ptr<f32>> -> tile<f32>, token
    %old, %u = atomic_rmw_tko relaxed device %q, addf, %v
      : tile<ptr<f32>>, tile<f32> -> tile<f32>, token
    return
  }
}
"""
    return [
        Fact(
            "atomic_add_keeps_subnormals",
            "Does an atomic f32 addition of a subnormal number to 0 keep it?",
            text,
            (smallest,),
            np.zeros((1, 1), np.float32),
            lambda results: bool(results.view(np.uint32)[0, 0] == 0x00001000),
            None,
            UNKNOWN,
        ),
    ]


def ask(fact: Fact, engine: Engine) -> Answer:
    """Run the kernel of a fact."""
    results = fact.output.copy()
    try:
        tileir_xdsl.launch(fact.kernel, 1, [*fact.inputs, results], engine=engine)
    except DiagnosticError as error:
        return _answer(fact, None, f"error: {error.diagnostics[0].message}")
    return _answer(fact, fact.answer(results), _shown(results))


def _answer(fact: Fact, answer: bool | None, seen: str) -> Answer:
    return Answer(fact.id, fact.question, answer, fact.expected, seen, fact.evidence)


def _shown(results: Array) -> str:
    flat = results.reshape(-1)
    shown = ", ".join(f"{value:.9g}" for value in flat[:8].tolist())
    return f"{shown}, …" if flat.size > 8 else shown


def ask_in_a_process(fact: Fact, device: int) -> Answer:
    """Run a fact's kernel where its failure does no harm."""
    command = [sys.executable, __file__, "--fact", fact.id, "--device", str(device)]
    try:
        completed = subprocess.run(
            command, capture_output=True, encoding="utf-8", timeout=FACT_SECONDS, check=False
        )
    except subprocess.TimeoutExpired:
        return _answer(fact, None, f"error: no answer within {FACT_SECONDS} s")
    if completed.returncode != 0:
        last = (completed.stderr.strip().splitlines() or ["no message"])[-1]
        return _answer(fact, None, f"error: {last}")
    return Answer(**json.loads(completed.stdout))


# --- examples


def example_launches() -> dict[str, Callable[[], Any]]:
    """The launches in `examples/launches.py`."""
    path = ROOT / "examples" / "launches.py"
    spec = importlib.util.spec_from_file_location("example_launches", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module.EXAMPLES


def check_example(make: Callable[[], Any], engine: Engine) -> dict[str, Any]:
    """Run an example through an engine and the interpreter."""
    example = make()
    try:
        with Comparison(check=False) as comparison:
            tileir_xdsl.launch(example.path, example.grid, example.arguments, engine=engine)
    except DiagnosticError as error:
        return {"match": False, "error": error.diagnostics[0].message}
    differences = [str(difference) for difference in comparison.differences]
    wrong: list[str] = example.wrong()
    return {"match": not differences and not wrong, "differences": differences, "wrong": wrong}


# --- times


@dataclass(frozen=True)
class Timed:
    """A launch to measure."""

    name: str
    path: Path
    grid: tuple[int, ...]
    arguments: dict[str, Any]


def timed_launches() -> list[Timed]:
    folder = ROOT / "examples" / "cuda_tile"
    random = np.random.default_rng(0)

    def normal(*shape: int, dtype: Any = np.float32) -> Array:
        return random.standard_normal(shape, np.float32).astype(dtype)

    rows, size, length = 8192, 2048, 4096
    x, y = normal(rows, 1024), np.zeros((rows, 1024), np.float32)
    a, b = (normal(size, size, dtype=np.float16) for _ in range(2))
    q, k, v = (normal(length, 64, dtype=np.float16) for _ in range(3))
    heads = {"q": q, "k": k, "v": v, "o": np.zeros_like(q), "queries": length, "keys": length}
    weights = {"g": normal(1024), "b": normal(1024)}
    return [
        Timed("softmax", folder / "softmax.mlir", (2048,), {"x": x, "y": y, "rows": rows}),
        Timed(
            "layer_norm",
            folder / "layer_norm.mlir",
            (rows // 4,),
            {"x": x, **weights, "y": y, "rows": rows, "eps": 1e-5},
        ),
        Timed(
            "matmul",
            folder / "matmul.mlir",
            (size // 128, size // 128),
            {
                "a": a,
                "b": b,
                "c": np.zeros((size, size), np.float32),
                **dict.fromkeys("mnk", size),
            },
        ),
        Timed("attention", folder / "attention.mlir", (length // 64,), {**heads, "scale": 0.18}),
    ]


def without_tma(kernel: Kernel, architecture: str) -> Kernel:
    """The kernel with a hint against TMA on every access to a view."""
    from xdsl.dialects.builtin import BoolAttr

    from tileir_xdsl.dialects.cuda_tile.attributes import OptimizationHintsAttr
    from tileir_xdsl.dialects.cuda_tile.views import LoadViewTkoOp, StoreViewTkoOp

    module = kernel.program.clone()
    hints = OptimizationHintsAttr.get({architecture: {"allow_tma": BoolAttr.from_bool(False)}})
    for op in module.walk():
        if isinstance(op, LoadViewTkoOp | StoreViewTkoOp):
            op.optimization_hints = hints
    return Kernel(module, kernel.name)


def measure(gpu: Gpu, engine: GpuEngine, timed: Timed) -> dict[str, Any]:
    """Median times of a launch, of the same without TMA, and of a copy of the same bytes."""
    kernel = Kernel(timed.path)
    launch = prepare(kernel, timed.grid, timed.arguments)
    arguments = launch.arguments
    offsets = [slot.offset for slot in arguments.abi.slots]
    size = sum(region.memory.size for region in arguments.regions)
    found: dict[str, Any] = {"name": timed.name, "grid": launch.grid, "bytes": size}
    with gpu.current():
        bases = [gpu.allocate(region.memory.size) for region in arguments.regions]
        for region, base in zip(arguments.regions, bases, strict=True):
            gpu.upload(base, region.memory.ctypes.data, region.memory.size)
        packed = arguments.pack(arguments.addresses(bases))
        variants = {
            "median_us": kernel,
            "median_without_tma_us": without_tma(kernel, gpu.architecture),
        }
        for key, variant in variants.items():
            loaded = engine.load(gpu, variant)
            seconds = _rounds(gpu, lambda: gpu.launch(loaded, launch.grid, packed, offsets))
            found[key] = round(statistics.median(seconds) * 1e6, 2)
        # A copy reads and writes: half of the bytes make the same traffic.
        half = size // 2
        source, target = gpu.allocate(half), gpu.allocate(half)
        seconds = _rounds(gpu, lambda: gpu.copy(target, source, half))
        found["copy_us"] = round(statistics.median(seconds) * 1e6, 2)
        for base in (*bases, source, target):
            gpu.free(base)
    return found


def _rounds(gpu: Gpu, action: Callable[[], None]) -> list[float]:
    """Seconds of each of `ROUNDS` runs, by device events."""
    for _ in range(WARM_UP):
        action()
    seconds: list[float] = []
    for _ in range(ROUNDS):
        first, last = gpu.event(), gpu.event()
        gpu.record(first)
        action()
        gpu.record(last)
        gpu.synchronize()
        seconds.append(gpu.seconds_between(first, last))
        gpu.destroy(first, last)
    return seconds


# --- the whole


class Budget:
    """Time that is left, and what was left out for the lack of it."""

    def __init__(self, seconds: float) -> None:
        self.start = time.monotonic()
        self.end = self.start + seconds
        self.skipped: list[str] = []

    def allows(self, what: str) -> bool:
        if time.monotonic() < self.end:
            return True
        self.skipped.append(what)
        return False


def run(options: argparse.Namespace, gpu: Gpu | None) -> dict[str, Any]:
    """Run the sections; answers what goes into the JSON file."""
    budget = Budget(options.budget)
    gpu_engine = GpuEngine(options.device, image=options.image)
    engine: Engine = Interpreter(checked=False) if gpu is None else gpu_engine
    report: dict[str, Any] = {"device": describe(gpu), "version": tileir_xdsl.__version__}
    sections: Sequence[str] = options.only or SECTIONS
    if "facts" in sections:
        answers: list[dict[str, Any]] = []
        for fact in facts():
            if not budget.allows(f"fact {fact.id}"):
                continue
            apart = fact.dangerous and gpu is not None
            answer = ask_in_a_process(fact, options.device) if apart else ask(fact, engine)
            answers.append(asdict(answer))
            print(f"{_word(answer.answer):8} {fact.question}", flush=True)
        report["facts"] = answers
    if "examples" in sections:
        report["examples"] = {}
        for name, make in example_launches().items():
            if not budget.allows(f"example {name}"):
                continue
            outcome = check_example(make, engine)
            report["examples"][name] = outcome
            print(f"{'match' if outcome['match'] else 'MISMATCH':8} {name}", flush=True)
    if "times" in sections and gpu is not None:
        times: list[dict[str, Any]] = []
        report["times"] = times
        for timed in timed_launches():
            if not budget.allows(f"time of {timed.name}"):
                continue
            try:
                times.append(measure(gpu, gpu_engine, timed))
            except (DiagnosticError, GpuError) as error:
                times.append({"name": timed.name, "error": str(error)})
            print(f"{'error' if 'error' in times[-1] else 'timed':8} {timed.name}", flush=True)
    report["skipped"] = budget.skipped
    report["seconds"] = round(time.monotonic() - budget.start, 1)
    return report


def describe(gpu: Gpu | None) -> dict[str, Any] | None:
    if gpu is None:
        return None
    from tileir_xdsl.runtime.tileiras import find_tileiras, tool_version

    try:
        assembler = f"tileiras {tool_version(find_tileiras())}"
    except DiagnosticError:
        assembler = "no tileiras"
    return {
        "name": gpu.name,
        "architecture": gpu.architecture,
        "driver": f"driver of CUDA {gpu.driver_version()}",
        "tileiras": assembler,
    }


def _word(answer: bool | None) -> str:
    return {True: "yes", False: "no", None: "open"}[answer]


def table(report: dict[str, Any]) -> str:
    """The report as Markdown."""
    device = report["device"] or {"name": "the interpreter"}
    lines = [f"Device: {', '.join(str(value) for value in device.values())}.", ""]
    if "facts" in report:
        lines += ["| question | answer | expected | seen |", "| --- | --- | --- | --- |"]
        lines += [
            f"| {fact['question']} | {_word(fact['answer'])} | {_word(fact['expected'])} "
            f"| {fact['seen']} |"
            for fact in report["facts"]
        ]
    if report.get("times"):
        lines += ["", "| kernel | median | without TMA | copy of the bytes |"]
        lines += ["| --- | --- | --- | --- |"]
        lines += [
            f"| {one['name']} | {one['median_us']} us | {one['median_without_tma_us']} us "
            f"| {one['copy_us']} us |"
            for one in report["times"]
            if "error" not in one
        ]
    return "\n".join(lines)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        description=(__doc__ or "").split("\n\n")[0],
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--output", default="device-facts.json", metavar="FILE", help="JSON file")
    parser.add_argument("--only", action="append", choices=SECTIONS, help="run only a section")
    parser.add_argument("--engine", choices=("gpu", "interpreter"), default="gpu")
    parser.add_argument("--device", type=int, default=0, metavar="N", help="ordinal of the GPU")
    parser.add_argument("--image", choices=("cubin", "bytecode"), default="cubin")
    parser.add_argument(
        "--budget", type=float, default=BUDGET, metavar="S", help="start nothing after S seconds"
    )
    parser.add_argument("--table", action="store_true", help="print the results as Markdown too")
    parser.add_argument("--fact", metavar="ID", help=argparse.SUPPRESS)
    return parser


def main(arguments: Sequence[str] | None = None) -> int:
    options = _parser().parse_args(arguments)
    if options.fact:
        (fact,) = (fact for fact in facts() if fact.id == options.fact)
        print(json.dumps(asdict(ask(fact, GpuEngine(options.device, image=options.image)))))
        return 0
    gpu = None
    if options.engine == "gpu":
        try:
            gpu = Gpu(options.device)
        except NoDevice as error:
            print(f"no device: {error}", file=sys.stderr)
            return EXIT_NO_DEVICE
    report = run(options, gpu)
    Path(options.output).write_text(json.dumps(report, indent=2) + "\n", encoding="utf-8")
    print(f"wrote {options.output} after {report['seconds']} s")
    if options.table:
        print(table(report))
    failed = [name for name, one in report.get("examples", {}).items() if not one["match"]]
    return EXIT_MISMATCH if failed else 0


if __name__ == "__main__":
    sys.exit(main())
