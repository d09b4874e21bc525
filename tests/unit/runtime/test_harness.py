"""Harness files: they run where only NumPy and cuda-python are, and nothing wrong escapes them."""

import os
import runpy
import subprocess
import sys
from pathlib import Path
from typing import Any

import ml_dtypes
import numpy as np
import pytest
from support import fake_driver
from support.examples import NAMES, example
from support.nvidia import tileiras

import tileir_xdsl
from tileir_xdsl.diagnostics import DiagnosticError
from tileir_xdsl.interpreter import UndefinedBehaviour
from tileir_xdsl.runtime import harness
from tileir_xdsl.runtime.comparison import Tolerance
from tileir_xdsl.runtime.handlers import array_bits
from tileir_xdsl.runtime.launch import Launch, prepare

ROOT = Path(__file__).parents[3]

ONLY_NUMPY = """
import runpy, sys

class Blocked:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in ("tileir_xdsl", "xdsl", "ml_dtypes", "rich"):
            raise ImportError(f"{name} is not to be imported")

sys.meta_path.insert(0, Blocked())
sys.argv = [sys.argv[1], *sys.argv[2:]]
runpy.run_path(sys.argv[0], run_name="__main__")
"""

EACH = ONLY_NUMPY.replace(
    'runpy.run_path(sys.argv[0], run_name="__main__")',
    """
for path in sys.argv:
    sys.argv = [path]
    try:
        runpy.run_path(path, run_name="__main__")
    except SystemExit as end:
        print(end.code)
""",
)


def launch_of(name: str) -> Launch:
    case = example(name)
    return prepare(case.path, case.grid, case.arguments)


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """A harness file for each example."""
    folder = tmp_path_factory.mktemp("harness")
    found = {name: folder / f"check_{name.replace('/', '_')}.py" for name in NAMES}
    for name, path in found.items():
        path.write_text(harness.emit(launch_of(name)))
    return found


def run(path: Path, *arguments: str, fake: Path | None = None, flip: str = "") -> Any:
    environment = {**os.environ}
    command = [sys.executable, "-c", ONLY_NUMPY, str(path), *arguments]
    if fake is not None:
        environment["PYTHONPATH"] = os.pathsep.join([str(fake), str(ROOT / "tests"), str(ROOT)])
        command = [sys.executable, str(path), *arguments]
    if flip:
        environment[fake_driver.FLIP_VARIABLE] = flip
    return subprocess.run(
        command, capture_output=True, encoding="utf-8", env=environment, check=False, timeout=60
    )


def loaded(path: Path) -> Any:
    """The file as a namespace, and its check."""
    module = runpy.run_path(str(path), run_name="check")
    return module, module["read_check"](module["DATA"])


def final_memory(check: Any) -> list[Any]:
    """The memory of the regions, with the expected results in place."""
    memory: list[Any] = [np.frombuffer(data, np.uint8).copy() for data in check.regions]
    for output in check.outputs:
        view = np.ndarray(
            output.shape,
            output.expected_bits().dtype,
            memory[output.region].data,
            output.offset,
            output.strides,
        )
        view[...] = output.expected_bits()
    return memory


# --- without a device


def test_no_device_has_a_status_of_its_own(files: dict[str, Path]):
    if Path("/proc/driver/nvidia").exists():
        pytest.skip("there is an NVIDIA driver")
    completed = run(files["vector_add"])
    assert completed.returncode == 3, completed.stderr
    assert completed.stderr.startswith("no device: ")
    assert completed.stdout == ""
    everything = subprocess.run(
        [sys.executable, "-c", EACH, *map(str, files.values())],
        capture_output=True,
        encoding="utf-8",
        check=True,
    )
    assert everything.stdout.split() == ["3"] * len(NAMES)


def test_usage(files: dict[str, Path]):
    completed = run(files["vector_add"], "--help")
    assert completed.returncode == 0
    assert "exit status: 0 the results match" in completed.stdout
    assert run(files["vector_add"], "--nonsense").returncode == 2


# --- the comparison


@pytest.mark.parametrize("name", NAMES)
def test_the_expected_results_match(files: dict[str, Path], name: str):
    module, check = loaded(files[name])
    assert len(check.outputs) == len(example(name).expected)
    assert module["compare_outputs"](check, final_memory(check)) == []


@pytest.mark.parametrize("name", NAMES)
def test_the_expected_results_are_right(files: dict[str, Path], name: str):
    case = example(name)
    _, check = loaded(files[name])
    for output in check.outputs:
        array = case.arguments[output.name]
        case.arguments[output.name] = output.expected_bits().view(array.dtype)
    assert case.wrong() == []


@pytest.mark.parametrize("name", NAMES)
def test_a_single_element_beyond_its_bound(files: dict[str, Path], name: str):
    module, check = loaded(files[name])
    for number, output in enumerate(check.outputs):
        bits = output.expected_bits()
        numbers = module["values"](bits, output.layout)
        # The largest: no absolute bound covers it. Where bits have to be equal this is one ulp.
        place = np.unravel_index(int(np.argmax(np.abs(numbers))), bits.shape)
        step = 1 if output.ulps == 0 else output.ulps + 1
        while output.atol and abs(_value(module, bits[place] - step, output) - numbers[place]) <= (
            output.atol
        ):
            step += output.ulps + 1
        memory = final_memory(check)
        _view(memory, output)[place] -= bits.dtype.type(step)
        (found,) = module["compare_outputs"](check, memory)
        assert (found.name, found.wrong) == (check.outputs[number].name, 1)
        assert f"[{', '.join(str(int(i)) for i in place)}]: " in found.lines[0]


def _value(module: Any, bits: Any, output: Any) -> float:
    return float(module["values"](np.asarray([bits]), output.layout)[0])


def _view(memory: list[Any], output: Any) -> Any:
    dtype = output.expected_bits().dtype
    return np.ndarray(
        output.shape, dtype, memory[output.region].data, output.offset, output.strides
    )


@pytest.mark.parametrize("name", NAMES)
def test_a_single_wrong_element(files: dict[str, Path], name: str):
    module, check = loaded(files[name])
    for output in check.outputs:
        memory = final_memory(check)
        view = _view(memory, output)
        view[(-1,) * view.ndim] = 0x7B00 if view.dtype.itemsize == 2 else 0x4B000000
        (found,) = module["compare_outputs"](check, memory)
        assert found.wrong == 1


def test_an_element_that_was_not_written(files: dict[str, Path]):
    module, check = loaded(files["gather"])
    memory = final_memory(check)
    # Before the launch the array holds ones, and 1.0 is no gathered value.
    _view(memory, check.outputs[0])[17] = np.float32(1).view(np.uint32)
    assert module["compare_outputs"](check, memory)[0].wrong == 1


# --- on a driver whose device is the interpreter


@pytest.fixture(scope="module")
def fake(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("fake")
    fake_driver.write_package(folder)
    return folder


@pytest.mark.parametrize("name", NAMES)
def test_a_match(
    files: dict[str, Path],
    name: str,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
):
    fake_driver.install(monkeypatch)
    assert main_of(files[name]) == 0
    first, last = capsys.readouterr().out.splitlines()
    assert first.startswith("@")
    assert first.endswith(" on Fake GPU (sm_90), CUDA 13.2 driver")
    assert last.startswith("match: ")


def main_of(path: Path, *arguments: str) -> int:
    """The exit status of the file's main function, run in this process."""
    module = runpy.run_path(str(path), run_name="check")
    return module["main"](module["DATA"], arguments)


def test_a_match_as_a_program(files: dict[str, Path], fake: Path):
    completed = run(files["vector_add"], fake=fake)
    assert (completed.returncode, completed.stderr) == (0, "")


def test_a_mismatch(files: dict[str, Path], fake: Path):
    completed = run(files["vector_add"], fake=fake, flip="2:4000")
    assert completed.returncode == 1
    lines = completed.stdout.splitlines()
    assert lines[1] == "c: 1 of 3000 elements differ"
    assert lines[2].startswith("  [1000]: ")
    assert lines[2].endswith(": 1 ulp")
    assert lines[3] == "MISMATCH: 1 of 1 arrays differ"


def test_times(
    files: dict[str, Path], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
):
    fake_driver.install(monkeypatch)
    assert main_of(files["vector_add"], "--repeat", "3") == 0
    assert "us of 3 launches, spread " in capsys.readouterr().out
    assert main_of(files["vector_add"], "--repeat", "1") == 0


def test_a_device_that_cannot_run_it(
    files: dict[str, Path], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
):
    state = fake_driver.install(monkeypatch)
    state.failures["cuLibraryLoadData"] = fake_driver.INVALID_IMAGE
    assert main_of(files["vector_add"]) == 4
    assert capsys.readouterr().err == (
        "cannot run: cuLibraryLoadData failed: CUDA_ERROR_INVALID_IMAGE (invalid image)\n"
    )


def test_an_architecture_without_code(
    files: dict[str, Path], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
):
    fake_driver.install(monkeypatch)
    module = runpy.run_path(str(files["vector_add"]), run_name="check")
    images = module["DATA"]["images"]
    images["sm_80"] = images.pop("tileirbc")
    assert module["main"](module["DATA"], []) == 4
    assert "has code for sm_80 and none for sm_90" in capsys.readouterr().err


def test_a_damaged_file_is_no_mismatch(
    files: dict[str, Path], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
):
    fake_driver.install(monkeypatch)
    broken = tmp_path / "broken.py"
    broken.write_text(files["vector_add"].read_text().replace("'regions': [", "'regions': ['x',"))
    assert main_of(broken) == 4


# --- what is written


def test_images(tmp_path: Path):
    tileiras()
    path = tmp_path / "check.py"
    path.write_text(harness.emit(launch_of("vector_add"), architectures=["sm_90"], version="13.1"))
    _, check = loaded(path)
    assert check.images["sm_90"].startswith(b"\x7fELF")
    assert check.image_for("sm_90") == check.images["sm_90"]
    assert check.image_for("sm_80") == check.images["tileirbc"]
    assert tileir_xdsl.decode(check.images["tileirbc"])


def test_arrays_do_not_change():
    launch = launch_of("vector_add")
    before = launch.arguments.values[2].copy()
    harness.emit(launch)
    assert np.array_equal(launch.arguments.values[2], before)


def test_tolerances(tmp_path: Path):
    path = tmp_path / "check.py"
    path.write_text(harness.emit(launch_of("vector_add"), tolerance=Tolerance(3, 0.5)))
    _, check = loaded(path)
    assert (check.outputs[0].ulps, check.outputs[0].atol) == (3, 0.5)
    assert "Arrays: c (3 ulps or 0.5)." in path.read_text()


STORE = """
cuda_tile.module @m {
  entry @k(%x: tile<ptr<f32>>, %y: tile<ptr<f32>>, %null: tile<ptr<i8>>, %v: tile<f32>) {
    %b, %by, %bz = get_tile_block_id : tile<i32>
    %p = offset %y, %b : tile<ptr<f32>>, tile<i32> -> tile<ptr<f32>>
    %t = store_ptr_tko weak %p, %v : tile<ptr<f32>>, tile<f32> -> token
    return
  }
}
"""
STORE_BYTES = """
cuda_tile.module @m {
  entry @k(%x: tile<ptr<f32>>, %y: tile<ptr<f4E2M1FN>>, %null: tile<ptr<i8>>, %v: tile<i8>) {
    %b, %by, %bz = get_tile_block_id : tile<i32>
    %i = ptr_to_int %y : tile<ptr<f4E2M1FN>> -> tile<i64>
    %q = int_to_ptr %i : tile<i64> -> tile<ptr<i8>>
    %p = offset %q, %b : tile<ptr<i8>>, tile<i32> -> tile<ptr<i8>>
    %t = store_ptr_tko weak %p, %v : tile<ptr<i8>>, tile<i8> -> token
    return
  }
}
"""


@pytest.mark.parametrize("kind", ["strided", "overlap", "packed"])
def test_arrays_of_every_shape(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, kind: str):
    state = fake_driver.install(monkeypatch)
    whole = np.arange(32, dtype=np.float32)
    text, x, grid = STORE, whole[:8], 8
    y: Any = whole.reshape(8, 4)[2:, 1:3]
    if kind == "overlap":
        y = whole[4:20]
    if kind == "packed":
        text, y, grid = STORE_BYTES, np.ones(5, ml_dtypes.float4_e2m1fn), 2
    path = tmp_path / "check.py"
    path.write_text(harness.emit(prepare(text, grid, [x, y, None, 2])))
    assert main_of(path) == 0
    state.flip = "1:0"
    assert main_of(path) == 1


def test_arrays_without_elements(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    fake_driver.install(monkeypatch)
    path = tmp_path / "check.py"
    null = np.zeros((0, 3), np.float32)
    launch = prepare(
        STORE.replace("offset %y", "offset %x"), 8, [np.zeros(8, np.float32), null, None, 2]
    )
    path.write_text(harness.emit(launch))
    assert main_of(path) == 0


def test_signs_of_zeros_and_nans_are_kept(tmp_path: Path):
    text = """
cuda_tile.module @m {
  entry @k(%y: tile<ptr<f32>>, %v: tile<f32>) {
    %t = store_ptr_tko weak %y, %v : tile<ptr<f32>>, tile<f32> -> token
    return
  }
}
"""
    path = tmp_path / "check.py"
    path.write_text(harness.emit(prepare(text, 1, [np.zeros(1, np.float32), -0.0])))
    module, check = loaded(path)
    memory = final_memory(check)
    assert _view(memory, check.outputs[0]).view(np.uint32)[0] == 0x80000000
    memory[0][-1] = 0
    assert module["compare_outputs"](check, memory)[0].wrong == 1


def test_undefined_programs_have_no_expectation():
    case = example("vector_add")
    case.arguments["n"] = 5000
    with pytest.raises(UndefinedBehaviour):
        harness.emit(prepare(case.path, (5,), case.arguments))


def test_no_blocks_are_refused():
    case = example("vector_add")
    with pytest.raises(DiagnosticError, match="nothing to check"):
        harness.emit(prepare(case.path, 0, case.arguments))


def test_large_arrays_are_refused(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(harness, "MAX_BYTES", 1 << 10)
    with pytest.raises(DiagnosticError, match="a harness file at most 0 MiB"):
        harness.emit(launch_of("vector_add"))


def test_sources_import_nothing_of_the_package():
    text = harness.emit(launch_of("vector_add"))
    assert "tileir_xdsl" not in text.replace("tileir-xdsl", "").split("DATA = ")[0]
    assert array_bits(np.asarray([1.0], np.float32)).tolist() == [0x3F800000]
