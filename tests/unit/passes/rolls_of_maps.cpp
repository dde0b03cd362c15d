#include "ir/passes/rolls_of_maps.hpp"

#include "ir/passes/explode.hpp"
#include "ir/passes/simplify.hpp"
#include "tests/catch.hpp"
#include "tests/unit/passes/recorded.hpp"
#include "tests/unit/passes/texts.hpp"

namespace rolls_of_maps_test {

using namespace passes_tests;
namespace sn = sinter;
using floats = sn::array<float>;

namespace {

/// The number of occurrences of an op in a plan's kernels.
std::ptrdiff_t count(const ir::plan& p, ir::op code) {
  std::ptrdiff_t n = 0;
  for (const ir::kernel& k : p.kernels) {
    n += std::ranges::count_if(k.body, [&](const ir::inst& i) {
      return i.kind == ir::inst_kind::compute && i.code == code;
    });
  }
  return n;
}

/// For the result of `make`, recorded anew each time, because repeated values are stored.
template <class F> std::ptrdiff_t count(F make, ir::op code) {
  const std::ptrdiff_t on_gpu = count(plan_for({make()}, ir::target::gpu), code);
  CHECK(count(plan_for({make()}, ir::target::cpu), code) == on_gpu);
  return on_gpu;
}

floats difference(const floats& f) {
  return sn::roll(f, -1, {.axis = 0}) - sn::roll(f, 1, {.axis = 0});
}

}  // namespace

TEST_CASE("rolls_of_maps: operands are chosen, and the map is computed once") {
  CHECK(after(ir::rolls_of_maps, R"(%0 = iota int64 [4]
%1 = scalar int64 [] 1
%2 = map bool [4] (%0, %1) { v2 = greater_equal int64 v0 v1 }
%3 = source float32 [4]
%4 = scalar float32 [] 2
%5 = map float32 [4] (%3, %4) { v2 = multiply float32 v0 v1 }
%6 = pad float32 [4] (%5, %2) offset -1 strides [1] along 0
%7 = map bool [4] (%0, %1) { v2 = less int64 v0 v1 }
%8 = pad float32 [4] (%5, %7) offset 3 strides [1] along 0
%9 = map float32 [4] (%2, %6, %8) { v3 = where float32 v0 v1 v2 }
return %9
)") == R"(%0 = iota int64 [4]
%1 = scalar int64 [] 1
%2 = map bool [4] (%0, %1) { v2 = greater_equal int64 v0 v1 }
%3 = source float32 [4]
%4 = scalar float32 [] 2
%5 = map bool [4] (%0, %1) { v2 = less int64 v0 v1 }
%6 = pad float32 [4] (%3, %2) offset -1 strides [1] along 0
%7 = pad float32 [4] (%3, %5) offset 3 strides [1] along 0
%8 = map float32 [4] (%2, %6, %7) { v3 = where float32 v0 v1 v2 }
%9 = map float32 [4] (%4, %8) { v2 = multiply float32 v0 v1 }
return %9
)");
}

TEST_CASE("rolls_of_maps: a long chain is not walked down") {
  const auto changes = [](int length) {
    std::string text = "%0 = source float32 [4]\n";
    for (int i = 1; i <= length; ++i) {
      text += "%" + std::to_string(i) + " = map float32 [4] (%" + std::to_string(i - 1) +
              ") { v1 = sqrt float32 v0 }\n";
    }
    const auto at = [&](int behind) { return "%" + std::to_string(length + behind); };
    text += at(1) + " = iota int64 [4]\n" + at(2) + " = scalar int64 [] 1\n";
    for (const auto& [place, code] : {std::pair(3, "greater_equal"), std::pair(4, "less")}) {
      text += at(place) + " = map bool [4] (" + at(1) + ", " + at(2) + ") { v2 = " + code +
              " int64 v0 v1 }\n";
    }
    text += at(5) + " = pad float32 [4] (" + at(0) + ", " + at(3) +
            ") offset -1 strides [1] along 0\n" + at(6) + " = pad float32 [4] (" + at(0) + ", " +
            at(4) + ") offset 3 strides [1] along 0\n" + at(7) + " = map float32 [4] (" + at(3) +
            ", " + at(5) + ", " + at(6) + ") { v3 = where float32 v0 v1 v2 }\nreturn " + at(7) +
            "\n";
    const ir::graph g = ir::parse_graph(text);
    return ir::print(ir::rolls_of_maps(g)) != ir::print(g);
  };
  CHECK(changes(5));
  CHECK(!changes(100'000));
}

TEST_CASE("rolls_of_maps: a flux that nobody else reads is computed once a roll") {
  const floats u = stored({64, 128}), v = stored({64, 128});
  const auto flux = [&] { return difference(u * v); };
  const auto sum = [&] { return difference(floats(u * v + u)); };
  const auto dear = [&] { return floats(sn::roll(floats(sn::exp(u) * v), 3, {.axis = 1})); };
  CHECK(count(flux, ir::op::multiply) == 2);
  CHECK(count(sum, ir::op::multiply) == 2);
  CHECK(count(dear, ir::op::exp) == 1);
}

TEST_CASE("rolls_of_maps: what is read beside is left, as is what costs more than storing it") {
  const auto unchanged = [](const floats& x) {
    return of_graph({x}, [](const ir::graph& recorded) {
      const ir::graph g = ir::simplify(ir::explode(recorded));
      return ir::print(ir::rolls_of_maps(g)) == ir::print(g);
    });
  };
  const floats u = stored({64, 128}), v = stored({64, 128});
  const floats held = u * v;
  CHECK(unchanged(difference(held) + held));
  CHECK(unchanged(difference(floats(sn::exp(u) * sn::exp(v)))));
  CHECK(unchanged(difference(u)));
  CHECK(!unchanged(difference(u * v)));
}

TEST_CASE("rolls_of_maps: the values are those of a kernel an operation") {
  const auto scope = sn::use("cpu");
  const auto run = [](bool fused) {
    sn::fusion(fused);
    const floats u = sn::random::normal<float>({7, 33}, {.seed = 1});
    const floats v = sn::random::normal<float>({7, 33}, {.seed = 2});
    const floats a = difference(u * v) + sn::roll(floats(u * 2.f - v), 5, {.axis = 1});
    return floats(sn::roll(floats(sn::roll(floats(a * u), 2, {.axis = 0}) * v), -1, {.axis = 1}))
        .to_host();
  };
  const std::vector<float> apart = run(false);
  CHECK(run(true) == apart);
}

}  // namespace rolls_of_maps_test
