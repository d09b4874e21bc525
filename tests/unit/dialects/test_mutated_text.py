"""Texts with wrong, missing and exchanged words are errors with a place, or valid programs."""

from __future__ import annotations

import re
from functools import cache

from hypothesis import given, settings
from hypothesis import strategies as st
from support import corpus
from support.op_forms import OPERATIONS_WITH_FORMS, with_attributes

import tileir_xdsl
from tileir_xdsl.diagnostics import DiagnosticSink, SourceFile
from tileir_xdsl.dialects.cuda_tile.parser import parse_source
from tileir_xdsl.dialects.cuda_tile.printer import module_text
from tileir_xdsl.verifier import verify_into

LONGEST = 1500
"""Characters of a text, so that an example takes milliseconds."""

WORD = re.compile(r'"(?:[^"\\\n]|\\.)*"|[%#!@^]?[A-Za-z_0-9.$-]+|\s+|.', re.DOTALL)


@cache
def texts() -> tuple[str, ...]:
    custom = [with_attributes(mnemonic) for mnemonic in OPERATIONS_WITH_FORMS]
    for case in corpus.cases("deep", version="13.5"):
        data = [data for data in (case.g_text, case.source_text) if data is not None]
        custom += [d.decode("utf-8", "surrogateescape") for d in data if len(d) < LONGEST]
    generic = [module_text(tileir_xdsl.parse(text), True, generic=True) for text in custom]
    return (*custom, *(text for text in generic if len(text) < LONGEST))


@cache
def words() -> tuple[str, ...]:
    found = {word for text in texts() for word in WORD.findall(text) if word.strip()}
    return tuple(sorted(found))


@st.composite
def mutated(draw: st.DrawFn) -> str:
    """A text after one to four edits of words."""
    parts: list[str] = WORD.findall(draw(st.sampled_from(texts())))
    for _ in range(draw(st.integers(1, 4))):
        position = draw(st.integers(0, len(parts) - 1))
        match draw(st.sampled_from(("delete", "replace", "insert", "repeat", "exchange"))):
            case "delete" if len(parts) > 1:
                del parts[position]
            case "replace":
                parts[position] = draw(st.sampled_from(words()))
            case "insert":
                parts.insert(position, draw(st.sampled_from(words())))
            case "repeat":
                parts.insert(position, parts[draw(st.integers(0, len(parts) - 1))])
            case _:
                other = draw(st.integers(0, len(parts) - 1))
                parts[position], parts[other] = parts[other], parts[position]
    return "".join(parts)


@given(mutated())
@settings(max_examples=150, deadline=None)
def test_mutated_text_is_an_error_or_a_program(text: str):
    sink = DiagnosticSink()
    module = parse_source(SourceFile("mutated.mlir", text), sink)
    if not sink.has_errors:
        verify_into(module, sink)
    if sink.has_errors:
        assert all(str(d.place).startswith("mutated.mlir:") for d in sink.sorted())
        return
    printed = module_text(module, debuginfo=True)
    assert module_text(tileir_xdsl.parse(printed), debuginfo=True) == printed
    generic = tileir_xdsl.parse(module_text(module, generic=True))
    assert module.is_structurally_equivalent(generic)
