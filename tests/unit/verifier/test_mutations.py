"""Whatever is wrong with a text: diagnostics in MLIR's style with places, never an exception."""

from functools import cache

import pytest
from support.corpus import cases
from support.messages import flattened, forbidden, outside
from support.mutations import Mutator

from tileir_xdsl.diagnostics import Diagnostic, DiagnosticSink, SourceFile
from tileir_xdsl.dialects.cuda_tile.parser import parse_module, parse_source
from tileir_xdsl.dialects.cuda_tile.printer import module_text
from tileir_xdsl.verifier import verify_into

LONGEST = 6000


@cache
def texts() -> list[str]:
    """Programs as NVIDIA prints them, with debug info, as they were written, and generic."""
    found: list[str] = []
    for case in cases(version="13.5"):
        forms = (case.text, case.g_text, case.source_text)
        found += [form.decode("utf-8", "surrogateescape") for form in forms if form]
    for case in cases("accept", version="13.5"):
        module = parse_module(case.text.decode("utf-8", "surrogateescape"))
        found.append(module_text(module, debuginfo=True, generic=True))
    return [text for text in found if len(text) <= LONGEST]


def diagnostics_of(source: SourceFile) -> list[Diagnostic]:
    sink = DiagnosticSink()
    verify_into(parse_source(source, sink), sink)
    return sink.diagnostics


def check(mutator: Mutator, count: int) -> None:
    pattern = forbidden()
    refused = 0
    for _ in range(count):
        text = mutator.mutated()
        source = SourceFile("mutated.mlir", text)
        try:
            diagnostics = diagnostics_of(source)
        except Exception as error:
            pytest.fail(f"{error!r} for\n{text}")
        refused += bool(diagnostics)
        for diagnostic in flattened(diagnostics):
            message = diagnostic.message
            assert not outside(source, diagnostic.range), f"{diagnostic}\n{text}"
            assert not pattern.search(message), f"{message}\n{text}"
            assert message not in ("syntax error", ""), text
            assert "\n" not in message.replace("\\n", ""), text
    assert refused > count // 2


def test_some_mutations() -> None:
    check(Mutator(texts(), seed=1), 1000)


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(2, 7))
def test_many_mutations(seed: int) -> None:
    check(Mutator(texts(), seed), 5000)
