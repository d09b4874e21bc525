"""The main program of a harness file: runs one launch on the GPU and compares its results.

A harness file is the sources of `gpu`, `comparison` and this module, one after the other, and the
data of a launch (`harness.emit`). It needs only NumPy and cuda-python.
"""

from __future__ import annotations

import argparse
import base64
import statistics
import sys
import traceback
import zlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from tileir_xdsl.runtime.comparison import Difference, Tolerance, difference, element_bits
from tileir_xdsl.runtime.gpu import Gpu, GpuError, NoDevice

EXIT_MATCH = 0
EXIT_MISMATCH = 1
EXIT_USAGE = 2
EXIT_NO_DEVICE = 3
EXIT_CANNOT_RUN = 4

STATUSES = """\
exit status: 0 the results match, 1 they do not, 2 wrong usage, 3 there is no device to run on,
4 the device or its driver cannot run the kernel
"""

BYTECODE = "tileirbc"
"""The key of the bytecode among the images; those of cubins are architectures."""


@dataclass(frozen=True)
class Output:
    """An array that the kernel may write, and what it should hold."""

    name: str
    layout: tuple[Any, ...]
    """As `comparison` describes element types."""
    region: int
    offset: int
    """Bytes from the start of the region to the first element."""
    shape: tuple[int, ...]
    """Of the array as it lies in memory: two elements of 4 bits are one byte."""
    strides: tuple[int, ...]
    """In bytes."""
    expected: bytes
    """The elements one after the other."""
    ulps: int = 0
    atol: float = 0.0

    @property
    def tolerance(self) -> Tolerance:
        return Tolerance(self.ulps, self.atol)

    def bits(self, memory: npt.NDArray[np.uint8]) -> npt.NDArray[Any]:
        """The elements in a region of memory as unsigned integers."""
        dtype = self._dtype()
        if 0 in self.shape:
            return np.zeros(self.shape, dtype)
        view = np.ndarray(self.shape, dtype, memory.data, self.offset, self.strides)
        return element_bits(view.copy(), self.layout)

    def expected_bits(self) -> npt.NDArray[Any]:
        flat = np.frombuffer(self.expected, self._dtype())
        return element_bits(flat.reshape(self.shape).copy(), self.layout)

    def _dtype(self) -> np.dtype[Any]:
        width = {4: 8, 19: 32}.get(self.layout[1], max(8, self.layout[1]))
        return np.dtype(f"u{width // 8}")


@dataclass(frozen=True)
class Check:
    """A launch with its inputs and expected results."""

    kernel: str
    images: Mapping[str, bytes]
    grid: tuple[int, int, int]
    regions: Sequence[bytes]
    """What the memory of the arguments holds before the launch."""
    parameters: bytes
    """The packed parameters; pointers into regions still have to be filled in."""
    offsets: Sequence[int]
    """Where each parameter begins."""
    pointers: Sequence[tuple[int, int, int]]
    """Where a pointer stands in the parameters, its region, and the bytes from there."""
    outputs: Sequence[Output]

    def packed(self, bases: Sequence[int]) -> bytes:
        """The parameters when region k lies at `bases[k]`."""
        packed = bytearray(self.parameters)
        for position, region, offset in self.pointers:
            address = bases[region] + offset if bases[region] else 0
            packed[position : position + 8] = address.to_bytes(8, "little")
        return bytes(packed)

    def image_for(self, architecture: str) -> bytes | None:
        """The image for an architecture; None when there is none."""
        return self.images.get(architecture, self.images.get(BYTECODE))


def compare_outputs(check: Check, memory: Sequence[npt.NDArray[np.uint8]]) -> list[Difference]:
    """How the outputs in the memory of the regions differ from what is expected."""
    found = [
        difference(
            output.name,
            output.bits(memory[output.region]),
            output.expected_bits(),
            output.layout,
            output.tolerance,
        )
        for output in check.outputs
    ]
    return [one for one in found if one is not None]


def run_on_gpu(
    gpu: Gpu, check: Check, image: bytes, repeat: int
) -> tuple[list[npt.NDArray[np.uint8]], list[float]]:
    """The memory of the regions after a launch, and seconds of `repeat` further ones."""
    initial = [np.frombuffer(data, np.uint8).copy() for data in check.regions]
    final = [np.empty_like(memory) for memory in initial]
    seconds: list[float] = []
    with gpu.current():
        kernel = gpu.kernel(gpu.load(image), check.kernel)
        bases = [gpu.allocate(memory.size) for memory in initial]
        packed = check.packed(bases)
        for turn in range(1 + repeat):
            for base, memory in zip(bases, initial, strict=True):
                gpu.upload(base, memory.ctypes.data, memory.size)
            first, last = gpu.event(), gpu.event()
            gpu.record(first)
            gpu.launch(kernel, check.grid, packed, check.offsets)
            gpu.record(last)
            gpu.synchronize()
            if turn:
                seconds.append(gpu.seconds_between(first, last))
            gpu.destroy(first, last)
        for base, memory in zip(bases, final, strict=True):
            gpu.download(memory.ctypes.data, base, memory.size)
        gpu.synchronize()
        for base in bases:
            gpu.free(base)
    return final, seconds


def read_check(data: Mapping[str, Any]) -> Check:
    """The check in a harness file."""
    return Check(
        data["kernel"],
        {key: unpacked(text) for key, text in data["images"].items()},
        data["grid"],
        [unpacked(text) for text in data["regions"]],
        unpacked(data["parameters"]),
        data["offsets"],
        data["pointers"],
        [_output(output) for output in data["outputs"]],
    )


def _output(output: Mapping[str, Any]) -> Output:
    fields: dict[str, Any] = {**output, "expected": unpacked(output["expected"])}
    return Output(**fields)


def packed_text(data: bytes) -> str:
    return base64.b85encode(zlib.compress(data, 9)).decode()


def unpacked(text: str) -> bytes:
    return zlib.decompress(base64.b85decode(text))


def main(data: Mapping[str, Any], arguments: Sequence[str] | None = None) -> int:
    """Run the check in `data`; answers the exit status."""
    parser = argparse.ArgumentParser(
        description=f"Runs @{data['kernel']} on a GPU and compares its results.",
        epilog=STATUSES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--device", type=int, default=0, metavar="N", help="ordinal of the GPU")
    parser.add_argument(
        "--repeat", type=int, default=0, metavar="N", help="launch N times more and say how long"
    )
    options = parser.parse_args(arguments)
    try:
        return _run(read_check(data), options.device, options.repeat)
    except Exception:
        # Whatever goes wrong, it is no match and no mismatch.
        traceback.print_exc()
        return EXIT_CANNOT_RUN


def _run(check: Check, device: int, repeat: int) -> int:
    try:
        gpu = Gpu(device)
    except NoDevice as error:
        return _failed("no device", error, EXIT_NO_DEVICE)
    print(f"@{check.kernel} on {gpu.name} ({gpu.architecture}), CUDA {gpu.driver_version()} driver")
    image = check.image_for(gpu.architecture)
    if image is None:
        known = ", ".join(check.images)
        missing = GpuError(f"this file has code for {known} and none for {gpu.architecture}")
        return _failed("cannot run", missing, EXIT_CANNOT_RUN)
    try:
        memory, seconds = run_on_gpu(gpu, check, image, repeat)
    except GpuError as error:
        return _failed("cannot run", error, EXIT_CANNOT_RUN)
    return _report(check, compare_outputs(check, memory), seconds)


def _failed(what: str, error: GpuError, status: int) -> int:
    fix = f"; {error.fix}" if error.fix else ""
    print(f"{what}: {error.message}{fix}", file=sys.stderr)
    return status


def _report(check: Check, found: Sequence[Difference], seconds: Sequence[float]) -> int:
    for one in found:
        print(one)
    if seconds:
        middle = statistics.median(seconds) * 1e6
        quartiles = (
            statistics.quantiles(seconds, n=4, method="inclusive") if seconds[1:] else [0] * 3
        )
        spread = (quartiles[2] - quartiles[0]) * 1e6
        print(f"median {middle:.2f} us of {len(seconds)} launches, spread {spread:.2f} us")
    if found:
        print(f"MISMATCH: {len(found)} of {len(check.outputs)} arrays differ")
        return EXIT_MISMATCH
    print(f"match: {', '.join(f'{o.name} ({o.tolerance})' for o in check.outputs) or 'no outputs'}")
    return EXIT_MATCH
