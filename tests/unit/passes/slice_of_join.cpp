#include "ir/passes/slice_of_join.hpp"

#include "ir/passes/simplify.hpp"
#include "tests/catch.hpp"
#include "tests/unit/passes/recorded.hpp"
#include "tests/unit/passes/texts.hpp"

namespace slice_of_join_test {

using namespace passes_tests;
namespace sn = sinter;
using floats = sn::array<float>;

namespace {

/// Two columns side by side, and a view of the result.
std::string joined(const std::string& view) {
  return R"(%0 = source float32 [50]
%1 = source float32 [50]
%2 = iota int64 [2]
%3 = view int64 [50, 2] (%2) strides [0, 1]
%4 = view int64 [] (%2) offset 1 strides []
%5 = map bool [50, 2] (%3, %4) { v2 = greater_equal int64 v0 v1 }
%6 = map bool [50, 2] (%3, %4) { v2 = less int64 v0 v1 }
%7 = pad float32 [50, 2] (%0, %6) strides [1, 0]
%8 = pad float32 [50, 2] (%1, %5) offset -1 strides [1, 1]
%9 = map float32 [50, 2] (%5, %8, %7) { v3 = where float32 v0 v1 v2 }
)" + view;
}

std::string simple(const std::string& text) {
  return after([](const ir::graph& g) { return ir::simplify(g); }, text);
}

const char* const sources = "%0 = source float32 [50]\n%1 = source float32 [50]\n";

}  // namespace

TEST_CASE("slice_of_join: a column of a join is the piece that it was") {
  CHECK(simple(joined("%10 = view float32 [50] (%9) strides [2]\nreturn %10\n")) ==
        std::string(sources) + "return %0\n");
  CHECK(simple(joined("%10 = view float32 [50] (%9) offset 1 strides [2]\nreturn %10\n")) ==
        std::string(sources) + "return %1\n");
  CHECK(simple(joined("%10 = view float32 [9] (%9) offset 5 strides [4]\nreturn %10\n")) ==
        std::string(sources) + "%2 = view float32 [9] (%1) offset 2 strides [2]\nreturn %2\n");
}

TEST_CASE("slice_of_join: around a pad there are zeros") {
  const std::string text = simple(joined("%10 = view float32 [50] (%7) offset 1 strides [2]\n"
                                         "return %10\n"));
  CHECK(text == std::string(sources) +
                    "%2 = scalar float32 [] baked 0\n"
                    "%3 = view float32 [50] (%2) strides [0]\nreturn %3\n");
}

TEST_CASE("slice_of_join: a slice of several pieces stays, and one by a number that is passed") {
  const auto ways = [](const std::string& text) {
    const std::string out = simple(text);
    return std::string(out.find("where") == std::string::npos ? "chosen" : "asked");
  };
  CHECK(ways(joined("%10 = view float32 [2] (%9) offset 8 strides [1]\nreturn %10\n")) == "asked");
  std::string passed = joined("%10 = view float32 [50] (%9) strides [2]\nreturn %10\n");
  passed.replace(passed.find("view int64 [] (%2) offset 1 strides []"), 38, "scalar int64 [] 1");
  CHECK(ways(passed) == "asked");
}

TEST_CASE("slice_of_join: a piece that the view does not walk in steps stays padded") {
  const floats x = stored({5, 4}), y = stored({5, 4});
  const floats turned = sn::stack({floats(x.T()), floats(y.T())}, -1);
  const floats flat = turned(sn::_, sn::_, 1).reshape({20});
  const std::string text = R"(%0 = source float32 [5, 4]
%1 = iota int64 [2]
%2 = view int64 [4, 5, 2] (%1) strides [0, 0, 1]
%3 = view int64 [] (%1) offset 1 strides []
%4 = map bool [4, 5, 2] (%2, %3) { v2 = greater_equal int64 v0 v1 }
%5 = pad float32 [4, 5, 2] (%0, %4) strides [1, 4, 0]
%6 = view float32 [20] (%5) offset 1 strides [2]
return %6
)";
  CHECK(simple(text).find("pad") != std::string::npos);
  CHECK(sn::array_equal(flat, floats(y.T()).reshape({20})));
}

TEST_CASE("slice_of_join: a condition that is a number itself is not followed") {
  const std::string text = R"(%0 = iota int64 [2]
%1 = source float32 [2]
%2 = map bool [2] (%0) { v1 = cast int64 -> bool v0 }
%3 = map float32 [2] (%1) { v1 = negative float32 v0 }
%4 = map float32 [2] (%2, %1, %3) { v3 = where float32 v0 v1 v2 }
%5 = view float32 [1] (%4) offset 1 strides [1]
return %5
)";
  CHECK(simple(text).find("where") != std::string::npos);
}

TEST_CASE("slice_of_join: a state taken apart and put together is one kernel") {
  const auto steps = [](floats y) {
    for (int k = 0; k < 5; ++k) {
      const floats u = y(sn::_, 0), v = y(sn::_, 1), w = y(sn::_, 2);
      const floats du = 10 * (v - u), dv = u * (28 - w) - v, dw = u * v - 2.5f * w;
      y = sn::stack({floats(u + du * 0.01f), floats(v + dv * 0.01f), floats(w + dw * 0.01f)}, 1);
    }
    return y;
  };
  const floats start = stored({200, 3});
  CHECK(plan_for({steps(start)}, ir::target::cpu).kernels.size() == 1);
  CHECK(plan_for({steps(start)}, ir::target::gpu).kernels.size() == 1);
  const floats all = steps(start);
  floats one = start(sn::slice(7, 8));
  CHECK(sn::allclose(floats(all(sn::slice(7, 8))), steps(one)).item());
}

TEST_CASE("slice_of_join: an element behind stages of sums and differences is no tree of them") {
  const auto stages_of = [](floats p, int stages) {
    for (int q = 0; q < stages; ++q) {
      const auto v = sn::reshape(p, {-1, 2, std::int64_t{1} << q});
      const floats a = v(sn::_, 0), b = v(sn::_, 1);
      p = sn::ravel(sn::stack({floats(a + b), floats(a - b)}, 1));
    }
    return p;
  };
  const floats start = stored({65536});
  const auto after = [&](int stages) { return floats(stages_of(start, stages)(12345)); };
  const auto nodes = [&](int stages) {
    return of_graph({after(stages)}, [](auto&& g) { return ir::simplify(g).nodes.size(); });
  };
  CHECK(nodes(15) < nodes(12) + 3 * 400);  // a tree would be eight times as large
  const floats nine = stages_of(start, 9);
  sn::eval(nine);
  CHECK(sn::allclose(after(9), floats(nine(12345))).item());
}

}  // namespace slice_of_join_test
