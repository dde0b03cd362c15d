"""The suite's workloads for libraries of Python: inputs, and formulas over a namespace of NumPy's functions.

`scalar` has the names of the inputs and the results as text, for libraries that compile text.
"""

import math
from dataclasses import dataclass, field
from typing import Callable, Optional

import numpy as np

from cpu_ocean import enthalpy_slope, turbulence


@dataclass
class Workload:
    name: str
    inputs: Callable  # size -> [(kind, shape, dtype, a, b)]
    formula: Callable  # xp, size, *arrays -> array or tuple
    scalar: Optional[tuple] = None
    numexpr: bool = True
    torch: Optional[Callable] = None
    compare: bool = True
    in_place: bool = False
    random: bool = False
    eager_only: bool = False  # a shape that depends on values
    needs_erf: bool = False
    looser: dict = field(default_factory=dict)

    def tolerance(self, size):
        return max(size["tolerance"], self.looser.get(size["dtype"], 0))


WORKLOADS = {}


def add(name, inputs, formula, **more):
    WORKLOADS[name] = Workload(name, inputs, formula, **more)


def uniform(dtype, low=0.0, high=1.0, shape=lambda s: (s["n"],)):
    return "u", shape, dtype, low, high


def normal(dtype, mean=0.0, stddev=1.0, shape=lambda s: (s["n"],)):
    return "n", shape, dtype, mean, stddev


def integers(low, high, shape=lambda s: (s["n"],)):
    return "i", shape, "i64", low, high


def always(*specs):
    return lambda size: specs


def inputs_of(work, size, rng):
    """[(array as numpy has it, dtype)]"""
    made = []
    for kind, shape, dtype, a, b in work.inputs(size):
        shape = shape(size)
        if kind == "h":
            x = a(shape, rng)
        elif kind == "i":
            x = rng.integers(a, b, size=shape)
        else:
            x = (rng.uniform if kind == "u" else rng.normal)(a, b, size=shape)
        exact = {"f32": np.float32, "i64": np.int64, "f64": np.float64}
        if dtype == "bf16":  # rounded, so that all see the same
            u = x.astype(np.float32).view(np.uint32)
            x = ((u + 0x7fff + ((u >> 16) & 1)) & np.uint32(0xffff0000)).view(np.float32)
        else:
            x = x.astype(exact[dtype])
        made.append((x, dtype))
    return made


def square(s):
    return s["n"], s["n"]


def matrix(s):
    return s["rows"], s["columns"]


# ---- maps

add("softplus", always(normal("f32", 0, 3)),
    lambda xp, s, x: xp.maximum(x, 0.0) + xp.log1p(xp.exp(-xp.abs(x))),
    scalar=("x", ["where(x > zero, x, zero) + log1p(exp(-abs(x)))".replace("zero", "0")]))
for _t, _in in (("f32", uniform("f32", .5, 2)), ("i64", integers(1, 1000))):
    add("saxpy_" + _t, always(_in, _in, _in), lambda xp, s, x, y, z: x * y + z, scalar=("xyz", ["x * y + z"]))
add("gaussian_pdf", always(uniform("f32", -3, 3)),
    lambda xp, s, x: xp.exp(-0.5 * ((x - 0.3) / 1.7) ** 2) / (1.7 * math.sqrt(2 * math.pi)),
    scalar=("x", ["exp(-0.5 * ((x - 0.3) / 1.7) ** 2) / %r" % (1.7 * math.sqrt(2 * math.pi))]))
_r, _a = uniform("f32", .5, 1.5), uniform("f32", -math.pi, math.pi)
add("polar_distance", always(_r, _a, _r, _a),
    lambda xp, s, p, t, q, u: ((p * xp.cos(t) - q * xp.cos(u)) ** 2 + (p * xp.sin(t) - q * xp.sin(u)) ** 2) ** 0.5,
    scalar=("ptqu", ["sqrt((p * cos(t) - q * cos(u)) ** 2 + (p * sin(t) - q * sin(u)) ** 2)"]))
add("exp_sq_f32", always(normal("f32")), lambda xp, s, x: xp.exp(-0.5 * x ** 2),
    scalar=("x", ["exp(-0.5 * x ** 2)"]))
add("exp_sq_i64", always(integers(0, 10)), lambda xp, s, x: xp.exp(-0.5 * xp.astype(x * x, "f64")),
    scalar=("x", ["exp(-0.5 * x ** 2)"]))
add("vecadd_f64", always(uniform("f64"), uniform("f64")), lambda xp, s, x, y: x + y, scalar=("xy", ["x + y"]))
add("npb_compute", always(integers(0, 1000, square), integers(0, 1000, square)),
    lambda xp, s, x, y: xp.clip(x, 2, 10) * 4 + y * 3 + 9,
    scalar=("xy", ["where(x < 2, 2, where(x > 10, 10, x)) * 4 + y * 3 + 9"]))
add("bcast_add_i64", always(integers(0, 99, lambda s: (s["n"], 1)), integers(0, 99, square)),
    lambda xp, s, b, c: b + c, scalar=("bc", ["b + c"]))
add("npb_arc_distance", always(*[uniform("f64")] * 4),
    lambda xp, s, t1, f1, t2, f2: _arc(xp, xp.sin((t2 - t1) * 0.5) ** 2 + xp.cos(t1) * xp.cos(t2)
                                       * xp.sin((f2 - f1) * 0.5) ** 2),
    scalar=("tfuv", ["2 * arctan2(sqrt(H), sqrt(1 - (H)))".replace(
        "H", "sin((u - t) * 0.5) ** 2 + cos(t) * cos(u) * sin((v - f) * 0.5) ** 2")]))


def _arc(xp, h):
    return 2.0 * xp.atan2(xp.sqrt(h), xp.sqrt(1.0 - h))


def _cube(xp, s, x):
    if xp.is_jax:
        return (x * 3) * (x * 3)
    x *= 3
    x *= x
    return x


add("cube_inplace", always(uniform("f64", .1, 1, lambda s: (s["n"],) * 3)), _cube, in_place=True,
    scalar=("x", ["(x * 3) * (x * 3)"]))


def _chain(length):
    def formula(xp, s, x, y):
        v = x
        steps = (lambda v: v * y, lambda v: v + 0.37, xp.abs, xp.sqrt, lambda v: v + y, lambda v: xp.maximum(v, 0.2),
                 lambda v: v * 0.83, lambda v: xp.minimum(v, 2.5), lambda v: xp.exp(-v), lambda v: v / y)
        for j in range(length):
            v = steps[j % 10](v)
        return v
    return formula


def _chain_text(length):
    """As text that reads `v` once a step, so that it does not grow."""
    steps = ("({}) * y", "({}) + 0.37", "abs({})", "sqrt({})", "({}) + y", "larger({}, 0.2)", "({}) * 0.83",
             "smaller({}, 2.5)", "exp(-({}))", "({}) / y")
    text = "x"
    for j in range(length):
        text = steps[j % 10].format(text)
    return text


for _k in (5, 20, 50):
    add("chain%d" % _k, always(uniform("f32", .1, 1), uniform("f32", .5, 1.5)), _chain(_k),
        scalar=("xy", [_chain_text(_k)]), numexpr=_k == 5)


def _prices(xp, s, x, k, t):
    r, v = 0.02, 0.30
    sq = xp.sqrt(t) * v
    d1 = (xp.log(x / k) + (r + 0.5 * v * v) * t) / sq
    n1 = 0.5 + 0.5 * xp.erf(d1 * 0.7071067811865476)
    n2 = 0.5 + 0.5 * xp.erf((d1 - sq) * 0.7071067811865476)
    e = k * xp.exp(-r * t)
    return x * n1 - e * n2, e * (1.0 - n2) - x * (1.0 - n1)


for _t in ("f32", "f64"):
    add("black_scholes_" + _t, always(uniform(_t, 5, 30), uniform(_t, 1, 100), uniform(_t, .25, 10)), _prices,
        needs_erf=True)


def _escape(xp, s, cr, ci):
    zr, zi, n = cr, ci, 0.0
    for _ in range(20):
        a, b = zr * zr, zi * zi
        n = n + xp.astype(a + b < 4.0, "f32")
        zi = 2.0 * zr * zi + ci
        zr = a - b + cr
    return n


add("mandel20", always(uniform("f32", -2, .6), uniform("f32", -1.2, 1.2)), _escape)

# ---- creation

add("arange_T2", always(), lambda xp, s: xp.arange(s["n"]).reshape(1000, -1).T * 2)
add("random_create", always(), lambda xp, s: xp.random((s["n"], s["n"])), compare=False, random=True)
add("random_inv", always(), lambda xp, s: xp.inv(xp.random((s["n"], s["n"]))), compare=False, random=True)

# ---- reductions

add("norm", always(normal("f32")), lambda xp, s, x: xp.norm(x))
add("sum_all", always(uniform("f32")), lambda xp, s, x: xp.sum(x))
add("sum_rows", always(uniform("f32", shape=square)), lambda xp, s, x: xp.sum(x, axis=1))
add("sum_cols", always(uniform("f32", shape=square)), lambda xp, s, x: xp.sum(x, axis=0))
add("var_flat", always(normal("f32", .2, 1)),
    lambda xp, s, x: xp.sum(x * x) / s["n"] - (xp.sum(x) / s["n"]) ** 2)
add("colprod", always(uniform("f64", .999, 1.001, lambda s: (s["z"], s["y"], s["y"]))),
    lambda xp, s, a: xp.prod(a, axis=0))
add("colstats", always(normal("f32", 1, 2, lambda s: (s["m"], s["n"]))),
    lambda xp, s, x: (xp.sum(x, axis=0), xp.mean(x, axis=0), xp.std(x, axis=0)))
add("npb_go_fast", always(uniform("f64", shape=square)),
    lambda xp, s, a: a + xp.sum(xp.tanh(xp.diagonal(a))))
add("cumsum", always(uniform("f32", -1, 1)), lambda xp, s, x: xp.cumsum(x))

# ---- rows


def _softmax(xp, s, x):
    v = xp.astype(x, "f32")
    e = xp.exp(v - xp.max(v, axis=-1, keepdims=True))
    y = e / xp.sum(e, axis=-1, keepdims=True)
    return xp.astype(y, "bf16") if s["dtype"] == "bf16" else y


def _layernorm(xp, s, x, g, b):
    v = xp.astype(x, "f32")
    d = v - xp.mean(v, axis=-1, keepdims=True)
    y = d / xp.sqrt(xp.mean(d * d, axis=-1, keepdims=True) + 1e-5)
    y = y * xp.astype(g, "f32") + xp.astype(b, "f32")
    return xp.astype(y, "bf16") if s["dtype"] == "bf16" else y


def _logsumexp(xp, s, x):
    m = xp.max(x, axis=-1, keepdims=True)
    return (xp.log(xp.sum(xp.exp(x - m), axis=-1, keepdims=True)) + m)[:, 0]


for _t in ("f32", "bf16"):
    add("softmax_" + _t, always(normal(_t, 0, 2, matrix)), _softmax,
        torch=lambda torch, s, x: torch.softmax(x, -1))
    _line = lambda s: (s["columns"],)  # noqa: E731
    add("layernorm_" + _t, always(normal(_t, .3, 2, matrix), uniform(_t, .5, 1.5, _line), normal(_t, shape=_line)),
        _layernorm, torch=lambda torch, s, x, g, b: torch.nn.functional.layer_norm(x, (s["columns"],), g, b, 1e-5))
add("logsumexp", always(normal("f32", 0, 2, matrix)), _logsumexp,
    torch=lambda torch, s, x: torch.logsumexp(x, -1))
add("npb_softmax", always(uniform("f32", shape=lambda s: (s["n"], s["m"], s["x"], s["x"]))), _softmax,
    torch=lambda torch, s, x: torch.softmax(x, -1))

# ---- stencils

I, BEFORE, AFTER = slice(1, -1), slice(None, -2), slice(2, None)


def _sweeps(update, where):
    """From one field to the other and back."""
    def formula(xp, s, a, b):
        def two(i, state):
            a, b = state
            b = xp.put_at(b, where, update(a))
            a = xp.put_at(a, where, update(b))
            return a, b
        return xp.loop(s["steps"] // 2, two, (a, b))
    return formula


def _five(a):
    return 0.2 * (a[I, I] + a[BEFORE, I] + a[AFTER, I] + a[I, BEFORE] + a[I, AFTER])


def _around(a):
    return (a[AFTER, I, I] + a[BEFORE, I, I] + a[I, AFTER, I] + a[I, BEFORE, I] + a[I, I, AFTER] + a[I, I, BEFORE]
            - 6.0 * a[I, I, I])


for _name, _t, _rank, _update in (
        ("jacobi2d_f32", "f32", 2, _five), ("npb_jacobi_2d", "f64", 2, _five),
        ("npb_jacobi_1d", "f64", 1, lambda a: 0.33333 * (a[:-2] + a[1:-1] + a[2:])),
        ("heat3d_f32", "f32", 3, lambda a: a[I, I, I] + 0.1 * _around(a)),
        ("npb_heat_3d", "f64", 3, lambda a: a[I, I, I] + 0.125 * _around(a))):
    _field = uniform(_t, shape=lambda s, rank=_rank: (s["n"],) * rank)
    add(_name, always(_field, _field), _sweeps(_update, (I,) * _rank))


def _fdtd(xp, s, ex, ey, hz, f):
    every, rest, most = slice(None), slice(1, None), slice(None, -1)

    def step(t, state):
        ex, ey, hz = state
        ey = xp.put_at(ey, (0, every), f[t])
        ey = xp.add_at(ey, (rest, every), -0.5 * (hz[1:, :] - hz[:-1, :]))
        ex = xp.add_at(ex, (every, rest), -0.5 * (hz[:, 1:] - hz[:, :-1]))
        hz = xp.add_at(hz, (most, most), -0.7 * (ex[:-1, 1:] - ex[:-1, :-1] + ey[1:, :-1] - ey[:-1, :-1]))
        return ex, ey, hz
    return xp.loop(s["steps"], step, (ex, ey, hz))


_grid = uniform("f64", shape=lambda s: (s["x"], s["y"]))
add("npb_fdtd_2d", always(_grid, _grid, _grid, uniform("f64", shape=lambda s: (s["steps"],))), _fdtd)

# ---- products and the like

_m = normal("f32", shape=square)
for _t in ("f32", "tf32"):  # a CPU has no TF32
    add("matmul_" + _t, always(_m, _m), lambda xp, s, a, b: xp.matmul(a, b))


def _layer(xp, s, a, b, bias, r):
    h = xp.astype(xp.matmul(a, b), "f32") + xp.astype(bias, "f32")
    g = 0.5 * h * (1.0 + xp.tanh(0.7978845608028654 * (h + 0.044715 * h * h * h)))
    return xp.astype(g + xp.astype(r, "f32"), "bf16")


def _gemm_inputs(s):
    m = normal("bf16", shape=square)
    return m, normal("bf16", 0, s["n"] ** -.5, square), normal("bf16"), m


add("gemm_epilogue", _gemm_inputs, _layer, torch=lambda torch, s, a, b, bias, r: torch.nn.functional.gelu(
    torch.addmm(bias, a, b), approximate="tanh") + r)
add("svd", always(normal("f64", shape=square)), lambda xp, s, a: tuple(xp.svd(a)), compare=False)
add("inv_check", always(normal("f64", shape=square)), lambda xp, s, a: xp.inv(a))
add("bool_select", always(integers(0, 1000)), lambda xp, s, x: x[x % 3 == 1], eager_only=True)
add("gather", lambda s: (normal("f32"), integers(0, s["n"])), lambda xp, s, x, j: x[j])
add("sort", always(normal("f32")), lambda xp, s, x: xp.sort(x))

# ---- loops


def _forces(xp, pos, mass):
    c = [pos[:, k:k + 1] for k in range(3)]
    d = [x.T - x for x in c]
    i3 = (d[0] * d[0] + d[1] * d[1] + d[2] * d[2] + 0.01) ** (-1.5)
    return xp.concatenate([xp.matmul(x * i3, mass) for x in d], axis=1)


def _energies(xp, pos, vel, mass):
    c = [pos[:, k:k + 1] for k in range(3)]
    d = [x.T - x for x in c]
    r = xp.sqrt(d[0] * d[0] + d[1] * d[1] + d[2] * d[2])
    inverse = xp.where(r > 0.0, 1.0 / xp.where(r > 0.0, r, 1.0), 0.0)
    return 0.5 * xp.sum(mass * vel * vel), xp.sum(xp.triu(-(mass * mass.T) * inverse, 1))


def _nbody(xp, s, mass, pos, vel):
    vel = vel - xp.mean(mass * vel, axis=0) / xp.mean(mass)
    energies = xp.stack(_energies(xp, pos, vel, mass))
    out = xp.concatenate([energies[:, None], xp.stack([mass[0, 0] * 0] * (2 * s["steps"])).reshape(2, -1)], axis=1)

    def step(t, state):
        pos, vel, acc, out = state
        vel = vel + acc * 0.005
        pos = pos + vel * 0.01
        acc = _forces(xp, pos, mass)
        vel = vel + acc * 0.005
        out = xp.put_at(out, (slice(None), t + 1), xp.stack(_energies(xp, pos, vel, mass)))
        return pos, vel, acc, out
    out = xp.loop(s["steps"], step, (pos, vel, _forces(xp, pos, mass), out))[3]
    return out[0], out[1]


_bodies = uniform("f64", shape=lambda s: (s["n"], 3))
add("npb_nbody", always(uniform("f64", .15, .25, lambda s: (s["n"], 1)), _bodies, _bodies), _nbody)


def _mandelbrot(xp, s, x, y):
    cr, ci = x[None, :] + 0.0 * y[:, None], 0.0 * x[None, :] + y[:, None]

    def step(i, state):
        zr, zi, n = state
        a, b = zr * zr, zi * zi
        inside = a + b < 4.0
        return (xp.where(inside, a - b + cr, zr), xp.where(inside, 2.0 * zr * zi + ci, zi),
                n + xp.astype(inside, "i64"))
    zr, zi, n = xp.loop(s["steps"], step, (cr * 0.0, ci * 0.0, xp.astype(cr * 0.0, "i64")))
    return zr, zi, xp.where(n == s["steps"], 0, n - 1)


def _points(low, high):
    return "h", lambda s: (s["n"],), "f64", lambda shape, rng: np.linspace(low, high, *shape) + 1e-4, None


add("npb_mandelbrot1", always(_points(-2, .5), _points(-1.25, 1.25)), _mandelbrot)


def solved(xp, a, b, c, d):
    """A tridiagonal system along the last axis, without pivoting."""
    if xp.is_jax:
        lax, np_ = xp.jax.lax, xp.jax.numpy
        rows = tuple(np_.moveaxis(x, -1, 0) for x in (a, b, c, d))

        def forwards(state, row):
            w = 1.0 / (row[1] - row[0] * state[0])
            state = row[2] * w, (row[3] - row[0] * state[1]) * w
            return state, state

        def backwards(x, row):
            x = row[1] - row[0] * x
            return x, x
        zero = np_.zeros_like(rows[0][0])
        _, both = lax.scan(forwards, (zero, zero), rows)
        return np_.moveaxis(lax.scan(backwards, zero, both, reverse=True)[1], 0, -1)
    cs, ds = [], []
    for k in range(a.shape[-1]):
        w = 1.0 / (b[..., k] - a[..., k] * cs[-1] if k else b[..., k])
        ds.append((d[..., k] - a[..., k] * ds[-1] if k else d[..., k]) * w)
        cs.append(c[..., k] * w)
    x = [ds[-1]]
    for k in range(len(cs) - 2, -1, -1):
        x.append(ds[k] - cs[k] * x[-1])
    return xp.stack(x[::-1], axis=-1)


def _vadv(xp, s, us, u, w, up, ut):
    gv, zero = 0.125 * (w[1:, :, 1:] + w[:-1, :, 1:]), xp.zeros_like(us[:, :, :1])
    a, c = xp.concatenate([zero, -gv], axis=2), xp.concatenate([gv, zero], axis=2)
    du = u[:, :, 1:] - u[:, :, :-1]
    right = a * xp.concatenate([zero, du], axis=2) - c * xp.concatenate([du, zero], axis=2)
    return 0.15 * (solved(xp, a, 0.15 - a - c, c, 0.15 * up + ut + us + right) - up)


_box = uniform("f64", shape=lambda s: (s["x"], s["y"], s["z"]))
_wide = uniform("f64", shape=lambda s: (s["x"] + 1, s["y"], s["z"]))
add("npb_vadv", always(_box, _box, _wide, _box, _box), _vadv)


# ---- the ocean


def box(s):
    return s["x"], s["y"], s["z"]


add("eos", always(uniform("f64", 1e-2, 10, box), uniform("f64", -12, 20, box),
                  uniform("f64", 0, 1000, lambda s: (1, 1, s["z"]))), enthalpy_slope)


def _tke_inputs(s):
    def line(axis):
        return uniform("f64", .5, 1.5, lambda s: (s[axis],))
    mask = "h", box, "f64", lambda shape, rng: (rng.random(shape) < 0.8).astype(np.float64), None
    three = normal("f64", shape=lambda s: box(s) + (3,))
    return ([three] * 3 + [mask] * 3 + [line(axis) for axis in "xxyyzzyy"]
            + [integers(0, s["z"], lambda s: box(s)[:2]), uniform("f64", .1, 1, box), uniform("f64", 1, 2, box),
               normal("f64", shape=box), normal("f64", shape=lambda s: box(s)[:2])] + [three] * 2)


add("tke", _tke_inputs, turbulence(solved))
