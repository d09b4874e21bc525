"""Launching: kernels from every source, arrays of every library, grids, engines, handlers."""

from pathlib import Path
from typing import Any

import ml_dtypes
import numpy as np
import pytest
from support import fake_driver
from support.examples import CUDA_TILE_NAMES, NAMES, example
from support.foreign_arrays import CudaArray, DlpackArray, MadeDlpackArray, host_address
from support.nvidia import tileiras

import tileir_xdsl
from tileir_xdsl.diagnostics import DiagnosticError
from tileir_xdsl.interpreter import UndefinedBehaviour
from tileir_xdsl.runtime.engines import Interpreter
from tileir_xdsl.runtime.handlers import ByteCounter, Comparison, DryRun, Recorder, Timer
from tileir_xdsl.runtime.launch import Engine, Handler, Launch, Proceed, Result

BFLOAT16 = 4
"""DLPack's code of the type."""

ADD = """
cuda_tile.module @m {
  entry @add_one(%x: tile<ptr<f32>>, %step: tile<f32>) {
    %block, %y, %z = get_tile_block_id : tile<i32>
    %p = offset %x, %block : tile<ptr<f32>>, tile<i32> -> tile<ptr<f32>>
    %old, %t = load_ptr_tko weak %p : tile<ptr<f32>> -> tile<f32>, token
    %new = addf %old, %step : tile<f32>
    %u = store_ptr_tko weak %p, %new token = %t : tile<ptr<f32>>, tile<f32> -> token
    return
  }
}
"""

SUGAR = """
tile_sugar.kernel @double(%X: tensor<?x?xf32, strides=[?, 1]> {multiple = [4, 0]},
                          %Y: tensor<?x?xf32>)
    grid(ceildiv(dim %X 0, 4), ceildiv(dim %X 1, 32)) {
  %b = block_id 0
  %c4 = arith.constant 4 : i32
  %r = arith.muli %b, %c4 : i32
  %d = block_id 1
  %c32 = arith.constant 32 : i32
  %c = arith.muli %d, %c32 : i32
  %x = load %X[%r, %c] : tensor<?x?xf32, strides=[?, 1]> -> tile<4x32xf32>
  %y = add %x, %x : tile<4x32xf32>
  store %y, %Y[%r, %c] : tile<4x32xf32>, tensor<?x?xf32>
  return
}
"""


def zeros(count: int = 4) -> Any:
    return np.zeros(count, np.float32)


# --- examples


@pytest.mark.parametrize("name", NAMES)
def test_examples_from_numpy(name: str):
    case = example(name)
    result = tileir_xdsl.launch(case.path, case.grid, case.arguments)
    assert case.wrong() == []
    assert result.engine == "interpreter"
    assert result.report is not None
    assert result.report.blocks == np.prod(result.grid)


@pytest.mark.parametrize("name", NAMES)
def test_examples_through_dlpack(name: str):
    case = example(name)
    arguments: dict[str, Any] = case.arguments
    wrapped = {
        key: _through_dlpack(value) if hasattr(value, "shape") else value
        for key, value in arguments.items()
    }
    tileir_xdsl.launch(case.path, case.grid, wrapped)
    assert case.wrong() == []


def _through_dlpack(array: Any) -> Any:
    if array.dtype != ml_dtypes.bfloat16:
        return DlpackArray(array)
    # NumPy itself does not hand out its memory.
    return MadeDlpackArray(host_address(array), array.shape, BFLOAT16, 16)


@pytest.mark.parametrize("name", NAMES)
def test_examples_from_pytorch(name: str):
    torch = pytest.importorskip("torch", reason="PyTorch is not installed")
    case = example(name)
    tensors = {
        key: _tensor(torch, value) if isinstance(value, np.ndarray) else value
        for key, value in case.arguments.items()
    }
    tileir_xdsl.launch(case.path, case.grid, tensors)
    assert case.wrong() == []


def _tensor(torch: Any, array: Any) -> Any:
    """A tensor over the memory of an array."""
    if array.dtype == ml_dtypes.bfloat16:
        return torch.from_numpy(array.view(np.int16)).view(torch.bfloat16)
    return torch.from_numpy(array)


def test_bfloat16_from_pytorch():
    torch = pytest.importorskip("torch", reason="PyTorch is not installed")
    text = ADD.replace("f32", "bf16")
    x = torch.zeros(4, dtype=torch.bfloat16)
    tileir_xdsl.launch(text, 4, [x, 1.5])
    assert x.tolist() == [1.5] * 4


def test_jax_arrays_can_be_read_but_not_written():
    jax = pytest.importorskip("jax", reason="JAX is not installed")
    x = jax.numpy.zeros((4, 8))
    y = np.ones((4, 8), np.float32)
    tileir_xdsl.launch(SUGAR, args=[x, y])
    assert y.sum() == 0
    with pytest.raises(DiagnosticError, match="'Y' is a read-only array, but @double writes it"):
        tileir_xdsl.launch(SUGAR, args=[y, x])


# --- kernels


def test_every_source(tmp_path: Path):
    module = tileir_xdsl.parse(ADD)
    text, bytecode = tmp_path / "kernel.mlir", tmp_path / "kernel.tileirbc"
    text.write_text(ADD)
    bytecode.write_bytes(tileir_xdsl.encode(module))
    sources = [ADD, module, text, bytecode, bytecode.read_bytes(), tileir_xdsl.Kernel(ADD)]
    for source in sources:
        x = zeros()
        tileir_xdsl.launch(source, 4, [x, 2.0])
        assert x.tolist() == [2.0] * 4


def test_kernels_that_are_none(tmp_path: Path):
    with pytest.raises(
        DiagnosticError, match=r"missing\.mlir: error: cannot read the file: no such"
    ):
        tileir_xdsl.Kernel(tmp_path / "missing.mlir")
    with pytest.raises(DiagnosticError, match=r"k.mlir:1:1: error"):
        tileir_xdsl.Kernel("nonsense", file="k.mlir")
    with pytest.raises(DiagnosticError, match="not int"):
        tileir_xdsl.Kernel(3)
    with pytest.raises(DiagnosticError, match=r"pass pathlib.Path\('kernel.mlir'\)"):
        tileir_xdsl.Kernel("kernel.mlir")
    with pytest.raises(DiagnosticError, match=r"not cuda_tile.module"):
        tileir_xdsl.Kernel(tileir_xdsl.parse(ADD).body.block.first_op)
    invalid = ADD.replace("addf %old, %step : tile<f32>", "addf %old, %step : tile<i32>")
    with pytest.raises(DiagnosticError):
        tileir_xdsl.Kernel(invalid)
    with pytest.raises(DiagnosticError, match="no kernel @other; there is @add_one"):
        tileir_xdsl.Kernel(ADD, "other")


def test_a_cubin_states_its_parameters():
    tileiras()
    cubin = tileir_xdsl.compile(tileir_xdsl.parse(ADD), "sm_90")
    kernel = tileir_xdsl.Kernel(cubin, parameters="x: ptr<f32>, step: f32")
    assert (kernel.name, kernel.abi.names, kernel.written) == ("add_one", ("x", "step"), None)
    same = tileir_xdsl.Kernel(cubin, "add_one", parameters=tileir_xdsl.abi(tileir_xdsl.parse(ADD)))
    assert same.abi.parameters == tileir_xdsl.abi(tileir_xdsl.parse(ADD)).parameters
    with pytest.raises(DiagnosticError, match="does not say what its parameters are"):
        tileir_xdsl.Kernel(cubin)
    with pytest.raises(DiagnosticError, match="of 8, 4 bytes, but those stated have 8, 8"):
        tileir_xdsl.Kernel(cubin, parameters="ptr<f32>, ptr<f32>")
    with pytest.raises(DiagnosticError, match="parameter 'f33' is none: expected"):
        tileir_xdsl.Kernel(cubin, parameters="ptr<f32>, f33")
    with pytest.raises(DiagnosticError, match="no kernel @other"):
        tileir_xdsl.Kernel(cubin, "other", parameters="")
    with pytest.raises(DiagnosticError, match="a cubin cannot be read back"):
        tileir_xdsl.launch(kernel, 4, [zeros(), 1.0])
    with pytest.raises(DiagnosticError, match="not a cubin"):
        tileir_xdsl.Kernel(cubin[:100], parameters="")


def test_sugar_kernels_say_their_grid():
    x = np.random.default_rng(0).standard_normal((8, 70)).astype(np.float32)
    y = np.zeros((8, 50), np.float32)
    result = tileir_xdsl.launch(SUGAR, args={"X": x[:, 12:62], "Y": y})
    assert result.grid == (2, 2, 1)
    assert np.array_equal(y, 2 * x[:, 12:62])


def test_promises_are_checked_before_the_launch():
    with pytest.raises(DiagnosticError, match="extent 0 is 6, no multiple of 4 as is promised"):
        tileir_xdsl.launch(SUGAR, args=[np.zeros((6, 8), np.float32)] * 2)


# --- grids


@pytest.mark.parametrize(
    ("grid", "expected"),
    [
        (4, (4, 1, 1)),
        ((2, 2), (2, 2, 1)),
        ([np.int32(4)], (4, 1, 1)),
        (np.int64(4), (4, 1, 1)),
        (np.asarray([2, 1, 2]), (2, 1, 2)),
    ],
)
def test_grids(grid: Any, expected: tuple[int, int, int]):
    with DryRun() as seen:
        tileir_xdsl.launch(ADD, grid, [zeros(), 1.0])
    assert seen.launches[0].grid == expected


@pytest.mark.parametrize("grid", [-1, (1, 2, 3, 4), (), (1, -1), (1.5,), 2.5, "x", object()])
def test_grids_that_are_none(grid: Any):
    with pytest.raises(DiagnosticError, match="a grid is one to three numbers"):
        tileir_xdsl.launch(ADD, grid, [zeros(), 1.0])


def test_a_kernel_without_a_grid():
    with pytest.raises(DiagnosticError, match="@add_one does not say what its grid is"):
        tileir_xdsl.launch(ADD, args=[zeros(), 1.0])


def test_no_blocks_run_nothing():
    x = np.zeros((0, 8), np.float32)
    result = tileir_xdsl.launch(SUGAR, args=[x, x.copy()])
    assert (result.grid, result.engine, result.report) == ((0, 1, 1), "none", None)
    with Comparison():
        result = tileir_xdsl.launch(ADD, (3, 0), [zeros(), 1.0], engine="gpu")
    assert result.engine == "none"


# --- engines


def test_an_unknown_engine():
    with pytest.raises(DiagnosticError, match="no engine 'cpu'; there are interpreter and gpu"):
        tileir_xdsl.launch(ADD, 1, [zeros(), 1.0], engine="cpu")
    wrong: Any = Interpreter
    with pytest.raises(DiagnosticError, match="no engine <class"):
        tileir_xdsl.launch(ADD, 1, [zeros(), 1.0], engine=wrong)


def test_the_interpreter_refuses_device_memory():
    with pytest.raises(DiagnosticError, match="argument 'x' lies on a GPU, but the interpreter"):
        tileir_xdsl.launch(ADD, 1, [CudaArray(256, (4,), "<f4"), 1.0], engine="interpreter")


def test_undefined_behaviour_comes_through():
    with pytest.raises(UndefinedBehaviour, match="out"):
        tileir_xdsl.launch(ADD, 5, [zeros(4), 1.0])


class Fixed(Engine):
    """An engine that fills arrays with a number."""

    name = "fixed"

    def __init__(self, number: float) -> None:
        super().__init__()
        self.number = number

    def run(self, launch: Launch) -> Result:
        for array in launch.arguments.arrays.values():
            assert isinstance(array, np.ndarray)
            array.fill(self.number)
        return Result(self.name, launch.grid)


def test_engines_are_handlers():
    x = zeros()
    with Fixed(7):
        assert tileir_xdsl.launch(ADD, 4, [x, 1.0]).engine == "fixed"
        with Fixed(8):
            tileir_xdsl.launch(ADD, 4, [x, 1.0])
            assert x[0] == 8
        tileir_xdsl.launch(ADD, 4, [x, 1.0])
        assert x[0] == 7
        # What a call asks for prevails.
        tileir_xdsl.launch(ADD, 4, [x, 1.0], engine="interpreter")
        assert x[0] == 8
    assert tileir_xdsl.launch(ADD, 4, [x, 1.0]).engine == "interpreter"


def test_options_of_the_interpreter(capsys: pytest.CaptureFixture[str]):
    unchecked = Interpreter(checked=False)
    report = tileir_xdsl.launch(ADD, 4, [zeros(), 1.0], engine=unchecked).report
    assert report is not None
    assert report.unchecked


# --- handlers


class Logged(Handler):
    def __init__(self, name: str, log: list[str]) -> None:
        super().__init__()
        self.name, self.log = name, log

    def handle(self, launch: Launch, proceed: Proceed) -> Result:
        self.log.append(f"{self.name} before")
        result = proceed(launch)
        self.log.append(f"{self.name} after")
        return result


def test_handlers_nest_and_the_innermost_is_first():
    log: list[str] = []
    with Logged("outer", log), Logged("inner", log):
        tileir_xdsl.launch(ADD, 4, [zeros(), 1.0])
    assert log == ["inner before", "outer before", "outer after", "inner after"]
    tileir_xdsl.launch(ADD, 4, [zeros(), 1.0])
    assert len(log) == 4


def test_handlers_are_gone_after_an_error():
    log: list[str] = []
    with pytest.raises(UndefinedBehaviour), Logged("only", log):
        tileir_xdsl.launch(ADD, 99, [zeros(), 1.0])
    tileir_xdsl.launch(ADD, 4, [zeros(), 1.0])
    assert log == ["only before"]


def test_a_handler_can_be_entered_again():
    recorder = Recorder()
    with recorder, recorder:
        tileir_xdsl.launch(ADD, 4, [zeros(), 1.0])
    with recorder:
        tileir_xdsl.launch(ADD, 4, [zeros(), 1.0])
    assert len(recorder.launches) == 3


def test_recorder():
    x = zeros()
    with Recorder() as plain, Recorder(copy=True) as copying:
        tileir_xdsl.launch(ADD, 4, [x, 1.5], stream=0)
    (launch,) = plain.launches
    assert (launch.kernel, launch.grid, launch.stream) == ("add_one", (4, 1, 1), 0)
    pointer, step = launch.slots
    assert (pointer.name, pointer.value) == ("x", None)
    assert pointer.array is x
    assert (step.name, step.value) == ("step", np.float32(1.5).tobytes())
    assert launch.arguments.values[0].tolist() == [1.5] * 4
    assert copying.launches[0].arguments.values[0].tolist() == [0] * 4


def test_timer():
    with Timer() as timer:
        results = [tileir_xdsl.launch(ADD, 4, [zeros(), 1.0]) for _ in range(5)]
    assert len(timer.seconds) == 5
    assert [result.seconds for result in results] == timer.seconds
    assert min(timer.seconds) > 0
    assert min(timer.seconds) <= timer.median <= max(timer.seconds)
    assert 0 <= timer.spread <= max(timer.seconds) - min(timer.seconds)
    timer.seconds = [1, 2, 3, 4, 100]
    assert (timer.median, timer.spread) == (3, 2)
    assert tileir_xdsl.launch(ADD, 4, [zeros(), 1.0]).seconds is None


def test_dry_run_checks_and_runs_nothing():
    x = zeros()
    with DryRun() as dry, Timer() as timer:
        result = tileir_xdsl.launch(ADD, 4, [x, 1.0], engine="gpu")
        with pytest.raises(DiagnosticError, match="it takes a number"):
            tileir_xdsl.launch(ADD, 4, [x, "1"])
    assert (result.engine, x.sum(), len(dry.launches), timer.median) == ("none", 0, 1, 0)


def test_byte_counter():
    case = example("gather")
    with ByteCounter() as counter:
        tileir_xdsl.launch(case.path, case.grid, case.arguments)
    assert counter.read == 4 * (500 + 1000 + 1000)
    assert counter.written == 4 * 1000
    assert counter.total == counter.read + counter.written


def test_byte_counter_knows_promises():
    text = SUGAR.replace("multiple = [4, 0]", "readonly").replace(
        "%Y: tensor<?x?xf32>)", "%Y: tensor<?x?xf32> {writeonly})"
    )
    x, y = np.zeros((4, 80), np.float32)[:, ::1][:, :8], np.zeros((4, 8), np.float32)
    with ByteCounter() as counter:
        tileir_xdsl.launch(text, args=[x, y])
    assert (counter.read, counter.written) == (128, 128)


# --- comparison


@pytest.mark.parametrize("name", [*CUDA_TILE_NAMES, "sugar/softmax_rows", "sugar/histogram"])
def test_comparison_of_an_engine_with_itself(name: str):
    case = example(name)
    with Comparison() as comparison:
        tileir_xdsl.launch(case.path, case.grid, case.arguments)
    assert case.wrong() == []
    assert comparison.differences == []
    assert comparison.compared == len(case.expected)


def test_comparison_finds_a_difference():
    x = zeros()
    with pytest.raises(DiagnosticError) as raised, Comparison():
        tileir_xdsl.launch(ADD, 4, [x, 1.0], engine=Fixed(1.25))
    (diagnostic,) = raised.value.diagnostics
    assert diagnostic.message == "@add_one on fixed does not compute what it should"
    assert diagnostic.notes[0].message == "x: 4 of 4 elements differ"
    assert "[0]: 1.25 (0x3fa00000), expected 1 (0x3f800000): 2097152 ulps" in (
        diagnostic.notes[1].message
    )


def test_comparison_without_check_only_collects():
    with Comparison(check=False) as comparison:
        tileir_xdsl.launch(ADD, 4, [zeros(), 1.0], engine=Fixed(2))
    assert [(d.name, d.wrong) for d in comparison.differences] == [("x", 4)]


def test_comparison_starts_both_engines_from_the_same_arrays():
    # The kernel changes its input in place: a second run would add again.
    x = np.arange(4, dtype=np.float32)
    with Comparison():
        tileir_xdsl.launch(ADD, 4, [x, 1.0])
    assert x.tolist() == [1, 2, 3, 4]


def test_tolerances_that_are_given():
    from tileir_xdsl.runtime.comparison import Tolerance

    near = Fixed(float(np.nextafter(np.float32(1), np.float32(2))))
    for tolerance in (Tolerance(1), {"x": Tolerance(1)}, Tolerance(atol=1e-6)):
        with Comparison(tolerance=tolerance):
            tileir_xdsl.launch(ADD, 4, [zeros(), 1.0], engine=near)
    no_tolerance: dict[str, Tolerance] = {}
    for exact in (None, no_tolerance):
        with pytest.raises(DiagnosticError), Comparison(tolerance=exact):
            tileir_xdsl.launch(ADD, 4, [zeros(), 1.0], engine=near)


# --- streams


class ForeignStream:
    def __init__(self, **attributes: Any) -> None:
        self.__dict__.update(attributes)


class CudaStream:
    def __cuda_stream__(self) -> tuple[int, int]:
        return 0, 0x77


@pytest.mark.parametrize(
    ("stream", "handle"),
    [
        (None, 0),
        (0x55, 0x55),
        (ForeignStream(cuda_stream=0x66), 0x66),
        (ForeignStream(ptr=0x67), 0x67),
        (CudaStream(), 0x77),
    ],
)
def test_streams(stream: Any, handle: int):
    with DryRun() as dry:
        tileir_xdsl.launch(ADD, 4, [zeros(), 1.0], stream=stream)
    assert dry.launches[0].stream == handle


def test_a_stream_that_is_none():
    with pytest.raises(DiagnosticError, match="no CUDA stream, but str"):
        tileir_xdsl.launch(ADD, 4, [zeros(), 1.0], stream="first")


def test_device_arrays_choose_the_gpu(monkeypatch: pytest.MonkeyPatch):
    state = fake_driver.install(monkeypatch)
    state.devices = 0
    with pytest.raises(DiagnosticError, match="the NVIDIA driver finds no GPU"):
        tileir_xdsl.launch(ADD, 4, [CudaArray(256, (4,), "<f4"), 1.0])
