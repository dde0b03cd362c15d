"""Writes what NumPy gives for quantiles of long rows, and of weighted elements.

    selection.py <folder>

Files as language.py writes them.
"""

import sys

import numpy as np

sys.dont_write_bytecode = True
from language import Group, sample  # noqa: E402
from sorting import rounded, with_nan  # noqa: E402

RNG = np.random.default_rng(20)
HAS_WEIGHTS = np.lib.NumpyVersion(np.__version__) >= "2.0.0"


def selected(g):
    """Rows that are long enough to be selected from, and those next to them."""
    for dtype in ["bool", "int8", "uint16", "int32", "uint64", "float16", "float32", "float64"]:
        for shape in [(1, 4096), (1, 4097), (3, 20000), (2, 2, 5000), (150001,)]:
            x, y = sample(shape, dtype), with_nan(shape, dtype, 1e-5)
            for a, f in [(x, "quantile"), (y, "quantile"), (y, "nanquantile")]:
                for q in [[0.1, 0.5, 0.93], [0, 1], [0.25] * 3, [0.999]]:
                    if a.dtype.kind in "bu" or dtype == "int8":
                        g.run(f, lambda x, q: getattr(np, f)(x.astype("float64"), q, axis=-1),
                              [a, np.array(q)], axis=-1)
                    else:
                        g.run(f, lambda x, q: rounded(getattr(np, f)(x.astype("float64"), q, axis=-1), x),
                              [a, np.array(q)], axis=-1)
            g.run("nanmedian", lambda x: rounded(np.nanmedian(x.astype("float64"), axis=-1), x), [y], axis=-1)
    x = sample((9000,), "float64")
    many = np.linspace(0, 1, 300)
    g.run("quantile", lambda x, q: np.quantile(x, q), [x, many])
    for few in [np.zeros(9000), np.repeat([1.5, -2.0, np.inf], 3000), np.full(9000, -0.0)]:
        g.run("quantile", lambda x, q: np.quantile(x, q), [few, np.array([0.1, 0.5, 0.6])])
    nothing = np.full((2, 5000), np.nan)
    nothing[0, 7] = 3
    g.run("nanquantile", lambda x, q: np.nanquantile(x, q, axis=1), [nothing, np.array([0.0, 0.4, 1])], axis=1)


def by_definition(x, w, q, skip_nan):
    """Of one row: the least element at which the weights of it and those before reach q of all."""
    if skip_nan:
        x, w = x[~np.isnan(x)], w[~np.isnan(x)]
    if x.size == 0 or np.isnan(x).any():
        return np.full(q.shape, np.nan)
    order = np.argsort(x, kind="stable")
    part = np.cumsum(w[order].astype("float64"))
    part /= part[-1]
    return np.array([x[order][np.argmax((part >= p) & (part > 0))] for p in q.ravel()]).reshape(q.shape)


def weighted(g):
    q = np.array([0, 0.125, 0.3, 0.5, 0.75, 0.99, 1])
    for dtype in ["int32", "uint8", "float16", "float32", "float64"]:
        for shape in [(1,), (2,), (31,), (6, 40), (3, 5000)]:
            for weights in ["int64", "float64", "float32", "bool"]:
                x = sample(shape, dtype)
                y = with_nan(shape, dtype, 0.02)
                w = (RNG.integers(0, 2, shape) > 0 if weights == "bool" else
                     RNG.integers(0, 9, shape).astype(weights))
                w[..., 0] = 1
                for a, f in [(x, "quantile"), (y, "quantile"), (y, "nanquantile")]:
                    a = a.astype("float64") if f == "nanquantile" else a
                    good = w.copy()
                    if f == "nanquantile":  # every row has a number with a weight
                        a[..., 0] = 1.5

                    def oracle(x, w, q):
                        rows = [by_definition(*r, q, f == "nanquantile") for r in
                                zip(x.reshape(-1, x.shape[-1]), w.reshape(-1, x.shape[-1]))]
                        mine = np.stack(rows, -1).reshape(q.shape + x.shape[:-1])
                        if HAS_WEIGHTS:
                            theirs = getattr(np, f)(x, q, axis=-1, method="inverted_cdf", weights=w)
                            np.testing.assert_array_equal(mine, theirs)
                        return rounded(mine, x)

                    g.run(f, lambda x, w, q: oracle(x, w, q), [a, good, q], axis=-1)
    # Weights of an axis alone, and no element with a weight before others.
    x = sample((4, 9, 3), "float64")
    w = np.array([0, 0, 1, 5, 0, 2, 0, 1, 0.5])
    g.run("quantile", lambda x, w, q: np.stack(
        [[by_definition(x[i, :, j], w, q, False) for j in range(3)] for i in range(4)]).transpose(2, 0, 1),
        [x, w, q], axis=1)


def main(folder):
    for part in (selected, weighted):
        g = Group(folder, part.__name__)
        part(g)
        g.finish()


if __name__ == "__main__":
    main(sys.argv[1])
