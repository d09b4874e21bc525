"""Kernels that can be launched: from text, bytecode, a module or a cubin."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast
from weakref import WeakKeyDictionary

from tileir_xdsl.diagnostics import DiagnosticError, Place, Severity
from tileir_xdsl.runtime.abi import Abi, Parameter, abi
from tileir_xdsl.runtime.cubin import CubinError, is_cubin, kernel_parameters

if TYPE_CHECKING:
    from xdsl.dialects.builtin import ModuleOp
    from xdsl.ir import Operation

    from tileir_xdsl.runtime.cache import KernelCache

BYTECODE_MAGIC = b"\x7fTileIR\x00"

FILE_SUFFIXES = (".mlir", ".tileirbc", ".cubin")

_LOWERED: WeakKeyDictionary[Any, dict[Any, Any]] = WeakKeyDictionary()
"""What each module of `tile_sugar` lowers to, by options."""


class Kernel:
    """A kernel, its parameters, and the machine code that was made of it.

    `source` is text, bytecode or a cubin, a path of a file with one of them, or a module; `name`
    says which kernel is meant where there are several. A cubin does not say what its parameters
    are: `parameters` does, as text ("ptr<f32>, n: i32") or as the `abi` of what it was made from.

    Raises `DiagnosticError` when the source is not valid or has no such kernel.
    """

    def __init__(
        self,
        source: Any,
        name: str | None = None,
        *,
        parameters: str | Abi | None = None,
        file: str | None = None,
    ) -> None:
        self.module: ModuleOp | None = None
        self.cubin: bytes | None = None
        data, self.file = _contents(source, file)
        if isinstance(data, bytes) and is_cubin(data):
            self.cubin = data
            self.abi = _abi_of_cubin(data, name, parameters, self.file)
        else:
            self.module = _module(data, self.file)
            self.abi = abi(self.module, name)

    def __repr__(self) -> str:
        return f"Kernel(@{self.name}: {', '.join(map(str, self.abi.parameters))})"

    @property
    def name(self) -> str:
        return self.abi.kernel

    @property
    def place(self) -> Place:
        return self.abi.place

    @property
    def source(self) -> ModuleOp:
        """The module that the kernel was made from.

        Raises `DiagnosticError` for a cubin.
        """
        if self.module is None:
            raise DiagnosticError.at(
                "a cubin cannot be read back",
                self.place,
                fix="make the kernel from text, bytecode or a module",
            )
        return self.module

    @property
    def program(self) -> ModuleOp:
        """The kernel in `cuda_tile`: its module, or what a module of `tile_sugar` lowers to.

        Raises `DiagnosticError` for a cubin.
        """
        return self.lowered()

    def lowered(
        self,
        target: str | None = None,
        version: str | None = None,
        assembler: str | None = None,
    ) -> ModuleOp:
        """The kernel in `cuda_tile`, lowered for an architecture, a version of the bytecode and a
        release of tileiras ("13.5").

        A module of `cuda_tile` is itself, whatever the architecture. Raises `DiagnosticError` for a
        cubin, and when the kernel cannot be lowered.
        """
        if not is_sugar(self.source):
            return self.source
        options = {"target": target, "version": version, "assembler": assembler}
        chosen = {name: value for name, value in options.items() if value is not None}
        known = _LOWERED.setdefault(self.source, {})
        key = tuple(chosen.items())
        if key not in known:
            known[key] = _lowered(self.source, chosen, self.place)
        return known[key]

    @cached_property
    def written(self) -> frozenset[int] | None:
        """The positions of the parameters that the kernel may write; None when that is unknown."""
        if self.module is None:
            return None
        from tileir_xdsl.dialects.cuda_tile.core import EntryOp
        from tileir_xdsl.interpreter.provenance import ANYWHERE, written_roots
        from tileir_xdsl.runtime.abi import find_kernel

        entry = find_kernel(self.program, self.name)
        assert isinstance(entry, EntryOp)
        roots = written_roots(entry)
        if ANYWHERE in roots:
            return None
        slots = self.abi.slots
        return frozenset(slots[r.index].parameter for r in roots if not isinstance(r, str))

    def bytecode(self, version: str | None = None, target: str | None = None) -> bytes:
        """The program as bytecode, of a version or that which `tileir_xdsl.encode` writes.

        `target` is the architecture that a kernel of `tile_sugar` is lowered for.
        """
        import tileir_xdsl
        from tileir_xdsl.versions import DEFAULT

        return tileir_xdsl.encode(self.lowered(target, version), version or str(DEFAULT))

    def compile(
        self,
        gpu: str,
        *,
        cache: KernelCache | None = None,
        tool: str | os.PathLike[str] | None = None,
        extra_args: Sequence[str] = (),
    ) -> bytes:
        """The cubin for an architecture ("sm_90"), from the cache where it has it.

        Raises `DiagnosticError` when there is no usable assembler or it refuses the program.
        """
        import tileir_xdsl
        from tileir_xdsl.runtime import tileiras
        from tileir_xdsl.runtime.cache import cache_key

        if self.cubin is not None:
            return self.cubin
        path = tileiras.find_tileiras(tool)
        version, build = tileiras.newest_common_version(path), tileiras.tool_version(path)
        program = self.lowered(gpu, version, tileiras.release(build))
        bytecode = tileir_xdsl.encode(program, version)
        key = cache_key(bytecode, gpu, build, extra_args)
        found = None if cache is None else cache.get(key)
        if found is not None:
            return found
        cubin = tileiras.assemble(bytecode, gpu, path, extra_args, name=self.file)
        if cache is not None:
            cache.put(key, cubin)
        return cubin


def _contents(source: Any, file: str | None) -> tuple[Any, str]:
    """Text, bytes or a module, and the name of its file."""
    if isinstance(source, str) and "\n" not in source and source.endswith(FILE_SUFFIXES):
        raise DiagnosticError.at(
            "text is the kernel itself, but this is the name of a file",
            Place.file(source),
            fix=f"pass pathlib.Path({source!r})",
        )
    if not isinstance(source, os.PathLike):
        return source, file or ("<bytes>" if isinstance(source, bytes) else "<string>")
    path = Path(cast(Any, source))
    try:
        data = path.read_bytes()
    except OSError as error:
        reason = (error.strerror or str(error)).lower()
        raise DiagnosticError.at(
            f"cannot read the file: {reason}", Place.file(file or str(path))
        ) from None
    if data.startswith(BYTECODE_MAGIC) or is_cubin(data):
        return data, file or str(path)
    return data.decode("utf-8", "surrogateescape"), file or str(path)


def _module(source: Any, file: str) -> ModuleOp:
    """The verified module of text, of bytecode, or a module itself."""
    from xdsl.dialects.builtin import ModuleOp

    import tileir_xdsl

    if isinstance(source, str):
        module = tileir_xdsl.parse(source, file)
    elif isinstance(source, bytes):
        module = tileir_xdsl.decode(source, file)
    elif isinstance(source, ModuleOp):
        module = source
    else:
        raise DiagnosticError.at(
            "a kernel is made from text, bytes, a path or a builtin.module, "
            f"not {getattr(source, 'name', type(source).__name__)}",
            Place.file(file),
        )
    errors = [d for d in tileir_xdsl.verify(module) if d.severity is Severity.ERROR]
    if errors:
        raise DiagnosticError(errors)
    return module


def is_sugar(module: Operation) -> bool:
    """Whether a module holds kernels of `tile_sugar`."""
    return any(op.name == "tile_sugar.kernel" for op in module.regions[0].block.ops)


def _lowered(module: ModuleOp, options: Mapping[str, Any], place: Place) -> ModuleOp:
    from xdsl.utils.exceptions import PassFailedException, VerifyException

    from tileir_xdsl.dialects.cuda_tile.parser import new_context
    from tileir_xdsl.dialects.cuda_tile.places import copy_place
    from tileir_xdsl.passes.named_pipelines import TileSugarToCudaTilePipeline

    lowered = module.clone()
    for old, new in zip(module.walk(), lowered.walk(), strict=True):
        copy_place(old, new)
    try:
        TileSugarToCudaTilePipeline(**options).apply(new_context(), lowered)
    except (PassFailedException, VerifyException) as error:
        raise DiagnosticError.at(f"the kernel cannot be lowered: {error}", place) from None
    return lowered


# --- cubins


def _abi_of_cubin(data: bytes, name: str | None, parameters: str | Abi | None, file: str) -> Abi:
    place = Place.file(file)
    try:
        kernels = kernel_parameters(data)
    except CubinError as error:
        raise DiagnosticError.at(str(error), place) from None
    known = ", ".join(f"@{kernel}" for kernel in kernels)
    if not kernels:
        raise DiagnosticError.at("the cubin has no kernel", place, code="kernel")
    chosen = next(iter(kernels)) if name is None and len(kernels) == 1 else name
    if chosen is None:
        raise DiagnosticError.at(
            f"the cubin has several kernels ({known})", place, fix="name one", code="kernel"
        )
    chosen = chosen.removeprefix("@")
    if chosen not in kernels:
        raise DiagnosticError.at(f"no kernel @{chosen}; there is {known}", place, code="kernel")
    if parameters is None:
        raise DiagnosticError.at(
            "a cubin does not say what its parameters are",
            place,
            fix="pass parameters='ptr<f32>, n: i32', or the abi of the module it was made from",
        )
    stated = parameters if isinstance(parameters, Abi) else None
    found = Abi(
        chosen,
        _parameters(str(parameters), place) if stated is None else stated.parameters,
        place,
        None if stated is None else stated.grid,
    )
    laid_out = [(slot.offset, slot.size) for slot in found.slots]
    recorded = [(record.offset, record.size) for record in kernels[chosen]]
    if laid_out != recorded:
        raise DiagnosticError.at(
            f"@{chosen} has parameters of {_sizes(recorded)} bytes, "
            f"but those stated have {_sizes(laid_out)}",
            place,
        )
    return found


def _sizes(records: Sequence[tuple[int, int]]) -> str:
    return ", ".join(str(size) for _, size in records) or "no"


_PARAMETER = re.compile(r"(?:%?(?P<name>\w+)\s*:\s*)?(?P<type>ptr<\s*(?P<element>\w+)\s*>|\w+)")


def _parameters(text: str, place: Place) -> tuple[Parameter, ...]:
    """Parameters written as `x: ptr<f32>, i32`."""
    from tileir_xdsl.numerics.formats import FORMATS

    parameters: list[Parameter] = []
    parts = [part.strip() for part in text.split(",")]
    for position, part in enumerate(part for part in parts if part):
        match = _PARAMETER.fullmatch(part)
        element = "" if match is None else match["element"] or match["type"]
        if match is None or element not in FORMATS:
            raise DiagnosticError.at(
                f"parameter '{part}' is none: expected 'ptr<f32>', 'i32' or 'n: i32'", place
            )
        kind = "pointer" if match["element"] else "scalar"
        parameters.append(Parameter(match["name"] or f"arg{position}", kind, element))
    return tuple(parameters)
