// Indices that cannot be out of range are not checked.
#include "engine/indexing/index_range.hpp"

#include <sinter/sinter.hpp>

#include "tests/catch.hpp"

namespace index_range_test {

namespace sn = sinter;
using sn::detail::range_of;
using ints = sn::array<std::int64_t>;
using int32s = sn::array<std::int32_t>;
using bytes = sn::array<std::uint8_t>;

namespace {

std::string text(const sn::any_array& x) {
  const auto r = range_of(x);
  return std::to_string(r.lo) + " to " + std::to_string(r.hi);
}

bool checks(const sn::any_array& x) { return !x.get()->checks.empty(); }

ints unknown(std::int64_t n) {
  return ints(sn::astype<std::int64_t>(sn::random::uniform<float>({n}) * 1000));
}

}  // namespace

TEST_CASE("index_range: what values can be follows from how they were made") {
  const ints k = unknown(7);
  CHECK(text(ints(sn::clip(k, 2, 9))) == "2 to 9");
  CHECK(text(ints(k % 5)) == "0 to 4");
  CHECK(text(ints(k & 63)) == "0 to 63");
  CHECK(text(ints(-(k & 63) - 1)) == "-64 to -1");
  CHECK(text(ints(sn::minimum(sn::maximum(k, -3), 4))) == "-3 to 4");
  CHECK(text(ints(sn::where(k > 3, k % 4, sn::clip(k, 10, 12)))) == "0 to 12");
  CHECK(text(sn::arange<std::int64_t>(10)) == "0 to 9");
  CHECK(text(ints(sn::arange<std::int64_t>(10) * 3 - 2)) == "-2 to 25");
  CHECK(text(ints(sn::floor_divide(k % 100, 10))) == "0 to 9");
  CHECK(text(ints((k & 0xff00) >> 8)) == "0 to 255");
  CHECK(text(sn::argmax(sn::random::uniform<float>({4, 9}), {.axis = 1})) == "0 to 8");
  CHECK(text(bytes{1, 2}) == "0 to 255");
  CHECK(text(int32s(sn::astype<int>(bytes{1, 2} + 1))) == "0 to 255");  // may wrap around
}

TEST_CASE("index_range: what may wrap around, or is not known, is what the type has") {
  const ints k = unknown(7);
  const std::string all = std::to_string(std::numeric_limits<std::int64_t>::min()) + " to " +
                          std::to_string(std::numeric_limits<std::int64_t>::max());
  CHECK(text(k) == all);
  CHECK(text(ints(k + 1)) == all);
  CHECK(text(ints(k % (k + 1))) == all);
  CHECK(text(ints(sn::maximum(k, 3) * 2)) == all);
  const int32s narrow = sn::astype<std::int32_t>(sn::clip(k, 0, std::int64_t{1} << 40));
  CHECK(text(narrow) == "-2147483648 to 2147483647");
  const sn::array<std::uint64_t> u = sn::astype<std::uint64_t>(k);
  CHECK(text(sn::array<std::uint64_t>(sn::maximum(u, 3))) == all);
  CHECK(text(sn::array<std::uint64_t>(u & 7)) == "0 to 7");
  CHECK(text(sn::array<std::uint64_t>(u >> 60)) == "0 to 15");
  ints evaluated = k % 5;
  sn::eval(evaluated);
  CHECK(text(evaluated) == all);
}

TEST_CASE("index_range: floats between two integers become integers between them, NaN 0") {
  using floats = sn::array<float>;
  const floats y = sn::random::uniform<float>({7}) * 1000;
  const std::string all = "-2147483648 to 2147483647";
  const auto whole = [](const floats& f) { return int32s(sn::astype<std::int32_t>(f)); };
  CHECK(text(whole(sn::clip(y, 3, 9))) == "0 to 9");
  CHECK(text(whole(sn::clip(y, 2.5f, 9.5f) * 2 - 1)) == "0 to 19");
  CHECK(text(whole(sn::floor(sn::clip(y, -4, 9)))) == "-4 to 9");
  CHECK(text(int32s(sn::minimum(whole(sn::clip(y, 0, 99)) + 1, 99))) == "1 to 99");
  CHECK(text(whole(sn::rint(sn::minimum(sn::maximum(y, 0.0f), 7.0f)))) == "0 to 7");
  CHECK(text(whole(sn::clip(y, 0, 9) / 2.0f)) == "0 to 5");
  CHECK(text(whole(sn::fmod(sn::clip(y, 0, 9), 2.0f))) == all);
  CHECK(text(whole(y)) == all);
  // beyond the integers that floats represent exactly
  CHECK(text(whole(sn::clip(y, 0, 1e6f) * 32)) == "0 to 2147483647");
  CHECK(text(whole(sn::sqrt(sn::clip(y, 0, 9)))) == all);
  CHECK(text(bytes(sn::astype<std::uint8_t>(sn::clip(y, -3, 700)))) == "0 to 255");
  const auto half = sn::astype<sn::bfloat16>(sn::clip(y, 0, 300));
  CHECK(text(whole(sn::astype<float>(half))) == "0 to 2147483647");
}

TEST_CASE("index_range: a number that is none reads what 0 does") {
  using floats = sn::array<float>;
  const floats y{0.5f, std::numeric_limits<float>::quiet_NaN(), 1e9f, -7};
  const int32s at = sn::astype<std::int32_t>(sn::floor(sn::clip(y, 1, 3)));
  const floats x = floats{10, 11, 12, 13}(at);
  CHECK_FALSE(checks(x));
  CHECK(x.to_host() == std::vector<float>{11, 10, 13, 11});
}

TEST_CASE("index_range: such indices have no check, others do, and read the same") {
  const sn::array<float> x = sn::random::uniform<float>({5});
  const ints k = unknown(40);
  const sn::array<float> sure = x(ints(k % 5)), open = x(ints(sn::clip(k, -6, 4)));
  CHECK_FALSE(checks(sure));
  CHECK(checks(open));
  CHECK_FALSE(checks(sn::array<float>(x(ints(sn::clip(k, -5, 4))))));
  CHECK_THROWS_AS(sn::array<float>(x(ints(sn::clip(k, 6, 9)))).to_host(), sn::index_error);
  ints known = k % 5;
  sn::eval(known);
  const sn::array<float> checked = x(known);
  CHECK(checks(checked));
  CHECK(sn::array_equal(sure, checked));
  const ints back = sn::clip(k, -5, -1);
  const sn::array<float> from_behind = x(back);
  CHECK_FALSE(checks(from_behind));
  CHECK(sn::array_equal(from_behind, x(ints(back + 5))));
}

TEST_CASE("index_range: what is written at such places needs no check either") {
  const ints k = unknown(40), at = k % 5;
  sn::array<float> sums = sn::zeros<float>({5}).at(at).add(1.0f);
  CHECK_FALSE(checks(sums));
  CHECK(sn::sum(sums).item() == 40);
  sn::array<float> x = sn::zeros<float>({5});
  x(at) = sn::astype<float>(at);
  CHECK(sn::all(x == 0 || x == sn::arange<float>(5)).item());
  sn::array<bool> hit = sn::zeros<bool>({5});
  hit = hit.at(at).max(sn::ones<bool>({40}));
  CHECK(sn::array_equal(hit, sums > 0));
}

TEST_CASE("index_range: the counter of a loop is in the loop's bounds") {
  const sn::array<float> d0 = sn::random::uniform<float>({9, 9});
  bool checked = false;
  const auto paths = [&](std::int64_t rounds) {
    return sn::fori_loop(0, rounds, [&](auto k, auto d) {
      const sn::array<float> row = d(k);
      checked = checks(row);
      return sn::minimum(d, d(sn::_, k)(sn::_, sn::newaxis) + row(sn::newaxis, sn::_));
    }, d0);
  };
  const sn::array<float> all = paths(9);
  CHECK_FALSE(checked);
  sn::array<float> want = d0;
  for (int k = 0; k < 9; ++k) {
    want = sn::minimum(want, want(sn::_, k)(sn::_, sn::newaxis) + want(k)(sn::newaxis, sn::_));
  }
  CHECK(sn::array_equal(all, want));
  CHECK_THROWS_AS(sn::array<float>(paths(10)).to_host(), sn::index_error);
  CHECK(checked);
}

TEST_CASE("a loop of many rounds that checks its indices finds one that is wrong at its end") {
  const sn::array<float> x = sn::random::uniform<float>({100});
  const auto sums = [&](std::int64_t last) {
    return sn::fori_loop(0, 300, [&](auto i, auto s) {
      const ints at = sn::where(i == 299, last, sn::floor_divide(i, 4)) +
                      0 * sn::astype<std::int64_t>(s);
      return s + sn::sum(x) * 0 + x(at);
    }, sn::zeros<float>({}));
  };
  CHECK(sn::isfinite(sn::array<float>(sums(99))).item());
  CHECK_THROWS_AS(sn::array<float>(sums(100)).to_host(), sn::index_error);
}

TEST_CASE("an index beside a reduction's rows is checked once a row, and for what it is") {
  for (const std::int64_t width : {3, 16, 300}) {
    const sn::array<float> x = sn::ones<float>({2000, width}), y = sn::ones<float>({width, 2000});
    const sn::array<float> table = sn::arange<float>(100);
    const int32s rows = sn::arange<int>(2000) % 100;
    sn::eval(x, y, table, rows);
    const float first = static_cast<float>(width);
    CHECK(sn::array<float>(sn::sum(x, 1) + table(rows)).to_host()[1999] == first + 99);
    CHECK(sn::array<float>(sn::sum(y, 0) + table(rows)).to_host()[1999] == first + 99);
    CHECK(sn::array<float>(sn::max(x, 1) * table(rows)).to_host()[1] == 1);
    int32s wrong = rows;
    wrong(1999) = 100;
    const sn::array<float> told = sn::sum(x, 1) + table(wrong);
    CHECK_THROWS_WITH(told.to_host(), says("[index] index 100 is out of range for axis 0"));
  }
}

TEST_CASE("what says that an index is wrong is read before its memory is written over") {
  // Unfused, the flags are an array of bytes that may share memory with the gathered bytes.
  const bytes x = sn::ones<std::uint8_t>({7, 740, 3});
  ints places = sn::zeros<std::int64_t>({7, 740}) + 6;
  sn::eval(x, places);
  sn::fusion(false);
  const auto found = [&] {
    return bytes(sn::take_along_axis(x, places(sn::_, sn::_, sn::newaxis), 0)).to_host();
  };
  CHECK(found() == std::vector<std::uint8_t>(7 * 740 * 3, 1));
  places(3, 700) = 7;
  CHECK_THROWS_WITH(found(), says("index 7 is out of range for axis 0 of extent 7"));
  sn::fusion(true);
}

TEST_CASE("an index of picked rows is checked wherever their columns are reduced") {
  const sn::array<float> table = sn::ones<float>({100, 4}), x = sn::ones<float>({5000, 7});
  int32s places = sn::arange<int>(5000) % 100;
  places(777) = 100;
  sn::eval(table, x, places);
  const auto column = [&](int c) { return sn::array<float>(table(places)(sn::_, c)); };
  const std::string text = "[index] index 100 is out of range for axis 0";
  CHECK_THROWS_WITH(sn::sum(column(0) * 2.0f + column(3)).item(), says(text));
  CHECK_THROWS_WITH(sn::array<float>(sn::sum(x, 1) + column(1)).to_host(), says(text));
  CHECK_THROWS_WITH(sn::max(sn::sum(x, 1) + column(1)).item(), says(text));
  CHECK_THROWS_WITH(sn::argmax(sn::sum(table(places), 1)).item(), says(text));
  CHECK_THROWS_WITH(sn::array<float>(sn::cumsum(column(2))).to_host(), says(text));
}

TEST_CASE("an index made by a scan is checked where the scan is one row of many chunks") {
  const sn::array<float> table = sn::arange<float>(100);
  for (const std::int64_t n : {1000, 65536, 131072, 1000003}) {
    ints steps = sn::zeros<std::int64_t>({n});
    steps(n - 1) = 99;
    CHECK(sn::sum(sn::array<float>(table(sn::cumsum(steps)))).item() == 99);
    steps(n - 2) = 1;
    const std::string text = "index 100 is out of range for axis 0 of extent 100";
    CHECK_THROWS_WITH(sn::array<float>(table(sn::cumsum(steps))).to_host(), says(text));
    CHECK_THROWS_WITH(sn::array<float>(sn::take(table, sn::cumsum(steps))).to_host(), says(text));
    CHECK_THROWS_WITH(sn::array<float>(table.at(sn::cumsum(steps)).add(1)).to_host(), says(text));
  }
}

}  // namespace index_range_test
