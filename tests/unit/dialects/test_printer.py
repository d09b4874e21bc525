"""The text of programs: module forms, default dialect, terminators, attributes, locations."""

from __future__ import annotations

from io import StringIO

import pytest
from xdsl.context import Context
from xdsl.dialects.arith import Arith
from xdsl.dialects.builtin import (
    ArrayAttr,
    Builtin,
    DictionaryAttr,
    FileLineColLoc,
    FloatAttr,
    FusedLoc,
    IntAttr,
    IntegerAttr,
    IntegerType,
    ModuleOp,
    NameLoc,
    NoneAttr,
    Signedness,
    StringAttr,
    UnitAttr,
    UnknownLoc,
    f32,
    f64,
    i1,
    i8,
    i64,
)
from xdsl.dialects.test import Test
from xdsl.ir import Attribute, Operation
from xdsl.parser import Parser
from xdsl.printer import Printer

from tileir_xdsl.dialects.cuda_tile import CudaTile, core
from tileir_xdsl.dialects.cuda_tile.attributes import (
    DICompileUnitAttr,
    DIFileAttr,
    DISubprogramAttr,
)
from tileir_xdsl.dialects.cuda_tile.constants import FloatBitsAttr
from tileir_xdsl.dialects.cuda_tile.locations import DILocAttr, callsite, nested_location
from tileir_xdsl.dialects.cuda_tile.nesting import deep_recursion
from tileir_xdsl.dialects.cuda_tile.printer import TilePrinter, escaped, module_text
from tileir_xdsl.dialects.cuda_tile.types import TileType


def parse(text: str) -> ModuleOp:
    context = Context()
    for dialect in (Arith, Builtin, CudaTile, Test):
        context.load_dialect(dialect)
    return Parser(context, text).parse_module()


def kernel(*lines: str, arguments: str = "") -> ModuleOp:
    body = "\n".join(lines)
    return parse(f"cuda_tile.module @kernels {{ entry @k({arguments}) {{ {body}\nreturn }} }}")


def wrapper(module: ModuleOp) -> core.ModuleOp:
    """The one `cuda_tile.module`."""
    op = module.body.block.first_op
    assert isinstance(op, core.ModuleOp)
    return op


def only(module: Operation, name: str) -> Operation:
    (found,) = (op for op in module.walk() if op.name == name)
    return found


def line_with(text: str, part: str) -> str:
    (line,) = (line for line in text.splitlines() if part in line)
    return line.strip()


# Module forms.

EMPTY_KERNEL = "entry @k() {\n  return\n}\n"


def test_a_module_prints_as_it_was_read():
    module = kernel()
    assert module_text(module) == (
        "cuda_tile.module @kernels {\n  entry @k() {\n    return\n  }\n}\n"
    )
    wrapper(module).bare = True
    assert module_text(module) == EMPTY_KERNEL


@pytest.mark.parametrize("bare", [False, True])
def test_a_form_can_be_forced(bare: bool):
    module = kernel()
    wrapper(module).bare = bare
    assert module_text(module, wrapped=False) == EMPTY_KERNEL
    assert module_text(module, wrapped=True).startswith("cuda_tile.module @kernels {\n")
    assert module_text(wrapper(module), wrapped=False) == EMPTY_KERNEL


def test_an_empty_module():
    module = parse("cuda_tile.module @m { }")
    assert module_text(module) == "cuda_tile.module @m {\n}\n"
    assert module_text(module, wrapped=False) == "\n"
    assert module_text(module, debuginfo=True, wrapped=False) == "\n#loc = loc(unknown)\n"


def test_location_of_a_bare_module_has_no_alias():
    module = kernel()
    for op in module.walk():
        op.location = at(1)
    wrapper(module).location = at(2)
    assert ":2:" not in module_text(module, debuginfo=True, wrapped=False).replace(":1:2", "")
    assert '#loc = loc("a.py":2:2)' in module_text(module, debuginfo=True)


def test_the_producer_is_an_attribute_or_a_comment():
    module = parse('cuda_tile.module @m attributes {producer = "a \\22b\\22", x} { }')
    wrapper(module).properties["producer"] = StringAttr('a "b" é\udcff')
    assert module_text(module) == (
        'cuda_tile.module @m attributes {producer = "a \\22b\\22 \\C3\\A9\\FF", x} {\n}\n'
    )
    assert module_text(module, wrapped=False).startswith('// Producer: a "b" é\udcff\n')


def test_builtin_module_prints_when_it_holds_more():
    assert module_text(parse("cuda_tile.module @a {} cuda_tile.module @b {}")) == (
        "builtin.module {\n  cuda_tile.module @a {\n  }\n  cuda_tile.module @b {\n  }\n}\n"
    )
    assert module_text(ModuleOp([], {"x": UnitAttr()})) == ("builtin.module attributes {x} {\n}\n")


# Operation names.


def test_default_dialect_only_directly_inside():
    module = kernel(
        "%c = constant <i1: true> : tile<i1>",
        '"test.op"() ({ %n = cuda_tile.negi %c : tile<i1> \n "test.termop"() : () -> () })'
        " : () -> ()",
        "if %c { %x = arith.constant 1 : i32 }",
    )
    text = module_text(module)
    assert line_with(text, "negi") == "%0 = cuda_tile.negi %true : tile<i1>"
    assert line_with(text, "arith") == "%0 = arith.constant 1 : i32"
    assert line_with(text, "if") == "if %true {"


def test_operations_outside_a_module_have_their_prefix():
    module = parse(
        '%t = "test.op"() : () -> !cuda_tile.tile<i8>\n%x = cuda_tile.absi %t : tile<i8>'
    )
    assert line_with(module_text(module), "absi") == "%1 = cuda_tile.absi %0 : tile<i8>"


def test_one_operation_keeps_its_name_in_the_program():
    module = kernel("%a = make_token : token", "%b = make_token : token")
    *_, last = (op for op in module.walk() if op.name == "cuda_tile.make_token")
    stream = StringIO()
    TilePrinter(stream).print_op(last)
    assert stream.getvalue() == "%1 = cuda_tile.make_token : token"


# Terminators.

LOOP = "for %i in (%n to %n, step %n) : tile<i32> {"


def test_empty_bodies_hide_their_terminators():
    module = kernel(
        LOOP + "}", "if %c {} else {}", "loop {}", arguments="%n: tile<i32>, %c: tile<i1>"
    )
    assert module_text(module, wrapped=False).splitlines()[1:-2] == [
        "  for %loopIdx in (%arg0 to %arg0, step %arg0) : tile<i32> {",
        "  }",
        "  if %arg1 {",
        "  } else {",
        "  }",
        "  loop {",
        "  }",
    ]


def test_a_terminator_with_something_to_say_stays():
    module = kernel(LOOP + "continue {x} }", arguments="%n: tile<i32>")
    assert line_with(module_text(module), "continue") == "continue {x}"


def test_another_terminator_stays():
    assert line_with(module_text(kernel("loop { break }")), "break") == "break"


@pytest.mark.parametrize("nvidia", [False, True])
def test_location_of_a_hidden_terminator(nvidia: bool):
    module = kernel(LOOP + "}", arguments="%n: tile<i32>")
    only(module, "cuda_tile.continue").location = at(7)
    assert "continue" not in module_text(module)
    text = module_text(module, debuginfo=True, nvidia=nvidia)
    # NVIDIA's text loses it, and names no alias for it.
    assert ("continue loc(#loc1)" in text) != nvidia
    assert (":7:" in text) != nvidia


def test_stock_printer_prints_bodies_too():
    module = kernel("loop { %t = make_token : token }", "loop { break }")
    stream = StringIO()
    Printer(stream).print_op(module)
    text = stream.getvalue()
    assert "cuda_tile.continue" not in text
    assert "cuda_tile.break" in text
    assert module_text(parse(text)) == module_text(module)


def test_nesting_as_deep_as_the_parser_takes():
    depth = 200
    text = "loop {" * depth + "}" * depth
    with deep_recursion():
        module = kernel(text)
    assert module_text(module).count("loop {") == depth
    assert module_text(module, generic=True).count('"cuda_tile.loop"') == depth


# Strings and attributes.


@pytest.mark.parametrize(
    ("string", "text"),
    [
        ("plain ~", '"plain ~"'),
        ('a"b\\c', '"a\\22b\\\\c"'),
        ("\n\t\x7f", '"\\0A\\09\\7F"'),
        ("é€", '"\\C3\\A9\\E2\\82\\AC"'),
        ("\udcff\udc80", '"\\FF\\80"'),
    ],
)
def test_string_literals(string: str, text: str):
    assert escaped(string) == text
    assert attribute_text(StringAttr(string)) == text


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("k", "@k"),
        ("_a.b$1", "@_a.b$1"),
        ("for", "@for"),
        ("9a", '@"9a"'),
        ("a-b", '@"a-b"'),
        ("k 3", '@"k 3"'),
        ("é", '@"\\C3\\A9"'),
        ("", '@""'),
    ],
)
def test_symbols(name: str, text: str):
    assert module_text(core.ModuleOp(name)) == f"cuda_tile.module {text} {{\n}}\n"


def attribute_text(attribute: Attribute) -> str:
    stream = StringIO()
    TilePrinter(stream).print_attribute(attribute)
    return stream.getvalue()


@pytest.mark.parametrize(
    ("attribute", "alone", "in_array"),
    [
        (IntegerAttr(-1, i8), "-1 : i8", "-1 : i8"),
        (IntegerAttr(5, i64), "5 : i64", "5"),
        (IntegerAttr(1, i1), "true", "true"),
        (IntegerAttr.from_index_int_value(3), "3 : index", "3 : index"),
        (IntegerAttr(200, IntegerType(8, Signedness.UNSIGNED)), "200 : ui8", "200 : ui8"),
        (FloatAttr(1.5, f64), "1.500000e+00 : f64", "1.500000e+00"),
        (FloatAttr(0.5, f32), "5.000000e-01 : f32", "5.000000e-01 : f32"),
        (FloatBitsAttr.get(0x7FC00001, f32), "0x7FC00001 : f32", "0x7FC00001 : f32"),
        (
            FloatBitsAttr.get(0x7FF << 52, f64),
            "0x7FF0000000000000 : f64",
            "0x7FF0000000000000 : f64",
        ),
        (TileType.get([4], f32), "!cuda_tile.tile<4xf32>", "!cuda_tile.tile<4xf32>"),
    ],
)
def test_scalars(attribute: Attribute, alone: str, in_array: str):
    assert attribute_text(attribute) == alone
    assert attribute_text(DictionaryAttr({"k": attribute})) == f"{{k = {alone}}}"
    assert attribute_text(ArrayAttr([attribute])) == f"[{in_array}]"


def test_dictionaries_are_sorted_bytewise():
    entries = {"b": UnitAttr(), "a_b": UnitAttr(), "a-b": UnitAttr(), "aB": UnitAttr()}
    assert attribute_text(DictionaryAttr(entries)) == '{"a-b", aB, a_b, b}'


# Locations.


def at(line: int) -> FileLineColLoc:
    return FileLineColLoc(StringAttr("a.py"), IntAttr(line), IntAttr(2))


def subprogram() -> DISubprogramAttr:
    file = DIFileAttr(StringAttr("a.py"), StringAttr("/d"))
    name = StringAttr("f")
    unit = DICompileUnitAttr(file)
    return DISubprogramAttr(file, IntAttr(3), name, name, unit, IntAttr(4), IntAttr(0))


SUBPROGRAM = (
    '#cuda_tile.di_subprogram<file = #cuda_tile.di_file<"a.py" in "/d">, line = 3, name = "f", '
    'linkageName = "f", compileUnit = #cuda_tile.di_compile_unit<file = '
    '#cuda_tile.di_file<"a.py" in "/d">>, scopeLine = 4>'
)


@pytest.mark.parametrize(
    ("location", "inline"),
    [
        (UnknownLoc(), "unknown"),
        (at(1), '"a.py":1:2'),
        (callsite(at(1), UnknownLoc()), 'callsite("a.py":1:2 at unknown)'),
        (NameLoc(StringAttr("n"), NoneAttr()), '"n"'),
        (NameLoc(StringAttr("n"), UnknownLoc()), '"n"'),
        (NameLoc(StringAttr("n"), at(1)), '"n"("a.py":1:2)'),
        (FusedLoc(ArrayAttr([at(1), UnknownLoc()]), NoneAttr()), 'fused["a.py":1:2, unknown]'),
        (FusedLoc(ArrayAttr([at(1)]), StringAttr("m")), 'fused<"m">["a.py":1:2]'),
        (
            DILocAttr(at(1), subprogram()),
            f'#cuda_tile.di_loc<loc("a.py":1:2) in {SUBPROGRAM}>',
        ),
    ],
)
def test_location_of_one_operation_is_inline(location: Attribute, inline: str):
    module = kernel("%t = make_token : token")
    op = only(module, "cuda_tile.make_token")
    op.location = location  # pyright: ignore[reportAttributeAccessIssue]
    stream = StringIO()
    TilePrinter(stream, print_debuginfo=True).print_op(op)
    assert stream.getvalue() == f"%0 = cuda_tile.make_token : token loc({inline})"


@pytest.mark.parametrize(("nvidia", "name"), [(False, '""'), (True, '"-"')])
def test_an_empty_file_name(nvidia: bool, name: str):
    module = kernel("loop { break }")
    only(module, "cuda_tile.break").location = FileLineColLoc(
        StringAttr(""), IntAttr(0), IntAttr(0)
    )
    text = module_text(module, debuginfo=True, nvidia=nvidia)
    assert line_with(text, ":0:0") == f"#loc1 = loc({name}:0:0)"


def test_aliases_follow_the_program():
    module = kernel("loop { break }")
    inner, outer = DILocAttr(at(1), subprogram()), at(2)
    only(module, "cuda_tile.break").location = callsite(inner, outer)
    only(module, "cuda_tile.loop").location = nested_location(
        FusedLoc, ArrayAttr([inner, outer]), DictionaryAttr({"scope": subprogram()})
    )
    assert module_text(module, debuginfo=True, wrapped=False) == (
        "entry @k() {\n"
        "  loop {\n"
        "    break loc(#loc5)\n"
        "  } loc(#loc4)\n"
        "  return loc(#loc)\n"
        "} loc(#loc)\n"
        '#di_file = #cuda_tile.di_file<"a.py" in "/d">\n'
        "#loc = loc(unknown)\n"
        '#loc1 = loc("a.py":1:2)\n'
        '#loc2 = loc("a.py":2:2)\n'
        "#di_compile_unit = #cuda_tile.di_compile_unit<file = #di_file>\n"
        '#di_subprogram = #cuda_tile.di_subprogram<file = #di_file, line = 3, name = "f", '
        'linkageName = "f", compileUnit = #di_compile_unit, scopeLine = 4>\n'
        "#loc3 = #cuda_tile.di_loc<#loc1 in #di_subprogram>\n"
        "#loc4 = loc(fused<{scope = #di_subprogram}>[#loc3, #loc2])\n"
        "#loc5 = loc(callsite(#loc3 at #loc2))\n"
    )


def test_the_wrapper_has_a_location_too():
    text = module_text(kernel(), debuginfo=True)
    assert text.endswith("} loc(#loc)\n#loc = loc(unknown)\n")


# Generic form.


def test_generic_form():
    module = kernel("%x = addi %a, %a : tile<i8>", arguments="%a: tile<i8>")
    assert module_text(module, generic=True) == (
        '"cuda_tile.module"() <{sym_name = "kernels"}> ({\n'
        '  "cuda_tile.entry"() <{function_type = (!cuda_tile.tile<i8>) -> (), '
        'sym_name = "k"}> ({\n'
        "  ^bb0(%arg0: !cuda_tile.tile<i8>):\n"
        '    %0 = "cuda_tile.addi"(%arg0, %arg0) <{overflow = #cuda_tile.overflow<none>}> : '
        "(!cuda_tile.tile<i8>, !cuda_tile.tile<i8>) -> !cuda_tile.tile<i8>\n"
        '    "cuda_tile.return"() : () -> ()\n'
        "  }) : () -> ()\n"
        "}) : () -> ()\n"
    )


def test_generic_form_hides_nothing_and_names_nothing():
    module = kernel(LOOP + "}", "%c = constant <i8: 1> : tile<i8>", arguments="%n: tile<i32>")
    text = module_text(module, generic=True)
    assert '"cuda_tile.continue"() : () -> ()' in text
    assert '%0 = "cuda_tile.constant"() <{value = dense<1> : !cuda_tile.tile<i8>}>' in text
    assert "^bb0(%arg1: !cuda_tile.tile<i32>):" in text


def test_aliases_of_block_arguments_come_first():
    module = kernel(arguments="%n: tile<i32>")
    only(module, "cuda_tile.entry").regions[0].block.args[0].location = at(1)
    text = module_text(module, debuginfo=True, generic=True)
    first, *_, last = text.splitlines()
    assert first == '#loc1 = loc("a.py":1:2)'
    assert "^bb0(%arg0: !cuda_tile.tile<i32> loc(#loc1)):" in text
    assert last == "#loc = loc(unknown)"


def test_block_arguments_of_other_dialects_have_locations():
    module = parse('"test.op"() ({ ^bb0(%a: i8): "test.termop"() : () -> () }) : () -> ()')
    only(module, "test.op").regions[0].block.args[0].location = at(1)
    text = module_text(module, debuginfo=True)
    assert text.startswith('#loc1 = loc("a.py":1:2)\n')
    assert "^bb0(%arg0: i8 loc(#loc1)):" in text


def test_unregistered_operations_print_and_stay_as_they_are():
    context = Context(allow_unregistered=True)
    context.load_dialect(Builtin)
    module = Parser(context, '%0 = "a.b"() {y, x} : () -> i32').parse_module()
    before = module.clone()
    assert line_with(module_text(module), "a.b") == '%0 = "a.b"() {x, y} : () -> i32'
    assert module.is_structurally_equivalent(before)
