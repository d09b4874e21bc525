"""The script for machines with a GPU, run on the interpreter and on a driver that is it."""

import importlib.util
import json
import sys
from pathlib import Path
from typing import Any

import pytest
from support import fake_driver
from support.examples import CUDA_TILE_NAMES, NAMES, example
from support.nvidia import tileiras

import tileir_xdsl
from tileir_xdsl.runtime.gpu import Gpu, GpuError
from tileir_xdsl.runtime.kernel import Kernel

PATH = Path(__file__).parents[3] / "tools" / "gpu_check.py"


def _load() -> Any:
    spec = importlib.util.spec_from_file_location("gpu_check", PATH)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


gpu_check = _load()
NAMES_AND_LAUNCHES: dict[str, Any] = gpu_check.example_launches()
FACTS: dict[str, Any] = {fact.id: fact for fact in gpu_check.facts()}
QUESTIONS_THAT_MATTER = (
    "reduce_accumulator_first",
    "scan_accumulator_first",
    "identity_enters_reduce_1x128",
    "identity_enters_reduce_1x256",
    "f8E4M3FN_saturates",
    "f8E5M2_saturates",
    "view_outside_reads_padding",
    "unspecified_padding_is_zero",
    "maximum_of_zeros_is_positive",
    "maximum_of_nan_1x256",
    "fpowi_is_binary_exponentiation",
    "atan2_takes_the_numerator_first",
    "atomic_add_keeps_subnormals",
    "mmaf_sums_exactly",
    "scan_keeps_the_first_128",
)


def test_questions():
    assert set(QUESTIONS_THAT_MATTER) <= set(FACTS)
    assert len(FACTS) == len(gpu_check.facts())
    assert all(
        fact.question.endswith("?") or fact.question.endswith(")?") for fact in FACTS.values()
    )


@pytest.fixture
def few_examples(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Examples enough to see that they run; all of them take long."""
    names = [*CUDA_TILE_NAMES, "sugar/softmax_rows"]
    kept = {name: NAMES_AND_LAUNCHES[name] for name in names}
    monkeypatch.setattr(gpu_check, "example_launches", lambda: kept)
    return names


def test_all_examples_are_launched():
    assert list(NAMES_AND_LAUNCHES) == NAMES


@pytest.mark.parametrize("id", FACTS)
def test_the_interpreter_answers_as_it_is_documented(id: str):
    fact = FACTS[id]
    answer = gpu_check.ask(fact, gpu_check.Interpreter(checked=False))
    if fact.dangerous:
        assert (answer.answer, "outside the index space" in answer.seen) == (None, True)
        return
    assert answer.answer is not None, answer.seen
    # The interpreter leaves identities out, as code for rows of up to 128 does.
    if fact.expected is not None and "1x256" not in id:
        assert answer.answer == fact.expected


@pytest.mark.parametrize("id", FACTS)
def test_an_answer_can_be_the_other_one(id: str):
    fact = FACTS[id]
    untouched = fact.output.copy()
    untouched.fill(77)
    assert fact.answer(untouched) is not True or id.startswith("identity_enters")


@pytest.mark.slow
@pytest.mark.parametrize("gpu", ["sm_80", "sm_90", "sm_100", "sm_120"])
def test_the_assembler_takes_every_kernel(gpu: str):
    tileiras()
    for fact in FACTS.values():
        # sm_80 has no f8.
        if gpu == "sm_80" and fact.id.startswith("f8"):
            continue
        assert tileir_xdsl.compile(tileir_xdsl.parse(fact.kernel), gpu).startswith(b"\x7fELF")


def test_on_the_interpreter(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    output = tmp_path / "facts.json"
    options = ["--engine=interpreter", "--only=facts", "--table", f"--output={output}"]
    assert gpu_check.main(options) == 0
    report = json.loads(output.read_text())
    assert [fact["id"] for fact in report["facts"]] == list(FACTS)
    assert (report["device"], report["skipped"]) == (None, [])
    assert "| question | answer | expected | seen |" in capsys.readouterr().out


def test_without_a_device(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
):
    fake_driver.install(monkeypatch).devices = 0
    output = tmp_path / "facts.json"
    assert gpu_check.main([f"--output={output}"]) == 3
    assert capsys.readouterr().err == "no device: the NVIDIA driver finds no GPU\n"
    assert not output.exists()


def test_on_a_device(
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    tmp_path: Path,
    few_examples: list[str],
):
    tileiras()
    state = fake_driver.install(monkeypatch)
    case = example("vector_add")
    small = gpu_check.Timed("vector_add", case.path, case.grid, case.arguments)
    monkeypatch.setattr(gpu_check, "timed_launches", lambda: [small])
    monkeypatch.setattr(gpu_check, "ask_in_a_process", ask_here)
    output = tmp_path / "facts.json"
    assert gpu_check.main([f"--output={output}", "--image=bytecode", "--table"]) == 0
    report = json.loads(output.read_text())
    assert report["device"]["architecture"] == "sm_90"
    assert list(report["examples"]) == few_examples
    assert all(one["match"] for one in report["examples"].values())
    (timed,) = report["times"]
    assert timed["bytes"] == 36000
    assert min(timed["median_us"], timed["median_without_tma_us"], timed["copy_us"]) > 0
    launches = [launch for launch in state.launches if launch.name == "vector_add"]
    assert len(launches) == 1 + 2 * (gpu_check.ROUNDS + gpu_check.WARM_UP)
    assert "| vector_add | " in capsys.readouterr().out
    assert state.memory == {}


def ask_here(fact: Any, device: int) -> Any:
    return gpu_check.ask(fact, gpu_check.GpuEngine(image="bytecode"))


@pytest.mark.usefixtures("few_examples")
def test_a_mismatch_fails(monkeypatch: pytest.MonkeyPatch, tmp_path: Path):
    tileiras()
    fake_driver.install(monkeypatch).flip = "1:3"
    output = tmp_path / "facts.json"
    options = [f"--output={output}", "--image=bytecode", "--only=examples"]
    assert gpu_check.main(options) == 1
    report = json.loads(output.read_text())
    assert not all(one["match"] for one in report["examples"].values())


def test_what_cannot_be_measured_is_said(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
):
    state = fake_driver.install(monkeypatch)
    state.failures["cuLibraryLoadData"] = fake_driver.INVALID_IMAGE
    monkeypatch.setenv("TILEIR_TILEIRAS", str(tmp_path / "missing"))
    case = example("vector_add")
    small = gpu_check.Timed("vector_add", case.path, case.grid, case.arguments)
    monkeypatch.setattr(gpu_check, "timed_launches", lambda: [small])
    output = tmp_path / "facts.json"
    options = [f"--output={output}", "--image=bytecode", "--only=times", "--table"]
    assert gpu_check.main(options) == 0
    report = json.loads(output.read_text())
    assert report["device"]["tileiras"] == "no tileiras"
    assert "CUDA_ERROR_INVALID_IMAGE" in report["times"][0]["error"]
    assert "error    vector_add" in capsys.readouterr().out


def test_nothing_starts_when_the_time_is_up(tmp_path: Path):
    output = tmp_path / "facts.json"
    gpu_check.main(["--engine=interpreter", "--budget=0", f"--output={output}"])
    report = json.loads(output.read_text())
    assert (report["facts"], report["examples"]) == ([], {})
    assert len(report["skipped"]) == len(FACTS) + len(NAMES)


def test_a_fact_in_a_process_of_its_own():
    if Path("/proc/driver/nvidia").exists():
        pytest.skip("there is an NVIDIA driver")
    answer = gpu_check.ask_in_a_process(FACTS["view_outside_reads_padding"], 0)
    assert answer.answer is None
    assert answer.seen.startswith("error: ")


def test_the_kernel_without_tma_says_so():
    kernel = Kernel(example("matmul").path)
    changed = gpu_check.without_tma(kernel, "sm_90")
    text = tileir_xdsl.text(changed.program)
    assert text.count("<sm_90 = {allow_tma = false}>") == 3
    assert "allow_tma" not in tileir_xdsl.text(kernel.program)


def test_launches_to_time_fit_their_kernels():
    for timed in gpu_check.timed_launches():
        launch = gpu_check.prepare(timed.path, timed.grid, timed.arguments)
        assert launch.blocks == 2048 or launch.blocks in (64, 256)


@pytest.mark.gpu
def test_all_of_it_on_a_real_device(tmp_path: Path):
    try:
        Gpu(0)
    except GpuError as error:
        pytest.skip(f"no GPU: {error}")
    output = tmp_path / "facts.json"
    assert gpu_check.main([f"--output={output}"]) == 0
    report = json.loads(output.read_text())
    assert report["skipped"] == []
    assert report["seconds"] < 180


def test_the_page_has_every_question():
    page = (PATH.parents[1] / "docs" / "device-facts.md").read_text(encoding="utf-8")
    rows = [line.split(" | ") for line in page.splitlines() if line.startswith("| ")]
    table = {row[0].removeprefix("| "): row[1] for row in rows if row[0].endswith("?")}
    words: dict[bool | None, str] = {True: "yes", False: "no", None: "open"}
    assert table == {fact.question: words[fact.expected] for fact in FACTS.values()}
