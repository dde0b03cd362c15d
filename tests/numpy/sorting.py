"""Writes what NumPy gives for the functions that sort and search.

    sorting.py <folder>

Files as language.py writes them.
"""

import sys

import numpy as np

sys.dont_write_bytecode = True
from language import ALL, FLOATS, Group, REAL, rng, sample  # noqa: E402

SHAPES = [(3, 4, 5), (1,), (7,), (0, 3), (3, 0), (1, 1), (2, 33), (40, 3)]


def extremes(shape, dtype):
    """Few values, the type's ends among them, so that there are many equal ones."""
    kind = np.dtype(dtype).kind
    if kind == "b":
        return sample(shape, dtype)
    if kind in "iu":
        ends = np.iinfo(dtype)
        values = np.array([ends.min, ends.min + 1, 0, 1, 3, ends.max - 1, ends.max], dtype)
        if kind == "i":
            values = np.append(values, np.array([-1, -2], dtype))
    else:
        real = np.float32 if dtype == "complex64" else np.float64 if kind == "c" else dtype
        ends = np.finfo(real)
        values = np.array([ends.min, ends.max, np.inf, -np.inf, np.nan, -0.0, 0.0, 1, -1, ends.tiny,
                           -ends.tiny, ends.tiny / 4, -ends.tiny / 4, 1 + ends.eps, 1.5], real)
    x = rng.choice(values, shape)
    if kind == "c":
        x = (x + 0j)
        x.imag = rng.choice(values, shape)
    return np.asarray(x).astype(dtype)


def inputs():
    for dtype in ALL:
        for shape in [(3, 4, 5), (40, 3)]:
            yield sample(shape, dtype)
            yield extremes(shape, dtype)
        yield extremes((300,), dtype)
        yield extremes((2, 5000), dtype)
    for dtype in ["int16", "float32", "complex64"]:
        for shape in SHAPES:
            yield extremes(shape, dtype)
    yield rng.permutation(100000).astype("int32")
    yield rng.normal(size=70000).astype("float32")
    yield rng.integers(0, 50, 70000).astype("uint8")
    yield rng.integers(0, 50, 70000)


def axes(x):
    return list(range(-1, x.ndim)) if x.size < 2000 else [-1]


def orders(g):
    for x in inputs():
        for axis in axes(x):
            g.run("sort", lambda a: np.sort(a, axis), [x], axis=axis)
            g.run("argsort", lambda a: np.argsort(a, axis, kind="stable"), [x], axis=axis)
        g.run("sort", lambda a: np.sort(a, None), [x])
        g.run("argsort", lambda a: np.argsort(a, None, kind="stable"), [x])
    for dtype in ["int8", "float64", "complex128"]:
        for shape in [(3, 4, 5), (50,)]:
            x = sample(shape, dtype)
            for axis in axes(x):
                g.run("sort_descending", lambda a: np.flip(np.sort(a, axis), axis), [x], axis=axis)
    for kth in [0, 3, -1, (1, 4)]:
        x = sample((3, 9), "float32")
        g.run("partition", lambda a: np.sort(a, -1), [x], kth=kth, axis=-1)


def lexical(g):
    for shape in [(6,), (3, 40), (4, 5, 6), (0,), (1,)]:
        a, b, c = extremes(shape, "float32"), sample(shape, "bool"), sample(shape, "int8")
        for axis in range(-1, len(shape)):
            g.run("lexsort", lambda *x: np.lexsort(x, axis), [a, b, c], axis=axis)
            g.run("lexsort", lambda *x: np.lexsort(x, axis), [c], axis=axis)
            g.run("lexsort_rows", lambda x: np.lexsort(x, axis), [np.stack([c, c[::-1], c])],
                  axis=axis)


def main(folder):
    for part in (orders, lexical):
        g = Group(folder, part.__name__)
        part(g)
        g.finish()


if __name__ == "__main__":
    main(sys.argv[1])
