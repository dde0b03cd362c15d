"""Writes what NumPy gives for assignments to what indices and masks choose.

    scatter.py <folder>

A line of writes/calls.txt is: function, input files, arguments (key=value), expected files; see language.py. The
inputs are the array, the values, and the arrays among the indices, which `items` lists: `a` the next array, `i3` an
integer, `s1:5:2` a slice, `n` newaxis, `e` an ellipsis. Functions: `put`, `add` and so on are statements such as
x[i] += v; `add_at` is numpy.add.at.
"""

import os
import sys

import numpy as np

sys.dont_write_bytecode = True
from layouts import Store  # noqa: E402

ALL = ["bool", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64", "float16", "float32",
       "float64", "complex64", "complex128"]
STATEMENTS = {"put": None, "add": np.add, "subtract": np.subtract, "multiply": np.multiply, "divide": np.divide}
AT = {"add_at": np.add, "subtract_at": np.subtract, "multiply_at": np.multiply, "minimum_at": np.minimum,
      "maximum_at": np.maximum, "divide_at": np.divide}
rng = np.random.default_rng(11)


def sample(shape, dtype, small=False):
    if dtype == "bool":
        return rng.integers(0, 2, shape).astype(bool)
    kind = np.dtype(dtype).kind
    if kind in "iu":
        return rng.integers(-9 if kind == "i" else 0, 10, shape).astype(dtype)
    if small or dtype == "float16":  # as rounding once is not rounding after each
        return np.asarray(rng.integers(1, 4, shape)).astype(dtype)
    x = rng.normal(size=shape) + 2
    if kind == "c":
        x = x + 1j * rng.normal(size=shape)
    return np.asarray(x).astype(dtype)


class Lines:
    def __init__(self, folder):
        self.store = Store(os.path.join(folder, "writes"))
        self.lines = []

    def add(self, function, inputs, items, expected):
        text = "items=" + ";".join(items)
        self.lines.append("\t".join([function, ",".join(map(self.store.input, inputs)), text,
                                     self.store.plain(expected)]))

    def finish(self):
        with open(os.path.join(self.store.folder, "calls.txt"), "w") as f:
            f.write("\n".join(self.lines) + "\n")


def parsed(items, arrays):
    left = list(arrays)
    out = []
    for i in items:
        if i == "a":
            out.append(left.pop(0))
        elif i == "n":
            out.append(None)
        elif i == "e":
            out.append(Ellipsis)
        elif i[0] == "i":
            out.append(int(i[1:]))
        else:
            out.append(slice(*[int(p) if p else None for p in i[1:].split(":")]))
    return tuple(out)


def write(function, x, where, v):
    x = x.copy()
    if function in AT:
        AT[function].at(x, where, v)
    elif function == "put":
        x[where] = v
    else:
        x[where] = STATEMENTS[function](x[where], v)
    return x


def cases(g, dtype, shape, items, arrays, repeated=True):
    where = parsed(items, arrays)
    x = sample(shape, dtype)
    chosen = x[where].shape
    for function in [*STATEMENTS, *AT]:
        if dtype == "bool" and function not in ("put", "add", "multiply", "add_at", "multiply_at", "minimum_at",
                                                "maximum_at"):
            continue
        if np.dtype(dtype).kind == "c" and function in ("minimum_at", "maximum_at"):
            continue
        if np.dtype(dtype).kind in "iu" and function.startswith("divide"):
            continue
        for form in {chosen, chosen[1:], ()}:
            v = sample(form, dtype)
            try:
                with np.errstate(all="ignore"):
                    expected = write(function, x, where, v)
            except (ValueError, TypeError, IndexError):
                continue
            g.add(function, [x, v, *arrays], items, expected)


def indices(shape, extent, dtype="int64"):
    low = 0 if np.dtype(dtype).kind == "u" else -extent
    return rng.integers(low, extent, shape).astype(dtype)


def main(folder):
    g = Lines(folder)
    for dtype in ALL:
        cases(g, dtype, (7,), ["a"], [indices((5,), 7)])
        cases(g, dtype, (3, 4), ["a", "a"], [indices((6,), 3, "int32"), indices((6,), 4, "int8")])
        cases(g, dtype, (3, 4), ["a"], [sample((3, 4), "bool")])
        cases(g, dtype, (5, 3), ["a"], [indices((2, 3), 5, "uint8")])
    for dtype in ["int32", "float32", "complex128"]:
        cases(g, dtype, (4, 5, 6), ["a", "s", "a"], [indices((3,), 4), indices((3,), 6)])
        cases(g, dtype, (4, 5, 6), ["s1:", "a", "a"], [indices((3, 1), 5), indices((2,), 6)])
        cases(g, dtype, (4, 5, 6), ["i-1", "s::-2", "a"], [indices((4,), 6)])
        cases(g, dtype, (4, 5, 6), ["e", "a"], [indices((9,), 6)])
        cases(g, dtype, (4, 5, 6), ["a", "n", "a"], [indices((2,), 4), indices((2,), 5)])
        cases(g, dtype, (4, 5, 6), ["s", "a", "e", "a"], [indices((2,), 5), indices((2,), 6)])  # "e" is for no axis
        cases(g, dtype, (4, 5, 6), ["s", "i2", "e", "a"], [indices((3,), 6)])
        cases(g, dtype, (4, 5, 6), ["s", "a", "a", "e"], [indices((2,), 5), indices((2,), 6)])
        cases(g, dtype, (4, 5, 6), ["a"], [sample((4, 5), "bool")])
        cases(g, dtype, (4, 5, 6), ["a", "a"], [sample((4,), "bool"), indices((1,), 5)])
        cases(g, dtype, (4, 5, 6), ["s", "a"], [sample((5,), "bool")])
        cases(g, dtype, (4, 5, 6), ["s::2", "i0"], [])
        cases(g, dtype, (4, 5, 6), ["a"], [indices((0,), 4)])
        cases(g, dtype, (), ["e"], [])
        cases(g, dtype, (0, 3), ["s", "a"], [indices((4,), 3)])
        cases(g, dtype, (600,), ["a"], [indices((2000,), 600)])
        cases(g, dtype, (9, 2), ["a"], [indices((700,), 9)])
    g.finish()


main(sys.argv[1])
