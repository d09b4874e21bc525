"""`tile-run`'s options that launch."""

import runpy
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from support import fake_driver
from support.examples import PATH as EXAMPLES
from support.fake_driver import State

from tileir_xdsl.cli.tile_run import main

VECTOR_ADD = str(EXAMPLES.parent / "cuda_tile" / "vector_add.mlir")
ARGUMENTS = [
    VECTOR_ADD,
    "--grid=2",
    "--arg=a=random:2000",
    "--arg=b=random:2000",
    "--arg=c=zeros:2000",
    "--arg=n=2000",
]
ON_GPU = ["--engine=gpu", "--image=bytecode"]

SUGAR = """
tile_sugar.kernel @shift(%X: tensor<?x8xui8> {multiple = [2, 0]}, %Y: tensor<?x8xui8>, %n: i32)
    grid(ceildiv(dim %X 0, 4)) {
  %b = block_id 0
  %c4 = arith.constant 4 : i32
  %r = arith.muli %b, %c4 : i32
  %x = load %X[%r, %n] : tensor<?x8xui8> -> tile<4x8xui8>
  store %x, %Y[%r, 0] : tile<4x8xui8>, tensor<?x8xui8>
  return
}
"""


@pytest.fixture
def device(monkeypatch: pytest.MonkeyPatch) -> State:
    return fake_driver.install(monkeypatch)


def test_the_gpu(device: State, capsys: pytest.CaptureFixture[str], tmp_path: Path):
    path = tmp_path / "c.npy"
    assert main([*ARGUMENTS, *ON_GPU, f"--save=c={path}", "--print=c"]) == 0
    captured = capsys.readouterr()
    assert captured.err == "@vector_add ran on gpu (Fake GPU, sm_90)\n"
    assert captured.out.startswith("c = [")
    assert np.load(path).any()
    assert len(device.launches) == 1


def test_both_and_compare(device: State, capsys: pytest.CaptureFixture[str]):
    assert main([*ARGUMENTS, "--compare", "--image=bytecode"]) == 0
    assert "1 array as the interpreter computes them" in capsys.readouterr().err
    device.flip = "2:400"
    assert main([*ARGUMENTS, "--compare", "--image=bytecode"]) == 1
    error = capsys.readouterr().err
    assert "@vector_add on gpu (Fake GPU, sm_90) does not compute what it should" in error
    assert "note: c: 1 of 2000 elements differ" in error
    assert "[100]: " in error
    assert main([*ARGUMENTS, "--compare", "--image=bytecode", "--ulps=1"]) == 0
    assert main([*ARGUMENTS, "--compare", "--image=bytecode", "--atol=1e-3"]) == 0


def test_times_are_taken_of_equal_launches(device: State, capsys: pytest.CaptureFixture[str]):
    assert main([*ARGUMENTS, *ON_GPU, "--repeat=5", "--quiet"]) == 0
    line = capsys.readouterr().out
    assert line.startswith("@vector_add on gpu (Fake GPU, sm_90): median ")
    assert "of 5 launches; 32000 bytes at " in line
    assert len(device.launches) == 6
    assert device.called("cuEventElapsedTime") == 5


def test_times_of_the_interpreter(capsys: pytest.CaptureFixture[str]):
    assert main([*ARGUMENTS, "--repeat=2"]) == 0
    captured = capsys.readouterr()
    assert "@vector_add on interpreter: median " in captured.out
    assert "2 blocks of grid 2x1x1" in captured.err


def test_a_harness(tmp_path: Path, capsys: pytest.CaptureFixture[str], device: State):
    path = tmp_path / "check.py"
    assert main([*ARGUMENTS, f"--emit-harness={path}"]) == 0
    assert capsys.readouterr().err == f"wrote {path}\n"
    assert "    python check.py [--repeat 20]" in path.read_text()
    module: Any = runpy.run_path(str(path), run_name="check")
    assert module["main"](module["DATA"], []) == 0
    assert device.called("cuLaunchKernel") == 1


def test_a_harness_and_a_run(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    path = tmp_path / "check.py"
    assert main([*ARGUMENTS, f"--emit-harness={path}", "--print=c"]) == 0
    assert capsys.readouterr().out.startswith("c = [")


def test_an_undefined_launch_leaves_no_harness(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    path = tmp_path / "check.py"
    assert main([*ARGUMENTS[:-1], "--arg=n=3000", f"--emit-harness={path}"]) == 1
    assert "out" in capsys.readouterr().err
    assert not path.exists()


def test_a_harness_that_cannot_be_written(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    assert main([*ARGUMENTS, f"--emit-harness={tmp_path / 'missing' / 'check.py'}"]) == 1
    assert "cannot write the file" in capsys.readouterr().err


def test_no_device(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]):
    fake_driver.install(monkeypatch).devices = 0
    for options in (["--engine=gpu"], ["--compare"]):
        assert main([*ARGUMENTS, *options]) == 1
        assert "error: the NVIDIA driver finds no GPU" in capsys.readouterr().err


def test_kernels_of_tile_sugar(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    source = tmp_path / "shift.mlir"
    source.write_text(SUGAR)
    arguments = [str(source), "--arg=X=iota:6x8", "--arg=Y=ones:6x8", "--arg=%n=1", "--print=Y"]
    assert main(arguments) == 0
    out = capsys.readouterr().out
    assert out.startswith("Y = [[ 1,  2,  3,  4,  5,  6,  7,  0],")
    assert main([*arguments, "--grid=1"]) == 0
    assert "1,  1,  1,  1,  1,  1,  1,  1]]" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ("--arg=X=iota:5x8", "argument 'X' (tensor<?x8xui8>): extent 0 is 5, no multiple of 2"),
        ("--arg=X=iota:8", "the array has rank 1, not 2"),
        ("--arg=X=iota:f32:6x8", "the array holds float32"),
        ("--arg=X=nonsense", "--arg X: 'nonsense' is no array"),
        ("--arg=Z=1", "@shift has no parameter 'Z'; it has X, Y, n"),
    ],
)
def test_mistakes(tmp_path: Path, capsys: pytest.CaptureFixture[str], changed: str, message: str):
    source = tmp_path / "shift.mlir"
    source.write_text(SUGAR)
    arguments = ["--arg=X=iota:6x8", "--arg=Y=ones:6x8", "--arg=n=1"]
    name = changed.split("=")[1]
    kept = [a for a in arguments if a.split("=")[1] != name]
    assert main([str(source), *kept, changed]) == 1
    error = capsys.readouterr().err
    assert message in error
    assert f"{source}:2:1: error" in error


def test_a_missing_argument(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    source = tmp_path / "shift.mlir"
    source.write_text(SUGAR)
    assert main([str(source), "--arg=X=iota:6x8", "--arg=n=1"]) == 1
    error = capsys.readouterr().err
    assert "no argument for parameter 'Y' of @shift" in error
    assert "--arg Y=VALUE" in error
