"""Every operation, in every legal combination of its optional parts, survives each way round."""

from __future__ import annotations

from functools import cache

import pytest
from support import nvidia
from support.comparison import difference
from support.op_forms import NOTE, OPERATIONS_WITH_FORMS, programs, with_attributes

import tileir_xdsl
from tileir_xdsl.diagnostics import Severity, render
from tileir_xdsl.dialects.cuda_tile import OPERATIONS
from tileir_xdsl.dialects.cuda_tile.printer import module_text
from tileir_xdsl.runtime.tileiras import disassemble

parsed = cache(tileir_xdsl.parse)
"""Each text is read once; no test changes its module."""

every_operation = pytest.mark.parametrize("mnemonic", sorted(OPERATIONS_WITH_FORMS))


def test_every_operation_has_forms():
    assert sorted(OPERATIONS_WITH_FORMS) == sorted(op.mnemonic() for op in OPERATIONS)


@every_operation
def test_forms_hold_their_operation(mnemonic: str):
    for text in programs(mnemonic):
        names = {op.name for op in parsed(text).walk()}
        assert f"cuda_tile.{mnemonic}" in names


@every_operation
def test_text_prints_as_it_was_read(mnemonic: str):
    for text in programs(mnemonic):
        assert difference(text, module_text(parsed(text))) is None


@every_operation
def test_forms_are_valid(mnemonic: str):
    for text in programs(mnemonic):
        found = tileir_xdsl.verify(parsed(text))
        errors = [render(d) for d in found if d.severity is Severity.ERROR]
        assert not errors, "\n".join(errors[:3])


@every_operation
def test_generic_form_is_the_same_program(mnemonic: str):
    for text in programs(mnemonic):
        module = parsed(text)
        again = tileir_xdsl.parse(module_text(module, generic=True))
        assert module.is_structurally_equivalent(again)
        wrapped = text.startswith("cuda_tile.module")
        assert difference(text, module_text(again, wrapped=wrapped)) is None


@every_operation
def test_bytecode_decodes_to_the_same_program(mnemonic: str):
    for text in programs(mnemonic):
        module = parsed(text)
        again = tileir_xdsl.decode(tileir_xdsl.encode(module, "13.5"))
        expected = module_text(module, wrapped=False)
        assert difference(expected, module_text(again, wrapped=False)) is None


@every_operation
def test_disassembler_prints_the_same_text(mnemonic: str):
    tool = nvidia.tileirdisasm()
    for text in programs(mnemonic):
        module = parsed(text)
        expected = module_text(module, nvidia=True, wrapped=False)
        actual = disassemble(tileir_xdsl.encode(module, "13.5"), tool=tool)
        assert difference(expected, actual) is None


@every_operation
def test_discardable_attributes_stand_where_text_has_them(mnemonic: str):
    text = with_attributes(mnemonic)
    assert NOTE in text
    module = parsed(text)
    (noted,) = (op for op in module.walk() if "note" in op.attributes)
    assert noted.name == f"cuda_tile.{mnemonic}"
    assert difference(text, module_text(module)) is None
    again = tileir_xdsl.parse(module_text(module, generic=True))
    assert module.is_structurally_equivalent(again)
