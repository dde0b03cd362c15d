#!/usr/bin/env python3
"""What CuPy, JAX and PyTorch take for the linear algebra of bench/linalg and of the suite, on a GPU.

    linalg_peers.py --json FILE [--peers torch,jax,cupy] [--only NAMES] [--quick]

Peers that are not installed, or see no GPU, are left out with a line that says so. Each row is the median of
calls back to back, waited for at the end of a batch: {"benchmark": "linalg", "peer", "name", "n", "seconds"}.
"""

import argparse
import importlib
import json
import statistics
import sys
import time

ROOT, CUBE = 0.7978845608028654, 0.044715
DEFAULT, TF32 = 1, 7  # CuPy's COMPUTE_TYPE_...
STACKS = {4: 50000, 8: 10000, 16: 1000, 32: 1000, 64: 256, 200: 64}  # side: how many matrices
STACKED = ["cholesky_stack", "inv_stack", "solve_stack", "eigh_stack", "qr_stack"]


def sizes(quick):
    """name: sides"""
    if quick:
        return {"random_inv": [1, 10, 100], "svd": [100], "ieee": [512], "tf32": [512], "bf16": [512],
                "bf16_bias": [512], "bf16_bias_gelu_residual": [512], "det_stack": [3], "norm": [1000],
                **{name: [16] for name in STACKED}}
    return {"random_inv": [1, 3, 10, 31, 100, 316, 1000, 3162, 10000], "svd": [100, 1000], "ieee": [15000],
            "tf32": [15000], "bf16": [4096], "bf16_bias": [4096], "bf16_bias_gelu_residual": [4096],
            "det_stack": [3], "norm": [1000000], **{name: list(STACKS) for name in STACKED}}


def stacked(linalg, name, x, positive, right):
    """A routine, and what it is given, of a stack of matrices."""
    kind = name.removesuffix("_stack")
    given = {"cholesky": (positive,), "eigh": (positive,), "solve": (x, right)}.get(kind, (x,))
    return getattr(linalg, kind), given


class Torch:
    def __init__(self):
        import torch
        self.torch = torch
        if not torch.cuda.is_available():
            raise RuntimeError("it sees no GPU")
        self.wait = lambda _: torch.cuda.synchronize()
        self.names = ["eager", "compiled"]

    def work(self, name, n, way):
        t = self.torch
        t.backends.cuda.matmul.allow_tf32 = name == "tf32"
        f64 = dict(device="cuda", dtype=t.float64)
        if name == "random_inv":
            f, args = lambda: t.linalg.inv(t.rand(n, n, **f64)), ()
        elif name == "svd":
            f, args = lambda a: t.linalg.svd(a, full_matrices=False), (t.randn(n, n, **f64),)
        elif name in ("ieee", "tf32"):
            f, args = t.matmul, (t.rand(n, n, device="cuda"), t.rand(n, n, device="cuda"))
        elif name == "det_stack":
            f, args = t.linalg.det, (t.arange(2 * n * n, **f64).reshape(2, n, n),)
        elif name == "norm":
            f, args = t.linalg.norm, (t.randn(n, **f64),)
        elif name in STACKED:
            if name == "qr_stack" and n < 64:
                return None  # a call a matrix: seconds
            x = t.randn(STACKS[n], n, n, **f64)
            f, args = stacked(t.linalg, name, x, x @ x.mT / n + t.eye(n, **f64), x[..., :1] + 0)
        else:
            half = dict(device="cuda", dtype=t.bfloat16)
            a, b, r = (t.randn(n, n, **half) / k for k in (1, n**0.5, 1))
            bias = t.randn(n, **half)
            gelu = t.nn.functional.gelu
            f, args = {"bf16": (t.matmul, (a, b)),
                       "bf16_bias": (lambda a, b, c: t.addmm(c, a, b), (a, b, bias)),
                       "bf16_bias_gelu_residual": (
                           lambda a, b, c, r: gelu(t.addmm(c, a, b), approximate="tanh") + r,
                           (a, b, bias, r))}[name]
        if way == "compiled":
            if not name.startswith("bf16"):
                return None
            f = t.compile(f, mode="max-autotune-no-cudagraphs")
        return lambda: f(*args)


class Jax:
    def __init__(self):
        import jax
        jax.config.update("jax_enable_x64", True)
        if jax.default_backend() != "gpu":
            raise RuntimeError("it sees no GPU")
        self.jax = jax
        self.wait = jax.block_until_ready
        self.names = ["jit"]

    def work(self, name, n, _):
        jax, np = self.jax, self.jax.numpy
        key = jax.random.key(0)

        def normal(shape, dtype=np.float64):
            return jax.random.normal(key, shape, np.float32).astype(dtype)

        precision = "tensorfloat32" if name == "tf32" else "highest"
        if name == "random_inv":
            f, args = lambda k: np.linalg.inv(jax.random.uniform(k, (n, n), np.float64)), (key,)
        elif name == "svd":
            f, args = lambda a: np.linalg.svd(a, full_matrices=False), (normal((n, n)),)
        elif name in ("ieee", "tf32"):
            a = jax.random.uniform(key, (n, n), np.float32)
            f, args = lambda a, b: np.matmul(a, b, precision=precision), (a, a + 0)
        elif name == "det_stack":
            f, args = np.linalg.det, (np.arange(2.0 * n * n).reshape(2, n, n),)
        elif name == "norm":
            f, args = np.linalg.norm, (normal((n,)),)
        elif name in STACKED:
            x = normal((STACKS[n], n, n))
            positive = np.matmul(x, x.swapaxes(-1, -2), precision="highest") / n + np.eye(n)
            f, args = stacked(np.linalg, name, x, positive, x[..., :1] + 0)
        else:
            half = np.bfloat16
            a, b, r, bias = normal((n, n), half), normal((n, n), half), normal((n, n), half), normal((n,), half)
            f, args = {"bf16": (np.matmul, (a, b)), "bf16_bias": (lambda a, b, c: a @ b + c, (a, b, bias)),
                       "bf16_bias_gelu_residual": (
                           lambda a, b, c, r: jax.nn.gelu(a @ b + c, approximate=True) + r,
                           (a, b, bias, r))}[name]
        f = jax.jit(f)
        return lambda: f(*args)


class Cupy:
    def __init__(self):
        import cupy
        cupy.cuda.runtime.getDeviceCount()
        self.cupy = cupy
        self.wait = lambda _: cupy.cuda.Device().synchronize()
        self.names = ["eager"]

    def work(self, name, n, _):
        cp = self.cupy
        core = importlib.import_module("cupy._core._routines_linalg")  # as CUPY_TF32=1 does for a process
        core.set_compute_type(cp.dtype("float32"), TF32 if name == "tf32" else DEFAULT)
        if name == "random_inv":
            return lambda: cp.linalg.inv(cp.random.rand(n, n))
        if name == "svd":
            a = cp.random.randn(n, n)
            return lambda: cp.linalg.svd(a, full_matrices=False)
        if name in ("ieee", "tf32"):
            a, b = cp.random.rand(n, n, dtype=cp.float32), cp.random.rand(n, n, dtype=cp.float32)
            return lambda: cp.matmul(a, b)
        if name == "det_stack":
            a = cp.arange(2.0 * n * n).reshape(2, n, n)
            return lambda: cp.linalg.det(a)
        if name == "norm":
            a = cp.random.randn(n)
            return lambda: cp.linalg.norm(a)
        if name in STACKED and name not in ("eigh_stack", "qr_stack"):  # a call a matrix: seconds
            x = cp.random.randn(STACKS[n], n, n)
            f, args = stacked(cp.linalg, name, x, x @ x.swapaxes(-1, -2) / n + cp.eye(n), x[..., :1] + 0)
            return lambda: f(*args)
        return None  # it has no bfloat16


def measure(call, wait, quick):
    for _ in range(2):
        wait(call())
    start = time.perf_counter()
    wait(call())
    once = time.perf_counter() - start
    count = max(1, min(200, int((0.02 if quick else 0.1) / once)))
    times = []
    for _ in range(5 if once < 0.5 else 3):
        start = time.perf_counter()
        for _ in range(count):
            result = call()
        wait(result)
        times.append((time.perf_counter() - start) / count)
    return statistics.median(times)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--json", required=True)
    parser.add_argument("--peers", default="torch,jax,cupy")
    parser.add_argument("--only", default="")
    parser.add_argument("--quick", action="store_true")
    o = parser.parse_args()
    kinds = {"torch": Torch, "jax": Jax, "cupy": Cupy}
    only = set(filter(None, o.only.split(",")))
    with open(o.json, "a") as out:
        for peer in o.peers.split(","):
            try:
                p = kinds[peer]()
            except Exception as e:  # whatever an installation lacks
                print(f"{peer} is left out: {e}", file=sys.stderr)
                continue
            for name, sides in sizes(o.quick).items():
                if only and name not in only:
                    continue
                for n in sides:
                    for way in p.names:
                        try:
                            call = p.work(name, n, way)
                            if call is None:
                                continue
                            seconds = measure(call, p.wait, o.quick)
                        except Exception as e:
                            print(f"{peer} {way} {name} {n} fails: {e}", file=sys.stderr)
                            continue
                        row = {"benchmark": "linalg", "peer": peer, "way": way, "name": name, "n": n,
                               "seconds": seconds}
                        print(json.dumps(row), file=out, flush=True)
                        print(f"{peer:6} {way:9} {name:24} {n:6} {seconds * 1e3:12.4f} ms", flush=True)


if __name__ == "__main__":
    main()
