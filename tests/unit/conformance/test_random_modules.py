"""Random programs: text, bytecode and back, and what NVIDIA's disassembler says of them."""

from __future__ import annotations

from random import Random

import pytest
from hypothesis import HealthCheck, given, settings
from support import nvidia
from support.comparison import difference, report, same_structure
from support.random_modules import (
    MAKERS,
    TERMINATORS,
    TOP_LEVEL,
    coverable,
    covered,
    modules,
    random_module,
)
from xdsl.dialects.builtin import ModuleOp

from tileir_xdsl.bytecode.reader import decode_module
from tileir_xdsl.bytecode.writer import encode_module
from tileir_xdsl.diagnostics import DiagnosticError, Severity
from tileir_xdsl.dialects.cuda_tile import OPERATIONS
from tileir_xdsl.dialects.cuda_tile.attributes import ENUM_ATTRIBUTES
from tileir_xdsl.dialects.cuda_tile.parser import parse_module
from tileir_xdsl.dialects.cuda_tile.printer import module_text
from tileir_xdsl.runtime.tileiras import disassemble
from tileir_xdsl.verifier import verify_module
from tileir_xdsl.versions import SUPPORTED, Version

SEEDS = 2000
SLICES = 20
"""The seeds of the slow run are spread over tests, which run beside each other."""

ONE_PROGRAM = settings(
    deadline=None,
    derandomize=True,
    database=None,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
)


def problem(module: ModuleOp, version: Version) -> str | None:
    """The first step on the way to bytecode and back that changes the program."""
    errors = [d.message for d in verify_module(module) if d.severity is Severity.ERROR]
    if errors:
        return f"invalid: {errors[0]}"
    for generic in (False, True):
        text = module_text(module, debuginfo=True, wrapped=True, generic=generic)
        parsed = parse_module(text)
        if not same_structure(module, parsed):
            return f"text: {difference(text, module_text(parsed, True, False, True, generic))}"
    data = encode_module(module, version)
    read = decode_module(data)
    if not same_structure(module, read):
        return "bytecode: another program"
    if encode_module(read, version) != data:
        return "bytecode: other bytes for an equal program"
    if (other := other_version_problem(module, version)) is not None:
        return other
    kept = decode_module(data, preserve_layout=True)
    if encode_module(kept, version, preserve_layout=True) != data:
        return "bytecode: other bytes with the layout kept"
    return None


def other_version_problem(module: ModuleOp, version: Version) -> str | None:
    """A version holds all of a program or refuses it; newer ones hold it."""
    for other in SUPPORTED:
        try:
            data = encode_module(module, other)
        except DiagnosticError as error:
            if other < version:
                continue
            return f"refused in {other}: {error}"
        if not same_structure(module, decode_module(data)):
            return f"another program in {other}"
    return None


def nvidias_problem(module: ModuleOp, version: Version) -> str | None:
    """What NVIDIA's disassembler refuses or prints otherwise."""
    data = encode_module(module, version)
    for debuginfo in (False, True):
        try:
            theirs = disassemble(data, debuginfo, nvidia.tileirdisasm())
        except DiagnosticError as error:
            return f"refused: {error}"
        ours = module_text(module, debuginfo, nvidia=True, wrapped=False)
        if (found := difference(theirs, ours)) is not None:
            return f"{'-g: ' if debuginfo else ''}{found}"
    return None


def of_seed(seed: int) -> tuple[ModuleOp, Version]:
    version = SUPPORTED[seed % len(SUPPORTED)]
    return random_module(Random(seed), version), version


def test_generator_makes_every_operation():
    """A new operation needs a maker."""
    assert {*MAKERS, *TERMINATORS, *TOP_LEVEL} == set(OPERATIONS)


@settings(ONE_PROGRAM, max_examples=60)
@given(modules())
def test_round_trip(program: tuple[ModuleOp, Version]):
    assert problem(*program) is None


def test_nvidias_text():
    nvidia.tileirdisasm()
    assert not report((seed, nvidias_problem(*of_seed(seed))) for seed in range(60))


@pytest.mark.slow
@pytest.mark.parametrize("first", range(0, SEEDS, SEEDS // SLICES))
def test_round_trip_of_many(first: int):
    seeds = range(first, first + SEEDS // SLICES)
    assert not report((seed, problem(*of_seed(seed))) for seed in seeds)


@pytest.mark.slow
@pytest.mark.parametrize("first", range(0, SEEDS, SEEDS // SLICES))
def test_nvidias_text_of_many(first: int):
    nvidia.tileirdisasm()
    seeds = range(first, first + SEEDS // SLICES)
    assert not report((seed, nvidias_problem(*of_seed(seed))) for seed in seeds)


@pytest.mark.slow
def test_many_cover_every_part_of_every_operation():
    found: set[str] = set()
    for seed in range(SEEDS):
        found |= covered(of_seed(seed)[0])
    assert coverable() <= found
    values = {part.rpartition("=")[2] for part in found if "=" in part}
    known = {word for enum in ENUM_ATTRIBUTES for word in enum.keywords()}
    # These stand in types, not on operations.
    assert known - values <= {"nan", "neg_zero", "neg_inf", "pos_inf", "unicast", "multicast"}
