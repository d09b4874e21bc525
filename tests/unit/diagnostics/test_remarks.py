"""Remarks as YAML, read back by PyYAML."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tileir_xdsl.diagnostics import Place, Remark, RemarkKind, to_yaml

yaml = pytest.importorskip("yaml", reason="PyYAML reads the documents back")


class _Loader(yaml.SafeLoader):
    """Reads a document with the tag of a kind of remark as a pair of the kind and its mapping."""


def _construct(loader: Any, kind: str, node: Any) -> Any:
    return kind, loader.construct_mapping(node, deep=True)


_Loader.add_multi_constructor("!", _construct)


def _read(text: str) -> list[Any]:
    return list(yaml.load_all(text, _Loader))


def _remark(message: str = "done", **changes: Any) -> Remark:
    fields: dict[str, Any] = {
        "kind": RemarkKind.PASSED,
        "source": "licm",
        "name": "Licm",
        "arguments": [("String", message)],
        "place": Place.line("k.mlir", 3, 5),
        "function": "k",
    }
    return Remark.of(**fields | changes)


def test_documents_are_those_of_llvm() -> None:
    missed = _remark("not hoisted: it may not run", kind=RemarkKind.MISSED)
    assert to_yaml([_remark(), missed]) == (
        "--- !Passed\n"
        "Pass:            licm\n"
        "Name:            Licm\n"
        "DebugLoc:        { File: k.mlir, Line: 3, Column: 5 }\n"
        "Function:        k\n"
        "Args:\n"
        "  - String:          done\n"
        "...\n"
        "--- !Missed\n"
        "Pass:            licm\n"
        "Name:            Licm\n"
        "DebugLoc:        { File: k.mlir, Line: 3, Column: 5 }\n"
        "Function:        k\n"
        "Args:\n"
        "  - String:          'not hoisted: it may not run'\n"
        "...\n"
    )


@pytest.mark.parametrize("kind", RemarkKind)
def test_the_kind_is_the_tag(kind: RemarkKind) -> None:
    [(tag, _)] = _read(to_yaml([_remark(kind=kind)]))
    assert tag == kind.value


def test_a_place_without_a_line_is_line_0() -> None:
    [(_, document)] = _read(to_yaml([_remark(place=Place.file("k.tileirbc"))]))
    assert document["DebugLoc"] == {"File": "k.tileirbc", "Line": 0, "Column": 0}


def test_no_remark_is_no_document() -> None:
    assert to_yaml([]) == ""


@pytest.mark.parametrize(
    "text",
    ["", " ", "null", "No", "12", "-", "- a", "a: b", "a #b", "it's", '"', "é", "\x85", "\n", "~"],
)
def test_text_that_yaml_has_other_meanings_for_stays_text(text: str) -> None:
    [(_, document)] = _read(to_yaml([_remark(text, function=text)]))
    assert document["Function"] == text
    assert document["Args"] == [{"String": text}]


_TEXT = st.text(st.characters(exclude_categories=["Cs"]))
_NAME = st.text(st.characters(exclude_categories=["Cs"]), max_size=80)
"""Of an argument: a key of YAML has 1024 characters at most, and one may be written as ten."""


@given(st.lists(st.tuples(_NAME, _TEXT), min_size=1), _TEXT, _TEXT, _TEXT)
def test_any_text_reads_back(
    arguments: list[tuple[str, str]], source: str, path: str, function: str
) -> None:
    remark = _remark(
        source=source, arguments=arguments, place=Place.line(path, 1, 2), function=function
    )
    text = to_yaml([remark, _remark()])
    assert text.isascii()
    (_, first), (_, second) = _read(text)
    assert first["Pass"] == source
    assert first["DebugLoc"]["File"] == path
    assert first["Function"] == function
    assert first["Args"] == [{name: value} for name, value in arguments]
    assert second["Function"] == "k"


def test_the_message_is_the_arguments() -> None:
    remark = _remark(arguments=[("String", "selected: "), ("Instruction", "TMA")])
    assert remark.message == "selected: TMA"
