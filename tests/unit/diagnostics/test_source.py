import pytest
from hypothesis import given
from hypothesis import strategies as st

from tileir_xdsl.diagnostics import Place, Position, Range, SourceFile, split_input_file


@pytest.mark.parametrize(
    ("text", "offset", "line", "column"),
    [
        ("", 0, 1, 1),
        ("ab", 0, 1, 1),
        ("ab", 1, 1, 2),
        ("ab", 2, 1, 3),
        ("ab\n", 2, 1, 3),
        ("ab\n", 3, 2, 1),
        ("ab\ncd", 3, 2, 1),
        ("ab\ncd", 5, 2, 3),
        ("\n\n\n", 2, 3, 1),
        ("ab\r\ncd", 4, 2, 1),
        ("\tx", 1, 1, 2),
        # One character each, though two UTF-16 units and four bytes.
        ("\U0001f600\U0001f600x", 2, 1, 3),
        # Only \n ends a line: the lexer counts no other terminator.
        ("a\x0bb\x85c\u2028d\re", 9, 1, 10),
    ],
)
def test_position(text: str, offset: int, line: int, column: int):
    assert SourceFile("f", text).position(offset) == Position(line, column)


def test_offsets_outside_the_text_are_clamped():
    source = SourceFile("f", "ab\ncd")
    assert source.position(-1) == Position(1, 1)
    assert source.position(99) == Position(2, 3)
    assert source.range(4, 1) == Range(Position(2, 2), Position(2, 2))


def test_positions_outside_the_text_are_clamped():
    source = SourceFile("f", "ab\r\ncd\n", first_line=5)
    assert source.offset(Position(4, 9)) == 0
    assert source.offset(Position(5, 0)) == 0
    assert source.offset(Position(5, 99)) == 2
    assert source.offset(Position(6, 99)) == 6
    assert source.offset(Position(7, 99)) == 7
    assert source.offset(Position(8, 1)) == 7


@given(st.text(alphabet="ab\t\né\U0001f600"), st.data())
def test_offset_is_the_inverse_of_position(text: str, data: st.DataObject):
    first_line = data.draw(st.integers(1, 1000))
    offset = data.draw(st.integers(0, len(text)))
    source = SourceFile("f", text, first_line)
    position = source.position(offset)
    assert source.offset(position) == offset
    assert position.line == first_line + text[:offset].count("\n")
    line = source.line_text(position.line)
    assert line is not None
    assert line == text.split("\n")[position.line - first_line]
    assert position.column <= len(line) + 1


def test_line_text():
    source = SourceFile("f", "ab\r\n\r\n\tc\rd")
    assert [source.line_text(n) for n in range(5)] == [None, "ab", "", "\tc\rd", None]
    assert source.last_line == 3
    assert SourceFile("f", "").line_text(1) == ""
    assert SourceFile("f", "a\n").line_text(2) == ""
    assert SourceFile("f", "\n\r").line_text(1) == ""
    # A lone \r on the last line is text, not half of a terminator.
    assert SourceFile("f", "a\r").line_text(1) == "a\r"


def test_first_line_shifts_line_numbers():
    source = SourceFile("f", "ab\ncd", first_line=10)
    assert source.position(3) == Position(11, 1)
    assert source.offset(Position(11, 2)) == 4
    assert source.line_text(1) is None
    assert source.line_text(11) == "cd"
    assert source.last_line == 11


def test_places():
    source = SourceFile("dir/a b.mlir", "ab\ncd\n")
    assert str(Place.at(source, 4)) == "dir/a b.mlir:2:2"
    assert Place.at(source, 4).range == Range(Position(2, 2), Position(2, 2))
    assert Place.at(source, 1, 5).range == Range(Position(1, 2), Position(2, 3))
    assert str(Place.line("f.mlir", 7, 3)) == "f.mlir:7:3"
    assert str(Place.byte("f.tileirbc", 31)) == "f.tileirbc:+0x1f"
    assert str(Place.file("f.mlir")) == "f.mlir"


def test_a_place_is_the_same_with_and_without_its_text():
    source = SourceFile("f.mlir", "abc")
    assert Place.at(source, 1) == Place.line("f.mlir", 1, 2)
    assert hash(Place.at(source, 1)) == hash(Place.line("f.mlir", 1, 2))
    assert Place.byte("f", 1) != Place.byte("f", 2)
    assert Place.byte("f", 0) != Place.file("f")


@pytest.mark.parametrize(
    ("text", "chunks"),
    [
        ("", [("", 1)]),
        ("a\n", [("a\n", 1)]),
        ("a\n// -----\nb\n", [("a\n", 1), ("b\n", 3)]),
        ("a\n\n// -----\n\nb\nc\n// -----\nd", [("a\n\n", 1), ("\nb\nc\n", 4), ("d", 8)]),
        ("a\r\n// -----\r\nb", [("a\r\n", 1), ("b", 3)]),
        ("// -----\na", [("", 1), ("a", 2)]),
        ("a\n// -----", [("a\n", 1), ("", 3)]),
        ("a\n// -----\n", [("a\n", 1), ("", 3)]),
        ("// -----\n// -----\n", [("", 1), ("", 2), ("", 3)]),
        ("a\n// ------- text\nb", [("a\n", 1), ("b", 3)]),
        ("a\n// ----\nb // -----\n // -----\n", [("a\n// ----\nb // -----\n // -----\n", 1)]),
    ],
)
def test_split_input_file(text: str, chunks: list[tuple[str, int]]):
    assert split_input_file(text) == chunks


def test_split_input_file_with_another_marker():
    assert split_input_file("a\n#.*\nb\n// -----\n", "#.*") == [("a\n", 1), ("b\n// -----\n", 3)]


@given(st.lists(st.sampled_from(["a\n", "\n", "// -----\n", "  b\r\n"])))
def test_lines_of_chunks_are_lines_of_the_file(pieces: list[str]):
    text = "".join(pieces)
    whole = SourceFile("f", text)
    chunks = split_input_file(text)
    assert len(chunks) == 1 + pieces.count("// -----\n")
    for chunk, first_line in chunks:
        part = SourceFile("f", chunk, first_line)
        # The chunk's last, empty line is where the marker, or the end of the file, stands.
        for line in range(first_line, part.last_line):
            assert part.line_text(line) == whole.line_text(line)
