"""Writes what NumPy gives for the functions made of views, maps and reductions.

    language.py <folder>

A line of <group>/calls.txt is: function, input files, arguments (key=value), expected files. Fields are
separated by tabs, files by commas. NumPy 1.24 and later.
"""

import os
import sys

import numpy as np

sys.dont_write_bytecode = True
from layouts import Store, random_axes, random_shape  # noqa: E402

ALL = ["bool", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64", "float16", "float32",
       "float64", "complex64", "complex128"]
REAL = [t for t in ALL if not t.startswith("complex")]
FLOATS = ["float16", "float32", "float64"]
COMPLEX = ["complex64", "complex128"]
FEW = ["bool", "int8", "uint32", "float16", "float32", "complex128"]
SHAPES = [(3, 4, 5), (), (1,), (7,), (0, 3)]
rng = np.random.default_rng(7)


def sample(shape, dtype="float32", edges=False):
    if dtype == "bool":
        return rng.integers(0, 2, shape).astype(bool)
    kind = np.dtype(dtype).kind
    if kind == "i":
        return rng.integers(-9, 10, shape).astype(dtype)
    if kind == "u":
        return rng.integers(0, 12, shape).astype(dtype)
    x = rng.normal(size=shape) * 2
    if kind == "c":
        x = x + 1j * rng.normal(size=shape)
    x = np.asarray(x).astype(dtype)
    if edges and x.size > 1:
        flat = x.reshape(-1)
        for v in [np.nan, np.inf, -np.inf, -0.0, np.nan]:
            flat[rng.integers(0, flat.size)] = v
    return x


class Group:
    def __init__(self, folder, name):
        self.store = Store(os.path.join(folder, name), sum(map(ord, name)))
        self.lines = []

    def add(self, function, inputs, expected, **options):
        if not isinstance(expected, (list, tuple)):
            expected = [expected]
        text = " ".join(f"{k}={text_of(v)}" for k, v in options.items() if v is not None)
        self.lines.append("\t".join([function, ",".join(map(self.store.input, inputs)), text,
                                     ",".join(map(self.store.plain, expected))]))

    def run(self, function, call, inputs, **options):
        """Adds what `call` gives; nothing where NumPy refuses."""
        with np.errstate(all="ignore"):
            try:
                expected = call(*inputs)
            except (ValueError, TypeError, ZeroDivisionError, IndexError):
                return
        self.add(function, inputs, expected, **options)

    def finish(self):
        with open(os.path.join(self.store.folder, "calls.txt"), "w") as f:
            f.write("\n".join(self.lines) + "\n")


def text_of(v):
    if isinstance(v, bool):
        return str(int(v))
    if isinstance(v, (list, tuple)):
        return ",".join(map(str, v)) or "none"
    return str(v)


# ---- other orders of the same elements

def rearrangements(g):
    for dtype in ["bool", "float16", "complex128"]:
        rearrange(g, sample((4, 5, 6), dtype))
    for shape in [(), (3,), (0, 3), (6, 6), (2, 3, 4, 5)]:
        rearrange(g, sample(shape, "int32"))
    a, b, c = sample((3,)), sample((1,), "int16"), sample((4,), "float64")
    for order in ["xy", "ij"]:
        g.run("meshgrid", lambda *x: list(np.meshgrid(*x, indexing=order)), [a, b, c], order=order)
        g.run("meshgrid", lambda *x: list(np.meshgrid(*x, indexing=order)), [a, c], order=order)
    for shapes in [((3, 1), (1, 4)), ((), (2, 3)), ((2, 1, 5), (4, 1), (5,))]:
        g.run("broadcast_arrays", lambda *x: list(np.broadcast_arrays(*x)), [sample(s) for s in shapes])
    for n, k in [(3, 0), (4, 2), (2, -3), (1, 0), (0, 0), (0, 2)]:
        for dtype in FEW:
            g.run("diag", lambda x: np.diag(x, k), [sample((n,), dtype)], k=k)
    g.run("diagflat", lambda x: np.diagflat(x, 1), [sample((2, 3))], k=1)


def rearrange(g, x):
    for n in [1, 2, 3]:
        g.run(f"atleast_{n}d", getattr(np, f"atleast_{n}d"), [x])
    for axis in range(-1, x.ndim):
        if x.ndim == 0:
            break
        for n in [1, 2, 3, 4]:
            g.run("split", lambda a: np.split(a, n, axis), [x], n=n, axis=axis)
            g.run("array_split", lambda a: np.array_split(a, n, axis), [x], n=n, axis=axis)
        for at in [(1, 3), (0,), (2, 2, 1), (-1, 100)]:
            g.run("split:at", lambda a: np.split(a, at, axis), [x], at=at, axis=axis)
        if x.shape[axis] > 0:
            g.run("unstack", lambda a: list(np.moveaxis(a, axis, 0)), [x], axis=axis)
        for n in [0, 1, 3]:
            g.run("repeat", lambda a: np.repeat(a, n, axis), [x], n=n, axis=axis)
    for n in [0, 1, 3]:
        g.run("repeat", lambda a: np.repeat(a, n), [x], n=n)
    for reps in [(2,), (0,), (2, 3), (1, 2, 1, 2), (2, 1, 1, 3)]:
        g.run("tile", lambda a: np.tile(a, reps), [x], reps=reps)
    g.run("fliplr", np.fliplr, [x])
    g.run("flipud", np.flipud, [x])
    for k in [-5, 0, 1, 2, 3]:
        for a, b in [(0, 1), (1, 0), (-1, 0)]:
            g.run("rot90", lambda y: np.rot90(y, k, (a, b)), [x], k=k, axis1=a, axis2=b)
    if x.ndim >= 2:
        for k in [-9, -1, 0, 2]:
            g.run("tril", lambda a: np.tril(a, k), [x], k=k)
            g.run("triu", lambda a: np.triu(a, k), [x], k=k)
            for a, b in [(0, 1), (-1, 0), (-2, -1)]:
                g.run("diagonal", lambda y: np.diagonal(y, k, a, b), [x], offset=k, axis1=a, axis2=b)
        g.run("diag", lambda a: np.diag(a, 1), [x], k=1)
        g.run("matrix_transpose", lambda a: np.swapaxes(a, -1, -2), [x])
    slid = np.lib.stride_tricks.sliding_window_view
    for window, axes in [((2,), (0,)), ((3, 2), (1, 0)), ((1, 2), (0, 0))]:
        if x.ndim > max(axes):
            g.run("sliding_window_view", lambda a: slid(a, window, axes), [x], window=window, axes=axes)
    if x.ndim == 3:
        g.run("sliding_window_view", lambda a: slid(a, (2, 2, 3)), [x], window=(2, 2, 3))


def trace(y, k, a, b):
    return np.sum(np.diagonal(y, k, a, b), axis=-1)


# ---- sums of products

def products(g):
    pairs = [((3,), (3,)), ((3, 4), (4,)), ((4,), (4, 5)), ((3, 4), (4, 5)), ((), (3, 4)), ((3,), ()), ((2, 3, 4), (4,)),
             ((2, 3, 4), (5, 4, 2)), ((0,), (0,)), ((3, 0), (0, 2)), ((1, 4), (4, 1))]
    types = ["bool", "int8", "float16", "float32", "complex128", "int64"]
    for dtype in types:
        for sa, sb in pairs:
            a, b = sample(sa, dtype), sample(sb, dtype)
            g.run("dot", np.dot, [a, b])
            g.run("inner", np.inner, [a, b if sb != (4, 5) else sample((6, 4), dtype)])
            g.run("outer", np.outer, [a, b])
            g.run("kron", np.kron, [a, b])
            g.run("tensordot", lambda x, y: np.tensordot(x, y, 1), [a, b], n=1)
            g.run("tensordot", lambda x, y: np.tensordot(x, y, 0), [a, b], n=0)
        g.run("vdot", np.vdot, [sample((2, 3), dtype), sample((2, 3), dtype)])
        a, b = sample((3, 4, 5), dtype), sample((4, 3, 2), dtype)
        g.run("tensordot", lambda x, y: np.tensordot(x, y, ([0, 1], [1, 0])), [a, b], of_a=(0, 1), of_b=(1, 0))
        g.run("tensordot", lambda x, y: np.tensordot(x, y, ([-1], [-1])), [a, sample((6, 5), dtype)],
              of_a=(-1,), of_b=(-1,))
        a, b = sample((2, 1, 4), dtype), sample((3, 4), dtype)
        if dtype != "bool":
            g.run("vecdot", lambda x, y: np.sum(np.conj(x) * y, -1, dtype=x.dtype), [a, b], axis=-1)
        m, v = sample((2, 3, 4), dtype), sample((2, 4), dtype)
        g.run("matvec", lambda x, y: np.einsum("...ij,...j->...i", x, y), [m, v])
        g.run("vecmat", lambda x, y: np.einsum("...i,...ij->...j", np.conj(x) if x.dtype.kind == "c" else x, y),
              [sample((2, 3), dtype), m])
        if dtype not in ("bool", "float16"):  # NumPy rounds each product of halves
            for sa, sb, axis in [((3,), (3,), -1), ((2, 3), (3,), -1), ((3, 2), (3, 2), 0), ((2, 1, 3), (4, 3), -1),
                                 ((2,), (2,), -1), ((5, 2), (5, 2), -1), ((2,), (3,), -1)]:
                g.run("cross", lambda x, y: np.cross(x, y, axis=axis), [sample(sa, dtype), sample(sb, dtype)],
                      axis=axis)
    g.run("dot", np.dot, [sample((3, 4), "int16"), sample((4, 2), "float32")])
    g.run("inner", np.inner, [sample((40, 33)), sample((20, 33))])
    einsums(g)


def einsums(g):
    cases = [("ij,jk->ik", (3, 4), (4, 5)), ("ij,jk", (3, 4), (4, 5)), ("ij,jk->ki", (3, 4), (4, 5)), ("ii", (4, 4)),
             ("ii->i", (4, 4)), ("ij->ji", (3, 4)), ("ba", (3, 4)), ("ij->", (3, 4)), ("i->", (5,)), ("ij->j", (3, 4)),
             ("i,i", (5,), (5,)), ("i,j->ij", (3,), (4,)), ("bij,bjk->bik", (2, 3, 4), (2, 4, 5)),
             ("bij,bjk->ik", (2, 3, 4), (2, 4, 5)), ("...ij,...jk->...ik", (2, 3, 4), (2, 4, 5)),
             ("...ij,...jk", (6, 2, 3, 4), (2, 4, 5)), ("...ij,jk->...ik", (2, 3, 4), (4, 5)), ("...", (2, 3)),
             ("i...->...", (2, 3, 4)), ("...i->i...", (2, 3, 4)), ("...ii->...i", (2, 3, 3)), ("iij->j", (3, 3, 4)),
             ("ijk,jil->kl", (3, 4, 5), (4, 3, 2)), ("ij,ij->", (3, 4), (3, 4)), ("ij,ij->ij", (3, 4), (3, 4)),
             ("ij,kj->ik", (3, 4), (5, 4)), ("ij,jk,kl->il", (3, 4), (4, 5), (5, 2)), ("ij,j,j->i", (3, 4), (4,), (4,)),
             ("ea,fb,abcd,gc,hd->efgh", (3, 2), (3, 2), (2, 2, 2, 2), (3, 2), (3, 2)), (" i j , j k -> i k ", (3, 4), (4, 5)),
             ("i,->i", (3,), ()), (",", (), ()), ("ij,jk->ik", (3, 1), (4, 5)), ("ij,j->ij", (3, 1), (4,)),
             ("ij,jk->ik", (0, 4), (4, 5)), ("ij,jk->ik", (3, 0), (0, 5)), ("aA,Ab->ab", (2, 3), (3, 4)),
             ("ij,ik,il->jkl", (5, 2), (5, 3), (5, 4)), ("i...,i...->...", (3, 2, 4), (3, 4)), ("ijij->", (2, 3, 2, 3)),
             ("bhqd,bhkd->bhqk", (2, 3, 4, 5), (2, 3, 6, 5)), ("ij,jk->", (3, 4), (4, 5))]
    for dtype in ["int8", "float32", "complex128"]:
        for text, *shapes in cases:
            operands = [sample(s, dtype) for s in shapes]
            g.run("einsum", lambda *x: np.einsum(text, *x), operands, format=text.replace(" ", "_"))
    g.run("einsum", lambda *x: np.einsum("ij,jk->ik", *x), [sample((3, 4), "int16"), sample((4, 2), "float32")],
          format="ij,jk->ik")


# ---- reductions

def reductions(g):
    axes_of = {3: [None, -1, (0, 2)], 2: [0, 1], 1: [0], 0: [None]}
    for dtype in ["bool", "int8", "uint64", "float16", "float32", "float64", "complex64"]:
        for shape in SHAPES:
            for edges in [False, True]:
                if edges and dtype not in FLOATS + COMPLEX:
                    continue
                x = sample(shape, dtype, edges)
                for i, axis in enumerate(axes_of[len(shape)]):
                    reduce_all(g, x, axis, bool(i % 2), edges)
    for dtype in ["float16", "float32"]:
        x = np.array([[np.nan, 1, 2], [np.nan, np.nan, np.nan], [3, -np.inf, np.nan]], dtype)
        for axis in [None, 0, 1]:
            reduce_all(g, x, axis, False, True)
    long_rows(g)
    for _ in range(80):
        dtype = rng.choice(REAL + ["complex64"])
        edges = dtype in FLOATS and rng.random() < 0.5
        x = sample(random_shape(rng), dtype, edges)
        reduce_all(g, x, random_axes(rng, x.ndim), bool(rng.integers(0, 2)), edges)


def reduce_all(g, x, axis, keepdims, edges):
    kind = x.dtype.kind
    o = dict(axis=axis, keepdims=keepdims)
    for f in ["nansum", "nanprod", "nanmax", "nanmin", "nanmean"]:
        if kind == "c" and f in ("nanmax", "nanmin"):
            continue
        if f == "nanprod" and x.size > 30:  # out of range on the way, or not, by the order
            continue
        # NumPy adds halves as halves in some orders; sinter in float in all.
        inside = np.float32 if x.dtype == np.float16 else x.dtype
        g.run(f, lambda a: halves_again(getattr(np, f)(a.astype(inside), axis=axis, keepdims=keepdims), a),
              [x], **o)
    if not (kind == "c" and edges):  # NumPy's complex differences of infinities are not ours to the sign
        for f in ["nanvar", "nanstd"]:
            g.run(f, lambda a: getattr(np, f)(a, axis=axis, keepdims=keepdims, ddof=1), [x], correction=1, **o)
    if kind != "c" and not isinstance(axis, tuple) and x.size > 0:
        for f in ["nanargmax", "nanargmin"]:
            if not (kind == "f" and np.isnan(x).all(axis=axis).any()):
                g.run(f, lambda a: getattr(np, f)(a, axis=axis, keepdims=keepdims), [x], **o)
    if not isinstance(axis, tuple) and not keepdims and kind != "c":
        # Products and sums of halves are NumPy's as floats; a few elements, as orders differ.
        inside = np.float32 if x.dtype == np.float16 else x.dtype
        for f in ["nancumsum", "nancumprod"]:
            few = np.minimum(x, 3).astype(x.dtype) if f == "nancumprod" and kind in "iu" else x
            if few.size < 130:
                g.run(f, lambda a: halves_again(getattr(np, f)(a.astype(inside), axis=axis), a), [few], axis=axis)
    if kind not in "cb":
        g.run("ptp", lambda a: np.ptp(a, axis=axis, keepdims=keepdims), [x], **o)
    wide = x.astype(np.float64) if kind != "c" else x
    to = x.dtype if kind == "f" else np.dtype("float64")
    if kind != "c":
        with np.errstate(all="ignore"):
            g.run("logsumexp", lambda a: logsumexp(wide, axis, keepdims).astype(to), [x], **o)
            if x.size > 0 and not keepdims:
                g.run("softmax", lambda a: softmax(wide, axis).astype(to), [x], axis=axis)
                if not edges:
                    g.run("log_softmax", lambda a: (wide - logsumexp(wide, axis, True)).astype(to), [x], axis=axis)
    if edges:
        return
    part = {"float16": "float16", "float32": "float32", "complex64": "float32"}.get(str(x.dtype), "float64")
    for order in [2, 1, 0, 3, 0.5, np.inf, -np.inf] if x.ndim == 3 or kind == "f" else [2, 3]:
        size = np.abs(wide)
        g.run("norm", lambda a: vector_norm(size, order, axis, keepdims).astype(part), [x], ord=order, **o)


def halves_again(result, x):
    return np.asarray(result).astype(np.float16) if x.dtype == np.float16 else result


def vector_norm(size, order, axis, keepdims):
    if order == np.inf:
        return np.asarray(np.max(size, axis=axis, keepdims=keepdims))
    if order == -np.inf:
        return np.asarray(np.min(size, axis=axis, keepdims=keepdims))
    if order == 0:
        return np.asarray(np.sum(size != 0, axis=axis, keepdims=keepdims))
    return np.asarray(np.sum(size ** order, axis=axis, keepdims=keepdims) ** (1 / order))


def logsumexp(x, axis, keepdims):
    if x.size == 0:
        return np.asarray(np.log(np.sum(np.exp(x), axis=axis, keepdims=keepdims)))
    m = np.max(x, axis=axis, keepdims=True)
    m = np.where(np.isfinite(m), m, 0)
    s = np.log(np.sum(np.exp(x - m), axis=axis, keepdims=True)) + m
    return np.asarray(s if keepdims else np.squeeze(s, axis=axis) if axis is not None else s.reshape(()))


def softmax(x, axis):
    e = np.exp(x - np.max(x, axis=axis, keepdims=True))
    return e / np.sum(e, axis=axis, keepdims=True)


def long_rows(g):
    for shape in [(33, 65), (3, 5000)]:
        x = sample(shape, "float32", True)
        for axis in [None, -1]:
            reduce_all(g, x, axis, True, True)


def statistics(g):
    for dtype in ["bool", "int8", "int32", "uint64", "float16", "float32", "float64", "complex64", "complex128"]:
        for k, a, b in [(0, 0, 1), (-1, -1, 0), (2, -2, -1), (9, 0, 1)]:
            g.run("trace", lambda y: trace(y, k, a, b), [sample((4, 5, 6), dtype)], offset=k, axis1=a, axis2=b)
        for shape in [(4, 5, 6), (7,), (0, 3)]:
            x = sample(shape, dtype)
            for axis in range(-1, len(shape) - 1):
                for n in [0, 1, 2, 9]:
                    if dtype != "bool" or n < 2:
                        g.run("diff", lambda a: np.diff(a, n, axis), [x], n=n, axis=axis)
                ends = [np.take(x, [0, 0], axis), sample((), dtype)] if x.size else []
                if ends and dtype != "bool":
                    g.run("diff", lambda a, b, c: np.diff(a, 1, axis, prepend=b, append=c), [x, *ends], n=1, axis=axis)
                if dtype != "bool":
                    g.run("trapezoid", lambda a: trapezoid(a, axis, dx=0.5), [x], axis=axis, dx=0.5)
                w = np.abs(sample((shape[axis],), "float64")) + 0.5
                g.run("average", lambda a, b: np.average(a, axis=axis, weights=b), [x, w], axis=axis)
            w = np.abs(sample(shape, "float32")) + 0.5
            g.run("average", lambda a, b: average(a, b), [x, w])
        y = sample((3, 5), dtype)
        if dtype in ("int32", "float64", "complex128"):  # others are added before they are widened there
            g.run("trapezoid", lambda a, b: trapezoid(a, -1, x=b), [y, sample((5,), "float64")], axis=-1)
            g.run("trapezoid", lambda a, b: trapezoid(a, 0, x=b), [y, sample((3, 5), "float64")], axis=0)
        for rowvar in [True, False]:
            for correction in [0, 1]:
                g.run("cov", lambda a: np.cov(a, rowvar=rowvar, ddof=correction), [y], rowvar=rowvar,
                      correction=correction)
            g.run("corrcoef", lambda a: np.corrcoef(a, rowvar=rowvar), [y], rowvar=rowvar)
        g.run("cov", lambda a: np.cov(a), [sample((6,), dtype)], rowvar=True, correction=1)
        g.run("corrcoef", lambda a: np.corrcoef(a), [sample((6,), dtype)], rowvar=True)


def average(a, w):
    return np.average(a, weights=w)


def trapezoid(y, axis, x=None, dx=1.0):
    y = y.astype(np.result_type(y, np.float64)) if y.dtype.kind in "iub" else y
    integral = np.trapezoid if hasattr(np, "trapezoid") else np.trapz
    return integral(y, x=x, dx=y.dtype.type(dx) if x is None else 1.0, axis=axis)


# ---- whole arrays and types

def wholes(g):
    for dtype in ALL:
        x = sample((4, 5), dtype, dtype not in COMPLEX)  # NumPy 1.24 makes NaN of complex infinities here
        y = x.copy()
        g.run("isclose", lambda a, b: np.isclose(a, b), [x, y])
        if dtype in FLOATS + COMPLEX:
            y = (x * (1 + np.array(4e-6, x.dtype.type(0).real.dtype))).astype(dtype)
        g.run("isclose", lambda a, b: np.isclose(a, b), [x, y])
        g.run("isclose", lambda a, b: np.isclose(a, b, equal_nan=True), [x, y], equal_nan=1)
        g.run("allclose", lambda a, b: np.allclose(a, b), [x, y])
        g.run("allclose", lambda a, b: np.allclose(a, b, equal_nan=True), [x, x], equal_nan=1)
        g.run("isclose", lambda a, b: np.isclose(a, b), [x, sample((5,), dtype, dtype not in COMPLEX)])
        for a, b in [(x, x), (x, x[:2]), (x, sample((4, 5), dtype)), (x, x[0]), (x[:1], x[0])]:
            g.run("array_equal", np.array_equal, [a, b])
            g.run("array_equiv", np.array_equiv, [a, b])
            if dtype in FLOATS + COMPLEX:
                g.run("array_equal", lambda p, q: np.array_equal(p, q, equal_nan=True), [a, b], equal_nan=1)
        x = sample((4, 5), dtype, True)
        g.run("nan_to_num", np.nan_to_num, [x])
        if dtype in FLOATS + COMPLEX:
            g.run("nan_to_num", lambda a: np.nan_to_num(a, nan=5, posinf=6, neginf=-7), [x], nan=5, posinf=6, neginf=-7)
        g.run("isreal", np.isreal, [x])
        g.run("iscomplex", np.iscomplex, [x])
    for a, b in [("float32", "complex64"), ("float64", "complex128")]:
        x = sample((3, 4), a, True)
        g.add("view", [x], x.view(b), to=b)
        g.add("view", [x.view(b)], x, to=a)
        z = sample((2, 3, 5), b, True)
        g.add("view", [z], z.view(a), to=a)
    for a, b in [("float32", "uint32"), ("float64", "int64"), ("int16", "uint16"), ("uint32", "float32")]:
        x = sample((3, 4), a, True)
        g.add("view", [x], x.view(b), to=b)
    for dtype in ["float32", "float64"]:
        re, im = sample((3, 1), dtype, True), sample((4,), dtype, True)
        z = np.empty((3, 4), np.result_type(dtype, np.complex64))
        z.real, z.imag = re, im
        g.add("complex", [re, im], z)


def grids(g):
    for dtype in ["float32", "float64", "int32"]:
        for count in [0, 1, 2, 7]:
            for endpoint in [True, False]:
                o = dict(dtype=dtype, count=count, endpoint=endpoint)
                g.add("logspace", [], np.logspace(0.5, 2.5, count, endpoint).astype(dtype), start=0.5, stop=2.5, **o)
                g.add("geomspace", [], np.geomspace(2, 300, count, endpoint).astype(dtype), start=2, stop=300, **o)
                g.add("geomspace", [], np.geomspace(-2, -300, count, endpoint).astype(dtype), start=-2, stop=-300, **o)
        for n, m, k in [(3, 3, 0), (3, 5, 1), (5, 3, -2), (0, 3, 0), (3, 0, 0)]:
            g.add("tri", [], np.tri(n, m, k, dtype), dtype=dtype, n=n, m=m, k=k)
    for dtype in ["int32", "float64", "complex64"]:
        x = sample((4,), dtype)
        for columns in [None, 0, 3, 6]:
            for increasing in [False, True]:
                g.run("vander", lambda a: np.vander(a, columns, increasing), [x], columns=columns,
                      increasing=increasing)
    for shape in [(2, 3), (4,), (2, 3, 4), (0, 2)]:
        g.add("indices", [], list(np.indices(shape)), shape=shape)
    for shape in [(3, 4), (7,), (2, 3, 4)]:
        i = rng.integers(0, int(np.prod(shape)), (5, 2))
        g.run("unravel_index", lambda a: list(np.unravel_index(a, shape)), [i.astype(np.int32)], shape=shape)
        at = [rng.integers(0, n, (3, 2)) for n in shape]
        g.run("ravel_multi_index", lambda *a: np.ravel_multi_index(a, shape), at, shape=shape, mode=0)
        at = [rng.integers(-9, 9, (3, 2)) for n in shape]
        g.run("ravel_multi_index", lambda *a: np.ravel_multi_index(a, shape, mode="wrap"), at, shape=shape, mode=1)
        g.run("ravel_multi_index", lambda *a: np.ravel_multi_index(a, shape, mode="clip"), at, shape=shape, mode=2)


def numerics(g):
    for dtype in ["int8", "int32", "float16", "float32", "float64", "complex64", "complex128"]:
        x = sample((4, 5), dtype)
        wide = x if np.dtype(dtype).kind in "fc" else x.astype("float64")
        for axis in [0, 1, -1]:
            g.run("gradient", lambda a: np.gradient(wide, 0.5, axis=axis), [x], axis=axis, spacing=0.5)
        g.run("gradient", lambda a: np.gradient(wide[0], 2), [x[0]], spacing=2)
        at = np.array([0, 1, 2.5, 4, 4.25])
        for edge_order in [1, 2]:
            g.run("gradient", lambda a: np.gradient(wide, 0.5, axis=0, edge_order=edge_order), [x], axis=0,
                  spacing=0.5, edge_order=edge_order)
            g.run("gradient:at", lambda a, t: np.gradient(wide, t, axis=1, edge_order=edge_order), [x, at], axis=1,
                  edge_order=edge_order)
            g.run("gradients", lambda a, t: list(np.gradient(wide, 0.5, t, edge_order=edge_order)), [x, at],
                  edge_order=edge_order)
        g.run("gradient:at", lambda a, t: np.gradient(wide[:2], t, axis=0), [x[:2], np.array([3, 5])], axis=0)
        g.run("gradients:even", lambda a: list(np.gradient(wide)), [x])
        g.run("gradients:even", lambda a: list(np.gradient(wide, axis=(1, 0))), [x], axis=(1, 0))
        g.run("ediff1d", np.ediff1d, [x])
        g.run("polyval", lambda p, q: np.polyval(p, q).astype(dtype), [sample((3,), dtype), x])
    for dtype in FLOATS:
        x, y = sample((4, 5), dtype, True), sample((5,), dtype, True)
        g.run("sinc", np.sinc, [sample((9,), dtype)])
        g.run("heaviside", np.heaviside, [x, y])
        g.run("logaddexp2", np.logaddexp2, [x, y])
        g.run("isposinf", np.isposinf, [x])
        g.run("isneginf", np.isneginf, [x])
        g.run("modf", lambda a: list(np.modf(a)), [x])
        g.run("divmod", lambda a, b: list(np.divmod(a, b)), [sample((4, 5), dtype), sample((5,), dtype)])
        for count in [0, 1, 2, 9]:
            for name in ["bartlett", "blackman", "hamming", "hanning"]:
                g.add(name, [], getattr(np, name)(count).astype(dtype), count=count, dtype=dtype)
    g.run("divmod", lambda a, b: list(np.divmod(a, b)), [sample((20,), "int16"), np.int16([3] * 10 + [-3] * 10)])


def casts(folder):
    rules = ["no", "equiv", "safe", "same_kind", "unsafe"]
    with open(os.path.join(folder, "casts.txt"), "w") as f:
        for a in ALL:
            for b in ALL:
                f.write(f"{a} {b} " + " ".join(str(int(np.can_cast(a, b, r))) for r in rules) + "\n")


def facts(folder):
    with open(os.path.join(folder, "facts.txt"), "w") as f:
        for t in FLOATS:
            i = np.finfo(t)
            numbers = [i.eps, i.max, i.min, i.smallest_normal, i.smallest_subnormal]
            f.write(f"{t} {i.bits} " + " ".join(repr(float(v)) for v in numbers) + "\n")


def main(folder):
    for part in (rearrangements, products, reductions, statistics, wholes, grids, numerics):
        g = Group(folder, part.__name__)
        part(g)
        g.finish()
    casts(folder)
    facts(folder)


if __name__ == "__main__":
    main(sys.argv[1])
