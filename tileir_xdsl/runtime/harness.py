"""Harness files: one Python file that runs a launch on a GPU and checks its results.

What the interpreter computes is the expectation; how far a device may be off is estimated
(`tolerance`) or given. The file needs NumPy and cuda-python, and nothing of this package.
"""

from __future__ import annotations

import importlib
import pprint
import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from tileir_xdsl._version import __version__
from tileir_xdsl.runtime.check_program import BYTECODE, packed_text
from tileir_xdsl.runtime.comparison import Tolerance
from tileir_xdsl.runtime.engines import Interpreter
from tileir_xdsl.runtime.handlers import array_bits
from tileir_xdsl.runtime.launch import Engine, Launch
from tileir_xdsl.runtime.layouts import layout_of
from tileir_xdsl.runtime.tolerance import compared_parameters, estimate

SOURCES = ("gpu", "comparison", "check_program")
"""The modules that a harness file consists of, in order. They import nothing else of ours."""

MAX_BYTES = 64 << 20
"""The most that inputs and outputs may hold together."""

_HEADER = '''\
#!/usr/bin/env python3
"""Runs the Tile IR kernel @{kernel} on a GPU and compares its results with expected ones.

Written by tileir-xdsl {version}. Needs NumPy and cuda-python:

    pip install numpy 'cuda-python>=13'
    python {name} [--repeat 20]

Exits 0 on a match, 1 on a mismatch, 3 without a device, 4 when the device cannot run the kernel.
Grid: {grid}. Images: {images}. Arrays: {arrays}.
"""

from __future__ import annotations

import sys

try:
    import numpy
except ImportError:
    print("this file needs NumPy: pip install numpy", file=sys.stderr)
    sys.exit(4)
'''

_FOOTER = """
if __name__ == "__main__":
    sys.exit(main(DATA))
"""

_IMPORT = re.compile(r"^from tileir_xdsl\S* import (?:\([^)]*\)|.*)\n", re.MULTILINE)
_FUTURE = re.compile(r"^from __future__ import annotations\n", re.MULTILINE)


def emit(
    launch: Launch,
    *,
    architectures: Sequence[str] = (),
    version: str | None = None,
    reference: Engine | None = None,
    tolerance: Tolerance | Mapping[str, Tolerance] | None = None,
    name: str = "check.py",
) -> str:
    """The text of a harness file for a launch whose arrays are on the host; they do not change.

    It holds a cubin for each of `architectures` ("sm_90"), and bytecode of `version` for others,
    which drivers since CUDA 13.1 assemble themselves. `reference` computes what is expected, by
    default the interpreter; `tolerance` is one for all arrays or by name, by default estimated.

    Raises `DiagnosticError` when the launch cannot run or has no blocks, the program is undefined,
    or the arrays hold more than `MAX_BYTES`.
    """
    _check(launch)
    tolerances = _tolerances(launch, tolerance)
    expected = replace(launch, arguments=launch.arguments.copied())
    (Interpreter() if reference is None else reference).run(expected)
    data: dict[str, Any] = {
        "kernel": launch.kernel.name,
        "images": _images(launch, architectures, version),
        "grid": launch.grid,
        "regions": [packed_text(r.memory.tobytes()) for r in launch.arguments.regions],
        "parameters": packed_text(launch.arguments.pack({})),
        "offsets": [slot.offset for slot in launch.arguments.abi.slots],
        "pointers": [
            (slot.offset, *launch.arguments.offsets[slot.parameter])
            for slot in launch.arguments.abi.slots
            if slot.kind == "pointer" and slot.parameter in launch.arguments.offsets
        ],
        "outputs": [
            _output(launch, position, expected, allowed) for position, allowed in tolerances.items()
        ],
    }
    header = _HEADER.format(
        kernel=launch.kernel.name,
        version=__version__,
        name=name,
        grid="x".join(map(str, launch.grid)),
        images=", ".join(data["images"]),
        arrays=", ".join(
            f"{launch.arguments.abi.names[k]} ({allowed})" for k, allowed in tolerances.items()
        )
        or "none",
    )
    body = "\n\n".join(_source(module) for module in SOURCES)
    shown = pprint.pformat(data, width=100, sort_dicts=False)
    return f"{header}\n{body}\n\nDATA = {shown}\n{_FOOTER}"


def _check(launch: Launch) -> None:
    if launch.blocks == 0:
        raise launch.error("a launch of no blocks computes nothing to check")
    if launch.arguments.device_arrays:
        raise launch.error("the arrays of a harness must be on the host", fix="pass copies")
    size = sum(region.memory.size for region in launch.arguments.regions)
    if size > MAX_BYTES:
        raise launch.error(
            f"the arrays hold {size >> 20} MiB, and a harness file at most {MAX_BYTES >> 20} MiB",
            fix="take smaller arrays and a smaller grid",
        )


def _tolerances(
    launch: Launch, tolerance: Tolerance | Mapping[str, Tolerance] | None
) -> dict[int, Tolerance]:
    if tolerance is None:
        return estimate(launch)
    positions = compared_parameters(launch)
    if isinstance(tolerance, Tolerance):
        return dict.fromkeys(positions, tolerance)
    names = launch.arguments.abi.names
    return {k: tolerance.get(names[k], Tolerance()) for k in positions}


def _images(launch: Launch, architectures: Sequence[str], version: str | None) -> dict[str, str]:
    kernel = launch.kernel
    images = {name: packed_text(kernel.compile(name)) for name in architectures}
    images[BYTECODE] = packed_text(kernel.bytecode(version))
    return images


def _output(launch: Launch, position: int, expected: Launch, allowed: Tolerance) -> dict[str, Any]:
    arguments = launch.arguments
    array = arguments.arrays[position]
    result = expected.arguments.arrays[position]
    assert isinstance(array, np.ndarray)
    region, offset = arguments.offsets[position]
    return {
        "name": arguments.abi.names[position],
        "layout": layout_of(arguments.abi.parameters[position].element),
        "region": region,
        "offset": offset,
        "shape": array.shape,
        "strides": array.strides,
        "expected": packed_text(array_bits(result).tobytes()),
        "ulps": allowed.ulps,
        "atol": allowed.atol,
    }


def _source(module: str) -> str:
    """The source of a module, without what is in the file already."""
    path = importlib.import_module(f"tileir_xdsl.runtime.{module}").__file__
    assert path is not None
    text = Path(path).read_text(encoding="utf-8")
    return _FUTURE.sub("", _IMPORT.sub("", text)).strip() + "\n"
