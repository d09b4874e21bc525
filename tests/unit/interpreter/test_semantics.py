"""Comparing modules: differences are found, undefined cases are set aside."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import pytest
from support.tile_programs import module_of, program

from tileir_xdsl.diagnostics import DiagnosticError, Severity
from tileir_xdsl.interpreter import entries
from tileir_xdsl.interpreter.semantics import (
    Case,
    Tolerance,
    check_equal,
    compare,
    generate_inputs,
    load_cases,
    special_values,
)
from tileir_xdsl.numerics import FORMATS, IntegerFormat

PARAMETERS = "%p: tile<ptr<f32>>, %q: tile<ptr<f32>>, %n: tile<i32>"
TV = "tensor_view<?xf32, strides=[1]>"
PV = f"partition_view<tile=(16), padding_value = zero, {TV}>"


def kernel(compute: str, parameters: str = PARAMETERS) -> Any:
    """q[k] = f(p[k]) for k < n, tile by tile."""
    names = [part.split(":")[0].strip() for part in parameters.split(", ")]
    source, target, extent = names[:3]
    return module_of(
        program(
            parameters,
            f"""
%b, %by, %bz = get_tile_block_id : tile<i32>
%s = make_tensor_view {source}, shape = [{extent}], strides = [1] : tile<i32> -> {TV}
%d = make_tensor_view {target}, shape = [{extent}], strides = [1] : tile<i32> -> {TV}
%sv = make_partition_view %s : {PV}
%dv = make_partition_view %d : {PV}
%x, %t = load_view_tko weak %sv[%b] : {PV}, tile<i32> -> tile<16xf32>, token
{compute}
%u = store_view_tko weak %y, %dv[%b] : tile<16xf32>, {PV}, tile<i32> -> token
""",
        )
    )


ADD = "%y = addf %x, %x : tile<16xf32>"
TWICE = "%two = constant <f32: 2.0> : tile<16xf32>\n%y = mulf %x, %two : tile<16xf32>"
THRICE = TWICE.replace("2.0", "3.0")
MAX = "%zero = constant <f32: 0.0> : tile<16xf32>\n%y = maxf %x, %zero : tile<16xf32>"
SELECT = """
%zero = constant <f32: 0.0> : tile<16xf32>
%c = cmpf greater_than ordered %zero, %x : tile<16xf32> -> tile<16xi1>
%y = select %c, %zero, %x : tile<16xi1>, tile<16xf32>
"""


def inputs(module: Any, *kinds: str) -> list[Case]:
    (entry,) = entries(module)
    return generate_inputs(module, entry, kinds or ("ordinary", "ragged", "special"))


def test_equal_modules_are_equal():
    before, after = kernel(ADD), kernel(TWICE)
    comparison = compare(before, after, inputs(before))
    assert comparison.ran == 3
    assert comparison.diagnostics == []
    assert comparison.discarded == []


def test_a_difference_is_named():
    before, after = kernel(ADD), kernel(THRICE)
    (difference, *rest) = check_equal(before, after, inputs(before, "ordinary"))
    assert rest == []
    assert difference.severity is Severity.ERROR
    assert difference.code == "semantics"
    assert "@k on ordinary inputs" in difference.message
    assert "'q' differs: element [0] is" in difference.message
    assert difference.range is not None


def test_special_values_tell_nan_and_zeros_apart():
    """A max and a select differ on NaN and on -0 alone."""
    before, after = kernel(MAX), kernel(SELECT)
    assert check_equal(before, after, inputs(before, "ordinary", "ragged")) == []
    (difference,) = check_equal(before, after, inputs(before, "special"))
    assert "special inputs" in difference.message


def test_tolerance():
    before = kernel(ADD)
    third = "%c = constant <f32: 2.0000002> : tile<16xf32>\n%y = mulf %x, %c : tile<16xf32>"
    after = kernel(third)
    cases = inputs(before, "ordinary")
    assert check_equal(before, after, cases)
    assert check_equal(before, after, cases, exact=Tolerance(ulps=2)) == []
    assert check_equal(before, after, cases, exact=Tolerance(relative=1e-6)) == []
    assert check_equal(before, after, cases, exact=Tolerance(relative=1e-9))


def test_parameters_are_matched_by_position():
    before = kernel(ADD)
    after = kernel(ADD, "%a: tile<ptr<f32>>, %b0: tile<ptr<f32>>, %c0: tile<i32>")
    assert check_equal(before, after, inputs(before, "ordinary")) == []


def test_a_module_that_becomes_undefined_is_different():
    before = module_of(program("%x: tile<i32>", ""))
    after = module_of(program("%x: tile<i32>", "%a = assume div_by<1024>, %x : tile<i32>"))
    (difference,) = check_equal(before, after, inputs(before, "ragged"))
    assert "has become undefined: false assumption" in difference.message


def test_undefined_originals_are_discarded_and_counted():
    text = program("%x: tile<i32>", "%a = assume bounded<-2, -1>, %x : tile<i32>")
    before = module_of(text)
    comparison = compare(before, before, inputs(before))
    assert comparison.ran == 0
    assert [undefined.kind for undefined in comparison.discarded] == ["assume"] * 3
    (remark,) = check_equal(before, before, inputs(before))
    assert remark.severity is Severity.REMARK
    assert "3 of 3 cases discarded" in remark.message


def test_what_is_printed_counts():
    before = module_of(program("", '%t = print_tko "a" -> token'))
    after = module_of(program("", '%t = print_tko "b" -> token'))
    (difference,) = check_equal(before, after, inputs(before, "ordinary"))
    assert "printed 'bb' instead of 'aa'" in difference.message


def test_arrays_grow_until_the_kernel_stays_inside():
    module = module_of(
        program(
            "%p: tile<ptr<f32>>",
            """
%far = constant <i32: 5000> : tile<i32>
%q = offset %p, %far : tile<ptr<f32>>, tile<i32> -> tile<ptr<f32>>
%v, %t = load_ptr_tko weak %q : tile<ptr<f32>> -> tile<f32>, token
""",
        )
    )
    (case,) = inputs(module, "ordinary")
    assert case.arguments["p"].size == 8192


def test_ragged_inputs_do_not_fill_tiles():
    module = kernel(ADD)
    (case,) = inputs(module, "ragged")
    assert case.arguments["n"] % 16 != 0


def test_check_attributes_give_arguments_and_grid():
    module = module_of(
        """
cuda_tile.module @m {
  entry @k(%p: tile<ptr<f32>> {cuda_tile.check = "full:3:f32:7"},
           %n: tile<i32> {cuda_tile.check = "5"}) {
    return
  } {cuda_tile.check_grid = [3 : i64, 2 : i64]}
}
"""
    )
    (case,) = inputs(module, "ordinary")
    assert case.arguments["p"].tolist() == [3.0] * 7
    assert case.arguments["n"] == 5
    assert case.grid == (3, 2, 1)


def test_cases_from_json():
    module = kernel(ADD)
    text = json.dumps(
        {"cases": [{"grid": [2], "args": {"p": "iota:f32:32", "q": "zeros:32", "n": 32}}]}
    )
    (case,) = load_cases(module, text, "inputs.json")
    assert case.grid == (2, 1, 1)
    assert case.arguments["p"].tolist() == list(range(32))
    assert check_equal(module, kernel(TWICE), [case]) == []
    assert len(check_equal(module, kernel(THRICE), [case])) == 1


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("{", "not a list of cases"),
        ("[]", "not a list of cases"),
        ('{"cases": [{"kernel": "x"}]}', "case 0 names no entry"),
        ('{"cases": [{"args": {"p": "zeros:1"}}]}', "case 0: no argument for 'q'"),
        ('{"cases": [{"args": {"p": "1", "q": "zeros:1", "n": 1}}]}', "case 0: '1' is no array"),
    ],
)
def test_json_that_is_no_list_of_cases(text: str, message: str):
    with pytest.raises(DiagnosticError) as caught:
        load_cases(kernel(ADD), text, "inputs.json")
    (diagnostic,) = caught.value.diagnostics
    assert message in diagnostic.message
    assert diagnostic.path == "inputs.json"


@pytest.mark.parametrize("name", FORMATS)
def test_special_values_hold_the_extremes(name: str):
    fmt = FORMATS[name]
    values = special_values(fmt)
    assert values.dtype == fmt.dtype
    if isinstance(fmt, IntegerFormat):
        assert fmt.width == 1 or set(fmt.limits(signed=True)) <= set(values.tolist())
        return
    if name == "fnv8E5M3FNU":
        return
    wide = values.astype(np.float64)
    assert fmt.max_finite in wide
    assert np.isnan(wide).any() == fmt.has_nan
    assert np.isinf(wide).any() == fmt.has_inf
