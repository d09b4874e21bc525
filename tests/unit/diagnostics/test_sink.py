from tileir_xdsl.diagnostics import (
    Diagnostic,
    DiagnosticSink,
    Place,
    Position,
    Range,
    Severity,
    SourceFile,
)


def test_severities_are_lower_case_words():
    assert [s.value for s in Severity] == ["error", "warning", "remark", "note"]


def test_a_diagnostic_is_machine_readable():
    source = SourceFile("f.mlir", "ab\ncd\n")
    diagnostic = Diagnostic(Severity.ERROR, "message", Place.at(source, 1, 4), fix="f", code="c")
    note = diagnostic.attach_note("here", Place.byte("f.bc", 5))
    assert diagnostic.path == "f.mlir"
    assert diagnostic.range == Range(Position(1, 2), Position(2, 2))
    assert diagnostic.notes == [note]
    assert diagnostic.to_json() == {
        "severity": "error",
        "message": "message",
        "path": "f.mlir",
        "range": {"start": {"line": 1, "column": 2}, "end": {"line": 2, "column": 2}},
        "byte_offset": None,
        "fix": "f",
        "code": "c",
        "notes": [
            {
                "severity": "note",
                "message": "here",
                "path": "f.bc",
                "range": None,
                "byte_offset": 5,
                "fix": None,
                "code": None,
                "notes": [],
            }
        ],
    }


def test_each_severity_has_its_method():
    sink, place = DiagnosticSink(), Place.file("f")
    note = Diagnostic(Severity.NOTE, "n", place)
    returned = [
        sink.error("e", place, [note], fix="fix", code="code"),
        sink.warning("w", place, (note,), fix="fix"),
        sink.remark("r", place),
        sink.note("n", place),
    ]
    assert returned == sink.diagnostics
    assert [d.severity for d in returned] == list(Severity)
    assert returned[0] == Diagnostic(Severity.ERROR, "e", place, [note], "fix", "code")
    assert returned[1].notes == [note]
    assert returned[1].fix == "fix"


def test_only_errors_count_as_errors():
    sink, place = DiagnosticSink(), Place.file("f")
    sink.warning("w", place)
    sink.remark("r", place)
    sink.note("n", place)
    assert not sink.has_errors
    sink.error("e", place)
    assert sink.has_errors
    assert sink.error_count == 1


def test_sorted_is_source_order():
    sink = DiagnosticSink()
    for path, line, column in [("b", 2, 1), ("a", 9, 1), ("b", 1, 7), ("b", 10, 1), ("b", 1, 3)]:
        sink.error("e", Place.line(path, line, column))
    sink.error("whole", Place.file("b"))
    assert [str(d.place) for d in sink.sorted()] == [
        "b",
        "b:1:3",
        "b:1:7",
        "b:2:1",
        "b:10:1",
        "a:9:1",
    ]
    assert str(sink.diagnostics[0].place) == "b:2:1"


def test_sorted_keeps_the_order_of_equal_places():
    sink = DiagnosticSink()
    for message in "cab":
        sink.error(message, Place.line("f", 1, 1))
    assert [d.message for d in sink.sorted()] == ["c", "a", "b"]


def test_bytes_sort_by_offset():
    sink = DiagnosticSink()
    sink.error("second", Place.byte("f", 0x100))
    sink.error("first", Place.byte("f", 0x20))
    assert [d.message for d in sink.sorted()] == ["first", "second"]


def test_identical_diagnostics_are_dropped():
    sink, place = DiagnosticSink(), Place.line("f", 1, 1)
    first = sink.error("e", place)
    assert sink.error("e", place) is first
    assert sink.error_count == 1
    sink.error("e", Place.at(SourceFile("f", "x"), 0))
    assert sink.diagnostics == [first]


def test_diagnostics_that_differ_in_anything_are_kept():
    sink, place = DiagnosticSink(), Place.line("f", 1, 1)
    note = Diagnostic(Severity.NOTE, "n", place)
    sink.error("e", place)
    sink.warning("e", place)
    sink.error("other", place)
    sink.error("e", Place.line("f", 1, 2))
    sink.error("e", Place.line("g", 1, 1))
    sink.error("e", place, [note])
    sink.error("e", place, fix="fix")
    sink.error("e", place, code="code")
    assert len(sink.diagnostics) == 8


def test_errors_beyond_the_limit_are_counted_in_one_note():
    sink = DiagnosticSink(max_errors=2)
    for line in range(1, 6):
        sink.error("e", Place.line("f", line, 1))
        sink.error("e", Place.line("f", line, 1))
    sink.warning("w", Place.line("f", 9, 1))
    assert sink.error_count == 5
    assert [(d.severity, d.message) for d in sink.sorted()] == [
        (Severity.ERROR, "e"),
        (Severity.ERROR, "e"),
        (Severity.WARNING, "w"),
        (Severity.NOTE, "3 more errors not shown"),
    ]


def test_the_limit_is_not_announced_before_it_is_passed():
    sink = DiagnosticSink(max_errors=1)
    sink.error("e", Place.line("f", 1, 1))
    assert len(sink.sorted()) == 1
    sink.error("e", Place.line("f", 2, 1))
    assert sink.sorted()[1].message == "1 more error not shown"


def test_the_default_limit():
    sink = DiagnosticSink()
    for line in range(1, 1003):
        sink.error("e", Place.line("f", line, 1))
    assert len(sink.diagnostics) == 1000
    assert sink.sorted()[-1].message == "2 more errors not shown"


def test_a_known_source_gives_its_text_to_places_without():
    first, second = SourceFile("f", "a\n"), SourceFile("f", "b\n", first_line=4)
    sink = DiagnosticSink([first])
    sink.add_source(second)
    error = sink.error("e", Place.line("f", 4, 1))
    error_with_note = sink.error(
        "e", Place.line("other", 1, 1), [Diagnostic(Severity.NOTE, "n", Place.line("f", 1, 1))]
    )
    assert error.place.source is second
    assert error_with_note.place.source is None
    assert error_with_note.notes[0].place.source is first
    assert sink.error("e", Place.line("f", 99, 1)).place.source is None
    assert sink.error("e", Place.file("f")).place.source is None


def test_extend():
    sink, place = DiagnosticSink(), Place.file("f")
    error = Diagnostic(Severity.ERROR, "e", place)
    sink.extend([error, Diagnostic(Severity.ERROR, "e", place)])
    assert sink.diagnostics == [error]
