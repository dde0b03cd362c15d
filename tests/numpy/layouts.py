"""Arrays stored so that what is to be compared is a view of them.

`View` says how: the axes of the stored array in another order, then an index. As text, behind a file's name, that is
"@1.0@::-1|2:" (tests/support/numpy_compare.hpp reads it); either part may be empty.
"""

import os

import numpy as np


def stored(rng, x):
    """An array that has x as a view, and the text of that view: in half of the cases x itself and ""."""
    x = np.asarray(x)
    if x.ndim == 0 or x.size > 50000 or rng.random() < 0.4:
        return x, ""
    order = rng.permutation(x.ndim) if rng.random() < 0.5 else np.arange(x.ndim)
    kinds = [rng.choice(["all", "all", "back", "second", "later", "second back"]) for _ in x.shape]
    extents = [{"second": 2 * n, "second back": 2 * n, "later": n + 3}.get(k, n) for n, k in zip(x.shape, kinds)]
    items = {"all": ":", "back": "::-1", "second": "1::2", "later": "2:-1", "second back": "::-2"}
    # 0 extents stay so: an index from the end means nothing in an axis of none.
    items = [items[k] if n else ":" for n, k in zip(x.shape, kinds)]
    extents = [e if n else 0 for n, e in zip(x.shape, extents)]
    turned = [0] * x.ndim
    for to, source in enumerate(order):
        turned[source] = extents[to]
    base = filler(rng, turned, x.dtype)
    view = base.transpose(order)[tuple(map(slice_of, items))]
    view[...] = x
    view = base.transpose(order)[tuple(map(slice_of, items))]
    assert view.shape == x.shape
    plain = list(order) == list(range(x.ndim))
    where = "" if all(i == ":" for i in items) else "|".join(items)
    if plain and not where:
        return x, ""
    return base, f"@{'' if plain else '.'.join(map(str, order))}@{where}"


def random_shape(rng, least=0, most=4):
    return tuple(int(n) for n in rng.choice([0, 1, 2, 3, 4, 5, 11], rng.integers(least, most + 1),
                                            p=[0.06, 0.14, 0.2, 0.2, 0.2, 0.15, 0.05]))


def random_axes(rng, ndim):
    """None, one axis or several, counted from either end."""
    if ndim == 0 or rng.random() < 0.2:
        return None
    chosen = rng.choice(ndim, rng.integers(1, ndim + 1), replace=False)
    axes = tuple(int(a) - (ndim if rng.random() < 0.4 else 0) for a in chosen)
    return axes[0] if len(axes) == 1 else axes


def slice_of(text):
    return slice(*(int(p) if p else None for p in text.split(":")))


def filler(rng, shape, dtype):
    """What must not be read: any bits, of a bool either."""
    if dtype == bool:
        return rng.integers(0, 2, shape).astype(bool)
    return np.frombuffer(rng.bytes(int(np.prod(shape)) * dtype.itemsize), dtype).reshape(shape).copy()


class Store:
    """Files of a folder: inputs as views of something, what is expected as it is; equal arrays once."""

    def __init__(self, folder, seed=1):
        os.makedirs(folder, exist_ok=True)
        self.folder, self.rng, self.count, self.names = folder, np.random.default_rng(seed), 0, {}

    def plain(self, x):
        name = f"{self.count}.npy"
        self.count += 1
        np.save(os.path.join(self.folder, name), np.asarray(x))
        return name

    def input(self, x):
        x = np.asarray(x)
        key = (x.dtype.str, x.shape, x.tobytes())
        if key not in self.names:
            base, text = stored(self.rng, x)
            self.names[key] = self.plain(base) + text
        return self.names[key]
