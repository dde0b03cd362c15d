"""Writes what NumPy gives for statistics with weights, bins by rule, sets of slices and their like.

    statistical.py <folder>

Files as language.py writes them. NumPy 2 where its documented behaviour changed.
"""

import sys

import numpy as np

sys.dont_write_bytecode = True
from language import ALL, FLOATS, Group, halves_again, rng, sample  # noqa: E402

RULES = ["auto", "doane", "fd", "rice", "scott", "sqrt", "stone", "sturges"]


def weights(size, dtype):
    return np.abs(sample((size,), dtype)).astype(dtype) if dtype != "complex128" else sample((size,), dtype)


def histograms(g):
    for dtype in ["int32", "uint8", "float64"]:
        for size in [0, 1, 30, 5000]:
            x = sample((size,), dtype)
            for kind in ["float64", "float32", "int64", "uint16", "complex128"]:
                w = weights(size, kind)
                for bins in [1, 7, 100]:
                    g.run("histogram:weights", lambda x, w: list(np.histogram(x, bins, weights=w)), [x, w], bins=bins)
                    g.run("histogram:weights", lambda x, w: list(np.histogram(x, bins, (-1, 2.5), weights=w)), [x, w],
                          bins=bins, low=-1, high=2.5)
                for edges in [[-1.0, 0, 0.5, 3], [0.0, 0, 1, 1], [2.0, 3]]:
                    g.run("histogram:weights_at", lambda x, w, e: list(np.histogram(x, e, weights=w)),
                          [x, w, np.array(edges)])
                if kind in ("float64", "int64") and size:
                    g.run("histogram_density:weights",
                          lambda x, w: list(np.histogram(x, 5, (-4, 8), density=True, weights=w)), [x, w],
                          bins=5, low=-4, high=8)
    x = sample((6, 50), "float64")
    x[rng.random(x.shape) < 0.2] = np.nan
    g.run("histogram:weights", lambda x, w: list(np.histogram(x, 6, (-1, 1), weights=w)), [x, np.abs(x * 0 + 2)], bins=6,
          low=-1, high=1)


def rules(g):
    samples = [sample((n,), "float64") for n in [0, 1, 2, 3, 50, 400, 12000]]
    samples += [sample((n,), t) for n in [1, 40, 3000] for t in ["int32", "uint8", "int64"]]
    samples += [np.full((9,), 3.0), np.exp(sample((700,), "float64")), sample((20, 30), "float64")]
    for x in samples:
        old = int(np.__version__.split(".")[0]) < 2
        if x.dtype.kind in "iu" and old:
            continue  # a bin of integers was narrower than 1
        for i, rule in enumerate(RULES):
            if rule == "auto" and old:
                continue  # many bins for few far-off values were no reason for fewer
            g.run("histogram_bin_edges", lambda x: np.histogram_bin_edges(x, rule), [x], rule=i)
            g.run("histogram_bin_edges", lambda x: np.histogram_bin_edges(x, rule, (-1.5, 2.5)), [x], rule=i, low=-1.5,
                  high=2.5)
            g.run("histogram:rule", lambda x: list(np.histogram(x, rule)), [x], rule=i)


def grids(g):
    for dtype in ["float64", "float32", "int32"]:
        for size in [0, 1, 40, 3000]:
            x, y, z = (sample((size,), dtype) for _ in range(3))
            w = np.abs(sample((size,), "float64"))
            for density in [False, True]:
                if density and size < 40:
                    continue
                def plane(x, y, *w):
                    h, a, b = np.histogram2d(x.astype("float64"), y.astype("float64"), (4, 7), density=density,
                                             weights=w[0] if w else None)
                    return [h, a, b]
                o = dict(bins=(4, 7), density=density)
                g.run("histogram2d", plane, [x, y], **o)
                g.run("histogram2d", plane, [x, y, w], **o)
                g.run("histogram2d",
                      lambda x, y: list(np.histogram2d(x.astype("float64"), y.astype("float64"), 5,
                                                       [(-1, 1), (0, 2)], density=density)),
                      [x, y], bins=5, density=density, low=(-1, 0), high=(1, 2))

                def space(p, *w):
                    h, e = np.histogramdd(p.astype("float64"), (2, 3, 4), density=density,
                                          weights=w[0] if w else None)
                    return [h, *e]
                p = np.stack([x, y, z], axis=1)
                o = dict(bins=(2, 3, 4), density=density)
                g.run("histogramdd", space, [p], **o)
                g.run("histogramdd", space, [p, w], **o)
            e = [np.array([-1.0, 0, 0.5, 3]), np.array([0.0, 0, 2])]
            g.run("histogram2d:at", lambda x, y, a, b: list(np.histogram2d(x, y, [a, b])), [x, y, *e])
    g.run("histogramdd", lambda p: [np.histogramdd(p, 6)[0], *np.histogramdd(p, 6)[1]], [sample((80,), "float64")],
          bins=6)


def counts(g):
    for dtype in ["int8", "uint8", "int64", "uint16"]:
        for size in [0, 1, 50, 3000]:
            x = np.abs(sample((size,), dtype))
            for kind in ["float64", "float32", "int32", "bool", "float16"]:
                w = sample((size,), kind)
                for least in [0, 40]:
                    # Of nothing NumPy forgets that there are weights, and gives integers.
                    g.run("bincount", lambda x, w: np.bincount(x, w, least).astype(float), [x, w],
                          minlength=least)


def slices(g):
    def all_of(x, axis):
        v, i, r, c = np.unique(x, return_index=True, return_inverse=True, return_counts=True, axis=axis)
        return [v, i, np.reshape(r, -1), c]

    def few(shape, dtype):
        kind = np.dtype(dtype).kind
        x = rng.integers(0, 3, shape)
        return (x - (1j * rng.integers(0, 2, shape) if kind == "c" else kind in "if")).astype(dtype)

    for dtype in ALL:
        for shape in [(40, 2), (5, 4, 3), (7, 1), (1, 5), (30,), (60, 11)]:
            for axis in range(-1, len(shape)):
                g.run("unique_all:axis", lambda x: all_of(x, axis), [few(shape, dtype)], axis=axis)
    for shape in [(0, 3), (3, 0)]:
        for axis in [0, 1]:
            g.run("unique_all:axis", lambda x: all_of(x, axis), [few(shape, "float32")], axis=axis)
    x = few((3000, 3), "int64")
    g.run("unique_all:axis", lambda x: all_of(x, 0), [x], axis=0)
    for a, b in [("int32", "int32"), ("uint8", "int16"), ("float64", "float32"), ("bool", "bool"),
                 ("complex64", "complex64")]:
        for m, n in [(30, 20), (0, 5), (5, 0), (1, 1), (500, 30)]:
            x, y = sample((m,), a), sample((n,), b)
            g.run("intersect1d_indices", lambda x, y: list(np.intersect1d(x, y, return_indices=True)), [x, y], unique=0)
            p, q = np.unique(x)[::-1].copy(), np.unique(y)[::-1].copy()
            g.run("intersect1d_indices",
                  lambda x, y: list(np.intersect1d(x, y, assume_unique=True, return_indices=True)), [p, q],
                  unique=1)
    x, y = sample((4, 6), "int8"), sample((3, 3), "int8")
    g.run("intersect1d_indices", lambda x, y: list(np.intersect1d(x, y, return_indices=True)), [x, y], unique=0)


def covariances(g):
    for dtype in ["bool", "int8", "int32", "float32", "float64", "complex64", "complex128"]:
        x = sample((3, 12), dtype)
        y, v = sample((2, 12), dtype), sample((12,), dtype)
        f, a = rng.integers(0, 4, 12), rng.random(12)
        for bias in [False, True]:
            for ddof in [None, 0, 1, 2]:
                o = dict(bias=bias, correction=ddof)
                g.run("cov", lambda x: np.cov(x, bias=bias, ddof=ddof), [x], **o)
                g.run("cov:f", lambda x, f: np.cov(x, bias=bias, ddof=ddof, fweights=f), [x, f], **o)
                g.run("cov:a", lambda x, a: np.cov(x, bias=bias, ddof=ddof, aweights=a), [x, a], **o)
                g.run("cov:fa", lambda x, f, a: np.cov(x, bias=bias, ddof=ddof, fweights=f, aweights=a), [x, f, a],
                      **o)
        for other in [y, v]:
            g.run("cov:of", lambda x, y: np.cov(x, y), [x, other])
            if dtype != "bool":
                g.run("corrcoef:of", lambda x, y: np.corrcoef(x, y), [x, other])
        g.run("cov:of", lambda x, y: np.cov(x, y, rowvar=False), [x.T.copy(), y.T.copy()], columns=1)
        g.run("cov:f", lambda x, f: np.cov(x, fweights=f), [v, f])
        g.run("cov:f", lambda x, f: np.cov(x, fweights=f, rowvar=False), [x.T.copy(), f], columns=1)
        g.run("cov", lambda x: np.cov(x), [x[:, :1]])


def averages(g):
    for dtype in ["int16", "float32", "float64", "complex64"]:
        x = sample((4, 5, 6), dtype)
        for axis in [0, -1, (0, 2), (2, 0), (1,), None]:
            axes = range(3) if axis is None else [axis] if isinstance(axis, int) else axis
            w = np.abs(sample([x.shape[a] for a in axes], "float64")) + 0.5
            for keep in [False, True]:
                g.run("average_returned", lambda x, w: [np.asarray(p) for p in np.average(
                    x, axis=axis, weights=w, returned=True, keepdims=keep)], [x, w], axis=axis, keepdims=keep)


def shapes(g):
    for dtype in ["bool", "int16", "float16", "complex128"]:
        for shape in [(4, 5), (7,), (0, 3), (2, 3, 4)]:
            x = sample(shape, dtype)
            for axis in [None, *range(-1, len(shape))]:
                n = x.size if axis is None else shape[axis]
                for counts in [rng.integers(0, 4, n), np.array([2]), np.array(3), np.zeros(n, int)]:
                    g.run("repeat", lambda x, c: np.repeat(x, c, axis), [x, counts], axis=axis)
    x = sample((3, 4), "float32")
    for width, values in [(((1, 2), (0, 3)), ((5, -1), (2, 7))), (((2, 1), (1, 1)), ((4, 3), (4, 3)))]:
        g.run("pad", lambda x: np.pad(x, width, constant_values=values), [x], width=sum(width, ()),
              values=sum(values, ()))
    odd = 2 ** 53 + 1
    for dtype, one, two in [("int64", np.int64(odd), np.array([-odd, odd])),
                            ("uint64", np.uint64(2 ** 64 - 1), np.array([2 ** 64 - 1, odd], "uint64")),
                            ("int16", -2.75, np.array([1, 7.5])), ("float32", -0.0, np.array([odd, 1e300])),
                            ("complex128", 1 - 2j, np.array([3j, 4]))]:
        with np.errstate(over="ignore"):
            g.run("pad:exact", lambda x: [np.pad(x, 2, constant_values=c) for c in (one, two)], [sample((2, 3), dtype)])
    a, b, c = sample((3,)), sample((1,), "int16"), sample((4,), "float64")
    for order in ["xy", "ij"]:
        g.run("meshgrid", lambda *x: list(np.meshgrid(*x, indexing=order, sparse=True)), [a, b, c], order=order)
        g.run("meshgrid", lambda *x: list(np.meshgrid(*x, indexing=order, sparse=True)), [a, c], order=order)


def masks(g):
    for dtype in ["bool", "int32", "float16", "float32", "complex64"]:
        for shape in [(4, 5, 6), (7,), (0, 3), (), (3, 300)]:
            for axis in [None, *range(-1 if shape else 0, len(shape)), *([(0, 2)] if len(shape) == 3 else [])]:
                x = sample(shape, dtype, dtype in FLOATS)
                few = sample(shape, dtype) if x.size < 30 else (sample(shape) > 4).astype(dtype) + np.ones((), dtype)
                for keep, thin in [(False, False), (True, True)]:
                    # Of a mask for the last axis alone, rows may keep nothing.
                    mask = rng.random(shape[-1:] if thin else shape) < 0.6
                    masked(g, x, few, mask, dict(axis=axis, keepdims=keep))


def masked(g, x, few, mask, o):
    kind, start = x.dtype.kind, 3 if x.dtype.kind in "iuf" else 1
    inside = np.float32 if x.dtype == np.float16 else x.dtype

    def run(name, f, x, **more):
        options = {k: v for k, v in more.items() if k != "ddof"}
        g.run(name + ":where", lambda a, m: halves_again(f(a.astype(inside), where=m, **o, **more), a), [x, mask],
              **o, **options, **({"correction": more["ddof"]} if "ddof" in more else {}))

    for f in [np.sum, np.nansum]:
        run(f.__name__, f, x)
        run(f.__name__, f, x, initial=start)
    for f in [np.prod, np.nanprod]:
        run(f.__name__, f, few, initial=start)
        run(f.__name__, f, few)
    for f in [np.any, np.all]:
        g.run(f.__name__ + ":where", lambda a, m: f(a, where=m, **o), [x, mask], **o)
    for f in [np.mean, np.nanmean]:
        run(f.__name__, f, x)
    if kind != "c":
        for name, f in dict(max=np.max, min=np.min, nanmax=np.nanmax, nanmin=np.nanmin).items():
            run(name, f, x, initial=start)
            g.run(name + ":initial", lambda a: f(a, initial=start, **o), [x], initial=start, **o)
    plain = few if kind == "c" else x  # complex differences of infinities are not ours to the sign
    for name, f in dict(var=np.var, stddev=np.std, nanvar=np.nanvar, nanstd=np.nanstd).items():
        if x.dtype != np.float16:  # whose squares NumPy rounds to halves
            run(name, f, plain, ddof=1)


def main(folder):
    for part in (histograms, rules, grids, counts, slices, covariances, averages, shapes,
                 masks):
        g = Group(folder, part.__name__)
        part(g)
        g.finish()


if __name__ == "__main__":
    main(sys.argv[1])
