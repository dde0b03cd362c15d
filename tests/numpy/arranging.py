"""Writes what NumPy gives for arrays put beside one another, chosen from, written to, and made of nothing.

    arranging.py <folder>

Files as language.py writes them. What differs by form of call has the form behind a colon.
"""

import sys

import numpy as np

sys.dont_write_bytecode = True
from language import ALL, FLOATS, REAL, Group, rng, sample  # noqa: E402
from layouts import random_shape  # noqa: E402

MODES = ["raise", "wrap", "clip"]


def shape_of(least=0, most=4):
    return random_shape(rng, least, most)


def rounds(dtype, many):
    """Which type it is matters little to what only moves elements, and each is kernels to compile."""
    return many if dtype in ["int16", "float32", "complex128"] else 1


def an_axis(ndim):
    return int(rng.integers(-ndim, ndim))


# ---- beside one another

def joining(g):
    for dtype in ALL:
        for _ in range(rounds(dtype, 5)):
            shape = shape_of(1)
            axis = an_axis(len(shape))
            pieces = []
            for _ in range(rng.integers(1, 4)):
                part = list(shape)
                part[axis] = rng.integers(0, 4)
                pieces.append(sample(tuple(part), dtype))
            g.run("concatenate", lambda *x: np.concatenate(x, axis), pieces, axis=axis)
            g.run("concat", lambda *x: np.concatenate(x, axis), pieces, axis=axis)
            g.run("concatenate", lambda *x: np.concatenate(x, None), pieces)
            if len(pieces) > 1:
                g.run("append", lambda a, b: np.append(a, b, axis), pieces[:2], axis=axis)
                g.run("append", np.append, pieces[:2])
        for _ in range(rounds(dtype, 4)):
            shape = shape_of()
            same = [sample(shape, dtype) for _ in range(rng.integers(1, 4))]
            axis = an_axis(len(shape) + 1)
            g.run("stack", lambda *x: np.stack(x, axis), same, axis=axis)
            for f in ["vstack", "hstack", "dstack", "column_stack"]:
                g.run(f, lambda *x: getattr(np, f)(x), same)
        cuts(g, dtype)
    pads(g)
    rolls(g)


def cuts(g, dtype):
    x = sample((4, 6, 2), dtype)
    for f in ["vsplit", "hsplit", "dsplit"]:
        for n in [1, 2, 3]:
            g.run(f, lambda a: getattr(np, f)(a, n), [x], n=n)
        g.run(f"{f}:at", lambda a: getattr(np, f)(a, (1, 3)), [x])
    g.run("hsplit", lambda a: np.hsplit(a, 2), [sample((8,), dtype)], n=2)
    for shape in [(3, 4), (), (0, 2)]:
        y = sample(shape, dtype)
        g.run("ravel", np.ravel, [y])
        g.run("copy", np.copy, [y])
        g.run("asarray", np.asarray, [y])
        g.run("T", lambda a: a.T, [y])


def pads(g):
    for dtype in ALL:
        for mode in ["constant", "edge", "reflect", "symmetric", "wrap"]:
            for _ in range(rounds(dtype, 4)):
                shape = tuple(max(n, 1) for n in shape_of(1, 3))
                width = [tuple(map(int, rng.integers(0, 2 * n if mode != "constant" else 4, 2))) for n in shape]
                if mode == "reflect":  # NumPy has its own idea of it where there is one element
                    width = [(0, 0) if n == 1 else w for n, w in zip(shape, width)]
                if mode in ("reflect", "symmetric", "wrap"):
                    # Beyond a whole turn NumPy 1.24 goes on from what it has just padded.
                    width = [tuple(min(w, n - (mode == "reflect")) for w in both) for n, both in zip(shape, width)]
                g.run("pad", lambda a: np.pad(a, width, mode), [sample(shape, dtype)], width=sum(width, ()), mode=mode)


def rolls(g):
    for dtype in ALL:
        for _ in range(rounds(dtype, 4)):
            x = sample(shape_of(1), dtype)
            shift, axis = int(rng.integers(-7, 8)), an_axis(x.ndim)
            g.run("roll", lambda a: np.roll(a, shift), [x], shift=shift)
            g.run("roll", lambda a: np.roll(a, shift, axis), [x], shift=shift, axis=axis)
            two = (int(rng.integers(-7, 8)), shift)
            g.run("roll", lambda a: np.roll(a, two, (axis, 0)), [x], shift=two, axis=(axis, 0))


# ---- chosen

def choosing(g):
    for dtype in ALL:
        for _ in range(rounds(dtype, 6)):
            x = sample(shape_of(1), dtype)
            axis = an_axis(x.ndim)
            takes(g, x, axis)
            masks(g, x, axis)
            writes(g, x, axis)
        selections(g, dtype)
    parts(g)


def within(extent, shape, signed=True):
    if extent == 0:
        return np.zeros((0,), np.int64)
    kind = rng.choice(["int8", "int32", "int64", "uint8"] if signed else ["int64"])
    low = 0 if kind == "uint8" else -extent
    return rng.integers(low, extent, shape).astype(kind)


def takes(g, x, axis):
    i = within(x.shape[axis], shape_of(0, 2))
    g.run("take", lambda a, j: np.take(a, j, axis), [x, i], axis=axis, mode=0)
    g.run("take", lambda a, j: np.take(a, j), [x, within(x.size, shape_of(0, 2))], mode=0)
    if x.size:
        far = rng.integers(-40, 40, (5,))
        for mode in [1, 2]:
            g.run("take", lambda a, j: np.take(a, j, axis, mode=MODES[mode]), [x, far], axis=axis, mode=mode)
    shape = list(x.shape)
    shape[axis] = 3 if x.shape[axis] else 0
    j = within(x.shape[axis], tuple(shape)) if x.shape[axis] else np.zeros(shape, np.int64)
    g.run("take_along_axis", lambda a, k: np.take_along_axis(a, k, axis), [x, j], axis=axis)


def masks(g, x, axis):
    g.run("nonzero", lambda a: list(np.nonzero(a)), [x])
    g.run("argwhere", np.argwhere, [x])
    yes = sample(x.shape, "bool")
    g.run("extract", np.extract, [yes, x])
    short = sample((rng.integers(0, x.shape[axis] + 1),), "bool")
    g.run("compress", lambda m, a: np.compress(m, a, axis), [short, x], axis=axis)
    g.run("compress", np.compress, [yes.reshape(-1), x])


def changed(f):
    """NumPy's function that writes into its first argument, as one that gives what comes of it."""
    def call(x, *rest):
        y = x.copy()
        f(y, *rest)
        return y
    return call


def writes(g, x, axis):
    dtype = x.dtype.name
    for shape in [(4,), (2, 3)]:
        i = within(x.size, shape, False)
        v = sample(i.shape, dtype)
        g.run("put", changed(np.put), [x, i, v], mode=0)
        g.run("put", changed(np.put), [x, i, sample((2,), dtype)], mode=0)
        for mode in [1, 2]:
            g.run("put", changed(lambda a, j, w: np.put(a, j, w, MODES[mode])), [x, rng.integers(-30, 30, shape), v],
                  mode=mode)
    order = np.argsort(rng.random(x.shape), axis)  # each place once: of several the last one stays, by what order
    g.run("put_along_axis", changed(lambda a, j, w: np.put_along_axis(a, j, w, axis)), [x, order, sample(x.shape, dtype)],
          axis=axis)
    yes = sample(x.shape, "bool")
    for n in [1, 3, 7]:
        g.run("place", changed(np.place), [x, yes, sample((n,), dtype)])
        g.run("putmask", changed(np.putmask), [x, yes, sample((n,), dtype)])
    if x.ndim >= 2:
        square = sample((4,) * x.ndim, dtype)
        g.run("fill_diagonal", changed(np.fill_diagonal), [square, sample((), dtype)], wrap=0)
        g.run("fill_diagonal", changed(np.fill_diagonal), [square, sample((3,), dtype)], wrap=0)
        tall = sample((9, 3), dtype)
        for wrap in [False, True]:
            g.run("fill_diagonal", changed(lambda a, v: np.fill_diagonal(a, v, wrap)), [tall, sample((2,), dtype)],
                  wrap=wrap)


def selections(g, dtype):
    shape = shape_of(1, 3)
    x = [sample(shape, dtype) for _ in range(3)]
    thin = sample(shape[-1:], dtype)
    yes = [sample(shape, "bool") for _ in range(2)]
    g.run("select", lambda a, b, p, q: np.select([a, b], [p, q]).astype(dtype), [*yes, x[0], thin])
    i = rng.integers(-2, 5, shape)
    g.run("choose", lambda j, p, q, r: np.choose(j, [p, q, r], mode="clip"), [i, x[0], thin, x[2]])
    if dtype in REAL and dtype != "bool":
        p = sample((3, 11), dtype)
        for k in [1, 4, 11]:
            g.run("topk", lambda a: np.flip(np.sort(a, -1), -1)[..., :k], [p], k=k, axis=-1, largest=1)
            g.run("topk", lambda a: np.sort(a, 0)[:min(k, 3)], [p], k=min(k, 3), axis=0, largest=0)


def parts(g):
    """argpartition: where the k-th is says nothing of the others, so what is there is compared."""
    for dtype in REAL:
        x = sample((4, 9), dtype)
        for k in [0, 3, 8]:
            g.run("argpartition", lambda a: np.sort(a, -1)[..., k], [x], kth=k, axis=-1)
            g.run("argpartition", lambda a: np.sort(a, None)[k], [x], kth=k)


# ---- made of nothing

def creation(g):
    numbers = [t for t in REAL if t != "bool"]
    for dtype in numbers:
        for start, stop, step in [(0, 7, 1), (2, 20, 3), (9, 1, -2), (5, 5, 1), (7, 2, 1), (0, 100, 33)]:
            if step < 0 and dtype.startswith("uint"):
                continue
            g.add("arange", [], np.arange(start, stop, step, dtype), dtype=dtype, start=start, stop=stop, step=step)
        for start, stop, count in [(0, 1, 5), (-3, 7, 11), (2, 2, 3), (5, -1, 4), (0, 9, 1), (1, 8, 0)]:
            if min(start, stop) < 0 and dtype.startswith("uint"):
                continue
            for endpoint in [True, False]:
                # Of integers NumPy takes the floor, of a negative one too.
                g.add("linspace", [], np.linspace(start, stop, count, endpoint, dtype=dtype), dtype=dtype, start=start,
                      stop=stop, count=count, endpoint=endpoint)
    for dtype in FLOATS:
        for start, stop, step in [(0, 1, 0.1), (0.5, -2, -0.25), (1, 4, 0.75), (0, 1e-3, 1e-4)]:
            start, stop, step = (float(np.dtype(dtype).type(v)) for v in (start, stop, step))
            wide = np.arange(start, stop, step)
            expected = (start + np.arange(len(wide)) * step).astype(dtype)
            g.add("arange", [], expected, dtype=dtype, start=start, stop=stop, step=step)
    for dtype in ALL:
        for shape in [(3, 4), (), (0, 2), (2, 1, 3)]:
            for f in ["zeros", "ones"]:
                g.add(f, [], getattr(np, f)(shape, dtype), dtype=dtype, shape=shape)
                g.run(f"{f}_like", getattr(np, f"{f}_like"), [sample(shape, dtype)])
            g.add("full", [], np.full(shape, 3 if dtype != "bool" else True, dtype), dtype=dtype, shape=shape)
            g.run("full_like", lambda x: np.full_like(x, 3), [sample(shape, dtype)])
            g.add("empty", [], np.zeros(shape, dtype), dtype=dtype, shape=shape)
            g.run("empty_like", np.zeros_like, [sample(shape, dtype)])
        for n, m, k in [(3, 3, 0), (2, 5, 1), (5, 2, -2), (0, 3, 0), (3, 3, 9)]:
            g.add("eye", [], np.eye(n, m, k, dtype), dtype=dtype, n=n, m=m, k=k)
        for n in [0, 1, 4]:
            g.add("identity", [], np.identity(n, dtype), dtype=dtype, n=n)
    for shape in [(3, 4), (2, 3, 4), (5,), (0, 2)]:
        g.add("fromfunction", [], np.fromfunction(lambda *i: sum((10 ** k) * a for k, a in enumerate(i)), shape,
                                                  dtype=np.int64), shape=shape)
    for a, b, c in [((3, 1), (1, 4), (2, 1, 1)), ((), (5,), (1,)), ((0,), (1,), ()), ((2, 3), (2, 3), (3,))]:
        g.run("broadcast_shapes", lambda x, y, z: np.array(np.broadcast_shapes(x.shape, y.shape, z.shape)),
              [sample(a), sample(b), sample(c)])


# ---- other names

ALIASES = {"absolute": "fiuc", "arccos": "f", "arccosh": "f", "arcsin": "f", "arcsinh": "f", "arctan": "f",
           "arctanh": "f", "bitwise_not": "iub", "invert": "iub", "conjugate": "fiuc", "deg2rad": "f", "rad2deg": "f",
           "rint": "fiub", "fix": "f", "left_shift": "iu", "right_shift": "iu", "arctan2": "f", "mod": "fiu", "power": "fc",
           "true_divide": "fiuc", "amax": "fiub", "amin": "fiub"}
TWO = ["left_shift", "right_shift", "arctan2", "mod", "power", "true_divide"]


def aliases(g):
    for name, kinds in ALIASES.items():
        f = getattr(np, name)
        for dtype in ALL:
            if np.dtype(dtype).kind not in kinds:
                continue
            x = sample((3, 4), dtype)
            if name == "arccosh":
                x = (1 + np.abs(x)).astype(dtype)
            if name in ("arccos", "arcsin", "arctanh"):
                x = (x / 9).astype(dtype)
            if name not in TWO:
                g.run(name, f, [x])
                continue
            y = np.abs(sample((4,), dtype)).astype(dtype) % 7 if "shift" in name else sample((4,), dtype)
            g.run(name, f, [np.abs(x) + 1 if name == "power" and dtype in FLOATS else x,
                            np.where(y == 0, 1, y).astype(dtype)])
    for dtype in FLOATS:
        g.run("expit", lambda a: (1 / (1 + np.exp(-a.astype("float64")))).astype(dtype), [sample((9,), dtype)])


# ---- types

def casts(g):
    """Every pair of types. What has no place in the other type is sinter's own affair."""
    for source in ALL:
        for target in ALL:
            x = sample((3, 5), source, source in FLOATS and target in FLOATS + ["complex64", "complex128", "bool"])
            if np.dtype(target).kind == "u" and np.dtype(source).kind in "if":
                x = np.abs(x)
            if source.startswith("complex") and not target.startswith("complex") and target != "bool":
                continue
            g.run("astype", lambda a: a.astype(target), [x], to=target)
            if np.dtype(source).kind in "iu" and np.dtype(target).kind in "iu":
                ends = np.iinfo(source)
                edges = np.array([ends.min, ends.min + 1, 0, 1, ends.max // 2, ends.max - 1, ends.max], source)
                g.run("astype", lambda a: a.astype(target), [edges], to=target)
            if np.dtype(source).kind in "iu" and np.dtype(target).kind in "fc":
                big = np.array(np.iinfo(source).max, source) - rng.integers(0, 100, (20,)).astype(source)
                g.run("astype", lambda a: a.astype(target), [big], to=target)


def main(folder):
    for part in (joining, choosing, creation, aliases, casts):
        g = Group(folder, part.__name__)
        part(g)
        g.finish()


if __name__ == "__main__":
    main(sys.argv[1])
