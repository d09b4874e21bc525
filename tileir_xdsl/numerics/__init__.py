"""Numbers of CUDA Tile IR: formats, roundings, and one array function per arithmetic operation.

Used by the interpreter and by constant folding alike, so that both agree bit for bit; it depends on
nothing else in the project. Arrays go in and come out in the storage of their format (`formats`),
of any shape; every function takes the formats it needs and the operation's attributes as arguments,
and answers an array, also for rank 0. Nothing here raises for a value: where an operation is
undefined, its partner `<op>_undefined` answers the mask of the undefined lanes.

| module | operations | accuracy |
| --- | --- | --- |
| `integer` | absi addi subi muli mulhii divi remi maxi mini negi shli shri | exact |
| `bits` | andi ori xori bitcast pack unpack | exact |
| `compare` | cmpf cmpi select | exact |
| `convert` | exti trunci ftoi | exact |
| | ftof itof | correctly rounded |
| `floating` | absf negf ceil floor maxf minf remf fpowi | exact |
| | addf subf mulf divf sqrt fma | correctly rounded, in every mode |
| | exp exp2 log log2 sin cos tan sinh cosh tanh atan2 fpowf rsqrt | tolerance: f64 rounded once |
| `matrix` | mmai | exact |
| | mmaf mmaf_scaled | tolerance: exact products, f64 sums, rounded once |

`ulp.ACCURACY` says it operation by operation with sources, `ulp.ulp_bound` how far a device may be
away. `rounding` converts any exact value to any format in any mode, `error_free` has the exact
results of f64 arithmetic that the rounding modes need.

The names exported here do not import NumPy; the modules `rounding`, `integer`, `floating`,
`convert`, `compare`, `bits` and `matrix` do and are imported where they are used.
"""

from tileir_xdsl.numerics.formats import (
    BF16,
    F4E2M1FN,
    F8E4M3FN,
    F8E5M2,
    F8E8M0FNU,
    F16,
    F32,
    F64,
    FLOAT_FORMATS,
    FNV8E5M3FNU,
    FORMATS,
    I1,
    I4,
    I8,
    I16,
    I32,
    I64,
    INTEGER_FORMATS,
    TF32,
    FloatFormat,
    IntegerFormat,
    NumberFormat,
)
from tileir_xdsl.numerics.ulp import ACCURACY, Accuracy, mma_error_bound, ulp_bound, ulp_distance

__all__ = [
    "ACCURACY",
    "BF16",
    "F4E2M1FN",
    "F8E4M3FN",
    "F8E5M2",
    "F8E8M0FNU",
    "F16",
    "F32",
    "F64",
    "FLOAT_FORMATS",
    "FNV8E5M3FNU",
    "FORMATS",
    "I1",
    "I4",
    "I8",
    "I16",
    "I32",
    "I64",
    "INTEGER_FORMATS",
    "TF32",
    "Accuracy",
    "FloatFormat",
    "IntegerFormat",
    "NumberFormat",
    "mma_error_bound",
    "ulp_bound",
    "ulp_distance",
]
