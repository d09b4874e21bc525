"""Checks whole programs: all errors and warnings in one walk, each with its place.

xDSL's own `Operation.verify` stops at the first error, which has no place, and does not check that
definitions dominate their uses. What a single operation must obey is declared with it
(IRDL definition and `verify_`); here is what holds between operations, and the walk.
"""

from tileir_xdsl.verifier.walk import verify_into, verify_module

__all__ = ["verify_into", "verify_module"]
