"""The number formats of CUDA Tile IR: one description each, importable without NumPy.

Names, widths and encodings follow the type table of the Tile IR specification; the 8- and 4-bit
float encodings are those of the OCP 8-bit and Microscaling (MX) specifications, and
`fnv8E5M3FNU` is NVIDIA's unsigned format with bias 15 in which only 0xff is NaN.

Every finite value of every float format here is a binary64 value, which the rest of the package
relies on: `f64` is the carrier in which values of all formats are compared and rounded.

**Storage.** `dtype` is the NumPy type whose arrays carry a format in this project:

| format | storage |
| --- | --- |
| `i1` | `bool` |
| `i4` | `int8`, values -8 to 7 (sign-extended) |
| `i8` to `i64` | the signed NumPy integer; formats are signless, unsigned operations reinterpret |
| `f16` `f32` `f64` | the NumPy float |
| `tf32` | `float32` whose low 13 bits are zero |
| `bf16`, `f8*`, `f4E2M1FN` | the `ml_dtypes` type (one byte each for the f8 and f4) |
| `fnv8E5M3FNU` | `uint8`, the raw encoding |

**NaN.** An operation that computes a NaN returns *a* quiet NaN; sign and payload are the host's.
`canonical_nan_bits` is the encoding `canonicalize_nan` makes of all of them, the one NumPy and
`ml_dtypes` write for `nan`; NVIDIA's devices write all-ones mantissas instead, so two NaNs are to
be compared as equal whatever their bits.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    Array = npt.NDArray[Any]


@dataclass(frozen=True)
class IntegerFormat:
    """A signless two's complement integer of `width` bits."""

    name: str
    width: int
    constant_bytes: int | None
    """Bytes per element of a dense constant; None where that is not a byte count: `i1` constants
    are bit-packed, `i4` has none."""

    @property
    def packed_width(self) -> int:
        """Bits per element for `pack` and `unpack`."""
        return self.width

    @cached_property
    def dtype(self) -> np.dtype[Any]:
        """The NumPy type of arrays in this format (see the module's table)."""
        import numpy as np

        if self.width == 1:
            return np.dtype(np.bool_)
        return np.dtype(f"int{max(self.width, 8)}")

    @cached_property
    def bits_dtype(self) -> np.dtype[Any]:
        """The unsigned NumPy type of `to_bits`."""
        return _bits_dtype(self.width)

    def from_bits(self, bits: Array) -> Array:
        """The values whose encodings are the low `width` bits of the integers `bits`."""
        import numpy as np

        raw = np.asarray(bits).astype(self.bits_dtype)
        if self.width == 1:
            return (raw & 1).astype(np.bool_)
        if self.width == 4:
            return ((raw & 15) ^ 8).astype(np.int8) - np.int8(8)
        return raw.view(self.dtype)

    def to_bits(self, values: Array) -> Array:
        """The encodings of `values`, zero-extended into `bits_dtype`."""
        import numpy as np

        stored = np.asarray(values, dtype=self.dtype)
        if self.width == 4:
            return stored.view(np.uint8) & np.uint8(15)
        return stored.view(self.bits_dtype)

    def limits(self, signed: bool) -> tuple[int, int]:
        """The least and the greatest value when read as signed or unsigned (`i1`: -1 and 0)."""
        if signed:
            return -(1 << (self.width - 1)), (1 << (self.width - 1)) - 1
        return 0, (1 << self.width) - 1


@dataclass(frozen=True)
class FloatFormat:
    """A binary floating-point format: value = significand * 2**exponent, as IEEE 754 where it can.

    `bias` is the exponent bias; `max_finite` is exact. An unsigned format has no sign bit, and a
    format without `has_zero` (f8E8M0FNU) has powers of two only.
    """

    name: str
    width: int
    exponent_bits: int
    mantissa_bits: int
    bias: int
    max_finite: float
    constant_bytes: int
    """Bytes per element of a dense constant."""
    canonical_nan_bits: int | None
    """The encoding of a quiet NaN, None where the format has no NaN."""
    has_sign: bool = True
    has_inf: bool = True
    has_zero: bool = True
    saturates: bool = False
    """Conversions to this format map what lies beyond its range to plus or minus `max_finite`."""

    @property
    def has_nan(self) -> bool:
        return self.canonical_nan_bits is not None

    @property
    def precision(self) -> int:
        """Significand bits, the hidden one included."""
        return self.mantissa_bits + 1

    @property
    def min_exponent(self) -> int:
        """Exponent of the smallest normal number (f8E8M0FNU: of the smallest number)."""
        return 1 - self.bias if self.has_zero else -self.bias

    @property
    def smallest_normal(self) -> float:
        return 2.0**self.min_exponent

    @property
    def smallest_positive(self) -> float:
        """The smallest positive number, subnormal where the format has subnormals."""
        return 2.0 ** (self.min_exponent - self.mantissa_bits)

    @property
    def packed_width(self) -> int:
        """Bits per element for `pack` and `unpack`: the width, but 32 for tf32."""
        return 32 if self.name == "tf32" else self.width

    @property
    def sign_bit(self) -> int:
        """The mask of the sign bit in an encoding, 0 for an unsigned format."""
        return 1 << (self.width - 1) if self.has_sign else 0

    @cached_property
    def dtype(self) -> np.dtype[Any]:
        """The NumPy type of arrays in this format (see the module's table)."""
        import numpy as np

        if self.name in _NUMPY_FLOATS:
            return np.dtype(_NUMPY_FLOATS[self.name])
        import ml_dtypes

        return np.dtype(getattr(ml_dtypes, _ML_DTYPES[self.name]))

    @cached_property
    def bits_dtype(self) -> np.dtype[Any]:
        """The unsigned NumPy type of `to_bits`."""
        return _bits_dtype(self.width)

    def from_bits(self, bits: Array) -> Array:
        """The values whose encodings are the low `width` bits of the integers `bits`."""
        import numpy as np

        raw = np.asarray(bits).astype(self.bits_dtype)
        if self.name == "tf32":
            return (raw << np.uint32(13)).view(np.float32)
        if self.width == 4:
            raw = raw & np.uint8(15)
        return raw.view(self.dtype)

    def to_bits(self, values: Array) -> Array:
        """The encodings of `values` (an array in this format), zero-extended into `bits_dtype`."""
        import numpy as np

        stored = np.asarray(values, dtype=self.dtype)
        if self.name == "tf32":
            return stored.view(np.uint32) >> np.uint32(13)
        return stored.view(self.bits_dtype)

    def canonicalize_nan(self, values: Array) -> Array:
        """`values` with every NaN replaced by the canonical one."""
        import numpy as np

        if self.canonical_nan_bits is None:
            return values
        nan = self.from_bits(np.asarray(self.canonical_nan_bits, dtype=np.uint64))
        if self.name == "fnv8E5M3FNU":
            return values
        return np.where(np.isnan(values), nan, values)


NumberFormat = IntegerFormat | FloatFormat

_NUMPY_FLOATS = {
    "f16": "float16",
    "f32": "float32",
    "tf32": "float32",
    "f64": "float64",
    "fnv8E5M3FNU": "uint8",
}
_ML_DTYPES = {
    "bf16": "bfloat16",
    "f8E4M3FN": "float8_e4m3fn",
    "f8E5M2": "float8_e5m2",
    "f8E8M0FNU": "float8_e8m0fnu",
    "f4E2M1FN": "float4_e2m1fn",
}


def _bits_dtype(width: int) -> np.dtype[Any]:
    import numpy as np

    return np.dtype(f"uint{next(size for size in (8, 16, 32, 64) if width <= size)}")


I1 = IntegerFormat("i1", 1, None)
I4 = IntegerFormat("i4", 4, None)
I8 = IntegerFormat("i8", 8, 1)
I16 = IntegerFormat("i16", 16, 2)
I32 = IntegerFormat("i32", 32, 4)
I64 = IntegerFormat("i64", 64, 8)

F16 = FloatFormat("f16", 16, 5, 10, 15, 65504.0, 2, 0x7E00)
BF16 = FloatFormat("bf16", 16, 8, 7, 127, float.fromhex("0x1.fep127"), 2, 0x7FC0)
F32 = FloatFormat("f32", 32, 8, 23, 127, float.fromhex("0x1.fffffep127"), 4, 0x7FC00000)
TF32 = FloatFormat("tf32", 19, 8, 10, 127, float.fromhex("0x1.ffcp127"), 3, 0x3FE00)
F64 = FloatFormat("f64", 64, 11, 52, 1023, float.fromhex("0x1.fffffffffffffp1023"), 8, 0x7FF8 << 48)
F8E4M3FN = FloatFormat("f8E4M3FN", 8, 4, 3, 7, 448.0, 1, 0x7F, has_inf=False, saturates=True)
F8E5M2 = FloatFormat("f8E5M2", 8, 5, 2, 15, 57344.0, 1, 0x7E, saturates=True)
F8E8M0FNU = FloatFormat(
    "f8E8M0FNU",
    8,
    8,
    0,
    127,
    2.0**127,
    1,
    0xFF,
    has_sign=False,
    has_inf=False,
    has_zero=False,
    saturates=True,
)
F4E2M1FN = FloatFormat("f4E2M1FN", 4, 2, 1, 1, 6.0, 1, None, has_inf=False, saturates=True)
FNV8E5M3FNU = FloatFormat(
    "fnv8E5M3FNU",
    8,
    5,
    3,
    15,
    114688.0,
    1,
    0xFF,
    has_sign=False,
    has_inf=False,
    saturates=True,
)

INTEGER_FORMATS: dict[str, IntegerFormat] = {f.name: f for f in (I1, I4, I8, I16, I32, I64)}
FLOAT_FORMATS: dict[str, FloatFormat] = {
    f.name: f
    for f in (
        F16,
        BF16,
        F32,
        TF32,
        F64,
        F8E4M3FN,
        F8E5M2,
        F8E8M0FNU,
        F4E2M1FN,
        FNV8E5M3FNU,
    )
}
FORMATS: dict[str, NumberFormat] = {**INTEGER_FORMATS, **FLOAT_FORMATS}
"""Every format by its name in the IR."""
