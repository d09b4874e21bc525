import pytest
from hypothesis import given
from hypothesis import strategies as st

from tileir_xdsl.diagnostics import Diagnostic, Place, Severity, SourceFile, escape, render


def excerpt(text: str, start: int, end: int | None = None) -> list[str]:
    """The lines under the header."""
    place = Place.at(SourceFile("f", text), start, end)
    return render(Diagnostic(Severity.ERROR, "e", place)).split("\n")[1:]


def test_error_with_caret_fix_and_notes():
    source = SourceFile("dir/a b.mlir", "%0 = f\n%1 = addi %0\n")
    diagnostic = Diagnostic(Severity.ERROR, "wrong", Place.at(source, 12, 16), fix="use addf")
    diagnostic.attach_note("defined here", Place.at(source, 0, 2))
    assert render(diagnostic) == (
        "dir/a b.mlir:2:6: error: wrong\n"
        "%1 = addi %0\n"
        "     ^~~~\n"
        "dir/a b.mlir:2:6: note: fix: use addf\n"
        "dir/a b.mlir:1:1: note: defined here\n"
        "%0 = f\n"
        "^~"
    )


@pytest.mark.parametrize("severity", Severity)
def test_severity_is_named(severity: Severity):
    assert render(Diagnostic(severity, "m", Place.line("f", 2, 3))) == f"f:2:3: {severity.value}: m"


def test_places_without_excerpt():
    assert render(Diagnostic(Severity.ERROR, "m", Place.byte("f", 31))) == "f:+0x1f: error: m"
    assert render(Diagnostic(Severity.ERROR, "m", Place.file("f"))) == "f: error: m"


def test_a_note_at_the_place_of_its_diagnostic_repeats_no_excerpt():
    source = SourceFile("f", "abc")
    diagnostic = Diagnostic(Severity.ERROR, "e", Place.at(source, 1))
    diagnostic.attach_note("n", Place.at(source, 1))
    assert render(diagnostic).split("\n") == ["f:1:2: error: e", "abc", " ^", "f:1:2: note: n"]


def test_notes_of_notes():
    diagnostic = Diagnostic(Severity.ERROR, "e", Place.line("f", 3, 1))
    diagnostic.attach_note("n", Place.line("f", 2, 1)).attach_note("m", Place.line("f", 1, 1))
    assert render(diagnostic).split("\n") == ["f:3:1: error: e", "f:2:1: note: n", "f:1:1: note: m"]


@pytest.mark.parametrize(
    ("text", "start", "end", "shown", "carets"),
    [
        pytest.param("abc", 1, None, "abc", " ^", id="point"),
        pytest.param("abc", 1, 2, "abc", " ^", id="one character"),
        pytest.param("abcd", 1, 4, "abcd", " ^~~", id="to the end of the line"),
        pytest.param("abc\ndef\n", 1, 6, "abc", " ^~", id="several lines"),
        pytest.param("abc\n", 3, 4, "abc", "   ^", id="the end of a line"),
        pytest.param("abc\r\ndef", 3, 5, "abc", "   ^", id="CRLF at the end of a line"),
        pytest.param("abc\r\ndef", 1, 7, "abc", " ^~", id="several lines with CRLF"),
        pytest.param("abc", 3, None, "abc", "   ^", id="end of file without newline"),
        pytest.param("abc\n", 4, None, "", "^", id="end of file after newline"),
        pytest.param("", 0, None, "", "^", id="empty file"),
        pytest.param("\t a\tbc", 4, 6, "\t a\tbc", "\t  \t^~", id="tabs before"),
        pytest.param("a\tb", 0, 3, "a\tb", "^~~", id="tab inside"),
        pytest.param("漢字 ab", 3, 5, "漢字 ab", "     ^~", id="wide before"),
        pytest.param("a漢字b", 1, 3, "a漢字b", " ^~~~", id="wide inside"),
        pytest.param("漢b", 0, None, "漢b", "^", id="point at wide"),
        pytest.param("e\u0301 ab", 3, 5, "e\u0301 ab", "  ^~", id="combining before"),
        pytest.param("\U0001f600 ab", 2, 4, "\U0001f600 ab", "   ^~", id="non-BMP before"),
        pytest.param("\x1b[0m ab", 5, 7, "\\x1b[0m ab", "        ^~", id="control before"),
        pytest.param("a\x00b", 1, 3, "a\\x00b", " ^~~~~", id="control inside"),
    ],
)
def test_caret(text: str, start: int, end: int | None, shown: str, carets: str):
    assert excerpt(text, start, end) == [shown, carets]


def test_a_place_that_the_text_does_not_have():
    source = SourceFile("f", "abc\n")
    beyond_line = Place("f", Place.line("f", 9, 1).range, source)
    assert render(Diagnostic(Severity.ERROR, "e", beyond_line)) == "f:9:1: error: e"
    beyond_column = Place("f", Place.line("f", 1, 99).range, source)
    assert render(Diagnostic(Severity.ERROR, "e", beyond_column)).split("\n")[1:] == ["abc", "   ^"]
    column_zero = Place("f", Place.line("f", 1, 0).range, source)
    assert render(Diagnostic(Severity.ERROR, "e", column_zero)).split("\n")[1:] == ["abc", "^"]


def test_lines_of_a_chunk_have_the_numbers_of_the_file():
    source = SourceFile("f", "ab\ncd\n", first_line=10)
    rendered = render(Diagnostic(Severity.ERROR, "e", Place.at(source, 4)))
    assert rendered == "f:11:2: error: e\ncd\n ^"


@pytest.mark.parametrize("start", [0, 1, 40, 41, 500, 9_900, 9_960, 9_999, 10_000])
def test_long_lines_are_cut_around_the_caret(start: int):
    text = "".join(chr(ord("a") + i % 26) for i in range(10_000))
    shown, carets = excerpt(text, start, start + 5)
    assert len(shown) <= 126
    assert shown.startswith("...") == (start > 40)
    assert shown.endswith("...") == (start < 9_920)
    column = carets.index("^")
    assert shown[column : column + 5] == text[start : start + 5]
    assert carets[column:] == "^" + "~" * (min(5, max(10_000 - start, 1)) - 1)


def test_a_long_range_stays_inside_the_window():
    shown, carets = excerpt("a" * 1000, 500, 1000)
    assert len(carets) <= len(shown)


@pytest.mark.parametrize("text", ["a" * 120, "a" * 119])
def test_lines_up_to_the_limit_are_whole(text: str):
    assert excerpt(text, 0)[0] == text


def test_color():
    source = SourceFile("f", "ab")
    diagnostic = Diagnostic(Severity.ERROR, "e", Place.at(source, 0, 2), fix="x")
    colored = render(diagnostic, color=True)
    assert "\x1b[1;31merror: \x1b[0m" in colored
    assert "\x1b[1;32m^~\x1b[0m" in colored
    plain = colored
    for code in ("0", "1", "1;31", "1;32", "1;36"):
        plain = plain.replace(f"\x1b[{code}m", "")
    assert plain == render(diagnostic)


@pytest.mark.parametrize(
    ("text", "escaped"),
    [
        ("plain é 漢 \U0001f600", "plain é 漢 \U0001f600"),
        ("\x1b]0;title\x07", "\\x1b]0;title\\x07"),
        ("\x9b31m", "\\x9b31m"),
        ("a\nf:1:1: error: forged", "a\\nf:1:1: error: forged"),
        ("\r\t\x7f", "\\r\\t\\x7f"),
        ("right to left \u202e", "right to left \\u202e"),
        ("\u2028\u200b\ufeff\xa0", "\\u2028\\u200b\\ufeff\\xa0"),
        ("\udc80", "\\udc80"),
    ],
)
def test_escape(text: str, escaped: str):
    assert escape(text) == escaped


@given(st.text(), st.text(min_size=1), st.text(), st.data())
def test_hostile_text_cannot_steer_the_terminal(
    message: str, path: str, text: str, data: st.DataObject
):
    start = data.draw(st.integers(0, len(text)))
    end = data.draw(st.integers(start, len(text)))
    place = Place.at(SourceFile(path, text), start, end)
    diagnostic = Diagnostic(Severity.ERROR, message, place, fix=message)
    lines = render(diagnostic).split("\n")
    assert len(lines) == 4
    assert all(line.replace("\t", " ").isprintable() for line in lines)
    assert lines[2].strip(" \t~") == "^"
