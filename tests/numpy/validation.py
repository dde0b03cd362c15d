"""Writes NumPy's own accuracy tables (umath-validation-set-*.csv) as arrays:
calls.txt has a line "function dtype" each, <function>_<dtype>_in.npy and _out.npy the numbers.

Exit status 3: the NumPy that is installed comes without its tests' data."""

import sys
from pathlib import Path

import numpy as np

# NumPy's names for the array API's
NAMES = {"arccos": "acos", "arccosh": "acosh", "arcsin": "asin", "arcsinh": "asinh", "arctan": "atan",
         "arctanh": "atanh"}
WORDS = {"float32": np.uint32, "float64": np.uint64}


def tables():
    root = Path(np.__file__).parent
    return sorted(p for core in ("core", "_core") for p in (root / core / "tests/data").glob("*-set-*.csv"))


def main():
    folder = Path(sys.argv[1])
    found = tables()
    if not found:
        sys.exit(3)
    calls = []
    for path in found:
        name = path.stem.split("-")[3]
        rows = {dtype: ([], []) for dtype in WORDS}
        for line in path.read_text(encoding="utf-8").splitlines():
            cells = line.split(",")
            dtype = cells[0].removeprefix("np.")
            if dtype in rows:
                for column, cell in zip(rows[dtype], cells[1:3]):
                    column.append(int(cell, 16))
        for dtype, columns in rows.items():
            if not columns[0]:
                continue
            calls.append(f"{NAMES.get(name, name)}\t{dtype}\n")
            for what, column in zip(("in", "out"), columns):
                values = np.array(column, WORDS[dtype]).view(dtype)
                np.save(folder / f"{NAMES.get(name, name)}_{dtype}_{what}.npy", values)
    (folder / "calls.txt").write_text("".join(calls), encoding="utf-8")


main()
