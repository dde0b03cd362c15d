// Plans of scans: the number of kernels, the bits, and why the rest is stored.

#include <cstring>

#include <sinter/sinter.hpp>

#include "codegen/cuda_text/emit.hpp"
#include "engine/nodes/node.hpp"
#include "tests/catch.hpp"
#include "tests/unit/passes/recorded.hpp"
#include "tests/unit/passes/texts.hpp"

namespace scans_test {

namespace sn = sinter;
using namespace passes_tests;

namespace {

using floats = sn::array<float>;

std::size_t kernels(std::initializer_list<sn::any_array> roots) {
  const std::size_t cpu = plan_for(roots, ir::target::cpu).kernels.size();
  const std::size_t gpu = plan_for(roots, ir::target::gpu).kernels.size();
  return cpu == gpu ? cpu : 100 * cpu + gpu;
}

template <class T> bool same_bits(const std::vector<T>& a, const std::vector<T>& b) {
  return a.size() == b.size() && std::memcmp(a.data(), b.data(), a.size() * sizeof(T)) == 0;
}

}  // namespace

TEST_CASE("scans take in what makes them, what reads them, and their siblings") {
  const floats x = stored({64, 300});
  const floats y = sn::cumsum(x * 2, {.axis = 1}) + 1;
  CHECK(kernels({y}) == 1);
  const floats columns = sn::cumsum(x * 2, {.axis = 0}) + 1;
  CHECK(kernels({columns}) == 1);
  const floats most = sn::cummax(x, {.axis = 1});
  CHECK(kernels({y, most}) == 1);
  const floats twice = sn::cumsum(sn::cumsum(x, {.axis = 1}), {.axis = 1});
  CHECK(kernels({twice}) == 1);
}

TEST_CASE("scans and reductions over the same rows are one kernel") {
  const floats x = stored({600, 300});
  const floats s = sn::cumsum(x - sn::mean(x, {.axis = 1, .keepdims = true}), {.axis = 1});
  CHECK(kernels({s}) == 1);
  const floats part = sn::cumsum(x, {.axis = 1}) / sn::sum(x, {.axis = 1, .keepdims = true});
  CHECK(kernels({part}) == 1);
  const floats area = sn::sum(sn::cumsum(x, {.axis = 1}), {.axis = 1});
  CHECK(kernels({area}) == 1);
}

TEST_CASE("a long scan is one kernel, and one that clears what its chunks meet in") {
  const floats x = stored({1000000});
  const floats y = sn::cumsum(x * 2) + 1;
  for (const ir::target t : {ir::target::cpu, ir::target::gpu}) {
    const ir::plan p = plan_for({y}, t);
    REQUIRE(p.kernels.size() == 2);
    CHECK(p.kernels[0].name == "map_clear_0");
    CHECK(p.kernels[1].name.starts_with("scan_multiply_scan_add_add"));
    CHECK(p.kernels[1].schedule.split);
    CHECK(p.reports[1].bytes_read == 4000000);
    CHECK(p.reports[1].bytes_written >= 4000000);
    CHECK(p.reports[1].bytes_written < 4000100);
  }
}

TEST_CASE("a long selection reads its array once and packs what it chooses") {
  const sn::array<std::int64_t> x = sn::astype<std::int64_t>(stored({1000000}) * 1000);
  sn::eval(x);
  const sn::location here = sn::location::current();
  const sn::array<bool> mask = x % 3 == 1;
  const sn::any_array place = sn::detail::make_scan(
      sn::detail::make_cast(mask, sn::dtype::int32, here), ir::op::add, 0, here);
  const std::int64_t shape[] = {1000000};
  const sn::array<std::int64_t> number(sn::detail::make_iota(shape, here));
  const sn::array<bool> last = number == 999999;
  const auto [chosen, count] = sn::detail::make_compress(x, mask, place, last, here);
  const ir::plan p = plan_for({chosen, count}, ir::target::gpu);
  REQUIRE(p.kernels.size() == 2);
  CHECK(p.kernels[1].schedule.packs);
  CHECK(p.reports[1].bytes_read == 8000000);
  // The mask is computed once: another division, or another test of it, would be a second copy.
  const std::string text = sinter::codegen::emit_cuda(p.kernels[1]);
  const auto first = text.find("sinter_modulus_by<true>(in0_v");
  REQUIRE(first != std::string::npos);
  CHECK(text.find("sinter_modulus_by<true>(in0_v", first + 1) == std::string::npos);
}

TEST_CASE("blocks of a chained scan are as many as run at once, and a few") {
  const ir::plan p = plan_for({sn::cumsum(stored({40000000}))}, ir::target::gpu);
  REQUIRE(p.kernels.size() == 2);
  CHECK(p.steps[1].blocks == 4 * 132);
  const ir::plan few = plan_for({sn::cumsum(stored({20000}))}, ir::target::gpu);
  CHECK(few.steps[1].blocks == 2);
}

TEST_CASE("what a scan is not fused with has a reason") {
  const floats x = stored({64, 300}), row = stored({1000000});
  const auto cpu = ir::target::cpu;
  const floats turned = sn::transpose(sn::cumsum(x, {.axis = 1})) * 2;
  CHECK(refused(plan_for({turned}, cpu), "read in another order than it runs"));
  const floats both = sn::cumsum(sn::cumsum(x, {.axis = 1}), {.axis = 0});
  CHECK(refused(plan_for({both}, cpu), "the reader walks other rows"));
  const floats twice = sn::cumsum(sn::cumsum(row));
  CHECK(refused(plan_for({twice}, cpu), "its rows are cut in chunks"));
  const floats centred = sn::cumsum(row - sn::mean(row));
  CHECK(refused(plan_for({centred}, ir::target::gpu), "a scan cuts the rows in chunks"));
}

TEST_CASE("what is joined of many is stored before it is summed up, of a few it is not") {
  const floats x = stored({60, 70});
  std::vector<floats> parts;
  for (int k = 0; k < 9; ++k) parts.push_back(x(sn::slice(k, k + 50)));
  for (const int axis : {0, 2}) {
    const floats sums = sn::cumsum(sn::stack(parts, axis), axis);
    CHECK(plan_for({sums}, ir::target::cpu).kernels.size() == 2);
    CHECK(plan_for({sums}, ir::target::gpu).kernels.size() == 2);
    floats expected = parts[0];
    for (int k = 1; k < 6; ++k) expected = expected + parts[static_cast<std::size_t>(k)];
    CHECK(sn::allclose(axis ? sums(sn::_, sn::_, 5) : sums(5), expected));
  }
  const floats from_zero = sn::cumsum(sn::concatenate({sn::zeros<float>({1, 70}), x}), 0);
  CHECK(plan_for({from_zero}, ir::target::cpu).kernels.size() == 1);
}

TEST_CASE("a scan of one element is the element") {
  const ir::plan p = plan_of(
      "%0 = source float32 [5, 1]\n%1 = scan float32 [5, 1] (%0) add over [1]\n"
      "%2 = map float32 [5, 1] (%1) { v1 = negative float32 v0 }\n"
      "return %2\n");
  REQUIRE(p.kernels.size() == 1);
  CHECK(p.kernels[0].reduced == 0);
}

TEST_CASE("scans have the same bits fused, unfused and again") {
  for (const std::vector<std::int64_t>& shape :
       {std::vector<std::int64_t>{7, 1003}, {200001}, {40, 33}, {40000, 3}}) {
    const floats x = stored(shape);
    for (std::int64_t axis = 0; axis < static_cast<std::int64_t>(shape.size()); ++axis) {
      const floats scan = sn::cumsum(x, {.axis = axis});
      const floats fused = sn::cumsum(x * 1, {.axis = axis}) + 0;
      const sn::array<double> wide = sn::astype<double>(sn::cumsum(x, {.axis = axis}));
      sn::eval(scan);
      const std::vector<float> bits = scan.to_host();
      CHECK(same_bits(bits, fused.to_host()));
      CHECK(same_bits(bits, sn::astype<float>(wide).to_array().to_host()));
      CHECK(same_bits(bits, sn::cumsum(x, {.axis = axis}).to_host()));
    }
  }
}

TEST_CASE("float scans are nearer the truth than one addition after the other") {
  const std::int64_t n = 300000;
  const floats x = stored({n});
  const std::vector<float> in = x.to_host(), out = sn::cumsum(x).to_host();
  double exact = 0, worst = 0, worst_plain = 0;
  float plain = 0;
  for (std::size_t i = 0; i < in.size(); ++i) {
    exact += static_cast<double>(in[i]);
    plain += in[i];
    worst = std::max(worst, std::abs(static_cast<double>(out[i]) - exact) / exact);
    worst_plain = std::max(worst_plain, std::abs(static_cast<double>(plain) - exact) / exact);
  }
  CHECK(worst < 1e-5);
  CHECK(worst <= worst_plain);
}

TEST_CASE("zeros keep their sign, and NaN stays from where it is") {
  const floats zeros = sn::asarray(std::vector<float>{-0.0f, -0.0f, 0.0f, -0.0f});
  const std::vector<float> sum = sn::cumsum(zeros).to_host();
  CHECK((std::signbit(sum[0]) && std::signbit(sum[1]) && !std::signbit(sum[2])));
  const float nan = std::numeric_limits<float>::quiet_NaN();
  const std::vector<float> most = sn::cummax(sn::asarray(std::vector<float>{1, nan, 3})).to_host();
  CHECK((most[0] == 1 && std::isnan(most[1]) && std::isnan(most[2])));
}

}  // namespace scans_test
