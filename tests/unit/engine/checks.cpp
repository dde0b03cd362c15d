// Deferred checks: evaluated with the work, reported when a dependent value is read.
#include "engine/evaluation/checks.hpp"

#include <sstream>

#include <sinter/sinter.hpp>

#include "engine/nodes/report.hpp"
#include "tests/catch.hpp"

namespace checks_test {

namespace sn = sinter;
namespace detail = sinter::detail;

namespace {

/// x, which must be positive: reported when it is read.
sn::array<float> positive(const sn::array<float>& x) {
  const sn::array<float> same = x + 0.0f;
  auto c = std::make_shared<detail::check>();
  const sn::array<std::int64_t> found = sn::count_nonzero(x <= 0.0f);
  c->status = sn::array<std::int32_t>(sn::astype<std::int32_t>(found));
  c->op = "positive";
  c->raise = [](std::span<const std::int32_t> found, const detail::check& k) {
    detail::fail<sn::linalg_error>(sn::error_code::no_solution, k.op,
                                   std::to_string(found[0]) + " elements are not", k.where);
  };
  detail::attach(same, c);
  return same;
}

const sn::array<float>& bad() {
  static const sn::array<float> x{1.0f, -2.0f, 0.0f};
  return x;
}

}  // namespace

TEST_CASE("a check that fails is told at every read, with the words of its call") {
  const sn::array<float> x = positive(bad());
  for (int i = 0; i < 2; ++i) {
    try {
      x.to_host();
      FAIL("it was read");
    } catch (const sn::linalg_error& e) {
      CHECK(std::string(e.what()) == "[positive] 2 elements are not");
      CHECK(e.code() == sn::error_code::no_solution);
    }
  }
}

TEST_CASE("evaluating is not reading") {
  const sn::array<float> x = positive(bad());
  sn::eval(x);
  sn::synchronize();
  CHECK_THROWS_AS(x.to_host(), sn::linalg_error);
}

TEST_CASE("what is computed from an unchecked array carries the check, evaluated before or not") {
  const sn::array<float> x = positive(bad());
  const sn::array<float> y = sn::sum(x * 2.0f), other = bad() * 2.0f;
  sn::eval(x, other);
  const sn::array<float> z = sn::exp(x)(sn::slice(0, 1)), w = z + other(sn::slice(0, 1));
  CHECK_THROWS_AS(y.item(), sn::linalg_error);
  CHECK_THROWS_AS(z.to_host(), sn::linalg_error);
  CHECK_THROWS_AS(w.to_host(), sn::linalg_error);
  CHECK(other.to_host() == std::vector<float>{2, -4, 0});
  sn::array<float> v = sn::zeros<float>({3});
  v(sn::slice(0, 1)) = z;
  CHECK_THROWS_AS(v.to_host(), sn::linalg_error);
}

TEST_CASE("arrays evaluated together fail apart") {
  const sn::array<float> good = positive(sn::array<float>{1.0f}), wrong = positive(bad());
  const sn::array<float> both = good + sn::sum(wrong);
  sn::eval(good, wrong, both);
  CHECK(good.to_host() == std::vector<float>{1});
  CHECK_THROWS_AS(both.to_host(), sn::linalg_error);
}

TEST_CASE("every way to the host verifies") {
  const sn::array<float> x = positive(bad());
  std::ostringstream out;
  CHECK_THROWS_AS(out << x, sn::linalg_error);
  CHECK_THROWS_AS(out << x(sn::slice(0, 2)), sn::linalg_error);
  CHECK_THROWS_AS(sn::save_npy("/dev/null", x), sn::linalg_error);
  CHECK_THROWS_AS(sn::sum(x).item(), sn::linalg_error);
  CHECK_THROWS_AS(x(sn::slice(0, 0)).to_host(), sn::linalg_error);
}

TEST_CASE("a check that holds is asked once") {
  const sn::array<float> x = positive(sn::array<float>{1.0f, 2.0f});
  CHECK(x.to_host() == std::vector<float>{1, 2});
  CHECK(x.get()->checks.empty());
  CHECK_FALSE(x.get()->unchecked);
  const sn::array<float> y = x + 1.0f;
  CHECK(y.to_host() == std::vector<float>{2, 3});
}

TEST_CASE("what is wrong with indices is not written over by bytes that were picked with them") {
  const sn::array<std::uint8_t> x{200, 3};
  const sn::array<std::int64_t> i{1, 0};
  sn::eval(x, i);
  sn::fusion(false);  // the faults then are an array, and the last kernel's last load
  const sn::array<std::uint8_t> picked = sn::take(x, i);
  const std::vector<std::uint8_t> want{3, 200};
  CHECK(picked.to_host() == want);
  const sn::array<std::uint8_t> none = sn::take(x, i + 5);
  CHECK_THROWS_AS(none.to_host(), sn::index_error);
  sn::fusion(true);
}

TEST_CASE("arrays picked by one array of indices share a check, and each tells") {
  const sn::array<double> x{1, 2, 3}, y{4, 5, 6};
  const auto sums = [](const sn::array<double>& x, const sn::array<double>& y,
                       const sn::array<std::int64_t>& i) {
    const sn::array<double> a = x(i), b = y(i) * 2.0, c = x(i) - y(i);
    return std::tuple(a, b, c);
  };
  const auto fused = sn::fuse(sums);
  const sn::array<std::int64_t> good{2, 0}, wrong{0, 3};
  sn::eval(x, y, good, wrong);
  for (int call = 0; call < 3; ++call) {  // recorded, then replayed
    for (const bool replay : {false, true}) {
      const auto of = [&](const sn::array<std::int64_t>& i) {
        auto [a, b, c] = replay ? fused(x, y, i) : sums(x, y, i);
        sn::eval(a, b, c);
        CHECK(sn::any_array(c).get()->checks.size() == 1);
        return std::vector<sn::array<double>>{a, b, c};
      };
      const auto held = of(good), failing = of(wrong);
      CHECK(held[2].to_host() == std::vector<double>{-3, -3});
      for (const sn::array<double>& a : failing) CHECK_THROWS_AS(a.to_host(), sn::index_error);
    }
  }
}

TEST_CASE("a source with checks is asked about once, however many statements read it") {
  const sn::array<std::int64_t> i{2, 0};
  sn::array<double> x = sn::array<double>{1, 2, 3}(i);
  sn::eval(x);
  const sn::array<double> y = x + sn::exp(x) * x, z = x * x;
  sn::eval(x, y, z);  // a stored root that carries a check
  CHECK(sn::any_array(y).get()->checks.size() == 1);
  CHECK(z.to_host() == std::vector<double>{9, 1});
  const sn::array<double> again = x + z;
  CHECK(again.to_host() == std::vector<double>{12, 2});
}

TEST_CASE("rounds that add a check each do not pile them up, and lose none that fails") {
  const sn::array<std::int64_t> turn{1, 2, 0}, wrong{1, 2, 3};
  const auto rounds = [&](int bad_round) {
    sn::array<double> x{1, 2, 3};
    for (int i = 0; i < 600; ++i) {
      const sn::array<std::int64_t> places = i == bad_round ? wrong + 0 : turn + 0;
      x = x(places) * 0.5;
      sn::eval(x);
    }
    return x;
  };
  CHECK(sn::any_array(rounds(-1)).get()->checks.size() <= 257);
  CHECK_NOTHROW(rounds(-1).to_host());
  CHECK_THROWS_AS(rounds(3).to_host(), sn::index_error);
  CHECK_THROWS_AS(rounds(599).to_host(), sn::index_error);
}

TEST_CASE("an index that follows from a whole array is looked at when all of it is known") {
  using ints = sn::array<int>;
  const ints few = sn::arange<int>(10) * 3;
  for (const int n : {65536, 300007, 2000003}) {
    const ints x = sn::arange<int>(n);
    sn::eval(few, x);
    const sn::array<bool> all = x >= 0;
    CHECK(ints(few(sn::min(x))).item() == 0);
    CHECK(ints(few(sn::max(x) - (n - 4))).item() == 9);
    CHECK(ints(few(sn::count_nonzero(all) - n)).item() == 0);
    const ints two = sn::stack({x, ints(x + 7)});
    CHECK(sn::to_string(ints(few(sn::min(two, {.axis = 1})))) == "[ 0 21]");
    const auto [p, q] = sn::unravel_index<2>(sn::argmax(x), {1, n});
    CHECK(ints(x.reshape({1, n})(p, q)).item() == n - 1);
    CHECK_THROWS_AS(ints(few(sn::min(x) + 10)).item(), sn::index_error);
    CHECK_THROWS_AS(ints(few(sn::max(x))).item(), sn::index_error);
    CHECK_THROWS_AS(ints(few(sn::min(two, {.axis = 1}) + 3)).to_host(), sn::index_error);
  }
}

}  // namespace checks_test
