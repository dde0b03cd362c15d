// vmap over functions that call libraries, sort, gather, scatter and draw, compared with a loop
// over the slices.

#include <sinter/sinter.hpp>

#include "engine/evaluation/snapshot.hpp"
#include "ir/passes/pipeline.hpp"
#include "tests/catch.hpp"
#include "tests/unit/engine/traced.hpp"

namespace vmap_calls_test {

namespace sn = sinter;
using traced_tests::numbers;
using traced_tests::text_of;
namespace ir = sinter::ir;
using doubles = sn::array<double>;
using places = sn::array<std::int64_t>;

namespace {

/// Does vmap agree with the function of each slice up to rounding? `exact`: bit by bit.
template <class F>
bool agrees(F f, const doubles& x, bool exact = false) {
  const auto all = sn::vmap(f)(x);
  using result = std::remove_cvref_t<decltype(all)>;
  std::vector<result> one;
  for (std::int64_t i = 0; i < x.shape(0); ++i) one.push_back(result(f(doubles(x(i)))));
  const result loop = sn::stack(one);
  if (!std::ranges::equal(all.shape(), loop.shape())) return false;
  if (exact) return sn::array_equal(all, loop).item();
  return sn::allclose(all, loop, {.rtol = 1e-9, .atol = 1e-12}).item();
}

/// Symmetric and positive definite.
doubles definite(std::int64_t count, std::int64_t n) {
  const doubles m = numbers({count, n, n}, 3);
  const doubles a = sn::matmul(m, m.mT()) + sn::eye<double>(n) * 2.0;
  sn::eval(a);
  return a;
}

ir::graph graph_of(const sn::any_array& root) {
  sn::detail::snapshot snapshot;
  sn::detail::take_snapshot({&root, 1}, snapshot);
  ir::trace trace;
  return sn::detail::graph_of(snapshot, trace);
}

/// The calls in the graph of a result.
std::vector<ir::node> calls(const sn::any_array& root) {
  std::vector<ir::node> all;
  for (const ir::node& n : graph_of(root).nodes) {
    if (n.kind == ir::node_kind::call) all.push_back(n);
  }
  return all;
}

}  // namespace

TEST_CASE("vmap over solvers and inverses") {
  const doubles a = definite(5, 4), b = numbers({4}, 4), c = numbers({4, 2}, 5);
  CHECK(agrees([](auto m) { return sn::linalg::inv(m); }, a));
  CHECK(agrees([&](auto m) { return sn::linalg::solve(m, b); }, a));
  CHECK(agrees([&](auto m) { return sn::linalg::solve(m, c); }, a));
  CHECK(agrees([](auto m) { return sn::linalg::solve(m, m(0)); }, a));
  CHECK(agrees([&](auto m) { return sn::linalg::solve_triangular(m, c, {.lower = true}); }, a));
  CHECK(agrees([&](auto m) {
    const auto [lu, pivots] = sn::linalg::lu_factor(m);
    return sn::linalg::lu_solve(lu, pivots, b);
  }, a));
  CHECK(agrees([](auto m) { return sn::linalg::pinv(m(sn::slice(0, 3))); }, a));
  CHECK(agrees([](auto m) { return sn::linalg::matrix_power(m, 3); }, a));
  CHECK(agrees([&](auto m) { return sn::linalg::lstsq(m, b).x; }, a));
  CHECK(agrees([](auto m) { return sn::linalg::norm(m) + sn::linalg::trace(m); }, a));
}

TEST_CASE("vmap over factorisations and determinants") {
  const doubles a = definite(4, 3), r = numbers({4, 5, 3}, 6);
  CHECK(agrees([](auto m) { return sn::linalg::cholesky(m); }, a));
  CHECK(agrees([](auto m) { return sn::linalg::qr(m).q; }, r));
  CHECK(agrees([](auto m) { return sn::linalg::qr(m).r; }, r));
  // A library may flip a vector's sign in a batch.
  CHECK(agrees([](auto m) { return sn::abs(sn::linalg::svd(m, {.full_matrices = false}).u); }, r));
  CHECK(agrees([](auto m) { return sn::linalg::svdvals(m); }, r));
  CHECK(agrees([](auto m) { return sn::linalg::eigh(m).eigenvalues; }, a));
  CHECK(agrees([](auto m) { return sn::linalg::eigvals(m); }, a));
  CHECK(agrees([](auto m) {
    const auto [p, l, u] = sn::linalg::lu(m);
    return sn::matmul(p, sn::matmul(l, u));
  }, a));
  CHECK(agrees([](auto m) { return sn::linalg::det(m); }, a));
  CHECK(agrees([](auto m) { return sn::linalg::slogdet(m).logabsdet; }, a));
  CHECK(agrees([](auto m) { return sn::linalg::matrix_rank(m); }, r));
  const auto [q, t] = sn::vmap([](auto m) {
    const auto f = sn::linalg::qr(m);
    return std::tuple(f.q, f.r);
  })(r);
  CHECK(sn::allclose(sn::matmul(q, t), r).item());
}

TEST_CASE("a vmapped factorisation is one batched call, also of a vmap") {
  const doubles a = definite(6, 3);
  const doubles inverse = sn::vmap([](auto m) { return sn::linalg::inv(m); })(a);
  for (const ir::node& n : calls(inverse)) CHECK(n.shape[0] == 6);
  CHECK(calls(inverse).size() == 2);
  const doubles twice = a.reshape({2, 3, 3, 3});
  const auto inv = sn::vmap(sn::vmap([](auto m) { return sn::linalg::inv(m); }));
  CHECK(sn::allclose(inv(twice).reshape({6, 3, 3}), sn::linalg::inv(a)).item());
}

TEST_CASE("one matrix and many right sides, or vectors, are one call with a matrix of them") {
  const doubles a = doubles(definite(1, 4)(0)), b = numbers({7, 4}, 8), w = numbers({3, 4}, 9);
  sn::eval(a);
  const auto solved = sn::vmap([&](auto v) { return sn::linalg::solve(a, v); })(b);
  int factored = 0, applied = 0;
  for (const ir::node& n : calls(solved)) {
    factored += n.routine == "getrf" && n.shape.empty();
    applied += n.routine == "getrs" && n.shape.size() == 2;
  }
  CHECK(factored == 1);
  CHECK(applied == 1);
  CHECK(sn::allclose(solved, sn::linalg::solve(a, doubles(b.T())).T()).item());
  const auto predicted = sn::vmap([&](auto v) { return sn::matmul(w, v); })(b);
  REQUIRE(calls(predicted).size() == 1);
  CHECK(std::ranges::equal(predicted.shape(), std::vector<std::int64_t>{7, 3}));
  CHECK(sn::allclose(predicted, sn::matmul(b, w.T())).item());
  const auto rows = sn::vmap([&](auto v) { return sn::matmul(v, w.T()); })(b);
  CHECK(sn::allclose(rows, sn::matmul(b, w.T())).item());
  CHECK(agrees([&](auto m) { return sn::matmul(w, m); }, numbers({5, 4, 2})));
}

TEST_CASE("vmap over no slices") {
  const doubles none = sn::zeros<double>({0, 3, 3}), v = numbers({3}, 20);
  const auto shape_of = [&](auto f) {
    const auto all = sn::vmap(f)(none);
    CHECK(all.to_host().empty());
    return all.shape();
  };
  using extents = std::vector<std::int64_t>;
  CHECK(shape_of([](auto m) { return sn::linalg::inv(m); }) == extents{0, 3, 3});
  CHECK(shape_of([&](auto m) { return sn::linalg::solve(m, v); }) == extents{0, 3});
  CHECK(shape_of([](auto m) { return sn::linalg::eigh(m).eigenvectors; }) == extents{0, 3, 3});
  CHECK(shape_of([](auto m) { return sn::fft::rfft(m); }) == extents{0, 3, 2});
  CHECK(shape_of([](auto m) { return sn::argsort(sn::sort(m)); }) == extents{0, 3, 3});
  CHECK(shape_of([&](auto m) { return sn::matmul(m, v); }) == extents{0, 3});
  CHECK(shape_of([](auto m) { return m.at(sn::array<int>{1, 0}).add(1.0); }) == extents{0, 3, 3});
  CHECK(shape_of([](auto m) { return sn::argmax(m, {.axis = 0}); }) == extents{0, 3});
}

TEST_CASE("what is wrong with one slice is said of the batch") {
  doubles a = definite(4, 3);
  a(2) = 0.0;
  CHECK(text_of<sn::linalg_error>([&] {
          sn::vmap([](auto m) { return sn::linalg::inv(m); })(a).to_host();
        }) == "[inv] matrix 2 of the batch is singular: pivot 1 is zero");
  CHECK(text_of<sn::linalg_error>([&] {
          sn::vmap([](auto m) { return sn::sum(sn::linalg::cholesky(m)); })(a).to_host();
        }) == "[cholesky] matrix 2 of the batch is not positive definite: leading minor 1");
  a(2) = std::numeric_limits<double>::quiet_NaN();
  CHECK_THROWS_AS(sn::vmap([](auto m) { return sn::linalg::eigvalsh(m); })(a).to_host(),
                  sn::linalg_error);
}

TEST_CASE("vmap over transforms") {
  const doubles x = numbers({3, 4, 8}, 10);
  CHECK(agrees([](auto m) { return sn::fft::fft(m); }, x));
  CHECK(agrees([](auto m) { return sn::fft::fft(m, {.axis = 0}); }, x));
  CHECK(agrees([](auto m) { return sn::fft::rfft(m, {.n = 6}); }, x));
  CHECK(agrees([](auto m) { return sn::fft::irfft(sn::fft::rfft(m) * 2.0); }, x));
  CHECK(agrees([](auto m) { return sn::fft::fft2(m); }, x));
  CHECK(agrees([](auto m) { return sn::convolve(m(0), m(1)); }, x));
}

TEST_CASE("vmap over sorting and searching") {
  const doubles x = numbers({4, 6, 5}, 11);
  CHECK(agrees([](auto m) { return sn::sort(m); }, x, true));
  CHECK(agrees([](auto m) { return sn::sort(m, {.axis = 0, .descending = true}); }, x, true));
  CHECK(agrees([](auto m) { return sn::argsort(m, {.axis = 0}); }, x, true));
  CHECK(agrees([](auto m) { return sn::topk(m, 2).values; }, x, true));
  CHECK(agrees([](auto m) { return sn::median(m, {.axis = 1}); }, x, true));
  CHECK(agrees([](auto m) { return sn::quantile(m, 0.3); }, x, true));
  CHECK(agrees([](auto m) { return sn::searchsorted(sn::sort(m(0)), m(1)); }, x, true));
  CHECK(agrees([](auto m) { return sn::argmax(m, {.axis = 0}); }, x, true));
  CHECK(agrees([](auto m) { return sn::histogram(m, doubles{-2, -1, 0, 1, 2}).hist; }, x, true));
}

TEST_CASE("vmap over what picks and puts") {
  const doubles x = numbers({4, 6, 5}, 12);
  const places rows = sn::asarray(std::vector<std::int64_t>{2, 0, -1, 2});
  CHECK(agrees([&](auto m) { return sn::take(m, rows, {.axis = 1}); }, x, true));
  CHECK(agrees([](auto m) { return sn::take_along_axis(m, sn::argsort(m), -1); }, x, true));
  CHECK(agrees([&](auto m) { return m.at(rows).set(1.5); }, x, true));
  CHECK(agrees([&](auto m) { return m.at(rows).set(m(sn::slice(0, 4)) * 2.0); }, x, true));
  CHECK(agrees([&](auto m) { return m.at(rows).add(m(sn::slice(0, 4))); }, x, true));
  CHECK(agrees([&](auto m) { return m.at(rows).multiply(m(sn::slice(0, 4))); }, x, true));
  CHECK(agrees([&](auto m) { return m.at(rows).max(0.25); }, x, true));
  CHECK(agrees([&](auto m) { return sn::zeros<double>({6}).at(rows).add(m(0, 0)); }, x, true));
  CHECK(agrees(
      [](auto m) {
        doubles y = m;
        y(y < 0.0) = 0.0;
        return y;
      },
      x, true));
  CHECK(agrees(
      [&](auto m) {
        doubles y = m;
        y(rows, sn::slice(0, 2)) += 1.0;
        return y;
      },
      x, true));
  CHECK(agrees([](auto m) { return sn::where(m > 0.0, m, 0.0); }, x, true));
  CHECK(agrees([](auto m) { return sn::roll(m, 2, {.axis = 1}) - sn::tril(m); }, x, true));
  const doubles edge = numbers({6, 2}, 21);
  CHECK(agrees([&](auto m) { return sn::concatenate<double>({edge, m, m * 2.0, edge}, 1); }, x,
               true));
  const doubles column = edge(sn::_, 0);
  CHECK(agrees([&](auto m) { return sn::stack<double>({m(sn::_, 0), column, m(sn::_, 1)}, 1); },
               x));
  CHECK(agrees([](auto m) { return sn::diff(sn::cumprod(m, {.axis = 1}), {.axis = 0}); }, x, true));
  CHECK(agrees([](auto m) { return sn::einsum("ij,kj->ik", m, m); }, x));
  const places bad = sn::asarray(std::vector<std::int64_t>{1, 6});
  CHECK_THROWS_AS(sn::vmap([&](auto m) { return m.at(bad).set(0.0); })(x).to_host(),
                  sn::index_error);
}

TEST_CASE("numbers drawn inside of a vmap are those of their seed, for every slice") {
  const doubles x = numbers({3, 4}, 13);
  CHECK(agrees([](auto v) { return v + sn::random::normal<double>({4}, {.seed = 5}); }, x, true));
  CHECK(agrees([](auto v) { return sn::random::exponential<double>({4}, {.seed = 5}) * v; }, x,
               true));
  const std::string why =
      "[vmap] random numbers drawn inside would be the same for every slice: give the draw a "
      ".seed if they are to be, or draw those of all slices before and pass them";
  CHECK(text_of<sn::value_error>([&] {
          sn::vmap([](auto v) { return v + sn::random::normal<double>({4}); })(x);
        }) == why);
  sn::random::generator g(3);
  CHECK(text_of<sn::value_error>([&] {
          sn::vmap([&](auto v) { return v + g.normal<double>({4}); })(x);
        }) == why);
}

TEST_CASE("vmap of loops that run round by round: one loop for all slices") {
  const doubles a = definite(4, 3);
  const auto power = [](auto m) {
    return sn::fori_loop(
        0, 30,
        [&](auto, auto v) {
          const doubles w = sn::matmul(m, v);
          return w / sn::sqrt(sn::sum(w * w));
        },
        sn::ones<double>({3}));
  };
  CHECK(agrees(power, a));
  const auto halve = [](auto m) {
    return sn::while_loop([](auto v, auto) { return sn::sum(v) > 1.0; },
                          [](auto v, auto n) { return std::tuple(v / (1.0 + sn::mean(v)), n + 1); },
                          std::tuple(sn::abs(m), std::int64_t{0}));
  };
  CHECK(agrees([&](auto m) { return std::get<0>(halve(m)); }, a));
  const auto rounds = sn::vmap([&](auto m) { return std::get<1>(halve(m)); })(a).to_host();
  for (std::int64_t i = 0; i < 4; ++i) {
    CHECK(std::get<1>(halve(doubles(a(i)))).item() == rounds[static_cast<std::size_t>(i)]);
  }
  const auto sums = [](auto m) {
    return sn::scan(
               [](auto c, auto row) {
                 const doubles next = c + sn::sum(c) * 0.1 + row;
                 return std::pair(next, sn::sum(next));
               },
               sn::zeros<double>({3}), m, {.reverse = true})
        .second;
  };
  CHECK(agrees(sums, a));
  CHECK(agrees(sums, numbers({2, 3, 3}, 14)));
}

TEST_CASE("rounds inside of rounds, of slices of slices") {
  const doubles a = numbers({2, 3, 4}, 15);
  const auto body = [](auto v) {
    return sn::fori_loop(
        0, 3,
        [&](auto, auto u) {
          return sn::fori_loop(
              0, 2, [&](auto, auto w) { return w * 0.5 + sn::sum(v) * 0.1 + sn::mean(w); }, u);
        },
        v);
  };
  const doubles all = sn::vmap(sn::vmap(body))(a);
  for (std::int64_t i = 0; i < 2; ++i) {
    for (std::int64_t j = 0; j < 3; ++j) {
      CHECK(sn::allclose(doubles(all(i, j)), doubles(body(doubles(a(i, j))))).item());
    }
  }
  // A loop of a vmap of a loop.
  const doubles x = sn::fori_loop(
      0, 2, [&](auto, auto m) { return sn::vmap(body)(m) * 0.5; }, doubles(a(0)));
  doubles y = a(0);
  for (int k = 0; k < 2; ++k) {
    y = sn::stack({doubles(body(doubles(y(0)))), doubles(body(doubles(y(1)))),
                   doubles(body(doubles(y(2))))}) * 0.5;
  }
  CHECK(sn::allclose(x, y).item());
}

TEST_CASE("each slice has its own branch of a cond") {
  const doubles x = numbers({6, 4}, 16);
  CHECK(agrees(
      [](auto v) {
        return sn::cond(
            sn::sum(v) > 0.0, [](auto u) { return sn::cumsum(u); },
            [](auto u) { return sn::sort(u) * sn::sum(u); }, v);
      },
      x, true));
}

TEST_CASE("what vmap cannot do names the function and the way out") {
  const doubles x = numbers({4, 3, 3}, 17);
  const std::string traced =
      "a value is read of what a function computes from its arguments while it is traced: they "
      "have none then. Choose with where or cond, repeat with while_loop";
  const auto says = [&](auto f) { return text_of<sn::value_error>([&] { sn::vmap(f)(x); }); };
  CHECK(says([](auto m) { return sn::extract(m > 0.0, m); }) == "[extract] " + traced);
  CHECK(says([](auto m) { return sn::unique(m); }) == "[unique] " + traced);
  CHECK(says([](auto m) { return m * sn::sum(m).item(); }) == "[item] " + traced);
  CHECK(text_of<sn::value_error>([&] {
          sn::vmap([](auto v, auto n) {
            return sn::fori_loop(0, n, [](auto, auto u) { return u + sn::sum(u); }, v);
          })(x, sn::arange<std::int64_t>(4));
        }) ==
        "[fori_loop] lo and hi differ between the slices of a vmap, and the loop is not "
        "elementwise: use while_loop, where each slice has its own condition");
}

}  // namespace vmap_calls_test
