"""Value names follow MLIR's algorithm: numbers and suggestions, region by region."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from xdsl.dialects.builtin import ArrayAttr, IntAttr, StringAttr, i32
from xdsl.ir import Attribute, Block, Operation, Region, SSAValue
from xdsl.irdl import (
    IRDLOperation,
    irdl_op_definition,
    traits_def,
    var_region_def,
    var_result_def,
)
from xdsl.traits import NoTerminator

from tileir_xdsl.dialects.cuda_tile.names import ValueNames, sanitize_identifier


@irdl_op_definition
class NodeOp(IRDLOperation):
    """An operation with results, regions and suggestions as a test needs them."""

    name = "test.node"
    outputs = var_result_def()
    bodies = var_region_def()
    traits = traits_def(NoTerminator())

    @staticmethod
    def of(
        *regions: Region | Sequence[Operation],
        results: int = 0,
        names: dict[int, str] | None = None,
        arguments: dict[int, str] | None = None,
    ) -> NodeOp:
        bodies = [r if isinstance(r, Region) else Region(Block(r)) for r in regions]
        op = NodeOp(result_types=[[i32] * results], regions=[bodies])
        op.attributes["results"] = suggestions(names or {})
        op.attributes["arguments"] = suggestions(arguments or {})
        return op

    def get_asm_result_names(self, set_name: Callable[[SSAValue, str], None]) -> None:
        for position, name in suggested(self, "results"):
            set_name(self.results[position], name)

    def get_asm_block_argument_names(self, set_name: Callable[[SSAValue, str], None]) -> None:
        for region in self.regions:
            for position, name in suggested(self, "arguments"):
                set_name(region.block.args[position], name)


def suggestions(names: dict[int, str]) -> ArrayAttr[Attribute]:
    return ArrayAttr(ArrayAttr([IntAttr(k), StringAttr(name)]) for k, name in names.items())


def suggested(op: Operation, key: str) -> list[tuple[int, str]]:
    pairs: Any = op.attributes[key]
    return [(position.data, name.data) for position, name in pairs]


def value(name: str = "") -> NodeOp:
    return NodeOp.of(results=1, names={0: name} if name else None)


def values(*names: str) -> list[Operation]:
    return [value(name) for name in names]


def body(arguments: int, *ops: Operation) -> Region:
    return Region(Block(ops, arg_types=[i32] * arguments))


def names_in(root: Operation, *, suggestions: bool = True) -> list[str]:
    """Names of all arguments and results below `root`, as they come in text."""
    names = ValueNames(suggestions=suggestions)
    names.assign(root)
    found: list[str] = []
    for op in root.walk():
        if op is not root and op.results:
            found.append(names.results[op])
        for region in op.regions:
            for block in region.blocks:
                found += [names.uses[arg] for arg in block.args]
    return found


def test_numbers_go_to_the_region_before_the_nested_ones():
    inner = NodeOp.of(values("", ""), values(""), results=1)
    root = NodeOp.of([value(), inner, value()])
    # %0 to %2 are the outer region's; both inner regions continue at %3.
    assert names_in(root) == ["%0", "%1", "%3", "%4", "%3", "%2"]


def test_entry_arguments_count_on_their_own():
    inner = NodeOp.of(body(1, value()), body(2))
    root = NodeOp.of(body(2, value(), inner))
    assert names_in(root) == ["%arg0", "%arg1", "%0", "%arg2", "%arg2", "%arg3", "%1"]


def test_arguments_of_other_blocks_are_numbers():
    region = Region([Block(arg_types=[i32]), Block(values(""), arg_types=[i32])])
    assert names_in(NodeOp.of(region)) == ["%arg0", "%0", "%1"]


def test_conflicts_share_one_counter():
    # The documented example of the corpus.
    root = NodeOp.of(values("c0", "c0", "c1", "c1", "c0"))
    assert names_in(root) == ["%c0", "%c0_0", "%c1", "%c1_1", "%c0_2"]


def test_conflict_counter_passes_over_taken_names():
    assert names_in(NodeOp.of(values("x_0", "x", "x"))) == ["%x_0", "%x", "%x_1"]


def test_siblings_reuse_names_and_nested_regions_do_not():
    first = NodeOp.of(values("x", "y"))
    second = NodeOp.of([value("x"), NodeOp.of(values("y", "x"))])
    root = NodeOp.of([value("x"), first, second, value("x")])
    assert names_in(root) == ["%x", "%x_1", "%y", "%x_1", "%y", "%x_2", "%x_0"]


def test_suggested_arguments_and_the_others():
    root = NodeOp.of(body(3), arguments={0: "i", 2: "i"})
    assert names_in(root) == ["%i", "%arg0", "%i_0"]


def test_suggestions_go_to_each_region_of_an_operation():
    assert names_in(NodeOp.of(body(1), body(1), arguments={0: "i"})) == ["%i", "%i"]


@pytest.mark.parametrize(
    ("count", "suggested", "results", "uses"),
    [
        (2, {}, "%0:2", ["%0#0", "%0#1"]),
        (2, {0: "for"}, "%for:2", ["%for#0", "%for#1"]),
        (2, {0: "a", 1: "b"}, "%a, %b", ["%a", "%b"]),
        (3, {1: "b"}, "%0, %b:2", ["%0", "%b#0", "%b#1"]),
        (3, {2: "c"}, "%0:2, %c", ["%0#0", "%0#1", "%c"]),
    ],
)
def test_result_groups(count: int, suggested: dict[int, str], results: str, uses: list[str]):
    op = NodeOp.of(results=count, names=suggested)
    names = ValueNames()
    names.assign(NodeOp.of([op]))
    assert names.results[op] == results
    assert [names.uses[result] for result in op.results] == uses


def test_a_group_takes_one_number():
    assert names_in(NodeOp.of([NodeOp.of(results=3), value()])) == ["%0:3", "%1"]


def test_generic_form_takes_no_suggestions():
    root = NodeOp.of(body(1, value("x"), value()), arguments={0: "i"})
    assert names_in(root, suggestions=False) == ["%arg0", "%0", "%1"]


def test_depth_is_not_limited_by_the_stack():
    op = value("x")
    for _ in range(5000):
        op = NodeOp.of([value("x"), op])
    names = ValueNames()
    names.assign(op)
    assert set(names.uses.values()) == {"%x", *(f"%x_{k}" for k in range(5000))}


def test_detached_block_and_region():
    block = Block(values("", "x"), arg_types=[i32])
    names = ValueNames()
    names.assign(block)
    assert list(names.uses.values()) == ["%arg0", "%0", "%x"]
    region = Region(block)
    names = ValueNames()
    names.assign(region)
    assert list(names.uses.values()) == ["%arg0", "%0", "%x"]


@pytest.mark.parametrize(
    ("name", "identifier"),
    [
        ("x.y$z-1_", "x.y$z-1_"),
        ("9lives", "_9lives"),
        ("a b", "a_b"),
        ("a+b", "a2Bb"),
        ("é", "C3A9"),
        ("\udcff", "FF"),
        ("\n", "A"),
    ],
)
def test_sanitize_identifier(name: str, identifier: str):
    assert sanitize_identifier(name) == identifier


leaves = st.builds(value, st.sampled_from(["", "x", "x_0", "x_1", "arg0", "0"]))


def region_of(ops: list[Operation], arguments: int) -> Region:
    return body(arguments, *ops)


regions = st.builds(
    region_of,
    st.recursive(
        st.lists(leaves, max_size=4),
        lambda inner: st.lists(
            st.one_of(leaves, inner.map(lambda ops: NodeOp.of(body(1, *ops), body(0)))),
            max_size=4,
        ),
        max_leaves=12,
    ),
    st.integers(0, 2),
)


@given(regions)
def test_visible_names_differ(region: Region):
    names = ValueNames()
    names.assign(NodeOp.of(region))

    def check(region: Region, visible: set[str]) -> None:
        own = [names.uses[arg] for arg in region.block.args]
        own += [names.uses[result] for op in region.block.ops for result in op.results]
        assert len(set(own)) == len(own)
        assert not visible.intersection(own)
        for op in region.block.ops:
            for nested in op.regions:
                check(nested, visible.union(own))

    check(region, set())
