// Writes to elements selected by indices and masks.

#include <limits>

#include <sinter/sinter.hpp>

#include "engine/evaluation/snapshot.hpp"
#include "ir/passes/pipeline.hpp"
#include "tests/catch.hpp"

namespace scatter_test {

namespace sn = sinter;
namespace ir = sinter::ir;

namespace {

using ints = sn::array<int>;
using indices = sn::array<std::int64_t>;

template <class X> std::string text(const X& x) {
  return sn::to_string(x);
}

std::size_t kernels(const sn::any_array& x) {
  sn::detail::snapshot snapshot;
  sn::detail::take_snapshot({&x, 1}, snapshot);
  ir::trace trace;
  return ir::make_plan(sn::detail::graph_of(snapshot, trace), ir::machine{}).kernels.size();
}

}  // namespace

TEST_CASE("what a mask chooses is assigned to") {
  ints x{3, 0, 4, 0, 5};
  x(x == 0) = 7;
  CHECK(text(x) == "[3 7 4 7 5]");
  x(x > 3) = ints{1, 2, 8, 9};
  CHECK(text(x) == "[3 1 2 8 9]");
  x(x > 2) += 10;
  CHECK(text(x) == "[13  1  2 18 19]");
  x(x > 15) -= ints{1, 2};
  CHECK(text(x) == "[13  1  2 17 17]");
  x(x == 1) *= ints{5};
  CHECK(text(x) == "[13  5  2 17 17]");
  ints m{{1, 2, 3}, {4, 5, 6}, {7, 8, 9}};
  m(m % 2 == 0) = ints{-1, -2, -3, -4};
  CHECK(text(m) == "[[ 1 -1  3]\n [-2  5 -3]\n [ 7 -4  9]]");
  m(sn::array<bool>{true, false, true}) = ints{0, 10, 20};
  CHECK(text(m) == "[[ 0 10 20]\n [-2  5 -3]\n [ 0 10 20]]");
  m(sn::array<bool>{true, false, true}) = ints{{1, 2, 3}, {4, 5, 6}};
  CHECK(text(m) == "[[ 1  2  3]\n [-2  5 -3]\n [ 4  5  6]]");
  m(sn::array<bool>{false, true, true}) += sn::reshape(ints{10, 20}, {2, 1});
  CHECK(text(m) == "[[ 1  2  3]\n [ 8 15  7]\n [24 25 26]]");
  m(sn::_, sn::array<bool>{true, false, true}) = 0;
  CHECK(text(m) == "[[ 0  2  0]\n [ 0 15  0]\n [ 0 25  0]]");
}

TEST_CASE("a masked array is read like any other") {
  ints x{3, 0, 4, 0, 5};
  CHECK(sn::sum(x(x > 0)).item() == 12);
  const ints chosen = x(x > 0);
  CHECK(text(chosen) == "[3 4 5]");
  CHECK(text(x(x > 0) * 2 + 1) == "[ 7  9 11]");
  CHECK(x(x > 3).shape() == std::vector<std::int64_t>{2});
  CHECK(x(x > 3)(1).item() == 5);
}

TEST_CASE("assigning by masks is a selection, in one kernel") {
  sn::array<float> x = sn::random::normal<float>({1000}, {.seed = 1});
  sn::eval(x);
  sn::array<float> y = x;
  y(y < 0) = 0;
  y(y > 1) *= 2;
  CHECK(kernels(y) == 1);
  sn::array<float> z = x, squares = sn::square(x(x < 0));
  sn::eval(squares);
  z(z < 0) = squares;
  CHECK(kernels(z) == 1);
  CHECK(sn::all(z == sn::where(x < 0, x * x, x)).item());
}

TEST_CASE("what arrays of indices pick is assigned to") {
  ints x{0, 1, 2, 3, 4};
  x(indices{4, 0, -2}) = ints{10, 20, 30};
  CHECK(text(x) == "[20  1  2 30 10]");
  x(indices{1, 2}) = 5;
  CHECK(text(x) == "[20  5  5 30 10]");
  x(indices{0, 1, 0}) = ints{1, 2, 3};  // the last one wins
  CHECK(text(x) == "[ 3  2  5 30 10]");
  x(indices{2, 2, 3}) += ints{1, 10, 100};  // once per place: the last of its values
  CHECK(text(x) == "[  3   2  15 130  10]");
  x(indices{2, 2}) += 1;
  CHECK(text(x) == "[  3   2  16 130  10]");
  x(indices{0}) *= 7;
  CHECK(text(x) == "[ 21   2  16 130  10]");
  ints m = sn::reshape(sn::arange<int>(12), {3, 4});
  m(indices{0, 2}, indices{1, -1}) = ints{-1, -2};
  CHECK(text(m) == "[[ 0 -1  2  3]\n [ 4  5  6  7]\n [ 8  9 10 -2]]");
  m(sn::reshape(indices{0, 2}, {2, 1}), indices{0, 2}) = ints{{100, 200}, {300, 400}};
  CHECK(text(m) == "[[100  -1 200   3]\n [  4   5   6   7]\n [300   9 400  -2]]");
  m(sn::_, indices{3, 0}) = ints{1, 2};
  CHECK(text(m) == "[[  2  -1 200   1]\n [  2   5   6   1]\n [  2   9 400   1]]");
  m(indices{1, 1}) = ints{{0, 0, 0, 0}, {9, 8, 7, 6}};
  CHECK(text(m(1)) == "[9 8 7 6]");
  m(0, indices{1, 2}) -= 1;
  CHECK(text(m(0)) == "[  2  -2 199   1]");
}

TEST_CASE("places are of expressions, too") {
  const sn::array<int> x{1, 2, 3}, rows{0, 2, 0};
  CHECK((-x).at(rows).add(10).to_host() == std::vector<int>{19, -2, 7});
  CHECK((x * x).at(1).set(0).to_host() == std::vector<int>{1, 0, 9});
}

TEST_CASE("at gives a new array and leaves its own as it is") {
  const ints x{0, 1, 2, 3, 4};
  const indices i{1, 3, 1};
  CHECK(text(x.at(i).set(ints{10, 20, 30})) == "[ 0 30  2 20  4]");
  CHECK(text(x.at(i).add(ints{10, 20, 30})) == "[ 0 41  2 23  4]");
  CHECK(text(x.at(i).subtract(1)) == "[ 0 -1  2  2  4]");
  CHECK(text(x.at(i).multiply(ints{2, 3, 5})) == "[ 0 10  2  9  4]");
  CHECK(text(x.at(i).min(ints{5, 1, -3})) == "[ 0 -3  2  1  4]");
  CHECK(text(x.at(i).max(ints{5, 1, -3})) == "[0 5 2 3 4]");
  CHECK(text(x.at(sn::slice(1, 3)).set(7)) == "[0 7 7 3 4]");
  CHECK(text(x.at(sn::slice(1, 3)).add(ints{1, 2})) == "[0 2 4 3 4]");
  CHECK(text(x.at(-1).multiply(5)) == "[ 0  1  2  3 20]");
  CHECK(text(x.at(x > 2).set(0)) == "[0 1 2 0 0]");
  CHECK(text(x.at(x > 2).add(x(x > 2))) == "[0 1 2 6 8]");
  CHECK(text(x.at(i).get()) == "[1 3 1]");
  CHECK(text(x) == "[0 1 2 3 4]");
  const sn::array<bool> b{false, true, true};
  const indices k{0, 1, 2, 2};
  CHECK(text(b.at(k).add(sn::array<bool>{true, false, false, true})) == "[ True  True  True]");
  CHECK(text(b.at(k).multiply(sn::array<bool>{true, false, false, true})) ==
        "[False False False]");
}

TEST_CASE("sums at places are exact before they are rounded, in any order") {
  const sn::array<float> x{1, 2, 3};
  const indices i{0, 0, 0, 2, 2, 1};
  const sn::array<float> v{1e8f, 1, -1e8f, 0.1f, 0.2f, 0.3f};
  CHECK(text(x.at(i).add(v)) == text(sn::array<float>{2, 2.3f, 3.3f}));
  const sn::array<double> y{0, 0, 0};
  const double inf = std::numeric_limits<double>::infinity();
  const auto sums = y.at(i).add(sn::array<double>{inf, 1, 2, inf, -inf, -inf}).to_host();
  CHECK(sums[0] == inf);
  CHECK(sums[1] == -inf);
  CHECK(sums[2] != sums[2]);
  const auto tiny = y.at(i).add(sn::array<double>{1e-310, 2e-310, 0, 1, 1e-300, 1e308}).to_host();
  CHECK(tiny[0] == 1e-310 + 2e-310);
  CHECK(tiny[1] == 1e308);
  CHECK(tiny[2] == 1);
  using complex = std::complex<float>;
  const sn::array<complex> z{complex(1, 1), complex(2, 2)};
  CHECK(text(z.at(indices{0, 0, 1}).add(sn::array<complex>{complex(1, 2), complex(3, 4),
                                                           complex(5, 6)})) ==
        text(sn::array<complex>{complex(5, 7), complex(7, 8)}));
  const sn::array<sn::float16> h{sn::float16(1.0f), sn::float16(2.0f)};
  CHECK(text(h.at(indices{0, 0, 1}).add(sn::array<sn::float16>{
            sn::float16(0.25f), sn::float16(0.25f), sn::float16(1.0f)})) ==
        text(sn::array<sn::float16>{sn::float16(1.5f), sn::float16(3.0f)}));
}

namespace {

/// The sums of 1,100,000 values at `places` places, compared with exact ones; one value in a
/// thousand is as small as `least`, and goes to places of its own.
template <class T> void check_many(std::int64_t places, double least) {
  const std::int64_t n = 1'100'000;
  const auto count = indices(sn::arange<std::int64_t>(n));
  const auto small = sn::array<bool>(count % 1000 == 7);
  const auto whole = sn::array<double>(sn::astype<double>(count * 7919 % 2003 - 1001) / 1024);
  const auto values = sn::array<T>(sn::astype<T>(sn::where(small, least * whole, whole)));
  const auto at = indices(sn::where(small, count % 7, 7 + count * 31 % (places - 7)));
  const auto sums = sn::zeros<T>({places}).at(at).add(values).to_host();
  std::vector<double> expected(static_cast<std::size_t>(places));
  const auto given = values.to_host();
  const auto where = at.to_host();
  for (std::size_t i = 0; i < given.size(); ++i) {
    expected[static_cast<std::size_t>(where[i])] += static_cast<double>(given[i]);
  }
  const std::vector<T> rounded(expected.begin(), expected.end());
  INFO(places << " places, least " << least);
  CHECK(sums == rounded);
}

}  // namespace

TEST_CASE("a million values at places are exact before they are rounded") {
  for (const std::int64_t places : {11, 4096, 30'000}) {
    check_many<float>(places, 1);
    check_many<float>(places, 0x1p-30);
    check_many<float>(places, 0x1p-80);
    check_many<double>(places, 0x1p-30);
    check_many<double>(places, 0x1p-200);
  }
}

TEST_CASE("products and quotients of floats at places") {
  const sn::array<double> x{1, 2, 3};
  const indices i{0, 2, 0};
  CHECK(text(x.at(i).multiply(sn::array<double>{2, 3, 5})) == "[10.  2.  9.]");
  CHECK(text(x.at(i).divide(sn::array<double>{2, 3, 5})) == "[0.1 2.  1. ]");
  const auto many = sn::arange<std::int64_t>(2000) % 3;
  const auto twos = sn::where(sn::arange<std::int64_t>(2000) < 30, 2.0, 1.0);
  CHECK(text(x.at(many).multiply(twos)) == "[1024. 2048. 3072.]");
}

TEST_CASE("extrema at places take NaN") {
  const float nan = std::numeric_limits<float>::quiet_NaN();
  const sn::array<float> x{1, nan, -3, 4};
  const indices i{0, 0, 1, 2, 2, 3};
  const sn::array<float> v{5, -2, 0, -4, nan, 3};
  CHECK(text(x.at(i).max(v)) == "[ 5. nan nan  4.]");
  CHECK(text(x.at(i).min(v)) == "[-2. nan nan  3.]");
}

TEST_CASE("many indices meet at few places and at many") {
  for (const std::int64_t places : {10, 100000}) {
    const auto digits = indices(sn::arange<std::int64_t>(200000) * 7919 % 199999 % places);
    const auto number = sn::arange<std::int64_t>(200000);
    const std::vector<std::int64_t> d = digits.to_host();
    std::vector<std::int64_t> count(static_cast<std::size_t>(places)), last(count), least(count);
    std::vector<double> sum(count.size());
    for (std::size_t i = 0; i < d.size(); ++i) {
      const auto at = static_cast<std::size_t>(d[i]);
      ++count[at];
      last[at] = static_cast<std::int64_t>(i);
      least[at] = std::min(least[at], -static_cast<std::int64_t>(i));
      sum[at] += 0.5 * static_cast<double>(i);
    }
    const auto zero = sn::zeros<std::int64_t>({places});
    CHECK(zero.at(digits).add(1).to_host() == count);
    CHECK(zero.at(digits).set(number).to_host() == last);
    CHECK(zero.at(digits).min(-number).to_host() == least);
    CHECK(sn::zeros<double>({places}).at(digits).add(sn::astype<double>(number) * 0.5).to_host() ==
          sum);
    CHECK(sn::zeros<double>({places}).at(digits).max(sn::astype<double>(number)).to_host() ==
          sn::astype<double>(sn::array<std::int64_t>(last)).to_host());
  }
}

TEST_CASE("writes are done in place where nobody else has the array") {
  ints x = sn::arange<int>(1000);
  sn::eval(x);
  const auto before = sn::session_statistics().copies;
  x(indices{1, 2, 3}) = ints{1, 2, 3};
  x = x.at(indices{1, 1}).add(5);
  sn::eval(x);
  CHECK(sn::session_statistics().copies == before);
  CHECK(x(1).item() == 11);
  ints y = x;
  y(indices{0}) = 9;
  sn::eval(y);
  CHECK(sn::session_statistics().copies == before + 1);
  CHECK(x(0).item() == 0);
}

TEST_CASE("what is added counts for each element, where all of them are one value for one place") {
  for (const std::int64_t n : {1, 5, 33, 1000, 70000}) {
    const auto at = sn::zeros<int>({n});
    CHECK(sn::zeros<std::int64_t>({3}).at(at).add(1).to_host() ==
          std::vector<std::int64_t>{n, 0, 0});
    CHECK(sn::zeros<int>({2}).at(at + 1).subtract(sn::ones<int>({n})).to_host() ==
          std::vector<int>{0, static_cast<int>(-n)});
    CHECK(sn::zeros<double>({2}).at(at).add(0.5).to_host() ==
          std::vector<double>{static_cast<double>(n) / 2, 0});
  }
}

TEST_CASE("integers are added at their places in one kernel") {
  ints x = sn::arange<int>(1000), i = sn::arange<int>(500);
  sn::eval(x, i);
  const ints y = x.at((i * 7) % 300).add(sn::square(i) + 1);
  CHECK(kernels(y) == 1);
  CHECK(sn::explain(y).find("scatter") != std::string::npos);
}

TEST_CASE("what goes to the same places is added in one kernel") {
  const indices i = sn::arange<std::int64_t>(5000) * 7 % 30;
  const ints v = sn::random::integers<int>({5000}, {.seed = 1, .high = 100});
  ints none = sn::zeros<int>({30}), least = sn::full<int>({30}, 1000);
  sn::eval(i, v, none, least);
  const ints sums = none.at(i).add(v), extrema = least.at(i).min(v);
  const auto before = sn::session_statistics().launches;
  sn::eval(sums, extrema);
  CHECK(sn::session_statistics().launches <= before + 3);  // a copy of each, and a scatter
  CHECK(sn::sum(sums).item() == sn::sum(v).item());
  CHECK(sn::min(extrema).item() == sn::min(v).item());
}

TEST_CASE("sums at places leave what they do not reach as it is") {
  const sn::array<float> x{-0.0f, 1, -0.0f};
  const auto sums = x.at(indices{1, 1}).add(sn::array<float>{2, 3}).to_host();
  CHECK(sums[1] == 6);
  CHECK(std::signbit(sums[0]));
  CHECK(std::signbit(sums[2]));
  const auto many = sn::zeros<float>({100000}).at(indices{7, 7, 99999}).add(0.5f);  // few values
  CHECK(sn::sum(many).item() == 1.5f);
  CHECK(many(7).item() == 1);
  const indices far = sn::arange<std::int64_t>(1000) * 100;  // a hundredth of the places
  const auto some = sn::zeros<float>({100000}).at(far).subtract(sn::ones<float>({1000}));
  CHECK(sn::sum(some).item() == -1000);
  CHECK(some(200).item() == -1);
}

TEST_CASE("nothing is written where nothing is chosen") {
  ints x{1, 2, 3};
  x(sn::zeros<std::int64_t>({0})) = 5;
  CHECK(text(x.at(sn::zeros<std::int64_t>({0})).add(5)) == "[1 2 3]");
  CHECK(text(x) == "[1 2 3]");
  ints none = sn::zeros<int>({0, 3});
  none(sn::_, indices{0, 1}) = 1;
  CHECK(none.size() == 0);
  ints v = sn::reshape(sn::arange<int>(6), {2, 3}).T();  // a view as base
  v(indices{0, 2}, 1) = ints{-1, -2};
  CHECK(text(v) == "[[ 0 -1]\n [ 1  4]\n [ 2 -2]]");
}

TEST_CASE("NumPy's functions that change an array") {
  ints x{0, 1, 2, 3, 4, 5};
  sn::put(x, {0, -1, 2}, ints{10, 20});
  CHECK(text(x) == "[10  1 10  3  4 20]");
  sn::put(x, indices{7, -9}, 1, {.mode = sn::index_mode::wrap});
  CHECK(text(x) == "[10  1 10  1  4 20]");
  sn::put(x, indices{70, -9}, ints{-7, -8}, {.mode = sn::index_mode::clip});
  CHECK(text(x) == "[-8  1 10  1  4 -7]");
  sn::place(x, x > 0, ints{100, 200});
  CHECK(text(x) == "[ -8 100 200 100 200  -7]");
  sn::putmask(x, x > 0, ints{1, 2, 3, 4});
  CHECK(text(x) == "[-8  2  3  4  1 -7]");
  ints m = sn::reshape(sn::arange<int>(12), {3, 4});
  sn::putmask(m, m % 2 == 0, -m);
  CHECK(text(m) == "[[  0   1  -2   3]\n [ -4   5  -6   7]\n [ -8   9 -10  11]]");
  sn::put_along_axis(m, sn::argmax(m, {.axis = 1, .keepdims = true}), 0, 1);
  CHECK(text(m) == "[[  0   1  -2   0]\n [ -4   5  -6   0]\n [ -8   9 -10   0]]");
  sn::put_along_axis(m, sn::array<int>{{2, 0, 1, -1}}, ints{1, 2, 3, 4}, 0);
  CHECK(text(m) == "[[  0   2  -2   0]\n [ -4   5   3   0]\n [  1   9 -10   4]]");
  sn::fill_diagonal(m, 7);
  CHECK(text(m) == "[[ 7  2 -2  0]\n [-4  7  3  0]\n [ 1  9  7  4]]");
  ints tall = sn::zeros<int>({5, 2}), again = tall;
  sn::fill_diagonal(tall, ints{1, 2});
  CHECK(text(tall) == "[[1 0]\n [0 2]\n [0 0]\n [0 0]\n [0 0]]");
  sn::fill_diagonal(again, ints{1, 2, 3}, {.wrap = true});
  CHECK(text(again) == "[[1 0]\n [0 2]\n [0 0]\n [3 0]\n [0 1]]");
  ints cube = sn::zeros<int>({2, 2, 2});
  sn::fill_diagonal(cube, 1);
  CHECK(text(cube) == "[[[1 0]\n  [0 0]]\n\n [[0 0]\n  [0 1]]]");
}

TEST_CASE("what is written to may be anything") {
  ints framed = sn::pad(ints{{1, 2}, {3, 4}}, 1), row = framed;
  CHECK(text(framed.at(indices{0, 3}, indices{0, 3}).set(9)) ==
        "[[9 0 0 0]\n [0 1 2 0]\n [0 3 4 0]\n [0 0 0 9]]");
  row(0) = ints{5, 6, 7, 8};
  CHECK(text(row) == "[[5 6 7 8]\n [0 1 2 0]\n [0 3 4 0]\n [0 0 0 0]]");
  const ints i = sn::arange<int>(100) * 3 % 100;
  const ints sums = sn::astype<int>(sn::cumsum(i));
  CHECK(sn::all(sums.at(i).add(i) == sums + sn::arange<int>(100)).item());
  const ints put = sn::arange<int>(100).at(i).set(sums);
  CHECK(sn::all(put(i) == sums).item());
  const auto few = sn::zeros<double>({1000000}).at(indices{7, 9, 7}).add(
      sn::array<double>{0.5, 1, 0.25});
  CHECK(few(7).item() == 0.75);
  CHECK(sn::sum(few).item() == 1.75);
}

TEST_CASE("rows that indices pick are read and written whole") {
  for (const std::int64_t n : {1, 3, 8, 16, 37, 64}) {
    const auto x = ints(sn::reshape(sn::arange<int>(50 * n), {50, n}));
    const indices at = sn::arange<std::int64_t>(200) * 7 % 50 - 25;  // some count from the end
    std::vector<int> rows, sums = x.to_host(), last = sums;
    const auto numbers = at.to_host();
    for (std::int64_t i = 0; i < 200; ++i) {
      const std::int64_t row = (numbers[static_cast<std::size_t>(i)] + 50) % 50;
      for (std::int64_t j = 0; j < n; ++j) {
        const auto to = static_cast<std::size_t>(row * n + j);
        rows.push_back(static_cast<int>(row * n + j));
        sums[to] += static_cast<int>(i * j);
        last[to] = static_cast<int>(i * j);
      }
    }
    CHECK(sn::take(x, at, {.axis = 0}).to_host() == rows);
    const auto values =
        ints(sn::reshape(sn::arange<int>(200), {200, 1}) * sn::arange<int>(n));
    CHECK(x.at(at).add(values).to_host() == sums);
    CHECK(x.at(at).set(values).to_host() == last);
    const auto doubles = sn::astype<double>(x).to_array();
    CHECK(sn::all(doubles.at(at).add(sn::astype<double>(values)) == ints(x.at(at).add(values)))
              .item());
  }
}

}  // namespace scatter_test
