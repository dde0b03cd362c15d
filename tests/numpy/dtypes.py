"""Writes what NumPy knows of its types.

    dtypes.py <folder>

facts.txt: "finfo" or "iinfo", dtype, bits, then numbers (floats in hexadecimal). views.txt: two dtypes, and the shape
that a view of an array of shape (3, 4) of the first as the second has, or "-". kinds.txt: dtype, and which of the array
API's kinds it is (KINDS), 0 or 1 each.
"""

import os
import sys

import numpy as np

ALL = ["bool", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64", "float16", "float32",
       "float64", "complex64", "complex128"]


# numpy.isdtype's, which NumPy 1 has not, as it has them.
KINDS = {"bool": np.bool_, "signed integer": np.signedinteger, "unsigned integer": np.unsignedinteger,
         "integral": np.integer, "real floating": np.floating, "complex floating": np.complexfloating,
         "numeric": np.number}


def is_kind(dtype, kind):
    if hasattr(np, "isdtype"):
        return np.isdtype(np.dtype(dtype), kind)
    return np.issubdtype(dtype, KINDS[kind])


def main(folder):
    with open(os.path.join(folder, "kinds.txt"), "w") as f:
        for t in ALL:
            f.write(f"{t} " + " ".join(str(int(is_kind(t, k))) for k in KINDS) + "\n")
    with open(os.path.join(folder, "facts.txt"), "w") as f:
        for t in ALL:
            kind = np.dtype(t).kind
            if kind in "iu":
                i = np.iinfo(t)
                f.write(f"iinfo {t} {i.bits} {i.min} {i.max}\n")
            elif kind in "fc":
                i = np.finfo(t)
                numbers = [i.eps, i.max, i.min, i.smallest_normal, i.smallest_subnormal]
                f.write(f"finfo {t} {i.bits} " + " ".join(float(v).hex() for v in numbers) + "\n")
    with open(os.path.join(folder, "views.txt"), "w") as f:
        for a in ALL:
            for b in ALL:
                try:
                    shape = ",".join(map(str, np.zeros((3, 4), a).view(b).shape))
                except ValueError:
                    shape = "-"
                f.write(f"{a} {b} {shape}\n")


main(sys.argv[1])
