"""Tables of numbers as text: what NumPy writes, and what it reads from text that anybody may have written.

    text.py <folder>

A line of saves.txt is: array, options (key=value, values as in a URL), the text that savetxt makes of it. A line of
loads.txt is: text, function and options, the array that NumPy reads, or "-" where it refuses. Fields are separated by
tabs.
"""

import os
import sys
import warnings
from urllib.parse import quote

import numpy as np

warnings.simplefilter("ignore")
warnings.simplefilter("error", DeprecationWarning)  # reading "0.5" as an integer
INTEGERS = ["int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64"]
FLOATS = ["float16", "float32", "float64"]
ALL = ["bool", *INTEGERS, *FLOATS]


class Texts:
    def __init__(self, folder):
        self.folder = folder
        self.rng = np.random.default_rng(17)
        self.count = 0
        self.saves, self.loads = [], []

    def path(self, suffix):
        self.count += 1
        return f"{self.count}{suffix}"

    def place(self, name):
        return os.path.join(self.folder, name)

    def keep(self, x):
        name = self.path(".npy")
        np.save(self.place(name), x)
        return name

    def values(self, dtype, shape):
        count = int(np.prod(shape)) * np.dtype(dtype).itemsize
        if dtype == "bool":
            return self.rng.integers(0, 2, shape).astype(bool)
        if dtype in INTEGERS:
            return np.frombuffer(self.rng.bytes(count), dtype).reshape(shape)
        with np.errstate(all="ignore"):
            x = (self.rng.normal(size=shape) * 10.0 ** self.rng.integers(-9, 9, shape)).astype(dtype)
        edges = [np.nan, np.inf, -np.inf, -0.0, np.finfo(dtype).max, np.finfo(dtype).tiny, -np.nan]
        if x.size > 4:
            flat = x.reshape(-1)
            flat[self.rng.integers(0, flat.size, 3)] = self.rng.choice(np.array(edges, dtype), 3)
        return x

    def save(self, x, **options):
        try:
            name = self.path(".txt")
            np.savetxt(self.place(name), x, **options)
        except (TypeError, ValueError, OverflowError):
            return
        self.saves.append(f"{self.keep(x)}\t{words(options)}\t{name}")

    def load(self, text, function="loadtxt", dtype="float64", **options):
        name = self.path(".txt")
        with open(self.place(name), "w", newline="") as f:
            f.write(text)
        call = dict(options, dtype=dtype)
        if "names" in options or function == "genfromtxt":
            expected = self.general(name, call)
        else:
            try:
                expected = self.keep(np.loadtxt(self.place(name), **call))
            except (ValueError, OverflowError, IndexError, DeprecationWarning):
                expected = "-"
        self.loads.append(f"{name}\t{words(dict(options, function=function, dtype=dtype))}\t{expected}")

    def general(self, name, call):
        x = np.genfromtxt(self.place(name), **call)
        if x.dtype.names:
            x = np.stack([np.atleast_1d(x[n]) for n in x.dtype.names], axis=1)
        return self.keep(x)


def words(options):
    return " ".join(f"{k}={text_of(v)}" for k, v in options.items())


def text_of(v):
    if isinstance(v, (tuple, list)):
        v = ",".join(map(str, v))
    if isinstance(v, bool):
        v = int(v)
    return quote(str(v), safe=",")


def saves(t):
    whole = ["%d", "%5d", "%-6d|", "%+d", "%05i", "% d", "%u", "%.4d"]
    real = ["%.18e", "%g", "%.3f", "%10.4f", "%-12.2e|", "%+.6g", "%G", "%.0f", "%#.3g", "%E", "%08.2f", "<%.17g>"]
    for dtype in ALL:
        for shape in [(3, 4), (5,), (1, 1), (0, 3), (40, 2)]:
            x = t.values(dtype, shape)
            t.save(x)
            for fmt in real:
                # Python writes 00000inf, C spaces.
                t.save(np.nan_to_num(x) if "%08" in fmt and x.dtype.kind == "f" else x, fmt=fmt)
            if x.dtype.kind != "f":
                for fmt in whole:
                    # C has no plus for numbers that only uint64 has.
                    t.save(np.minimum(x, np.iinfo("int64").max).astype(dtype) if dtype == "uint64" else x, fmt=fmt)
            if x.dtype.kind == "u":
                t.save(x, fmt="%x")
                t.save(x, fmt="%#06X")
        x = t.values(dtype, (3, 4))
        for turned in [x.T, x[::-1, ::2]]:
            t.save(turned, fmt="%g", delimiter=",")
        t.save(x, fmt="%g", delimiter=" ; ", newline="\r\n", header="one\ntwo", footer="end")
        t.save(x, fmt="%g", delimiter="", header="a,b", comments="")


def loads(t):
    for dtype in ALL + ["complex64", "complex128"]:
        if dtype.startswith("complex"):
            x = (t.rng.normal(size=(5, 3)) + 1j * t.rng.normal(size=(5, 3))).astype(dtype)
            text = "\n".join(" ".join(str(complex(v)) for v in row) for row in x) + "\n"
        else:
            x = t.values(dtype, (5, 3))
            fmt = "%d" if x.dtype.kind != "f" else "%.17g"
            text = "\n".join(" ".join(fmt % v for v in row) for row in x) + "\n"
        if dtype == "bool":
            continue  # NumPy reads words there
        t.load(text, dtype=dtype)
        t.load(text, dtype=dtype, usecols=(2, 0))
        t.load(text, dtype=dtype, usecols=(1,))
        t.load(text, dtype=dtype, usecols=(-1,))
        t.load(text, dtype=dtype, skiprows=2, max_rows=2)
        t.load(text, dtype=dtype, max_rows=1)
        t.load(text, dtype=dtype, unpack=True)
        t.load(text, dtype=dtype, ndmin=2, max_rows=1)
        t.load(text.replace(" ", "\t"), dtype=dtype, delimiter="\t")
        t.load(text.replace(" ", " , ").replace("\n", "\r\n"), dtype=dtype, delimiter=",")
        t.load("# names\n\n" + text.replace("\n", "  # a remark\n\n"), dtype=dtype)
        t.load("% names\n" + text, dtype=dtype, comments="%")
        t.load(text[:-1], dtype=dtype)
    odd(t)


def odd(t):
    texts = ["1 2\n3\n", "1 2\n3 4 5\n", "1 x\n", "1,,2\n", "", "\n\n", "# only\n", "1\n2\n3",
             " 1   2 \n\t3\t4\n", "1e3 1E-3 +1 .5 5.\n", "inf -inf nan NaN Infinity -INFINITY\n", "1e400 -1e400 1e-400\n", "0x10\n", "1_000\n", "1d5\n", "--1\n",
             "1 2 # three\n4 5\n", "1\r\n2\r\n3", "9007199254740993 0.1\n", "179769313486231570814527423731704356798070e267\n",
             "2.2250738585072011e-308\n", "1.5.\n", "1e\n", "e1\n", ".\n", "+\n"]
    for text in texts:
        for dtype in ["float64", "int64", "float32"]:
            t.load(text, dtype=dtype)
    for text in ["127\n", "128\n", "-128\n", "-129\n", "1e2\n", "+7\n", "0012\n"]:
        t.load(text, dtype="int8")
    for text in ["255\n", "256\n", "-1\n", "-0\n"]:
        t.load(text, dtype="uint8")
    for text in ["18446744073709551615\n", "18446744073709551616\n"]:
        t.load(text, dtype="uint64")
    for text in ["(1+2j)\n", "1+2j\n", "2j\n", "-1.5e3-2.5e-3j\n", "1 2\n", "1+j\n", "nan+infj\n"]:
        t.load(text, dtype="complex128")
    for text in ["1,2,3\n4,5,6\n", "1,,3\n4,x,6\n", "1,2,3\n4,NA,6\n"]:
        for dtype in ["float64", "int64"]:
            t.load(text, function="genfromtxt", dtype=dtype, delimiter=",")
            t.load(text, function="genfromtxt", dtype=dtype, delimiter=",", usecols=(1, 2))
    t.load("skip\n1,2\n3,4\n", function="genfromtxt", delimiter=",", skip_header=1)
    for dtype in ["float64", "float32", "int32"]:
        x = np.nan_to_num(t.values(dtype, (6, 3)), posinf=1, neginf=2)
        rows = "\n".join(",".join("%.17g" % v if dtype != "int32" else "%d" % v for v in r) for r in x)
        t.load(f"time,speed,mass\n{rows}\n", function="csv", names=True, delimiter=",", dtype=dtype)
    t.load("a,b\n1,\n,2\n", function="csv", names=True, delimiter=",", dtype="float64")


def main(folder):
    t = Texts(folder)
    saves(t)
    loads(t)
    for name, lines in [("saves.txt", t.saves), ("loads.txt", t.loads)]:
        with open(t.place(name), "w") as f:
            f.write("\n".join(lines) + "\n")


main(sys.argv[1])
