"""The tool behind `tile-opt`, apart from its entry point for the sake of start-up time."""

from __future__ import annotations

import argparse
import math
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import ClassVar, NoReturn

from xdsl.dialects.builtin import ModuleOp
from xdsl.passes import PassPipeline
from xdsl.utils.arg_spec import parse_spec
from xdsl.utils.exceptions import ArgSpecParseError, DiagnosticException, ParseError
from xdsl.xdsl_opt_main import xDSLOptMain

from tileir_xdsl import versions
from tileir_xdsl.cli.files import (
    DEFAULT_MAX_INPUT_MB,
    decode_text,
    is_bytecode,
    read_input,
    write_output,
)
from tileir_xdsl.diagnostics import (
    EXIT_OK,
    EXIT_USER_ERROR,
    Diagnostic,
    DiagnosticError,
    DiagnosticSink,
    Place,
    Remark,
    SourceFile,
    check_expectations,
    print_diagnostics,
    render,
    split_input_file,
    to_yaml,
)
from tileir_xdsl.passes.manager import (
    ManagerOptions,
    PassManager,
    add_arguments,
    check_names,
    remark_words,
)
from tileir_xdsl.passes.pipeline_text import parse_pipeline
from tileir_xdsl.passes.registry import PASSES
from tileir_xdsl.universe import UNIVERSE

BYTECODE_TARGET = "tileirbc"
CUBIN_TARGET = "cubin"
ASSEMBLER = "tileiras"
"""Whose remarks `--remarks=tileiras` asks for, when it runs."""


@dataclass
class Chunk:
    """One program: the file, or a part of it between `// -----` lines."""

    name: str
    data: bytes
    source: SourceFile | None
    """None for bytecode."""
    sink: DiagnosticSink = field(default_factory=DiagnosticSink)

    @property
    def place(self) -> Place:
        return Place.file(self.name)


class TileOptMain(xDSLOptMain):
    """`xDSLOptMain` for Tile IR: text and bytecode, all errors with their places."""

    version_format: ClassVar[str] = "tile-opt (xDSL {xdsl_version})"

    def __init__(self, args: Sequence[str] | None = None) -> None:
        self._status = EXIT_OK
        try:
            super().__init__("Reads, checks, transforms and writes Tile IR programs", args)
        except ArgSpecParseError:
            raise _usage_error("a target or frontend is NAME or NAME{OPTION=VALUE ...}") from None
        except (ValueError, ParseError) as error:
            raise _usage_error(str(error).strip().splitlines()[-1].strip()) from None

    # What xDSLOptMain registers, plus this project where it is not installed.

    def register_all_dialects(self) -> None:
        super().register_all_dialects()
        known = self.ctx.registered_dialect_names
        for name, factory in UNIVERSE.all_dialects.items():
            if name not in known:
                self.ctx.register_dialect(name, factory)

    def register_all_passes(self) -> None:
        super().register_all_passes()
        self.available_passes.update(PASSES)

    def register_all_targets(self) -> None:
        super().register_all_targets()
        for name, factory in UNIVERSE.all_targets.items():
            self.available_targets.setdefault(name, factory)

    def register_all_arguments(self, arg_parser: argparse.ArgumentParser) -> None:
        super().register_all_arguments(arg_parser)
        arg_parser.prog = "tile-opt"
        # argparse's own way would print all options before the one line that says what is wrong.
        setattr(arg_parser, "error", _refuse_arguments)
        add_arguments(arg_parser)
        group = arg_parser.add_argument_group("Tile IR")
        group.add_argument(
            "--bytecode-version",
            default=str(versions.DEFAULT),
            metavar="V",
            help="version of the bytecode that -t tileirbc writes (default %(default)s)",
        )
        group.add_argument("--gpu-name", default="sm_100", help="GPU that -t cubin assembles for")
        group.add_argument(
            "--opt-level", type=int, choices=range(4), help="optimization level of -t cubin"
        )
        form = group.add_mutually_exclusive_group()
        form.add_argument(
            "--bare", action="store_true", help="print the module's body without its wrapper"
        )
        form.add_argument(
            "--wrapped", action="store_true", help="print the module with its wrapper"
        )
        group.add_argument(
            "--nvidia-text",
            action="store_true",
            help="print exactly NVIDIA's text, also where it does not read back",
        )
        group.add_argument(
            "--max-input-mb",
            type=_positive_number,
            default=DEFAULT_MAX_INPUT_MB,
            metavar="N",
            help="refuse larger inputs (default %(default)s)",
        )
        group.add_argument(
            "--strict", action="store_true", help="refuse bytecode that readers take by accident"
        )
        group.add_argument(
            "--preserve-layout",
            action="store_true",
            help="write bytecode that was read with the tables and spelling that it had",
        )
        group.add_argument(
            "--verify-roundtrip",
            action="store_true",
            help="check that the program reads back from its own text",
        )
        group.add_argument(
            "--diagnostics",
            choices=("text", "json", "sarif"),
            default="text",
            help="how to write diagnostics to standard error",
        )
        group.add_argument("--debug-traceback", action="store_true", help=argparse.SUPPRESS)

    def setup_pipeline(self) -> None:
        args = self.args
        if args.passes and args.pass_pipeline:
            raise ValueError("-p and --pass-pipeline say the same: use one of them")
        self.steps = parse_pipeline(args.pass_pipeline or args.passes, self.available_passes)
        assembles = self.target_name == CUBIN_TARGET
        if ASSEMBLER in remark_words(args) and not assembles:
            raise ValueError(f"--remarks={ASSEMBLER} needs -t {CUBIN_TARGET}")
        check_names(args, self.steps, (ASSEMBLER,) if assembles else ())
        self.pipeline = PassPipeline(tuple(step.pass_ for step in self.steps))
        self._check_remark_options()

    def _check_remark_options(self) -> None:
        args = self.args
        in_file, as_yaml = args.remarks_output_file is not None, args.remark_format == "yaml"
        if (in_file or as_yaml) and not args.remarks:
            option = "--remarks-output-file" if in_file else "--remark-format=yaml"
            raise ValueError(f"{option} needs --remarks")
        if as_yaml and not in_file and args.diagnostics != "text":
            raise ValueError(
                f"--diagnostics={args.diagnostics} and --remark-format=yaml would share standard "
                "error: use --remarks-output-file"
            )

    # Running.

    def run(self) -> int:  # pyright: ignore[reportIncompatibleMethodOverride]
        """Process the input; answers the exit status."""
        args = self.args
        self._everything: list[Diagnostic] = []
        try:
            chunks = self._chunks()
            self._check_target(chunks)
            outputs = [self._process(chunk) for chunk in chunks]
            remarks = self._take_remarks()
            if self._status == EXIT_OK:
                self._write_remarks(remarks)
                self._write(outputs)
        except DiagnosticError as error:
            self._everything.extend(error.diagnostics)
            self._status = EXIT_USER_ERROR
        if self._everything or args.diagnostics != "text":
            print_diagnostics(self._everything, sys.stderr, format=args.diagnostics)
        return self._status

    def _chunks(self) -> list[Chunk]:
        data, name = read_input(self.args.input_file, self.args.max_input_mb)
        if is_bytecode(data):
            return [Chunk(name, data, None)]
        text = decode_text(data, name)
        if not self.args.split_input_file:
            return [Chunk(name, data, SourceFile(name, text))]
        return [
            Chunk(name, b"", SourceFile(name, part, first_line))
            for part, first_line in split_input_file(text)
        ]

    def _check_target(self, chunks: Sequence[Chunk]) -> None:
        try:
            versions.Version.parse(self.args.bytecode_version)
        except ValueError as error:
            raise _usage_error(str(error)) from None
        binary = self.target_name in (BYTECODE_TARGET, CUBIN_TARGET)
        if binary and parse_spec(self.args.target).parameters:
            raise _usage_error(f"target '{self.target_name}' takes no options in braces")
        if binary and len(chunks) > 1:
            raise DiagnosticError.at(
                f"-t {self.target_name} takes one program, "
                f"but --split-input-file found {len(chunks)}",
                chunks[0].place,
            )

    @property
    def target_name(self) -> str:
        return parse_spec(self.args.target).name

    def _process(self, chunk: Chunk) -> bytes | str:
        """One program from input to output; its diagnostics are collected."""
        output: bytes | str = ""
        try:
            output = self._transform(chunk)
        except DiagnosticError as error:
            chunk.sink.extend(error.diagnostics)
        if self.args.verify_diagnostics:
            self._check_expected(chunk)
            return ""
        self._everything.extend(chunk.sink.sorted())
        if chunk.sink.has_errors:
            self._status = EXIT_USER_ERROR
        return output

    def _check_expected(self, chunk: Chunk) -> None:
        if chunk.source is None:
            raise DiagnosticError.at("--verify-diagnostics needs text", chunk.place)
        problems = check_expectations(chunk.source, chunk.sink.diagnostics)
        self._everything.extend(problems)
        if problems:
            self._status = EXIT_USER_ERROR

    def _transform(self, chunk: Chunk) -> bytes | str:
        module = self._parse(chunk)
        self._verify(module, chunk)
        if chunk.sink.has_errors:
            return ""
        if self.args.verify_roundtrip:
            self._check_roundtrip(module, chunk)
        if self.steps:
            self._manager(chunk).run(module)
        return self._emit(module, chunk)

    def _parse(self, chunk: Chunk) -> ModuleOp:
        if chunk.source is None:
            from tileir_xdsl.bytecode.reader import decode_module

            return decode_module(
                chunk.data,
                name=chunk.name,
                sink=chunk.sink,
                strict=self.args.strict,
                preserve_layout=self.args.preserve_layout,
            )
        from tileir_xdsl.dialects.cuda_tile.parser import parse_source

        self._load_dialects()
        chunk.sink.add_source(chunk.source)
        return parse_source(chunk.source, chunk.sink, self.ctx)

    def _load_dialects(self) -> None:
        for name in ("builtin", "cuda_tile"):
            self.ctx.get_dialect(name)

    def _verify(self, module: ModuleOp, chunk: Chunk) -> None:
        if self.args.disable_verify:
            return
        from tileir_xdsl.verifier import verify_into

        verify_into(module, chunk.sink)

    def _manager(self, chunk: Chunk) -> PassManager:
        inputs = None
        if self.args.inputs is not None:
            data, name = read_input(self.args.inputs)
            inputs = name, decode_text(data, name)

        def fresh() -> ModuleOp:
            return self._parse(replace(chunk, sink=DiagnosticSink()))

        options = ManagerOptions.of(self.args, inputs)
        return PassManager(self.ctx, self.steps, options, chunk.sink, chunk.place, fresh)

    def _check_roundtrip(self, module: ModuleOp, chunk: Chunk) -> None:
        from tileir_xdsl.dialects.cuda_tile.parser import parse_source
        from tileir_xdsl.dialects.cuda_tile.printer import module_text

        text = module_text(module, True)
        sink = DiagnosticSink()
        again = parse_source(SourceFile(f"{chunk.name}: printed", text), sink, self.ctx)
        if sink.has_errors or module_text(again, True) != text:
            chunk.sink.extend(sink.diagnostics)
            raise DiagnosticError.at("the program does not read back from its text", chunk.place)

    # Output.

    def _emit(self, module: ModuleOp, chunk: Chunk) -> bytes | str:
        emitters: dict[str, Callable[[ModuleOp, Chunk], bytes | str]] = {
            "mlir": self._emit_text,
            BYTECODE_TARGET: self._emit_bytecode,
            CUBIN_TARGET: self._emit_cubin,
        }
        emit = emitters.get(self.target_name)
        if emit is None:
            return self._emit_foreign(module, chunk)
        return emit(module, chunk)

    def _emit_foreign(self, module: ModuleOp, chunk: Chunk) -> str:
        """One of xDSL's own targets, which assert that they get what they can write."""
        try:
            return self.output_resulting_program(module)
        except (AssertionError, NotImplementedError, ValueError, DiagnosticException):
            raise DiagnosticError.at(
                f"target '{self.target_name}' cannot write this program", chunk.place
            ) from None
        except ImportError as error:
            raise DiagnosticError.at(
                f"target '{self.target_name}' needs the package '{error.name}'", chunk.place
            ) from None

    def _emit_text(self, module: ModuleOp, chunk: Chunk) -> str:
        from tileir_xdsl.dialects.cuda_tile.printer import module_text

        args = self.args
        wrapped = True if args.wrapped else False if args.bare else None
        return module_text(
            module,
            args.print_debuginfo,
            args.nvidia_text,
            wrapped,
            args.print_op_generic,
            args.print_no_properties,
        )

    def _emit_bytecode(self, module: ModuleOp, chunk: Chunk) -> bytes:
        from tileir_xdsl.bytecode.writer import encode_module

        return encode_module(
            module,
            self.args.bytecode_version,
            sink=chunk.sink,
            preserve_layout=self.args.preserve_layout,
        )

    def _emit_cubin(self, module: ModuleOp, chunk: Chunk) -> bytes:
        from tileir_xdsl.runtime.assembler_remarks import compile_with_remarks
        from tileir_xdsl.runtime.hints import changed_hints
        from tileir_xdsl.runtime.tileiras import compile_module, find_tileiras

        args = self.args
        gpu, level, name = args.gpu_name, args.opt_level, chunk.name
        tool = find_tileiras()
        chunk.sink.extend(changed_hints(module, gpu, tool))
        if not self._assembler_remarks(tool):
            return compile_module(module, gpu, opt_level=level, tool=tool, name=name)
        assembly = compile_with_remarks(module, gpu, opt_level=level, tool=tool, name=name)
        chunk.sink.extend(remark.diagnostic(chunk.place) for remark in assembly.remarks)
        return assembly.cubin

    def _assembler_remarks(self, tool: Path) -> bool:
        """Whether the assembler is to make remarks; with `all`, if it can."""
        from tileir_xdsl.runtime.assembler_remarks import makes_remarks

        wanted = remark_words(self.args)
        return ASSEMBLER in wanted or ("all" in wanted and makes_remarks(tool))

    def _take_remarks(self) -> list[Remark]:
        """The remarks that do not go the way of other diagnostics."""
        if self.args.remark_format == "text" and self.args.remarks_output_file is None:
            return []
        remarks = [d for d in self._everything if isinstance(d, Remark)]
        self._everything = [d for d in self._everything if not isinstance(d, Remark)]
        return remarks

    def _write_remarks(self, remarks: Sequence[Remark]) -> None:
        args = self.args
        if args.verify_diagnostics:
            return
        if args.remark_format == "yaml":
            text = to_yaml(remarks)
        else:
            text = "".join(f"{render(remark)}\n" for remark in remarks)
        if args.remarks_output_file is not None:
            write_output(text, args.remarks_output_file)
        else:
            sys.stderr.write(text)

    def _write(self, outputs: Sequence[bytes | str]) -> None:
        if self.args.verify_diagnostics:
            return
        if len(outputs) == 1:
            write_output(outputs[0], self.args.output_file)
            return
        texts = [text if isinstance(text, str) else "" for text in outputs]
        write_output("// -----\n".join(texts), self.args.output_file)


def _usage_error(message: str) -> DiagnosticError:
    return DiagnosticError.at(message, Place.file("tile-opt"))


def _refuse_arguments(message: str) -> NoReturn:
    raise _usage_error(message)


def _positive_number(text: str) -> float:
    try:
        value = float(text)
    except ValueError:
        value = math.nan
    if not 0 < value < math.inf:
        raise argparse.ArgumentTypeError(f"'{text}' is no positive number")
    return value
