"""Writes what NumPy gives for the functions that sort and search.

    sorting.py <folder>

Files as language.py writes them.
"""

import sys

import numpy as np

sys.dont_write_bytecode = True
from language import ALL, FLOATS, Group, REAL, rng, sample  # noqa: E402
from layouts import random_shape  # noqa: E402

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
    x = np.asarray(rng.choice(values, shape))
    if kind != "c":
        return x.astype(dtype)
    z = np.empty(shape, dtype)
    z.real, z.imag = x, rng.choice(values, shape)
    return z


def in_order(a, axis):
    """Halves as floats: NumPy 2.4 takes their subnormals for zeros."""
    if a.dtype != np.float16:
        return np.sort(a, axis)
    return np.sort(a.astype(np.float32), axis).astype(np.float16)


def once(a):
    """Of complex NaNs the first in order, as it was before NumPy 2.3 looked for any."""
    if a.dtype.kind != "c":
        return np.unique(a)
    x = np.sort(a, None)
    first = np.append(True, x[1:] != x[:-1])[:x.size]
    first[1:] &= ~(np.isnan(x[1:]) & np.isnan(x[:-1]))
    return x[first]


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
            g.run("sort", lambda a: in_order(a, axis), [x], axis=axis)
            g.run("argsort", lambda a: np.argsort(a, axis, kind="stable"), [x], axis=axis)
        g.run("sort", lambda a: in_order(a, None), [x])
        g.run("argsort", lambda a: np.argsort(a, None, kind="stable"), [x])
    for dtype in ["int8", "float64", "complex128"]:
        for shape in [(3, 4, 5), (50,)]:
            x = sample(shape, dtype)
            for axis in axes(x):
                g.run("sort:descending", lambda a: np.flip(in_order(a, axis), axis), [x], axis=axis)
    for _ in range(40):
        x = extremes(random_shape(rng, 1), rng.choice(ALL))
        axis = int(rng.integers(-x.ndim, x.ndim))
        g.run("sort", lambda a: in_order(a, axis), [x], axis=axis)
        g.run("argsort", lambda a: np.argsort(a, axis, kind="stable"), [x], axis=axis)
    for kth in [0, 3, -1, (1, 4)]:
        x = sample((3, 9), "float32")
        g.run("partition", lambda a: np.sort(a, -1), [x], kth=kth, axis=-1)


def lexical(g):
    for shape in [(6,), (3, 40), (4, 5, 6), (0,), (1,)]:
        a, b, c = extremes(shape, "float32"), sample(shape, "bool"), sample(shape, "int8")
        for axis in range(-1, len(shape)):
            g.run("lexsort", lambda *x: np.lexsort(x, axis), [a, b, c], axis=axis)
            g.run("lexsort", lambda *x: np.lexsort(x, axis), [c], axis=axis)
            g.run("lexsort:rows", lambda x: np.lexsort(x, axis), [np.stack([c, c[::-1], c])],
                  axis=axis)


def searches(g):
    for dtype in ALL:
        for size in [0, 1, 2, 7, 64, 1000]:
            a, v = np.sort(extremes((size,), dtype)), extremes((3, 5), dtype)
            for side in ["left", "right"]:
                g.run("searchsorted", lambda a, v: np.searchsorted(a, v, side), [a, v], side=side)
        a, v = extremes((40,), dtype), extremes((9,), dtype)
        order = np.argsort(a, kind="stable")
        g.run("searchsorted:sorter", lambda a, v, o: np.searchsorted(a, v, "left", o), [a, v, order])
        for size in [0, 1, 4, 100]:
            x, test = extremes((6, 7), dtype), sample((size,), dtype)
            g.run("isin", lambda x, t: np.isin(x, t), [x, test])
            g.run("isin", lambda x, t: np.isin(x, t, invert=True), [x, test], invert=True)
    for a, v in [("int8", "int64"), ("uint8", "int8"), ("float32", "int64"), ("bool", "float16"),
                 ("int64", "uint64")]:
        x, y = np.sort(sample((50,), a)), sample((20,), v)
        g.run("searchsorted", np.searchsorted, [x, y], side="left")
        g.run("isin", np.isin, [x, y])
    for dtype in ["int32", "float32", "float64", "uint8", "float16"]:
        x = extremes((4, 20), dtype) if dtype == "float64" else sample((4, 20), dtype)
        for bins in [[1], [-3, 0, 1, 4], [0, 0, 2, 2, 3], [5, 2, 1, 0, -4], [3, 3, 0], list(range(90))]:
            b = np.array(bins, dtype if dtype not in ("uint8",) else "int16")
            for right in [False, True]:
                g.run("digitize", lambda x, b: np.digitize(x, b, right), [x, b], right=right)


def sets(g):
    def all_of(x, **o):
        v, i, r, c = np.unique(x, return_index=True, return_inverse=True, return_counts=True, **o)
        return [v, i, np.reshape(r, x.shape), c]

    def inputs():
        for dtype in ALL:
            for shape in [(40,), (3, 4, 5), (1,), (0,), (), (2, 1000)]:
                yield extremes(shape, dtype)
        yield rng.integers(0, 1000, 30000).astype("int32")

    for x in inputs():
        g.run("unique", once, [x])
        g.run("unique_all", all_of, [x], equal_nan=True)
        g.run("unique_all", lambda x: all_of(x, equal_nan=False), [x], equal_nan=False)
        apart = all_of(x, equal_nan=False)
        g.add("unique_values", [x], apart[0])
        g.add("unique_counts", [x], [apart[0], apart[3]])
        g.add("unique_inverse", [x], [apart[0], apart[2]])
    pairs = [(a, b) for a in ["int32", "float64"] for b in ["int32", "float64", "uint8", "bool"]]
    pairs += [(t, t) for t in ["bool", "int8", "float16", "complex64"]]
    for a, b in pairs:
        for m, n in [(30, 20), (0, 5), (5, 0), (1, 1), (500, 3)]:
            x, y = sample((m,), a), sample((n,), b)
            for f in [np.union1d, np.intersect1d, np.setdiff1d, np.setxor1d]:
                g.run(f.__name__, f, [x, y])
            p, q = np.unique(x)[::-1].copy(), np.unique(y)[::-1].copy()
            for f in [np.intersect1d, np.setdiff1d, np.setxor1d]:
                g.run(f.__name__, lambda a, b: f(a, b, assume_unique=True), [p, q], unique=True)


METHODS = ["inverted_cdf", "averaged_inverted_cdf", "closest_observation", "interpolated_inverted_cdf",
           "hazen", "weibull", "linear", "median_unbiased", "normal_unbiased", "lower", "higher",
           "midpoint", "nearest"]


def with_nan(shape, dtype, part=0.2):
    x = sample(shape, dtype)
    if np.dtype(dtype).kind == "f":
        x[rng.random(shape) < part] = np.nan
    return x


def rounded(x, like):
    """NumPy gives double for the quantiles of narrower floats where q is an array."""
    kind = np.asarray(like).dtype
    return np.asarray(x).astype(kind if kind.kind == "f" else "float64")


def quantiles(g):
    for dtype in ["int32", "uint8", "float16", "float32", "float64"]:
        for shape in [(6, 7, 5), (31,), (1, 4), (2, 1)]:
            x, y = sample(shape, dtype), with_nan(shape, dtype)
            for axis in [None, *range(-1, len(shape))]:
                for keep in [False, True]:
                    for f, a in [("median", x), ("median", y), ("nanmedian", y)]:
                        g.run(f, lambda x: rounded(getattr(np, f)(x, axis=axis, keepdims=keep), x), [a],
                              axis=axis, keepdims=keep)
                    for f, a in [("quantile", x), ("quantile", y), ("nanquantile", y)]:
                        g.run(f, lambda x, q: rounded(getattr(np, f)(x, q, axis=axis, keepdims=keep), x),
                              [a, np.array([0.1, 0.5, 0.93])], axis=axis, keepdims=keep)
        for shape in [(1, 4097), (3, 20000), (150001,)]:
            x, y = sample(shape, dtype), with_nan(shape, dtype, 1e-5)
            for a in [x, y]:
                g.run("median", lambda x: rounded(np.median(x.astype("float64"), axis=-1), x), [a], axis=-1)
        x = sample((6, 7, 5), dtype)
        for axis in [None, 1, (0, 2)]:
            g.run("nanpercentile", lambda x, q: rounded(np.nanpercentile(x, q, axis=axis), x),
                  [with_nan((6, 7, 5), dtype), np.array([5.0, 50, 81])], axis=axis)
        g.run("median", lambda x: rounded(np.median(x, axis=(0, 2)), x), [x], axis=(0, 2))
        g.run("quantile", lambda x, q: rounded(np.quantile(x, q, axis=(2, 1), keepdims=True), x),
              [x, np.array([[0.2, 1], [0, 0.77]])], axis=(2, 1), keepdims=True)
    for i, method in enumerate(METHODS):
        for size in [1, 2, 5, 8, 100]:
            x = sample((size,), "float64")
            for q in [0, 0.125, 0.25, 1 / 3, 0.5, 0.6, 0.75, 0.9, 1]:
                if method == "closest_observation" and (size * q - 1.5) % 1 == 0:
                    continue  # NumPy 1 and 2 round ties the other way
                g.run("quantile", lambda x, q: np.quantile(x, q, method=method), [x, np.array(float(q))],
                      method=i)
            g.run("percentile", lambda x, q: np.percentile(x, q, method=method),
                  [x, np.array([3.0, 50, 88])], method=i) if method != "closest_observation" else None


def counts(g):
    for dtype in ["int32", "uint8", "float32", "float64"]:
        for size in [0, 1, 30, 5000]:
            x = sample((size,), dtype)
            for bins in [1, 7, 10, 100]:
                if dtype == "float32":
                    continue  # NumPy makes the edges of these from doubles or floats, by version
                g.run("histogram", lambda x: list(np.histogram(x, bins)), [x], bins=bins)
                g.run("histogram", lambda x: list(np.histogram(x, bins, (-1, 2.5))), [x], bins=bins,
                      low=-1, high=2.5)
                g.run("histogram_density", lambda x: list(np.histogram(x, bins, (-4, 8), density=True)), [x],
                      bins=bins, low=-4, high=8)
            for edges in [[-1.0, 0, 0.5, 3], [0.0, 0, 1, 1], [2.0, 3]]:
                g.run("histogram:at", lambda x, e: list(np.histogram(x, e)), [x, np.array(edges)])
    g.run("histogram", lambda x: list(np.histogram(x, 4)), [np.full((9,), 3.0)], bins=4)
    x = with_nan((500,), "float64")
    g.run("histogram", lambda x: list(np.histogram(x, 6, (-1, 1))), [x], bins=6, low=-1, high=1)
    for dtype in ["int8", "uint8", "int64", "uint64", "uint16"]:
        for size in [0, 1, 50, 3000]:
            x = np.abs(sample((size,), dtype))
            for least in [0, 5, 40]:
                if np.dtype(dtype) != np.uint64:
                    g.run("bincount", lambda x: np.bincount(x, minlength=least), [x], minlength=least)


def main(folder):
    for part in (orders, lexical, searches, sets, quantiles, counts):
        g = Group(folder, part.__name__)
        part(g)
        g.finish()


if __name__ == "__main__":
    main(sys.argv[1])
