// Values stored because recomputing them costs more.
#include "ir/passes/pricing.hpp"

#include "tests/catch.hpp"
#include "tests/unit/passes/recorded.hpp"
#include "tests/unit/passes/texts.hpp"

namespace pricing_test {

using namespace passes_tests;
namespace sn = sinter;

TEST_CASE("pricing: a pad that is read from several sides reads as often what it pads") {
  std::string text = "%0 = source float32 [30000, 300]\n";
  for (int i = 1; i <= 4; ++i) {
    text += "%" + std::to_string(i) + " = map float32 [30000, 300] (%" + std::to_string(i - 1) +
            ") { v1 = sin float32 v0 }\n";
  }
  text += R"(%5 = iota int64 [302]
%6 = view int64 [30000, 302] (%5) strides [0, 1]
%7 = scalar int64 [] 1
%8 = map bool [30000, 302] (%6, %7) { v2 = greater_equal int64 v0 v1 }
%9 = scalar int64 [] 301
%10 = map bool [30000, 302] (%6, %9) { v2 = less int64 v0 v1 }
%11 = map bool [30000, 302] (%8, %10) { v2 = logical_and bool v0 v1 }
%12 = pad float32 [30000, 302] (%4, %11) offset -1 strides [300, 1] along 1
%13 = view float32 [30000, 300] (%12) strides [302, 1]
%14 = view float32 [30000, 300] (%12) offset 1 strides [302, 1]
%15 = view float32 [30000, 300] (%12) offset 2 strides [302, 1]
%16 = map float32 [30000, 300] (%13, %14) { v2 = add float32 v0 v1 }
%17 = map float32 [30000, 300] (%15, %16) { v2 = add float32 v0 v1 }
return %17
)";
  CHECK(refused(plan_of(text, gpu()),
                "operand stored: several shifted readers cost more computed again"));
}

namespace {

/// Is an expensive value, read through these two views, stored for their sum?
bool stored_for(const std::string& size, const std::string& one, const std::string& other) {
  std::string text = "%0 = source float32 [2000000]\n";
  for (int i = 1; i <= 12; ++i) {
    text += "%" + std::to_string(i) + " = map float32 [2000000] (%" + std::to_string(i - 1) +
            ") { v1 = sin float32 v0 }\n";
  }
  const std::string view = " = view float32 [" + size + "] (%12) ";
  text += "%13" + view + one + "\n%14" + view + other + "\n%15 = map float32 [" + size +
          "] (%13, %14) { v2 = add float32 v0 v1 }\nreturn %15\n";
  return refused(plan_of(text, gpu()),
                 "operand stored: several shifted readers cost more computed again");
}

}  // namespace

TEST_CASE("pricing: parts that together show an array once are one reader") {
  CHECK_FALSE(stored_for("1000000", "strides [2]", "offset 1 strides [2]"));
  CHECK_FALSE(stored_for("1000000", "strides [1]", "offset 1000000 strides [1]"));
}

TEST_CASE("pricing: nearly all of an array, and nearly all again, are two readers") {
  CHECK(stored_for("1999999", "strides [1]", "offset 1 strides [1]"));
}

TEST_CASE("pricing: stages that join sums and differences of the one before are not one kernel") {
  for (const ir::target on : {ir::target::cpu, ir::target::gpu}) {
    using floats = sn::array<float>;
    floats y = sn::reshape(stored({50, 1024}), {50, 1024, 1});
    for (std::int64_t k = 1024; k > 1; k /= 2) {
      const floats a = y(sn::_, sn::slice(0, k / 2)), c = y(sn::_, sn::slice(k / 2, k));
      y = sn::concatenate({floats(a + c), floats((a - c) * 0.5f)}, {.axis = 2});
    }
    const ir::plan p = plan_for({y}, on);
    CHECK(p.kernels.size() >= 3);
    for (const ir::kernel& k : p.kernels) CHECK(k.body.size() <= 120);
  }
}

TEST_CASE("pricing: what a lookup gives is stored where several shifted readers want it") {
  const auto looked_up = [](const std::string& reader) {
    return plan_of("%0 = source float32 [8]\n%1 = source int64 [100000]\n"
                   "%2 = map int64 [100000] (%1) { v1 = floor_divide int64 v0 v0; "
                   "v2 = floor_divide int64 v1 v0; v3 = floor_divide int64 v2 v0 }\n"
                   "%3 = gather float32 [100000] (%0, %2) strides [0] along 0\n" +
                   reader);
  };
  const auto shifted = looked_up(R"(%4 = view float32 [99990] (%3) strides [1]
%5 = view float32 [99990] (%3) offset 1 strides [1]
%6 = view float32 [99990] (%3) offset 2 strides [1]
%7 = map float32 [99990] (%4, %5, %6) { v3 = add float32 v0 v1; v4 = add float32 v3 v2 }
return %7
)");
  CHECK(shifted.kernels.size() == 2);
  CHECK(looked_up("%4 = map float32 [100000] (%3, %3) { v2 = add float32 v0 v1 }\nreturn %4\n")
            .kernels.size() == 1);
}

TEST_CASE("pricing: few numbers rolled in turn are not emitted for every path") {
  for (const std::int64_t length : {3, 4, 8, 100}) {
    CAPTURE(length);
    sn::array<int> x = sn::arange<int>(length);
    sn::eval(x);
    for (int i = 0; i < 16; ++i) x = sn::roll(x, -1);
    for (const ir::target on : {ir::target::cpu, ir::target::gpu}) {
      for (const ir::kernel& k : plan_for({x}, on).kernels) CHECK(k.body.size() <= 1200);
    }
    CHECK(sn::array_equal(x, (sn::arange<int>(length) + 16) % static_cast<int>(length)));
  }
}

}  // namespace pricing_test
