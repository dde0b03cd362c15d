"""Writes what NumPy gives for the tools that programs reach for beside its core.

    tools.py <folder>

Lines as language.py writes them.
"""

import sys

import numpy as np

sys.dont_write_bytecode = True
from language import FLOATS, Group, rng, sample  # noqa: E402


# ---- arrays edited

def editing(g):
    for shape in [(7,), (3, 4), (2, 3, 4), (1, 5)]:
        for dtype in ["bool", "int32", "float16", "complex128"]:
            x = sample(shape, dtype)
            edit(g, x, None)
            for axis in range(-1, len(shape)):
                edit(g, x, axis)
            for to in [(5,), (2, 3), (0, 2), (3, 3, 3), ()]:
                g.run("resize", lambda a: np.resize(a, to), [x], shape=to)
    g.run("resize", lambda a: np.resize(a, (2, 2)), [sample((0,))], shape=(2, 2))


def edit(g, x, axis):
    n = x.size if axis is None else x.shape[axis]
    for at in [(0,), (-1,), (0, n // 2, -1), (n - 1, n - 1), ()]:
        g.run("delete_", lambda a: np.delete(a, np.array(at, int), axis), [x], at=at, axis=axis)
    for start, stop, step in [(0, n, 2), (-1, -n - 1, -3), (1, 3, 1), (2, 2, 1)]:
        g.run("delete_:slice", lambda a: np.delete(a, slice(start, None if stop < -n else stop, step), axis), [x],
              slice=(start, stop, step), axis=axis)
    value = sample((), x.dtype.name)
    for at in [(0,), (n, 0, 1), (1, -1, 1)]:
        several = sample((len(at),) + (1,) * (x.ndim - 1 if axis == 0 else 0), x.dtype.name)
        g.run("insert:several", lambda a, v: np.insert(a, np.array(at), v, axis), [x, several], at=at, axis=axis)
    for at in [0, n // 2, n, -1]:
        g.run("insert", lambda a, v: np.insert(a, at, v, axis), [x, value], at=at, axis=axis)
    if axis is not None and x.ndim == 2:
        other = sample((x.shape[1 - axis % 2],), x.dtype.name)
        g.run("insert", lambda a, v: np.insert(a, 1, v, axis), [x, other], at=1, axis=axis)
    if axis is None:
        g.run("insert", lambda a, v: np.insert(a, 1, v), [x, sample((3,), x.dtype.name)], at=1)


# ---- bits

def bits(g):
    for dtype in ["bool", "uint8", "int32"]:
        for shape in [(7,), (16,), (3, 11), (0, 4), (2, 9, 3)]:
            x = (sample(shape, dtype) * rng.integers(0, 2, shape)).astype(dtype)
            for axis in [None, *range(-1, len(shape))]:
                for order in ["big", "little"]:
                    g.run("packbits", lambda a: np.packbits(a, axis, order), [x], axis=axis, order=order)
    for shape in [(5,), (3, 4), (0, 2)]:
        x = rng.integers(0, 256, shape).astype("uint8")
        for axis in [None, *range(-1, len(shape))]:
            for order in ["big", "little"]:
                for count in [None, -5] if x.size == 0 else [None, 3, -5, 70]:  # of none NumPy gives what was there
                    g.run("unpackbits", lambda a: np.unpackbits(a, axis, count, order), [x], axis=axis, order=order,
                          count=count)
    for dtype in ["bool", "int8", "uint8", "int16", "uint16", "int32", "uint32", "int64", "uint64"]:
        x = np.array([0, 1] if dtype == "bool" else [0, 1, 77, np.iinfo(dtype).min, np.iinfo(dtype).max]).astype(dtype)
        ones = [[bin(abs(int(v))).count("1") for v in x]]  # NumPy 2 has bitwise_count
        g.run("bitwise_count", lambda a: np.array(ones[0], "uint8"), [x])
    edges = np.array([0, -0.0, 1, -3.5, 0.75, 1e300, 1e-310, -5e-324, np.inf, -np.inf, np.nan, 1 / 3])
    with np.errstate(over="ignore"):
        for dtype in ["float16", "float32", "float64"]:
            g.run("frexp", lambda a: list(np.frexp(a)), [edges.astype(dtype)])
            g.run("frexp", lambda a: list(np.frexp(a)), [sample((4, 5), dtype)])
    g.run("frexp", lambda a: list(np.frexp(a)), [np.arange(-9, 9)])


def pieces(g):
    for dtype in ["float32", "int32", "float64"]:
        x = sample((3, 5), dtype)
        g.run("piecewise", lambda a: np.piecewise(a, [a < 0, a >= 0], [-1, 1]), [x])
        g.run("piecewise:default", lambda a: np.piecewise(a, [a < -1, a > 1, a > 2], [lambda v: v * v, 3, lambda v: -v, 7]),
              [x])
    for a, b in [("int32", "int8"), ("float32", "float16"), ("complex64", "float32"), ("bool", "int64")]:
        x, y = sample((4,), a), sample((4,), b)
        with np.errstate(all="ignore"):
            g.run("float_power", np.float_power, [x, y])
            g.run("float_power:number", lambda x, y: np.float_power(2, x), [x, y])
    for dtype in ["int8", "int32", "float32", "complex64", "float64"]:
        g.run("sort_complex", np.sort_complex, [sample((3, 7), dtype)])
    for dtype in ["int32", "float64"]:
        x = sample((6,), dtype)
        g.run("divmod:number", lambda a: list(np.divmod(a, 3)), [x])
        g.run("heaviside:number", lambda a: np.heaviside(a, 0.5), [x])
    m = sample((4, 5), "float32")
    for k in [-1, 0, 2]:
        for name in ["tril", "triu", "diag", "diagonal", "diagflat", "trace"]:
            g.run(f"{name}:k", lambda a: getattr(np, name)(a, k), [m], k=k)


# ---- indices

def places(g):
    for n, m, k in [(3, 3, 0), (3, 5, 1), (5, 3, -2), (0, 3, 0), (4, 4, 9), (4, 4, -9)]:
        g.add("tril_indices", [], list(np.tril_indices(n, k, m)), n=n, m=m, k=k)
        g.add("triu_indices", [], list(np.triu_indices(n, k, m)), n=n, m=m, k=k)
    for dtype in ["bool", "int8", "float32", "complex64"]:
        for shape in [(7,), (3, 4), (0,), (2, 0, 3)]:
            x = sample(shape, dtype)
            g.run("flatnonzero", np.flatnonzero, [x])
            g.run("where:one", lambda a: list(np.where(a)), [x])
    for a, b in [("int32", "int64"), ("bool", "uint8"), ("int8", "bool")]:
        g.run("ix_", lambda x, y: list(np.ix_(x, y)), [sample((4,), a), sample((3,), b)])


# ---- curves

def curves(g):
    xp = np.sort(rng.normal(size=9))
    fp = rng.normal(size=9)
    x = np.concatenate([rng.normal(size=40) * 2, xp, [np.nan, np.inf, -np.inf]])
    g.run("interp", np.interp, [x, xp, fp])
    g.run("interp", lambda a, b, c: np.interp(a, b, c, left=-7, right=9), [x, xp, fp], left=-7, right=9)
    g.run("interp", np.interp, [x.reshape(2, -1), xp[:1], fp[:1]])
    g.run("interp", np.interp, [x, xp, np.where(np.arange(9) == 4, np.inf, fp)])
    g.run("interp", np.interp, [sample((5, 3), "int8"), np.int32([-5, 0, 6]), np.float32([1, 2, -1])])
    for degree in [0, 1, 2, 4]:
        g.run("polyfit", lambda a, b: np.polyfit(a, b, degree), [xp, fp], degree=degree)
        g.run("polyfit", lambda a, b: np.polyfit(a, b, degree), [xp, rng.normal(size=(9, 3))], degree=degree)
    g.run("polyfit", lambda a, b: np.polyfit(a, b, 2), [np.int32([0, 1, 2, 3, 4]), np.int32([1, 3, 7, 13, 21])], degree=2)
    for p in [[1, -3, 2], [0, 0, 2, -3, 1, 0], [4], [0, 0], [1, 0, 1], [3.2, 2, 1], [1, 0, 0], [1j, 2, 3 - 1j]]:
        g.run("roots", lambda a: np.sort_complex(np.roots(a).astype(complex)), [np.array(p)])
    for dtype in FLOATS[1:]:
        for shape in [(30,), (4, 9), (1,)]:
            x = np.cumsum(rng.normal(size=shape) * 3, -1).astype(dtype)
            for axis in range(-1, len(shape)):
                g.run("unwrap", lambda a: np.unwrap(a, axis=axis), [x], axis=axis)
            g.run("unwrap", lambda a: np.unwrap(a, period=5), [x], period=5)
            g.run("unwrap", lambda a: np.unwrap(a, discont=4.0), [x], discont=4)


# ---- numbers

def numbers(g):
    for dtype in ["int8", "int32", "int64", "uint8", "uint64"]:
        a, b = sample((6, 7), dtype), sample((7,), dtype)
        for f in ["gcd", "lcm"]:
            g.run(f, getattr(np, f), [a, b])
    g.run("gcd", np.gcd, [np.int32([12, -18, 0, 0, 2**31 - 1]), np.int32([18, 12, 5, 0, 65537])])
    for dtype in ["float32", "float64", "complex128", "int32", "uint8"]:
        x = sample((5, 6), dtype) * (100 if dtype == "int32" else 1)
        x = x.astype(dtype)
        for decimals in [0, 1, 3, -1, -2]:
            if decimals < 0 and dtype == "uint8":
                continue
            g.run("around", lambda a: np.round(a, decimals), [x], decimals=decimals)
            g.run("round:to", lambda a: np.round(a, decimals), [x], decimals=decimals)
    g.run("i0", np.i0, [np.concatenate([rng.normal(size=30) * 9, [0, 8, -8, 700]])])
    for dtype in FLOATS[1:]:
        for count in [0, 1, 2, 9, 10]:
            for beta in [0, 5, 14]:
                g.add("kaiser", [], np.kaiser(count, beta).astype(dtype), dtype=dtype, count=count, beta=beta)
    z = sample((4, 5), "complex128")
    g.run("angle:degrees", lambda a: np.angle(a, deg=True), [z])


def halves(g):
    every = np.arange(65536, dtype=np.uint16).view(np.float16)
    for to in [np.inf, -np.inf, 0, 1, np.nan, 65504, -6e-8]:
        g.run("nextafter:halves", np.nextafter, [every, np.float16([to])])
    g.run("nextafter:halves", np.nextafter, [every, np.roll(every, 9177)])


def tensors(g):
    a, b = rng.normal(size=(6, 4, 2, 3, 4)), rng.normal(size=(6, 4))
    g.run("linalg.tensorsolve", np.linalg.tensorsolve, [a, b])
    g.run("linalg.tensorsolve", np.linalg.tensorsolve, [rng.normal(size=(4, 2, 2)), rng.normal(size=4)])
    g.run("linalg.tensorinv", lambda x: np.linalg.tensorinv(x, 2), [rng.normal(size=(4, 6, 8, 3))], ind=2)
    g.run("linalg.tensorinv", lambda x: np.linalg.tensorinv(x, 1), [rng.normal(size=(24, 8, 3))], ind=1)
    for k in [-1, 0, 2]:
        g.run("linalg.diagonal", lambda x: np.diagonal(x, k, -2, -1), [sample((2, 3, 4))], k=k)


def joins(g):
    a, b, c = sample((2, 3), "float32"), sample((2, 3), "int32"), sample((2, 3), "complex64")
    for name in ["concatenate", "stack", "vstack", "hstack", "dstack", "column_stack"]:
        g.run(f"{name}:tuple", lambda x, y: getattr(np, name)((x, y + 1)), [a, b])
        g.run(f"{name}:tuple", lambda x, y: getattr(np, name)((x, y + 1)), [a, c])


def main(folder):
    for part in (editing, bits, pieces, places, curves, numbers, halves, tensors, joins):
        g = Group(folder, part.__name__)
        part(g)
        g.finish()


if __name__ == "__main__":
    main(sys.argv[1])
