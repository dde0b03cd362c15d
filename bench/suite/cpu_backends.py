"""The libraries that the CPU's numbers are compared with, behind one small interface.

A backend binds a workload to a call. Formulas are written once, over the functions of NumPy that a
backend's `xp` offers; `loop`, `put_at` and `add_at` are what differs where values may not change in place.
"""

import re
import types

import numpy as np


class Missing(Exception):
    """This library has no natural version of the workload."""


def _namespace(module, **more):
    xp = types.SimpleNamespace(**{k: getattr(module, k) for k in (
        "exp log log1p sqrt sin cos tanh abs where maximum minimum clip sum mean prod std cumsum sort matmul "
        "concatenate stack zeros_like diagonal triu arange").split()})
    xp.__dict__.update(more)
    return xp


def _loop(count, step, state):
    for i in range(count):
        state = step(i, state)
    return state


def _put_at(a, where, value):
    a[where] = value
    return a


def _add_at(a, where, value):
    a[where] += value
    return a


def _erf():
    from scipy.special import erf
    return erf


class Numpy:
    name = "numpy"

    def __init__(self):
        self.xp = _namespace(
            np, atan2=np.arctan2, max=np.max, norm=np.linalg.norm, inv=np.linalg.inv,
            svd=np.linalg.svd, loop=_loop, put_at=_put_at, add_at=_add_at, copy=np.copy,
            astype=lambda x, t: x.astype({"f32": np.float32, "i64": np.int64}.get(t, np.float64))
            if t != "f32" or x.dtype != np.float64 else x,
            random=lambda shape: np.random.default_rng().random(shape), is_jax=False)
        try:
            self.xp.erf = _erf()
        except ImportError:
            pass

    def version(self):
        return np.__version__

    def bind(self, work, size):
        if work.needs_erf and not hasattr(self.xp, "erf"):
            raise Missing
        return lambda *arrays: work.formula(self.xp, size, *arrays)

    def put(self, host, kind):
        if kind == "bf16":
            raise Missing
        return host.astype({"f32": np.float32, "f64": np.float64, "i64": np.int64}[kind])

    def get(self, x):
        return x

    def copy(self, x):
        return x.copy()

    def wait(self, result):
        pass


class Numexpr(Numpy):
    name = "numexpr"

    def __init__(self):
        import numexpr
        self.ne = numexpr

    def version(self):
        return self.ne.__version__

    def bind(self, work, size):
        if not work.scalar or not work.numexpr:
            raise Missing
        names, results = work.scalar
        constants = {}
        if size["dtype"] == "f32":  # its own constants are double, and would make all of it double
            def named(match):
                constants["c%d" % len(constants)] = np.float32(match[0])
                return "c%d" % (len(constants) - 1)
            results = [re.sub(r"\b\d+\.\d+\b", named, text) for text in results]

        def call(*arrays):
            values = dict(zip(names, arrays), **constants)
            out = [self.ne.evaluate(text, local_dict=values) for text in results]
            return out if len(out) > 1 else out[0]
        return call


class Numba(Numpy):
    name = "numba"

    def __init__(self):
        import cpu_numba
        self.kernels = cpu_numba

    def version(self):
        return self.kernels.version

    def bind(self, work, size):
        if work.name in self.kernels.PROGRAMS:
            return self.kernels.PROGRAMS[work.name](size)
        if not work.scalar:
            raise Missing
        return self.kernels.elementwise(*work.scalar, size["dtype"])


class Jax:
    name = "jax"

    def __init__(self):
        import jax
        jax.config.update("jax_platforms", "cpu")
        jax.config.update("jax_enable_x64", True)
        import jax.numpy as jnp
        self.jax, self.jnp = jax, jnp
        types_of = {"f32": jnp.float32, "f64": jnp.float64, "i64": jnp.int64, "bf16": jnp.bfloat16}
        self.types = types_of
        self.xp = _namespace(
            jnp, atan2=jnp.arctan2, max=jnp.max, norm=jnp.linalg.norm, inv=jnp.linalg.inv,
            svd=jnp.linalg.svd, erf=jax.scipy.special.erf, copy=lambda x: x,
            loop=lambda n, step, state: jax.lax.fori_loop(0, n, step, state),
            put_at=lambda a, i, v: a.at[i].set(v), add_at=lambda a, i, v: a.at[i].add(v),
            astype=lambda x, t: x.astype(types_of[t]), is_jax=True, jax=jax)

    def version(self):
        return self.jax.__version__

    def bind(self, work, size):
        if work.eager_only:
            return lambda *arrays: work.formula(self.xp, size, *arrays)
        if work.random:
            key = self.jax.random.PRNGKey(3)
            made = self.jax.jit(lambda k: work.formula(types.SimpleNamespace(
                **{**self.xp.__dict__, "random": lambda s: self.jax.random.uniform(
                    k, s, dtype=self.jnp.float64)}), size))
            return lambda: made(key)
        return self.jax.jit(lambda *arrays: work.formula(self.xp, size, *arrays))

    def put(self, host, kind):
        return self.jnp.asarray(host).astype(self.types[kind])

    def get(self, x):
        return np.asarray(x.astype(self.jnp.float32) if x.dtype == self.jnp.bfloat16 else x)

    def copy(self, x):
        return self.jnp.array(x, copy=True)

    def wait(self, result):
        self.jax.block_until_ready(result)


def _torch_namespace(torch):
    is_tensor = torch.is_tensor

    def either(pick, clamp):
        def f(a, b):
            if not is_tensor(b):
                return clamp(a, b)
            return pick(a, b) if is_tensor(a) else clamp(b, a)
        return f

    def reduce(all_of, along):
        return lambda x, axis=None, keepdims=False: (
            all_of(x) if axis is None else along(x, dim=axis, keepdim=keepdims))

    types_of = {"f32": torch.float32, "f64": torch.float64, "i64": torch.int64, "bf16": torch.bfloat16}
    xp = types.SimpleNamespace(**{k: getattr(torch, k) for k in (
        "exp log log1p sqrt sin cos tanh abs erf atan2 where matmul zeros_like diagonal triu").split()})
    xp.__dict__.update(
        maximum=either(torch.maximum, torch.clamp_min), minimum=either(torch.minimum, torch.clamp_max),
        clip=torch.clamp, sum=reduce(torch.sum, torch.sum), mean=reduce(torch.mean, torch.mean),
        max=reduce(torch.amax, torch.amax), norm=torch.linalg.vector_norm,
        prod=lambda x, axis: torch.prod(x, dim=axis), cumsum=lambda x: torch.cumsum(x, 0),
        std=lambda x, axis: torch.std(x, dim=axis, unbiased=False), sort=lambda x: torch.sort(x)[0],
        concatenate=lambda xs, axis=0: torch.cat(xs, dim=axis), stack=lambda xs, axis=0: torch.stack(xs, axis),
        arange=lambda n: torch.arange(n), inv=torch.linalg.inv, svd=torch.linalg.svd, loop=_loop,
        put_at=_put_at, add_at=_add_at, copy=torch.clone, astype=lambda x, t: x.to(types_of[t]),
        random=lambda shape: torch.rand(shape, dtype=torch.float64), is_jax=False, types=types_of)
    return xp


class Torch:
    name = "torch"

    def __init__(self):
        import torch
        torch.set_grad_enabled(False)
        self.torch, self.xp = torch, _torch_namespace(torch)

    def version(self):
        return self.torch.__version__

    def bind(self, work, size):
        if work.torch:  # the library's own call
            return lambda *arrays: work.torch(self.torch, size, *arrays)
        return lambda *arrays: work.formula(self.xp, size, *arrays)

    def put(self, host, kind):
        return self.torch.tensor(host).to(self.xp.types[kind])  # its own memory: some write in place

    def get(self, x):
        return (x.float() if x.dtype == self.torch.bfloat16 else x).numpy()

    def copy(self, x):
        return x.clone()

    def wait(self, result):
        pass


class TorchCompile(Torch):
    name = "torch_compile"

    def bind(self, work, size):
        return self.torch.compile(lambda *a: work.formula(self.xp, size, *a), dynamic=False)


BACKENDS = {b.name: b for b in (Numpy, Numexpr, Numba, Jax, Torch, TorchCompile)}
