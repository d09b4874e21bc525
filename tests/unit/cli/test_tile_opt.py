"""The command line of `tile-opt`: where output goes, and what a user's mistakes look like.

Every mistake is one line on standard error, exit status 1, and no trace in the file system.
"""

from __future__ import annotations

import json
import os
import stat
import subprocess
import sys
import tomllib
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TypeAlias

import pytest

import tileir_xdsl
from tileir_xdsl.cli.tile_opt import main

ROOT = Path(__file__).parents[3]

KERNEL = """\
entry @k(%arg0: tile<f32>) {
  %0 = negf %arg0 : tile<f32>
  return
}
"""
NEEDS_13_4 = "entry @k() {\n  %0 = gdc_wait_tko -> token\n}\n"
BROKEN = "entry @k() {\n  nonsense\n}\n"


@dataclass(frozen=True)
class Outcome:
    status: int
    stdout: bytes
    stderr: str

    @property
    def text(self) -> str:
        return self.stdout.decode()


TileOpt: TypeAlias = Callable[..., Outcome]
"""Takes the arguments, as strings or paths."""


@pytest.fixture
def tile_opt(capfdbinary: pytest.CaptureFixture[bytes]) -> TileOpt:
    """Runs the tool in this process."""

    def run(*arguments: str | Path) -> Outcome:
        status = main([str(argument) for argument in arguments])
        captured = capfdbinary.readouterr()
        return Outcome(status, captured.out, captured.err.decode())

    return run


def run_process(*arguments: str | Path, stdin: bytes = b"") -> Outcome:
    """Runs the tool as a process of its own."""
    command = [sys.executable, "-m", "tileir_xdsl.cli.tile_opt", *map(str, arguments)]
    completed = subprocess.run(command, input=stdin, capture_output=True, cwd=ROOT, check=False)
    return Outcome(completed.returncode, completed.stdout, completed.stderr.decode())


def shell(script: str, *arguments: str | Path) -> Outcome:
    """Runs a shell line in which `$TILE_OPT` is the tool and `$1`, `$2`, .. the arguments."""
    completed = subprocess.run(
        ["bash", "-c", script, "bash", *map(str, arguments)],
        stdin=subprocess.DEVNULL,
        capture_output=True,
        cwd=ROOT,
        env={**os.environ, "TILE_OPT": f"{sys.executable} -m tileir_xdsl.cli.tile_opt"},
        check=False,
    )
    return Outcome(completed.returncode, completed.stdout, completed.stderr.decode())


def write(path: Path, content: str | bytes) -> Path:
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return path


@pytest.fixture
def kernel(tmp_path: Path) -> Path:
    return write(tmp_path / "kernel.mlir", KERNEL)


def names(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


def assert_refused(outcome: Outcome, message: str) -> None:
    """One line that ends in `message`, and nothing else."""
    assert outcome.status == 1
    assert outcome.stdout == b""
    first, *rest = outcome.stderr.splitlines()
    assert first.endswith(f"error: {message}"), outcome.stderr
    assert all(not line or line[0] in " ^" or "note:" in line for line in rest[1:]), rest


# Where the output goes.


def test_text_goes_to_standard_output(tile_opt: TileOpt, kernel: Path):
    assert tile_opt(kernel) == Outcome(0, KERNEL.encode(), "")


def test_standard_input_is_the_default():
    assert run_process(stdin=KERNEL.encode()).text == KERNEL
    assert run_process("-", stdin=KERNEL.encode()).text == KERNEL


def test_bytecode_goes_to_standard_output_as_it_is(tile_opt: TileOpt, kernel: Path):
    outcome = tile_opt(kernel, "-t", "tileirbc", "--bytecode-version", "13.1")
    assert outcome.status == 0
    assert outcome.stdout == tileir_xdsl.encode(tileir_xdsl.parse(KERNEL), "13.1")


def test_bytecode_is_written_in_the_default_version(
    tile_opt: TileOpt, kernel: Path, tmp_path: Path
):
    output = tmp_path / "kernel.tileirbc"
    assert tile_opt(kernel, "-t", "tileirbc", "-o", output) == Outcome(0, b"", "")
    assert output.read_bytes() == tileir_xdsl.encode(tileir_xdsl.parse(KERNEL), "13.3")


def test_bytecode_is_read_from_files_and_standard_input(
    tile_opt: TileOpt, kernel: Path, tmp_path: Path
):
    output = tmp_path / "kernel.tileirbc"
    tile_opt(kernel, "-t", "tileirbc", "-o", output)
    assert tile_opt(output, "--bare").text == KERNEL
    assert run_process("-", "--bare", stdin=output.read_bytes()).text == KERNEL


def test_bytecode_is_refused_on_a_terminal(kernel: Path):
    pty = pytest.importorskip("pty")
    master, slave = pty.openpty()
    process = subprocess.run(
        [sys.executable, "-m", "tileir_xdsl.cli.tile_opt", str(kernel), "-t", "tileirbc"],
        stdin=subprocess.DEVNULL,
        stdout=slave,
        stderr=subprocess.PIPE,
        cwd=ROOT,
        check=False,
    )
    os.write(slave, b"end")
    shown = os.read(master, 1000)
    os.close(master)
    os.close(slave)
    assert process.returncode == 1
    assert process.stderr == (b"<stdout>: error: will not write bytes to a terminal; use -o FILE\n")
    assert shown == b"end"


def test_new_files_have_the_permissions_of_the_umask(
    tile_opt: TileOpt, kernel: Path, tmp_path: Path
):
    output = tmp_path / "out.mlir"
    previous = os.umask(0o027)
    try:
        tile_opt(kernel, "-o", output)
    finally:
        os.umask(previous)
    assert stat.S_IMODE(output.stat().st_mode) == 0o640


def test_replaced_files_keep_their_permissions(tile_opt: TileOpt, kernel: Path, tmp_path: Path):
    output = write(tmp_path / "out.mlir", "before")
    output.chmod(0o755)
    tile_opt(kernel, "-o", output)
    assert output.read_text() == KERNEL
    assert stat.S_IMODE(output.stat().st_mode) == 0o755


def test_output_through_a_symbolic_link(tile_opt: TileOpt, kernel: Path, tmp_path: Path):
    target = write(tmp_path / "target.mlir", "before")
    link = tmp_path / "link.mlir"
    link.symlink_to(target.name)
    tile_opt(kernel, "-o", link)
    assert link.is_symlink()
    assert target.read_text() == KERNEL


def test_the_input_may_be_replaced(tile_opt: TileOpt, tmp_path: Path):
    file = write(tmp_path / "kernel.mlir", KERNEL.replace("%0", "%x").replace("%arg0", "%y"))
    assert tile_opt(file, "-o", file).status == 0
    assert file.read_text() == KERNEL
    assert names(tmp_path) == ["kernel.mlir"]


def test_output_to_a_device(tile_opt: TileOpt, kernel: Path):
    assert tile_opt(kernel, "-o", "/dev/null") == Outcome(0, b"", "")


def test_a_reader_that_goes_away_is_no_error(tmp_path: Path):
    body = "".join(f"entry @k{n}() {{\n}}\n" for n in range(3000))
    file = write(tmp_path / "long.mlir", body)
    outcome = shell("set -o pipefail; $TILE_OPT $1 | head -n 1", file)
    assert outcome == Outcome(0, b"entry @k0() {\n", "")


# Output that cannot be written.


def test_errors_leave_no_file(tile_opt: TileOpt, tmp_path: Path):
    file = write(tmp_path / "broken.mlir", BROKEN)
    outcome = tile_opt(file, "-o", tmp_path / "out.mlir")
    assert outcome.status == 1
    assert "error: unknown operation 'nonsense'" in outcome.stderr
    assert names(tmp_path) == ["broken.mlir"]


def test_a_version_gate_leaves_no_file(tile_opt: TileOpt, tmp_path: Path):
    file = write(tmp_path / "new.mlir", NEEDS_13_4)
    output = tmp_path / "out.tileirbc"
    outcome = tile_opt(file, "-t", "tileirbc", "--bytecode-version", "13.3", "-o", output)
    assert outcome.status == 1
    assert outcome.stderr.splitlines()[0] == (
        f"{file}:2:8: error: 'cuda_tile.gdc_wait_tko': the operation needs bytecode version "
        "13.4, but version 13.3 was asked for"
    )
    assert names(tmp_path) == ["new.mlir"]


def test_errors_leave_an_existing_file_as_it_was(tile_opt: TileOpt, tmp_path: Path):
    file = write(tmp_path / "new.mlir", NEEDS_13_4)
    output = write(tmp_path / "out.tileirbc", "before")
    assert tile_opt(file, "-t", "tileirbc", "-o", output).status == 1
    assert output.read_text() == "before"
    assert names(tmp_path) == ["new.mlir", "out.tileirbc"]


def test_output_into_a_missing_directory(tile_opt: TileOpt, kernel: Path, tmp_path: Path):
    output = tmp_path / "missing" / "out.mlir"
    assert_refused(
        tile_opt(kernel, "-o", output), "cannot write the file: no such file or directory"
    )
    assert names(tmp_path) == ["kernel.mlir"]


def test_output_to_a_directory(tile_opt: TileOpt, kernel: Path, tmp_path: Path):
    assert_refused(tile_opt(kernel, "-o", tmp_path), "cannot write the file: it is a directory")


def test_output_below_a_file(tile_opt: TileOpt, kernel: Path):
    assert_refused(
        tile_opt(kernel, "-o", kernel / "out.mlir"), "cannot write the file: not a directory"
    )


@pytest.mark.skipif(os.name == "nt" or os.geteuid() == 0, reason="may write everywhere")
def test_output_into_a_directory_without_permission(
    tile_opt: TileOpt, kernel: Path, tmp_path: Path
):
    folder = tmp_path / "closed"
    folder.mkdir(mode=0o500)
    assert_refused(
        tile_opt(kernel, "-o", folder / "out.mlir"), "cannot write the file: permission denied"
    )


@pytest.mark.parametrize("target", ["mlir", "tileirbc"])
def test_full_standard_output(kernel: Path, target: str):
    if not os.path.exists("/dev/full"):
        pytest.skip("there is no /dev/full")
    outcome = shell("$TILE_OPT $1 -t $2 > /dev/full", kernel, target)
    assert outcome == Outcome(1, b"", "<stdout>: error: cannot write: no space left on device\n")


def test_full_output_file(tile_opt: TileOpt, kernel: Path):
    if not os.path.exists("/dev/full"):
        pytest.skip("there is no /dev/full")
    assert_refused(
        tile_opt(kernel, "-o", "/dev/full"), "cannot write the file: no space left on device"
    )


def test_closed_streams(kernel: Path):
    assert shell("$TILE_OPT <&-").stderr == "<stdin>: error: standard input is closed\n"
    assert shell("$TILE_OPT $1 >&-", kernel).stderr == (
        "<stdout>: error: standard output is closed\n"
    )
    assert shell("$TILE_OPT $1.missing 2>&-", kernel).status == 1


@pytest.mark.parametrize("option", ["-o", None])
def test_names_that_no_file_has(tile_opt: TileOpt, kernel: Path, option: str | None):
    verb = "read" if option is None else "write"
    for name, message in (("", "its name is empty"), ("a\0b", "its name has a NUL character")):
        arguments = (name,) if option is None else (kernel, option, name)
        assert_refused(tile_opt(*arguments), f"cannot {verb} the file: {message}")


# Input that cannot be read.


def test_missing_file(tile_opt: TileOpt, tmp_path: Path):
    file = tmp_path / "missing.mlir"
    outcome = tile_opt(file)
    assert outcome == Outcome(
        1, b"", f"{file}: error: cannot read the file: no such file or directory\n"
    )


def test_directory(tile_opt: TileOpt, tmp_path: Path):
    assert_refused(tile_opt(tmp_path), "cannot read the file: is a directory")


@pytest.mark.skipif(os.name == "nt" or os.geteuid() == 0, reason="may read everything")
def test_unreadable_file(tile_opt: TileOpt, kernel: Path):
    kernel.chmod(0)
    assert_refused(tile_opt(kernel), "cannot read the file: permission denied")


def test_empty_file(tile_opt: TileOpt, tmp_path: Path):
    assert_refused(tile_opt(write(tmp_path / "empty.mlir", "")), "the input is empty")


BINARY = bytes(range(256)) * 4


@pytest.mark.parametrize(
    "data",
    [BINARY, b"\0", KERNEL.encode("utf-16"), b"\x7fELF" + BINARY, b"\x7fTileIR\x01" + BINARY],
    ids=["bytes", "nul", "utf-16", "elf", "almost-bytecode"],
)
def test_binary_garbage(tile_opt: TileOpt, tmp_path: Path, data: bytes):
    assert_refused(
        tile_opt(write(tmp_path / "garbage", data)),
        "neither Tile IR text nor bytecode: the file is binary",
    )


@pytest.mark.parametrize("length", [8, 12, 40, 60])
def test_truncated_bytecode(tile_opt: TileOpt, tmp_path: Path, length: int):
    data = tileir_xdsl.encode(tileir_xdsl.parse(KERNEL))[:length]
    outcome = tile_opt(write(tmp_path / "short.tileirbc", data), "-o", tmp_path / "out")
    assert outcome.status == 1
    assert outcome.stderr.startswith(f"{tmp_path / 'short.tileirbc'}:+0x")
    assert not (tmp_path / "out").exists()


def test_text_that_is_no_utf8(tile_opt: TileOpt, tmp_path: Path):
    file = write(tmp_path / "latin.mlir", KERNEL.encode() + b"\xe9\n")
    outcome = tile_opt(file)
    assert outcome.status == 1
    assert outcome.stderr.splitlines()[0] == f"{file}:5:1: error: byte 0xE9 is not UTF-8 text"


def test_plain_prose(tile_opt: TileOpt, tmp_path: Path):
    file = write(tmp_path / "prose.txt", "once upon a time\n")
    assert tile_opt(file).stderr.startswith(f"{file}:1:1: error: unknown operation 'once'")


def test_too_large_input(tile_opt: TileOpt, kernel: Path):
    assert_refused(
        tile_opt(kernel, "--max-input-mb", "0.00001"),
        "the input is larger than 1e-05 MiB; raise --max-input-mb",
    )
    large = b"//" + b" " * (1 << 20) + b"\n" + KERNEL.encode()
    assert run_process("--max-input-mb", "1", stdin=large).status == 1
    assert run_process("--max-input-mb", "1.1", stdin=large).text == KERNEL


# Nesting.


def nested(depth: int, before: str, middle: str, after: str) -> str:
    return before * depth + middle + after * depth


DEEP = {
    "regions": (
        nested(5000, "if %c {\n", "", "}\n"),
        "regions are nested more than 256 deep",
    ),
    "arrays": (
        f"%0 = negf %x {{a = {nested(1000, '[', '', ']')}}} : tile<f32>",
        "attributes are nested more than 128 deep",
    ),
    "dictionaries": (
        f"%0 = negf %x {{a = {nested(1000, '{a = ', '1', '}')}}} : tile<f32>",
        "attributes are nested more than 128 deep",
    ),
    "locations": (
        f"%0 = negf %x : tile<f32> loc({nested(1000, 'callsite(', 'unknown', ' at unknown)')})",
        "locations are nested more than 128 deep",
    ),
    "endless arrays": (
        f"%0 = negf %x {{a = {'[' * 100_000}",
        "nested too deeply",
    ),
    "endless types": (
        f"%0 = constant <f32: 0.0> : {'tile<' * 100_000}",
        "nested too deeply",
    ),
    "endless lists": (
        f"%0 = constant <f32: {'[' * 100_000}",
        "nested too deeply",
    ),
}


@pytest.mark.parametrize("kind", DEEP)
def test_deep_nesting_is_an_error(tile_opt: TileOpt, tmp_path: Path, kind: str):
    line, message = DEEP[kind]
    file = write(tmp_path / "deep.mlir", f"entry @k(%c: tile<i1>, %x: tile<f32>) {{\n{line}\n}}\n")
    outcome = tile_opt(file)
    assert outcome.status == 1
    assert outcome.stderr.splitlines()[0].endswith(f"error: {message}")


def test_nesting_up_to_the_limit(tile_opt: TileOpt, tmp_path: Path):
    body = nested(254, "if %c {\n", "", "}\n")
    file = write(tmp_path / "deep.mlir", f"entry @k(%c: tile<i1>) {{\n{body}}}\n")
    output = tmp_path / "out.mlir"
    for options in ((), ("--print-op-generic", "--print-debuginfo")):
        assert tile_opt(file, "-o", output, *options).status == 0
        assert tile_opt(output, "--bare").text == tile_opt(file).text


@pytest.mark.parametrize("line", ["loc(callsite(#a{0} at #a{0}))", "[#a{0}, #a{0}]"])
@pytest.mark.parametrize("order", [1, -1], ids=["forward", "backward"])
def test_aliases_that_double_with_each_line(
    tile_opt: TileOpt, tmp_path: Path, line: str, order: int
):
    aliases = [f"#a{n} = {line.format(n + 1)}" for n in range(100)]
    aliases.append("#a100 = loc(unknown)" if "loc" in line else "#a100 = 1")
    use = (
        "%0 = negf %x : tile<f32> loc(#a0)"
        if "loc" in line
        else ("%0 = negf %x {a = #a0} : tile<f32>")
    )
    text = "\n".join([f"entry @k(%x: tile<f32>) {{\n{use}\n}}", *aliases[::order], ""])
    outcome = tile_opt(write(tmp_path / "aliases.mlir", text), "-t", "tileirbc")
    assert outcome.status == 1
    assert "parts, aliases written out" in outcome.stderr


def test_an_alias_of_itself(tile_opt: TileOpt, tmp_path: Path):
    text = "entry @k() {\n} loc(#a)\n#a = loc(callsite(#b at #b))\n#b = loc(callsite(#a at #a))\n"
    outcome = tile_opt(write(tmp_path / "cycle.mlir", text))
    assert outcome.status == 1
    assert "is defined by itself" in outcome.stderr


# Options.


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["-p", "no-such-pass"], "unknown pass 'no-such-pass'"),
        (["-t", "tileirbc{"], "a target or frontend is NAME or NAME{OPTION=VALUE ...}"),
        (["-t", "tileirbc{a=1}"], "target 'tileirbc' takes no options in braces"),
        (["-t"], "argument -t/--target: expected one argument"),
        (["--no-such-option"], "unrecognized arguments: --no-such-option"),
        (["--bare", "--wrapped"], "argument --wrapped: not allowed with argument --bare"),
        (["--max-input-mb", "x"], "argument --max-input-mb: 'x' is no positive number"),
        (["--max-input-mb", "-1"], "argument --max-input-mb: '-1' is no positive number"),
        (["--max-input-mb", "nan"], "argument --max-input-mb: 'nan' is no positive number"),
        (
            ["--bytecode-version", "13.9"],
            "unknown bytecode version '13.9', expected one of 13.1, 13.2, 13.3, 13.4, 13.5",
        ),
        (
            ["-t", "tileirbc", "--bytecode-version", "newest"],
            "unknown bytecode version 'newest', expected one of 13.1, 13.2, 13.3, 13.4, 13.5",
        ),
    ],
)
def test_wrong_options(tile_opt: TileOpt, kernel: Path, options: list[str], message: str):
    outcome = tile_opt(kernel, *options)
    assert outcome == Outcome(1, b"", f"tile-opt: error: {message}\n")


def test_unknown_target_lists_the_known_ones(tile_opt: TileOpt, kernel: Path):
    outcome = tile_opt(kernel, "-t", "nosuch")
    assert outcome.status == 1
    assert outcome.stderr.startswith(
        "tile-opt: error: argument -t/--target: invalid choice: 'nosuch' (choose from "
    )
    assert "tileirbc" in outcome.stderr
    assert outcome.stderr.count("\n") == 1


def test_foreign_target_refuses_our_program(tile_opt: TileOpt, kernel: Path):
    assert_refused(
        tile_opt(kernel, "-t", "riscv-asm"), "target 'riscv-asm' cannot write this program"
    )


def test_version_and_help(capfd: pytest.CaptureFixture[str]):
    assert main(["--version"]) == 0
    assert capfd.readouterr().out.startswith(f"tile-opt {tileir_xdsl.__version__} (xDSL ")
    with pytest.raises(SystemExit) as exit:
        main(["--help"])
    assert exit.value.code == 0
    assert "--bytecode-version" in capfd.readouterr().out


def test_json_diagnostics(tile_opt: TileOpt, tmp_path: Path):
    file = write(tmp_path / "broken.mlir", BROKEN)
    outcome = tile_opt(file, "--diagnostics=json")
    (diagnostic,) = json.loads(outcome.stderr)["diagnostics"]
    assert outcome.status == 1
    assert diagnostic["severity"] == "error"
    assert diagnostic["message"] == "unknown operation 'nonsense'"
    assert diagnostic["range"]["start"]["line"] == 2


def test_json_diagnostics_of_a_good_program(tile_opt: TileOpt, kernel: Path):
    outcome = tile_opt(kernel, "--diagnostics=json")
    assert outcome.text == KERNEL
    assert json.loads(outcome.stderr)["diagnostics"] == []


def test_sarif_diagnostics(tile_opt: TileOpt, tmp_path: Path):
    outcome = tile_opt(write(tmp_path / "broken.mlir", BROKEN), "--diagnostics=sarif")
    (result,) = json.loads(outcome.stderr)["runs"][0]["results"]
    assert result["level"] == "error"


# Several programs in one file.


def test_split_input_keeps_line_numbers(tile_opt: TileOpt, tmp_path: Path):
    file = write(tmp_path / "two.mlir", f"{KERNEL}// -----\n{BROKEN}")
    outcome = tile_opt(file, "--split-input-file")
    assert outcome.status == 1
    assert outcome.stdout == b""
    assert outcome.stderr.startswith(f"{file}:7:3: error: unknown operation 'nonsense'")


def test_split_input_prints_with_separators(tile_opt: TileOpt, tmp_path: Path):
    text = f"{KERNEL}// -----\n{KERNEL}"
    file = write(tmp_path / "two.mlir", text)
    assert tile_opt(file, "--split-input-file").text == text


def test_split_input_has_no_bytecode(tile_opt: TileOpt, tmp_path: Path):
    file = write(tmp_path / "two.mlir", f"{KERNEL}// -----\n{KERNEL}")
    assert_refused(
        tile_opt(file, "--split-input-file", "-t", "tileirbc"),
        "-t tileirbc takes one program, but --split-input-file found 2",
    )


def test_all_errors_of_a_file_are_reported(tile_opt: TileOpt, tmp_path: Path):
    text = "".join(f"entry @k{n}() {{\n  nonsense{n}\n}}\n" for n in range(3))
    outcome = tile_opt(write(tmp_path / "broken.mlir", text))
    assert outcome.stderr.count("error: unknown operation 'nonsense") == 3


# Plain xdsl-opt.


@pytest.fixture(scope="module")
def installed(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """An environment in which this project is installed, so that `xdsl-opt` sees it."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    site = tmp_path_factory.mktemp("site")
    metadata = site / "tileir_xdsl-0.0.dist-info"
    metadata.mkdir()
    write(metadata / "METADATA", "Metadata-Version: 2.1\nName: tileir-xdsl-test\nVersion: 0.0\n")
    lines = [
        f"{name} = {value}" for name, value in project["entry-points"]["xdsl.universe"].items()
    ]
    write(metadata / "entry_points.txt", "\n".join(["[xdsl.universe]", *lines, ""]))
    return {**os.environ, "PYTHONPATH": os.pathsep.join([str(site), str(ROOT)])}


def xdsl_opt(environment: dict[str, str], *arguments: str | Path) -> Outcome:
    command = [sys.executable, "-m", "xdsl.tools.xdsl_opt", *map(str, arguments)]
    completed = subprocess.run(
        command, stdin=subprocess.DEVNULL, capture_output=True, env=environment, check=False
    )
    return Outcome(completed.returncode, completed.stdout, completed.stderr.decode())


def test_xdsl_opt_knows_the_dialect(installed: dict[str, str], tmp_path: Path):
    wrapped = write(tmp_path / "kernel.mlir", f"cuda_tile.module @kernels {{\n{KERNEL}}}\n")
    outcome = xdsl_opt(installed, wrapped)
    assert outcome.status == 0, outcome.stderr
    assert "cuda_tile.module @kernels" in outcome.text
    assert tileir_xdsl.text(tileir_xdsl.parse(outcome.text)) == tileir_xdsl.text(
        tileir_xdsl.parse(wrapped.read_text())
    )


def test_xdsl_opt_refers_to_tile_opt_for_bytecode(installed: dict[str, str], tmp_path: Path):
    wrapped = write(tmp_path / "kernel.mlir", f"cuda_tile.module @kernels {{\n{KERNEL}}}\n")
    outcome = xdsl_opt(installed, wrapped, "-t", "tileirbc")
    assert outcome.status != 0
    assert (
        outcome.stderr.strip()
        .splitlines()[-1]
        .endswith(
            "target 'tileirbc' writes bytes, and xdsl-opt's targets are text: "
            "use 'tile-opt -t tileirbc -o FILE'"
        )
    )


# Remarks.

LOOP = """\
entry @k(%p: tile<ptr<f32>>, %n: tile<i32>) {
  %0 = constant <i32: 0> : tile<i32>
  %1 = constant <i32: 1> : tile<i32>
  for %i in (%0 to %n, step %1) : tile<i32> {
    %2 = addi %n, %1 : tile<i32>
    print "%d", %2 : tile<i32>
    continue
  }
  return
}
"""


def test_remarks_go_to_a_file_and_nothing_to_standard_error(
    tile_opt: TileOpt, tmp_path: Path
) -> None:
    source, remarks = tmp_path / "k.mlir", tmp_path / "k.yaml"
    source.write_text(LOOP)
    options = ("--remarks=all", "--remark-format=yaml", "--remarks-output-file", remarks)
    outcome = tile_opt(source, "-p", "licm", *options)
    assert outcome.status == 0
    assert outcome.stderr == ""
    assert remarks.read_text().startswith("--- !Passed\nPass:            licm\n")


@pytest.mark.parametrize("format", ["text", "yaml"])
def test_a_program_with_an_error_leaves_no_remarks(
    tile_opt: TileOpt, tmp_path: Path, format: str
) -> None:
    source, remarks = tmp_path / "k.mlir", tmp_path / "k.yaml"
    source.write_text(f"{LOOP}// -----\n{BROKEN}")
    options = ("--remarks=all", f"--remark-format={format}", "--remarks-output-file", remarks)
    outcome = tile_opt(source, "--split-input-file", "-p", "licm", *options)
    assert outcome.status == 1
    assert "remark" not in outcome.stderr
    assert not remarks.exists()


def test_remarks_that_cannot_be_written_are_an_error_without_output(
    tile_opt: TileOpt, tmp_path: Path
) -> None:
    source, output = tmp_path / "k.mlir", tmp_path / "out.mlir"
    source.write_text(LOOP)
    options = ("--remarks=all", "--remarks-output-file", tmp_path / "missing" / "k.txt")
    outcome = tile_opt(source, "-p", "licm", *options, "-o", output)
    assert outcome.status == 1
    assert "cannot write the file: no such file or directory" in outcome.stderr
    assert not output.exists()
