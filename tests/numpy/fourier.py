"""Writes what numpy.fft, convolve and correlate give, as .npy files, and one line a call.

    fourier.py <folder>

A line of calls.txt is: function, input file, arguments (key=value), expected file. Fields are separated by
tabs. Everything is computed in double and rounded to the dtype that NumPy 2 gives.
"""

import itertools
import os
import sys

import numpy as np

NORMS = [None, "ortho", "forward"]
SINGLE = ["float16", "float32", "complex64"]


class Cases:
    def __init__(self, folder):
        self.folder = folder
        self.count = 0
        self.lines = []

    def save(self, x):
        name = f"{self.count}.npy"
        self.count += 1
        np.save(os.path.join(self.folder, name), x)
        return name

    def add(self, function, source, expected, **arguments):
        text = " ".join(f"{k}={v}" for k, v in arguments.items() if v is not None) or "-=-"
        self.lines.append("\t".join([function, source, text, self.save(expected)]))

    def finish(self, name="calls.txt"):
        with open(os.path.join(self.folder, name), "w") as f:
            f.write("\n".join(self.lines) + "\n")
        self.lines = []


def joined(values):
    return None if values is None else ",".join(str(v) for v in values) or "none"


def sample(rng, shape, dtype):
    kind = np.dtype(dtype).kind
    if kind == "b":
        return rng.integers(0, 2, shape).astype(bool)
    if kind in "iu":
        return rng.integers(0, 100, shape).astype(dtype)
    x = rng.normal(size=shape)
    if kind == "c":
        x = x + 1j * rng.normal(size=shape)
    return x.astype(dtype)


def rounded(y, dtype):
    single = dtype in SINGLE
    if np.iscomplexobj(y):
        return y.astype(np.complex64 if single else np.complex128)
    return y.astype(np.float32 if single else np.float64)


def wide(x):
    return x.astype(np.complex128 if x.dtype.kind == "c" else np.float64)


VIEWS = {None: lambda x: x, "reversed": lambda x: x.T, "steps": lambda x: x[..., ::2],
         "flipped": lambda x: x[..., ::-1]}


def one(c, function, x, n=None, axis=-1, norm=None, view=None):
    y = getattr(np.fft, function)(wide(VIEWS[view](x)), n, axis, norm)
    c.add(f"fft.{function}", c.save(x), rounded(y, str(x.dtype)), n=n, axis=axis, norm=norm, view=view)


def lengths(c, rng):
    for n in [1, 2, 3, 4, 5, 7, 8, 13, 16, 30, 31, 64, 97, 128, 210, 251, 1009, 1024, 4096, 5040, 10007, 30030]:
        for dtype in ["float32", "float64"]:
            complex_ = "complex64" if dtype == "float32" else "complex128"
            one(c, "fft", sample(rng, (n,), complex_))
            one(c, "ifft", sample(rng, (n,), complex_))
            one(c, "fft", sample(rng, (n,), dtype))
            one(c, "rfft", sample(rng, (n,), dtype))
            one(c, "ihfft", sample(rng, (n,), dtype))
            one(c, "irfft", sample(rng, (n // 2 + 1,), complex_), n)
            one(c, "hfft", sample(rng, (n // 2 + 1,), complex_), n)


def layouts(c, rng):
    functions = ["fft", "ifft", "rfft", "irfft", "hfft", "ihfft"]
    for function, dtype, view in itertools.product(functions, ["float32", "complex128"], VIEWS):
        if function in ("rfft", "ihfft") and dtype == "complex128":
            continue
        x = sample(rng, (4, 5, 6), dtype)
        for axis in [0, 1, 2, -1, -3]:
            one(c, function, x, None, axis, None, view)
        for norm, n in itertools.product(NORMS, [1, 3, 5, 8, 16]):
            one(c, function, x, n, 1, norm, view)
        one(c, function, sample(rng, (3, 1, 7), dtype), None if function not in ("irfft", "hfft") else 2, 1)
        one(c, function, sample(rng, (0, 5), dtype))
        one(c, function, sample(rng, (2, 0), dtype), 4)
    for dtype in ["bool", "int8", "uint16", "int64", "float16", "float64", "complex64"]:
        for function in functions:
            if dtype != "complex64" or function not in ("rfft", "ihfft"):
                one(c, function, sample(rng, (3, 12), dtype))


def several(c, rng):
    functions = ["fftn", "ifftn", "rfftn", "irfftn"]
    axes_of = [None, (0,), (1,), (-1,), (0, 1), (1, 2), (0, 2), (2, 0), (1, 0), (0, 1, 2), (3, 1), (0, 1, 2, 3),
               (2, 2), (1, 3, 1), (2, 1, 3)]
    for function, dtype in itertools.product(functions, ["float32", "complex64", "float64", "complex128"]):
        real = function == "rfftn"
        if real and dtype.startswith("complex"):
            continue
        x = sample(rng, (3, 4, 5, 6), dtype)
        for axes, norm in itertools.product(axes_of, NORMS):
            several_one(c, function, x, None, axes, norm)
        for s, axes in [((2, 7), None), ((8,), (1,)), ((5, 3), (2, 0)), ((4, 4, 4), None), ((3, 4, 5, 9), None)]:
            several_one(c, function, x, s, axes, "ortho")
        for view in ["reversed", "steps"]:
            several_one(c, function, x, None, (1, 2), None, view)
            several_one(c, function, x, None, None, None, view)
    for function in functions:
        s = (40, 1, 30, 1) if function == "irfftn" else None
        several_one(c, function, sample(rng, (40, 1, 30, 1), "float64"), s, None, None)
        several_one(c, function, sample(rng, (1, 64, 1), "float32"), None, (0, 1), None)
        several_one(c, function, sample(rng, (20, 16, 24), "float32"), None, (1, 2), None)
        several_one(c, function, sample(rng, (0, 4, 4), "float32"), None, (1, 2), None)
    several_one(c, "fftn", sample(rng, (3, 4), "float64"), None, (), None)
    for function in ["fft2", "ifft2", "rfft2", "irfft2"]:
        x = sample(rng, (3, 8, 10), "float64")
        for s, axes in [(None, (-2, -1)), (None, (0, 1)), ((4, 16), (-2, -1))]:
            several_one(c, function, x, s, axes, None)


def several_one(c, function, x, s, axes, norm, view=None):
    arguments = dict(s=s, norm=norm)
    if axes is not None:
        arguments["axes"] = axes
    y = getattr(np.fft, function)(wide(VIEWS[view](x)), **arguments)
    dtype = str(x.dtype)
    if axes == ():
        y = y + 0j
    c.add(f"fft.{function}", c.save(x), rounded(y, dtype), s=joined(s), axes=joined(axes), norm=norm, view=view)


def shifts(c):
    for shape in [(8,), (7,), (1,), (4, 5), (3, 4, 5), (0, 3)]:
        x = np.arange(int(np.prod(shape)), dtype=np.int32).reshape(shape)
        name = c.save(x)
        for axes in [None, (0,), (-1,), (0, -1)]:
            if len(shape) == 1 and axes == (0, -1):
                continue
            c.add("fft.fftshift", name, np.fft.fftshift(x, axes), axes=joined(axes))
            c.add("fft.ifftshift", name, np.fft.ifftshift(x, axes), axes=joined(axes))
    name = c.save(np.zeros(1))
    for n, d in itertools.product([1, 2, 5, 8, 1000, 1001], [1.0, 0.1, 3.0]):
        c.add("fft.fftfreq", name, np.fft.fftfreq(n, d), n=n, d=d)
        c.add("fft.rfftfreq", name, np.fft.rfftfreq(n, d), n=n, d=d)


def convolutions(c, rng):
    types = ["bool", "int8", "int32", "uint64", "float16", "float32", "float64", "complex64", "complex128"]
    for dtype in types:
        for n, m in [(1, 1), (5, 1), (1, 5), (5, 3), (3, 5), (6, 4), (4, 6), (7, 7), (100, 9), (9, 100), (300, 200),
                     (5000, 33), (3000, 2500)]:
            if n * m > 10000 and dtype not in ("float32", "float64", "complex64", "complex128"):
                continue
            a, v = sample(rng, (n,), dtype), sample(rng, (m,), dtype)
            name, other = c.save(a), c.save(v)
            for mode in ["full", "same", "valid"]:
                c.add("convolve", name, exact(np.convolve, a, v, mode), other=other, mode=mode)
                c.add("correlate", name, exact(np.correlate, a, v, mode), other=other, mode=mode)
    a, v = sample(rng, (20,), "int16"), sample(rng, (4,), "float32")
    c.add("convolve", c.save(a), np.convolve(a, v), other=c.save(v), mode="full")
    a, v = sample(rng, (50,), "float32"), sample(rng, (60,), "complex64")
    for mode in ["full", "same", "valid"]:
        c.add("correlate", c.save(a), exact(np.correlate, a, v, mode), other=c.save(v), mode=mode)


def exact(function, a, v, mode):
    result = np.result_type(a, v)
    if result.kind in "fc":
        to = np.complex128 if result.kind == "c" else np.float64
        return function(a.astype(to), v.astype(to), mode).astype(result)
    return function(a, v, mode)


def full_nd(a, v, axes):
    """The convolution along some axes, by its definition; the others broadcast."""
    shape = [max(p, q) if i not in axes else p + q - 1 for i, (p, q) in enumerate(zip(a.shape, v.shape))]
    out = np.zeros(shape, np.result_type(a, v, np.float64))
    for index in itertools.product(*[range(v.shape[i]) if i in axes else [0] for i in range(v.ndim)]):
        where = tuple(slice(k, k + a.shape[i]) if i in axes else slice(None) for i, k in enumerate(index))
        part = tuple(slice(k, k + 1) if i in axes else slice(None) for i, k in enumerate(index))
        out[where] += a * v[part]
    return out


def cut(y, shape):
    start = [(p - q) // 2 for p, q in zip(y.shape, shape)]
    return y[tuple(slice(s, s + q) for s, q in zip(start, shape))]


def fftconvolve(c, rng):
    cases = [((10,), (4,), None), ((4,), (10,), None), ((6, 7), (3, 4), None), ((3, 4), (6, 7), None),
             ((6, 7), (3, 7), (0,)), ((4, 6, 7), (1, 3, 4), (1, 2)), ((5, 6, 7), (2, 3, 2), None),
             ((6, 7), (6, 1), (1,)), ((1000,), (300,), None)]
    for (sa, sv, axes), dtype in itertools.product(cases, ["float32", "float64", "complex64", "int32"]):
        a, v = sample(rng, sa, dtype), sample(rng, sv, dtype)
        used = tuple(range(len(sa))) if axes is None else axes
        full = full_nd(wide(a), wide(v), used)
        larger = all(p >= q for i, (p, q) in enumerate(zip(sa, sv)) if i in used)
        small, big = (sv, sa) if larger else (sa, sv)
        valid = [full.shape[i] if i not in used else big[i] - small[i] + 1 for i in range(len(sa))]
        same = [full.shape[i] if i not in used else sa[i] for i in range(len(sa))]
        name, other = c.save(a), c.save(v)
        for mode, y in [("full", full), ("same", cut(full, same)), ("valid", cut(full, valid))]:
            c.add("fftconvolve", name, rounded(y, dtype), other=other, mode=mode, axes=joined(axes))


def main(folder):
    rng = np.random.default_rng(4)
    groups = {"lengths": lambda c: lengths(c, rng), "layouts": lambda c: layouts(c, rng),
              "several": lambda c: several(c, rng), "shifts": shifts,
              "convolutions": lambda c: convolutions(c, rng), "fftconvolve": lambda c: fftconvolve(c, rng)}
    for name, write in groups.items():
        path = os.path.join(folder, name)
        os.makedirs(path)
        c = Cases(path)
        write(c)
        c.finish()


main(sys.argv[1])
