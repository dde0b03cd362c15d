// Loops that read and write single elements of their carries: one kernel for all rounds.
#include <sinter/sinter.hpp>

#include <complex>
#include <tuple>
#include <utility>

#include "tests/catch.hpp"
#include "tests/unit/engine/traced.hpp"

namespace control_tables_test {

namespace sn = sinter;
using traced_tests::kernels;
using traced_tests::numbers;
using traced_tests::text_of;
using doubles = sn::array<double>;
using indices = sn::array<std::int64_t>;
using list = std::vector<std::int64_t>;

namespace {

indices shuffled(std::int64_t n) { return (sn::arange<std::int64_t>(n) * 7 + 3) % n; }

}  // namespace

TEST_CASE("tables: a recurrence is one kernel, and what it began with stays") {
  const doubles x = numbers({50});
  const doubles y = sn::fori_loop(2, 50, [](auto k, auto t) {
    t(k) = 0.5 * t(k - 1) + 0.25 * t(k - 2);
    return t;
  }, x);
  CHECK(kernels({y}) == 1);
  std::vector<double> expected = x.to_host();
  for (std::size_t k = 2; k < 50; ++k) expected[k] = 0.5 * expected[k - 1] + 0.25 * expected[k - 2];
  const std::vector<double> before = x.to_host();
  CHECK(y.to_host() == expected);
  CHECK(x.to_host() == before);
}

TEST_CASE("tables: values of before and of after a write are told apart") {
  const indices swapped = sn::fori_loop(0, 11, [](auto k, auto t) {
    const auto p = (k * 5 + 1) % 11;
    const auto a = t(k), b = t(p);
    t(k) = b;
    t(p) = a;
    return t;
  }, shuffled(11));
  const indices seen = sn::fori_loop(0, 10, [](auto k, auto t) {
    t(k) = t(k) + 1;
    t(10) = t(10) + t(k);  // its current value
    return t;
  }, shuffled(11));
  list t = shuffled(11).to_host(), u = t;
  for (std::size_t k = 0; k < 11; ++k) std::swap(t[k], t[(k * 5 + 1) % 11]);
  for (std::size_t k = 0; k < 10; ++k) u[10] += ++u[k];
  CHECK(swapped.to_host() == t);
  CHECK(seen.to_host() == u);
}

TEST_CASE("tables: an old value at a place that a new one says is kept, round by round") {
  const auto body = [](auto k, auto t) {
    const auto old = t;
    t(k) = (t(k) + 3) % 10;
    t(9) = old(t(k));
    return t;
  };
  list expected = sn::arange<std::int64_t>(10).to_host();
  for (std::size_t k = 0; k < 9; ++k) {
    const list old = expected;
    expected[k] = (expected[k] + 3) % 10;
    expected[9] = old[static_cast<std::size_t>(expected[k])];
  }
  const indices made = sn::fori_loop(0, 9, body, sn::arange<std::int64_t>(10));
  CHECK(made.to_host() == expected);
}

TEST_CASE("tables: several of them, constant places, sums and choices") {
  const auto [a, b, n] = sn::fori_loop(0, 10, [](auto k, auto a, auto b, auto n) {
    const auto x = a(k), y = b(9 - k);
    a(k) = y;
    b(9 - k) = x;
    a(0) += k;
    b(-1) = sn::where(k % 3 == 0, a(k), b(-1));
    return std::tuple(a, b, n + x * y);
  }, std::tuple(shuffled(10), indices(shuffled(10) * 10), indices(sn::zeros<std::int64_t>({}))));
  list p = shuffled(10).to_host(), q = p;
  for (auto& v : q) v *= 10;
  std::int64_t sum = 0;
  for (std::size_t k = 0; k < 10; ++k) {
    const std::int64_t x = p[k], y = q[9 - k];
    p[k] = y;
    q[9 - k] = x;
    p[0] += static_cast<std::int64_t>(k);
    if (k % 3 == 0) q[9] = p[k];
    sum += x * y;
  }
  CHECK(a.to_host() == p);
  CHECK(b.to_host() == q);
  CHECK(n.item() == sum);
}

TEST_CASE("tables: a loop over the columns in a loop over the rows") {
  const indices s = shuffled(23), t = sn::arange<std::int64_t>(31) % 5;
  const indices made = sn::fori_loop(0, 23, [&](auto i, auto table) {
    return sn::fori_loop(0, 31, [&](auto j, auto table) {
      table(i + 1, j + 1) = sn::where(s(i) % 5 == t(j), table(i, j) + 1,
                                      sn::maximum(table(i, j + 1), table(i + 1, j)));
      return table;
    }, table);
  }, indices(sn::zeros<std::int64_t>({24, 32})));
  const list u = s.to_host(), v = t.to_host();
  list expected(24 * 32);
  for (std::size_t i = 0; i < 23; ++i) {
    for (std::size_t j = 0; j < 31; ++j) {
      const std::int64_t* const here = &expected[i * 32 + j];
      expected[(i + 1) * 32 + j + 1] =
          u[i] % 5 == v[j] ? here[0] + 1 : std::max(here[1], here[32]);
    }
  }
  CHECK(made.to_host() == expected);
}

TEST_CASE("tables: what loops inside come to is stored, in one kernel") {
  const doubles a = numbers({5, 7}), b = numbers({7, 4});
  const auto product = [&](auto i, auto c) {
    return sn::fori_loop(0, 4, [&](auto j, auto c) {
      const doubles s = sn::fori_loop(0, 7, [&](auto k, auto s) { return s + a(i, k) * b(k, j); },
                                      doubles(0.0));
      c(i, j) = s;
      c(4, 3) = c(4, 3) + 0.0 * c(i, j);
      return c;
    }, c);
  };
  const doubles c = sn::fori_loop(0, 5, product, doubles(sn::zeros<double>({5, 4})));
  const auto x = a.to_host(), y = b.to_host(), z = c.to_host();
  for (std::size_t i = 0; i < 5; ++i) {
    for (std::size_t j = 0; j < 4; ++j) {
      double s = 0;
      for (std::size_t k = 0; k < 7; ++k) s += x[i * 7 + k] * y[k * 4 + j];
      CHECK(z[i * 4 + j] == s);
    }
  }
  const doubles row = sn::fori_loop(0, 4, [&](auto j, auto c) {
    c(j) = sn::fori_loop(0, 7, [&](auto k, auto s) { return s + b(k, j); }, doubles(0.0));
    return c;
  }, numbers({4}));
  CHECK(kernels({row}) == 1);
}

TEST_CASE("tables: loops inside read what the outer one has written") {
  // The numbers of compositions: each is the sum of all earlier ones, plus one.
  const indices counts = sn::fori_loop(1, 12, [](auto n, auto t) {
    const indices s = sn::fori_loop(0, 12, [&](auto k, auto s) {
      return s + sn::where(k < n, t(k), 0);
    }, indices(0));
    t(n) = s;
    return t;
  }, indices(sn::ones<std::int64_t>({12})));
  CHECK(counts.to_host() == list{1, 1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1024});
  // Written before the loop that reads it: runs round by round.
  const indices before = sn::fori_loop(0, 6, [](auto n, auto t) {
    t(n) = t(n) * 2;
    const indices s = sn::fori_loop(0, 6, [&](auto k, auto s) { return s + t(k); }, indices(0));
    t(5 - n) = s;
    return t;
  }, sn::arange<std::int64_t>(6));
  list t = sn::arange<std::int64_t>(6).to_host();
  for (std::size_t n = 0; n < 6; ++n) {
    t[n] *= 2;
    std::int64_t s = 0;
    for (std::int64_t v : t) s += v;
    t[5 - n] = s;
  }
  CHECK(before.to_host() == t);
}

TEST_CASE("tables: triangles, bounds told by data, three loops") {
  const std::int64_t n = 9;
  const indices w = (sn::arange<std::int64_t>(n) * 5 + 2) % 7;
  const list v = w.to_host();
  const indices triangle = sn::fori_loop(0, n, [&](auto i, auto t) {
    return sn::fori_loop(i + 1, n, [&](auto j, auto t) {
      t(i, j) = t(i, j - 1) + w(j);
      return t;
    }, t);
  }, indices(sn::zeros<std::int64_t>({n, n})));
  const indices told = sn::fori_loop(0, n, [&](auto i, auto t) {
    return sn::fori_loop(0, w(i), [&](auto j, auto t) {
      t(i) = t(i) + t((i + j) % n) + 1;
      return t;
    }, t);
  }, sn::arange<std::int64_t>(n));
  const indices sums = sn::fori_loop(0, n, [&](auto i, auto t) {
    const indices s = sn::fori_loop(0, i, [&](auto j, auto s) {
      return s + sn::fori_loop(0, j, [&](auto k, auto u) { return u + w(k) * t(k); }, indices(0));
    }, indices(0));
    t(i) = t(i) + s % 1000;
    return t;
  }, indices(sn::ones<std::int64_t>({n})));
  list p(n * n), q = sn::arange<std::int64_t>(n).to_host(), r(n, 1);
  for (std::size_t i = 0; i < n; ++i) {
    std::int64_t s = 0;
    for (std::size_t j = i + 1; j < n; ++j) p[i * n + j] = p[i * n + j - 1] + v[j];
    for (std::size_t j = 0; j < static_cast<std::size_t>(v[i]); ++j) q[i] += q[(i + j) % n] + 1;
    for (std::size_t j = 0; j < i; ++j) {
      for (std::size_t k = 0; k < j; ++k) s += v[k] * r[k];
    }
    r[i] += s % 1000;
  }
  CHECK(triangle.to_host() == p);
  CHECK(told.to_host() == q);
  CHECK(sums.to_host() == r);
}

TEST_CASE("tables: while an element says so, and scans") {
  const auto [i, t] = sn::while_loop([](auto i, auto t) { return t(i) < 15; }, [](auto i, auto t) {
    t(i) = 100;
    return std::tuple(i + 1, t);
  }, std::tuple(indices(0), sn::arange<std::int64_t>(20)));
  CHECK(i.item() == 15);
  CHECK(sn::sum(t).item() == 15 * 100 + 15 + 16 + 17 + 18 + 19);
  const auto [last, seen] = sn::scan([](auto carried, auto x) {
    auto [t] = carried;
    t(1) += x;
    return std::pair(std::tuple(t), t(1) * 2);
  }, std::tuple(indices(sn::zeros<std::int64_t>({3}))), sn::arange<std::int64_t>(6));
  CHECK(seen.to_host() == list{0, 2, 6, 12, 20, 30});
  CHECK(std::get<0>(last).to_host() == list{0, 15, 0});
}

TEST_CASE("tables: of complex numbers, halves and bools") {
  using complexes = sn::array<std::complex<double>>;
  const complexes z = sn::fori_loop(1, 9, [](auto k, auto t) {
    t(k) = t(k - 1) * std::complex<double>(0, 1);
    return t;
  }, complexes(sn::ones<std::complex<double>>({9})));
  CHECK(z.to_host()[6] == std::complex<double>(-1, 0));
  const sn::array<sn::float16> h = sn::fori_loop(1, 9, [](auto k, auto t) {
    t(k) = t(k - 1) * sn::float16(2.0f);
    return t;
  }, sn::array<sn::float16>(sn::ones<sn::float16>({9})));
  CHECK(static_cast<float>(h.to_host()[8]) == 256);
  const sn::array<bool> primes = sn::fori_loop(2, 8, [](auto p, auto t) {
    return sn::fori_loop(p, sn::floor_divide(49, p) + 1, [&](auto q, auto t) {
      t(p * q) = false;
      return t;
    }, t);
  }, sn::array<bool>(sn::ones<bool>({50})));
  CHECK(sn::count_nonzero(primes).item() == 17);  // 15 primes, 0 and 1
}

TEST_CASE("tables: an index that is wrong is told, and nothing else is written") {
  const doubles x = sn::zeros<double>({8});
  const auto written = [&] {
    return sn::fori_loop(0, 20, [](auto k, auto t) {
      t(k) = 1.0;
      return t;
    }, x).to_host();
  };
  const auto read = [&] {
    return sn::fori_loop(0, 20, [](auto k, auto t) {
      t(0) = t(k) + 1.0;
      return t;
    }, x).to_host();
  };
  CHECK(text_of<sn::index_error>(written) ==
        "[assign] index 8 is out of range for axis 0 of extent 8");
  CHECK(text_of<sn::index_error>(read) ==
        "[index] index 8 is out of range for axis 0 of extent 8");
}

TEST_CASE("tables: an index that is wrong in a loop inside is told") {
  const indices p = sn::fori_loop(1, 30, [](auto n, auto t) {
    const auto [k, s] = sn::while_loop([&](auto k, auto) { return k * k <= n; },
                                       [&](auto k, auto s) {
      return std::tuple(k + 1, s + t(n - k * k));
    }, std::tuple(indices(1), indices(0)));
    t(n) = s;
    return t;
  }, indices(sn::ones<std::int64_t>({30})));
  list t(30, 1);
  for (std::int64_t n = 1; n < 30; ++n) {
    std::int64_t s = 0;
    for (std::int64_t k = 1; k * k <= n; ++k) s += t[static_cast<std::size_t>(n - k * k)];
    t[static_cast<std::size_t>(n)] = s;
  }
  CHECK(p.to_host() == t);
  const auto wrong = [] {
    return sn::fori_loop(0, 5, [](auto n, auto t) {
      const indices s = sn::fori_loop(0, 4, [&](auto k, auto s) { return s + t(n * k); },
                                      indices(0));
      t(n) = s;
      return t;
    }, indices(sn::ones<std::int64_t>({7}))).to_host();
  };
  CHECK(text_of<sn::index_error>(wrong) ==
        "[index] index 9 is out of range for axis 0 of extent 7");
}

TEST_CASE("tables: in what sn::fuse replays and under vmap") {
  const auto halves = [](doubles t) {
    return sn::fori_loop(1, 6, [](auto k, auto t) {
      t(k) = t(k - 1) * 0.5 + 1.0;
      return t;
    }, t);
  };
  const auto f = sn::fuse(halves);
  for (int r = 0; r < 4; ++r) {
    const doubles t = sn::full<double>({6}, r);
    CHECK(f(t).to_host() == halves(t).to_host());
  }
  const doubles rows = numbers({3, 6});
  const doubles mapped = sn::vmap(halves)(rows);
  for (int r = 0; r < 3; ++r) CHECK(doubles(mapped(r)).to_host() == halves(rows(r)).to_host());
}

}  // namespace control_tables_test
