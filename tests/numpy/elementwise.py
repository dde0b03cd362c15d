"""Writes what NumPy gives for every elementwise function: for each dtype, or each pair of them, the edge values of
one against those of the other.

    elementwise.py <folder>

And for each pair of types a few functions of operands that broadcast and lie in memory anyhow, each type's functions
of one such operand. A line of calls.txt is: function, input files, "exact=0|1", expected file. NumPy 1.24 and later.
"""

import math
import os
import sys

import numpy as np

sys.dont_write_bytecode = True
from layouts import Store  # noqa: E402

ALL = ["bool", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64", "float16", "float32",
       "float64", "complex64", "complex128"]
rng = np.random.default_rng(23)


def floor_divide(a, b):
    """The array API: infinity by a finite number is infinity, where NumPy says NaN."""
    q = np.floor_divide(a, b)
    return np.where(np.isinf(a), np.true_divide(a, b), q).astype(q.dtype) if q.dtype.kind == "f" else q


def sign(x):
    """z / |z|, as NumPy 2 and the array API have it."""
    if x.dtype.kind != "c":
        return np.sign(x)
    size = np.abs(x)
    return np.where(size == 0, 0, x / np.where(size == 0, 1, size)).astype(x.dtype)


def in_double(f):
    """f, which NumPy has not, of real numbers: rounded once to the type that NumPy's exp would give."""
    def call(x):
        if x.dtype.kind == "c":
            raise TypeError(f)
        return np.asarray(f(x.astype("float64"))).astype(np.exp(np.zeros(1, x.dtype)).dtype)
    return call


def of_math(f, otherwise):
    """A function of Python's, with what it is where that raises."""
    def one(v):
        try:
            return f(v)
        except (ValueError, OverflowError):
            return otherwise(v)
    return in_double(np.vectorize(one, otypes=["float64"]))


def gamma_at_pole(v):
    return math.copysign(math.inf, v) if v == 0 else math.inf if v > 0 else math.nan


def reciprocal(x):
    """Of integers a float, where NumPy has integers."""
    return np.reciprocal(x.astype(inexact(x)))


def inexact(x):
    return np.exp(np.zeros(1, x.dtype)).dtype


BINARY = {
    "add": np.add, "subtract": np.subtract, "multiply": np.multiply, "divide": np.true_divide,
    "floor_divide": floor_divide, "fmod": np.fmod, "remainder": np.remainder, "pow": np.power, "maximum": np.maximum,
    "minimum": np.minimum, "fmax": np.fmax, "fmin": np.fmin, "hypot": np.hypot, "copysign": np.copysign,
    "nextafter": np.nextafter, "equal": np.equal, "not_equal": np.not_equal, "less": np.less,
    "less_equal": np.less_equal, "greater": np.greater, "greater_equal": np.greater_equal,
    "logical_and": np.logical_and, "logical_or": np.logical_or, "logical_xor": np.logical_xor,
    "bitwise_and": np.bitwise_and, "bitwise_or": np.bitwise_or, "bitwise_xor": np.bitwise_xor,
    "bitwise_left_shift": np.left_shift, "bitwise_right_shift": np.right_shift, "logaddexp": np.logaddexp,
    "atan2": np.arctan2,
}
UNARY = {
    "negative": np.negative, "positive": np.positive, "abs": np.abs, "sign": sign, "square": np.square,
    "reciprocal": reciprocal, "isnan": np.isnan, "isinf": np.isinf, "isfinite": np.isfinite, "signbit": np.signbit,
    "logical_not": np.logical_not, "bitwise_invert": np.invert, "floor": np.floor, "ceil": np.ceil, "trunc": np.trunc,
    "round": np.rint, "sqrt": np.sqrt, "rsqrt": in_double(lambda x: 1 / np.sqrt(x)), "cbrt": np.cbrt, "exp": np.exp,
    "exp2": np.exp2, "expm1": np.expm1, "log": np.log, "log2": np.log2, "log10": np.log10, "log1p": np.log1p,
    "sigmoid": in_double(lambda x: 1 / (1 + np.exp(-x))),
    "sin": np.sin, "cos": np.cos, "tan": np.tan, "asin": np.arcsin, "acos": np.arccos, "atan": np.arctan,
    "sinh": np.sinh, "cosh": np.cosh, "tanh": np.tanh, "asinh": np.arcsinh, "acosh": np.arccosh, "atanh": np.arctanh,
    "degrees": np.degrees, "radians": np.radians, "real": np.real, "imag": np.imag, "conj": np.conj, "angle": np.angle,
    "erf": of_math(math.erf, None), "erfc": of_math(math.erfc, None), "gamma": of_math(math.gamma, gamma_at_pole),
    "lgamma": of_math(math.lgamma, lambda v: math.inf),
}
# Right to the last bit, the sign of zero included; of complex numbers only what is done to each part.
EXACT = """add subtract multiply divide fmod copysign nextafter equal not_equal less less_equal greater greater_equal
    logical_and logical_or logical_xor bitwise_and bitwise_or bitwise_xor bitwise_left_shift bitwise_right_shift
    negative positive square isnan isinf isfinite signbit logical_not bitwise_invert floor ceil trunc round sqrt real
    imag conj""".split()
EXACT_COMPLEX = "add subtract equal not_equal negative positive isnan isinf isfinite logical_not real imag conj".split()
PARTS = ["real", "imag", "conj", "angle"]
ROUNDINGS = ["floor", "ceil", "trunc"]
KEEPS_INTEGERS = np.lib.NumpyVersion(np.__version__) >= "2.1.0"  # they become floats before


def edges(dtype, finite=False):
    kind = np.dtype(dtype).kind
    if kind == "b":
        return np.array([False, True])
    if kind in "iu":
        i = np.iinfo(dtype)
        few = [i.min, i.min + 1, 0, 1, 2, 3, 7, 100, i.max // 2, i.max - 1, i.max]
        return np.array(few + ([-1, -2, -7, -100] if kind == "i" else []), dtype)
    part = {"complex64": "float32", "complex128": "float64"}.get(dtype, dtype)
    f = np.finfo(part)
    values = [0.0, -0.0, 1, -1, 0.5, -1.5, 2.5, 3, -7.25, 100.1, -0.001]
    if kind == "c":
        x = np.array(values, part)
        return (x[:, None] + 1j * x[::-3]).reshape(-1).astype(dtype)
    values += [] if finite else [np.inf, -np.inf, np.nan, f.max, f.min, f.tiny, -f.tiny, f.tiny / 4, f.eps]
    with np.errstate(all="ignore"):
        return np.array(values, part)


class Calls:
    def __init__(self, folder):
        self.store, self.lines = Store(folder), []
        self.save = self.store.plain

    def run(self, name, call, operands, files, exact):
        with np.errstate(all="ignore"):
            try:
                # To NumPy 1 an array of rank 0 is a number, whose type matters less.
                shape = np.broadcast_shapes(*[x.shape for x in operands])
                expected = np.asarray(call(*[np.atleast_1d(x) for x in operands])).reshape(shape)
            except (TypeError, ValueError):  # NumPy has no meaning for it
                return
        if expected.dtype.name not in ALL:
            return
        self.lines.append(f"{name}\t{','.join(files)}\texact={int(exact)}\t{self.store.plain(expected)}")


def exact_for(name, *operands):
    if any(x.dtype.kind == "c" for x in operands):
        return name in EXACT_COMPLEX
    return name in EXACT


ORDERS = ["maximum", "minimum", "fmax", "fmin", "less", "less_equal", "greater", "greater_equal"]
COMPARISONS = ["equal", "not_equal", "less", "less_equal", "greater", "greater_equal"]


def skipped(name, a, b):
    """Is there a reason not to compare the two?"""
    kinds = {a.dtype.kind, b.dtype.kind}
    if "c" in kinds and name in ORDERS:  # complex numbers have no order in the array API
        return True
    # The op computes in float; the function's own form for halves is in tools.py.
    if name == "nextafter" and inexact(np.empty(0, np.result_type(a.dtype, b.dtype))) == "float16":
        return True
    # NumPy 2 compares these as the integers they are, 1 as doubles.
    return name in COMPARISONS and "i" in kinds and np.dtype("uint64") in (a.dtype, b.dtype)


FLOAT_ONLY = ["hypot", "copysign", "nextafter", "logaddexp", "atan2", "divide"]


def meeting(name, a, b):
    """Where NumPy turns each of two integer types into a float of its own, sinter makes one type of both first."""
    kinds = a.dtype.kind + b.dtype.kind
    if name not in FLOAT_ONLY or not set(kinds) <= set("biu"):
        return a, b
    both = np.result_type(a.dtype, b.dtype)
    return a.astype(both), b.astype(both)


def mild(x):
    size = np.abs(x.astype("complex128"))
    return np.where((size < 8) & ((size > 1e-3) | (size == 0)), x, 2).astype(x.dtype)


def pairs(c):
    for first in ALL:
        for second in ALL:
            a = edges(first)[:, None]
            b = edges(second, finite=first.startswith("complex"))[None, :]
            files = [c.save(a), c.save(b)]
            small = np.clip(b, 0, 5).astype(second) if b.dtype.kind in "iu" else b
            for name, call in BINARY.items():
                if skipped(name, a, b):
                    continue
                if name == "pow" and a.dtype.kind in "biu" and b.dtype.kind in "iu":
                    whole = np.result_type(a, b).kind in "iu"  # int8 and uint64 are double
                    c.run(name, call, [a, small], [files[0], c.save(small)], whole)  # NumPy refuses the others
                elif name == "pow" and "c" in a.dtype.kind + b.dtype.kind:
                    # Zero to a complex power is one thing in NumPy 1, another in 2; overflows differ too.
                    base, exponent = np.where(a == 0, 1, mild(a)).astype(first), mild(b)
                    c.run(name, call, [base, exponent], [c.save(base), c.save(exponent)], False)
                else:
                    c.run(name, call, meeting(name, a, b), files, exact_for(name, a, b))


def singles(c):
    for dtype in ALL:
        x = edges(dtype)
        if x.dtype.kind in "fc":
            more = rng.normal(size=120) * 10.0 ** rng.integers(-4, 4, 120)
            x = np.concatenate([x, more.astype(dtype)])
        unary(c, x, c.save(x))


def unary(c, x, file):
    for name, call in UNARY.items():
        if x.dtype.kind in "biu" and (name == "round" or name in ROUNDINGS and not KEEPS_INTEGERS):
            continue
        if name in PARTS and x.dtype.kind not in "fc":
            continue
        if name == "exp2" and x.dtype.kind == "c":
            continue  # here it is of real numbers
        if name == "expm1" and x.dtype.kind == "c":  # NumPy's overflow is NaN
            c.run(name, call, [mild(x)], [c.save(mild(x))], False)
            continue
        c.run(name, call, [x], [file], exact_for(name, x))


def triples(c):
    for dtype in ALL:
        x = edges(dtype)
        yes = rng.integers(0, 2, x.shape).astype(bool)
        other = edges("float32" if x.dtype.kind == "i" else dtype)[:2]
        files = [c.save(yes), c.save(x), c.save(other[:, None])]
        c.run("where", np.where, [yes, x, other[:, None]], files, True)
        if x.dtype.kind in "biuf":
            low, high = np.array(1, dtype), np.array(3, dtype)
            c.run("clip", np.clip, [x, low, high], [files[1], c.save(low), c.save(high)], True)
    for dtype in ["float32", "float64"]:
        x, n = edges(dtype)[:, None], np.arange(-30, 31, 7, dtype=np.int32)
        c.run("ldexp", np.ldexp, [x, n], [c.save(x), c.save(n)], True)


# ---- any shape, any layout

def sample(shape, dtype):
    kind = np.dtype(dtype).kind
    if kind == "b":
        return rng.integers(0, 2, shape).astype(bool)
    if kind in "iu":
        return rng.integers(1, 6, shape).astype(dtype)
    x = rng.normal(size=shape) * 2
    x = x + 1j * rng.normal(size=shape) if kind == "c" else x
    return np.asarray(x).astype(dtype)


def shapes():
    """Two that broadcast together: axes left out in front, others of extent 1; sometimes one of 0."""
    whole = [int(n) for n in rng.choice([0, 1, 2, 3, 5, 17, 40], rng.integers(0, 4), p=[.05, .1, .2, .25, .2, .1, .1])]
    def one():
        shape = [1 if rng.random() < 0.25 else n for n in whole]
        return tuple(shape[rng.integers(0, len(shape) + 1):] if rng.random() < 0.3 else shape)
    return tuple(whole), one()


def layouts(c):
    """Each function with at least 14 pairs of types, each pair with six functions."""
    names = list(BINARY)
    for first in ALL:
        for second in ALL:
            left, right = shapes()
            if rng.random() < 0.5:
                left, right = right, left
            a, b = sample(left, first), sample(right, second)
            chosen = rng.permutation(names)[:6]
            files = [c.store.input(a), c.store.input(b)]
            for name in chosen:
                both = a.dtype.kind + b.dtype.kind
                if skipped(name, a, b) or (name == "pow" and "c" in both):
                    continue
                p, q = meeting(name, a, b)
                if name == "pow" and "f" in both:
                    p = np.abs(p)  # a negative one has no power
                    c.run(name, BINARY[name], [p, q], [c.store.input(p), files[1]], False)
                    continue
                exact = exact_for(name, a, b) and name not in ("fmod", "remainder", "floor_divide")
                c.run(name, BINARY[name], [p, q], files, exact)
    for dtype in ALL:
        for _ in range(2):
            x = sample(shapes()[0], dtype)
            unary(c, x, c.store.input(x))


def main(folder):
    c = Calls(folder)
    for part in (pairs, singles, triples, layouts):
        part(c)
    with open(os.path.join(folder, "calls.txt"), "w") as f:
        f.write("\n".join(c.lines) + "\n")


main(sys.argv[1])
