"""NVIDIA's tools refuse what the verifier refuses, but for what `docs/verification.md` lists."""

from __future__ import annotations

import subprocess
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest
from support import nvidia
from support.corpus import cases
from support.mutations import Retyper
from xdsl.dialects.builtin import ModuleOp
from xdsl.traits import IsTerminator

from tileir_xdsl.bytecode.writer import encode_module
from tileir_xdsl.diagnostics import (
    Diagnostic,
    DiagnosticError,
    DiagnosticSink,
    Severity,
    SourceFile,
    split_input_file,
)
from tileir_xdsl.dialects.cuda_tile.core import EntryOp
from tileir_xdsl.dialects.cuda_tile.parser import parse_source
from tileir_xdsl.dialects.cuda_tile.places import place_of
from tileir_xdsl.verifier import verify_module

FOLDER = Path(__file__).parents[2] / "filecheck" / "cuda_tile" / "invalid"
SYNTAX = ("syntax.mlir", "constant.mlir", "type.mlir", "other_dialects.mlir", "version.mlir")
"""Files whose mistakes are no operations that bytecode could hold."""

STRICTER = (
    "multicast memory cannot be allocated",
    "all results must have one type",
    "arg_attrs has 2 entries for 1 argument",
)
"""Refused by us alone."""

NOT_IN_BYTECODE = (
    "the body's arguments must have the types of the signature",
    "value has type 'tile<2xi32>', but the result is 'tile<4xi32>'",
    "attribute 'overflow' must be",
    "has no attribute 'overlow'",
    "attribute 'flush_to_zero' must be",
    "attribute 'num_elem' must be",
)
"""Said once in bytecode, or by one bit: what is wrong in the program is right in the file."""


@dataclass(frozen=True)
class Mistake:
    """One error of a file of mistakes, and a program that has it alone."""

    name: str
    message: str
    program: ModuleOp

    def __str__(self) -> str:
        return self.name


def parsed(chunk: SourceFile) -> ModuleOp | None:
    sink = DiagnosticSink()
    module = parse_source(chunk, sink)
    return None if sink.has_errors else module


def line_of(diagnostic: Diagnostic) -> int:
    assert diagnostic.range is not None
    return diagnostic.range.start.line


def errors(module: ModuleOp) -> list[Diagnostic]:
    return [d for d in verify_module(module) if d.severity is Severity.ERROR]


def alone(chunk: SourceFile, error: Diagnostic, others: set[int]) -> Mistake:
    """The chunk without those statements of its entries that hold its other errors."""
    module = parsed(chunk)
    assert module is not None
    statements = [
        op
        for entry in module.walk()
        if isinstance(entry, EntryOp)
        for op in reversed(list(entry.body.block.ops))
    ]
    for op in statements:
        lines = {place_of(inner).order[0] for inner in op.walk()}
        is_used = any(result.first_use is not None for result in op.results)
        is_needed = line_of(error) in lines or is_used or op.has_trait(IsTerminator)
        if not is_needed and lines & others:
            op.detach()
            op.erase()
    return Mistake(f"{chunk.path}:{line_of(error)}", error.message, module)


def mistakes() -> Iterator[Mistake]:
    for path in sorted(FOLDER.glob("*.mlir")):
        if path.name in SYNTAX:
            continue
        for text, first_line in split_input_file(path.read_text()):
            chunk = SourceFile(path.name, text, first_line)
            module = parsed(chunk)
            found = [] if module is None else errors(module)
            lines = {line_of(error) for error in found}
            for error in found:
                yield alone(chunk, error, lines - {line_of(error)})


def accepted(program: ModuleOp, folder: Path) -> bool | None:
    """Whether the disassembler takes a program; None for one that has no bytecode."""
    try:
        data = encode_module(program, "13.5")
    except DiagnosticError:
        return None
    path = folder / "program.tileirbc"
    path.write_bytes(data)
    tool = str(nvidia.tileirdisasm())
    status = subprocess.run([tool, str(path)], capture_output=True, check=False).returncode
    assert status in (0, 3), f"exit status {status}"
    return status == 0


def check(every: int, folder: Path) -> int:
    nvidia.tileirdisasm()
    ours_alone = STRICTER + NOT_IN_BYTECODE
    compared = 0
    for mistake in list(mistakes())[::every]:
        taken = accepted(mistake.program, folder)
        if taken is None:
            continue
        compared += 1
        expected = any(text in mistake.message for text in ours_alone)
        assert taken == expected, f"{mistake}: {mistake.message}"
    return compared


def test_some_mistakes(tmp_path: Path) -> None:
    assert check(12, tmp_path) > 20


@pytest.mark.slow
def test_all_mistakes(tmp_path: Path) -> None:
    assert check(1, tmp_path) > 400


def check_changes(seed: int, count: int, folder: Path) -> None:
    """Programs with changed types, keywords and numbers are right for both tools or for none."""
    nvidia.tileirdisasm()
    texts = [c.text.decode("utf-8", "surrogateescape") for c in cases(version="13.5")]
    retyper = Retyper([text for text in texts if len(text) < 5000], seed)
    right = wrong = 0
    for _ in range(count):
        text = retyper.mutated()
        program = parsed(SourceFile("changed.mlir", text))
        if program is None:
            continue
        found = errors(program)
        taken = accepted(program, folder)
        if taken is None or any(rule in error.message for error in found for rule in STRICTER):
            continue
        assert taken == (not found), f"{[error.message for error in found]}\n{text}"
        right += taken
        wrong += not taken
    assert right > count // 10
    assert wrong > count // 20


def test_some_changes(tmp_path: Path) -> None:
    check_changes(seed=1, count=200, folder=tmp_path)


@pytest.mark.slow
@pytest.mark.parametrize("seed", [2, 3])
def test_many_changes(seed: int, tmp_path: Path) -> None:
    check_changes(seed, 4000, tmp_path)
