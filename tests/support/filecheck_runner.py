"""Runs the `RUN:` lines of a FileCheck test inside this process.

A process for each command costs half a second a test; importing the tools once makes that
milliseconds. What a line may hold follows lit: pipelines whose status is that of the last command
that failed, `&&`, `;`, redirections, `not`, the substitutions %s, %S, %t and %%, and `REQUIRES:`.
Programs of PROGRAMS run in this process and others as processes of their own; a line that needs
more of a shell (variables, globs, subshells) is handed to bash as a whole.
"""

from __future__ import annotations

import contextlib
import functools
import importlib
import io
import os
import re
import shlex
import shutil
import subprocess
import sys
import traceback
from collections.abc import Callable, Generator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TypeAlias

from tileir_xdsl.diagnostics import EXIT_INTERNAL

Program: TypeAlias = Callable[[list[str]], int | None]
"""Takes the arguments without the program's name; returns the exit status or raises SystemExit."""

ROOT = Path(__file__).parents[2]
CRASH_STATUS = 134
NOT_FOUND_STATUS = 127
UNEXPECTED_STATUSES = frozenset({CRASH_STATUS, EXIT_INTERNAL, NOT_FOUND_STATUS})
"""Exit statuses that `not` does not take for the failure that a test expects."""
PROCESS_WIDE_OPTIONS = frozenset({"--disable-verify"})
"""Options that change xDSL itself for the rest of the process: these runs get their own process."""

_RUN_LINE = re.compile(r"(?://|#)\s*RUN:[ \t]*(?P<command>.*)")
_REQUIRES_LINE = re.compile(r"(?://|#)\s*REQUIRES:[ \t]*(?P<features>.*)")
_SUBSTITUTION = re.compile(r"%(?P<key>[sSt%])(?![A-Za-z0-9_])")
_TOKEN = re.compile(
    r"""\s*(?:
      (?P<redirection> 2>&1 | 2>> | 2> | &> | >> | > | < )
    | (?P<operator> && | \|\| | \| | ; )
    | (?P<word> (?: [^\s'"\\|&;<>`$*?()~] | '[^']*' | "[^"\\`$]*" | \\. )+ )
    )""",
    re.VERBOSE,
)


class RunError(Exception):
    """A RUN line failed, or the test file cannot be run; the message is the whole report."""


@dataclass
class Command:
    """One program of a pipeline with its redirections, before it runs."""

    words: list[str] = field(default_factory=list[str])
    stdin: str | None = None
    stdout: str | None = None
    stderr: str | None = None
    appends: bool = False
    merges_stderr: bool = False

    def __str__(self) -> str:
        return shlex.join(self.words)


@dataclass(frozen=True)
class Result:
    """What one program gave."""

    command: str
    status: int
    stdout: bytes
    stderr: bytes


@dataclass(frozen=True)
class RunLine:
    """A RUN line with its continuations joined and its substitutions still open."""

    number: int
    text: str


def run_lines(source: str) -> list[RunLine]:
    """The RUN lines of a test; a line that ends in a backslash goes on in the next one."""
    lines: list[RunLine] = []
    continues = False
    for number, line in enumerate(source.splitlines(), start=1):
        found = _RUN_LINE.search(line)
        if found is None:
            continue
        command = found["command"].strip()
        text = command.removesuffix("\\")
        if continues:
            lines[-1] = RunLine(lines[-1].number, f"{lines[-1].text} {text}")
        else:
            lines.append(RunLine(number, text))
        continues = command.endswith("\\")
    return lines


def required_features(source: str) -> set[str]:
    """The features that the test's `REQUIRES:` lines name."""
    lists = (match["features"] for match in _REQUIRES_LINE.finditer(source))
    return {name.strip() for names in lists for name in names.split(",") if name.strip()}


@functools.cache
def available_features() -> frozenset[str]:
    """What this machine offers to tests that say `REQUIRES:`."""
    from tileir_xdsl.runtime.tileiras import find_tileiras, find_tileirdisasm

    finders = {"tileiras": find_tileiras, "tileirdisasm": find_tileirdisasm}
    return frozenset(name for name, find in finders.items() if _finds(find))


def _finds(find: Callable[[], Path]) -> bool:
    from tileir_xdsl.diagnostics import DiagnosticError

    try:
        find()
    except DiagnosticError:
        return False
    return True


def _console_program(module: str) -> Program:
    """The console script whose entry point is `module`'s `main`, imported on first use."""

    def run(arguments: list[str]) -> int | None:
        return importlib.import_module(module).main(arguments)

    return run


def _filecheck(arguments: list[str]) -> int | None:
    from filecheck.main import main

    return main(["filecheck", *arguments])


PROGRAMS: Mapping[str, Program] = {
    "tile-opt": _console_program("tileir_xdsl.cli.tile_opt"),
    "tile-run": _console_program("tileir_xdsl.cli.tile_run"),
    "filecheck": _filecheck,
}


def run_file(path: Path, directory: Path, programs: Mapping[str, Program] = PROGRAMS) -> None:
    """Run all RUN lines of the test `path` in order, with `directory` for `%t` and stray output.

    Raises `RunError` with commands and outputs at the first line that fails.
    """
    lines = run_lines(path.read_text(encoding="utf-8", errors="surrogateescape"))
    if not lines:
        raise RunError(f"{path}: no RUN line")
    with contextlib.chdir(directory):
        for line in lines:
            _run_line(line, path, directory, programs)


def _run_line(line: RunLine, path: Path, directory: Path, programs: Mapping[str, Program]) -> None:
    place = f"{path}:{line.number}"
    text = _substitute(line.text, path, directory)
    pipelines = _parse(text)
    results: list[Result] = []
    try:
        status = (
            _run_in_shell(text, results)
            if pipelines is None
            else _run_sequence(pipelines, programs, results)
        )
    except OSError as error:
        raise RunError(f"{place}: {error}\n  {text}") from None
    if status != 0:
        raise RunError(_report(place, text, status, results))


def _substitute(text: str, path: Path, directory: Path) -> str:
    values = {
        "s": shlex.quote(str(path)),
        "S": shlex.quote(str(path.parent)),
        "t": shlex.quote(str(directory / (path.name + ".tmp"))),
        "%": "%",
    }
    return _SUBSTITUTION.sub(lambda match: values[match["key"]], text)


@dataclass(frozen=True)
class _Pipeline:
    operator: str
    """What stands before it: `&&`, `||`, `;`, or nothing for the first one."""
    commands: list[Command]


def _parse(text: str) -> list[_Pipeline] | None:
    """The pipelines of a line; None when only a shell understands it."""
    pipelines = [_Pipeline("", [Command()])]
    target: str | None = None
    position = 0
    while text[position:].strip():
        token = _TOKEN.match(text, position)
        if token is None:
            return None
        position = token.end()
        command = pipelines[-1].commands[-1]
        if (word := token["word"]) is not None:
            value = shlex.split(word)[0]
            if target is None:
                command.words.append(value)
                continue
            _redirect(command, target, value)
            target = None
            continue
        if target is not None:
            return None
        if token["redirection"] == "2>&1":
            command.merges_stderr = True
        elif token["redirection"] is not None:
            target = token["redirection"]
        elif token["operator"] == "|":
            pipelines[-1].commands.append(Command())
        else:
            pipelines.append(_Pipeline(token["operator"], [Command()]))
    complete = all(command.words for pipeline in pipelines for command in pipeline.commands)
    return pipelines if complete and target is None else None


def _redirect(command: Command, kind: str, path: str) -> None:
    match kind:
        case "<":
            command.stdin = path
        case "2>" | "2>>":
            command.stderr, command.appends = path, kind == "2>>"
        case "&>":
            command.stdout, command.merges_stderr = path, True
        case _:
            command.stdout, command.appends = path, kind == ">>"


def _run_sequence(
    pipelines: Sequence[_Pipeline], programs: Mapping[str, Program], results: list[Result]
) -> int:
    status = 0
    for pipeline in pipelines:
        is_skipped = (pipeline.operator == "&&" and status != 0) or (
            pipeline.operator == "||" and status == 0
        )
        if not is_skipped:
            status = _run_pipeline(pipeline.commands, programs, results)
    return status


def _run_pipeline(
    commands: Sequence[Command], programs: Mapping[str, Program], results: list[Result]
) -> int:
    """Run `commands` one after the other, each on the output of the one before."""
    status = 0
    piped = b""
    for command in commands:
        stdin = piped if command.stdin is None else Path(command.stdin).read_bytes()
        result = _run_command(command, stdin, programs)
        results.append(result)
        status = result.status or status
        if command.stderr is not None:
            _write(command.stderr, result.stderr, command.appends)
        piped = result.stdout
        if command.stdout is not None:
            _write(command.stdout, result.stdout, command.appends)
            piped = b""
    return status


def _write(path: str, data: bytes, appends: bool) -> None:
    with open(path, "ab" if appends else "wb") as stream:
        stream.write(data)


def _run_command(command: Command, stdin: bytes, programs: Mapping[str, Program]) -> Result:
    is_inverted = command.words[0] in ("not", "!")
    name, *arguments = command.words[1:] if is_inverted else command.words
    program = programs.get(name)
    if program is not None and PROCESS_WIDE_OPTIONS.isdisjoint(arguments):
        status, stdout, stderr = _run_here(program, name, arguments, stdin, command.merges_stderr)
    else:
        status, stdout, stderr = _run_process([name, *arguments], stdin, command.merges_stderr)
    if is_inverted and status not in UNEXPECTED_STATUSES:
        status = int(status == 0)
    return Result(str(command), status, stdout, stderr)


def _run_here(
    program: Program, name: str, arguments: list[str], stdin: bytes, merges_stderr: bool
) -> tuple[int, bytes, bytes]:
    """Run a program of this process; an exception that it lets through is a crash."""
    out, err = io.BytesIO(), io.BytesIO()
    with _standard_streams(name, arguments, stdin, out, out if merges_stderr else err):
        try:
            status = program(arguments) or 0
        except SystemExit as exit:
            status = _exit_status(exit)
        except Exception:
            traceback.print_exc()
            status = CRASH_STATUS
    return status, out.getvalue(), err.getvalue()


def _exit_status(exit: SystemExit) -> int:
    if exit.code is None or isinstance(exit.code, int):
        return exit.code or 0
    print(exit.code, file=sys.stderr)
    return 1


@contextlib.contextmanager
def _standard_streams(
    name: str, arguments: list[str], stdin: bytes, out: io.BytesIO, err: io.BytesIO
) -> Generator[None]:
    """Give the program streams like those of a process: text over bytes, with a `buffer`."""
    new_in = io.TextIOWrapper(io.BytesIO(stdin), "utf-8", newline="\n")
    new_out = io.TextIOWrapper(out, "utf-8", "surrogateescape", newline="\n", write_through=True)
    new_err = io.TextIOWrapper(err, "utf-8", "backslashreplace", newline="\n", write_through=True)
    saved = sys.stdin, sys.stdout, sys.stderr, sys.argv
    sys.stdin, sys.stdout, sys.stderr, sys.argv = new_in, new_out, new_err, [name, *arguments]
    try:
        yield
    finally:
        sys.stdin, sys.stdout, sys.stderr, sys.argv = saved
        for stream in (new_out, new_err):
            stream.flush()
            stream.detach()


def _search_path() -> str:
    """PATH with the environment's scripts first, and those of the checkout behind them."""
    scripts = [str(Path(sys.executable).parent), str(ROOT / "tools")]
    return os.pathsep.join([*scripts, os.environ.get("PATH", "")])


def _run_process(words: list[str], stdin: bytes, merges_stderr: bool) -> tuple[int, bytes, bytes]:
    executable = shutil.which(words[0], path=_search_path())
    if executable is None:
        return NOT_FOUND_STATUS, b"", f"{words[0]}: command not found\n".encode()
    process = subprocess.run(
        [executable, *words[1:]],
        input=stdin,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT if merges_stderr else subprocess.PIPE,
        env={**os.environ, "PATH": _search_path()},
        check=False,
    )
    status = process.returncode if process.returncode >= 0 else CRASH_STATUS
    return status, process.stdout, process.stderr or b""


def _run_in_shell(text: str, results: list[Result]) -> int:
    script = f'set -o pipefail; not() {{ ! "$@"; }}; {text}'
    status, stdout, stderr = _run_process(["bash", "-c", script], b"", merges_stderr=False)
    results.append(Result(text, status, stdout, stderr))
    return status


def _report(place: str, text: str, status: int, results: Sequence[Result]) -> str:
    parts = [f"{place}: RUN line failed with exit status {status}", f"  {text}"]
    for result in results:
        parts.append(f"$ {result.command}    # exit status {result.status}")
        parts += _section("stdout", result.stdout)
        parts += _section("stderr", result.stderr)
    return "\n".join(parts)


def _section(title: str, data: bytes) -> list[str]:
    if not data:
        return []
    return [f"--- {title}", data.decode("utf-8", "backslashreplace").rstrip("\n")]
