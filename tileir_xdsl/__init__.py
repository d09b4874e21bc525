"""CUDA Tile IR in xDSL: read, check, print, write and assemble programs of the `cuda_tile` dialect.

Importing this package imports nothing else; each function imports what it needs when it is called.
Every mistake in an input is raised as `tileir_xdsl.diagnostics.DiagnosticError`, which holds all
diagnostics of the input with their places.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from tileir_xdsl._version import __version__ as __version__

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from os import PathLike
    from typing import Any, TextIO

    from xdsl.dialects.builtin import ModuleOp

    from tileir_xdsl.diagnostics import Diagnostic
    from tileir_xdsl.interpreter import Report
    from tileir_xdsl.runtime.abi import Abi
    from tileir_xdsl.runtime.kernel import Kernel as Kernel
    from tileir_xdsl.runtime.launch import Engine, Result

__all__ = [
    "Kernel",
    "abi",
    "compile",
    "decode",
    "encode",
    "launch",
    "parse",
    "run",
    "text",
    "verify",
]


def __getattr__(name: str) -> Any:
    if name == "Kernel":
        from tileir_xdsl.runtime.kernel import Kernel

        return Kernel
    raise AttributeError(f"module 'tileir_xdsl' has no attribute '{name}'")


def parse(text: str, name: str = "<string>") -> ModuleOp:
    """Parse `cuda_tile` text: NVIDIA's form or MLIR's generic form, with or without the module.

    `name` stands for the file in diagnostics. The result is not verified.

    Raises `DiagnosticError` when the text does not parse.
    """
    from tileir_xdsl.dialects.cuda_tile.parser import parse_module

    return parse_module(text, name)


def text(module: ModuleOp, debuginfo: bool = False, nvidia: bool = False) -> str:
    """Print `module` as text.

    `debuginfo` adds locations. By default the text reads back; with `nvidia` it is exactly what
    NVIDIA's tools print, which loses information in a few places (padding without a mask, the
    integer types of hints, ...).
    """
    from tileir_xdsl.dialects.cuda_tile.printer import module_text

    return module_text(module, debuginfo, nvidia)


def verify(module: ModuleOp) -> list[Diagnostic]:
    """All diagnostics of `module`, in program order; the module is valid when none is an error."""
    from tileir_xdsl.verifier import verify_module

    return verify_module(module)


def encode(module: ModuleOp, version: str = "13.3") -> bytes:
    """Write `module` as Tile IR bytecode of `version`, "13.1" to "13.5".

    Equal modules give equal bytes. Raises `DiagnosticError` when the module uses a feature that
    the version lacks.
    """
    from tileir_xdsl.bytecode.writer import encode_module

    return encode_module(module, version)


def decode(data: bytes, name: str = "<bytes>") -> ModuleOp:
    """Read Tile IR bytecode of any version from 13.1 to 13.5.

    `name` stands for the file in diagnostics. The result is not verified.

    Raises `DiagnosticError` when the data is not Tile IR bytecode.
    """
    from tileir_xdsl.bytecode.reader import decode_module

    return decode_module(data, name=name)


def compile(
    module: ModuleOp,
    gpu: str = "sm_100",
    version: str | None = None,
    *,
    opt_level: int | None = None,
    tool: str | PathLike[str] | None = None,
    extra_args: Sequence[str] = (),
    timeout: float | None = None,
) -> bytes:
    """Assemble `module` for `gpu` with NVIDIA's `tileiras` and return the cubin (an ELF image).

    `version` is that of the bytecode handed over, by default the newest that the tool reads.
    `opt_level` is 0 to 3 (the tool's default is 3); a lower one is chosen where the tool is known
    to be defective. `tool` is the path of `tileiras`, found otherwise through the environment
    variable TILEIR_TILEIRAS, the package `nvidia-cuda-tileiras` or PATH. `timeout` is in seconds.

    Raises `DiagnosticError` when there is no usable tool or the tool refuses the program.
    """
    from tileir_xdsl.runtime.tileiras import compile_module

    return compile_module(
        module,
        gpu,
        version,
        opt_level=opt_level,
        tool=tool,
        extra_args=extra_args,
        timeout=timeout,
    )


def run(
    module: ModuleOp,
    kernel: str | None = None,
    grid: int | Sequence[int] = (1,),
    args: Sequence[Any] | Mapping[str, Any] = (),
    *,
    checked: bool = True,
    jobs: int = 1,
    order: str = "tree",
    check_order: bool = False,
    seed: int = 0,
    step_limit: int = 1_000_000,
    trace: Callable[[str], None] | None = None,
    out: TextIO | None = None,
) -> Report:
    """Run a kernel of a valid `module` on the CPU.

    `kernel` may be left out where the module has one entry. `grid` is the number of tile blocks
    along up to three dimensions. `args` are the arguments in the order of the parameters, or by
    parameter name: NumPy arrays for pointers, changed in place, and numbers for scalars.

    The program's undefined behaviour is looked for while it runs, all kinds of it when `checked`
    and otherwise those that cost little. `jobs` processes share the blocks. `order` is that of
    reductions; `check_order` tries several and records in the report where results differ. `seed`
    is that of the order `shuffled`. `step_limit` bounds the loop iterations of a block. `trace` is
    called with a line for each executed operation. What the kernel prints goes to `out`, by default
    standard output.

    Raises `tileir_xdsl.interpreter.UndefinedBehaviour`, a `DiagnosticError` with the place, block,
    lane and values, where the program is undefined or an assertion fails.
    """
    from tileir_xdsl.interpreter import run as run_kernel

    return run_kernel(
        module,
        kernel,
        grid,
        args,
        checked=checked,
        jobs=jobs,
        order=order,
        check_order=check_order,
        seed=seed,
        step_limit=step_limit,
        trace=trace,
        out=out,
    )


def abi(module: ModuleOp, kernel: str | None = None) -> Abi:
    """What a kernel takes: its parameters in order, and the arguments of its entry.

    A tensor is its pointer, then one i32 for each `?` extent, then one for each `?` stride; a
    pointer and a scalar are themselves. `kernel` may be left out where the module has only one.

    Raises `DiagnosticError` when there is no such kernel.
    """
    from tileir_xdsl.runtime.abi import abi

    return abi(module, kernel)


def launch(
    kernel: Any,
    grid: int | Sequence[int] | None = None,
    args: Sequence[Any] | Mapping[str, Any] = (),
    *,
    engine: Engine | str | None = None,
    stream: Any = None,
) -> Result:
    """Run a kernel on arrays of any library, on a GPU or in the interpreter.

    `kernel` is a `Kernel`, or what one is made from: text, bytecode, a path or a module with one
    kernel. `grid` is the number of tile blocks along up to three dimensions, by default what the
    kernel's `grid(..)` says. `args` are the arguments in the order of the parameters of
    `abi`, or by name: arrays for tensors and pointers (NumPy, `__dlpack__`,
    `__cuda_array_interface__`), None for a null pointer, numbers for scalars.

    `engine` is "interpreter", "gpu", or an engine with options (`runtime.engines`). Without it the
    engine is that of the innermost `with` statement, else the GPU when an array lies on one, else
    the interpreter. No engine stands in for another that cannot run. `stream` is the CUDA stream: a
    handle, or a stream object of CuPy, PyTorch or cuda-python.

    Raises `DiagnosticError` when an argument does not fit its parameter or breaks a promise, when
    the engine cannot run the kernel, and `UndefinedBehaviour` when the interpreter finds the
    program undefined.
    """
    from tileir_xdsl.runtime.launch import launch

    return launch(kernel, grid, args, engine=engine, stream=stream)
