"""Writes what NumPy gives for functions of numpy.linalg whose values are unique.

    linalg.py <folder>

A line of calls.txt is: function, input file, arguments (key=value; b=file for a second operand), expected
file. Fields are separated by tabs; tol is in units of epsilon.
"""

import os
import sys

import numpy as np
from numpy import linalg as la

DTYPES = ["float32", "float64", "complex64", "complex128", "int32", "bool"]


class Cases:
    def __init__(self, folder):
        self.folder, self.count, self.lines = folder, 0, []

    def save(self, x):
        name = f"{self.count}.npy"
        self.count += 1
        np.save(os.path.join(self.folder, name), x)
        return name

    def add(self, function, x, expected, tolerance, b=None, **arguments):
        if b is not None:
            arguments["b"] = self.save(b)
        arguments["tol"] = tolerance
        text = " ".join(f"{k}={v}" for k, v in arguments.items())
        fields = [f"linalg.{function}", self.save(x), text, self.save(np.asarray(expected))]
        self.lines.append("\t".join(fields))

    def finish(self):
        with open(os.path.join(self.folder, "calls.txt"), "w") as f:
            f.write("\n".join(self.lines) + "\n")


def sample(rng, shape, dtype):
    if dtype == "bool":
        return rng.integers(0, 2, shape).astype(bool)
    if dtype == "int32":
        return rng.integers(-9, 9, shape).astype(dtype)
    x = rng.normal(size=shape)
    if np.dtype(dtype).kind == "c":
        x = x + 1j * rng.normal(size=shape)
    return x.astype(dtype)


def squares(c, rng, dtype, shape):
    n = shape[-1]
    x = sample(rng, shape, dtype)
    if dtype != "bool":
        x = x + (4 * np.eye(n)).astype(dtype)
        wide = x.astype("float64") if dtype == "int32" else x
        c.add("inv", x, la.inv(x), 2000 * n)
        c.add("solve", x, la.solve(x, sample(np.random.default_rng(1), shape[:-1] + (2,), dtype)), 2000 * n,
              b=sample(np.random.default_rng(1), shape[:-1] + (2,), dtype))
        c.add("cholesky", wide @ np.conj(np.swapaxes(wide, -1, -2)) + np.eye(n).astype(wide.dtype),
              la.cholesky(wide @ np.conj(np.swapaxes(wide, -1, -2)) + np.eye(n).astype(wide.dtype)), 2000 * n)
        c.add("matrix_power", wide, la.matrix_power(wide, 3), 200 * n, n=3)
        c.add("matrix_power", wide, la.matrix_power(wide, -2), 9000 * n, n=-2)
        c.add("cond", x, la.cond(x, 1), 5000 * n, p=1)
        c.add("cond", x, la.cond(x), 5000 * n)
        c.add("eigvalsh", wide, la.eigvalsh(wide), 500 * n)
        spectra(c, wide, n)
    c.add("det", x, la.det(x), 3000 * n)
    sign, logabsdet = la.slogdet(x)
    c.add("slogdet:sign", x, sign, 3000 * n)
    c.add("slogdet:log", x, logabsdet, 3000 * n)
    c.add("trace", x, np.trace(x, axis1=-2, axis2=-1), 50 * n)
    c.add("trace", x, np.trace(x, 1, axis1=-2, axis2=-1), 50 * n, offset=1)


def ones_like_columns(v):
    return np.ones(np.swapaxes(v, -1, -2).shape[:-1], np.abs(v).dtype)


def spectra(c, x, n):
    """Eigenvectors are compared up to a phase, eigenvalues in whatever order they come."""
    w, v = la.eigh(x)
    c.add("eigh", x, w, 500 * n)
    c.add("eigh:vectors", x, ones_like_columns(v), 20000 * n, b=v)
    w, v = la.eig(x)
    to = np.result_type(x, np.complex64)
    w, v = w.astype(to), v.astype(to)
    gaps = np.abs(w[..., :, None] - w[..., None, :]) + 9 * np.eye(n)
    zeros = np.zeros(w.shape, np.abs(w).dtype)
    c.add("eigvals", x, zeros, 3000 * n, b=w)
    c.add("eig", x, zeros, 3000 * n, b=w)
    if gaps.min() > 0.1:  # else the vectors are another's rounding
        c.add("eig:vectors", x, ones_like_columns(v), 90000 * n, b=v)


def factors(c, rng, x, n):
    u, s, vh = la.svd(x, full_matrices=False)
    c.add("svd", x, s, 500 * n)
    c.add("svd:u", x, ones_like_columns(u), 20000 * n, b=u)
    v = np.swapaxes(vh, -1, -2).copy()
    c.add("svd:vh", x, ones_like_columns(v), 20000 * n, b=v)
    stack = [la.qr(m) for m in x.reshape(-1, *x.shape[-2:])]
    for part, i in [("qr:q", 0), ("qr", 1)]:
        each = np.stack([np.abs(f[i]) for f in stack])
        c.add(part, x, each.reshape(*x.shape[:-2], *each.shape[1:]), 5000 * n)
    if x.ndim == 2:
        b = sample(rng, (x.shape[0], 3), x.dtype.name)
        y, residuals, rank, s = la.lstsq(x, b, rcond=None)
        c.add("lstsq", x, y, 9000 * n, b=b)
        c.add("lstsq:rank", x, rank, 0, b=b)
        c.add("lstsq:s", x, s, 500 * n, b=b)
        if residuals.size or x.shape[0] <= x.shape[1]:
            c.add("lstsq:residuals", x, residuals, 9000 * n, b=b)
        y = sample(rng, (x.shape[1], x.shape[0]), x.dtype.name)
        c.add("multi_dot", x, la.multi_dot([x, y, x]), 500 * n, b=y)


def oblongs(c, rng, dtype, shape):
    x = sample(rng, shape, dtype)
    n = max(shape[-2:])
    c.add("svdvals", x, la.svd(x, compute_uv=False), 500 * n)
    if x.dtype.kind in "fc":
        factors(c, rng, x, n)
    if dtype != "bool":
        c.add("pinv", x, la.pinv(x, rcond=1e-6), 9000 * n)
    c.add("matrix_rank", x, la.matrix_rank(x), 0)
    for order in ["fro", "nuc", "1", "2", "inf", "-1", "-2", "-inf"]:
        p = order if order in ("fro", "nuc") else float(order)
        if dtype == "bool":
            continue
        c.add("matrix_norm", x, la.norm(x, p, axis=(-2, -1)), 500 * n, ord=order)
    if dtype == "bool":
        return
    for order in ["0", "1", "2", "3", "inf", "-inf", "0.5"]:
        c.add("vector_norm", x, la.norm(x, float(order), axis=-1), 200 * n, ord=order)
    c.add("norm", x, la.norm(x), 200 * n)


def others(c, rng, dtype):
    if dtype == "bool":
        return
    a, b = sample(rng, (4, 3), dtype), sample(rng, (2, 1, 3), dtype)
    c.add("cross", a, np.cross(a, b), 50, b=b)
    c.add("matrix_rank", np.zeros(3, dtype), 0, 0)
    c.add("matrix_rank", np.ones(3, dtype), 1, 0)


def not_finite(c):
    """Which functions refuse what, and where the others have what; in which NumPy itself depends on LAPACK is left."""
    for values in [[[2, 1, 0], [1, 3, np.nan], [0, np.nan, 4]], np.full((3, 3), np.nan), np.full((2, 2), np.inf),
                   [[2, 1, 0], [1, np.inf, 1], [0, 1, 4]]]:
        x = np.array(values)
        for name in ["eigvalsh", "eigvals", "svdvals", "eigh", "eig", "pinv", "matrix_rank"]:
            if np.isnan(x).any() or name in ("eigvals", "eig"):
                refused = 0
                try:
                    la.svd(x, compute_uv=False) if name == "svdvals" else getattr(la, name)(x)
                except la.LinAlgError:
                    refused = 1
                c.add("refused", x, refused, 0, of=name)
        for name in ["det", "inv"]:
            c.add(name, x, getattr(la, name)(x), 0)
        c.add("solve", x, la.solve(x, np.ones((len(x), 1))), 0, b=np.ones((len(x), 1)))
        if not np.isnan(la.det(x)):
            c.add("slogdet:sign", x, la.slogdet(x)[0], 0)
            c.add("slogdet:log", x, la.slogdet(x)[1], 0)


def main(folder):
    rng = np.random.default_rng(4)
    c = Cases(folder)
    for dtype in DTYPES:
        for shape in [(1, 1), (2, 2), (5, 5), (3, 4, 4), (2, 2, 3, 3)]:
            squares(c, rng, dtype, shape)
        for shape in [(1, 1), (6, 4), (4, 6), (2, 5, 3), (2, 3, 5)]:
            oblongs(c, rng, dtype, shape)
        others(c, rng, dtype)
    not_finite(c)
    c.finish()


main(sys.argv[1])
