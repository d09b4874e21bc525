"""NVIDIA's assembler `tileiras` and disassembler `tileirdisasm`: finding and calling them.

The tools are separate programs: the package `nvidia-cuda-tileiras` on PyPI and the CUDA toolkit
hold them. Everything that goes wrong with them is raised as `DiagnosticError`.
"""

from __future__ import annotations

import functools
import os
import re
import shutil
import subprocess
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from tileir_xdsl.diagnostics import Diagnostic, DiagnosticError, Place, Severity

if TYPE_CHECKING:
    from xdsl.dialects.builtin import ModuleOp

TILEIRAS_VARIABLE = "TILEIR_TILEIRAS"
PACKAGE = "nvidia-cuda-tileiras"
COMPANION_PACKAGES = ("nvidia-nvvm", "nvidia-cuda-nvcc")
"""The packages whose libnvvm and ptxas the assembler of PACKAGE uses."""

EXIT_UNREADABLE = 3
EXIT_NOT_COMPILABLE = 5

QUERY_TIMEOUT = 60.0
"""Seconds for a call that only asks a tool about itself, or disassembles."""

_INSTALL_FIX = (
    "pip install 'tileir-xdsl[tileiras]', or name the tool with the environment variable "
    f"{TILEIRAS_VARIABLE}"
)


@dataclass(frozen=True)
class AssemblerDefect:
    """A defect of some releases of `tileiras`, and the arguments that avoid it."""

    versions: frozenset[str]
    gpus: frozenset[str]
    arguments: tuple[str, ...]
    reason: str


KNOWN_DEFECTS = (
    AssemblerDefect(
        versions=frozenset({"13.4.92"}),
        gpus=frozenset({"sm_90", "sm_100", "sm_103", "sm_107", "sm_110"}),
        arguments=("--opt-level", "0"),
        reason="its optimizer is defective for this GPU; --opt-level 0 avoids it",
    ),
)


def assembler_defect(version: str, gpu: str) -> str | None:
    """Why `tileiras` of `version` ("13.4.92") cannot be trusted for `gpu`; None when it can."""
    defect = _defect(version, gpu)
    return None if defect is None else f"tileiras {version} for {gpu}: {defect.reason}"


def tileiras_args(version: str, gpu: str) -> list[str]:
    """The arguments that avoid known defects of `tileiras` of `version` ("13.4.92") for `gpu`."""
    defect = _defect(version, gpu)
    return [] if defect is None else list(defect.arguments)


def _defect(version: str, gpu: str) -> AssemblerDefect | None:
    return next(
        (defect for defect in KNOWN_DEFECTS if version in defect.versions and gpu in defect.gpus),
        None,
    )


# --- finding the tools


def find_tileiras(tool: str | os.PathLike[str] | None = None) -> Path:
    """The assembler: `tool` if given, else the environment variable TILEIR_TILEIRAS, else the
    package `nvidia-cuda-tileiras` of this Python environment, else PATH.

    Raises `DiagnosticError` when there is none, or the named one cannot be run.
    """
    return _find_tool("tileiras", tool)


def find_tileirdisasm(tool: str | os.PathLike[str] | None = None) -> Path:
    """The disassembler: `tool` if given, else the one beside `find_tileiras()`, else PATH.

    Raises `DiagnosticError` when there is none, or the named one cannot be run.
    """
    if tool is not None:
        return _find_tool("tileirdisasm", tool)
    beside = find_tileiras().with_name(_executable_name("tileirdisasm"))
    return beside if _is_executable(beside) else _find_tool("tileirdisasm", None)


def _find_tool(name: str, tool: str | os.PathLike[str] | None) -> Path:
    if tool is not None:
        return _named_tool(os.fspath(tool), "")
    if name == "tileiras" and (variable := os.environ.get(TILEIRAS_VARIABLE)):
        return _named_tool(variable, f" (from {TILEIRAS_VARIABLE})")
    packaged = _packaged_tool(name)
    if packaged is not None:
        return packaged
    on_path = shutil.which(name)
    if on_path is not None:
        return Path(on_path)
    raise DiagnosticError.at(
        f"{name} not found: neither in this Python environment nor on PATH",
        Place.file(name),
        fix=_INSTALL_FIX,
    )


def _named_tool(tool: str, origin: str) -> Path:
    found = shutil.which(tool)
    if found is not None:
        return Path(found)
    reason = "not an executable file" if Path(tool).exists() else "no such program"
    raise DiagnosticError.at(f"{reason}{origin}", Place.file(tool), fix=_INSTALL_FIX)


def _packaged_tool(name: str) -> Path | None:
    from importlib.metadata import PackageNotFoundError, files

    try:
        package_files = files(PACKAGE) or ()
    except PackageNotFoundError:
        return None
    executable = _executable_name(name)
    paths = (Path(str(file.locate())) for file in package_files if file.name == executable)
    return next((path for path in paths if _is_executable(path)), None)


def _executable_name(name: str) -> str:
    return f"{name}.exe" if os.name == "nt" else name


def _is_executable(path: Path) -> bool:
    return path.is_file() and os.access(path, os.X_OK)


# --- asking the tools about themselves


def tool_version(tool: Path) -> str:
    """The version of one of NVIDIA's tools as "release.build", such as "13.5.37".

    Raises `DiagnosticError` when the tool does not state one.
    """
    return _tool_version(tool, _stamp(tool))


def bytecode_versions(tool: Path) -> tuple[str, ...]:
    """The bytecode versions that this `tileiras` reads, oldest first.

    A tool that does not list them reads those of releases up to its own.
    """
    return _bytecode_versions(tool, _stamp(tool))


def _stamp(tool: Path) -> int:
    """Tells a replaced tool from the one that was asked before."""
    try:
        return tool.stat().st_mtime_ns
    except OSError:
        return 0


@functools.cache
def _tool_version(tool: Path, stamp: int) -> str:
    completed = _call(tool, ["--version"], QUERY_TIMEOUT)
    match = re.search(r"\bV(\d+\.\d+\.\d+)", completed.stdout)
    if completed.returncode != 0 or match is None:
        raise DiagnosticError.at(
            f"{tool.name} --version states no version: not one of NVIDIA's tools?",
            Place.file(str(tool)),
        )
    return match[1]


@functools.cache
def _bytecode_versions(tool: Path, stamp: int) -> tuple[str, ...]:
    completed = _call(tool, ["--list-versions"], QUERY_TIMEOUT)
    listed = re.findall(r"^\s*(\d+\.\d+)\s*$", completed.stdout, re.MULTILINE)
    if completed.returncode == 0 and listed:
        return tuple(sorted(listed, key=version_key))
    major, minor, _ = tool_version(tool).split(".")
    return tuple(f"{major}.{number}" for number in range(1, int(minor) + 1))


def version_key(version: str) -> tuple[int, ...]:
    """The numbers of a version, which order as versions do."""
    return tuple(int(part) for part in version.split("."))


def release(version: str) -> str:
    """ "13.5" of "13.5.37": within a release, builds of different packages have other numbers."""
    return ".".join(version.split(".")[:2])


def check_tool_set(tool: Path) -> None:
    """Raise `DiagnosticError` when `tool` stands beside the nvvm or ptxas of another release.

    Such an assembler compiles some programs and fails without a reason on others, first of all on
    every bulk store.
    """
    own = tool_version(tool)
    others = _companion_versions(tool)
    foreign = {name: found for name, found in others.items() if release(found) != release(own)}
    if not foreign:
        return
    listed = ", ".join(f"{name} {found}" for name, found in foreign.items())
    packages = " ".join(f"'{name}=={release(own)}.*'" for name in (PACKAGE, *COMPANION_PACKAGES))
    raise DiagnosticError.at(
        f"tileiras {own} stands beside {listed}; tools of different releases fail to compile "
        "valid programs",
        Place.file(str(tool)),
        fix=f"install one release of all of them, such as with pip install {packages}",
    )


def _companion_versions(tool: Path) -> dict[str, str]:
    """The versions of what the assembler calls, as far as they can be known, by name."""
    versions = _companion_package_versions(tool)
    ptxas = tool.with_name(_executable_name("ptxas"))
    if "nvidia-cuda-nvcc" not in versions and _is_executable(ptxas):
        versions["ptxas"] = tool_version(ptxas)
    return versions


def _companion_package_versions(tool: Path) -> dict[str, str]:
    """The versions of the packages in the `site-packages` that holds `tool`, if one does."""
    from importlib.metadata import distributions

    site = next((folder for folder in tool.parents if folder.name == "site-packages"), None)
    if site is None:
        return {}
    found = {
        distribution.name.lower().replace("_", "-"): distribution.version
        for distribution in distributions(path=[str(site)])
    }
    return {name: found[name] for name in COMPANION_PACKAGES if name in found}


# --- calling the tools


def assemble(
    bytecode: bytes,
    gpu: str,
    tool: str | os.PathLike[str] | None = None,
    extra_args: Sequence[str] = (),
    timeout: float | None = None,
    name: str = "<bytecode>",
) -> bytes:
    """Assemble Tile IR bytecode for `gpu` ("sm_100") and return the cubin, an ELF image.

    `extra_args` follow our own arguments and prevail over them, for the tool takes the last of
    equal options. `timeout` is in seconds; `name` stands for the bytecode in diagnostics.

    Raises `DiagnosticError` with the assembler's messages when it refuses the bytecode.
    """
    path = find_tileiras(tool)
    check_tool_set(path)
    arguments = ["--gpu-name", gpu, *tileiras_args(tool_version(path), gpu), *extra_args]
    with tempfile.TemporaryDirectory(prefix="tileir-") as directory:
        source, cubin = Path(directory, "module.tileirbc"), Path(directory, "module.cubin")
        source.write_bytes(bytecode)
        completed = _call(path, [*arguments, "--output-file", str(cubin), str(source)], timeout)
        if completed.returncode != 0:
            raise DiagnosticError(_failure(path, completed, source, name, f" for {gpu}"))
        if not cubin.is_file():
            raise DiagnosticError.at("tileiras succeeded without an output", Place.file(name))
        return cubin.read_bytes()


def compile_module(
    module: ModuleOp,
    gpu: str = "sm_100",
    version: str | None = None,
    *,
    opt_level: int | None = None,
    tool: str | os.PathLike[str] | None = None,
    extra_args: Sequence[str] = (),
    timeout: float | None = None,
    name: str = "<module>",
) -> bytes:
    """Encode `module` and assemble it for `gpu`; see `tileir_xdsl.compile`."""
    from tileir_xdsl.bytecode.writer import encode_module

    path = find_tileiras(tool)
    bytecode = encode_module(module, version or newest_common_version(path))
    level = () if opt_level is None else ("--opt-level", str(opt_level))
    return assemble(bytecode, gpu, path, (*level, *extra_args), timeout, name)


def newest_common_version(tool: Path) -> str:
    """The newest bytecode version that both this package writes and `tool` reads."""
    from tileir_xdsl.versions import SUPPORTED

    readable = bytecode_versions(tool)
    common = [version for version in SUPPORTED if str(version) in readable]
    if common:
        return str(max(common))
    raise DiagnosticError.at(
        f"reads bytecode {', '.join(readable)} and none of the versions that can be written",
        Place.file(str(tool)),
        fix=_INSTALL_FIX,
    )


def disassemble(
    bytecode: bytes,
    debuginfo: bool = False,
    tool: str | os.PathLike[str] | None = None,
    name: str = "<bytecode>",
) -> str:
    """The text that NVIDIA's `tileirdisasm` prints for Tile IR bytecode.

    Bytes that are not UTF-8 come as surrogate escapes. Raises `DiagnosticError` when the tool
    refuses the bytecode.
    """
    path = find_tileirdisasm(tool)
    with tempfile.TemporaryDirectory(prefix="tileir-") as directory:
        source = Path(directory, "module.tileirbc")
        source.write_bytes(bytecode)
        arguments = ["--print-debug-info"] if debuginfo else []
        completed = _call(path, [*arguments, str(source)], QUERY_TIMEOUT)
        if completed.returncode != 0:
            raise DiagnosticError(_failure(path, completed, source, name))
        return completed.stdout


def _call(
    tool: Path, arguments: Sequence[str], timeout: float | None
) -> subprocess.CompletedProcess[str]:
    try:
        return subprocess.run(
            [str(tool), *arguments],
            stdin=subprocess.DEVNULL,
            capture_output=True,
            encoding="utf-8",
            errors="surrogateescape",
            timeout=timeout,
            check=False,
        )
    except subprocess.TimeoutExpired:
        raise DiagnosticError.at(
            f"{tool.name} did not finish within {timeout:g} s", Place.file(str(tool))
        ) from None
    except OSError as error:
        raise DiagnosticError.at(
            f"cannot run {tool.name}: {error.strerror or error}", Place.file(str(tool))
        ) from None


# --- the messages of a tool that failed

_MESSAGE = re.compile(
    r"^(?P<origin>.*?)(?:^|: )(?P<severity>error|warning|remark|note): (?P<text>.+)$"
)
_UNKNOWN_GPU = re.compile(r"for the --gpu-name option: Cannot find option named '(?P<gpu>.*)'!")
_LOCATION = re.compile(r"""loc\("(?P<path>[^"]+)":(?P<line>\d+):(?P<column>\d+)\)""")

_CLOSING_MESSAGES = frozenset(
    {
        "failed to compile Tile IR program",
        "failed to read provided Tile IR bytecode",
        "input does not correspond to Tile IR bytecode",
        "verification failed for deserialized cuda_tile::ModuleOp",
    }
)
"""What the tools print after, or instead of, the reason of a failure."""


def _failure(
    tool: Path,
    completed: subprocess.CompletedProcess[str],
    source: Path,
    name: str,
    purpose: str = "",
) -> list[Diagnostic]:
    """The diagnostics of a call that failed; `source` is the file it was given, called `name`."""
    output = (completed.stderr + completed.stdout).replace(str(source), name)
    messages = [
        diagnostic
        for line in output.splitlines()
        if (diagnostic := _diagnostic_of_line(line.strip(), tool, name)) is not None
    ]
    signature = f"{tool.stem} {tool_version(tool)}{purpose}"
    if not any(message.severity is Severity.ERROR for message in messages):
        summary = _exit_summary(completed.returncode, signature)
        messages.append(Diagnostic(Severity.ERROR, summary, Place.file(name)))
    elif completed.returncode < 0:
        messages[-1].attach_note(_exit_summary(completed.returncode, signature), Place.file(name))
    else:
        messages[-1].attach_note(f"reported by {signature}", Place.file(name))
    ptxas = tool.with_name(_executable_name("ptxas"))
    if completed.returncode == EXIT_NOT_COMPILABLE and not _is_executable(ptxas):
        messages[-1].attach_note(f"there is no ptxas beside {tool.stem}", Place.file(str(tool)))
    return messages


def _diagnostic_of_line(line: str, tool: Path, name: str) -> Diagnostic | None:
    match = _MESSAGE.match(line)
    if match is not None and match["text"] in _CLOSING_MESSAGES:
        return None
    if match is not None:
        place = _place_of_origin(match["origin"], name)
        return Diagnostic(Severity(match["severity"]), match["text"], place)
    if line.startswith(f"{tool.stem}: "):
        # The tool's own command line parser, which names no severity.
        text = _UNKNOWN_GPU.sub(r"unknown GPU '\g<gpu>'", line.removeprefix(f"{tool.stem}: "))
        return Diagnostic(Severity.ERROR, text, Place.file(name))
    return None


def _place_of_origin(origin: str, name: str) -> Place:
    """The innermost source line that the debug info before a message names."""
    location = _LOCATION.search(origin)
    if location is None:
        return Place.file(name)
    return Place.line(location["path"], int(location["line"]), int(location["column"]))


def _exit_summary(status: int, signature: str) -> str:
    if status == EXIT_UNREADABLE:
        return f"not Tile IR bytecode that {signature} reads; it gives no reason"
    if status == EXIT_NOT_COMPILABLE:
        return f"{signature} cannot compile this program; it gives no reason"
    if status < 0:
        return f"{signature} was ended by signal {-status}: a defect of the tool"
    return f"{signature} failed with exit status {status}; it gives no reason"
