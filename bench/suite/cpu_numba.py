"""What a user of Numba writes: parallel loops, compiled at their first call."""

import math

import numpy as np
import numba
from numba import njit, prange

version = numba.__version__


def elementwise(names, results, dtype):
    """One parallel loop over all results of scalar text."""
    types = {"f32": np.float32, "f64": np.float64, "i64": np.int64, "i64>f64": np.float64}
    scope = {"math": math, "np": np, "exp": math.exp, "log1p": math.log1p, "sqrt": math.sqrt,
             "sin": math.sin, "cos": math.cos, "arctan2": math.atan2,
             "where": njit(lambda c, a, b: a if c else b), "larger": njit(lambda a, b: a if a > b else b),
             "smaller": njit(lambda a, b: a if a < b else b)}
    if dtype == "f32":  # a bare constant would make it double
        scope["larger"] = njit(lambda a, b: max(a, np.float32(b)))
        scope["smaller"] = njit(lambda a, b: min(a, np.float32(b)))
    exec("def f(%s): return %s" % (", ".join(names), ", ".join(results)), scope)
    kind = getattr(numba, np.dtype(types[dtype]).name)
    given = numba.int64 if dtype.startswith("i64") else kind
    return numba.vectorize([kind(*[given] * len(names))], target="parallel")(scope["f"])


@njit(parallel=True)
def _five(a, b, factor):
    for i in prange(1, a.shape[0] - 1):
        for j in range(1, a.shape[1] - 1):
            b[i, j] = factor * (a[i, j] + a[i - 1, j] + a[i + 1, j] + a[i, j - 1] + a[i, j + 1])


@njit(parallel=True)
def _three(a, b, factor):
    for i in prange(1, a.shape[0] - 1):
        b[i] = factor * (a[i - 1] + a[i] + a[i + 1])


@njit(parallel=True)
def _seven(a, b, factor):
    six = factor * 0 + a.dtype.type(6)
    for i in prange(1, a.shape[0] - 1):
        for j in range(1, a.shape[1] - 1):
            for k in range(1, a.shape[2] - 1):
                b[i, j, k] = a[i, j, k] + factor * (
                    a[i + 1, j, k] + a[i - 1, j, k] + a[i, j + 1, k] + a[i, j - 1, k] + a[i, j, k + 1]
                    + a[i, j, k - 1] - six * a[i, j, k])


def _sweeps(kernel, factor):
    def program(size):
        kind = np.float32 if size["dtype"] == "f32" else np.float64

        def run(a, b):
            for _ in range(size["steps"] // 2):
                kernel(a, b, kind(factor))
                kernel(b, a, kind(factor))
            return a, b
        return run
    return program


@njit(parallel=True)
def _fields(ex, ey, hz, f):
    for i in prange(ex.shape[0]):
        for j in range(ex.shape[1]):
            ey[i, j] = f if i == 0 else ey[i, j] - 0.5 * (hz[i, j] - hz[i - 1, j])
            if j > 0:
                ex[i, j] -= 0.5 * (hz[i, j] - hz[i, j - 1])


@njit(parallel=True)
def _magnetic(ex, ey, hz):
    for i in prange(ex.shape[0] - 1):
        for j in range(ex.shape[1] - 1):
            hz[i, j] -= 0.7 * (ex[i, j + 1] - ex[i, j] + ey[i + 1, j] - ey[i, j])


def _fdtd(size):
    def run(ex, ey, hz, f):
        for t in range(size["steps"]):
            _fields(ex, ey, hz, f[t])
            _magnetic(ex, ey, hz)
        return ex, ey, hz
    return run


@njit(parallel=True)
def _softmax(x, y):
    for i in prange(x.shape[0]):
        most = x[i].max()
        total = x.dtype.type(0)
        for j in range(x.shape[1]):
            y[i, j] = math.exp(x[i, j] - most)
            total += y[i, j]
        for j in range(x.shape[1]):
            y[i, j] /= total


def _rows(size):
    def run(x):
        y = np.empty_like(x)
        _softmax(x.reshape(-1, x.shape[-1]), y.reshape(-1, x.shape[-1]))
        return y
    return run


@njit(parallel=True)
def _escapes(x, y, steps):
    n = x.shape[0]
    re, im, count = np.empty((n, n)), np.empty((n, n)), np.empty((n, n), np.int64)
    for i in prange(n):
        for j in range(n):
            zr, zi, k = 0.0, 0.0, 0
            while k < steps and zr * zr + zi * zi < 4.0:
                zr, zi = zr * zr - zi * zi + x[j], 2.0 * zr * zi + y[i]
                k += 1
            re[i, j], im[i, j], count[i, j] = zr, zi, 0 if k == steps else k - 1
    return re, im, count


PROGRAMS = {
    "jacobi2d_f32": _sweeps(_five, 0.2), "npb_jacobi_2d": _sweeps(_five, 0.2),
    "npb_jacobi_1d": _sweeps(_three, 0.33333), "heat3d_f32": _sweeps(_seven, 0.1),
    "npb_heat_3d": _sweeps(_seven, 0.125), "npb_fdtd_2d": _fdtd, "softmax_f32": _rows, "npb_softmax": _rows,
    "npb_mandelbrot1": lambda size: lambda x, y: _escapes(x, y, size["steps"]),
}
