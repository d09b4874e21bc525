"""The GPU engine on a driver whose device is the interpreter: what is passed, copied and refused.

Error paths without a driver are the real ones where cuda-python is installed. Tests marked `gpu`
need a device.
"""

import gc
import importlib.util
import os
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from support import fake_driver
from support.examples import NAMES, example
from support.fake_driver import State, cubin_of
from support.foreign_arrays import CudaArray, MadeDlpackArray
from support.nvidia import tileiras as required_tileiras

import tileir_xdsl
from tileir_xdsl.diagnostics import Diagnostic, DiagnosticError
from tileir_xdsl.runtime import gpu as gpu_module
from tileir_xdsl.runtime import tileiras
from tileir_xdsl.runtime.cache import KernelCache
from tileir_xdsl.runtime.engines import GpuEngine
from tileir_xdsl.runtime.gpu import Gpu, GpuError, NoDevice
from tileir_xdsl.runtime.handlers import Comparison, Recorder, Timer

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

COUNTER = """
cuda_tile.module @m {
  global @count <i32: 0> : tile<1xi32>
  entry @next(%out: tile<ptr<i32>>) {
    %g = get_global @count : tile<ptr<i32>>
    %one = constant <i32: 1> : tile<i32>
    %old, %t = atomic_rmw_tko relaxed device %g, add, %one : tile<ptr<i32>>, tile<i32> -> tile<i32>, token
    %u = store_ptr_tko weak %out, %old : tile<ptr<i32>>, tile<i32> -> token
    return
  }
  entry @peek(%out: tile<ptr<i32>>) {
    %g = get_global @count : tile<ptr<i32>>
    %old, %t = load_ptr_tko weak %g : tile<ptr<i32>> -> tile<i32>, token
    %u = store_ptr_tko weak %out, %old : tile<ptr<i32>>, tile<i32> -> token
    return
  }
}
"""  # noqa: E501


@pytest.fixture
def device(monkeypatch: pytest.MonkeyPatch) -> State:
    return fake_driver.install(monkeypatch)


@pytest.fixture
def assembler(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> list[str]:
    """An assembler that the fake driver understands; the list holds what it was called for."""
    calls: list[str] = []

    def assemble(bytecode: bytes, gpu: str, *_: Any, **__: Any) -> bytes:
        calls.append(gpu)
        return cubin_of(bytecode, gpu)

    def answer(value: Any) -> Any:
        return lambda *_: value  # pyright: ignore[reportUnknownLambdaType, reportUnknownVariableType]

    monkeypatch.setattr(tileiras, "find_tileiras", answer(Path("/fake/tileiras")))
    monkeypatch.setattr(tileiras, "tool_version", answer("13.5.37"))
    monkeypatch.setattr(tileiras, "bytecode_versions", answer(("13.1", "13.3")))
    monkeypatch.setattr(tileiras, "assemble", assemble)
    monkeypatch.setenv("TILEIR_CACHE_DIR", str(tmp_path / "cache"))
    return calls


def bytecode_engine() -> GpuEngine:
    return GpuEngine(image="bytecode")


def zeros(count: int = 4) -> Any:
    return np.zeros(count, np.float32)


def the_error(action: Any, *arguments: Any, **options: Any) -> Diagnostic:
    with pytest.raises(DiagnosticError) as raised:
        action(*arguments, **options)
    (diagnostic,) = raised.value.diagnostics
    return diagnostic


def add_one(x: Any, engine: Any = None, grid: int = 4) -> Any:
    return tileir_xdsl.launch(ADD, grid, [x, 1.0], engine=engine or bytecode_engine())


# --- what runs


@pytest.mark.parametrize("name", NAMES)
def test_examples(device: State, name: str):
    case = example(name)
    result = tileir_xdsl.launch(case.path, case.grid, case.arguments, engine=bytecode_engine())
    assert case.wrong() == []
    assert result.engine == "gpu (Fake GPU, sm_90)"
    assert device.memory == {}
    assert device.contexts == []


@pytest.mark.parametrize("name", NAMES)
def test_a_recorder_sees_what_the_driver_gets(device: State, name: str):
    case = example(name)
    with Recorder() as recorder:
        tileir_xdsl.launch(case.path, case.grid, case.arguments, engine=bytecode_engine())
    (recorded,), (launched,) = recorder.launches, device.launches
    assert (recorded.kernel, recorded.grid) == (launched.name, launched.grid)
    assert len(recorded.slots) == len(launched.parameters)
    for seen, passed in zip(recorded.slots, launched.parameters, strict=True):
        assert len(passed) == seen.slot.size
        if seen.value is not None:
            assert passed == seen.value
        else:
            assert int.from_bytes(passed, "little") % 256 == 0


def test_sugar_arguments_as_the_entry_takes_them(device: State):
    text = """
tile_sugar.kernel @copy(%a: i8, %X: tensor<?x8xf32, strides=[?, 1]>, %Y: tensor<?x8xf32>)
    grid(ceildiv(dim %X 0, 4)) {
  %b = block_id 0
  %c4 = arith.constant 4 : i32
  %r = arith.muli %b, %c4 : i32
  %x = load %X[%r, 0] : tensor<?x8xf32, strides=[?, 1]> -> tile<4x8xf32>
  store %x, %Y[%r, 0] : tile<4x8xf32>, tensor<?x8xf32>
  return
}
"""
    x, y = np.arange(6 * 12, dtype=np.float32).reshape(6, 12)[:, 4:], np.zeros((6, 8), np.float32)
    tileir_xdsl.launch(text, args=[-1, x, y], engine=bytecode_engine())
    assert np.array_equal(x, y)
    a, px, nx, sx, py, ny = device.launches[0].parameters
    numbers = [int.from_bytes(raw, "little") for raw in (nx, sx, ny)]
    assert (a, numbers) == (b"\xff", [6, 12, 6])
    # The array keeps its place in its allocation: 16 bytes after a multiple of 256.
    assert int.from_bytes(px, "little") % 256 == 16
    assert int.from_bytes(py, "little") % 256 == 0


def test_memory_between_the_elements_is_kept(device: State):
    whole = np.arange(8, dtype=np.float32)
    tileir_xdsl.launch(
        ADD.replace("%x, %block", "%x, %w").replace(
            "%p =", "%two = constant <i32: 2> : tile<i32> %w = muli %block, %two : tile<i32> %p ="
        ),
        4,
        [whole[::2], 10.0],
        engine=bytecode_engine(),
    )
    assert whole.tolist() == [10, 1, 12, 3, 14, 5, 16, 7]


def test_arrays_that_overlap_are_one_on_the_device(device: State):
    case = example("vector_add")
    x, c = np.arange(1536, dtype=np.float32), zeros(1024)
    arguments = {"a": x[:1024], "b": x[512:], "c": c, "n": 1024}
    tileir_xdsl.launch(case.path, 1, arguments, engine=bytecode_engine())
    assert np.array_equal(c, x[:1024] + x[512:])
    a, b, _, _ = (int.from_bytes(raw, "little") for raw in device.launches[0].parameters)
    assert b == a + 2048
    assert device.called("cuMemAlloc") == 2


def test_only_what_may_be_written_comes_back(device: State):
    case = example("gather")
    tileir_xdsl.launch(case.path, case.grid, case.arguments, engine=bytecode_engine())
    assert (device.called("cuMemcpyHtoDAsync"), device.called("cuMemcpyDtoHAsync")) == (3, 1)


def test_arrays_without_elements_and_null_pointers(device: State):
    text = "cuda_tile.module @m { entry @k(%p: tile<ptr<f32>>, %q: tile<ptr<f32>>) { return } }"
    tileir_xdsl.launch(text, 1, [zeros(0), None], engine=bytecode_engine())
    assert device.launches[0].parameters == (bytes(8), bytes(8))
    assert device.called("cuMemAlloc") == 0


def test_four_bit_elements(device: State):
    import ml_dtypes

    text = ADD.replace("f32", "i8").replace("addf", "addi")
    text = text.replace("tile<ptr<i8>>, %step", "tile<ptr<f4E2M1FN>>, %step", 1).replace(
        "%p = offset %x",
        "%i = ptr_to_int %x : tile<ptr<f4E2M1FN>> -> tile<i64> "
        "%b = int_to_ptr %i : tile<i64> -> tile<ptr<i8>> %p = offset %b",
    )
    x = np.asarray([0.5, 1, 1.5, 2], ml_dtypes.float4_e2m1fn)
    tileir_xdsl.launch(text, 2, [x, 0x11], engine=bytecode_engine())
    assert x.astype(float).tolist() == [1, 1.5, 2, 3]


def test_device_memory_is_used_in_place_and_nobody_waits(device: State):
    base = 0x7000_0000_1000
    device.memory[base] = np.zeros(16, np.uint8)
    tileir_xdsl.launch(
        ADD, 4, [CudaArray(base, (4,), "<f4"), 2.0], engine=bytecode_engine(), stream=0x55
    )
    assert device.memory[base].view(np.float32).tolist() == [2] * 4
    assert device.launches[0].stream == 0x55
    assert device.launches[0].parameters[0] == base.to_bytes(8, "little")
    assert device.called("cuStreamSynchronize") == 0
    assert device.called("cuMemAlloc") == 0


def test_device_memory_chooses_the_engine(device: State, assembler: list[str]):
    base = 0x7000_0000_1000
    device.memory[base] = np.zeros(16, np.uint8)
    made = MadeDlpackArray(base, (4,), 2, 32, device=(2, 0))
    assert tileir_xdsl.launch(ADD, 4, [made, 2.0]).engine.startswith("gpu")
    assert made.streams == [1]


def test_the_stream_waits_for_the_producer(device: State):
    base = 0x7000_0000_1000
    device.memory[base] = np.zeros(16, np.uint8)
    array = CudaArray(base, (4,), "<f4", stream=2)
    tileir_xdsl.launch(ADD, 4, [array, 2.0], engine=bytecode_engine(), stream=0x55)
    names = [call[0] for call in device.calls]
    assert ("cuStreamWaitEvent", 0x55, 2) in device.calls
    assert names.index("cuStreamWaitEvent") < names.index("cuLaunchKernel")
    tileir_xdsl.launch(ADD, 4, [array, 2.0], engine=bytecode_engine(), stream=2)
    assert device.called("cuStreamWaitEvent") == 1


def test_times_are_those_of_device_events(device: State):
    with Timer() as timer:
        add_one(zeros())
    order = [c[0] for c in device.calls if c[0] in ("cuEventRecord", "cuLaunchKernel")]
    assert order == ["cuEventRecord", "cuLaunchKernel", "cuEventRecord"]
    assert timer.median > 0
    assert device.called("cuEventCreate") == device.called("cuEventDestroy") == 2


def test_comparison_with_the_interpreter(device: State):
    x = zeros()
    with Comparison() as comparison:
        add_one(x)
    assert (comparison.compared, x.tolist()) == (1, [1] * 4)
    device.flip = "0:4"
    with pytest.raises(DiagnosticError) as raised, Comparison():
        add_one(zeros())
    notes = [note.message for note in raised.value.diagnostics[0].notes]
    assert notes[0] == "x: 1 of 4 elements differ"
    assert notes[1].endswith(": 1 ulp")


def test_comparison_of_device_memory(device: State):
    base = 0x7000_0000_1000
    device.memory[base] = np.zeros(16, np.uint8)
    with Comparison() as comparison:
        tileir_xdsl.launch(ADD, 4, [CudaArray(base, (4,), "<f4"), 1.0], engine=bytecode_engine())
    assert (comparison.compared, comparison.differences) == (1, [])
    device.flip = "0:0"
    with pytest.raises(DiagnosticError), Comparison():
        tileir_xdsl.launch(ADD, 4, [CudaArray(base, (4,), "<f4"), 1.0], engine=bytecode_engine())


# --- loading


def test_a_kernel_is_loaded_once(device: State):
    kernel = tileir_xdsl.Kernel(ADD)
    for _ in range(3):
        tileir_xdsl.launch(kernel, 4, [zeros(), 1.0], engine=bytecode_engine())
    assert device.called("cuLibraryLoadData") == 1
    assert len(device.loaded) == 1
    del kernel
    gc.collect()
    assert device.loaded == set()


def test_globals_keep_their_values_for_all_kernels_of_a_module(device: State):
    module = tileir_xdsl.parse(COUNTER)
    following, peek = tileir_xdsl.Kernel(module, "next"), tileir_xdsl.Kernel(module, "peek")
    out = np.zeros(1, np.int32)
    for expected in (0, 1, 2):
        tileir_xdsl.launch(following, 1, [out], engine=bytecode_engine())
        assert out[0] == expected
    tileir_xdsl.launch(peek, 1, [out], engine=bytecode_engine())
    assert out[0] == 3
    assert device.called("cuLibraryLoadData") == 1


def test_cubins_are_made_for_the_device_and_cached(device: State, assembler: list[str]):
    for _ in range(2):
        x = zeros()
        add_one(x, "gpu")
        assert x.tolist() == [1] * 4
    assert assembler == ["sm_90"]
    device.capability = (12, 0)
    from tileir_xdsl.runtime import engines

    engines._OPENED.clear()  # pyright: ignore[reportPrivateUsage]
    add_one(zeros(), "gpu")
    assert assembler == ["sm_90", "sm_120"]


def test_a_cache_of_ones_own_and_none(device: State, assembler: list[str], tmp_path: Path):
    own = KernelCache(tmp_path / "own")
    add_one(zeros(), GpuEngine(cache=own))
    assert own.size() > 0
    add_one(zeros(), GpuEngine(cache=None))
    add_one(zeros(), GpuEngine(cache=own))
    assert assembler == ["sm_90", "sm_90"]


def test_options_make_other_cubins(device: State, assembler: list[str]):
    add_one(zeros(), GpuEngine(extra_args=["--opt-level", "0"]))
    add_one(zeros(), GpuEngine())
    add_one(zeros(), GpuEngine())
    assert len(assembler) == 2


def test_the_version_of_the_bytecode(device: State):
    add_one(zeros(), GpuEngine(image="bytecode", version="13.1"))
    loads = [call for call in device.calls if call[0] == "cuLibraryLoadData"]
    assert loads[0][2] == b"\x7fTileIR\0"


# --- what is refused


def test_cuda_python_is_missing(monkeypatch: pytest.MonkeyPatch):
    from tileir_xdsl.runtime import engines

    monkeypatch.setattr(engines, "_OPENED", {})
    monkeypatch.setitem(sys.modules, "cuda.bindings.driver", None)
    error = the_error(add_one, zeros())
    assert "cuda-python is not usable" in error.message
    assert error.fix == "pip install 'cuda-python>=13,<14'"
    assert error.place.range is not None


def _has_device() -> bool:
    try:
        Gpu(0)
    except GpuError:
        return False
    return True


@pytest.mark.skipif(
    importlib.util.find_spec("cuda") is None or importlib.util.find_spec("cuda.bindings") is None,
    reason="cuda-python is not installed",
)
def test_no_driver_for_real():
    if os.path.exists("/proc/driver/nvidia") or _has_device():
        pytest.skip("there is an NVIDIA driver")
    error = the_error(add_one, zeros())
    assert error.message.startswith("no NVIDIA driver: ")
    assert error.fix == "install the driver of the GPU"


def test_no_device(device: State):
    device.devices = 0
    assert the_error(add_one, zeros()).message == "the NVIDIA driver finds no GPU"


def test_the_driver_says_that_there_is_no_device(device: State):
    device.failures["cuInit"] = fake_driver.NO_DEVICE
    message = the_error(add_one, zeros()).message
    assert message == "cuInit failed: CUDA_ERROR_NO_DEVICE (no device)"
    with pytest.raises(NoDevice):
        Gpu(0)


def test_an_ordinal_that_is_none(device: State):
    error = the_error(add_one, zeros(), GpuEngine(3, image="bytecode"))
    assert error.message == "there is no GPU 3; there are 1, counted from 0"


def test_a_device_that_is_too_old(device: State):
    device.capability = (7, 5)
    message = the_error(add_one, zeros()).message
    assert message == "Fake GPU has compute capability 7.5, but Tile IR needs 8.0"


def test_no_assembler(device: State, monkeypatch: pytest.MonkeyPatch, tmp_path: Path):
    monkeypatch.setenv("TILEIR_TILEIRAS", str(tmp_path / "missing"))
    assert "no such program" in the_error(add_one, zeros(), "gpu").message


def test_an_architecture_that_the_assembler_does_not_know(
    device: State, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
):
    required_tileiras()
    device.capability = (9, 7)
    error = the_error(add_one, zeros(), GpuEngine(cache=None))
    assert "unknown GPU 'sm_97'" in error.message


def test_a_type_that_the_architecture_lacks(device: State):
    required_tileiras()
    device.capability = (8, 0)
    text = ADD.replace("%step: tile<f32>", "%step: tile<f32>, %v: tile<f8E8M0FNU>").replace(
        "%new =", "%w = ftof %v : tile<f8E8M0FNU> -> tile<f32> %new ="
    )
    error = the_error(
        tileir_xdsl.launch, text, 4, [zeros(), 1.0, 1.0], engine=GpuEngine(cache=None)
    )
    assert "sm_80" in error.message or any("sm_80" in note.message for note in error.notes)


def test_bytecode_that_the_driver_does_not_take(device: State):
    device.failures["cuLibraryLoadData"] = fake_driver.INVALID_IMAGE
    message = the_error(add_one, zeros()).message
    assert message == "cuLibraryLoadData failed: CUDA_ERROR_INVALID_IMAGE (invalid image)"


def test_a_driver_that_lacks_a_function(device: State, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.delattr(fake_driver, "cuLibraryLoadData")
    error = the_error(add_one, zeros())
    assert error.message.startswith("the NVIDIA driver has no cuLibraryLoadData")
    assert error.fix == "install a newer driver"


def test_a_launch_that_fails(device: State):
    device.failures["cuLaunchKernel"] = 9999
    message = the_error(add_one, zeros()).message
    assert message == (
        "cannot launch @add_one on a grid of 4x1x1: cuLaunchKernel failed: error 9999"
    )
    assert device.memory == {}
    assert device.contexts == []


def test_a_kernel_that_fails(device: State):
    x = zeros()
    error = the_error(add_one, x, grid=9)
    assert error.message.startswith("the kernel failed on the device: cuStreamSynchronize failed")
    assert "CUDA_ERROR_ILLEGAL_ADDRESS" in error.message
    assert error.fix == "run it in the interpreter, which says where it is undefined"
    assert x.tolist() == [0] * 4
    assert device.memory == {}


def test_memory_that_does_not_suffice(device: State, monkeypatch: pytest.MonkeyPatch):
    case = example("vector_add")
    allocate = fake_driver.cuMemAlloc

    def second_fails(size: int) -> tuple[int, int]:
        return (fake_driver.OUT_OF_MEMORY, 0) if device.memory else allocate(size)

    monkeypatch.setattr(fake_driver, "cuMemAlloc", second_fails)
    error = the_error(
        tileir_xdsl.launch, case.path, case.grid, case.arguments, engine=bytecode_engine()
    )
    assert "CUDA_ERROR_OUT_OF_MEMORY" in error.message
    assert device.memory == {}


def test_arrays_on_two_devices(device: State):
    device.devices = 2
    case = example("vector_add")
    arguments = {
        "a": MadeDlpackArray(0x7000_0000_1000, (4,), 2, 32, device=(2, 0)),
        "b": MadeDlpackArray(0x7000_0000_2000, (4,), 2, 32, device=(2, 1)),
        "c": zeros(),
        "n": 4,
    }
    error = the_error(tileir_xdsl.launch, case.path, 1, arguments, engine=bytecode_engine())
    assert error.message == "argument 'b' lies on GPU 1, but the launch is on GPU 0"


def test_an_array_on_another_device_than_the_engine(device: State):
    device.devices = 2
    array = CudaArray((1 << 60) + 0x1000, (4,), "<f4")
    error = the_error(add_one, array, GpuEngine(0, image="bytecode"))
    assert error.message == "argument 'x' lies on GPU 1, but the launch is on GPU 0"


def test_a_cubin_that_writes_what_must_not_be_written(device: State):
    required_tileiras()
    module = tileir_xdsl.parse(ADD)
    real = tileir_xdsl.Kernel(
        tileir_xdsl.compile(module, "sm_90"), parameters="x: ptr<f32>, step: f32"
    )
    # What the kernel writes is not known from a cubin: so it is looked at afterwards.
    real.cubin = cubin_of(tileir_xdsl.encode(module), "sm_90")
    x = zeros()
    tileir_xdsl.launch(real, 4, [x, 1.0], engine="gpu")
    assert x.tolist() == [1] * 4
    x.flags.writeable = False
    error = the_error(tileir_xdsl.launch, real, 4, [x, 1.0], engine="gpu")
    assert error.message == "@add_one wrote the read-only argument 'x'"
    tileir_xdsl.launch(real, 4, [x, 0.0], engine="gpu")


def test_the_module_that_imports_cuda_python_is_one():
    sources = Path(gpu_module.__file__).parents[1].rglob("*.py")
    importing = [path.name for path in sources if "cuda.bindings" in path.read_text()]
    assert importing == ["gpu.py"]


# --- a real device


@pytest.fixture
def real_device() -> Gpu:
    try:
        return Gpu(0)
    except GpuError as error:
        pytest.skip(f"no GPU: {error}")


@pytest.mark.gpu
@pytest.mark.parametrize("name", NAMES)
def test_examples_on_a_device(real_device: Gpu, name: str):
    required_tileiras()
    case = example(name)
    with Comparison():
        tileir_xdsl.launch(case.path, case.grid, case.arguments, engine="gpu")
    assert case.wrong() == []
