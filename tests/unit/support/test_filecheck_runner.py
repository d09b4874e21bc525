"""The runner of RUN lines, with a stand-in for tile-opt."""

import shutil
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

import pytest
from support import filecheck_runner
from support.filecheck_runner import Program, RunError, RunLine, run_lines

from tileir_xdsl.diagnostics import EXIT_INTERNAL

ROOT = Path(__file__).parents[3]


def stand_in(arguments: list[str]) -> int:
    """Prints its input file (or standard input) and what its options say."""
    for argument in arguments:
        match argument.partition("="):
            case ("--exit", _, status):
                raise SystemExit(int(status))
            case ("--message", _, message):
                raise SystemExit(message)
            case ("--error", _, message):
                print(message, file=sys.stderr)
                return 1
            case ("--crash", _, _):
                raise ValueError("a defect")
            case ("--bytes", _, _):
                sys.stdout.buffer.write(b"\xff\x00")
            case ("--echo", _, text):
                print(text)
            case ("-", _, _):
                print(sys.stdin.read(), end="")
            case (path, _, _) if not path.startswith("-"):
                print(Path(path).read_text(), end="")
            case _:
                pass
    return 0


PROGRAMS: Mapping[str, Program] = {**filecheck_runner.PROGRAMS, "tile-opt": stand_in}


# --- reading RUN lines


def test_run_lines_and_continuations():
    source = (
        "// RUN: a \\\n// RUN:   b \\\n// RUN: | c\n%0 = op\n// RUN: d\n# RUN: e\n// CHECK: f\n"
    )
    assert run_lines(source) == [RunLine(1, "a  b  | c"), RunLine(5, "d"), RunLine(6, "e")]


def test_required_features():
    source = "// REQUIRES: tileiras, slow\n// REQUIRES: gpu\n"
    assert filecheck_runner.required_features(source) == {"tileiras", "slow", "gpu"}


# --- what succeeds

HELLO = "// CHECK: hello\nhello\n"

SUCCEEDING = {
    "pipe": "// RUN: tile-opt %s | filecheck %s",
    "standard input": "// RUN: tile-opt - < %s | filecheck %s",
    "options of filecheck": "// RUN: tile-opt %s | filecheck %s --check-prefix=CHECK",
    "quotes": """// RUN: tile-opt '--echo=hello {b="1"},c | d' | filecheck %s --match-full-lines
// CHECK: hello {b="1"},c | d""",
    "bare braces": "// RUN: tile-opt --echo=hello{b=1,2} | filecheck %s --match-full-lines\n"
    "// CHECK: hello{b=1,2}",
    "no check": "// RUN: tile-opt %s --verify-diagnostics --split-input-file",
    "not": "// RUN: not tile-opt --error=hello 2>&1 | filecheck %s",
    "not and stdout": "// RUN: not tile-opt %s --exit=1 | filecheck %s",
    "temporary file": "// RUN: tile-opt %s > %t\n// RUN: tile-opt %t | filecheck %s",
    "appended file": "// RUN: tile-opt - > %t && tile-opt %s >> %t && filecheck %s < %t",
    "error to a file": "// RUN: not tile-opt --error=hello 2> %t; filecheck %s < %t",
    "both to a file": "// RUN: not tile-opt --error=hello &> %t; filecheck %s < %t",
    "alternative": "// RUN: tile-opt --exit=1 || tile-opt %s | filecheck %s",
    "alternative not needed": "// RUN: tile-opt --exit=0 || tile-opt --exit=1",
    "folder": "// RUN: cat %S/test.mlir | filecheck %s",
    "another program": "// RUN: tile-opt %s > %t && diff %s %t",
    "missing file": "// RUN: test ! -e %t",
    "continued": "// RUN: tile-opt %s \\\n// RUN: | filecheck %s",
    "shell variable": '// RUN: value=hello; echo "$value" | filecheck %s',
    "shell and not": "// RUN: not test $((1 + 1)) = 3",
    "percent": "// RUN: printf 'hello%%n' | filecheck %s",
}


@pytest.mark.parametrize("line", SUCCEEDING.values(), ids=SUCCEEDING.keys())
def test_succeeds(tmp_path: Path, line: str):
    test = tmp_path / "test.mlir"
    test.write_text(line if "CHECK:" in line else f"{line}\n{HELLO}")
    filecheck_runner.run_file(test, tmp_path, PROGRAMS)


def test_bytes_reach_a_file(tmp_path: Path):
    test = tmp_path / "test.mlir"
    test.write_text("// RUN: tile-opt --bytes > %t\n")
    filecheck_runner.run_file(test, tmp_path, PROGRAMS)
    assert (tmp_path / "test.mlir.tmp").read_bytes() == b"\xff\x00"


# --- what fails

FAILING = {
    "mismatch": ("// RUN: tile-opt - | filecheck %s", "filecheck"),
    "exit status": ("// RUN: tile-opt --exit=3", "exit status 3"),
    "exit message": ("// RUN: tile-opt --message=no", "--- stderr\nno"),
    "status of the first of a pipe": ("// RUN: tile-opt %s --exit=4 | filecheck %s", "status 4"),
    "not of a success": ("// RUN: not tile-opt %s", "exit status 1"),
    "crash": ("// RUN: tile-opt --crash", "ValueError: a defect"),
    "not of a crash": ("// RUN: not tile-opt --crash", "ValueError: a defect"),
    "not of an internal error": (f"// RUN: not tile-opt --exit={EXIT_INTERNAL}", "status 70"),
    "skipped after a failure": ("// RUN: tile-opt --exit=2 && tile-opt", "exit status 2"),
    "unknown program": ("// RUN: no-such-program %s", "no-such-program: command not found"),
    "not of an unknown program": ("// RUN: not no-such-program", "command not found"),
    "second line": ("// RUN: tile-opt %s\n// RUN: tile-opt --exit=5", "test.mlir:2: RUN line"),
    "in a shell": ("// RUN: false | echo $?", "exit status 1"),
    "missing input": ("// RUN: tile-opt - < %t", "No such file"),
    "no RUN line": ("// CHECK: nothing", "no RUN line"),
}


@pytest.mark.parametrize(("line", "message"), FAILING.values(), ids=FAILING.keys())
def test_fails(tmp_path: Path, line: str, message: str):
    test = tmp_path / "test.mlir"
    test.write_text(f"{line}\n{HELLO}")
    with pytest.raises(RunError) as raised:
        filecheck_runner.run_file(test, tmp_path, PROGRAMS)
    assert message in str(raised.value)


def test_report_shows_commands_and_outputs(tmp_path: Path):
    test = tmp_path / "test.mlir"
    test.write_text(
        "// RUN: tile-opt %s | filecheck %s --check-prefix=OTHER\n// OTHER: x{{$}}\ny\n"
    )
    with pytest.raises(RunError) as raised:
        filecheck_runner.run_file(test, tmp_path, PROGRAMS)
    report = str(raised.value)
    assert f"{test}:1: RUN line failed" in report
    assert f"$ tile-opt {test}    # exit status 0\n--- stdout\n// RUN:" in report
    assert f"$ filecheck {test} --check-prefix=OTHER    # exit status 1\n--- stderr\n" in report


def test_streams_and_folder_are_restored(tmp_path: Path):
    test = tmp_path / "test.mlir"
    test.write_text("// RUN: tile-opt --crash\n")
    before = (sys.stdin, sys.stdout, sys.stderr, sys.argv, Path.cwd())
    with pytest.raises(RunError):
        filecheck_runner.run_file(test, tmp_path, PROGRAMS)
    assert (sys.stdin, sys.stdout, sys.stderr, sys.argv, Path.cwd()) == before


def test_options_that_outlive_a_run_get_their_own_process(tmp_path: Path):
    calls: list[list[str]] = []

    def record(arguments: list[str]) -> int:
        calls.append(arguments)
        return 0

    test = tmp_path / "test.mlir"
    test.write_text("// RUN: true --one\n// RUN: true --disable-verify\n")
    filecheck_runner.run_file(test, tmp_path, {"true": record})
    assert calls == [["--one"]]


# --- as tests of pytest


def test_collection(tmp_path: Path):
    shutil.copy(ROOT / "tests" / "filecheck" / "conftest.py", tmp_path)
    tests = {
        "good": "// RUN: cat %s | filecheck %s\n// CHECK: x\n",
        "bad": "// RUN: cat %s | filecheck %s\n// CHECK-NOT: y\n// CHECK: {{^}}z\n",
        "long": "// REQUIRES: slow\n// RUN: false\n",
        "missing": "// REQUIRES: no-such-feature\n// RUN: false\n",
    }
    for name, text in tests.items():
        (tmp_path / f"{name}.mlir").write_text(text)
    configuration = ["-c", ROOT / "pyproject.toml", "--rootdir", ROOT, "-p", "no:cacheprovider"]
    completed = subprocess.run(
        [sys.executable, "-m", "pytest", *configuration, tmp_path],
        capture_output=True,
        encoding="utf-8",
        check=False,
    )
    assert "1 failed, 1 passed, 1 skipped, 1 deselected" in completed.stdout, completed.stdout
    assert "bad.mlir:1: RUN line failed with exit status 1" in completed.stdout
    assert "requires no-such-feature" in completed.stdout
