// The number of kernels of the language's functions, and the types of the results.

#include <algorithm>

#include <sinter/sinter.hpp>

#include "engine/evaluation/snapshot.hpp"
#include "ir/passes/pipeline.hpp"
#include "tests/catch.hpp"

namespace language_kernels_test {

namespace sn = sinter;
namespace ir = sinter::ir;

namespace {

ir::graph graph_of(const sn::any_array& x) {
  sn::detail::snapshot snapshot;
  sn::detail::take_snapshot({&x, 1}, snapshot);
  ir::trace trace;
  return sn::detail::graph_of(snapshot, trace);
}

ir::plan plan_of(const sn::any_array& x) {
  return ir::make_plan(graph_of(x), ir::machine{});
}

std::size_t kernels(const sn::any_array& x) {
  return plan_of(x).kernels.size();
}

sn::array<float> rows() {
  static const sn::array<float> x = [] {
    sn::array<float> made = sn::random::normal<float>({300, 1000}, {.seed = 1});
    sn::eval(made);
    return made;
  }();
  return x;
}

}  // namespace

TEST_CASE("reductions over rows are one kernel with all they read and all that reads them") {
  const auto x = rows();
  const auto kept = [](auto&& e) -> sn::any_array { return e.to_array(); };
  const sn::any_array results[] = {
      sn::softmax(x, {.axis = 1}),
      sn::log_softmax(x, {.axis = 1}),
      sn::logsumexp(x * 2 + 1, {.axis = 1}),
      sn::var(x, {.axis = 1}),
      sn::stddev(sn::exp(x), {.axis = 1, .correction = 1}),
      sn::nanmean(x, {.axis = 1}),
      sn::nanvar(x, {.axis = 1}),
      sn::nanmax(x, {.axis = 1}),
      sn::ptp(x, {.axis = 1}),
      sn::average(x, sn::abs(x), {.axis = 1}),
      kept(sn::sqrt(sn::norm(x, {.ord = 3, .axis = 1}) + 1)),
      sn::trapezoid(x, {.axis = 1}),
      sn::vecdot(x, x),
      sn::matvec(x, x(0)),
      sn::einsum("ij,ij->i", x, x),
      sn::count_nonzero(sn::isclose(x, x + 1), {.axis = 1}),
      kept((x - sn::mean(x, {.axis = 1, .keepdims = true})) /
           sn::stddev(x, {.axis = 1, .keepdims = true})),
  };
  int i = 0;
  for (const sn::any_array& r : results) {
    INFO("result " << i++);
    CHECK(kernels(r) == 1);
  }
}

TEST_CASE("views, grids and comparisons are part of the kernel that reads them") {
  const auto x = rows();
  const auto square = x(sn::slice(0, 300), sn::slice(0, 300));
  const auto [u, v] = sn::meshgrid(sn::linspace<float>(0, 1, 1000), sn::linspace<float>(0, 1, 300));
  const auto kept = [](auto&& e) -> sn::any_array { return e.to_array(); };
  const sn::any_array results[] = {
      kept(sn::tril(square) + sn::triu(square, {.k = 1})),
      kept(sn::rot90(square) * 2),
      kept(u * v + x),
      kept(sn::tile(x(0), {300, 1}) + x),
      kept(sn::repeat(x(sn::_, 0), 1000).reshape({300, 1000}) - x),
      kept(sn::diff(x, {.n = 2}) * 3),
      sn::max(sn::sliding_window_view(x, 3, 1), {.axis = -1}),
      sn::trace(square),
      kept(sn::nan_to_num(x) + 1),
      sn::kron(x(0), x(1)),
      sn::cross(x(sn::_, sn::slice(0, 3)), x(sn::_, sn::slice(3, 6))),
      sn::view<float>(sn::complex(x, x + 1)),
      sn::unstack(x)[3],
      sn::vander(x(0), {.columns = 4}),
  };
  int i = 0;
  for (const sn::any_array& r : results) {
    INFO("result " << i++);
    CHECK(kernels(r) == 1);
  }
}

TEST_CASE("a sum of products is a matrix product where both sides keep an axis") {
  const auto x = rows();
  const auto calls = [](const sn::any_array& r) {
    const ir::graph g = graph_of(r);
    return std::count_if(g.nodes.begin(), g.nodes.end(),
                         [](const auto& n) { return n.kind == ir::node_kind::call; });
  };
  CHECK(calls(sn::einsum("ij,kj->ik", x, x)) == 1);
  CHECK(calls(sn::tensordot(x, sn::transpose(x), 1)) == 1);
  CHECK(calls(sn::einsum("ij,kj,k->i", x(sn::slice(0, 9)), x, x(sn::_, 0))) == 0);
  CHECK(calls(sn::inner(x, x(0))) == 0);
  // Overlapping windows are read in place, for few vectors.
  const auto windows = sn::sliding_window_view(x, {3, 3});
  const auto kernels_of = [](int n) { return sn::ones<float>({n, 3, 3}); };
  CHECK(calls(sn::einsum("hwij,kij->khw", windows, kernels_of(4))) == 0);
  CHECK(calls(sn::einsum("kij,hwij->hwk", kernels_of(4), windows)) == 0);
  CHECK(calls(sn::tensordot(windows, kernels_of(8), {{2, 3}, {1, 2}})) == 0);
  CHECK(calls(sn::einsum("hwij,kij->khw", windows, kernels_of(9))) == 1);
  const sn::array<float> line = sn::sum(x, {.axis = 0}), taps = sn::linspace<float>(-1, 1, 5);
  const auto slid = sn::sliding_window_view(line, 5);
  const sn::array<float> apart = windows * 1.0f, lines = slid * 1.0f;
  sn::eval(apart, lines);
  CHECK(calls(sn::matmul(slid, taps)) == 0);
  CHECK(calls(sn::matmul(slid, sn::ones<float>({5, 8}))) == 0);
  CHECK(calls(sn::matmul(taps, sn::transpose(slid))) == 0);
  CHECK(calls(sn::matmul(sn::ones<float>({3, 5}), sn::transpose(slid))) == 0);
  CHECK(calls(sn::matmul(slid, sn::ones<float>({5, 9}))) == 1);
  CHECK(sn::allclose(sn::matmul(slid, taps), sn::matmul(lines, taps)));
  const sn::array<float> few = sn::stack({taps, taps * 2, taps + 1}, 1);
  CHECK(sn::allclose(sn::matmul(slid, few), sn::matmul(lines, few)));
  CHECK(sn::allclose(sn::matmul(few.T(), slid.T()), sn::matmul(few.T(), lines.T())));
  const sn::array<float> three = few(sn::slice(0, 3));
  CHECK(sn::allclose(sn::matmul(windows, three), sn::matmul(apart, three)));
  CHECK(calls(sn::einsum("hwij,kij->khw", apart, kernels_of(4))) == 1);
  CHECK(calls(sn::einsum("ij,kj->ik", sn::astype<int>(x), sn::astype<int>(x))) == 0);
}

namespace {

/// Calls the typed form of every function: throws if the library does not return the dtype that a
/// header declares.
template <class T> int typed_calls() {
  const auto x = sn::ones<T>({4, 4});
  int n = 0;
  const auto take = [&n](const auto& a) {
    if constexpr (requires { a.valid(); })
      n += a.valid();
    else
      n += static_cast<int>(a.size());
  };
  take(sn::split(x, 2)), take(sn::split(x, {1})), take(sn::array_split(x, 3)),
      take(sn::hsplit(x, 2));
  take(sn::vsplit(x, 2)), take(sn::unstack(x)), take(sn::tile(x, 2)), take(sn::repeat(x, 2));
  take(sn::rot90(x)), take(sn::fliplr(x)), take(sn::flipud(x)), take(sn::atleast_3d(x));
  take(sn::tril(x)), take(sn::triu(x)), take(sn::diagonal(x)), take(sn::diag(x)), take(x.mT());
  take(sn::diagflat(x)), take(sn::trace(x)), take(sn::sliding_window_view(x, {2, 2}));
  take(std::get<1>(sn::meshgrid(x(0), x(1)))), take(std::get<0>(sn::broadcast_arrays(x, x(0))));
  take(sn::dot(x, x)), take(sn::vdot(x, x)), take(sn::vecdot(x, x)), take(sn::inner(x, x));
  take(sn::outer(x, x)), take(sn::kron(x, x)), take(sn::matvec(x, x(0))), take(sn::vecmat(x(0), x));
  take(sn::tensordot(x, x)), take(sn::einsum("ij,jk", x, x)), take(sn::nansum(x));
  take(sn::nanprod(x)), take(sn::nanmean(x)), take(sn::nanvar(x)), take(sn::nanstd(x));
  take(sn::norm(x)), take(sn::diff(x)), take(sn::average(x)), take(sn::average(x, x));
  take(sn::cov(x)), take(sn::corrcoef(x)), take(sn::trapezoid(x)), take(sn::trapezoid(x, x));
  take(sn::isclose(x, x)), take(sn::allclose(x, x)), take(sn::array_equal(x, x));
  take(sn::array_equiv(x, x)), take(sn::nan_to_num(x)), take(sn::isreal(x)), take(sn::iscomplex(x));
  take(sn::astype<double>(x, sn::casting::unsafe));
  if constexpr (!sn::is_complex(sn::dtype_of<T>)) {
    take(sn::nanmax(x)), take(sn::nanmin(x)), take(sn::nanargmax(x)), take(sn::nanargmin(x));
    take(sn::logsumexp(x)), take(sn::softmax(x)), take(sn::log_softmax(x)), take(sn::complex(x, x));
  }
  take(sn::vander(x(0)));
  if constexpr (!std::same_as<T, bool> && !sn::is_complex(sn::dtype_of<T>)) take(sn::ptp(x));
  return n;
}

}  // namespace

TEST_CASE("typed functions have the dtypes their headers promise") {
  CHECK(typed_calls<bool>() > 60);
  CHECK(typed_calls<std::int8_t>() > 60);
  CHECK(typed_calls<std::uint64_t>() > 60);
  CHECK(typed_calls<sn::float16>() > 60);
  CHECK(typed_calls<sn::bfloat16>() > 60);
  CHECK(typed_calls<float>() > 60);
  CHECK(typed_calls<std::complex<double>>() > 60);
}

TEST_CASE("arithmetic on bool is NumPy's: or, and, no difference") {
  const sn::array<bool> a = {true, true, false}, b = {true, false, false};
  CHECK((a + b).to_host() == std::vector<bool>{true, true, false});
  CHECK((a * b).to_host() == std::vector<bool>{true, false, false});
  CHECK((a + 1).dtype() == sn::dtype::int64);
  CHECK((a / b).dtype() == sn::dtype::float64);
  CHECK(sn::pow(a, b).dtype() == sn::dtype::int8);
  CHECK(sn::sum(a).item() == 2);
}

TEST_CASE("an array<bool> of one element is a condition") {
  const sn::array<float> x = {1, 2};
  if (sn::allclose(x, x))
    SUCCEED();
  else
    FAIL("not close to itself");
  CHECK_THROWS_AS(static_cast<bool>((x > 1).to_array()), sn::shape_error);
}

TEST_CASE("functions of indices, kinds of dtypes, one-sided clips") {
  CHECK(sn::to_string(sn::fromfunction([](auto i, auto j) { return i * 10 + j; }, {2, 3})) ==
        "[[ 0  1  2]\n [10 11 12]]");
  CHECK(sn::broadcast_shapes({{3, 1}, {4}}) == std::vector<std::int64_t>{3, 4});
  CHECK(sn::isdtype(sn::dtype::uint8, sn::dtype_class::integral));
  CHECK_FALSE(sn::isdtype(sn::dtype::bool_, sn::dtype_class::numeric));
  CHECK(sn::iinfo<std::int8_t>().max == 127);
  CHECK(sn::iinfo<std::int64_t>().min == std::numeric_limits<std::int64_t>::min());
  const sn::array<float> x = {1, 5, 9};
  CHECK(sn::clip(x, std::nullopt, 5).to_host() == std::vector<float>{1, 5, 5});
  CHECK(sn::clip(x, 5, std::nullopt).to_host() == std::vector<float>{5, 5, 9});
  CHECK(sn::result_type(x, sn::zeros<std::int64_t>({1})) == sn::dtype::float64);
}

TEST_CASE("choices by conditions and by index") {
  const sn::array<float> x = {-2, 0.5f, 3};
  const auto clipped = sn::select<float>({x < 0, x > 1}, {-x, x * 0 + 1}, 9);
  CHECK(clipped.to_host() == std::vector<float>{2, 9, 1});
  CHECK(sn::select({x < 0, x > 1}, {x, x}, 9).to_host() == std::vector<float>{-2, 9, 3});
  const auto promoted = sn::select({x < 0, x > 1}, std::tuple(-x, sn::astype<double>(x)), 0.25);
  CHECK(promoted.dtype() == sn::dtype::float64);
  CHECK(promoted.to_host() == std::vector<double>{2, 0.25, 3});
  const sn::array<float> y = x * 10;
  CHECK(sn::choose(sn::array<int>({1, 0, 7}), {x, y}).to_host() ==
        std::vector<float>{-20, 0.5f, 30});
  CHECK(sn::append(x, y).size() == 6);
  CHECK(sn::concat({x, y}).size() == 6);
}

TEST_CASE("an axis is a number, or an option") {
  const sn::array<float> x = {{1, 5, 2}, {7, 3, 9}};
  const sn::array<std::int64_t> rows = {1, 0, 1};
  const auto same = [](const auto& a, const auto& b) {
    return std::ranges::equal(a.shape(), b.shape()) && a.to_host() == b.to_host();
  };
  CHECK(same(sn::sum(x, 1), sn::sum(x, {.axis = 1})));
  CHECK(same(sn::max(x + 1, 0), sn::max(x + 1, {.axis = 0})));
  CHECK(same(sn::average(x, -1), sn::mean(x, {.axis = 1})));
  CHECK(same(sn::stddev(x, 0), sn::stddev(x, {.axis = 0})));
  CHECK(same(sn::argmax(x, 1), sn::argmax(x, {.axis = 1})));
  CHECK(same(sn::quantile(x, 0.3, 1), sn::quantile(x, 0.3, {.axis = {1}})));
  CHECK(same(sn::percentile(x, {5, 95}, 0), sn::percentile(x, {5, 95}, {.axis = {0}})));
  CHECK(same(sn::nanquantile(x, 0.3, -1), sn::nanquantile(x, 0.3, {.axis = {1}})));
  CHECK(same(sn::nanpercentile(x, {5}, 0), sn::nanpercentile(x, {5}, {.axis = {0}})));
  CHECK(same(sn::cumsum(x, 1), sn::cumsum(x, {.axis = 1})));
  CHECK(same(sn::sort(x, 0), sn::sort(x, {.axis = 0})));
  CHECK(same(sn::softmax(x, -1), sn::softmax(x, {.axis = -1})));
  CHECK(same(sn::take(x, rows, 0), sn::take(x, rows, {.axis = 0})));
  CHECK(same(sn::take(x, {1, 0}, 1), sn::take(x, {1, 0}, {.axis = 1})));
  CHECK(same(sn::repeat(x, 2, 0), sn::repeat(x, 2, {.axis = 0})));
  CHECK(same(sn::concatenate({x, x}, 1), sn::concatenate({x, x}, {.axis = 1})));
  const auto double_beside = sn::concatenate<float>({x * 2, x}, {.axis = 1});
  CHECK(same(sn::concatenate(std::tuple(x * 2, x), 1), double_beside));
  CHECK(same(sn::stack({x, x}, {.axis = 2}), sn::stack({x, x}, 2)));
  CHECK(same(sn::stack(std::tuple(x + 1, x), {.axis = 1}), sn::stack(std::tuple(x + 1, x), 1)));
  CHECK(sn::sum(sn::any_array(x), 1).size() == 2);
  CHECK_THROWS_AS(sn::sum(x, 2), sn::axis_error);
  CHECK(sn::histogram(x, 3).hist.to_host() == std::vector<std::int64_t>{3, 1, 2});
}

TEST_CASE("a scope of print options holds for what is written in it") {
  const sn::array<double> x = {0.123456, 2};
  std::ostringstream out;
  {
    const sn::print_scope scope({.precision = 2});
    out << x;
  }
  out << x;
  CHECK(out.str() == "[0.12 2.  ][0.123456 2.      ]");
  CHECK(sn::get_print_options().precision == 8);
}

TEST_CASE("the statistics of columns are one kernel that reads them once") {
  sn::array<float> x = sn::random::normal<float>({1000, 128}, {.seed = 1});
  sn::eval(x);
  const sn::array<float> sum = sn::sum(x, {.axis = 0}), mean = sn::mean(x, {.axis = 0}),
                         deviation = sn::stddev(x, {.axis = 0});
  sn::detail::snapshot snapshot;
  const sn::any_array all[] = {sum, mean, deviation};
  sn::detail::take_snapshot(all, snapshot);
  ir::trace trace;
  const ir::plan p = ir::make_plan(sn::detail::graph_of(snapshot, trace), ir::machine{});
  CHECK(p.kernels.size() == 1);
  CHECK(p.reports[0].bytes_read.peek() <= 1000 * 128 * 4 + 128 * 4);
}

TEST_CASE("a variance from one walk is as good as one from two") {
  const std::int64_t n = 100'000;
  const sn::array<double> noise = sn::random::normal<double>({n, 3}, {.seed = 5});
  // A large mean, an outlier in front, a constant.
  for (const auto& [shift, first] : {std::pair(1e4, 0.0), {0.0, 1e6}, {-3.0, 0.0}}) {
    sn::array<float> x = sn::astype<float>(noise + shift);
    x(0) = x(0) + static_cast<float>(first);
    const sn::array<double> exact = sn::var(sn::astype<double>(x), {.axis = 0});
    const auto got = sn::var(x, {.axis = 0}).to_host(), want =
        sn::astype<float>(exact).to_host();
    for (std::size_t i = 0; i < got.size(); ++i) CHECK(got[i] == Approx(want[i]).epsilon(3e-7));
    const double whole = sn::var(sn::astype<double>(x)).item();
    CHECK(sn::var(x).item() == Approx(whole).epsilon(3e-7));
  }
  const auto constant = sn::full<float>({n, 2}, 0.1f);
  CHECK(sn::all(sn::stddev(constant, {.axis = 0}) == 0).item());
  sn::array<float> special = sn::ones<float>({n, 2});
  special(5, 0) = std::numeric_limits<float>::infinity();
  CHECK(sn::all(sn::isnan(sn::var(special, {.axis = 0})) == sn::array<bool>({true, false})).item());
}

}  // namespace language_kernels_test
