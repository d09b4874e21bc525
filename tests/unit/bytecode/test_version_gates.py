"""What a version lacks is refused by name; a default that it implies is written."""

from dataclasses import dataclass

import pytest
from support import corpus

from tileir_xdsl import parse
from tileir_xdsl.bytecode.reader import decode_module
from tileir_xdsl.bytecode.writer import encode_module
from tileir_xdsl.diagnostics import DiagnosticError
from tileir_xdsl.dialects.cuda_tile import OPERATIONS
from tileir_xdsl.dialects.cuda_tile.attributes import ENUM_ATTRIBUTES
from tileir_xdsl.dialects.cuda_tile.base import CudaTileOp
from tileir_xdsl.dialects.cuda_tile.types import SCALAR_WIRE, TYPES, short_type
from tileir_xdsl.versions import SUPPORTED, V13_1, Version


def version_below(version: Version) -> str:
    return str(SUPPORTED[SUPPORTED.index(version) - 1])


def kernel(body: str, arguments: str = "") -> str:
    return f"""
cuda_tile.module @m {{
  entry @k({arguments}) {{
    {body}
    return
  }}
}}
"""


def errors_of(text: str, version: str) -> list[str]:
    with pytest.raises(DiagnosticError) as caught:
        encode_module(parse(text, "k.mlir"), version)
    return [f"{d.place}: {d.message}" for d in caught.value.diagnostics]


# Operations.


@pytest.mark.parametrize(
    "operation", [op for op in OPERATIONS if op.SINCE > V13_1], ids=lambda op: op.mnemonic()
)
def test_operations(operation: type[CudaTileOp]):
    case = next(
        case
        for case in corpus.cases("accept", version=str(operation.SINCE))
        if case.name.startswith(operation.mnemonic())
    )
    module = decode_module(case.bytecode, case.id)
    encode_module(module, str(operation.SINCE))
    below = version_below(operation.SINCE)
    with pytest.raises(DiagnosticError) as caught:
        encode_module(module, below)
    assert [
        f"'{operation.name}': the operation needs bytecode version {operation.SINCE}, "
        f"but version {below} was asked for"
    ] == [d.message for d in caught.value.diagnostics if "the operation needs" in d.message]


# Fields of operations.


@dataclass(frozen=True)
class Gate:
    """A feature, a program that uses it on line `line`, and what the error says."""

    feature: str
    since: str
    text: str
    message: str
    line: int = 4

    def __str__(self) -> str:
        return self.feature


VIEW = """%v = make_tensor_view %p, shape = [8], strides = [1] : tensor_view<8xf32, strides=[1]>
    %w = make_partition_view %v : partition_view<tile=(4), tensor_view<8xf32, strides=[1]>>
"""
VIEW_TYPE = "partition_view<tile=(4), tensor_view<8xf32, strides=[1]>>"
VIEW_ARGUMENTS = "%p: tile<ptr<f32>>, %i: tile<i32>, %t: tile<f32>"

FIELDS = [
    Gate(
        "negi overflow",
        "13.2",
        kernel("%0 = negi %a overflow<no_signed_wrap> : tile<i32>", "%a: tile<i32>"),
        "'cuda_tile.negi': attribute 'overflow' (#cuda_tile.overflow<no_signed_wrap>)",
    ),
    Gate(
        "tanh rounding_mode",
        "13.2",
        kernel("%0 = tanh %a rounding<approx> : tile<f32>", "%a: tile<f32>"),
        "'cuda_tile.tanh': attribute 'rounding_mode' (#cuda_tile.rounding<approx>)",
    ),
    Gate(
        "for unsignedCmp",
        "13.2",
        kernel("for unsigned %i in (%a to %a, step %a) : tile<i32> {\n    }", "%a: tile<i32>"),
        "'cuda_tile.for': attribute 'unsignedCmp' (unit)",
    ),
    Gate(
        "print_tko token",
        "13.2",
        kernel('%t = make_token : token\n    %0 = print_tko "x" token=%t -> token'),
        "'cuda_tile.print_tko': operand 'token'",
        line=5,
    ),
    Gate(
        "print_tko result_token",
        "13.2",
        kernel('%0 = print_tko "x" -> token\n    %1 = join_tokens %0, %0 : token'),
        "'cuda_tile.print_tko': a use of result 'result_token'",
    ),
    Gate(
        "exp rounding_mode",
        "13.3",
        kernel("%0 = exp %a rounding<approx> : tile<f32>", "%a: tile<f32>"),
        "'cuda_tile.exp': attribute 'rounding_mode' (#cuda_tile.rounding<approx>)",
    ),
    Gate(
        "mmaf fast_acc",
        "13.3",
        kernel(
            "%f = constant <f8E5M2: 1.0> : tile<4x4xf8E5M2>\n"
            "    %c = constant <f32: 0.0> : tile<4x4xf32>\n"
            "    %0 = mmaf %f, %f, %c fast_acc "
            ": tile<4x4xf8E5M2>, tile<4x4xf8E5M2>, tile<4x4xf32>"
        ),
        "'cuda_tile.mmaf': attribute 'fast_acc' (unit)",
        line=6,
    ),
    Gate(
        "ftoi saturating",
        "13.4",
        kernel("%0 = ftoi %a signed saturating : tile<f32> -> tile<i32>", "%a: tile<f32>"),
        "'cuda_tile.ftoi': attribute 'saturating' (unit)",
    ),
    Gate(
        "load_view_tko inbounds",
        "13.4",
        kernel(
            VIEW
            + "    %0, %1 = load_view_tko weak %w[%i] inbounds = [true] "
            + f": {VIEW_TYPE}, tile<i32> -> tile<4xf32>, token",
            VIEW_ARGUMENTS,
        ),
        "'cuda_tile.load_view_tko': attribute 'inbounds' (array<i1: true>)",
        line=6,
    ),
    Gate(
        "store_view_tko inbounds",
        "13.4",
        kernel(
            VIEW
            + "    %0, %1 = load_view_tko weak %w[%i] "
            + f": {VIEW_TYPE}, tile<i32> -> tile<4xf32>, token\n"
            + "    %2 = store_view_tko weak %0, %w[%i] inbounds = [true] "
            + f": tile<4xf32>, {VIEW_TYPE}, tile<i32> -> token",
            VIEW_ARGUMENTS,
        ),
        "'cuda_tile.store_view_tko': attribute 'inbounds' (array<i1: true>)",
        line=7,
    ),
    Gate(
        "atomic_red_view_tko inbounds",
        "13.5",
        kernel(
            VIEW
            + "    %0, %1 = load_view_tko weak %w[%i] "
            + f": {VIEW_TYPE}, tile<i32> -> tile<4xf32>, token\n"
            + "    %2 = atomic_red_view_tko relaxed device %w[%i], addf, %0 inbounds = [true] "
            + f": tile<4xf32>, {VIEW_TYPE}, tile<i32> -> token",
            VIEW_ARGUMENTS,
        ),
        "'cuda_tile.atomic_red_view_tko': attribute 'inbounds' (array<i1: true>)",
        line=7,
    ),
    Gate(
        "global symbol_visibility",
        "13.3",
        "cuda_tile.module @m {\n  global private @g <i32: 1> : tile<1xi32>\n}",
        "'cuda_tile.global': attribute 'symbol_visibility' (#cuda_tile.symbol_visibility<private>)",
        line=2,
    ),
    Gate(
        "global constant",
        "13.3",
        "cuda_tile.module @m {\n  global constant @g <i32: 1> : tile<1xi32>\n}",
        "'cuda_tile.global': attribute 'constant' (unit)",
        line=2,
    ),
    Gate(
        "module producer",
        "13.3",
        'cuda_tile.module @m attributes {producer = "p"} {\n}',
        "'cuda_tile.module': attribute 'producer'",
        line=1,
    ),
    Gate(
        "entry arg_attrs",
        "13.5",
        kernel("", "%a: tile<i32> {cuda_tile.x = 1 : i32}"),
        "'cuda_tile.entry': attributes of entry arguments",
        line=3,
    ),
]

VALUES = [
    Gate(
        "RoundingModeAttr nearest_away",
        "13.4",
        kernel("%0 = ftof %a rounding<nearest_away> : tile<f16> -> tile<f32>", "%a: tile<f16>"),
        "'cuda_tile.ftof': rounding mode nearest_away",
    ),
    Gate(
        "PtrKindAttr unicast",
        "13.5",
        kernel("", "%a: tile<ptr<f32, <unicast>>>"),
        "'cuda_tile.entry': 'unicast' of type 'ptr<f32, <unicast>>'",
        line=3,
    ),
    Gate(
        "PtrKindAttr multicast",
        "13.5",
        kernel("", "%a: tile<ptr<f32, <multicast>>>"),
        "'cuda_tile.entry': 'multicast' of type 'ptr<f32, <multicast>>'",
        line=3,
    ),
]


def tensor_view(kind: str, view: str) -> str:
    return kernel(f"%v = make_tensor_view %p, {view} : {kind}", "%p: tile<ptr<f32>>")


TYPE_GATES = [
    *(
        Gate(
            short_type(type),
            str(wire.since),
            kernel("", f"%a: tile<{short_type(type)}>")
            if short_type(type) != "f4E2M1FN"
            else kernel("%c = constant <f4E2M1FN: 1.0> : tile<2xf4E2M1FN>"),
            f"type '{short_type(type)}'",
            line=4 if short_type(type) == "f4E2M1FN" else 3,
        )
        for type, wire in SCALAR_WIRE.items()
        if wire.since > V13_1
    ),
    Gate(
        "kind of ptr",
        "13.4",
        kernel("", "%a: tile<ptr<f32, <none>>>"),
        "'cuda_tile.entry': the pointer kind of type 'ptr<f32, <none>>'",
        line=3,
    ),
    Gate(
        "kind of tensor_view",
        "13.4",
        tensor_view("tensor_view<f32, #cuda_tile.ptr_attr<none>>", "shape = [], strides = []"),
        "'cuda_tile.make_tensor_view': the pointer kind of type "
        "'tensor_view<f32, #cuda_tile.ptr_attr<none>>'",
    ),
    Gate(
        "strided_view",
        "13.3",
        kernel(
            "",
            "%a: strided_view<tile=(4), traversal_strides=[2], tensor_view<8xf32, strides=[1]>>",
        ),
        "type 'strided_view<tile=(4), traversal_strides=[2], tensor_view<8xf32, strides=[1]>>'",
        line=3,
    ),
    Gate(
        "gather_scatter_view",
        "13.3",
        kernel(
            "", "%a: gather_scatter_view<tile=(4), tensor_view<8xf32, strides=[1]>, sparse_dim=0>"
        ),
        "type 'gather_scatter_view<tile=(4), tensor_view<8xf32, strides=[1]>, sparse_dim=0>'",
        line=3,
    ),
]

DEBUG_INFO = """
#file = #cuda_tile.di_file<"a.py" in "/d">
#unit = #cuda_tile.di_compile_unit<file = #file>
#sub = #cuda_tile.di_subprogram<file = #file, line = 1, name = "k", linkageName = "k", compileUnit = #unit, flags = declaration>
#loc = #cuda_tile.di_loc<loc("a.py":1:2) in #sub>
cuda_tile.module @m {
  entry @k() {
    return loc(#loc)
  } loc(#loc)
}
"""  # noqa: E501

OTHERS = [
    Gate(
        "di_subprogram flags",
        "13.5",
        DEBUG_INFO,
        "'cuda_tile.entry': 'flags' of di_subprogram",
        line=7,
    ),
    Gate(
        "multimem_reduction_kind in a dictionary",
        "13.5",
        kernel("", "")
        .replace("@k()", "@k() optimization_hints=<sm_100 = {x = KIND}>")
        .replace("KIND", "#cuda_tile.multimem_reduction_kind<min>"),
        "'cuda_tile.entry': multimem reduction kind as an attribute",
        line=3,
    ),
]


@pytest.mark.parametrize("gate", [*FIELDS, *VALUES, *TYPE_GATES, *OTHERS], ids=str)
def test_features(gate: Gate):
    encode_module(parse(gate.text, "k.mlir"), gate.since)
    below = version_below(Version.parse(gate.since))
    needed = f"needs bytecode version {gate.since}, but version {below} was asked for"
    errors = errors_of(gate.text, below)
    matching = [error for error in errors if gate.message in error and needed in error]
    assert matching, errors
    assert matching[0].startswith(f"k.mlir:{gate.line}:"), matching


def test_every_late_field_has_a_test():
    late = {f"{op.mnemonic()} {field}" for op in OPERATIONS for field in op.FIELDS_SINCE}
    assert late == {gate.feature for gate in FIELDS}


def test_every_late_value_has_a_test():
    late = {f"{enum.__name__} {word}" for enum in ENUM_ATTRIBUTES for word in enum.VALUE_SINCE}
    assert late == {gate.feature for gate in VALUES}


def test_every_late_type_has_a_test():
    late = {short_type(type) for type, wire in SCALAR_WIRE.items() if wire.since > V13_1}
    for type in TYPES:
        mnemonic = type.name.partition(".")[2]
        if type.SINCE > V13_1:
            late.add(mnemonic)
        late |= {f"{f.parameter} of {mnemonic}" for f in type.WIRE if f.since > type.SINCE}
    assert late == {gate.feature for gate in TYPE_GATES}


# Defaults, several errors, and what is dropped.

DEFAULTS = kernel(
    """%0 = negi %a : tile<i32>
    %1 = tanh %f  : tile<f32>
    %2 = exp %f  : tile<f32>
    %3 = ftoi %f signed  : tile<f32> -> tile<i32>
    for %i in (%a to %a, step %a) : tile<i32> {
    }
    %4 = print_tko "x" -> token
    %v = make_tensor_view %p, shape = [8], strides = [1] : tensor_view<8xf32, strides=[1]>
    %w = make_partition_view %v : partition_view<tile=(4), tensor_view<8xf32, strides=[1]>>
    %5, %6 = load_view_tko weak %w[%a] : partition_view<tile=(4), tensor_view<8xf32, strides=[1]>>,\
 tile<i32> -> tile<4xf32>, token""",
    "%a: tile<i32>, %f: tile<f32>, %p: tile<ptr<f32>>",
).replace("entry", "global @g <i32: 1> : tile<1xi32>\n  entry")


@pytest.mark.parametrize("version", corpus.VERSIONS)
def test_defaults_are_written_in_every_version(version: str):
    module = parse(DEFAULTS)
    written = encode_module(module, version)
    read = decode_module(written)
    read_body, body = (m.body.block.first_op for m in (read, module))
    assert read_body is not None
    assert body is not None
    assert read_body.regions[0].is_structurally_equivalent(body.regions[0])


def test_explicit_defaults_are_written_in_old_versions():
    text = kernel(
        "%0 = tanh %f rounding<full> : tile<f32>\n    %1 = exp %f rounding<full> : tile<f32>",
        "%f: tile<f32>",
    )
    encode_module(parse(text), "13.1")


def test_all_errors_are_reported_in_source_order():
    text = kernel(
        """%0 = exp %f rounding<approx> : tile<f32>
    %1 = atan2 %f, %f : tile<f32>
    %2 = tanh %1 rounding<approx> : tile<f32>""",
        "%f: tile<f32>",
    )
    assert errors_of(text, "13.1") == [
        "k.mlir:4:10: 'cuda_tile.exp': attribute 'rounding_mode' (#cuda_tile.rounding<approx>) "
        "needs bytecode version 13.3, but version 13.1 was asked for",
        "k.mlir:5:10: 'cuda_tile.atan2': the operation needs bytecode version 13.2, "
        "but version 13.1 was asked for",
        "k.mlir:6:10: 'cuda_tile.tanh': attribute 'rounding_mode' (#cuda_tile.rounding<approx>) "
        "needs bytecode version 13.2, but version 13.1 was asked for",
    ]


def test_the_fix_says_which_version_to_write():
    with pytest.raises(DiagnosticError) as caught:
        encode_module(parse(FIELDS[0].text), "13.1")
    (error,) = caught.value.diagnostics
    assert error.fix == "write bytecode version 13.2 or later"
    assert error.code == "bytecode-version"
