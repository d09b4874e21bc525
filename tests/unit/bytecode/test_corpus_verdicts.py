"""Files that only look wrong are read and valid; broken ones are refused when read or verified."""

import pytest
from support import corpus

from tileir_xdsl import verify
from tileir_xdsl.bytecode.reader import decode_module
from tileir_xdsl.diagnostics import DiagnosticError, Severity


def errors_of(data: bytes) -> list[str]:
    try:
        module = decode_module(data, "k.tileirbc")
    except DiagnosticError as error:
        return [d.message for d in error.diagnostics]
    return [d.message for d in verify(module) if d.severity is Severity.ERROR]


@pytest.mark.parametrize("case", corpus.verifier_cases(), ids=lambda case: case.case.name)
def test_verdict(case: corpus.VerifierCase):
    errors = errors_of(case.case.bytecode)
    assert bool(errors) == (case.expect == "reject"), (case.what, errors)


@pytest.mark.parametrize("version", corpus.VERSIONS)
def test_valid_files_are_read_in_strict_mode(version: str):
    for case in corpus.cases(version=version):
        decode_module(case.bytecode, case.id, strict=True)
