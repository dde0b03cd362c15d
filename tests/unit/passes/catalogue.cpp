// What fuses, as kernel counts: one line of the program, one number. And why the rest does not.

#include <sinter/sinter.hpp>

#include "tests/catch.hpp"
#include "tests/unit/passes/recorded.hpp"

namespace catalogue_test {

namespace sn = sinter;
using namespace passes_tests;

namespace {

using floats = sn::array<float>;

std::size_t kernels(std::initializer_list<sn::any_array> roots) {
  return plan_for(roots).kernels.size();
}

bool refused(const ir::plan& p, const std::string& words) {
  for (const auto& r : p.reports) {
    for (const auto& why : r.refusals) {
      if (why.find(words) != std::string::npos) return true;
    }
  }
  return false;
}

}  // namespace

TEST_CASE("maps of any length, views and several outputs are one kernel") {
  const floats x = stored({64, 300}), row = stored({300});
  const floats y = sn::exp(x) * 2 + row;
  const floats z = sn::sqrt(y) - x;
  CHECK(kernels({z}) == 1);
  CHECK(kernels({y, z}) == 1);
  const floats t = sn::transpose(x) * 3, u = sn::flip(t, {0}) + 1;
  CHECK(kernels({u}) == 1);
  const floats noise = sn::random::normal<float>({100}, {.seed = 1}) * 2 + 1;
  CHECK(kernels({noise}) == 1);
}

TEST_CASE("reductions take in what makes them, what reads them, and their siblings") {
  const floats x = stored({64, 300});
  const floats norm = sn::sqrt(sn::sum(x * x, {.axis = 1})) + 1;
  CHECK(kernels({norm}) == 1);
  const floats s = sn::sum(x, {.axis = 1}), m = sn::max(x, {.axis = 1});
  CHECK(kernels({s, m}) == 1);
  const floats columns = sn::mean(x, {.axis = 0});
  CHECK(kernels({columns}) == 1);
}

TEST_CASE("normalisations over rows are one kernel") {
  const floats x = stored({64, 300}), gamma = stored({300});
  const floats e = sn::exp(x - sn::max(x, {.axis = 1, .keepdims = true}));
  const floats softmax = e / sn::sum(e, {.axis = 1, .keepdims = true});
  CHECK(kernels({softmax}) == 1);
  const floats centred = x - sn::mean(x, {.axis = 1, .keepdims = true});
  const floats scale = sn::rsqrt(sn::var(x, {.axis = 1, .keepdims = true}) + 1e-5f);
  const floats layernorm = centred * scale * gamma;
  CHECK(kernels({layernorm}) == 1);
  CHECK(kernels({sn::var(x, {.axis = 1})}) == 1);
}

TEST_CASE("one long row needs all of itself first, and the plan says so") {
  const floats x = stored({1'000'000});
  const floats y = x - sn::mean(x);
  const ir::plan p = plan_for({y});
  CHECK(p.kernels.size() == 3);  // partial sums, the mean, the difference
  CHECK(refused(p, "a whole row is needed before its first use"));
}

TEST_CASE("two reductions over different axes are two kernels") {
  const floats x = stored({64, 300});
  const floats a = sn::sum(x, {.axis = 0}), b = sn::sum(x, {.axis = 1});
  CHECK(kernels({a, b}) == 2);
}

TEST_CASE("a stencil computes cheap operands again and stores expensive ones") {
  const floats x = stored({1'000'000});
  const auto shifted = [](const floats& y) {
    floats sum = y(sn::slice(0, 999'990)) + 0;
    for (int i = 1; i < 8; ++i) sum = sum + y(sn::slice(i, 999'990 + i));
    return sum;
  };
  CHECK(kernels({shifted(x + 1)}) == 1);
  const ir::plan p = plan_for({shifted(sn::tan(sn::lgamma(sn::pow(x, x))))});
  CHECK(p.kernels.size() == 2);
  CHECK(refused(p, "several shifted readers"));
}

TEST_CASE("products of matrices are boundaries") {
  const floats a = stored({8, 8});
  const floats y = sn::matmul(a + 1, a) * 2;
  const ir::plan p = plan_for({y});
  CHECK(p.kernels.size() == 2);
  CHECK(p.steps.size() == 3);
}

TEST_CASE("a dying input gives its memory to the output") {
  floats x = stored({1000});
  const floats y = std::move(x) * 2 + 1;
  const ir::plan p = plan_for({y});
  REQUIRE(p.outputs.size() == 1);
  CHECK(p.buffers[static_cast<std::size_t>(p.outputs[0])].donor >= 0);
}

TEST_CASE("a GPU keeps the rows of a normalisation in registers") {
  const floats x = stored({64, 4096});
  const floats e = sn::exp(x - sn::max(x, {.axis = 1, .keepdims = true}));
  const floats y = e / sn::sum(e, {.axis = 1, .keepdims = true});
  const ir::plan p = plan_for({y}, ir::target::gpu);
  REQUIRE(p.kernels.size() == 1);
  CHECK(p.kernels[0].schedule.resident);
}

}  // namespace catalogue_test
