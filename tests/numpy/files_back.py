"""Compares the files that sinter wrote with what it says is in them.

    files_back.py <folder>

Every array of <folder> is x[i] = (3 i) % 61 of some dtype, once, twice, transposed, an element of it or none, and
stands in <dtype>.<name>.npy, <dtype>.npz, <dtype>.z.npz and <dtype>.safetensors. Prints how many were compared, and
whether the safetensors package, where it is installed, read its files too.
"""

import json
import os
import struct
import sys

import numpy as np

CODES = {"BOOL": "bool", "I8": "int8", "I16": "int16", "I32": "int32", "I64": "int64", "U8": "uint8",
         "U16": "uint16", "U32": "uint32", "U64": "uint64", "F16": "float16", "F32": "float32",
         "F64": "float64", "C64": "complex64"}


def expected(dtype, name):
    x = (3 * np.arange(24) % 61).astype(np.float64).reshape(2, 3, 4)
    with np.errstate(all="ignore"):
        return {"once": x, "twice": 2 * x, "turned": x.T, "point": x[1, 2, 3], "none": x[:0]}[name].astype(dtype)


try:
    from safetensors.numpy import load_file
except ImportError:
    load_file = None


def read_safetensors(path):
    """By what the format says, and as the package reads it."""
    arrays = read_by_hand(path)
    if load_file and "complex" not in path:  # of which its NumPy side knows nothing
        package = load_file(path)
        assert set(package) == set(arrays), (path, set(package))
        for name, x in package.items():
            assert x.dtype == arrays[name].dtype and x.shape == arrays[name].shape, (path, name)
            assert x.tobytes() == arrays[name].tobytes(), (path, name)
    return arrays


def read_by_hand(path):
    with open(path, "rb") as f:
        data = f.read()
    (length,) = struct.unpack("<Q", data[:8])
    assert length % 8 == 0
    header = json.loads(data[8:8 + length])
    assert header.pop("__metadata__") == {"by": "sinter"}
    arrays = {}
    for name, entry in header.items():
        begin, end = entry["data_offsets"]
        raw = data[8 + length + begin:8 + length + end]
        arrays[name] = np.frombuffer(raw, dtype=CODES[entry["dtype"]]).reshape(entry["shape"])
    return arrays


def main(folder):
    count = 0
    for file in sorted(os.listdir(folder)):
        path = os.path.join(folder, file)
        dtype = file.split(".")[0]
        if file.endswith(".npy"):
            arrays = {file.split(".")[1]: np.load(path)}
        elif file.endswith(".npz"):
            arrays = dict(np.load(path))
        elif file.endswith(".safetensors"):
            arrays = read_safetensors(path)
        else:
            continue
        for name, x in arrays.items():
            want = expected(dtype, name)
            assert x.dtype == want.dtype and x.shape == want.shape, (file, name, x.dtype, x.shape)
            assert x.tobytes() == want.tobytes(), (file, name, x, want)
            count += 1
    print(count, "with safetensors' own package" if load_file else "no safetensors package here")


main(sys.argv[1])
