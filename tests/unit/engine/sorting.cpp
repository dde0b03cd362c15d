// Sorting: what NumPy does not test (signs of zero, NaN, bfloat16, stability), fusion, and
// errors.

#include <cmath>
#include <limits>
#include <random>

#include <sinter/sinter.hpp>

#include "engine/evaluation/snapshot.hpp"
#include "engine/sorting/sort_keys.hpp"
#include "ir/passes/pipeline.hpp"
#include "tests/catch.hpp"
#include "tests/unit/engine/refusal.hpp"

namespace sorting_test {

namespace sn = sinter;
namespace ir = sinter::ir;
using namespace sinter::test;

namespace {

constexpr float none = std::numeric_limits<float>::quiet_NaN();
constexpr float most = std::numeric_limits<float>::infinity();

struct steps {
  int kernels = 0, calls = 0;
  bool operator==(const steps&) const = default;
};

ir::plan plan_of(const sn::any_array& x, ir::trace& trace) {
  sn::detail::snapshot snapshot;
  sn::detail::take_snapshot({&x, 1}, snapshot);
  return ir::make_plan(sn::detail::graph_of(snapshot, trace), ir::machine{});
}

/// The most elements per row that the sorts of x's plan write.
std::int64_t longest_sorted(const sn::any_array& x) {
  ir::trace trace;
  std::int64_t most = 0;
  for (const ir::plan_step& s : plan_of(x, trace).steps) {
    if (s.routine == "sort") most = std::max(most, ir::plain(s.shapes.back()).back());
  }
  return most;
}

int gathers_of(const sn::any_array& x) {
  sn::detail::snapshot snapshot;
  sn::detail::take_snapshot({&x, 1}, snapshot);
  ir::trace trace;
  int found = 0;
  for (const ir::node& n : sn::detail::graph_of(snapshot, trace).nodes) {
    found += n.kind == ir::node_kind::gather;
  }
  return found;
}

steps steps_of(const sn::any_array& x) {
  ir::trace trace;
  steps s;
  for (const ir::plan_step& step : plan_of(x, trace).steps) {
    s.kernels += step.what == ir::plan_step::kind::kernel;
    s.calls += step.what == ir::plan_step::kind::call;
  }
  return s;
}

template <class T> std::vector<bool> signs(const sn::array<T>& x) {
  std::vector<bool> out;
  for (T v : x.to_host()) out.push_back(std::signbit(v));
  return out;
}

/// All 65536 halves in order, to keys and back.
template <class T> void check_halves() {
  std::vector<T> all(65536);
  for (std::size_t i = 0; i < all.size(); ++i) all[i].bits = static_cast<std::uint16_t>(i);
  const sn::array<T> h(all);
  for (const bool descending : {false, true}) {
    const sn::any_array keys =
        sn::detail::sort_key(h, descending, sn::detail::zero_signs::apart, {});
    const sn::array<T> back(sn::detail::from_sort_key(keys, sn::dtype_of<T>, descending, {}));
    const auto before = sn::astype<float>(h).to_host();
    const auto after = sn::astype<float>(back).to_host();
    const auto k = sn::array<std::uint16_t>(keys).to_host();
    bool same = true, ordered = true;
    for (std::size_t i = 0; i < before.size(); ++i) {
      const bool lost = std::isnan(before[i]);
      same = same && (lost ? std::isnan(after[i]) : before[i] == after[i]) &&
             (lost || std::signbit(before[i]) == std::signbit(after[i]));
      ordered = ordered && (k[i] == 65535) == lost;
      if (i % 7 != 0 || lost) continue;
      for (std::size_t j = 0; j < before.size(); j += 97) {
        if (std::isnan(before[j]) || before[i] == before[j]) continue;
        ordered = ordered && (before[i] < before[j]) == ((k[i] < k[j]) != descending);
      }
    }
    CHECK(same);
    CHECK(ordered);
  }
}

}  // namespace

TEST_CASE("every half has its key, and every key its half") {
  check_halves<sn::float16>();
  check_halves<sn::bfloat16>();
}

TEST_CASE("zeros of either sign are equal, and stay in their order where that is asked for") {
  const sn::array<float> x{0.0f, -0.0f, 1.0f, -0.0f, 0.0f, -1.0f};
  CHECK(sn::argsort(x).to_host() == std::vector<std::int64_t>{5, 0, 1, 3, 4, 2});
  CHECK(sn::argsort(x, {.descending = true}).to_host() ==
        std::vector<std::int64_t>{2, 0, 1, 3, 4, 5});
  CHECK(signs(sn::sort(x)) == std::vector<bool>{true, true, true, false, false, false});
  CHECK(signs(sn::sort(x, {.stable = true})) ==
        std::vector<bool>{true, false, true, true, false, false});
}

TEST_CASE("NaN is last in either order") {
  const sn::array<double> x{none, 2, -most, -none, most, 0};
  for (const bool stable : {false, true}) {
    const auto up = sn::sort(x, {.stable = stable}).to_host();
    const auto down = sn::sort(x, {.descending = true, .stable = stable}).to_host();
    CHECK(std::vector<double>(up.begin(), up.begin() + 4) ==
          std::vector<double>{-most, 0, 2, most});
    CHECK(std::vector<double>(down.begin(), down.begin() + 4) ==
          std::vector<double>{most, 2, 0, -most});
    for (std::size_t i : {4u, 5u}) CHECK((std::isnan(up[i]) && std::isnan(down[i])));
  }
  CHECK(sn::argsort(x, {.descending = true}).to_host() ==
        std::vector<std::int64_t>{4, 1, 5, 2, 0, 3});
}

TEST_CASE("equal elements stay in their order, also from the last to the first") {
  std::vector<std::int32_t> x(20000);
  std::mt19937 draw(3);
  for (auto& v : x) v = static_cast<std::int32_t>(draw() % 17) - 8;
  const auto compare = [&](const sn::array<std::int64_t>& got, auto before) {
    std::vector<std::int64_t> expected(x.size());
    for (std::size_t i = 0; i < x.size(); ++i) expected[i] = static_cast<std::int64_t>(i);
    std::stable_sort(expected.begin(), expected.end(), [&](std::int64_t a, std::int64_t b) {
      return before(x[static_cast<std::size_t>(a)], x[static_cast<std::size_t>(b)]);
    });
    CHECK((got.to_host() == expected));
  };
  const sn::array<std::int32_t> a(x);
  compare(sn::argsort(a), std::less<>());
  compare(sn::argsort(a, {.descending = true}), std::greater<>());
  compare(sn::argsort(sn::astype<double>(a) / 3), std::less<>());
}

TEST_CASE("the first k of a sort") {
  const sn::array<float> x{3, none, 7, -1, 7, 2};
  const auto best = sn::topk(x, 3);
  CHECK(best.values.to_host() == std::vector<float>{7, 7, 3});
  CHECK(best.indices.to_host() == std::vector<std::int64_t>{2, 4, 0});
  const auto least = sn::topk(x, 2, {.largest = false});
  CHECK(least.values.to_host() == std::vector<float>{-1, 2});
  CHECK(least.indices.to_host() == std::vector<std::int64_t>{3, 5});
  CHECK(sn::topk(x, 0).values.size() == 0);
  const auto rows = sn::topk(sn::arange<int>(12).reshape({3, 4}), 2, {.axis = 0});
  CHECK(rows.values.to_host() == std::vector<int>{8, 9, 10, 11, 4, 5, 6, 7});
  CHECK(rows.indices.to_host() == std::vector<std::int64_t>{2, 2, 2, 2, 1, 1, 1, 1});
  CHECK(sn::topk(sn::array<bool>{false, true, true}, 1).indices.item() == 1);
}

TEST_CASE("a few of a long row are those that a sort of all puts first") {
  sn::array<float> x = sn::round(sn::random::normal<float>({3, 4000}, {.seed = 2}) * 40) / 8;
  x(sn::slice(), sn::slice(0, 4000, 700)) = none;
  x(sn::slice(), sn::slice(5, 4000, 300)) = -0.0f;
  for (const std::int64_t k : {1, 10, 900, 1000, 2000, 3999}) {
    for (const bool largest : {true, false}) {
      const auto all = sn::argsort(x, {.descending = largest});
      const auto [values, places] = sn::topk(x, k, {.largest = largest});
      const auto wanted = sn::array<std::int64_t>(all(sn::slice(), sn::slice(0, k)));
      CHECK((places.to_host() == wanted.to_host()));
      CHECK((signs(values) == signs(sn::array<float>(sn::take_along_axis(x, wanted, 1)))));
    }
  }
  // A GPU sorts the elements of the ten chunks of 32 with the least minima.
  const bool on_gpu = sn::current_device().what == sn::device::kind::cuda;
  CHECK(longest_sorted(sn::topk(x, 10).indices) == (on_gpu ? 320 : 10));
  CHECK(longest_sorted(sn::topk(x, 3000).indices) == 4000);
}

TEST_CASE("repeats are counted, not searched for") {
  std::vector<std::int64_t> counts(5000, 0), from;
  for (std::size_t i = 20; i < 4990; ++i) counts[i] = static_cast<std::int64_t>(i * 7919 % 4);
  for (std::size_t i = 0; i < counts.size(); ++i) {
    from.insert(from.end(), static_cast<std::size_t>(counts[i]), static_cast<std::int64_t>(i));
  }
  const auto x = sn::arange<std::int64_t>(5000);
  const sn::array<std::int64_t> each(counts);
  const auto repeated = sn::repeat(x, each);
  CHECK(gathers_of(repeated) == 1);
  CHECK((repeated.to_host() == from));
  const auto both = sn::stack({x, sn::array<std::int64_t>(x + 7)}, 0);
  const auto columns = sn::repeat(both, each, {.axis = 1});
  for (std::int64_t& i : from) i += 7;
  CHECK((columns(1).to_host() == from));
  CHECK(sn::repeat(x, each * 0).size() == 0);
  CHECK(sn::repeat(sn::array<bool>{true, false}, sn::array<int>{0, 2}).to_host() ==
        std::vector<bool>{false, false});
}

TEST_CASE("keys are made where the numbers are, and numbers where they are read") {
  sn::array<float> x = sn::random::normal<float>({64, 1000}, {.seed = 1});
  sn::eval(x);
  const auto kept = [](auto&& e) -> sn::any_array { return e.to_array(); };
  CHECK(steps_of(kept(sn::sort(sn::exp(x) + 1) * 2)) == steps{2, 1});
  CHECK(steps_of(sn::sum(sn::sort(x - 1), {.axis = 1})) == steps{2, 1});
  CHECK(steps_of(sn::argsort(sn::abs(x), {.axis = 0})) == steps{2, 1});
  CHECK(steps_of(sn::sort(sn::astype<std::uint8_t>(x > 0))) == steps{1, 1});
  CHECK(steps_of(sn::topk(x, 9).values) == steps{2, 1});  // fewer are found by minima
  const std::string text = sn::explain(sn::sort(sn::exp(x) + 1));
  CHECK(text.find("sort") != std::string::npos);
}

TEST_CASE("a search is part of the kernel that makes the values and reads the places") {
  sn::array<float> edges = sn::linspace<float>(0, 1, 100);
  sn::array<float> x = sn::random::uniform<float>({50, 60}, {.seed = 4});
  sn::eval(edges, x);
  const auto kept = [](auto&& e) -> sn::any_array { return e.to_array(); };
  CHECK(steps_of(kept(sn::searchsorted(edges, x * x + 0.5f) * 2)) == steps{1, 0});
  CHECK(steps_of(sn::digitize(sn::sqrt(x), edges)).calls == 0);
  CHECK(sn::searchsorted(edges, 0.5f).item() == 50);
  CHECK(sn::searchsorted(sn::array<int>{1, 2, 2, 3}, 2, {.side = sn::search_side::right}).item() ==
        3);
  CHECK(sn::searchsorted(sn::array<int>{1, 2, 3}, 2.5).item() == 2);
}

TEST_CASE("searches in long arrays take all their steps") {
  const std::int64_t n = (std::int64_t{1} << 22) + 3;
  const auto a = sn::arange<std::int32_t>(n) * 2;
  const sn::array<std::int32_t> v{
      -1, 0, 1, 2, static_cast<std::int32_t>(2 * n - 2), static_cast<std::int32_t>(2 * n - 1)};
  CHECK(sn::searchsorted(a, v).to_host() == std::vector<std::int64_t>{0, 0, 1, 1, n - 1, n});
}

TEST_CASE("sets have typed forms, and NaN are as many as they are") {
  const sn::array<float> x{2, none, -0.0f, 2, none, 0};
  CHECK(sn::unique(x).size() == 3);
  CHECK(sn::unique_values(x).size() == 4);
  CHECK_FALSE(std::signbit(sn::unique(x)(0).item()));
  const auto [values, counts] = sn::unique_counts(x);
  CHECK(counts.to_host() == std::vector<std::int64_t>{2, 2, 1, 1});
  const auto [again, at] = sn::unique_inverse(x);
  CHECK(at.to_host() == std::vector<std::int64_t>{1, 2, 0, 1, 3, 0});
  const auto all = sn::unique_all(x.reshape({2, 3}), {.equal_nan = true});
  CHECK(all.indices.to_host() == std::vector<std::int64_t>{2, 0, 1});
  CHECK(all.inverse_indices.to_host() == std::vector<std::int64_t>{1, 2, 0, 1, 2, 0});
  CHECK(all.inverse_indices.shape(0) == 2);
  CHECK(all.counts.to_host() == std::vector<std::int64_t>{2, 2, 2});
  CHECK(sn::isin(x, {0, 5}).to_host() == std::vector<bool>{false, false, true, false, false, true});
  CHECK(sn::union1d(sn::array<int>{3, 1}, sn::array<double>{1, 2}).to_host() ==
        std::vector<double>{1, 2, 3});
  CHECK(sn::setdiff1d(sn::array<int>{3, 1, 3}, sn::array<double>{1, 2}).to_host() ==
        std::vector<int>{3});
}

TEST_CASE("quantiles and counts have typed forms") {
  const sn::array<float> x{4, 1, 3, 2};
  CHECK(sn::median(x).item() == 2.5f);
  CHECK(sn::quantile(x, 0.5, {.method = sn::quantile_method::lower}).item() == 2);
  CHECK(sn::quantile(x, {0.0, 1.0}).to_host() == std::vector<float>{1, 4});
  CHECK(sn::percentile(x, 100).item() == 4);
  CHECK(sn::percentile(x, sn::array<double>{0, 50}).to_host() == std::vector<float>{1, 2.5});
  CHECK(sn::nanquantile(sn::array<float>{none, 1, 3}, 0.5).item() == 2);
  CHECK(sn::nanpercentile(sn::array<float>{none, 1, 3}, {0.0}).item() == 1);
  CHECK(std::isnan(sn::median(sn::array<float>{none, 1, 3}).item()));
  CHECK(std::isnan(sn::nanmedian(sn::array<float>{none, none}).item()));
  CHECK(std::isnan(sn::median(sn::zeros<double>({0})).item()));
  CHECK(sn::median(sn::array<float>{most, most}).item() == most);
  const auto [hist, edges] = sn::histogram(x, {.bins = 3});
  CHECK(hist.to_host() == std::vector<std::int64_t>{1, 1, 2});
  CHECK(edges.to_host() == std::vector<float>{1, 2, 3, 4});
  CHECK(sn::histogram(x, sn::array<int>{0, 2, 3}).hist.to_host() ==
        std::vector<std::int64_t>{1, 2});
  CHECK(sn::histogram_density(x, {.bins = 1, .range = {{0, 8}}}).hist.item() == 0.125);
  CHECK(sn::histogram_bin_edges(x, {.bins = 1}).to_host() == std::vector<float>{1, 4});
  CHECK(sn::bincount(sn::array<std::uint8_t>{3, 1, 3}).to_host() ==
        std::vector<std::int64_t>{0, 1, 0, 2});
}

TEST_CASE("what is counted is computed once") {
  const auto x = sn::copy(sn::random::uniform<float>({1000}, {.seed = 1}));
  const sn::array<int> bins = sn::astype<int>(sn::exp(x) * 5);
  const auto counts = sn::bincount(bins);
  CHECK(sn::explain(counts, {.source = false}).find("exp") == std::string::npos);
  CHECK(sn::sum(counts).item() == 1000);
}

TEST_CASE("the middle of long rows is what a sort has there, also beside one") {
  for (const std::int64_t n : {4097, 5000, 200001}) {
    const sn::array<float> x = sn::random::normal<float>({2, n}, {.seed = 4});
    const sn::array<float> sorted = sn::sort(x), middle = sn::median(x, {.axis = 1});
    sn::eval(sorted, middle);
    const auto low = sn::astype<double>(sorted(sn::_, (n - 1) / 2));
    CHECK(middle.to_host() == sn::astype<float>((low + sorted(sn::_, n / 2)) / 2).to_host());
    const auto wrong = sn::where(sn::arange<int>(n) == 17, none, x(0)).to_array();
    CHECK(std::isnan(sn::median(wrong).item()));
    CHECK_FALSE(std::isnan(sn::nanmedian(wrong).item()));
  }
}

TEST_CASE("searches, sets, quantiles and counts of what has none are refused") {
  const auto m = sn::zeros<float>({3, 4});
  const sn::array<float> x{1, 2, 3};
  CHECK(shape_refusal([&] { sn::searchsorted(m, x); }) ==
        "[searchsorted] an array of shape (3, 4): one dimension is wanted");
  CHECK(shape_refusal([&] { sn::searchsorted(x, m, {.sorter = sn::array<int>{1}}); }) ==
        "[searchsorted] a sorter of 1 elements for 3");
  CHECK(shape_refusal([&] { sn::digitize(x, m); }) ==
        "[digitize] bins of shape (3, 4): one dimension is wanted");
  CHECK(value_refusal([&] {
          sn::digitize(x, sn::array<float>{1, 3, 2}).to_host();
        }) == "[digitize] the bins are neither rising nor falling");
  CHECK(value_refusal([&] { sn::quantile(x, 1.5); }) ==
        "[quantile] q 1.500000 is not between 0 and 1");
  CHECK(value_refusal([&] {
          sn::percentile(x, sn::array<double>{50, 101}).to_host();
        }) == "[percentile] a q is not between 0 and 100");
  CHECK(axis_refusal([&] { sn::median(x, {.axis = 1}); }) ==
        "[median] axis 1 is out of range for 1 dimension");
  CHECK(value_refusal([&] { sn::histogram(x, {.bins = 0}); }) ==
        "[histogram] 0 bins are fewer than one");
  CHECK(value_refusal([&] {
          sn::histogram(x, {.bins = 2, .range = {{1, 0}}});
        }) == "[histogram] the range ends before it begins");
  CHECK(value_refusal([&] {
          sn::histogram(sn::array<float>{1, none}).bin_edges.to_host();
        }) == "[histogram] the least and the greatest element are not finite: give a range");
  CHECK(value_refusal([&] {
          sn::histogram(x, sn::array<float>{1, 3, 2}).hist.to_host();
        }) == "[histogram] the edges do not rise");
  CHECK(shape_refusal([&] { sn::histogram(x, sn::array<float>{1}); }) ==
        "[histogram] edges of shape (1,): two or more are wanted");
  CHECK(value_refusal([&] {
          sn::bincount(sn::array<int>{0, -2});
        }) == "[bincount] an element is -2");
  CHECK(shape_refusal([&] {
          sn::bincount(sn::zeros<int>({2, 2}));
        }) == "[bincount] shape (2, 2): one dimension is wanted");
}

TEST_CASE("sorting of what has no such axis or place is refused") {
  const auto x = sn::zeros<float>({3, 4});
  CHECK(axis_refusal([&] { sn::sort(x, {.axis = 2}); }) ==
        "[sort] axis 2 is out of range for 2 dimensions");
  CHECK(axis_refusal([&] { sn::argsort(x, {.axis = -3}); }) ==
        "[argsort] axis -3 is out of range for 2 dimensions");
  CHECK(axis_refusal([&] { sn::sort(sn::zeros<float>({})); }) ==
        "[sort] axis -1 is out of range for 0 dimensions");
  CHECK(value_refusal([&] { sn::partition(x, 4); }) ==
        "[partition] there is no place 4 among 4 elements");
  CHECK(value_refusal([&] {
          sn::argpartition(x, {0, -4}, {.axis = 0});
        }) == "[argpartition] there is no place -4 among 3 elements");
  CHECK(value_refusal([&] { sn::topk(x, 5); }) == "[topk] 5 of 4 elements");
  CHECK(value_refusal([&] { sn::topk(x, -1); }) == "[topk] -1 of 4 elements");
  CHECK(value_refusal([&] { sn::lexsort(std::vector<sn::any_array>{}); }) ==
        "[lexsort] there are no keys");
  CHECK(shape_refusal([&] {
          sn::lexsort({x, sn::zeros<int>({3})});
        }) == "[lexsort] keys of shapes (3, 4) and (3,): they have one shape");
}

}  // namespace sorting_test
