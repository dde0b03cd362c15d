// Loops, scans and branches over traced functions: their results, their number of kernels, and
// their errors.

#include <cmath>
#include <numeric>

#include <sinter/sinter.hpp>

#include "engine/evaluation/snapshot.hpp"
#include "ir/passes/pipeline.hpp"
#include "tests/catch.hpp"
#include "tests/unit/engine/traced.hpp"

namespace control_test {

namespace sn = sinter;
using traced_tests::text_of;
using traced_tests::kernels;
namespace ir = sinter::ir;
using floats = sn::array<float>;
using doubles = sn::array<double>;
using ints = sn::array<std::int32_t>;

namespace {

template <class Program>
std::string shape_text(Program&& program) {
  return text_of<sn::shape_error>(program);
}

floats ramp(std::int64_t n) {
  const auto count = static_cast<float>(n);
  return floats(sn::arange<float>(count) / count);
}

float logistic(float x, int rounds) {
  for (int i = 0; i < rounds; ++i) x = 3.7f * x * (1 - x);
  return x;
}

floats logistic(const floats& x, std::int64_t rounds) {
  return sn::fori_loop(0, rounds, [](auto, auto v) { return 3.7f * v * (1 - v); }, x);
}

struct escape {
  doubles zr, zi;
  ints count;
};

/// Each point iterates until it escapes.
escape mandelbrot(const doubles& cr, const doubles& ci, int rounds) {
  const auto zero = sn::zeros<double>(cr.shape());
  auto [zr, zi, n] = sn::while_loop(
      [rounds](auto zr, auto zi, auto n) { return (zr * zr + zi * zi <= 4.0) && (n < rounds); },
      [&](auto zr, auto zi, auto n) {
        return std::tuple(zr * zr - zi * zi + cr, 2.0 * zr * zi + ci, n + 1);
      },
      std::tuple(zero, zero, sn::zeros<std::int32_t>(cr.shape())));
  return {zr, zi, n};
}

}  // namespace

TEST_CASE("an elementwise fori_loop is one kernel with what is around it") {
  const floats x = ramp(1003);
  sn::eval(x);
  const floats y = logistic(floats(x + 0.0f), 1000) * 2.0f;
  CHECK(kernels({y}) == 1);
  const auto got = y.to_host();
  const auto from = x.to_host();
  for (std::size_t i = 0; i < got.size(); ++i) CHECK(got[i] == logistic(from[i], 1000) * 2);
}

TEST_CASE("the number of rounds is passed, not compiled") {
  const floats x = ramp(100);
  sn::eval(x);
  logistic(x, 1000).to_host();
  const auto before = sn::session_statistics();
  for (std::int64_t n : {0, 1, 2, 17, 1000, 5000}) {
    CHECK(logistic(x, n).to_host()[33] == logistic(x.to_host()[33], static_cast<int>(n)));
  }
  const auto counted = [&](const sn::array<std::int64_t>& n) {
    return floats(sn::fori_loop(0, n, [](auto, auto v) { return 3.7f * v * (1 - v); }, x));
  };
  const auto after = sn::session_statistics();
  CHECK(after.compiles + after.disk_hits == before.compiles + before.disk_hits);
  const sn::array<std::int64_t> seven = sn::asarray(std::vector<std::int64_t>{7})(0);
  CHECK(counted(seven).to_host()[50] == logistic(x.to_host()[50], 7));
  CHECK(counted(sn::array<std::int64_t>(seven - 9)).to_host() == x.to_host());
}

TEST_CASE("the round is an index, from lo on") {
  const auto sum = sn::fori_loop(3, 8, [](auto i, auto s) { return s + i; }, std::int64_t{100});
  CHECK(sum.item() == 100 + 3 + 4 + 5 + 6 + 7);
  const auto down = sn::fori_loop(8, 3, [](auto i, auto s) { return s + i; }, std::int64_t{100});
  CHECK(down.item() == 100);
  const auto below = sn::fori_loop(-2, 2, [](auto i, auto s) { return s * 10 + i; },
                                   sn::array<std::int64_t>{1, 2});
  CHECK(below.to_host() == std::vector<std::int64_t>{10000 - 2000 - 100 + 1,
                                                     20000 - 2000 - 100 + 1});
}

TEST_CASE("several carries, of rank 0 too, that take each other's places") {
  const auto [a, b, n] = sn::fori_loop(
      0, 10, [](auto, auto a, auto b, auto n) { return std::tuple(b, a + b, n + 1); },
      std::tuple(sn::array<std::int64_t>{0, 1, 2}, sn::array<std::int64_t>{1, 1, 1},
                 std::int64_t{5}));
  CHECK(a.to_host() == std::vector<std::int64_t>{55, 89, 123});
  CHECK(b.to_host() == std::vector<std::int64_t>{89, 144, 199});
  CHECK(n.item() == 15);
}

TEST_CASE("each element of a while_loop runs until its own condition fails, in one kernel") {
  const std::vector<double> re{-2.0, -1.0, -0.5, 0.0, 0.25, 0.3, 0.5, 1.0, 2.0, -0.75, -1.25};
  const doubles cr(re), ci = doubles(cr * 0.0 + 0.1);
  sn::eval(cr, ci);
  const auto m = mandelbrot(cr, ci, 200);
  const doubles shade = sn::log1p(sn::astype<double>(m.count));
  CHECK(kernels({shade}) == 1);
  const auto counts = m.count.to_host();
  for (std::size_t i = 0; i < re.size(); ++i) {
    double zr = 0, zi = 0;
    int n = 0;
    while (zr * zr + zi * zi <= 4.0 && n < 200) {
      const double next = zr * zr - zi * zi + re[i];
      zi = 2.0 * zr * zi + 0.1;
      zr = next;
      ++n;
    }
    CHECK(counts[i] == n);
    CHECK(m.zr.to_host()[i] == zr);
  }
}

TEST_CASE("Newton's iteration runs to convergence inside one kernel") {
  const floats x = floats(ramp(5000) * 100.0f + 1.0f);
  sn::eval(x);
  const floats root = sn::while_loop([&](auto r) { return sn::abs(r * r - x) > 1e-6f * x; },
                                     [&](auto r) { return (r + x / r) * 0.5f; }, x);
  CHECK(kernels({root}) == 1);
  CHECK(sn::allclose(root, sn::sqrt(x), {.rtol = 1e-6}).item());
}

TEST_CASE("a condition of rank 0 decides for all") {
  const floats x = ramp(10);
  const auto [y, n] = sn::while_loop([](auto, auto n) { return n < 5; },
                                     [](auto y, auto n) { return std::tuple(y * 2.0f, n + 1); },
                                     std::tuple(x, std::int32_t{0}));
  CHECK(kernels({y}) == 1);
  CHECK(y.to_host() == floats(ramp(10) * 32.0f).to_host());
  CHECK(n.item() == 5);
}

TEST_CASE("what does not depend on the loop is computed once before it") {
  const floats x = ramp(64), w = ramp(8);
  sn::eval(x, w);
  const floats y = sn::fori_loop(0, 3, [&](auto, auto v) { return v + sn::sum(w); }, x);
  CHECK(kernels({y}) == 2);
  CHECK(std::abs(y.to_host()[1] - (x.to_host()[1] + 3 * 3.5f)) < 1e-5f);
}

TEST_CASE("the results of a loop are computed once, whoever reads them") {
  const floats x = ramp(300);
  sn::eval(x);
  const floats y = logistic(x, 10);
  CHECK(kernels({floats(y + 1.0f), floats(sn::sum(y)), floats(sn::cumsum(y))}) <= 3);
  const floats shifted = floats(y(sn::slice(1, 300)) - y(sn::slice(0, 299)));
  const auto got = shifted.to_host();
  const auto from = x.to_host();
  for (std::size_t i = 0; i < got.size(); ++i) {
    CHECK(got[i] == logistic(from[i + 1], 10) - logistic(from[i], 10));
  }
  CHECK(std::abs(sn::sum(logistic(x, 5)).item() -
                 [&] {
                   double s = 0;
                   for (float v : from) s += logistic(v, 5);
                   return static_cast<float>(s);
                 }()) < 1e-2f);
}

TEST_CASE("loops inside rows, pads and other types") {
  const floats x = floats(sn::reshape(ramp(600), {20, 30}));
  sn::eval(x);
  const floats y = logistic(x, 4);
  const auto stored = logistic(x, 4);
  sn::eval(stored);
  CHECK(sn::array_equal(sn::sum(y, {.axis = 1}), sn::sum(stored, {.axis = 1})).item());
  const floats padded = sn::pad(
      floats(sn::while_loop([](auto v) { return v < 8.0f; }, [](auto v) { return v * 2.0f; },
                            floats(ramp(9) + 1.0f))),
      {{2, 3}});
  CHECK(padded.shape(0) == 14);
  CHECK(padded.to_host()[2] == 8.0f);
  CHECK(padded.to_host()[0] == 0.0f);
  using half = sn::array<sn::float16>;
  const half h = sn::fori_loop(0, 3, [](auto, auto v) { return v * v + v; },
                               sn::astype<sn::float16>(ramp(7)));
  half by_hand = sn::astype<sn::float16>(ramp(7));
  for (int i = 0; i < 3; ++i) by_hand = half(by_hand * by_hand + by_hand);
  CHECK(sn::array_equal(h, by_hand).item());
  using complexes = sn::array<std::complex<double>>;
  const complexes c = sn::astype<std::complex<double>>(ramp(7)) * std::complex<double>(0.5, 0.5);
  const complexes z = sn::fori_loop(0, 5, [&](auto, auto z) { return z * z + c; }, c);
  complexes w = c;
  for (int i = 0; i < 5; ++i) w = complexes(w * w + c);
  CHECK(sn::array_equal(z, w).item());
}

TEST_CASE("a body that is not elementwise is replayed round by round") {
  int calls = 0;
  const doubles m = sn::asarray(std::vector<double>{0.5, 0.25, 0.25, 0.5}).reshape({2, 2});
  const doubles v = sn::fori_loop(
      0, 20,
      [&](auto, auto v) {
        ++calls;
        const doubles w = sn::matmul(m, v);
        return w / sn::sqrt(sn::sum(w * w));
      },
      sn::asarray(std::vector<double>{1, 0}));
  CHECK(calls == 2);  // once on placeholders, once to record it
  CHECK(std::abs(v.to_host()[0] - std::sqrt(0.5)) < 1e-6);
  calls = 0;
  const auto [x, n] = sn::while_loop(
      [](auto x, auto) { return sn::sum(x) < 100.0; },
      [&](auto x, auto n) {
        ++calls;
        return std::tuple(x + sn::mean(x), n + 1);
      },
      std::tuple(doubles{1, 2, 3}, std::int64_t{0}));
  double a[] = {1, 2, 3};
  int rounds = 0;
  while (a[0] + a[1] + a[2] < 100) {
    const double mean = (a[0] + a[1] + a[2]) / 3;
    for (double& e : a) e += mean;
    ++rounds;
  }
  CHECK(calls == 2);
  CHECK(n.item() == rounds);
  CHECK(x.to_host()[2] == a[2]);
  const auto index = sn::fori_loop(1, 4, [](auto i, auto s) { return s + sn::sum(s) * 0 + i; },
                                   sn::array<std::int64_t>{0, 10});
  CHECK(index.to_host() == std::vector<std::int64_t>{6, 16});
}

TEST_CASE("a loop over big arrays runs in constant memory") {
  const std::int64_t n = 1 << 16;
  const auto run = [&](int rounds) {
    const floats y = sn::fori_loop(0, rounds, [](auto, auto v) { return v + sn::mean(v); },
                                   sn::ones<float>({n}));
    CHECK(y.to_host()[0] == std::ldexp(1.0f, rounds));
  };
  run(3);
  const auto before = sn::memory().reserved;
  run(40);
  CHECK(sn::memory().reserved <= before + 2 * n * 4);
}

TEST_CASE("loops of which one is not elementwise, inside one another") {
  const floats s = sn::fori_loop(
      0, 2,
      [](auto, auto v) {
        return sn::fori_loop(0, 2, [](auto, auto w) { return w + sn::sum(w); }, v);
      },
      floats{1, 2});
  CHECK(s.to_host() == std::vector<float>{121, 122});
}

TEST_CASE("a scan of elementwise steps is one kernel") {
  const doubles xs = doubles(sn::reshape(sn::arange<double>(60), {12, 5}));
  const doubles x0 = sn::zeros<double>({5});
  sn::eval(xs, x0);
  const auto [last, all] = sn::scan(
      [](auto m, auto x) {
        const doubles y = 0.5 * m + x;
        return std::pair(y, y * 2.0);
      },
      x0, xs);
  CHECK(kernels({last, all}) == 1);
  CHECK(std::ranges::equal(all.shape(), std::vector<std::int64_t>{12, 5}));
  std::vector<double> m(5, 0.0), expected;
  for (int i = 0; i < 12; ++i) {
    for (int j = 0; j < 5; ++j) {
      m[static_cast<std::size_t>(j)] = 0.5 * m[static_cast<std::size_t>(j)] + i * 5 + j;
      expected.push_back(2 * m[static_cast<std::size_t>(j)]);
    }
  }
  CHECK(all.to_host() == expected);
  CHECK(last.to_host() == m);
}

TEST_CASE("what no round of a scan changes is repeated, and the scan is one kernel all the same") {
  const sn::array<double> start = sn::zeros({3}), xs = sn::arange<double>(1, 5), row{7, 8};
  sn::eval(start, xs, row);
  const auto [last, all] = sn::scan(
      [&](auto s, auto x) {
        return std::pair(s + x, std::tuple(sn::zeros({}), s * x, row));
      },
      start, xs);
  const auto& [zeros, products, rows] = all;
  CHECK(sn::to_string(last) == "[10. 10. 10.]");
  CHECK(sn::to_string(zeros) == "[0. 0. 0. 0.]");
  CHECK(sn::to_string(products(sn::_, 0)) == "[ 0.  2.  9. 24.]");
  CHECK(sn::to_string(rows(sn::slice(2, 4))) == "[[7. 8.]\n [7. 8.]]");
  CHECK(sn::explain(last).find("1 kernel on") != std::string::npos);
}

TEST_CASE("scans: in reverse, of several arrays, of none, and of what is not elementwise") {
  const doubles xs = sn::arange<double>(6);
  const auto back = sn::scan([](auto c, auto x) { return std::pair(c + x, c + x); }, 0.0, xs,
                             {.reverse = true});
  CHECK(back.second.to_host() == std::vector<double>{15, 15, 14, 12, 9, 5});
  CHECK(back.first.item() == 15);
  const auto pair = sn::scan(
      [](auto c, auto x) {
        const auto [sum, before] = c;
        const auto [a, b] = x;
        return std::pair(std::tuple(sum + a, a), std::tuple(a * b, sum + before));
      },
      std::tuple(0.0, 10.0), std::tuple(xs, xs));
  CHECK(std::get<0>(pair.first).item() == 15);
  CHECK(std::get<1>(pair.first).item() == 5);
  CHECK(std::get<0>(pair.second).to_host() == std::vector<double>{0, 1, 4, 9, 16, 25});
  CHECK(std::get<1>(pair.second).to_host() == std::vector<double>{10, 0, 2, 5, 9, 14});
  const auto steps = sn::scan([](auto c, auto) { return std::pair(c * 2.0, c); },
                              doubles{1, 3}, std::tuple<>(), {.length = 4});
  CHECK(steps.second.to_host() == std::vector<double>{1, 3, 2, 6, 4, 12, 8, 24});
  const auto sums = sn::scan(
      [](auto c, auto x) {
        const doubles y = c + sn::sum(c) + x;
        return std::pair(y, y);
      },
      doubles{1, 2}, doubles(sn::reshape(sn::arange<double>(6), {3, 2})));
  CHECK(sums.second.to_host() == std::vector<double>{4, 6, 16, 19, 55, 59});
  CHECK(sums.first.to_host() == std::vector<double>{55, 59});
}

TEST_CASE("cond computes the branch that is chosen") {
  const floats x = ramp(8);
  const auto both = [&](const sn::array<bool>& p) {
    return floats(sn::cond(
        p, [](auto v) { return v + 1.0f; }, [](auto v) { return v * 2.0f; }, x));
  };
  const sn::array<bool> yes = sn::sum(x) > 1.0f;
  CHECK(both(yes).to_host() == floats(x + 1.0f).to_host());
  CHECK(both(!yes).to_host() == floats(x * 2.0f).to_host());
  const auto summed = [&](const auto& p) {
    return floats(sn::cond(
        p, [](auto v) { return sn::cumsum(v); }, [](auto v) { return v * sn::sum(v); }, x));
  };
  CHECK(kernels({summed(true)}) == 1);
  CHECK(summed(false).to_host() == floats(x * sn::sum(x)).to_host());
  CHECK(summed(yes).to_host() == sn::cumsum(x).to_host());
  CHECK(summed(!yes).to_host() == floats(x * sn::sum(x)).to_host());
}

TEST_CASE("programs about loops that are rejected") {
  const floats x = ramp(3);
  CHECK(text_of<sn::dtype_error>(
            [&] { sn::fori_loop(0, 2, [](auto i, auto v) { return v + i; }, x); }) ==
        "[fori_loop] carry 0 is float32, but the body returns float64: what is carried keeps its "
        "type. Convert what is returned with astype, or begin with that type");
  CHECK(text_of<sn::dtype_error>([&] {
          sn::cond(true, [](auto v) { return v; }, [](auto v) { return sn::astype<double>(v); }, x);
        }) ==
        "[cond] one branch gives float32, the other float64: convert one of them with astype");
  const sn::array<bool> yes = x > 0.0f;
  CHECK(shape_text([&] {
          sn::fori_loop(0, 2, [](auto, auto v) { return v(sn::slice(1, 3)); }, x);
        }) == "[fori_loop] carry 0 has shape (3,), but the body returns shape (2,): what is "
              "carried keeps its shape");
  CHECK(shape_text([&] {
          sn::fori_loop(0, sn::zeros<int>({2}), [](auto, auto v) { return v; }, x);
        }) == "[fori_loop] hi has shape (2,), not ()");
  CHECK(shape_text([&] {
          sn::while_loop([](auto v) { return v < 1.0f; }, [](auto v) { return v + sn::sum(v); },
                         x);
        }) == "[while_loop] the condition has shape (3,), and the loop is not elementwise (it has "
              "a reduce): it wants a condition of shape ()");
  CHECK(shape_text([&] {
          sn::scan([](auto c, auto) { return std::pair(c, c); }, x, std::tuple<>());
        }) == "[scan] without xs it needs .length");
  CHECK(shape_text([&] {
          sn::scan([](auto c, auto) { return std::pair(c, c); }, x, std::tuple(ramp(2), ramp(3)));
        }) == "[scan] xs has shape (3,) where there are 2 rounds");
  CHECK(shape_text([&] {
          sn::cond(yes, [](auto v) { return v; }, [](auto v) { return v; }, x);
        }) == "[cond] pred has shape (3,), not ()");
  CHECK(shape_text([&] {
          sn::cond(true, [](auto v) { return sn::sum(v); }, [](auto v) { return v; }, x);
        }) == "[cond] one branch gives shape (), the other (3,)");
  CHECK(text_of<sn::value_error>([&] {
          sn::fori_loop(0, 2, [](auto, auto v) { return v * sn::sum(v).item(); }, x);
        }).starts_with("[item] a value is read of what a function computes from its arguments"));
}

}  // namespace control_test
