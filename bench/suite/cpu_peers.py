#!/usr/bin/env python3
"""What NumPy, numexpr, Numba, JAX and PyTorch take for the suite's workloads on this CPU.

    cpu_peers.py --suite build/release/bin/suite --json FILE [--only NAMES] [--peers NAMES] [--quick]

Workloads and sizes are asked of the suite (`suite --list --device cpu`), and the suite itself runs beside
its peers, one workload after the other, so that what else the machine does hits all alike. Peers that are
not installed are left out. The JSON fields are the suite's; `gpu_us` is the time of a call on the CPU.
A peer's result is compared with NumPy's over float64 at the checked size.
"""

import argparse
import json
import math
import os
import subprocess
import sys
import time

# Ours and NumPy's OpenBLAS choose their kernels by the processor, as JAX's products do: a type that
# somebody has set (Haswell's, on processors with twice as wide registers) would slow these two alone.
for variable in ('OPENBLAS_CORETYPE', 'OPENBLAS_L2_SIZE'):
    os.environ.pop(variable, None)

import numpy as np

from cpu_workloads import WORKLOADS, inputs_of
from cpu_backends import BACKENDS, Missing


def flat(outputs):
    return list(outputs) if isinstance(outputs, (tuple, list)) else [outputs]


def relative_error(got, want):
    worst = 0.0
    for g, w in zip(got, want, strict=True):
        g, w = np.asarray(g, np.float64), np.asarray(w, np.float64)
        if g.shape != w.shape:
            return math.inf
        e = np.linalg.norm((g - w).ravel()) / max(np.linalg.norm(w.ravel()), 1e-300)
        worst = max(worst, math.inf if np.isnan(e) else e)
    return float(worst)


def batch(call, count, wait, prepare=None):
    if prepare:
        prepare()
    start = time.perf_counter()
    for _ in range(count):
        result = call()
    wait(result)
    return (time.perf_counter() - start) / count


def measure(call, wait, quick, prepare=None):
    """Median and least seconds of a call, of calls back to back."""
    about = batch(call, 1, wait, prepare)
    if about < 5e-3:
        for _ in range(3):
            about = batch(call, 1, wait, prepare)
    size, total = (2e-3, 0.03) if quick else (4e-3, 0.15)
    count = 1 if prepare else min(1000, max(1, int(size / about)))
    batches = min(25, max(3, int(total / (count * about))))
    if about > 0.25:
        batches = 1 if about > 1 else 2
    seconds = sorted(batch(call, count, wait, prepare) for _ in range(batches))
    return seconds[len(seconds) // 2], seconds[0]


def run_one(work, backend, size, quick, seed):
    row = {k: size[k] for k in ("workload", "size", "dtype", "bytes_min", "flops")}
    row["peer"] = backend.name
    call = backend.bind(work, size)  # Missing is raised before any data is made
    host = inputs_of(work, size, np.random.default_rng(seed))
    arrays = [backend.put(x, kind) for x, kind in host]
    fresh = (lambda: [backend.copy(a) for a in arrays]) if work.in_place else (lambda: arrays)
    start = time.perf_counter()
    result = call(*fresh())
    backend.wait(result)
    row["first_call_ms"] = 1e3 * (time.perf_counter() - start)
    if size["checked"] and work.compare:
        exact = [x.astype(np.float64) if x.dtype.kind == "f" else x.copy() for x, _ in host]
        want = BACKENDS["numpy"]().bind(work, size)(*exact)
        row["check_rel_err"] = relative_error([backend.get(x) for x in flat(result)], flat(want))
        row["check_ok"] = bool(row["check_rel_err"] <= work.tolerance(size))
    if size["timed"]:
        state = fresh()

        def restore():  # a call changes its input
            state[:] = fresh()
        median, least = measure(lambda: call(*state), backend.wait, quick,
                                restore if work.in_place else None)
        moved = size["bytes_sweep"] or size["bytes_min"]
        row.update(gpu_us=1e6 * median, host_us=1e6 * median, min_us=1e6 * least,
                   gbps_effective=moved / median * 1e-9, tflops=size["flops"] / median * 1e-12)
    return row


def suite_rows(suite, name, quick, scratch):
    if os.path.exists(scratch):
        os.remove(scratch)
    command = [suite, "--device", "cpu", "--only", name, "--json", scratch]
    subprocess.run(command + (["--quick"] if quick else []), stdout=subprocess.DEVNULL, check=False)
    with open(scratch) as f:
        return [json.loads(line) for line in f]


def sizes_of(suite, only):
    command = [suite, "--device", "cpu", "--list"] + (["--only", only] if only else [])
    listed = {}
    for line in subprocess.run(command, capture_output=True, text=True, check=True).stdout.splitlines():
        size = json.loads(line)
        listed.setdefault(size["workload"], []).append(size)
    return listed


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--suite", required=True, help="the suite's program")
    parser.add_argument("--json", required=True)
    parser.add_argument("--only", default="")
    parser.add_argument("--peers", default="numpy,numexpr,numba,jax,torch")
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--no-suite", action="store_true", help="the peers alone")
    options = parser.parse_args()
    backends = []
    for name in options.peers.split(","):
        try:
            backends.append(BACKENDS[name]())
        except ImportError as e:
            print(f"{name}: left out: {e}", file=sys.stderr)
    seed = int.from_bytes(os.urandom(4), "little")
    with open(options.json, "a") as out:
        def keep(row):
            out.write(json.dumps(row) + "\n")
            out.flush()
        keep({"workload": "env", "peer": "-", "device": "cpu", "seed": seed,
              "versions": {b.name: b.version() for b in backends}, "cores": os.cpu_count()})
        for name, sizes in sizes_of(options.suite, options.only).items():
            if not options.no_suite:
                for row in suite_rows(options.suite, name, options.quick, options.json + ".part"):
                    keep(row)
            if name not in WORKLOADS:
                print(f"{name}: no peer has it", file=sys.stderr)
                continue
            for backend in backends:
                for size in sizes:
                    try:
                        row = run_one(WORKLOADS[name], backend, size, options.quick, seed)
                    except Missing:
                        break
                    except Exception as e:  # a peer's failure is a row, not the end of the run
                        row = {"workload": name, "size": size["size"], "peer": backend.name,
                               "status": "error", "error": f"{type(e).__name__}: {e}"[:300]}
                    print("%-18s %-14s %-10s %12.1f us %s %s" % (
                        name, size["size"], backend.name, row.get("gpu_us", 0.0),
                        {True: "ok", False: "WRONG"}.get(row.get("check_ok"), ""), row.get("error", "")))
                    keep(row)
    if os.path.exists(options.json + ".part"):
        os.remove(options.json + ".part")


if __name__ == "__main__":
    main()
