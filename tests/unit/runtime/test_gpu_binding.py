"""The real cuda-python, on a driver of a few lines of C: what we pass gets through its binding."""

import importlib.util
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from support.examples import CUDA_TILE_NAMES, ROOT, example

from tileir_xdsl.runtime.harness import emit
from tileir_xdsl.runtime.launch import prepare

COMPILER = shutil.which("cc")

pytestmark = [
    pytest.mark.skipif(
        importlib.util.find_spec("cuda") is None
        or importlib.util.find_spec("cuda.bindings") is None,
        reason="cuda-python is not installed",
    ),
    pytest.mark.skipif(COMPILER is None, reason="there is no C compiler"),
    pytest.mark.skipif(sys.platform != "linux", reason="the stub is an ELF library"),
]

SCRIPT = """
import numpy as np
import tileir_xdsl
from support.foreign_arrays import CudaArray
from tileir_xdsl.runtime.engines import GpuEngine
from tileir_xdsl.runtime.handlers import Comparison, Timer

a = np.arange(3000, dtype=np.float32)
b, c = a * 2, np.zeros_like(a)
engine = GpuEngine(image="bytecode")
path = "examples/cuda_tile/vector_add.mlir"
from pathlib import Path
with Timer() as timer, Comparison():
    result = tileir_xdsl.launch(Path(path), 3, [a, b, c, 3000], engine=engine)
assert np.array_equal(c, a + b)
assert timer.seconds == [0.0025], timer.seconds
print(result.engine)
c[:] = 0
arrays = [CudaArray(x.ctypes.data, x.shape, "<f4", stream=2) for x in (a, b, c)]
tileir_xdsl.launch(Path(path), (3, 1), [*arrays, 3000], engine=engine, stream=0x66)
assert np.array_equal(c, a + b)
"""


@pytest.fixture(scope="module")
def environment(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """One in which cuda-python finds the stub."""
    folder = tmp_path_factory.mktemp("driver")
    source = ROOT / "tests" / "support" / "stub_driver.c"
    library = folder / "libcuda.so.1"
    assert COMPILER is not None
    subprocess.run(
        [COMPILER, "-shared", "-fPIC", "-o", str(library), str(source), "-ldl"], check=True
    )
    paths = os.pathsep.join([str(ROOT), str(ROOT / "tests")])
    return {**os.environ, "LD_LIBRARY_PATH": str(folder), "PYTHONPATH": paths}


def run(environment: dict[str, str], *arguments: str) -> "subprocess.CompletedProcess[str]":
    return subprocess.run(
        [sys.executable, *arguments],
        capture_output=True,
        encoding="utf-8",
        env=environment,
        cwd=ROOT,
        check=False,
        timeout=60,
    )


def test_launches(environment: dict[str, str]):
    completed = run(environment, "-c", SCRIPT)
    assert completed.returncode == 0, completed.stderr
    assert completed.stdout == "gpu (Stub GPU, sm_90)\n"
    assert completed.stderr.splitlines() == [
        "load Til options 0 0",
        *["upload 12000"] * 3,
        "record on 0",
        "launch 3x1x1 block 1x1x1 shared 0 stream 0",
        "record on 0",
        "wait",
        "download 12000",
        "wait",
        "load Til options 0 0",
        *["record on 2", "stream 102 waits"] * 3,
        "launch 3x1x1 block 1x1x1 shared 0 stream 102",
    ]


def test_a_harness(environment: dict[str, str], tmp_path: Path):
    assert "vector_add" in CUDA_TILE_NAMES
    case = example("vector_add")
    path = tmp_path / "check.py"
    path.write_text(emit(prepare(case.path, case.grid, case.arguments)))
    completed = run(environment, str(path), "--repeat", "2")
    assert completed.returncode == 0, completed.stderr
    assert completed.stdout.splitlines() == [
        "@vector_add on Stub GPU (sm_90), CUDA 13.5 driver",
        "median 2500.00 us of 2 launches, spread 0.00 us",
        "match: c (equal)",
    ]


def test_errors_have_their_names(environment: dict[str, str], tmp_path: Path):
    case = example("gather")
    path = tmp_path / "check.py"
    path.write_text(emit(prepare(case.path, case.grid, case.arguments)))
    completed = run(environment, str(path))
    assert completed.returncode == 4
    assert "cannot run: cuLibraryGetKernel failed: CUDA_ERROR_STUB (a stub)" in completed.stderr
