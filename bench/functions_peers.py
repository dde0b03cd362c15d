#!/usr/bin/env python3
"""What mathematical functions take an element in NumPy (SciPy for erf, erfc and lgamma) and JAX, beside bench/functions.

    functions_peers.py [--ours FILE] [--json FILE]

--ours: what `functions --json FILE` wrote, to compare with. On one thread: run it under taskset.
"""

import argparse
import json
import os
import statistics
import time

os.environ.setdefault("XLA_FLAGS", "--xla_cpu_multi_thread_eigen=false intra_op_parallelism_threads=1")

import numpy as np  # noqa: E402

LENGTH = 100000
OF_NORMAL = "exp exp2 expm1 sinh cosh tanh arcsinh cbrt".split()
OF_ABOVE = "log log2 log10 log1p arccosh sqrt".split()
OF_ANGLE, OF_PART = "sin cos tan arctan".split(), "arcsin arccos arctanh".split()
SPECIAL = {"erf": ("erf", "normal"), "erfc": ("erfc", "normal"), "lgamma": ("gammaln", "above")}


def calls(numpy, special, x):
    """name: function without operands"""
    table = {name: (getattr(numpy, name), x[kind])
             for kind, names in zip(("normal", "above", "angle", "part"), (OF_NORMAL, OF_ABOVE, OF_ANGLE, OF_PART))
             for name in names}
    found = {name: (f, (a,)) for name, (f, a) in table.items()}
    for name, (theirs, kind) in SPECIAL.items():
        if special is not None:
            found[name] = (getattr(special, theirs), (x[kind],))
    found["power"] = (numpy.power, (x["above"], x["normal"]))
    for name in ("arctan2", "hypot", "logaddexp"):
        found[name] = (getattr(numpy, name), (x["normal"], x["above"]))
    return found


def nanoseconds(call):
    for _ in range(5):
        call()
    times = []
    for _ in range(40):
        start = time.perf_counter()
        for _ in range(4):
            call()
        times.append((time.perf_counter() - start) / 4)
    return statistics.median(times) / LENGTH * 1e9


def operands(dtype):
    random = np.random.default_rng(1)
    normal, part = random.normal(size=LENGTH), random.random(LENGTH) * 0.9 + 0.05
    given = {"normal": normal, "above": np.abs(normal) + 1.01, "angle": normal * 10, "part": part}
    return {name: a.astype(dtype) for name, a in given.items()}


def rows_of_numpy(dtype):
    try:
        import scipy.special as special
    except ImportError:
        special = None
    for name, (f, given) in calls(np, special, operands(dtype)).items():
        yield name, nanoseconds(lambda: f(*given))


def rows_of_jax(dtype):
    try:
        import jax
    except ImportError:
        return
    jax.config.update("jax_enable_x64", True)
    import jax.scipy.special as special
    on_device = {name: jax.numpy.asarray(a) for name, a in operands(dtype).items()}
    for name, (f, given) in calls(jax.numpy, special, on_device).items():
        compiled = jax.jit(lambda *a, f=f: f(*a))
        yield name, nanoseconds(lambda: compiled(*given).block_until_ready())


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--ours")
    parser.add_argument("--json")
    options = parser.parse_args()
    found = {}
    if options.ours:
        with open(options.ours) as file:
            for row in map(json.loads, file):
                found[row["name"], row["type"], "sinter"] = row["nanoseconds"]
    for dtype in ("float32", "float64"):
        for peer, rows in (("numpy", rows_of_numpy), ("jax", rows_of_jax)):
            found.update({(name, dtype, peer): ns for name, ns in rows(dtype)})
    print("| function | type | sinter | NumPy | JAX |\n|---|---|---:|---:|---:|")
    for name, dtype in dict.fromkeys((name, dtype) for name, dtype, _ in found):
        cells = [found.get((name, dtype, peer)) for peer in ("sinter", "numpy", "jax")]
        print(f"| {name} | {dtype} |", " | ".join("" if c is None else f"{c:.2f}" for c in cells), "|")
    if options.json:
        with open(options.json, "w") as file:
            for (name, dtype, peer), ns in found.items():
                row = {"benchmark": "functions", "name": name, "type": dtype, "peer": peer, "nanoseconds": ns}
                print(json.dumps(row), file=file)


if __name__ == "__main__":
    main()
