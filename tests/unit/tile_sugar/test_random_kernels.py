"""Random kernels compute the same bits before, during and after lowering."""

from __future__ import annotations

import pytest
from hypothesis import HealthCheck, assume, given, settings
from support.random_sugar import Program, programs
from support.sugar import Launch, check_ends, check_lowering

from tileir_xdsl.interpreter import UndefinedBehaviour

CHECKS = (HealthCheck.too_slow, HealthCheck.filter_too_much, HealthCheck.data_too_large)


def is_defined(program: Program) -> bool:
    """Whether the kernel itself is defined on its inputs."""
    try:
        Launch(program.text, program.values).original()
    except UndefinedBehaviour:
        return False
    return True


@settings(max_examples=50, deadline=None, suppress_health_check=CHECKS, derandomize=True)
@given(programs())
def test_lowering_changes_no_bit(program: Program) -> None:
    assume(is_defined(program))
    check_ends(program.text, program.values)


@pytest.mark.slow
@settings(max_examples=1000, deadline=None, suppress_health_check=CHECKS)
@given(programs())
def test_no_pass_changes_a_bit(program: Program) -> None:
    assume(is_defined(program))
    check_lowering(program.text, program.values)


@pytest.mark.slow
@settings(max_examples=200, deadline=None, suppress_health_check=CHECKS)
@given(programs())
def test_no_pass_changes_a_bit_for_the_oldest_version(program: Program) -> None:
    assume(is_defined(program))
    check_ends(program.text, program.values, version="13.1")
