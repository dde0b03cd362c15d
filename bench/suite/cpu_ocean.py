"""The two steps of an ocean model for libraries of Python; what they are stands in equation_of_state.cpp and
turbulence.cpp."""

# Coefficients of the 48 terms of the density of seawater, numbered from 1.
V = (None, 9.998420897506056e2, 2.839940833161907, -3.147759265588511e-2, 1.181805545074306e-3, -6.698001071123802,
     -2.986498947203215e-2, 2.327859407479162e-4, -3.988822378968490e-2, 5.095422573880500e-4, -1.426984671633621e-5,
     1.645039373682922e-7, -2.233269627352527e-2, -3.436090079851880e-4, 3.726050720345733e-6, -1.806789763745328e-4,
     6.876837219536232e-7, -3.087032500374211e-7, -1.988366587925593e-8, -1.061519070296458e-11,
     1.550932729220080e-10, 1.0, 2.775927747785646e-3, -2.349607444135925e-5, 1.119513357486743e-6,
     6.743689325042773e-10, -7.521448093615448e-3, -2.764306979894411e-5, 1.262937315098546e-7, 9.527875081696435e-10,
     -1.811147201949891e-11, -3.303308871386421e-5, 3.801564588876298e-7, -7.672876869259043e-9,
     -4.634182341116144e-11, 2.681097235569143e-12, 5.419326551148740e-6, -2.742185394906099e-5,
     -3.212746477974189e-7, 3.191413910561627e-9, -1.931012931541776e-12, -1.105097577149576e-7,
     6.211426728363857e-10, -1.119011592875110e-10, -1.941660213148725e-11, -1.864826425365600e-14,
     1.119522344879478e-14, -1.200507748551599e-15, 6.057902487546866e-17)


def horner(t, first, last):
    """The polynomial of coefficients first..last and its derivative."""
    c = V[first:last + 1]
    value, slope = c[-1], (len(c) - 1) * c[-1]
    for k in reversed(c[:-1]):
        value = k + t * value
    for j in range(len(c) - 2, 0, -1):
        slope = j * c[j] + t * slope
    return value, slope


def enthalpy_slope(xp, size, s, t, p):
    r = xp.sqrt(s)
    (a1, da1), (a2, da2), (a3, da3) = horner(t, 1, 4), horner(t, 5, 7), horner(t, 8, 11)
    (b1, db1), (c1, ct), (f1, df1) = horner(t, 12, 14), horner(t, 17, 19), horner(t, 37, 40)
    (n1, dn1), (n2, dn2), (n3, dn3) = horner(t, 21, 25), horner(t, 26, 30), horner(t, 31, 35)
    a, at = a1 + s * (a2 + r * a3), da1 + s * (da2 + r * da3)
    b, bt = 0.5 * (b1 + s * (V[15] + V[16] * t)), 0.5 * (db1 + s * V[16])
    c = c1 + V[20] * s
    ic, bb = 1.0 / c, b * b
    q, qt = V[47] + V[48] * t, V[48]
    m, mt = V[43] + t * (V[44] + V[45] * t + V[46] * s), V[44] + 2.0 * V[45] * t + V[46] * s
    k = 4.0 * q * bb * ic - q * a - 2.0 * m * b
    kt = ((4.0 * qt * bb + 8.0 * q * b * bt - 4.0 * q * bb * ct * ic) * ic - qt * a - q * at
          - 2.0 * (mt * b + m * bt))
    f, ft = f1 + s * (V[41] + V[42] * t) + k * ic, df1 + s * V[42] + (kt - k * ct * ic) * ic
    low = 2.0 * q * a * b * ic - m * a
    low_t = 2.0 * (qt * a * b + q * at * b + q * a * bt - q * a * b * ct * ic) * ic - mt * a - m * at
    n = n1 + s * (n2 + V[36] * s + r * n3) + low * ic
    nt = dn1 + s * (dn2 + r * dn3) + (low_t - low * ct * ic) * ic
    cp = c * p
    u = p * (2.0 * b + cp)
    g = 1.0 + u / a
    gt = (p * (2.0 * bt + ct * p) - u * at / a) / a
    d, dt = bb - a * c, 2.0 * b * bt - at * c - a * ct
    root = xp.sqrt(d)
    root_t = 0.5 * dt / root
    lo, hi = b - root, b + root + cp
    w = root / (lo * hi)
    e = 1.0 + 2.0 * cp * w
    et = 2.0 * p * w * ct + 2.0 * cp * (root_t / (lo * hi) - w * (bt - root_t) / lo - w * (bt + root_t + ct * p) / hi)
    x, xt = n * c - f * b, nt * c + n * ct - ft * b - f * bt
    h = 1.0e4 * p * (mt - 2.0 * (qt * b + q * bt - q * b * ct * ic) * ic + 0.5 * qt * p) * ic
    h = h - 1.0e4 * p * (m - 2.0 * q * b * ic + 0.5 * q * p) * ct * ic * ic
    h = h + 5.0e3 * ic * ((ft - f * ct * ic) * xp.log(g) + f * gt / g)
    return h + 5.0e3 * ic / root * ((xt - x * ct * ic - 0.5 * x * dt / d) * xp.log(e) + x * et / e)


J = slice(2, -2)


def vertical_mixing(xp, size, bottom, kappa, mixing, forcing, surface, dzt, dzw, tke):
    """The systems of vertical mixing, and where there is water."""
    t, k = tke[J, J, :, 0], kappa[J, J]
    delta = 0.5 * (k[..., :-1] + k[..., 1:]) / dzt[1:]
    loss = 0.7 * xp.sqrt(xp.maximum(t, 0.0)) / mixing[J, J]
    none, top = xp.zeros_like(loss[..., :1]), 0.5 * dzw[-1:]
    a = xp.concatenate([none, -delta[..., :-1] / dzw[1:-1], -delta[..., -1:] / top], axis=2)
    b = xp.concatenate([none, 1.0 + (delta[..., 1:] + delta[..., :-1]) / dzw[1:-1] + loss[..., 1:-1],
                        1.0 + delta[..., -1:] / top + loss[..., -1:]], axis=2)
    at_edge = 1.0 + xp.concatenate([delta, none], axis=2) / dzw + loss
    c = xp.concatenate([-delta / dzw[:-1], none], axis=2)
    d = t + forcing[J, J]
    d = xp.concatenate([d[..., :-1], d[..., -1:] + surface[J, J][..., None] / top], axis=2)
    deepest, level = (bottom[J, J] - 1)[..., None], xp.arange(size["z"])
    edge, water = (deepest >= 0) & (level == deepest), (deepest >= 0) & (level >= deepest)
    return (xp.where(water & ~edge, a, 0.0), xp.where(edge, at_edge, xp.where(water, b, 1.0)),
            xp.where(water, c, 0.0), xp.where(water, d, 0.0)), water


def superbee(xp, velocity, x, mask, dx, axis, scale):
    """The limited flux through the faces along an axis."""
    def at(y, offset):
        where = [J, J, slice(None)]
        where[axis] = slice(1 + offset, (-2 + offset) or None)
        return y[tuple(where)]
    v = scale * at(velocity, 0)
    after = (at(x, 2) - at(x, 1)) * at(mask, 1)
    here = (at(x, 1) - at(x, 0)) * at(mask, 0)
    before = (at(x, 0) - at(x, -1)) * at(mask, -1)
    ratio = xp.where(at(velocity, 0) > 0.0, before, after) / xp.where(xp.abs(here) < 1e-20, 1e-20, here)
    limit = xp.maximum(xp.maximum(xp.minimum(2.0 * ratio, 1.0), xp.minimum(ratio, 2.0)), 0.0)
    return (v * (at(x, 1) + at(x, 0)) * 0.5
            - xp.abs(v) * ((1.0 - limit) + xp.abs(v / dx) * limit) * here * 0.5)


def turbulence(solved):
    """The whole step; `solved` solves tridiagonal systems."""
    def formula(xp, size, u, v, w, mu, mv, mw, dxt, dxu, dyt, dyu, dzt, dzw, cost, cosu, bottom, kappa, mixing,
                forcing, surface, tke, rate):
        system, water = vertical_mixing(xp, size, bottom, kappa, mixing, forcing, surface, dzt, dzw, tke)
        t, out = tke[..., 0], xp.copy(tke[..., 1])
        out = xp.put_at(out, (J, J), xp.where(water, solved(xp, *system), out[J, J]))
        top = out[2:-2, 2:-2, -1]
        correction = xp.put_at(xp.zeros_like(out[:, :, 0]), (J, J), xp.where(top < 0.0, -top * 0.5 * dzw[-1], 0.0))
        out = xp.put_at(out, (J, J, -1), xp.maximum(top, 0.0))
        cx, cy = cost[None, J, None] * dxt[J, None, None], cost[None, J, None] * dyt[None, J, None]
        east = 2000.0 * (t[2:-1] - t[1:-2]) / (cost[None, :, None] * dxu[1:-2, None, None]) * mu[1:-2]
        north = (2000.0 * (t[:, 2:-1] - t[:, 1:-2]) / dyu[None, 1:-2, None] * mv[:, 1:-2]
                 * cosu[None, 1:-2, None])
        flow = (east[1:, J] - east[:-1, J]) / cx + (north[J, 1:] - north[J, :-1]) / cy
        out = xp.add_at(out, (J, J), mw[J, J] * flow)

        def both(x, axis):  # the product of neighbours, 0 behind the last
            lo, hi, end = [slice(None)] * 3, [slice(None)] * 3, [slice(None)] * 3
            lo[axis], hi[axis], end[axis] = slice(None, -1), slice(1, None), slice(None, 1)
            return xp.concatenate([x[tuple(hi)] * x[tuple(lo)], xp.zeros_like(x[tuple(end)])], axis=axis)
        zero = xp.zeros_like(mw[:, :, :1])

        def padded(x):
            return xp.concatenate([zero, x, zero], axis=2)
        ae = superbee(xp, u[..., 0], t, both(mw, 0), cost[None, J, None] * dxt[1:-2, None, None], 0, 1.0)
        an = superbee(xp, v[..., 0], t, both(mw, 1), (cost * dyt)[None, 1:-2, None], 1, cosu[None, 1:-2, None])
        up = superbee(xp, padded(w[..., 0]), padded(t), padded(both(mw, 2)), dzw[None, None, :-1], 2, 1.0)
        d = xp.put_at(xp.copy(rate[..., 0]), (J, J),
                      mw[J, J] * (-(ae[1:] - ae[:-1]) / cx - (an[:, 1:] - an[:, :-1]) / cy))
        d = xp.add_at(d, (J, J, 0), -up[:, :, 0] / dzw[0])
        d = xp.add_at(d, (J, J, slice(1, -1)), -(up[:, :, 1:] - up[:, :, :-1]) / dzw[1:-1])
        d = xp.add_at(d, (J, J, -1), up[:, :, -1] / (0.5 * dzw[-1]))
        return out + 1.6 * d - 0.6 * rate[..., 2], d, correction
    return formula
