"""Reads the tables that sinter wrote, as NumPy does, and compares them with the arrays they were made of.

    text_back.py <folder>

A line of tables.txt is: array, text, header (0 or 1). Prints how many were compared.
"""

import os
import sys
import warnings

import numpy as np

warnings.simplefilter("ignore")


def main(folder):
    count = 0
    for line in open(os.path.join(folder, "tables.txt")).read().splitlines():
        array, text, header = line.split("\t")
        want = np.load(os.path.join(folder, array))
        path = os.path.join(folder, text)
        words = want.dtype == bool and text.endswith(".csv")
        dtype = "U5" if words else "int64" if want.dtype == bool else want.dtype
        got = np.loadtxt(path, dtype=dtype, delimiter=",", quotechar='"', skiprows=int(header), ndmin=want.ndim)
        if words:
            assert set(got.ravel()) <= {"True", "False"}, line
            got = got == "True"
        if want.size == 0:
            got = got.reshape(want.shape)
        assert got.shape == want.shape, (line, got.shape, want.shape)
        assert np.array_equal(got.astype(want.dtype), want, equal_nan=want.dtype.kind in "fc"), (line, got, want)
        if want.dtype.kind == "f":
            assert np.array_equal(np.signbit(got) | np.isnan(want), np.signbit(want) | np.isnan(want)), line
        if int(header):
            first = open(path).readline().rstrip("\n").split(",")
            assert first == [f"c{i}" for i in range(len(first))], first
            if want.dtype.kind == "f" and want.shape[0] > 1:
                named = np.genfromtxt(path, delimiter=",", names=True, dtype=dtype)
                assert np.array_equal(named["c1"], want[:, 1], equal_nan=True), line
        count += 1
    print(count)


main(sys.argv[1])
