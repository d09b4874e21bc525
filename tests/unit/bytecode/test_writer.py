"""What the writer drops with a remark, refuses, and how it finds the module to write."""

import pytest
from xdsl.dialects import builtin
from xdsl.dialects.arith import ConstantOp as ArithConstantOp
from xdsl.dialects.builtin import IntegerAttr, StringAttr, UnregisteredOp, i32
from xdsl.ir import Block, Region

from tileir_xdsl import parse, text
from tileir_xdsl.bytecode.codec import MAX_REGION_DEPTH
from tileir_xdsl.bytecode.reader import decode_module
from tileir_xdsl.bytecode.writer import encode_module
from tileir_xdsl.diagnostics import DiagnosticError, DiagnosticSink, Severity
from tileir_xdsl.dialects.cuda_tile.arithmetic import NegIOp
from tileir_xdsl.dialects.cuda_tile.control_flow import IfOp, YieldOp
from tileir_xdsl.dialects.cuda_tile.core import EntryOp, IotaOp, ModuleOp
from tileir_xdsl.dialects.cuda_tile.types import TileType

KERNEL = """cuda_tile.module @m {
  entry @k(%a: tile<i32>) {
    %0 = negi %a : tile<i32>
    return
  }
}
"""


def entry_of(module: builtin.ModuleOp) -> EntryOp:
    (tile_module,) = module.body.ops
    assert isinstance(tile_module, ModuleOp)
    return tile_module.entries()[0]


def errors_of(module: builtin.ModuleOp | ModuleOp | EntryOp, version: str = "13.3") -> list[str]:
    with pytest.raises(DiagnosticError) as caught:
        encode_module(module, version)
    return [d.message for d in caught.value.diagnostics]


def remarks_of(text: str) -> list[str]:
    sink = DiagnosticSink()
    encode_module(parse(text, "k.mlir"), sink=sink)
    assert all(d.severity is Severity.REMARK for d in sink.diagnostics)
    return [f"{d.place}: {d.message}" for d in sink.diagnostics]


# The module.


def test_the_module_alone_and_inside_a_builtin_module_are_the_same():
    module = parse(KERNEL)
    (tile_module,) = module.body.ops
    assert encode_module(tile_module) == encode_module(module)


def test_output_is_deterministic():
    assert encode_module(parse(KERNEL)) == encode_module(parse(KERNEL))


def test_the_name_of_the_module_is_not_stored():
    assert encode_module(parse(KERNEL.replace("@m", "@other"))) == encode_module(parse(KERNEL))


def test_no_module():
    assert errors_of(builtin.ModuleOp([])) == ["there is no cuda_tile.module to write"]


def test_a_kernel_of_tile_sugar_is_to_be_lowered_first():
    kernel = "tile_sugar.kernel @k() { return }"
    with pytest.raises(DiagnosticError) as caught:
        encode_module(parse(kernel, "k.mlir"))
    (diagnostic,) = caught.value.diagnostics
    assert diagnostic.message == "'tile_sugar.kernel' has no bytecode form"
    assert diagnostic.fix == "lower it with the pass tile-sugar-to-cuda-tile"


def test_empty_modules_beside_a_filled_one_do_not_count():
    module = parse(KERNEL)
    expected = encode_module(module)
    module.body.block.add_op(ModuleOp("empty"))
    assert encode_module(module) == expected


def test_two_modules():
    module = parse(KERNEL + KERNEL.replace("@m", "@n"), "k.mlir")
    with pytest.raises(DiagnosticError) as caught:
        encode_module(module)
    (error,) = caught.value.diagnostics
    assert str(error.place) == "k.mlir:7:1"
    assert error.message == "a bytecode file holds one cuda_tile.module, but there are 2"


def test_an_entry_is_not_a_module():
    assert errors_of(entry_of(parse(KERNEL))) == [
        "expected a cuda_tile.module, but got 'cuda_tile.entry'"
    ]


def test_unknown_version():
    with pytest.raises(
        ValueError, match=r"unknown bytecode version '13\.9', expected one of 13\.1"
    ):
        encode_module(parse(KERNEL), "13.9")


# What is dropped.


def test_discardable_attributes_are_dropped_with_a_remark():
    text = KERNEL.replace("negi %a :", "negi %a {test.note = 1 : i32} :")
    assert remarks_of(text) == [
        "k.mlir:3:10: 'cuda_tile.negi': attribute 'test.note' has no bytecode form and is dropped"
    ]
    assert encode_module(parse(text)) == encode_module(parse(KERNEL))


def test_operations_beside_the_module_are_dropped_with_a_remark():
    module = parse(KERNEL)
    module.body.block.add_op(ArithConstantOp(IntegerAttr(1, i32)))
    sink = DiagnosticSink()
    encode_module(module, sink=sink)
    assert [d.message for d in sink.diagnostics] == [
        "'arith.constant' has no bytecode form and is dropped"
    ]


def test_names_in_locations_are_dropped_with_a_remark():
    name = 'loc("name"("a.py":1:2))'
    text = KERNEL.replace("negi %a : tile<i32>", f"negi %a : tile<i32> {name}")
    assert remarks_of(text) == [
        "k.mlir:3:10: 'cuda_tile.negi': a named location has no bytecode form and is dropped"
    ]
    fused = 'loc(fused["a.py":1:2, "name"("a.py":1:2)])'
    text = KERNEL.replace("negi %a : tile<i32>", f"negi %a : tile<i32> {fused}")
    assert remarks_of(text) == [
        "k.mlir:3:10: 'cuda_tile.negi': a fused location has no bytecode form and is dropped"
    ]


def test_fused_location_is_written_as_its_first_part():
    scope = (
        '#f = #cuda_tile.di_file<"a.py" in "/k">\n#u = #cuda_tile.di_compile_unit<file = #f>\n'
        '#s = #cuda_tile.di_subprogram<file = #f, line = 1, name = "k", linkageName = "k", '
        "compileUnit = #u, scopeLine = 1>\n"
    )
    part = '#cuda_tile.di_loc<loc("a.py":{}:2) in #s>'
    first, second = part.format(1), part.format(2)
    one = KERNEL.replace("negi %a : tile<i32>", f"negi %a : tile<i32> loc({first})")
    fused = KERNEL.replace(
        "negi %a : tile<i32>", f"negi %a : tile<i32> loc(fused[{first}, {second}])"
    )
    assert remarks_of(scope + fused) == []
    assert encode_module(parse(scope + fused)) == encode_module(parse(scope + one))


@pytest.mark.parametrize("location", ['"a.py":1:2', 'fused["a.py":1:2, "a.py":3:4]'])
def test_plain_locations_are_written_as_unknown_without_a_remark(location: str):
    text = KERNEL.replace("negi %a : tile<i32>", f"negi %a : tile<i32> loc({location})")
    assert remarks_of(text) == []
    assert encode_module(parse(text)) == encode_module(parse(KERNEL))


# What is refused.


def test_foreign_operations_in_a_body():
    module = parse(KERNEL)
    body = entry_of(module).body.block
    assert body.first_op is not None
    body.insert_op_before(ArithConstantOp(IntegerAttr(1, i32)), body.first_op)
    body.insert_op_before(
        UnregisteredOp.with_name("test.op").create(attributes={"op_name__": StringAttr("test.op")}),
        body.first_op,
    )
    assert errors_of(module) == [
        "'builtin.unregistered': only cuda_tile operations have a bytecode form",
        "'arith.constant': only cuda_tile operations have a bytecode form",
    ]


def test_operations_that_belong_outside_of_bodies():
    module = parse(KERNEL)
    body = entry_of(module).body.block
    assert body.first_op is not None
    body.insert_op_before(ModuleOp(), body.first_op)
    assert errors_of(module) == ["'cuda_tile.module': the operation cannot be written in a body"]
    (tile_module,) = module.body.ops
    assert isinstance(tile_module, ModuleOp)
    tile_module.body.block.add_op(IotaOp.create(result_types=[TileType.get([4], i32)]))
    assert "'cuda_tile.iota': only cuda_tile.entry and cuda_tile.global can be written here" in (
        errors_of(module)
    )


def test_types_without_a_form():
    module = parse(KERNEL)
    argument = entry_of(module).body.block.args[0]
    body = entry_of(module).body.block
    assert body.first_op is not None
    index = NegIOp.create(operands=[argument], result_types=[builtin.IndexType()])
    body.insert_op_before(index, body.first_op)
    assert errors_of(module) == ["'cuda_tile.negi': type 'index' has no bytecode form"]


def test_uses_that_do_not_see_their_definition():
    text = """cuda_tile.module @m {
  entry @k(%c: tile<i1>, %a: tile<i32>) {
    if %c {
      %0 = negi %a : tile<i32>
    }
    %1 = negi %a : tile<i32>
    return
  }
}
"""
    module = parse(text)
    outer = entry_of(module).body.block
    branch, use, _ = outer.ops
    inner = branch.regions[0].block.first_op
    assert inner is not None
    use.operands[0] = inner.results[0]
    message = "'cuda_tile.negi': an operand is used where its definition is not visible"
    assert errors_of(module) == [message]
    use.operands[0] = use.results[0]
    assert errors_of(module) == [message]


def test_missing_required_property():
    module = parse(KERNEL.replace("negi %a", "maxi %a, %a signed"))
    operation = entry_of(module).body.block.first_op
    assert operation is not None
    del operation.properties["signedness"]
    assert errors_of(module) == ["'cuda_tile.maxi': attribute 'signedness' is missing"]
    operation.properties["signedness"] = StringAttr("signed")
    assert errors_of(module) == ["'cuda_tile.maxi': expected an enumeration, but got \"signed\""]


def test_an_empty_body():
    module = ModuleOp(ops=[EntryOp("k", [])])
    assert errors_of(module) == ["'cuda_tile.entry': the body must be one block that is not empty"]


def test_invalid_unicode():
    module = ModuleOp(producer="\ud800")
    assert errors_of(module) == [r"'cuda_tile.module': string '\ud800' is not valid Unicode"]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (
            KERNEL.replace(
                "negi %a : tile<i32>", "assume bounded<?, 99999999999999999999>, %a : tile<i32>"
            ),
            "'cuda_tile.assume': 99999999999999999999 does not fit 64 bits",
        ),
        (
            KERNEL.replace(
                "negi %a : tile<i32>",
                "assume same_elements<[-99999999999999999999]>, %a : tile<i32>",
            ),
            "'cuda_tile.assume': -99999999999999999999 does not fit 64 bits",
        ),
        (
            KERNEL.replace(
                "tile<i32>)", "tile<i32>, %v: tensor_view<99999999999999999999xf32, strides=[1]>)"
            ),
            "'cuda_tile.entry': type 'tensor_view<99999999999999999999xf32, strides=[1]>': "
            "99999999999999999999 does not fit 64 bits",
        ),
    ],
)
def test_numbers_that_do_not_fit(text: str, message: str):
    assert message in errors_of(parse(text))


@pytest.mark.parametrize(("depth", "written"), [(30, True), (31, False)])
def test_nesting_of_attributes_has_the_limit_of_reading(depth: int, written: bool):
    nested = "[" * depth + "]" * depth
    module = parse(KERNEL.replace(") {", f") optimization_hints=<sm_100 = {{x = {nested}}}> {{"))
    if written:
        decode_module(encode_module(module))
    else:
        assert errors_of(module) == ["'cuda_tile.entry': attributes nest more than 32 deep"]


def nested_ifs(depth: int) -> str:
    opening = "".join(f"{'  ' * k}if %c {{\n" for k in range(depth))
    return (
        "cuda_tile.module @m {\nentry @k(%c: tile<i1>) {\n"
        + opening
        + "}\n" * depth
        + "return\n}\n}\n"
    )


def test_nesting_has_a_limit():
    written = encode_module(parse(nested_ifs(MAX_REGION_DEPTH)))
    assert encode_module(decode_module(written)) == written
    assert encode_module(parse(text(decode_module(written)))) == written


def test_nesting_beyond_the_limit():
    module = parse(nested_ifs(MAX_REGION_DEPTH))
    entry = entry_of(module)
    inner, end = entry.body.block.ops
    inner.detach()
    branch = Region(Block([inner, YieldOp()]))
    entry.body.block.insert_op_before(IfOp(entry.body.block.args[0], [], branch), end)
    assert errors_of(module) == [f"regions nest more than {MAX_REGION_DEPTH} deep"]


# Strings.


def test_strings_that_are_not_utf8_are_kept():
    module = ModuleOp(producer=b"\xff\x00caf\xc3\xa9".decode("utf-8", "surrogateescape"))
    written = encode_module(module)
    assert b"\xff\x00caf\xc3\xa9" in written
    (read,) = decode_module(written).body.ops
    assert isinstance(read, ModuleOp)
    assert read.producer == module.producer
