#include "ir/passes/gathers_of_maps.hpp"

#include "tests/catch.hpp"
#include "tests/unit/passes/recorded.hpp"
#include "tests/unit/passes/texts.hpp"

namespace gathers_of_maps_test {

using namespace passes_tests;
namespace sn = sinter;
using sn::_;
using floats = sn::array<float>;
using places = sn::array<std::int64_t>;

namespace {

places picks(std::int64_t count, std::int64_t below) {
  const places p = sn::random::integers<std::int64_t>({count}, {.seed = 5, .high = below});
  sn::eval(p);
  return p;
}

/// The number of elements that a plan stores, outputs included.
std::int64_t stored_by_plan(const sn::any_array& out, ir::target target) {
  std::int64_t count = 0;
  for (const ir::plan_buffer& b : plan_for({out}, target).buffers) {
    if (b.what != ir::plan_buffer::role::source && b.is_used()) count += b.count.peek();
  }
  return count;
}

/// `pick` of the result of `make` stores at most `most` elements, and equals `pick` of the same
/// array in memory.
template <class Make, class Pick>
void check(const floats& x, Make make, Pick pick, std::int64_t most) {
  for (const ir::target where : {ir::target::cpu, ir::target::gpu}) {
    CHECK(stored_by_plan(pick(make(x)), where) <= most);
  }
  const floats whole = make(x);
  sn::eval(whole);
  CHECK(pick(make(x)).to_host() == pick(whole).to_host());
}

}  // namespace

TEST_CASE("gathers_of_maps: of a map only what is picked is computed") {
  const places at = picks(50, 10000);
  const auto root = [](const floats& x) -> floats { return sn::sqrt(x) * 2 + 1; };
  check(stored({10000}), root, [&](const floats& y) -> floats { return y(at); }, 52);
  const places row = picks(7, 100);
  check(stored({100, 100}), root, [&](const floats& y) -> floats { return y(row); }, 702);
  check(stored({100, 100}), root, [&](const floats& y) -> floats { return y(_, row); }, 702);
}

TEST_CASE("gathers_of_maps: rows that are taken off go by what they are of") {
  const auto log_softmax = [](const floats& x) -> floats { return sn::log_softmax(x, 1); };
  const auto columns = [](const floats& x) -> floats { return x - sn::mean(x, 0) * 3; };
  const places label = picks(400, 50), row = sn::arange<std::int64_t>(400);
  sn::eval(row);
  const floats x = stored({400, 50});
  const auto taken = [&](const floats& y) -> floats {
    return sn::take_along_axis(y, label(_, sn::newaxis), 1);
  };
  const auto both = [&](const floats& y) -> floats { return y(row, label); };
  check(x, log_softmax, taken, 1300);
  check(x, columns, taken, 1300);
  check(x, log_softmax, both, 1300);
  check(x, columns, both, 1300);
}

TEST_CASE("gathers_of_maps: an axis in the middle, and one that is turned") {
  const places at = picks(3, 40);
  const auto of = [](const floats& x) -> floats {
    return x * sn::sum(x, {.axis = 1, .keepdims = true}) + sn::mean(x, {0, 2})(_, sn::newaxis);
  };
  const auto turned = [](const floats& x) -> floats {
    return sn::swapaxes(sn::exp(x), 0, 2) + sn::flip(sn::swapaxes(x, 0, 2), 1);
  };
  const floats x = stored({30, 40, 50});
  check(x, of, [&](const floats& y) -> floats { return y(_, at); }, 3 * 1500 + 1600);
  CHECK(floats(turned(x)(_, at)).to_host() == floats(floats(sn::copy(turned(x)))(_, at)).to_host());
}

TEST_CASE("gathers_of_maps: a pad is asked whether the element lies inside") {
  const places at = picks(60, 10000);
  const auto padded = [](const floats& x) -> floats { return sn::pad(x, {{1, 0}}); };
  const auto steps = [&](const floats& y) -> floats { return y(at + 1) - y(at); };
  check(stored({10000}), padded, steps, 64);
  const auto rows = [](const floats& x) -> floats { return sn::pad(x * 2, {{2, 1}, {0, 3}}); };
  const places row = picks(9, 103);
  check(stored({100, 97}), rows, [&](const floats& y) -> floats { return y(row); }, 902);
  check(stored({100, 97}), rows, [&](const floats& y) -> floats { return y(_, row - 3); }, 931);
}

TEST_CASE("gathers_of_maps: pads of every kind of element") {
  const places at = picks(40, 1002);
  const floats x = stored({1000});
  const auto ends = [&](const auto& y) { return sn::array(y(at) + y(1)); };
  const auto same = [&](const auto& y) {
    CHECK(ends(y).to_host() == ends(sn::array(sn::copy(y))).to_host());
  };
  same(sn::array(sn::pad(sn::complex(x, 1 - x), {{1, 1}})));
  same(sn::array(sn::pad(sn::astype<sn::float16>(x), {{1, 1}})));
  same(sn::array(sn::pad(sn::astype<std::uint8_t>(x * 200), {{1, 1}})));
}

TEST_CASE("gathers_of_maps: a padded complex number has the shape of the index") {
  const std::string text = after(
      [](const ir::graph& g) { return ir::gathers_of_maps(g, ir::machine{}); },
      "%0 = source complex64 []\n"
      "%1 = view complex64 [8, 5] (%0) strides [0, 0]\n"
      "%2 = source bool [8, 1]\n"
      "%3 = pad complex64 [8, 1] (%1, %2) offset -8 strides [5, 1]\n"
      "%4 = source int64 [3]\n"
      "%5 = gather complex64 [3] (%3, %4) strides [0]\n"
      "return %5\n");
  CHECK_THAT(text, Catch::Contains("pad complex64 [3]"));
}

TEST_CASE("gathers_of_maps: numbers by place need no memory") {
  const places at = picks(50, 10000);
  const auto line = [&](const floats& x) -> floats {
    return x + sn::astype<float>(sn::arange<std::int64_t>(10000) * 3);
  };
  check(stored({10000}), line, [&](const floats& y) -> floats { return y(at); }, 52);
}

TEST_CASE("gathers_of_maps: what is picked more often than it is computed stays in memory") {
  const floats x = stored({100});
  const floats y = sn::exp(x);
  CHECK(stored_by_plan(floats(y(picks(500, 100))), ir::target::cpu) >= 600);
  const floats z = sn::exp(stored({600}));
  const places at = picks(500, 600);
  CHECK(stored_by_plan(floats(z(at) + z(at + -1)), ir::target::cpu) >= 1100);
}

TEST_CASE("gathers_of_maps: what many gathers pick from is not written out for each of them") {
  const floats x = stored({100000});
  const places at = picks(10, 1000);
  floats y = x, sum = sn::zeros<float>({10});
  for (int i = 0; i < 10; ++i) y = sn::sin(y) * 0.5f + x;
  for (int i = 0; i < 30; ++i) sum += floats(y(at + i));
  CHECK(stored_by_plan(sum, ir::target::gpu) >= 100000);
}

TEST_CASE("gathers_of_maps: an index out of range is told of") {
  const floats x = stored({1000});
  const floats y = sn::exp(x) + sn::arange<float>(1000);
  const places at({3, 1000});
  CHECK_THROWS_AS(floats(y(at)).to_host(), sn::index_error);
}

}  // namespace gathers_of_maps_test
