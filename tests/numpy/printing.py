"""Writes arrays and the text NumPy prints for them.

    printing.py <folder>

A line of prints.txt is: input file, options (key=value), text file. Fields are separated by tabs.
NumPy 1.24 to 2.2: later ones switch to exponents earlier for narrow floats (exit status 3).
"""

import os
import sys

import numpy as np

if tuple(int(part) for part in np.__version__.split(".")[:2]) > (2, 2):
    sys.exit(3)


class Prints:
    def __init__(self, folder):
        self.folder = folder
        self.lines = []

    def add(self, x, **options):
        x = np.asarray(x)
        i = len(self.lines)
        np.save(os.path.join(self.folder, f"{i}.npy"), x)
        if x.ndim == 0:
            text = str(x[()])
        else:
            text = np.array2string(
                x, max_line_width=options.get("linewidth"), precision=options.get("precision"),
                suppress_small=options.get("suppress"), threshold=options.get("threshold"),
                edgeitems=options.get("edgeitems"))
        self.write(i, text, options)

    def add_with(self, x, repr=0, **options):
        """By NumPy's global options, as str() or repr() writes."""
        x = np.asarray(x)
        i = len(self.lines)
        np.save(os.path.join(self.folder, f"{i}.npy"), x)
        with np.printoptions(**options):
            text = np.array_repr(x) if repr else np.array2string(x)
        if "floatmode" in options:
            options["floatmode"] = MODES.index(options["floatmode"])
        if "sign" in options:
            options["sign"] = ord(options["sign"])
        self.write(i, text, dict(options, repr=repr))

    def write(self, i, text, options):
        with open(os.path.join(self.folder, f"{i}.txt"), "w") as f:
            f.write(text)
        arguments = " ".join(f"{k}={v if isinstance(v, str) else int(v)}" for k, v in options.items())
        self.lines.append(f"{i}.npy\t{arguments}\t{i}.txt")

    def finish(self):
        with open(os.path.join(self.folder, "prints.txt"), "w") as f:
            f.write("\n".join(self.lines) + "\n")


MODES = ["fixed", "unique", "maxprec", "maxprec_equal"]
FLOATS = ["float16", "float32", "float64"]
ROWS = [[1, 2, 3], [1.5, 2, 3.25], [0.1, 0.2, 0.30000000000000004], [1e-5, 1], [1e-4, 1e-1], [1, 1000.5],
        [1, 1001], [1e8, 1], [1e7, 12345678.9], [-1, 0, 1], [-0.0, 0.0], [np.nan, 1, 2], [np.inf, -np.inf, 1],
        [np.nan, np.inf], [np.inf, 1], [-np.inf, np.nan, 1e-9], [0], [], [1e-45, 3e38], [5e-324, 1.7e308],
        [123456.789, 0.001], [1 / 3, 2 / 3, 1], [1e-8, 5e-9, 4e-9], [0.99999999999, 1.00000000001],
        [2.5, 3.5, 0.125], [1e16, 1e-16], [65504, 6e-8], [0.1 + 0.2j, 1 - 2j]]


def floats(p):
    for dtype in FLOATS:
        for row in ROWS[:-1]:
            with np.errstate(all="ignore"):
                x = np.array(row, dtype=dtype)
            p.add(x)
            p.add(x, precision=3)
            p.add(x, precision=0)
            p.add(x, precision=17)
            p.add(x, suppress=True)
        with np.errstate(all="ignore"):
            scalars = [np.array(v, dtype=dtype) for row in ROWS[:-1] for v in row]
        for s in scalars:
            p.add(s)


def complexes(p):
    for dtype in ["complex64", "complex128"]:
        for row in [[0.1 + 0.2j, 1 - 2j], [1, 2j], [np.nan, complex(1, np.nan), complex(np.inf, -np.inf)],
                    [1e-10 + 1e10j], [0, -0.0], [complex(-0.0, 0), complex(0, -0.0)], [1 + 1j] * 30]:
            x = np.array(row, dtype=dtype)
            p.add(x)
            p.add(x, precision=2)
            for v in x[:3]:
                p.add(v)
        p.add(np.arange(24).reshape(2, 3, 4) * (1 - 0.5j))


def integers(p):
    for dtype in ["int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64"]:
        i = np.iinfo(dtype)
        for row in [[0], [1, 10, 100], [i.min, i.max], [i.max] * 40, []]:
            p.add(np.array(row, dtype=dtype))
        p.add(np.array(i.max, dtype=dtype))
        p.add(np.arange(120).astype(dtype).reshape(2, 3, 4, 5))
    p.add(np.array([True, False, True]))
    p.add(np.array(True))
    p.add(np.array(False))
    p.add(np.eye(4, dtype=bool))
    p.add(np.ones((0, 3)))
    p.add(np.ones((2, 0)))


def layouts(p):
    for shape in [(3, 4), (2, 3, 4), (1, 1, 1, 1), (40,), (3, 40), (2, 2, 30), (1001,), (1000,), (40, 40), (7, 400),
                  (11, 12, 13), (2, 3, 4, 50), (500, 3), (3, 7, 2, 40), (6, 6, 6, 6), (7, 7, 7, 7)]:
        x = np.arange(int(np.prod(shape))).reshape(shape)
        p.add(x)
        p.add(x * 0.5)
        p.add(x % 3 == 0)
        p.add(x * 1.1 - 3j)
        p.add(x, linewidth=40)
        p.add(x * 0.1, linewidth=10)
        p.add(x, threshold=5, edgeitems=1)
        p.add(x / 7, threshold=10, edgeitems=2, precision=2)


def randoms(p):
    rng = np.random.default_rng(5)
    for i in range(400):
        dtype = FLOATS[i % 3]
        scale = 10.0 ** rng.integers(-6, 9)
        with np.errstate(all="ignore"):
            x = (rng.normal(size=rng.integers(1, 12)) * scale).astype(dtype)
        p.add(x, precision=int(rng.integers(0, 18)), suppress=bool(rng.integers(0, 2)))
    for i in range(200):  # any bits at all
        bits = rng.integers(0, 2**32, rng.integers(1, 9), dtype=np.uint64)
        with np.errstate(all="ignore"):
            p.add(bits.astype(np.uint32).view(np.float32))
            p.add(bits.astype(np.uint16).view(np.float16))
            p.add((bits * np.uint64(4294967311)).view(np.float64))
    p.add(2.0 ** np.arange(-60, 60))
    for e in range(-1074, 1024, 7):
        p.add(np.array(2.0 ** e if e > -1023 else np.ldexp(1.0, e)))
    p.add(np.arange(0, 65536, 17, dtype=np.uint16).view(np.float16), threshold=100000)


def options(p):
    rng = np.random.default_rng(6)
    for i in range(300):
        dtype = (FLOATS + ["complex64", "complex128"])[i % 5]
        scale = 10.0 ** rng.integers(-6, 9)
        with np.errstate(all="ignore"):
            x = rng.normal(size=rng.integers(1, 9)) * scale
            if i % 3 == 0:
                x = abs(x)
            x[rng.random(len(x)) < 0.2] = np.nan
            x[rng.random(len(x)) < 0.2] = np.inf
            x[rng.random(len(x)) < 0.1] = -np.inf
            x = x.astype(dtype)
        p.add_with(x, floatmode=MODES[i % 4], sign="-+ "[i % 3], precision=int(rng.integers(0, 12)),
                   suppress=bool(i % 2), nanstr=["nan", "NaN!", "-"][i // 3 % 3], infstr=["inf", "infinity"][i // 5 % 2],
                   repr=i // 7 % 2)
    for mode in MODES:
        for row in ROWS[:-1]:
            p.add_with(np.array(row, dtype=float), floatmode=mode)


def reprs(p):
    for shape in [(3, 4), (2, 3, 4), (40,), (3, 40), (1001,), (40, 40), (7, 400), (0,), (2, 0), (0, 3), (), (1, 1, 2),
                  (5, 5, 5, 5)]:
        x = np.arange(int(np.prod(shape))).reshape(shape)
        for y in [x, x * 0.5, x % 3 == 0, x.astype("int32"), x.astype("float32") / 7, x * (1 - 0.5j),
                  (x * 1.5j).astype("complex64"), x.astype("uint8"), x.astype("float16")]:
            p.add_with(y, repr=1)
            p.add_with(y, repr=1, linewidth=40, precision=3)
            p.add_with(y, repr=1, threshold=5, edgeitems=2)


def main(folder):
    p = Prints(folder)
    for part in (floats, complexes, integers, layouts, randoms, options, reprs):
        part(p)
    p.finish()


main(sys.argv[1])
