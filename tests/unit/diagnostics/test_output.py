import io
import json
from typing import Any

import pytest

from tileir_xdsl.diagnostics import (
    Diagnostic,
    DiagnosticSink,
    Format,
    Place,
    Severity,
    SourceFile,
    print_diagnostics,
    to_sarif,
)


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def written(sink: DiagnosticSink, format: Format = "text") -> str:
    stream = io.StringIO()
    print_diagnostics(sink, stream, format)
    return stream.getvalue()


@pytest.fixture
def sink() -> DiagnosticSink:
    source = SourceFile("a b.mlir", "ab\ncd\n")
    sink = DiagnosticSink()
    error = sink.error("second", Place.at(source, 3, 5), fix="x", code="rule-2")
    error.attach_note("here", Place.at(source, 0)).attach_note("and here", Place.file("b"))
    sink.warning("first", Place.at(source, 1), code="rule-1")
    sink.error("third", Place.byte("/x/y#z.bc", 31))
    sink.remark("fourth", Place.file("k.mlir"))
    sink.error("fifth", Place.line("k.mlir", 3, 4), code="rule-2")
    return sink


@pytest.fixture
def terminal(monkeypatch: pytest.MonkeyPatch) -> Terminal:
    monkeypatch.delenv("NO_COLOR", raising=False)
    monkeypatch.setenv("TERM", "xterm")
    return Terminal()


def test_text_is_in_source_order(sink: DiagnosticSink):
    headers = [line for line in written(sink).splitlines() if ": " in line]
    assert headers == [
        "a b.mlir:1:2: warning: first",
        "a b.mlir:2:1: error: second",
        "a b.mlir:2:1: note: fix: x",
        "a b.mlir:1:1: note: here",
        "b: note: and here",
        "/x/y#z.bc:+0x1f: error: third",
        "k.mlir: remark: fourth",
        "k.mlir:3:4: error: fifth",
    ]
    assert written(sink).endswith("error: fifth\n")


@pytest.mark.parametrize("format", ["text", "json", "sarif"])
def test_nothing_to_say(format: Format):
    text = written(DiagnosticSink(), format)
    if format == "text":
        assert text == ""
    elif format == "json":
        assert json.loads(text) == {"diagnostics": []}
    else:
        assert json.loads(text)["runs"][0]["results"] == []


def test_a_list_keeps_its_order():
    stream = io.StringIO()
    lines = [Diagnostic(Severity.ERROR, "e", Place.line("f", n, 1)) for n in (2, 1)]
    print_diagnostics(lines, stream)
    assert stream.getvalue() == "f:2:1: error: e\nf:1:1: error: e\n"


def test_color_on_a_terminal(sink: DiagnosticSink, terminal: Terminal):
    print_diagnostics(sink, terminal)
    assert "\x1b[1;31merror" in terminal.getvalue()


def test_no_color_on_a_file(sink: DiagnosticSink):
    assert "\x1b" not in written(sink)


@pytest.mark.parametrize(("variable", "value"), [("NO_COLOR", "1"), ("TERM", "dumb")])
def test_no_color_where_the_environment_says_so(
    sink: DiagnosticSink,
    terminal: Terminal,
    monkeypatch: pytest.MonkeyPatch,
    variable: str,
    value: str,
):
    monkeypatch.setenv(variable, value)
    print_diagnostics(sink, terminal)
    assert "\x1b" not in terminal.getvalue()


def test_an_empty_no_color_counts_for_nothing(
    sink: DiagnosticSink, terminal: Terminal, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setenv("NO_COLOR", "")
    print_diagnostics(sink, terminal)
    assert "\x1b" in terminal.getvalue()


@pytest.mark.parametrize("color", [True, False])
def test_color_on_request(
    sink: DiagnosticSink, terminal: Terminal, monkeypatch: pytest.MonkeyPatch, color: bool
):
    monkeypatch.setenv("NO_COLOR", "1" if color else "")
    print_diagnostics(sink, terminal, color=color)
    assert ("\x1b" in terminal.getvalue()) == color


def test_what_the_encoding_lacks_is_escaped():
    raw = io.BytesIO()
    stream = io.TextIOWrapper(raw, encoding="latin-1")
    source = SourceFile("f", "é漢")
    print_diagnostics([Diagnostic(Severity.ERROR, "∞", Place.at(source, 0))], stream)
    stream.flush()
    assert raw.getvalue() == b"f:1:1: error: \\u221e\n\xe9\\u6f22\n^\n"


def test_json(sink: DiagnosticSink):
    document = json.loads(written(sink, "json"))
    assert document == {"diagnostics": [d.to_json() for d in sink.sorted()]}
    assert [d["message"] for d in document["diagnostics"]] == [
        "first",
        "second",
        "third",
        "fourth",
        "fifth",
    ]


@pytest.mark.parametrize("format", ["json", "sarif"])
def test_machine_formats_are_ascii_and_never_colored(format: Format, terminal: Terminal):
    place = Place.file("\udc80\ud800\x1b é")
    print_diagnostics([Diagnostic(Severity.ERROR, "\x1b[31m\udc80", place)], terminal, format)
    text = terminal.getvalue()
    assert text.isascii()
    assert "\x1b" not in text
    json.loads(text)


def sarif_results(sink: DiagnosticSink) -> list[dict[str, Any]]:
    return json.loads(written(sink, "sarif"))["runs"][0]["results"]


def test_sarif_log(sink: DiagnosticSink):
    """The properties that the schema of SARIF 2.1.0 requires, and their constraints."""
    log = json.loads(written(sink, "sarif"))
    assert log["version"] == "2.1.0"
    [run] = log["runs"]
    assert run["tool"]["driver"]["name"] == "tileir-xdsl"
    assert run["columnKind"] == "unicodeCodePoints"
    rules = [rule["id"] for rule in run["tool"]["driver"]["rules"]]
    assert rules == ["rule-1", "rule-2"]
    for result in run["results"]:
        assert result["message"]["text"]
        assert result["level"] in ("none", "note", "warning", "error")
        assert result.get("ruleId", "rule-1") in rules
        for location in result["locations"] + result.get("relatedLocations", []):
            physical = location["physicalLocation"]
            assert physical["artifactLocation"]["uri"]
            region = physical.get("region", {"startLine": 1})
            assert region.get("startLine", 1) >= 1
            assert "startLine" in region or region["byteOffset"] >= 0


def test_sarif_results(sink: DiagnosticSink):
    results = sarif_results(sink)
    assert [r["level"] for r in results] == ["warning", "error", "error", "note", "error"]
    assert [r.get("ruleId") for r in results] == ["rule-1", "rule-2", None, None, "rule-2"]
    second = results[1]
    assert second["message"]["text"] == "second\nfix: x"
    assert second["locations"] == [
        {
            "physicalLocation": {
                "artifactLocation": {"uri": "a%20b.mlir"},
                "region": {"startLine": 2, "startColumn": 1, "endLine": 2, "endColumn": 3},
            }
        }
    ]
    related = second["relatedLocations"]
    assert [r["message"]["text"] for r in related] == ["here", "and here"]
    assert [r["id"] for r in related] == [0, 1]


def test_sarif_of_bytes_and_absolute_paths(sink: DiagnosticSink):
    assert sarif_results(sink)[2]["locations"][0]["physicalLocation"] == {
        "artifactLocation": {"uri": "file:///x/y%23z.bc"},
        "region": {"byteOffset": 31, "byteLength": 0},
    }


def test_sarif_of_a_location_without_a_line():
    log: Any = to_sarif([Diagnostic(Severity.ERROR, "e", Place.line("a:b", 0, 0))])
    [result] = log["runs"][0]["results"]
    assert result["locations"] == [{"physicalLocation": {"artifactLocation": {"uri": "a%3Ab"}}}]


def test_sarif_of_a_location_without_a_column():
    log: Any = to_sarif([Diagnostic(Severity.ERROR, "e", Place.line("f", 2, 0))])
    [result] = log["runs"][0]["results"]
    region = result["locations"][0]["physicalLocation"]["region"]
    assert region == {"startLine": 2, "startColumn": 1, "endLine": 2, "endColumn": 1}
