"""Writes what NumPy gives for many calls: inputs and results as .npy files, and one line a call.

    cases.py <folder>

A line of calls.txt is: function, input files, arguments (key=value), expected file. Fields are separated
by tabs. NumPy 1.24 and later.
"""

import itertools
import os
import sys

import numpy as np

sys.dont_write_bytecode = True
from layouts import Store, random_axes, random_shape  # noqa: E402

DTYPES = ["bool", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64",
          "float16", "float32", "float64", "complex64", "complex128"]


class Cases:
    def __init__(self, folder):
        self.store = Store(folder)
        self.save = self.store.input
        self.lines = []

    def add(self, function, source, expected, **arguments):
        text = " ".join(f"{k}={v}" for k, v in arguments.items())
        self.lines.append("\t".join([function, source, text, self.store.plain(expected)]))

    def finish(self, name="calls.txt"):
        with open(os.path.join(self.store.folder, name), "w") as f:
            f.write("\n".join(self.lines) + "\n")
        self.lines = []


def joined(values):
    return ",".join(str(v) for v in values)


def sample(rng, shape, dtype):
    if dtype == "bool":
        return rng.integers(0, 2, shape).astype(bool)
    kind = np.dtype(dtype).kind
    if kind == "i":
        return rng.integers(-100, 100, shape).astype(dtype)
    if kind == "u":
        return rng.integers(0, 200, shape).astype(dtype)
    x = rng.normal(size=shape) * 3
    if kind == "c":
        x = x + 1j * rng.normal(size=shape)
    return x.astype(dtype)


def views(c):
    x = np.arange(2 * 3 * 4 * 5, dtype=np.int32).reshape(2, 3, 4, 5)
    name = c.save(x)
    for axes in itertools.permutations(range(4)):
        c.add("permute_dims", name, x.transpose(axes), axes=joined(axes))
    for axes in [(), (0,), (-1,), (1, 2), (0, 1, 2, 3)]:
        c.add("flip", name, np.flip(x, axes), axes=joined(axes) or "none")
    c.add("flip", name, np.flip(x))
    c.add("transpose", name, x.T)
    for shape in [(120,), (-1,), (6, 20), (6, -1), (2, 3, 20), (1, 120, 1), (5, 4, 3, 2), (3, 5, -1)]:
        c.add("reshape", name, x.reshape(shape), shape=joined(shape))
    for a, b in [(0, 1), (0, -1), (2, 2), (-2, 1)]:
        c.add("swapaxes", name, x.swapaxes(a, b), a=a, b=b)
    for a, b in [((0,), (3,)), ((0, 1), (-1, -2)), ((3, 2, 0), (0, 1, 2)), ((1,), (1,))]:
        c.add("moveaxis", name, np.moveaxis(x, a, b), a=joined(a), b=joined(b))
    for axes in [(0,), (-1,), (0, 2), (0, -1), (4, 1)]:
        c.add("expand_dims", name, np.expand_dims(x, axes), axes=joined(axes))
    y = x.reshape(1, 2, 1, 60, 1)
    squeezable = c.save(y)
    c.add("squeeze", squeezable, y.squeeze())
    for axes in [(0,), (-1,), (0, 2), (2, -1, 0)]:
        c.add("squeeze", squeezable, y.squeeze(axes), axes=joined(axes))
    for source, shape in [((1,), (4,)), ((3, 1), (3, 4)), ((4,), (2, 3, 4)), ((), (2, 2)), ((1, 3, 1), (2, 3, 5)),
                          ((1,), (0,)), ((0, 1), (0, 3))]:
        z = np.arange(int(np.prod(source)), dtype=np.int32).reshape(source)
        c.add("broadcast_to", c.save(z), np.broadcast_to(z, shape), shape=joined(shape))


def parse_index(text):
    def item(t):
        if t == "n":
            return np.newaxis
        if t == "e":
            return Ellipsis
        if ":" in t:
            return slice(*(int(p) if p else None for p in t.split(":")))
        return int(t)
    return tuple(item(t) for t in text.split("|"))


def indices(c):
    x = np.arange(4 * 5 * 6, dtype=np.int64).reshape(4, 5, 6)
    name = c.save(x)
    texts = ["0", "-1", "3|4|5", "1:3", ":", "::2", "::-1", "3:0:-1", "3::-2", "-2:", ":-2", "10:20", "2:1",
             "::100", "::-100", "e", "e|2", "0|e", "n", "n|e|n", ":|n|2", "e|n|::-1", "1|:|2", ":|1:4:2|::-3",
             "n|0|n|0|n|0|n", "-100:100", "100:-100:-1", ":0", "4:", "2|e|n|1:2", ":|:|5", ":|:|-6",
             "1:|1:|1:", "::-1|::-1|::-1", "e|-1", "0:4:3|4:0:-3"]
    for text in texts:
        c.add("index", name, x[parse_index(text)], items=text)
    # Indices into views of views.
    t = x.transpose(2, 0, 1)[::-1, 1:, ::2]
    for text in ["::2", "0", "1:|::-1", "e|1", ":|0|::2", "n|2:5"]:
        c.add("index:of_view", name, t[parse_index(text)], items=text)
    s = x.transpose(2, 0, 1).reshape(12, 10)
    for text in ["::3", "5", ":|::-2", "11:2:-4|3"]:
        c.add("index:of_reshaped", name, s[parse_index(text)], items=text)


def reductions(c, rng):
    shapes = [(3, 4, 5), (), (1,), (7,), (2, 1, 6), (0, 3), (3, 0)]
    axes_of = {3: [None, 0, 1, -1, (0, 2), (0, 1, 2), ()], 2: [None, 0, 1], 1: [None, 0], 0: [None, ()]}
    for dtype, shape in itertools.product(DTYPES, shapes):
        x = sample(rng, shape, dtype)
        name = c.save(x)
        for axis, keepdims in itertools.product(axes_of[len(shape)], [False, True]):
            reduce_one(c, name, x, axis, keepdims)
    for shape in [(1000,), (33, 65), (2, 300, 3)]:
        x = sample(rng, shape, "float32")
        name = c.save(x)
        for axis in [None, 0, -1]:
            reduce_one(c, name, x, axis, True)


def random_reductions(c, rng, count=150):
    for _ in range(count):
        x = sample(rng, random_shape(rng), rng.choice(DTYPES))
        reduce_one(c, c.save(x), x, random_axes(rng, x.ndim), bool(rng.integers(0, 2)))


def random_scans(c, rng, count=80):
    for _ in range(count):
        x = sample(rng, random_shape(rng), rng.choice(DTYPES))
        axis = None if x.ndim == 0 or rng.random() < 0.2 else int(rng.integers(-x.ndim, x.ndim))
        scan_one(c, c.save(x), x, axis)


def scans(c, rng):
    for dtype, shape in itertools.product(DTYPES, [(3, 4, 5), (), (1,), (7,), (2, 1, 6), (0, 3), (3, 0)]):
        x = sample(rng, shape, dtype)
        name = c.save(x)
        for axis in [None, *range(len(shape))]:
            scan_one(c, name, x, axis)
    for shape in [(1000,), (33, 65), (2, 300, 3)]:
        for dtype in ["float32", "float64", "int32"]:
            x = sample(rng, shape, dtype)
            name = c.save(x)
            for axis in [None, 0, -1]:
                scan_one(c, name, x, axis)


def scan_one(c, name, x, axis):
    arguments = {} if axis is None else dict(axis=axis)
    wide = {"float16": "float64", "float32": "float64", "complex64": "complex128"}.get(x.dtype.name)
    functions = {"cumsum": np.cumsum, "cumprod": np.cumprod}
    if x.dtype.kind != "c":
        functions |= {"cummax": np.maximum.accumulate, "cummin": np.minimum.accumulate}
    if x.dtype.kind == "f":
        functions |= {"cumulative_logsumexp": np.logaddexp.accumulate}
    for function, call in functions.items():
        if function == "cumprod" and x.dtype.kind in "fc" and x.size > 100:
            continue
        flat = x.reshape(-1) if axis is None else x
        along = 0 if axis is None else axis
        with np.errstate(all="ignore"):
            # NumPy rounds halves and singles at every step.
            expected = call(flat.astype(wide), axis=along).astype(x.dtype) if wide else call(flat, axis=along)
            c.add(function, name, expected, **arguments)
            if function not in ("cumsum", "cumprod") or (axis is None and x.ndim != 1):
                continue
            edge = list(expected.shape)
            edge[along] = 1
            first = (np.zeros if function == "cumsum" else np.ones)(edge, expected.dtype)
            api = {"cumsum": "cumulative_sum", "cumprod": "cumulative_prod"}[function]
            c.add(api, name, np.concatenate([first, expected], axis=along), initial=1, **arguments)
            c.add(api, name, expected, **arguments)


def reduce_one(c, name, x, axis, keepdims):
    arguments = dict(keepdims=int(keepdims))
    if axis is not None:
        arguments["axis"] = axis if isinstance(axis, int) else joined(axis) or "none"
    complex_ = x.dtype.kind == "c"
    functions = {"sum": np.sum, "prod": np.prod, "any": np.any, "all": np.all, "count_nonzero": np.count_nonzero,
                 "mean": np.mean, "var": np.var, "stddev": np.std, "max": np.max, "min": np.min,
                 "argmax": np.argmax, "argmin": np.argmin}
    for function, call in functions.items():
        if complex_ and function in ("max", "min", "argmax", "argmin"):
            continue
        if function.startswith("arg") and isinstance(axis, tuple):
            continue
        if x.size == 0 and function in ("max", "min", "argmax", "argmin"):
            continue
        if function == "prod" and x.dtype.kind in "fc" and x.size > 100:
            continue
        if function == "count_nonzero" and axis == ():
            continue
        with np.errstate(all="ignore"):
            expected = call(x, axis=axis, keepdims=keepdims)
        c.add(function, name, expected, **arguments)
    if x.dtype.kind not in "c" and axis is not None and x.size > 4:
        with np.errstate(all="ignore"):
            c.add("var", name, np.var(x, axis=axis, keepdims=keepdims, ddof=1), correction=1, **arguments)


def special_reductions(c):
    nan, inf = np.nan, np.inf
    for row in [[1, nan, 3], [nan, nan], [inf, -inf, 1], [-0.0, 0.0], [0.0, -0.0], [3, 1, 3, 1]]:
        x = np.array(row, dtype=np.float32)
        name = c.save(x)
        reduce_one(c, name, x, None, False)
        reduce_one(c, name, x, 0, True)


def products(c, rng):
    shapes = [((3, 4), (4, 5)), ((4,), (4,)), ((4,), (4, 5)), ((3, 4), (4,)), ((2, 3, 4), (4, 5)),
              ((2, 3, 4), (2, 4, 5)), ((3, 4), (2, 4, 5)), ((2, 1, 3, 4), (5, 4, 2)), ((4,), (2, 4, 5)),
              ((2, 3, 4), (4,)), ((3, 0), (0, 5)), ((0, 4), (4, 5)), ((1, 1), (1, 1)), ((65, 33), (33, 17)),
              ((3, 4), (2, 4, 0)), ((0, 3, 4), (4, 5)), ((2, 3, 4), (1, 1, 4, 5)), ((3, 4), (1, 4, 5))]
    types = ["bool", "int8", "int32", "uint64", "float16", "float32", "float64", "complex64", "complex128"]
    for (sa, sb), dtype in itertools.product(shapes, types):
        a, b = sample(rng, sa, dtype), sample(rng, sb, dtype)
        with np.errstate(all="ignore"):
            c.add("matmul", f"{c.save(a)},{c.save(b)}", np.matmul(a, b))
    a, b = sample(rng, (3, 4), "int16"), sample(rng, (4, 2), "float32")
    c.add("matmul", f"{c.save(a)},{c.save(b)}", np.matmul(a, b))


def promotion(folder):
    with open(os.path.join(folder, "promotion.txt"), "w") as f:
        for a, b in itertools.product(DTYPES, DTYPES):
            f.write(f"{a} {b} {np.result_type(np.dtype(a), np.dtype(b))}\n")


NAMES = {"pow": "power", "abs": "absolute", "asin": "arcsin", "acos": "arccos", "atan": "arctan",
         "atan2": "arctan2", "asinh": "arcsinh", "acosh": "arccosh", "atanh": "arctanh",
         "bitwise_invert": "invert", "bitwise_left_shift": "left_shift",
         "bitwise_right_shift": "right_shift", "round": "rint", "conj": "conjugate"}
SAME_TYPE_ONLY = ["add", "subtract", "multiply", "divide", "floor_divide", "fmod", "remainder", "pow", "maximum",
                  "minimum", "fmax", "fmin", "hypot", "copysign", "nextafter", "equal", "less", "logical_and",
                  "logical_xor", "bitwise_and", "bitwise_or", "bitwise_xor", "bitwise_left_shift",
                  "bitwise_right_shift", "logaddexp", "atan2", "negative", "positive", "abs", "sign", "square",
                  "reciprocal", "isnan", "isinf", "isfinite", "signbit", "logical_not", "bitwise_invert", "floor",
                  "ceil", "trunc", "sqrt", "cbrt", "exp", "exp2", "expm1", "log", "log2", "log10", "log1p",
                  "sin", "cos", "tan", "asin", "acos", "atan", "sinh", "cosh", "tanh", "asinh", "acosh", "atanh",
                  "degrees", "radians", "conj"]


def op_types(folder):
    """The dtype of every op's result, for operands of one dtype. "-" where NumPy has none."""
    with open(os.path.join(folder, "op_types.txt"), "w") as f:
        for op, dtype in itertools.product(SAME_TYPE_ONLY, DTYPES):
            ufunc = getattr(np, NAMES.get(op, op))
            x = np.ones(1, dtype)
            try:
                with np.errstate(all="ignore"):
                    result = str(ufunc(*[x] * ufunc.nin).dtype)
            except TypeError:
                result = "-"
            f.write(f"{op} {dtype} {result}\n")


def main(folder):
    rng = np.random.default_rng(20)
    groups = {"views": lambda c: (views(c), indices(c)),
              "reductions": lambda c: (reductions(c, rng), special_reductions(c), random_reductions(c, rng)),
              "scans": lambda c: (scans(c, np.random.default_rng(13)), random_scans(c, rng)),
              "products": lambda c: products(c, rng)}
    for name, write in groups.items():
        path = os.path.join(folder, name)
        os.makedirs(path)
        c = Cases(path)
        write(c)
        c.finish()
    promotion(folder)
    op_types(folder)


main(sys.argv[1])
