// The cost of repeated work: plans, kernels and copies of loops as users write them.

#include <thread>

#include <sinter/sinter.hpp>

#include "tests/catch.hpp"
#include "tests/support/counted.hpp"

namespace dispatch_test {

namespace sn = sinter;
using sn::slice;
using tests::counted;
using floats = sn::array<float>;
using doubles = sn::array<double>;
constexpr auto end = slice::unset;

namespace {

floats numbers(std::vector<std::int64_t> shape, std::uint64_t seed = 1) {
  floats x = sn::random::uniform<float>(shape, {.seed = seed});
  sn::eval(x);
  return x;
}

}  // namespace

TEST_CASE("a thousand lengths of a map take few plans and kernels, and are right") {
  const floats all = numbers({3000}), more = numbers({3000}, 2);
  std::vector<float> a = all.to_host(), b = more.to_host();
  const auto s = counted([&] {
    for (std::int64_t n = 1000; n < 2000; ++n) {
      const floats x = sn::asarray(std::vector<float>(a.begin(), a.begin() + n));
      const floats y = sn::asarray(std::vector<float>(b.begin(), b.begin() + n));
      const auto z = floats(x * 2 + y).to_host();
      REQUIRE(z.size() == static_cast<std::size_t>(n));
      REQUIRE(z.front() == a[0] * 2 + b[0]);
      REQUIRE(z.back() ==
              a[static_cast<std::size_t>(n) - 1] * 2 + b[static_cast<std::size_t>(n) - 1]);
    }
  });
  CHECK(s.plans <= 8);
  CHECK(s.compiles + s.disk_hits <= 4);
  CHECK(s.plan_sizes >= 990);
}

TEST_CASE("a hundred lengths of stripes and of matrices filled in take few plans") {
  const auto work = [](std::int64_t n) {
    const floats x = numbers({n}), y = numbers({n}, 2);
    floats turns = sn::empty<float>({2 * n}), small = sn::zeros<float>({n, 2, 2});
    turns(slice(0, sn::_, 2)) = x * 2;
    turns(slice(1, sn::_, 2)) = y + 1;
    for (int i = 0; i < 4; ++i) small(sn::_, i / 2, i % 2) = x * static_cast<float>(i) - y;
    sn::eval(turns);
    sn::eval(small);
    CHECK(turns(2 * n - 1).item() == y(n - 1).item() + 1);
    CHECK(small(n - 1, 1, 0).item() == x(n - 1).item() * 2 - y(n - 1).item());
  };
  for (const std::int64_t n : {100, 101, 102, 103, 104}) work(n);
  const auto s = counted([&] {
    for (std::int64_t n = 105; n < 200; ++n) work(n);
  });
  CHECK(s.compiles + s.disk_hits <= 4);
  CHECK(s.plans <= 16);
}

TEST_CASE("a hundred lengths of an axis among three or four are few plans") {
  const floats factors = numbers({32});
  const auto work = [&](std::int64_t n) {
    const floats x = numbers({4, n, 64}), y = numbers({n, 5, 7}), z = numbers({n, 7}, 2);
    floats turned = sn::empty_like(x);
    turned(sn::_, sn::_, slice(0, sn::_, 2)) = x(sn::_, sn::_, slice(0, sn::_, 2)) * factors;
    turned(sn::_, sn::_, slice(1, sn::_, 2)) = x(sn::_, sn::_, slice(1, sn::_, 2)) * factors;
    const floats across = sn::transpose(y, {2, 0, 1}) * 2;
    const floats spread = y * z(sn::_, sn::newaxis, sn::_);
    sn::eval(turned);
    sn::eval(across);
    sn::eval(spread);
    CHECK(turned(3, n - 1, 63).item() == x(3, n - 1, 63).item() * factors(31).item());
    CHECK(across(6, n - 1, 4).item() == y(n - 1, 4, 6).item() * 2);
    CHECK(spread(n - 1, 4, 6).item() == y(n - 1, 4, 6).item() * z(n - 1, 6).item());
  };
  for (const std::int64_t n : {100, 101, 102, 103, 104}) work(n);
  const auto s = counted([&] {
    for (std::int64_t n = 105; n < 200; ++n) work(n);
  });
  CHECK(s.compiles + s.disk_hits == 0);
  CHECK(s.plans <= 16);
}

TEST_CASE("rolls by other shifts, and pieces of other lengths, are the same plans") {
  const floats x = numbers({40, 300});
  const auto work = [&](std::int64_t n) {
    const floats turned = sn::roll(x, n, 1) + sn::roll(x, -n, 0);
    const floats joined = sn::concatenate({x(slice(0, n)), x, x(slice(n, 2 * n))});
    sn::eval(turned);
    sn::eval(joined);
    CHECK(turned(0, 0).item() == x(0, 300 - n).item() + x(n, 0).item());
    CHECK(joined(n + 39, 7).item() == x(39, 7).item());
  };
  work(2);
  work(3);
  const auto s = counted([&] {
    for (std::int64_t n = 4; n < 20; ++n) work(n);
  });
  // Of 32: where n or 2 n equals another number of the graph, or a GPU's vectors change.
  const bool gpu = sn::current_device().what == sn::device::kind::cuda;
  CHECK(s.compiles + s.disk_hits <= (gpu ? 4 : 0));
  CHECK(s.plans <= (gpu ? 8 : 4));
}

TEST_CASE("rows, stencils and broadcasts of many shapes share plans, and equal those made afresh") {
  const auto work = [](std::int64_t r, std::int64_t c) {
    const floats x = numbers({r, c}, 3), g = numbers({c}, 4);
    const floats e = sn::exp(x - sn::max(x, {.axis = 1, .keepdims = true}));
    const floats soft = e / sn::sum(e, {.axis = 1, .keepdims = true}) * g;
    const floats inner = x(slice(1, -1), slice(1, -1)) + x(slice(0, -2), slice(1, -1)) +
                         x(slice(2, end), slice(1, -1)) + x.T()(slice(1, -1), slice(1, -1)).T();
    const floats total = sn::sum(soft, {.axis = 0}) + sn::mean(inner);
    sn::eval(soft, inner, total);
    return std::tuple(soft.to_host(), inner.to_host(), total.to_host());
  };
  std::vector<std::tuple<std::vector<float>, std::vector<float>, std::vector<float>>> first;
  const auto shapes = [](int i) {
    return std::pair<std::int64_t, std::int64_t>(20 + i, 70 + 3 * i);
  };
  const auto s = counted([&] {
    for (int i = 0; i < 60; ++i) first.push_back(work(shapes(i).first, shapes(i).second));
  });
  CHECK(s.plans <= 90);  // for 4 evaluations per shape; a GPU has more classes of row lengths
  for (int i = 0; i < 60; i += 7) {
    sn::dump("");  // discards all plans
    CHECK(first[static_cast<std::size_t>(i)] == work(shapes(i).first, shapes(i).second));
  }
}

TEST_CASE(
    "a stencil loop updates in place: no copies after the first, no plans, a kernel a sweep") {
  floats a = numbers({66, 66}), b = floats(a * 1);
  sn::eval(b);
  const auto sweep = [](floats& to, const floats& of) {
    to(slice(1, -1), slice(1, -1)) =
        0.2f * (of(slice(1, -1), slice(1, -1)) + of(slice(1, -1), slice(0, -2)) +
                of(slice(1, -1), slice(2, end)) + of(slice(2, end), slice(1, -1)) +
                of(slice(0, -2), slice(1, -1)));
  };
  const auto steps = [&](int count) {
    for (int i = 0; i < count; ++i) {
      sweep(b, a);
      std::swap(a, b);
    }
    sn::eval(a, b);
  };
  steps(200);
  const auto s = counted([&] { steps(200); });
  CHECK(s.plans <= 1);
  CHECK(s.copies == 0);
  CHECK(s.launches == 200);
}

TEST_CASE("jacobi_1d, as npbench writes it") {
  const std::int64_t n = 300;
  doubles a = sn::asarray(std::vector<double>(n, 0)), b = a;
  std::vector<double> u(n), v(n);
  for (std::size_t i = 0; i < u.size(); ++i) {
    u[i] = (static_cast<double>(i) + 2) / n;
    v[i] = (static_cast<double>(i) + 3) / n;
  }
  a = sn::asarray(u);
  b = sn::asarray(v);
  const auto steps = [&](int t) {
    for (int i = 1; i < t; ++i) {
      b(slice(1, -1)) = 0.33333 * (a(slice(0, -2)) + a(slice(1, -1)) + a(slice(2, end)));
      a(slice(1, -1)) = 0.33333 * (b(slice(0, -2)) + b(slice(1, -1)) + b(slice(2, end)));
    }
    sn::eval(a, b);
  };
  steps(101);
  steps(101);  // cut at the same statements as the first rounds
  const auto s = counted([&] { steps(101); });
  CHECK(s.plans == 0);
  CHECK(s.copies == 0);
  CHECK(s.launches == 200);
  for (int i = 1; i < 301; ++i) {
    for (std::size_t k = 1; k + 1 < u.size(); ++k) v[k] = 0.33333 * (u[k - 1] + u[k] + u[k + 1]);
    for (std::size_t k = 1; k + 1 < u.size(); ++k) u[k] = 0.33333 * (v[k - 1] + v[k] + v[k + 1]);
  }
  CHECK(a.to_host() == u);
  CHECK(b.to_host() == v);
}

TEST_CASE("fdtd_2d, as npbench writes it") {
  const std::int64_t nx = 30, ny = 40, t = 60;
  const auto field = [&](std::uint64_t seed) {
    doubles x = sn::random::uniform<double>({nx, ny}, {.seed = seed});
    sn::eval(x);
    return x;
  };
  doubles ex = field(1), ey = field(2), hz = field(3);
  const doubles source = sn::random::uniform<double>({2 * t}, {.seed = 4});
  sn::eval(source);
  std::int64_t at = 0;
  const auto steps = [&] {
    for (std::int64_t i = 0; i < t; ++i, ++at) {
      ey(0) = source(at);
      ey(slice(1, end)) -= 0.5 * (hz(slice(1, end)) - hz(slice(0, -1)));
      ex(slice(), slice(1, end)) -= 0.5 * (hz(slice(), slice(1, end)) - hz(slice(), slice(0, -1)));
      hz(slice(0, -1), slice(0, -1)) -=
          0.7 * (ex(slice(0, -1), slice(1, end)) - ex(slice(0, -1), slice(0, -1)) +
                 ey(slice(1, end), slice(0, -1)) - ey(slice(0, -1), slice(0, -1)));
    }
    sn::eval(ex, ey, hz);
  };
  steps();
  const auto s = counted(steps);
  CHECK(s.plans <= 2);
  CHECK(s.copies == 0);
  CHECK(s.launches <= 4 * t + 1);
}

TEST_CASE("bounds may become 0 or NaN, outside of loops and in them") {
  const float nan = std::nanf("");
  const std::vector<float> x{-0.0f, 0.0f, -1.0f, 2.0f, nan};
  const floats on_device = sn::asarray(x);
  const auto larger = [](float a, float b) {
    if (a == b) return std::signbit(a) ? b : a;
    return a < b || b != b ? b : a;
  };
  for (const float bound : {0.5f, 0.0f, -0.0f, nan, -3.0f, 0.5f}) {
    const floats alone = sn::maximum(on_device, bound), held = sn::clip(on_device, bound, 4.0f);
    const floats looped =
        sn::fori_loop(0, 2, [&](auto, auto v) { return sn::maximum(v, bound); }, on_device);
    for (const auto& y : {alone.to_host(), held.to_host(), looped.to_host()}) {
      for (std::size_t i = 0; i < x.size(); ++i) {
        const float expected = larger(x[i], bound);
        INFO(bound << " beside " << x[i]);
        CHECK(((std::isnan(y[i]) && std::isnan(expected)) ||
               (y[i] == expected && std::signbit(y[i]) == std::signbit(expected))));
      }
    }
  }
}

TEST_CASE("an array whose slices are moved one by one is never stored half moved") {
  const floats start = numbers({5, 30, 40});
  const auto moved = [](const floats& f, int i) {
    return floats(sn::roll(sn::roll(floats(f(i)), i, {.axis = 0}), 2 - i, {.axis = 1}));
  };
  const auto relaxed = [](const floats& f) { return floats(f - 0.5f * (f - sn::mean(f, 0))); };
  floats f = start, g = start;
  const auto steps = [&] {
    for (int t = 0; t < 20; ++t) {
      for (int i = 0; i < 5; ++i) f(i) = moved(f, i);
      f = relaxed(f);
    }
    sn::eval(f);
  };
  steps();
  const auto s = counted(steps);
  CHECK(s.copies == 0);
  CHECK(s.launches <= 20 * 4);  // separate updates would be 120
  for (int t = 0; t < 40; ++t) {
    std::vector<floats> slices;
    for (int i = 0; i < 5; ++i) slices.push_back(moved(g, i));
    g = relaxed(sn::stack(slices, 0));
  }
  CHECK(sn::allclose(f, g));
}

TEST_CASE("rounds that move every slice of an array are cut between two of them") {
  const floats start = numbers({7, 3, 450});
  floats f = start;
  const auto steps = [&] {
    for (int t = 0; t < 30; ++t) {
      for (int i = 0; i < 7; ++i) f(i) = sn::roll(f(i), i - 3, {.axis = 1});
    }
    sn::eval(f);
  };
  steps();
  const auto s = counted(steps);
  CHECK(s.copies == 0);
  CHECK(s.launches <= 30);
  for (int i = 0; i < 7; ++i) {
    CHECK(sn::array_equal(f(i), sn::roll(floats(start(i)), 60 * (i - 3), {.axis = 1})));
  }
}

TEST_CASE(
    "a 3-D stencil loop that keeps its old handle for a while pays one copy, not one a step") {
  floats a = numbers({20, 20, 20}), b = numbers({20, 20, 20}, 2);
  const floats kept = a;
  const auto step = [](floats& to, const floats& of) {
    const slice in(1, -1), low(0, -2), high(2, end);
    to(in, in, in) =
        of(in, in, in) +
        0.1f * (of(high, in, in) + of(low, in, in) + of(in, high, in) + of(in, low, in) +
                of(in, in, high) + of(in, in, low) - 6 * of(in, in, in));
  };
  const auto s = counted([&] {
    for (int i = 0; i < 40; ++i) {
      step(b, a);
      std::swap(a, b);
    }
    sn::eval(a, b);
  });
  CHECK(s.copies <= 1);
  CHECK(s.launches <= 41);
  CHECK(kept.to_host() == numbers({20, 20, 20}).to_host());
}

TEST_CASE("rounds of a plain loop are cut where others were, and are the same plans then") {
  const floats m = sn::random::normal<float>({12, 16}, {.seed = 1});
  sn::eval(m);
  const auto rounds = [&](int n) {  // Sinkhorn's algorithm, with eleven nodes each
    floats f = sn::zeros<float>({12}), g = sn::zeros<float>({16});
    for (int i = 0; i < n; ++i) {
      f = -sn::logsumexp(m + g, {.axis = 1});
      g = -sn::logsumexp(m + f(sn::_, sn::newaxis), {.axis = 0});
    }
    return g.to_host();
  };
  const auto some = counted([&] { rounds(40); });
  CHECK(some.plans <= 14);
  const auto more = counted([&] { rounds(160); });
  CHECK(more.plans <= 4);
  CHECK(more.launches >= 300);
}

TEST_CASE("columns, rows and elements are written in place while others of the array are read") {
  const std::int64_t n = 40;
  const doubles first = sn::random::uniform<double>({n, n}, {.seed = 5});
  sn::eval(first);
  const slice in(1, n - 1);
  doubles x = first;
  const auto s = counted([&] {
    for (std::int64_t j = 1; j < n; ++j) x(in, j) = 0.5 * x(in, j - 1) + x(in, j);
    for (std::int64_t i = n - 2; i >= 0; --i) x(i, in) = 0.5 * x(i + 1, in) + x(i, in);
    for (std::int64_t i = 1; i < n; ++i) x(i, i) /= x(i - 1, i - 1) + 1;
    sn::eval(x);
  });
  CHECK(s.copies == 1);  // of the array that `first` keeps
  CHECK(s.plans <= 8);
  std::vector<double> by_hand = first.to_host();
  const auto at = [&](std::int64_t i, std::int64_t j) -> double& {
    return by_hand[static_cast<std::size_t>(i * n + j)];
  };
  for (std::int64_t j = 1; j < n; ++j)
    for (std::int64_t i = 1; i < n - 1; ++i) at(i, j) = 0.5 * at(i, j - 1) + at(i, j);
  for (std::int64_t i = n - 2; i >= 0; --i)
    for (std::int64_t j = 1; j < n - 1; ++j) at(i, j) = 0.5 * at(i + 1, j) + at(i, j);
  for (std::int64_t i = 1; i < n; ++i) at(i, i) /= at(i - 1, i - 1) + 1;
  CHECK(x.to_host() == by_hand);
}

TEST_CASE("threads that evaluate the same program at once agree") {
  const floats x = numbers({777});
  const auto work = [&](int rounds) {
    floats y = x;
    for (int i = 0; i < rounds; ++i) {
      y = floats(y * 0.5f + x);
      if (i % 3 == 0) sn::eval(y);
    }
    return y.to_host();
  };
  const auto expected = work(50);
  std::vector<std::vector<float>> got(4);
  std::vector<std::thread> threads;
  for (auto& g : got) threads.emplace_back([&] { g = work(50); });
  for (auto& t : threads) t.join();
  for (const auto& g : got) CHECK(g == expected);
}

}  // namespace dispatch_test
