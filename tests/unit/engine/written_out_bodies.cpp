// Loops whose rounds become statements of a replayed function: for any body, the results equal
// those of the loop round by round.
#include <complex>

#include <sinter/sinter.hpp>

#include "tests/catch.hpp"

namespace written_out_bodies_test {

namespace sn = sinter;
using doubles = sn::array<double>;
using sn::_;
using sn::newaxis;
using sn::slice;

namespace {

doubles vector() {
  const auto i = sn::arange<double>(12) * 0.37;
  return i - sn::floor(i);
}
doubles matrix() {
  const auto i = sn::arange<double>(144) * 0.61;
  return sn::reshape(i - sn::floor(i), {12, 12});
}
sn::array<int> places() { return sn::array<int>{3, 1, 4, 1, 5, 9, 2, 6, 5, 3, 5, 11}; }
doubles mixed(const doubles& x) { return sn::cumsum(x) * 0.3; }

template <class T> bool alike(const sn::array<T>& a, const sn::array<T>& b) {
  if constexpr (std::is_same_v<T, bool> || std::is_integral_v<T>) {
    return sn::array_equal(a, b).item();
  } else {
    return sn::allclose(a, b, {.rtol = 1e-9}).item();
  }
}
template <class... T> bool alike(const std::tuple<T...>& a, const std::tuple<T...>& b) {
  return std::apply(
      [&](const auto&... x) {
        return std::apply([&](const auto&... y) { return (alike(x, y) && ...); }, b);
      },
      a);
}

/// Records, replays, and replays again.
template <class F> bool replays(F f, const doubles& x = vector()) {
  const auto wanted = f(x);
  auto fused = sn::fuse(f);
  bool all = true;
  for (int call = 0; call < 3; ++call) all = all && alike(fused(x), wanted);
  return all;
}

/// Five rounds of a body.
template <class Body> bool goes(Body body) {
  return replays([body](doubles x) { return doubles(sn::fori_loop(0, 5, body, x)); });
}

}  // namespace

TEST_CASE("rounds that read and write at places") {
  const auto at = places();
  const doubles m = matrix();
  CHECK(goes([&](auto i, doubles x) {
    return doubles(sn::zeros<double>({12}).at(at).add(mixed(x)) + i);
  }));
  CHECK(goes([&](auto i, doubles x) { return doubles(mixed(x(at)) * m(i)); }));
  CHECK(goes([&](auto, doubles x) {
    return doubles(sn::bincount(at, x, {.minlength = 12}) * 0.7);
  }));
  CHECK(goes([&](auto i, doubles x) {
    return doubles(doubles(x.at(sn::argmax(x)).set(0.0)) + m(i) * 0.1);
  }));
  CHECK(goes([](auto, doubles x) {
    doubles y = mixed(x);
    y(slice(1, -1)) = y(slice(2, _)) * 0.5;
    y(0) = 1;
    return y;
  }));
}

TEST_CASE("rounds with branches, and with loops of their own") {
  const doubles m = matrix();
  CHECK(goes([](auto, doubles x) {
    return doubles(sn::cond(sn::sum(x) > 5.0, [](doubles a) { return doubles(a / 2); },
                            [](doubles a) { return doubles(sn::cumsum(a)); }, x));
  }));
  CHECK(goes([&](auto, doubles x) {
    const auto [c, y] = sn::scan([](doubles s, doubles row) {
      const doubles t = mixed(s) + row;
      return std::pair(t, sn::max(t));
    }, x, m);
    return doubles(c + sn::sum(y));
  }));
  CHECK(goes([](auto i, doubles x) {
    return doubles(sn::fori_loop(0, 4, [&](auto j, doubles u) { return doubles(mixed(u) + i + j); },
                                 x));
  }));
  CHECK(goes([](auto, doubles x) {
    return doubles(sn::while_loop([](doubles a) { return sn::sum(a) > 3.0; },
                                  [](doubles a) { return doubles(sn::cumsum(a) * 0.2); }, x * 4));
  }));
  CHECK(goes([](auto, doubles x) {
    auto inner = sn::fuse([](doubles a) { return doubles(sn::cumsum(a) * 0.4); });
    return inner(x);
  }));
}

TEST_CASE("rounds of slices, and slices of rounds") {
  const doubles m = matrix();
  CHECK(replays([&](doubles x) {
    return doubles(sn::vmap([&](doubles row) {
      const auto body = [&](auto, doubles u) { return doubles(mixed(u) + x); };
      return doubles(sn::fori_loop(0, 4, body, row));
    })(m));
  }));
  CHECK(replays([&](doubles x) {
    return doubles(sn::fori_loop(0, 4, [&](auto, doubles s) {
      return doubles(sn::vmap([&](doubles row) { return doubles(mixed(row) + x); })(s));
    }, m));
  }));
  // An evaluated carry that is a view.
  const doubles row = m(2);
  sn::eval(row);
  CHECK(replays([&](doubles x) {
    const auto body = [&](auto, doubles u) { return doubles(mixed(u) + x); };
    return doubles(sn::fori_loop(0, 4, body, row));
  }));
}

TEST_CASE("rounds that call libraries") {
  const doubles m = matrix(), eye = 12 * sn::eye<double>(12);
  CHECK(goes([&](auto, doubles x) { return doubles(sn::linalg::solve(m + eye, x)); }));
  CHECK(goes([](auto, doubles x) { return doubles(sn::sort(x * 1.7 - sn::floor(x * 1.7))); }));
  CHECK(replays([&](doubles x) {
    return doubles(sn::fori_loop(0, 3, [&](auto, doubles s) {
      return doubles(sn::linalg::cholesky(sn::matmul(s, s.T()) + eye) / 4);
    }, m + x));
  }));
  CHECK(replays([&](doubles x) {
    return doubles(sn::fori_loop(0, 4, [](auto, doubles s) {
      const auto [q, r] = sn::linalg::qr(s);
      return doubles(sn::matmul(r, q));
    }, m + x));
  }));
  using complex = sn::array<std::complex<double>>;
  CHECK(replays([](doubles x) {
    const auto body = [](auto, complex z) { return complex(sn::fft::fft(z) / 4.0); };
    const complex z = sn::fori_loop(0, 4, body, complex(sn::astype<std::complex<double>>(x)));
    return std::tuple(doubles(sn::real(z)), doubles(sn::imag(z)));
  }));
}

TEST_CASE("carries that change places, are one, or lie beside each other") {
  CHECK(replays([](doubles x) {
    return sn::fori_loop(0, 5, [](auto, doubles a, doubles b) {
      return std::tuple(b, doubles(sn::cumsum(a) * 0.5));
    }, std::tuple(x, doubles(x * 2)));
  }));
  CHECK(replays([](doubles x) {
    return sn::fori_loop(0, 5, [](auto, doubles a, doubles b) {
      const doubles c = sn::cumsum(a + b) * 0.2;
      return std::tuple(c, c);
    }, std::tuple(x, x));
  }));
  // Carries are read again after they are computed, at other places.
  CHECK(replays([](doubles x) {
    return sn::fori_loop(0, 5, [](auto, doubles a, doubles b) {
      const doubles c = a * 0.9 + sn::roll(a, 1) * 0.1;
      return std::tuple(c, doubles(sn::roll(c, 1) - b));
    }, std::tuple(x, x));
  }));
  CHECK(replays([](doubles x) {
    return sn::fori_loop(0, 5, [](auto i, doubles a, doubles b) {
      doubles c = a;
      c(slice(2, 5)) = b(slice(2, 5)) + i;
      return std::tuple(c, mixed(a));
    }, std::tuple(x, doubles(x + 1)));
  }));
  using ints = sn::array<int>;
  CHECK(replays([](doubles x) {
    return sn::fori_loop(0, 5, [](auto, doubles a, ints k) {
      return std::tuple(doubles(mixed(a) + k), ints(k + 2));
    }, std::tuple(x, ints(1)));
  }));
}

TEST_CASE("what rounds keep, large, small, carried and constant") {
  const doubles m = matrix();
  const auto kept = [&](auto y) {
    return replays([&, y](doubles x) {
      const auto [c, all] = sn::scan([&](doubles s, doubles row) {
        const doubles t = mixed(s) + row;
        return std::pair(t, doubles(y(t)));
      }, x, m);
      return std::tuple(doubles(c), doubles(all));
    });
  };
  CHECK(kept([](doubles t) { return t(_, newaxis) * sn::ones<double>({400}); }));
  CHECK(kept([](doubles t) { return t; }));
  CHECK(kept([](doubles t) { return sn::sum(t); }));
  CHECK(kept([](doubles) { return doubles(1.5); }));
}

TEST_CASE("no elements, no rounds, and rounds from anywhere") {
  const auto halved = [](auto, doubles a) { return doubles(sn::cumsum(a) * 0.5); };
  CHECK(replays([&](doubles x) {
    return doubles(sn::fori_loop(0, 5, halved, doubles(x(slice(0, 0)))));
  }));
  CHECK(replays([&](doubles x) { return doubles(sn::fori_loop(3, 3, halved, x)); }));
  CHECK(replays([](doubles x) {
    const auto body = [](auto i, doubles a) { return doubles(mixed(a) + i); };
    return doubles(sn::fori_loop(-3, 2, body, x));
  }));
}

}  // namespace written_out_bodies_test
