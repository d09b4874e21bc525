"""The code for the kernels of `tests/codegen` stays as small as it was measured to be.

tileiras is deterministic; the limits are for the version that pyproject.toml pins.
"""

from __future__ import annotations

import dataclasses
import importlib
import json
import sys
from pathlib import Path
from typing import Any

import pytest
from xdsl.utils.arg_spec import parse_spec

from tileir_xdsl.passes.named_pipelines import TileSugarToCudaTilePipeline

TOOLS = Path(__file__).parents[3] / "tools"

LIMITS: dict[str, tuple[int, int]] = {
    "argmax_8x128": (104, 16),
    "attention_causal_d64": (2500, 1),
    "attention_d64": (1800, 1),
    "cast_64x64": (82, 16),
    "elementwise_1024": (80, 16),
    "elementwise_1024_full": (60, 16),
    "layer_norm_4x1024": (490, 8),
    "matmul_128x256": (660, 1),
    "softmax_16x1024": (960, 3),
    "softmax_1x1024": (240, 32),
    "softmax_8x128_full": (124, 16),
    "softmax_8x128_masked": (155, 16),
    "topk_8x256": (400, 8),
}
"""By kernel, at most so many SASS instructions and at least so many blocks an SM, on sm_90."""

LOOPS = {"attention_causal_d64": 450, "attention_d64": 450, "topk_8x256": 135}
"""By kernel, at most so many instructions of its longest innermost loop, on sm_90."""


REASONS = {
    # cuda-tile's code is a loop that goes twice over half of the tile, with 16 wide loads for 32,
    # and divides in a subroutine.
    ("sm_80", "softmax_16x1024"),
}
"""Where more instructions stand than cuda-tile has, and why."""


def bench() -> Any:
    sys.path.insert(0, str(TOOLS))
    try:
        return importlib.import_module("codegen_bench")
    finally:
        sys.path.remove(str(TOOLS))


@pytest.fixture(scope="module", name="tool")
def fixture_tool() -> Any:
    pytest.importorskip("numpy")
    tool = bench()
    if not tool.tools_available():
        pytest.skip("nvdisasm and cuobjdump are not installed")
    return tool


def test_every_kernel_has_limits() -> None:
    files = Path(__file__).parents[2] / "codegen"
    assert {path.stem for path in files.glob("*.mlir")} == set(LIMITS)


def test_hot_loop_is_innermost_and_does_not_wait(tool: Any) -> None:
    def block(label: str, size: int, branch: str) -> str:
        code = "        /*0000*/                   FADD R0, R0, R1 ;\n" * size
        return f".L_x_{label}:\n{code}        /*0010*/              @P0 BRA `(.L_x_{branch}) ;\n"

    listing = block("0", 40, "9") + block("1", 20, "1") + block("2", 2, "2") + block("3", 0, "0")
    assert sys.modules["codegen_metrics"].hot_loop(listing) == 21


@pytest.mark.parametrize("name", ["default", "exact", "ftz"])
def test_a_result_names_the_pipeline_that_made_it(tool: Any, name: str) -> None:
    origin = tool.origins("sm_90")[name]
    assert "\n" not in origin
    step = parse_spec(origin)
    assert TileSugarToCudaTilePipeline.from_spec(step) == tool.pipeline("sm_90", tool.OPTIONS[name])
    fields = dataclasses.fields(TileSugarToCudaTilePipeline)
    assert set(step.parameters) == {field.name for field in fields}


def no_measures(name: str, gpu: str) -> None:
    """In place of NVIDIA's front end, which takes long."""


def test_the_file_holds_results_with_their_origins(
    tool: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "bench.json"
    monkeypatch.setattr(tool, "theirs", no_measures)
    arguments = ["--kernel", "argmax_8x128", "--gpu", "sm_90", "--json", str(file)]
    monkeypatch.setattr(sys, "argv", ["codegen_bench.py", *arguments])
    assert tool.main() == 0
    results = json.loads(file.read_text())["sm_90"]["argmax_8x128"]
    assert set(results) == set(tool.OPTIONS)
    printed = capsys.readouterr().out
    for name, result in results.items():
        assert f"{name}: {result['from']}\n" in printed
        assert result["from"] == tool.origins("sm_90")[name]
        assert f"| {result['sass']} " in printed


def test_the_guide_has_a_row_for_each_kernel(
    tool: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    measured = {"sass": 64, "threads": 128, "blocks_per_sm": 16, "stack": 8}
    results = {"sm_90": {"k": {"default": measured, "cuda-tile": {"error": "refused"}}}}
    guide = tmp_path / "guide.md"
    guide.write_text(f"before\n{tool.MARKS[0]}\nold\n{tool.MARKS[1]}\nafter\n")
    monkeypatch.setattr(tool, "GUIDE", guide)
    tool.write_guide(results)
    text = guide.read_text()
    assert "| `k` | 64 x 4, 16, stack 8 | refused |\n| all, SASS | 64 | 0 |" in text
    assert text.startswith("before\n")
    assert text.endswith("\nafter\n")
    assert "old" not in text


def test_the_guide_is_up_to_date_with_the_kernels(tool: Any) -> None:
    text = tool.GUIDE.read_text()
    tables = text[text.index(tool.MARKS[0]) : text.index(tool.MARKS[1])]
    for name in LIMITS:
        assert tables.count(f"| `{name}` |") == 4


@pytest.mark.parametrize("name", sorted(LIMITS))
def test_code_is_within_limits(tool: Any, name: str) -> None:
    found = tool.ours(tool.KERNELS / f"{name}.mlir", "sm_90", {})
    most, blocks = LIMITS[name]
    assert found.sass <= most
    assert found.loop <= LOOPS.get(name, found.sass)
    assert found.blocks_per_sm >= blocks
    assert not found.stack


def test_metrics_of_files(tool: Any, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tool.KERNELS / "cast_64x64.mlir"
    cubin, other = tmp_path / "k.cubin", tmp_path / "no.cubin"
    cubin.write_bytes(tool.assembled(path, "sm_90", {}))
    tools = importlib.import_module("codegen_metrics")
    assert tools.main(["--gpu", "sm_90", str(cubin)]) == 0
    found = tool.ours(path, "sm_90", {})
    assert f"k.cubin: sass {found.sass} loop {found.loop} " in capsys.readouterr().out
    other.write_bytes(b"no cubin")
    with pytest.raises(SystemExit):
        tools.main(["--gpu", "sm_90", str(other)])
    assert "no.cubin: nvdisasm: " in capsys.readouterr().err


@pytest.mark.slow
@pytest.mark.parametrize("gpu", ["sm_80", "sm_90", "sm_100", "sm_120"])
def test_code_is_no_larger_than_that_of_cuda_tile(tool: Any, gpu: str) -> None:
    pytest.importorskip("support.cutile_kernels", reason="cuda-tile is not installed")
    ours = theirs = 0
    for name in LIMITS:
        path = tool.KERNELS / f"{name}.mlir"
        exact, reference = tool.ours(path, gpu, {"exact": True}), tool.theirs(name, gpu)
        ours, theirs = ours + exact.sass, theirs + reference.sass
        # One warp for a row has more instructions than each of four, and fewer in all.
        warps, their_warps = exact.threads // 32, reference.threads // 32
        fewer = exact.sass * warps <= reference.sass * their_warps
        explained = (gpu, name) in REASONS or (warps < their_warps and fewer)
        assert exact.sass <= 1.02 * reference.sass or explained, name
        assert exact.blocks_per_sm >= reference.blocks_per_sm, name
    assert ours <= theirs
