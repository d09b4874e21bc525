"""The parameters of kernels, and that we pack them as the assembler lays them out."""

import pytest
from support.nvidia import tileiras

import tileir_xdsl
from tileir_xdsl.diagnostics import DiagnosticError
from tileir_xdsl.runtime.abi import abi
from tileir_xdsl.runtime.cubin import CubinError, CubinParameter, kernel_parameters

SCALARS = "i1 i4 i8 i16 i32 i64 f16 bf16 f32 tf32 f64 f8E4M3FN f8E5M2 f8E8M0FNU fnv8E5M3FNU".split()


def entry(*types: str, body: str = "", name: str = "k") -> str:
    parameters = ", ".join(f"%p{k}: tile<{type}>" for k, type in enumerate(types))
    return f"cuda_tile.module @m {{ entry @{name}({parameters}) {{ {body} return }} }}"


def abi_of(*types: str, body: str = ""):
    return abi(tileir_xdsl.parse(entry(*types, body=body)))


def test_pointers_and_scalars():
    found = abi_of("ptr<f32>", "i32", "ptr<f8E5M2>")
    assert found.kernel == "k"
    assert [str(p) for p in found.parameters] == ["p0: ptr<f32>", "p1: i32", "p2: ptr<f8E5M2>"]
    assert [(s.kind, s.offset, s.size) for s in found.slots] == [
        ("pointer", 0, 8),
        ("scalar", 8, 4),
        ("pointer", 16, 8),
    ]
    assert found.size == 24


def test_no_parameters():
    assert abi_of().size == 0


def test_nothing_is_promised_unless_stated():
    pointer, number = abi_of("ptr<f32>", "i32").parameters
    assert (pointer.align, pointer.may_alias, pointer.readonly) == (None, True, False)
    assert (number.multiple, number.max, number.min) == ((), (), ())


def test_assumes_are_promises():
    pointer, number = abi_of(
        "ptr<f32>",
        "i32",
        body="""
        %a = assume div_by<16>, %p0 : tile<ptr<f32>>
        %b = assume div_by<8>, %p1 : tile<i32>
        %c = assume bounded<0, 4096>, %b : tile<i32>
        """,
    ).parameters
    assert pointer.align == 16
    assert (number.multiple, number.min, number.max) == ((8,), (0,), (4096,))


@pytest.mark.parametrize(
    "body",
    [
        "if %p0 { %b = assume div_by<8>, %p1 : tile<i32> }",
        "if %p0 { return } %b = assume div_by<8>, %p1 : tile<i32>",
    ],
)
def test_an_assume_that_not_every_block_meets_is_no_promise(body: str):
    (_, number) = abi_of("i1", "i32", body=body).parameters
    assert number.multiple == ()


def test_attributes_are_promises():
    module = tileir_xdsl.parse(
        "cuda_tile.module @m { entry @k(%x: tile<ptr<f32>> {cuda_tile.div = "
        "#cuda_tile.div_by<32>}, %n: tile<i32> {cuda_tile.bound = #cuda_tile.bounded<1, ?>}) "
        "{ return } }"
    )
    pointer, number = abi(module).parameters
    assert pointer.align == 32
    assert (number.min, number.max) == ((1,), ())


def test_choice_of_the_kernel():
    two = tileir_xdsl.parse(
        "cuda_tile.module @m { entry @a() { return } entry @b(%n: tile<i32>) { return } }"
    )
    assert abi(two, "b").names == ("n",)
    assert abi(two, "@a").names == ()
    with pytest.raises(DiagnosticError, match=r"several kernels \(@a, @b\)"):
        abi(two)
    with pytest.raises(DiagnosticError, match="no kernel @c; there is @a, @b"):
        abi(two, "c")
    with pytest.raises(DiagnosticError, match="the module has no kernel"):
        abi(tileir_xdsl.parse("cuda_tile.module @m { }"))


def test_offsets_are_those_of_the_assembler():
    tileiras()
    types = [*SCALARS, "ptr<i8>", "i8", "f64", "i1", "ptr<f16>", "i8", "i16"]
    module = tileir_xdsl.parse(entry(*types))
    (found,) = kernel_parameters(tileir_xdsl.compile(module, "sm_100")).values()
    assert [CubinParameter(s.offset, s.size) for s in abi(module).slots] == list(found)


def test_kernels_of_a_cubin():
    tileiras()
    module = tileir_xdsl.parse(
        "cuda_tile.module @m { entry @first() { return } entry @second(%n: tile<i64>) { return } }"
    )
    found = kernel_parameters(tileir_xdsl.compile(module, "sm_90"))
    assert found == {"first": (), "second": (CubinParameter(0, 8),)}


@pytest.mark.parametrize("data", [b"", b"\x7fELF", b"\x7fELF" + bytes(60), b"text" * 40])
def test_not_a_cubin(data: bytes):
    with pytest.raises(CubinError):
        kernel_parameters(data)
