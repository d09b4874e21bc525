import pytest

from tileir_xdsl.diagnostics import (
    Diagnostic,
    DiagnosticError,
    Expectation,
    Place,
    Severity,
    SourceFile,
    check_expectations,
    parse_expectations,
    render,
)

ERROR, WARNING, REMARK, NOTE = Severity


def source(*lines: str, first_line: int = 1) -> SourceFile:
    return SourceFile("f", "\n".join(lines), first_line)


def diagnostic(
    line: int, message: str, severity: Severity = ERROR, column: int = 1, *notes: Diagnostic
) -> Diagnostic:
    return Diagnostic(severity, message, Place.line("f", line, column), list(notes))


def check(file: SourceFile, *diagnostics: Diagnostic) -> list[str]:
    """The messages, each as `line:column: message` with its notes behind it."""
    messages: list[str] = []
    for error in check_expectations(file, diagnostics):
        assert error.severity is ERROR
        for each in (error, *error.notes):
            messages.append(f"{str(each.place).removeprefix('f:')}: {each.message}")
    return messages


def only(file: SourceFile) -> Expectation:
    [expectation] = parse_expectations(file)
    return expectation


@pytest.mark.parametrize(
    ("word", "severity"),
    [("error", ERROR), ("warning", WARNING), ("remark", REMARK), ("note", NOTE)],
)
def test_severities(word: str, severity: Severity):
    file = source(f"x // expected-{word} {{{{bad}}}}")
    expectation = only(file)
    assert (expectation.severity, expectation.text, expectation.line) == (severity, "bad", 1)
    assert check(file, diagnostic(1, "a bad x", severity)) == []


@pytest.mark.parametrize(
    ("designator", "line", "column"),
    [
        ("expected-error{{m}}", 3, None),
        ("expected-error   {{m}}", 3, None),
        ("expected-error@+1 {{m}}", 4, None),
        ("expected-error @+2{{m}}", 5, None),
        ("expected-error@-1 {{m}}", 2, None),
        ("expected-error@+0 {{m}}", 3, None),
        ("expected-error@above {{m}}", 2, None),
        ("expected-error@below {{m}}", 4, None),
        ("expected-error@unknown {{m}}", None, None),
        ("expected-error@:12 {{m}}", 3, 12),
        ("expected-error@+1:12 {{m}}", 4, 12),
        ("expected-error@-2:1 {{m}}", 1, 1),
        ("expected-error@below:7 {{m}}", 4, 7),
        ("expected-error@above:7 {{m}}", 2, 7),
    ],
)
def test_lines_and_columns(designator: str, line: int | None, column: int | None):
    file = source("1", "2", f"// {designator}", "4", "5")
    expectation = only(file)
    assert (expectation.line, expectation.column, expectation.text) == (line, column, "m")
    assert str(expectation.place) == "f:3:4"


def test_lines_of_a_chunk():
    lines = ("1", "// expected-error@below {{m}}", "// expected-error@+1 {{m}}", "4")
    expectations = parse_expectations(source(*lines, first_line=20))
    assert [e.line for e in expectations] == [23, 23]
    assert [str(e.place) for e in expectations] == ["f:21:4", "f:22:4"]


def test_above_and_below_skip_lines_with_expectations():
    file = source(
        "1",
        "// expected-error@below {{a}}",
        "// expected-note@above {{b}}",
        "// expected-warning@below {{c}}",
        "5",
        "// expected-error@above {{d}}",
        "// expected-error@above {{e}}",
    )
    assert [(e.text, e.line) for e in parse_expectations(file)] == [
        ("a", 5),
        ("b", 1),
        ("c", 5),
        ("d", 5),
        ("e", 5),
    ]


def test_a_line_of_code_with_an_expectation_is_skipped_too():
    """As in MLIR, so that a file means the same to both."""
    file = source(
        "1",
        "// expected-note@below {{a}}",
        "code // expected-error {{b}}",
        "4",
        "code // expected-error {{c}}",
        "// expected-note@above {{d}}",
    )
    lines = {e.text: e.line for e in parse_expectations(file)}
    assert lines == {"a": 4, "b": 3, "c": 5, "d": 4}


def test_below_at_the_end_and_above_at_the_start():
    assert only(source("1", "2", "// expected-error@below {{m}}")).line == 3
    assert only(source("// expected-error@above {{m}}", "2")).line == 1


def test_several_on_one_line():
    file = source("x // expected-error@:1 {{a}} expected-note{{b {c}}} // expected-error {{a}}")
    assert [(e.severity, e.text, e.column) for e in parse_expectations(file)] == [
        (ERROR, "a", 1),
        (NOTE, "b {c}", None),
        (ERROR, "a", None),
    ]
    assert check(file, diagnostic(1, "a"), diagnostic(1, "a"), diagnostic(1, "b {c}", NOTE)) == []


@pytest.mark.parametrize("ending", ["\r\n", "\n", "  \n", ""])
def test_line_endings(ending: str):
    file = SourceFile("f", f"1\r\n// expected-error@above {{{{m}}}}{ending}")
    assert (only(file).text, only(file).line) == ("m", 1)


def test_characters_outside_the_bmp_count_as_one():
    file = source("// \U0001f600 expected-error@:2 {{\U0001f600}}")
    assert str(only(file).place) == "f:1:6"
    assert check(file, diagnostic(1, "an \U0001f600", column=2)) == []


@pytest.mark.parametrize("text", ["", "no designators", "an expected-error in prose", "{{x}}"])
def test_none(text: str):
    assert parse_expectations(SourceFile("f", text)) == []
    assert check_expectations(SourceFile("f", text), []) == []


@pytest.mark.parametrize(
    ("text", "message", "matches"),
    [
        ("f{{[0-9]+}}", "an f32", True),
        ("f{{[0-9]+}}", "an fx", False),
        ("f{{[[:digit:]]{2}}} x", "f32} x", False),
        ("f{{[[:digit:]]+}} x", "f32 x", True),
        ("f{{[^[:digit:][:space:]]}}", "f3f f", False),
        ("(a).* {{b|c}} d", "(a).* c d", True),
        ("(a).* {{b|c}} d", "a c d", False),
        ("{{^}}a", "ba", False),
        ("a{{$}}", "ba", True),
        ("{{.*}}", "", True),
        ("a{{.*}}b", "a\nb", True),
        ("{{a}}{{b}}", "ab", True),
        ("a.b", "axb", False),
    ],
)
def test_regular_expressions(text: str, message: str, matches: bool):
    expectation = only(source(f"// expected-error-re@+1:3 {{{{{text}}}}}"))
    assert (expectation.text, expectation.line, expectation.column) == (text, 2, 3)
    assert expectation.accepts_message(message) == matches


def test_braces_without_re_are_literal():
    expectation = only(source("// expected-error {{a {{[0-9]}} b}}"))
    assert expectation.accepts_message("a {{[0-9]}} b")
    assert not expectation.accepts_message("a 1 b")


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("// expected-error {{a", "f:1:4: error: expectation without closing '}}' on its line"),
        ("// expected-eror {{a}}", "f:1:4: error: not a valid expectation"),
        ("// expected-error@next {{a}}", "f:1:4: error: not a valid expectation"),
        ("// expected-error@1 {{a}}", "f:1:4: error: not a valid expectation"),
        ("// expected-error@unknown:3 {{a}}", "f:1:4: error: not a valid expectation"),
        ("// expected-error-re {{{{(}}}}", "f:1:4: error: invalid regular expression: "),
        (
            "// expected-error-re {{a {{b}}",
            "f:1:4: error: invalid regular expression: '{{' without",
        ),
    ],
)
def test_what_cannot_be_read_is_an_error(line: str, message: str):
    file = source(line)
    with pytest.raises(DiagnosticError) as raised:
        parse_expectations(file)
    [error] = raised.value.diagnostics
    assert render(error).startswith(message)
    assert check_expectations(file, []) == [error]


def test_all_that_cannot_be_read_is_reported():
    file = source(
        "// expected-eror {{a}}", "// expected-error {{b", "// expected-error-re {{{{*}}}}"
    )
    with pytest.raises(DiagnosticError) as raised:
        parse_expectations(file)
    assert [str(d.place) for d in raised.value.diagnostics] == ["f:1:4", "f:2:4", "f:3:4"]


def test_a_failed_attempt_does_not_hide_the_rest():
    file = source("// expected-eror {{a}}", "// expected-error@below {{b}}", "3")
    assert check(file, diagnostic(3, "b"), diagnostic(3, "c")) == [
        "1:4: not a valid expectation",
        "3:1: unexpected error: c",
    ]


@pytest.mark.parametrize("severity", Severity)
def test_unexpected(severity: Severity):
    file = source("1", "2")
    assert check(file, diagnostic(2, "m", severity)) == [f"2:1: unexpected {severity.value}: m"]


def test_not_produced():
    file = source("// expected-warning@below {{a}}", "2")
    assert check(file) == ['1:4: expected warning "a" was not produced']


def test_another_message():
    file = source("x // expected-error {{a}}")
    assert check(file, diagnostic(1, "b")) == [
        "1:1: unexpected error: b",
        '1:6: expected error "a" was not produced',
    ]


def test_another_severity():
    file = source("x // expected-error {{a}}")
    assert check(file, diagnostic(1, "a", WARNING)) == [
        '1:6: expected error "a" was produced as warning, not error',
        "1:1: warning: a",
    ]


def test_another_column():
    file = source("// expected-error@+1:3 {{a}}", "x")
    assert check(file, diagnostic(2, "a", column=3)) == []
    assert check(file, diagnostic(2, "a", column=4)) == [
        '1:4: expected error "a" was produced at column 4, not 3',
        "2:4: error: a",
    ]


def test_another_line():
    file = source("// expected-error@+1 {{a}}", "x", "y")
    assert check(file, diagnostic(3, "a")) == [
        '1:4: expected error "a" was produced at line 3, not 2',
        "3:1: error: a",
    ]


def test_another_file():
    file = source("x // expected-error {{a}}")
    assert check(file, Diagnostic(ERROR, "a", Place.line("g", 1, 1))) == [
        '1:6: expected error "a" was produced in another file',
        "g:1:1: error: a",
    ]


def test_a_near_miss_takes_no_expectation_that_is_met():
    file = source("x // expected-error {{a}}")
    assert check(file, diagnostic(1, "a"), diagnostic(1, "a", WARNING)) == [
        "1:1: unexpected warning: a"
    ]


def test_the_nearest_miss_is_named():
    file = source("// expected-error@+1 {{a}}", "// expected-error@+3:2 {{a}}", "3", "4", "5")
    assert check(file, diagnostic(5, "a", column=1)) == [
        '1:4: expected error "a" was not produced',
        '2:4: expected error "a" was produced at column 1, not 2',
        "5:1: error: a",
    ]


@pytest.mark.parametrize("place", [Place.file("f"), Place.byte("f", 3), Place.file("elsewhere")])
def test_unknown(place: Place):
    file = source("// expected-error@unknown {{a}}")
    assert check(file, Diagnostic(ERROR, "a", place)) == []
    assert check(file, diagnostic(1, "a")) == [
        '1:4: expected error "a" was produced at line 1, not without a line',
        "1:1: error: a",
    ]


def test_a_diagnostic_without_a_line_meets_no_line():
    file = source("x // expected-error {{a}}")
    assert check(file, Diagnostic(ERROR, "a", Place.file("f"))) == [
        '1:6: expected error "a" was produced without a line',
        "f: error: a",
    ]


def test_notes_are_expected_too():
    file = source("x // expected-note {{here}}", "y // expected-error {{bad}}")
    note = diagnostic(1, "here", NOTE)
    assert check(file, diagnostic(2, "bad", ERROR, 1, note)) == []
    assert check(file, diagnostic(2, "bad")) == ['1:6: expected note "here" was not produced']
    nested = diagnostic(1, "here", NOTE, 1, diagnostic(2, "and", NOTE))
    assert check(file, diagnostic(2, "bad", ERROR, 1, nested)) == ["2:1: unexpected note: and"]


def test_a_fix_needs_no_expectation():
    file = source("x // expected-error {{a}}")
    assert check(file, Diagnostic(ERROR, "a", Place.line("f", 1, 1), fix="b")) == []


def test_one_diagnostic_meets_one_expectation():
    file = source("// expected-error@+2 {{a}}", "// expected-error@+1 {{a}}", "x")
    assert check(file, diagnostic(3, "a"), diagnostic(3, "aa")) == []
    assert check(file, diagnostic(3, "a")) == ['2:4: expected error "a" was not produced']


def test_one_expectation_is_met_by_one_diagnostic():
    file = source("x // expected-error {{a}}")
    assert check(file, diagnostic(1, "a"), diagnostic(1, "ab")) == ["1:1: unexpected error: ab"]


def test_general_expectations_leave_diagnostics_to_specific_ones():
    """Whatever the order of either."""
    general, specific = "// expected-error@3 {{a}}", "// expected-error@3 {{ab}}"
    for first, second in [(general, specific), (specific, general)]:
        file = source(first.replace("@3", "@+2"), second.replace("@3", "@+1"), "x")
        assert check(file, diagnostic(3, "ab"), diagnostic(3, "xa")) == []
        assert check(file, diagnostic(3, "xa"), diagnostic(3, "ab")) == []


def test_errors_come_in_source_order():
    file = source("x // expected-error {{a}}", "y", "z // expected-note {{b}}")
    assert check(file, diagnostic(2, "c"), diagnostic(1, "d")) == [
        "1:1: unexpected error: d",
        '1:6: expected error "a" was not produced',
        "2:1: unexpected error: c",
        '3:6: expected note "b" was not produced',
    ]


def test_errors_show_the_comment():
    [error] = check_expectations(source("x // expected-error {{a}}"), [])
    assert render(error) == (
        'f:1:6: error: expected error "a" was not produced\n'
        "x // expected-error {{a}}\n"
        "     ^~~~~~~~~~~~~~~~~~~~"
    )
