"""Writes arrays as NumPy's files, each beside its plain bytes (row-major, this machine's byte order).

    files.py <folder>

A line of files.txt is: file, name inside it (or "-"), options (dtype=, shape=), file of the bytes. Fields are
separated by tabs.
"""

import os
import sys

import numpy as np

DTYPES = ["?", "i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8", "f2", "f4", "f8", "c8", "c16"]
SHAPES = [(), (1,), (7,), (3, 4), (2, 3, 4), (0,), (2, 0, 3), (1, 1, 5), (40, 1000)]


class Files:
    def __init__(self, folder):
        self.folder = folder
        self.lines = []
        self.rng = np.random.default_rng(11)

    def values(self, dtype, shape):
        count = int(np.prod(shape)) * np.dtype(dtype).itemsize
        x = np.frombuffer(self.rng.bytes(count), dtype=np.uint8).copy()
        if dtype == "?":
            x &= 1
        x = x.view("u1" if dtype == "?" else dtype).reshape(shape)
        return x.astype(bool) if dtype == "?" else x

    def expect(self, file, name, x):
        raw = f"{len(self.lines)}.raw"
        native = np.ascontiguousarray(x.astype(x.dtype.newbyteorder("="))).reshape(x.shape)
        with open(os.path.join(self.folder, raw), "wb") as f:
            f.write(native.tobytes())
        shape = ",".join(str(e) for e in x.shape)
        self.lines.append(f"{file}\t{name}\tdtype={native.dtype.name} shape={shape}\t{raw}")

    def npy(self, x, version=None):
        file = f"{len(self.lines)}.npy"
        with open(os.path.join(self.folder, file), "wb") as f:
            np.lib.format.write_array(f, x, version=version)
        self.expect(file, "-", x)

    def npz(self, save, arrays):
        file = f"{len(self.lines)}.npz"
        save(os.path.join(self.folder, file), **arrays)
        for name, x in arrays.items():
            self.expect(file, name, x)


def main(folder):
    f = Files(folder)
    for dtype in DTYPES:
        for shape in SHAPES:
            x = f.values(dtype, shape)
            f.npy(x)
            f.npy(np.asfortranarray(x))
            f.npy(x.astype(x.dtype.newbyteorder(">")))
            f.npy(np.asfortranarray(x.astype(x.dtype.newbyteorder(">"))))
        for version in [(1, 0), (2, 0), (3, 0)]:
            f.npy(f.values(dtype, (3, 5)), version)
    for save in [np.savez, np.savez_compressed]:
        f.npz(save, {f"x{i}": f.values(d, SHAPES[i % len(SHAPES)]) for i, d in enumerate(DTYPES)})
        f.npz(save, {f"x{i}": np.asfortranarray(f.values(d, (5, 6))) for i, d in enumerate(DTYPES)})
        f.npz(save, {"zeros": np.zeros((300, 1000)), "big": f.values("f8", (3, 4)).astype(">f8")})
    with open(os.path.join(folder, "files.txt"), "w") as out:
        out.write("\n".join(f.lines) + "\n")


main(sys.argv[1])
