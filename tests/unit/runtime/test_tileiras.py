"""Finding and calling tileiras: every failure with a tool made of a few lines of shell, and the
real tools where they are installed."""

import os
import signal
from pathlib import Path

import pytest
from support import corpus
from support.fake_tools import write_tool

from tileir_xdsl.diagnostics import Diagnostic, DiagnosticError
from tileir_xdsl.runtime import tileiras

needs_shell = pytest.mark.skipif(os.name == "nt", reason="the fake tools are shell scripts")


def write_distribution(site: Path, name: str, version: str) -> None:
    folder = site / f"{name.replace('-', '_')}-{version}.dist-info"
    folder.mkdir(parents=True)
    (folder / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n")


def assemble_errors(tool: Path, timeout: float | None = None) -> tuple[Diagnostic, ...]:
    with pytest.raises(DiagnosticError) as raised:
        tileiras.assemble(b"bytecode", "sm_100", tool, timeout=timeout, name="kernel.mlir")
    return raised.value.diagnostics


def the_error(tool: Path, timeout: float | None = None) -> Diagnostic:
    (diagnostic,) = assemble_errors(tool, timeout)
    return diagnostic


# --- known defects


@pytest.mark.parametrize("gpu", ["sm_90", "sm_100", "sm_103", "sm_107", "sm_110"])
def test_defect_of_13_4_92(gpu: str):
    assert tileiras.tileiras_args("13.4.92", gpu) == ["--opt-level", "0"]
    reason = tileiras.assembler_defect("13.4.92", gpu)
    assert reason is not None
    assert "13.4.92" in reason
    assert gpu in reason


@pytest.mark.parametrize(
    ("version", "gpu"),
    [("13.4.92", "sm_80"), ("13.4.92", "sm_120"), ("13.5.37", "sm_100"), ("13.3.36", "sm_90")],
)
def test_no_defect_elsewhere(version: str, gpu: str):
    assert tileiras.tileiras_args(version, gpu) == []
    assert tileiras.assembler_defect(version, gpu) is None


# --- finding


@pytest.fixture
def no_package(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(tileiras, "PACKAGE", "no-such-package-of-tileiras")


@pytest.fixture
def bare_environment(monkeypatch: pytest.MonkeyPatch, no_package: None, tmp_path: Path):
    empty = tmp_path / "empty"
    empty.mkdir()
    monkeypatch.setenv("PATH", str(empty))
    monkeypatch.delenv(tileiras.TILEIRAS_VARIABLE, raising=False)


@pytest.mark.usefixtures("bare_environment")
def test_no_tool_anywhere():
    with pytest.raises(DiagnosticError) as raised:
        tileiras.find_tileiras()
    (diagnostic,) = raised.value.diagnostics
    assert "not found" in diagnostic.message
    assert diagnostic.fix is not None
    assert "pip install" in diagnostic.fix
    assert tileiras.TILEIRAS_VARIABLE in diagnostic.fix


@needs_shell
@pytest.mark.usefixtures("bare_environment")
def test_order_of_search(monkeypatch: pytest.MonkeyPatch, tmp_path: Path):
    on_path = write_tool(tmp_path / "path", "tileiras", "")
    in_variable = write_tool(tmp_path / "variable", "tileiras", "")
    argument = write_tool(tmp_path / "argument", "any-name", "")

    monkeypatch.setenv("PATH", str(on_path.parent))
    assert tileiras.find_tileiras() == on_path
    monkeypatch.setenv(tileiras.TILEIRAS_VARIABLE, str(in_variable))
    assert tileiras.find_tileiras() == in_variable
    assert tileiras.find_tileiras(argument) == argument


@pytest.mark.usefixtures("bare_environment")
def test_variable_names_no_program(monkeypatch: pytest.MonkeyPatch, tmp_path: Path):
    monkeypatch.setenv(tileiras.TILEIRAS_VARIABLE, str(tmp_path / "missing"))
    with pytest.raises(
        DiagnosticError, match=f"no such program .from {tileiras.TILEIRAS_VARIABLE}"
    ):
        tileiras.find_tileiras()


def test_argument_is_no_program(tmp_path: Path):
    with pytest.raises(DiagnosticError, match="missing: error: no such program"):
        tileiras.find_tileiras(tmp_path / "missing")
    with pytest.raises(DiagnosticError, match="not an executable file"):
        tileiras.find_tileiras(tmp_path)


@needs_shell
@pytest.mark.usefixtures("bare_environment")
def test_disassembler_beside_the_assembler(monkeypatch: pytest.MonkeyPatch, tmp_path: Path):
    assembler = write_tool(tmp_path / "one", "tileiras", "")
    beside = write_tool(tmp_path / "one", "tileirdisasm", "")
    elsewhere = write_tool(tmp_path / "two", "tileirdisasm", "")
    monkeypatch.setenv(tileiras.TILEIRAS_VARIABLE, str(assembler))
    monkeypatch.setenv("PATH", str(elsewhere.parent))
    assert tileiras.find_tileirdisasm() == beside
    beside.unlink()
    assert tileiras.find_tileirdisasm() == elsewhere


# --- versions


@needs_shell
def test_version_is_asked_again_when_the_tool_changes(tmp_path: Path):
    tool = write_tool(tmp_path, "tileiras", "", "13.3.36")
    os.utime(tool, ns=(0, 1))
    assert tileiras.tool_version(tool) == "13.3.36"
    tool = write_tool(tmp_path, "tileiras", "", "13.5.37")
    os.utime(tool, ns=(0, 2))
    assert tileiras.tool_version(tool) == "13.5.37"


@needs_shell
def test_program_without_a_version(tmp_path: Path):
    tool = tmp_path / "tileiras"
    tool.write_text("#!/bin/sh\necho hello\n")
    tool.chmod(0o755)
    assert "states no version" in the_error(tool).message


def test_file_that_the_system_cannot_run(tmp_path: Path):
    tool = tmp_path / "tileiras"
    tool.write_bytes(b"\x00\x01garbage")
    tool.chmod(0o755)
    assert "cannot run tileiras" in the_error(tool).message


@needs_shell
def test_bytecode_versions(tmp_path: Path):
    listing = write_tool(tmp_path / "a", "tileiras", r'printf "13.2\n13.1\n13.3\n"', "13.3.36")
    assert tileiras.bytecode_versions(listing) == ("13.1", "13.2", "13.3")
    silent = write_tool(tmp_path / "b", "tileiras", "exit 1", "13.2.51")
    assert tileiras.bytecode_versions(silent) == ("13.1", "13.2")


@needs_shell
def test_newest_common_version(tmp_path: Path):
    old = write_tool(tmp_path / "old", "tileiras", "exit 1", "13.2.51")
    assert tileiras.newest_common_version(old) == "13.2"
    future = write_tool(tmp_path / "new", "tileiras", r'printf "13.5\n13.9\n"', "13.9.1")
    assert tileiras.newest_common_version(future) == "13.5"
    foreign = write_tool(tmp_path / "foreign", "tileiras", "echo 99.1", "99.1.0")
    with pytest.raises(DiagnosticError, match=r"reads bytecode 99\.1 and none"):
        tileiras.newest_common_version(foreign)


# --- tools of one release


@needs_shell
def test_ptxas_of_another_release_beside_the_tool(tmp_path: Path):
    tool = write_tool(tmp_path, "tileiras", 'echo cubin >"$output"', "13.5.37")
    write_tool(tmp_path, "ptxas", "", "13.4.92")
    error = the_error(tool)
    assert "tileiras 13.5.37 stands beside ptxas 13.4.92" in error.message
    assert error.fix is not None
    assert "13.5.*" in error.fix


@needs_shell
def test_other_builds_of_one_release_are_no_error(tmp_path: Path):
    tool = write_tool(tmp_path, "tileiras", 'printf cubin >"$output"', "13.3.36")
    write_tool(tmp_path, "ptxas", "", "13.3.73")
    assert tileiras.assemble(b"bytecode", "sm_100", tool) == b"cubin"


@needs_shell
@pytest.mark.parametrize("package", ["nvidia-nvvm", "nvidia-cuda-nvcc"])
def test_packages_of_different_releases(tmp_path: Path, package: str):
    site = tmp_path / "site-packages"
    tool = write_tool(site / "nvidia/cu13/bin", "tileiras", 'printf cubin >"$output"', "13.5.37")
    versions = {"nvidia-nvvm": "13.5.37", "nvidia-cuda-nvcc": "13.5.37", package: "13.4.92"}
    for name, version in versions.items():
        write_distribution(site, name, version)
    assert f"stands beside {package} 13.4.92;" in the_error(tool).message


@needs_shell
def test_packages_of_one_release(tmp_path: Path):
    site = tmp_path / "site-packages"
    tool = write_tool(site / "nvidia/cu13/bin", "tileiras", 'printf cubin >"$output"', "13.5.37")
    for name in tileiras.COMPANION_PACKAGES:
        write_distribution(site, name, "13.5.37")
    assert tileiras.assemble(b"bytecode", "sm_100", tool) == b"cubin"


# --- assembling


@needs_shell
def test_arguments_and_input(tmp_path: Path):
    tool = write_tool(tmp_path, "tileiras", '{ echo "$arguments"; cat "$source"; } >"$output"')
    words, _, source = tileiras.assemble(
        b"\x00bytecode", "sm_120", tool, extra_args=["--lineinfo"]
    ).partition(b"\n")
    assert source == b"\x00bytecode"
    assert words.startswith(b"--gpu-name sm_120 --lineinfo --output-file ")


@needs_shell
def test_arguments_that_avoid_a_defect_come_before_the_caller_s(tmp_path: Path):
    tool = write_tool(tmp_path, "tileiras", 'echo "$arguments" >"$output"', "13.4.92")
    given = ["--opt-level", "2"]
    assert tileiras.assemble(b"", "sm_90", tool, given).startswith(
        b"--gpu-name sm_90 --opt-level 0 --opt-level 2 "
    )
    assert b"--opt-level" not in tileiras.assemble(b"", "sm_80", tool)


@needs_shell
def test_unreadable(tmp_path: Path):
    body = "echo 'error: input does not correspond to Tile IR bytecode' >&2; exit 3"
    error = the_error(write_tool(tmp_path, "tileiras", body))
    assert error.path == "kernel.mlir"
    assert "not Tile IR bytecode that tileiras 13.5.37 for sm_100 reads" in error.message


@needs_shell
def test_reason_of_an_unreadable_program(tmp_path: Path):
    body = """
echo "error: 'cuda_tile.addf' op flush_to_zero modifier only supported for f32" >&2
echo "error: verification failed for deserialized cuda_tile::ModuleOp" >&2
echo "error: input does not correspond to Tile IR bytecode" >&2
exit 3"""
    error = the_error(write_tool(tmp_path, "tileiras", body))
    assert error.message == "'cuda_tile.addf' op flush_to_zero modifier only supported for f32"
    assert [note.message for note in error.notes] == ["reported by tileiras 13.5.37 for sm_100"]


@needs_shell
def test_not_compilable(tmp_path: Path):
    body = "echo 'error: failed to compile Tile IR program' >&2; exit 5"
    tool = write_tool(tmp_path, "tileiras", body)
    error = the_error(tool)
    assert error.message.startswith("tileiras 13.5.37 for sm_100 cannot compile this program")
    assert [note.message for note in error.notes] == ["there is no ptxas beside tileiras"]
    write_tool(tmp_path, "ptxas", "")
    assert the_error(tool).notes == []


@needs_shell
def test_place_from_debug_info(tmp_path: Path):
    body = """
cat >&2 <<'END'
#cuda_tile.di_loc<loc("/k/a.py":30:13) in #cuda_tile.di_subprogram<line = 29>>: error: no f8E5M2
error: failed to compile Tile IR program
END
exit 5"""
    error = the_error(write_tool(tmp_path, "tileiras", body))
    assert error.message == "no f8E5M2"
    assert error.path == "/k/a.py"
    assert error.range is not None
    assert (error.range.start.line, error.range.start.column) == (30, 13)


@needs_shell
def test_several_messages_keep_their_severities(tmp_path: Path):
    body = "printf 'warning: first\\nerror: second\\nnoise\\nerror: third\\n' >&2; exit 5"
    diagnostics = assemble_errors(write_tool(tmp_path, "tileiras", body))
    assert [(d.severity.value, d.message) for d in diagnostics] == [
        ("warning", "first"),
        ("error", "second"),
        ("error", "third"),
    ]


@needs_shell
def test_unknown_gpu(tmp_path: Path):
    body = """
echo "tileiras: for the --gpu-name option: Cannot find option named 'sm_100'!" >&2
exit 1"""
    assert the_error(write_tool(tmp_path, "tileiras", body)).message == "unknown GPU 'sm_100'"


@needs_shell
def test_path_of_the_temporary_file_stays_inside(tmp_path: Path):
    body = """echo "error: unable to read input file '$source': busy" >&2; exit 1"""
    error = the_error(write_tool(tmp_path, "tileiras", body))
    assert error.message == "unable to read input file 'kernel.mlir': busy"


@needs_shell
def test_silent_failure(tmp_path: Path):
    error = the_error(write_tool(tmp_path, "tileiras", "exit 9"))
    assert "failed with exit status 9" in error.message


@needs_shell
def test_crash(tmp_path: Path):
    error = the_error(write_tool(tmp_path, "tileiras", "kill -SEGV $$"))
    assert f"ended by signal {signal.SIGSEGV.value}: a defect of the tool" in error.message


@needs_shell
def test_success_without_output(tmp_path: Path):
    assert "without an output" in the_error(write_tool(tmp_path, "tileiras", "exit 0")).message


@needs_shell
def test_timeout(tmp_path: Path):
    error = the_error(write_tool(tmp_path, "tileiras", "exec sleep 30"), timeout=0.2)
    assert error.message == "tileiras did not finish within 0.2 s"


# --- disassembling


@needs_shell
def test_disassemble_passes_text_and_arguments_on(tmp_path: Path):
    tool = write_tool(
        tmp_path, "tileirdisasm", r'echo "$arguments" | cut -d " " -f 1; printf "\377"'
    )
    assert tileiras.disassemble(b"", debuginfo=True, tool=tool) == "--print-debug-info\n\udcff"
    assert "--print-debug-info" not in tileiras.disassemble(b"", tool=tool)


@needs_shell
def test_disassemble_refused(tmp_path: Path):
    body = "echo 'error: failed to read provided Tile IR bytecode' >&2; exit 3"
    tool = write_tool(tmp_path, "tileirdisasm", body)
    with pytest.raises(DiagnosticError, match=r"k\.bc: error: not Tile IR bytecode that tileirdis"):
        tileiras.disassemble(b"", tool=tool, name="k.bc")


# --- the real tools


@pytest.fixture(scope="module")
def real_tool() -> Path:
    try:
        return tileiras.find_tileiras()
    except DiagnosticError as error:
        pytest.skip(f"needs NVIDIA's tileiras: {error.diagnostics[0].message}")


@pytest.fixture(scope="module")
def real_disassembler() -> Path:
    try:
        return tileiras.find_tileirdisasm()
    except DiagnosticError as error:
        pytest.skip(f"needs NVIDIA's tileirdisasm: {error.diagnostics[0].message}")


def test_real_tool_assembles(real_tool: Path):
    cubin = tileiras.assemble(corpus.case("real/13.1/axpy_f32").bytecode, "sm_100", real_tool)
    assert cubin.startswith(b"\x7fELF")


def test_real_tool_reads_what_we_write(real_tool: Path):
    assert tileiras.newest_common_version(real_tool) in corpus.VERSIONS


def test_real_tool_says_what_it_refuses(real_tool: Path):
    case = next(c.case for c in corpus.verifier_cases() if c.what == "addf ftz on f16")
    with pytest.raises(DiagnosticError, match=r"'cuda_tile\.addf' op flush_to_zero"):
        tileiras.assemble(case.bytecode, "sm_100", real_tool)


def test_real_tool_refuses_garbage(real_tool: Path):
    with pytest.raises(DiagnosticError, match="not Tile IR bytecode"):
        tileiras.assemble(b"garbage", "sm_100", real_tool)


def test_real_tool_refuses_unknown_gpu(real_tool: Path):
    with pytest.raises(DiagnosticError, match="unknown GPU 'sm_1'"):
        tileiras.assemble(corpus.case("real/13.1/axpy_f32").bytecode, "sm_1", real_tool)


def test_real_disassembler(real_disassembler: Path):
    case = corpus.case("real/13.1/axpy_f32")
    text = tileiras.disassemble(case.bytecode, tool=real_disassembler)
    assert text.encode("utf-8", "surrogateescape") == case.text
    text = tileiras.disassemble(case.bytecode, debuginfo=True, tool=real_disassembler)
    assert text.encode("utf-8", "surrogateescape") == case.g_text
