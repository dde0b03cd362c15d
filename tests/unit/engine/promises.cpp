// The guarantees of the library as a whole: one test per guarantee.

#include <algorithm>
#include <cmath>

#include <pthread.h>
#include <sys/resource.h>

#include <sinter/sinter.hpp>

#include "engine/evaluation/snapshot.hpp"
#include "ir/passes/pipeline.hpp"
#include "tests/catch.hpp"

namespace promises_test {

namespace sn = sinter;
namespace ir = sinter::ir;

namespace {

/// The plan that would evaluate x.
ir::plan plan_of(const sn::any_array& x) {
  sn::detail::snapshot snapshot;
  sn::detail::take_snapshot({&x, 1}, snapshot);
  ir::trace trace;
  return ir::make_plan(sn::detail::graph_of(snapshot, trace), ir::machine{});
}

std::ptrdiff_t count(const ir::kernel& k, ir::inst_kind kind) {
  return std::count_if(k.body.begin(), k.body.end(), [&](auto& i) { return i.kind == kind; });
}

std::size_t peak_megabytes() {
  rusage use;
  getrusage(RUSAGE_SELF, &use);
  return static_cast<std::size_t>(use.ru_maxrss) / 1024;
}

}  // namespace

TEST_CASE("x = x * x + x six times through auto reads and writes each element once") {
  const sn::array<float> x(std::vector<float>(100, 0.25f));
  auto x1 = x * x + x;
  auto x2 = x1 * x1 + x1;
  auto x3 = x2 * x2 + x2;
  auto x4 = x3 * x3 + x3;
  auto x5 = x4 * x4 + x4;
  auto x6 = x5 * x5 + x5;
  const sn::array<float> y = x6;
  const ir::plan p = plan_of(y);
  REQUIRE(p.kernels.size() == 1);
  CHECK(count(p.kernels[0], ir::inst_kind::load) == 1);
  CHECK(count(p.kernels[0], ir::inst_kind::store) == 1);
  CHECK(count(p.kernels[0], ir::inst_kind::compute) == 12);
  float expected = 0.25f;
  for (int i = 0; i < 6; ++i) expected = expected * expected + expected;
  CHECK(y(0).item() == expected);
}

TEST_CASE("a thousand lengths and a hundred constants compile at most four kernels") {
  const auto before = sn::session_statistics();
  for (int n = 1; n <= 1000; ++n) {
    const sn::array<float> x(std::vector<float>(static_cast<std::size_t>(n * 37 % 4999 + 1), 2.f));
    const sn::array<float> y = sn::exp(x) * (0.37f * static_cast<float>(n % 100)) + x;
    REQUIRE(y(0).shape().empty());
    sn::eval(y);
  }
  const auto after = sn::session_statistics();
  CHECK(after.compiles + after.disk_hits - before.compiles - before.disk_hits <= 4);
}

namespace {

void* million_ops(void* result) {
  sn::array<float> x = sn::ones<float>({100});
  for (int i = 0; i < 1'000'000; ++i) x = x * 0.5f + 0.5f;
  *static_cast<float*>(result) = sn::max(x).item();
  return nullptr;
}

}  // namespace

TEST_CASE("a chain of a million statements evaluates in 8 MB of stack and bounded memory") {
  const std::size_t before = peak_megabytes();
  pthread_attr_t attributes;
  pthread_attr_init(&attributes);
  pthread_attr_setstacksize(&attributes, 8u << 20);
  pthread_t thread;
  float result = 0;
  REQUIRE(pthread_create(&thread, &attributes, million_ops, &result) == 0);
  pthread_join(thread, nullptr);
  pthread_attr_destroy(&attributes);
  CHECK(result == 1);
  CHECK(peak_megabytes() - before < 400);
}

TEST_CASE("a pending graph of any width is released without recursion") {
  sn::array<float> x = sn::ones<float>({4});
  for (int i = 0; i < 200'000; ++i) x = sn::transpose(x);
  SUCCEED();
}

TEST_CASE("fused and unfused give the same bits") {
  const auto u = sn::random::uniform<float>({1000}, {.seed = 5, .low = -3.f, .high = 3.f});
  const sn::array<float> x = u;
  sn::eval(x);
  const auto run = [&] {
    const sn::array<float> y = sn::sqrt(sn::abs(x * 1.7f - 0.3f)) / (x * x + 0.1f);
    const sn::array<float> z = sn::where(y > 1, y - x, y + x);
    return std::pair(y.to_host(), z.to_host());
  };
  const auto fused = run();
  sn::fusion(false);
  const auto unfused = run();
  sn::fusion(true);
  CHECK(fused == unfused);
}

TEST_CASE("softmax over rows is one kernel") {
  const sn::array<float> x = sn::random::normal<float>({300, 1000}, {.seed = 1});
  sn::eval(x);
  const sn::array<float> e = sn::exp(x - sn::max(x, {.axis = 1, .keepdims = true}));
  const sn::array<float> y = e / sn::sum(e, {.axis = 1, .keepdims = true});
  CHECK(plan_of(y).kernels.size() == 1);
}

namespace {

bool close(const std::vector<float>& a, const std::vector<float>& b) {
  return std::ranges::equal(a, b, [](float x, float y) { return std::abs(x - y) <= 4e-7f * y; });
}

}  // namespace

TEST_CASE("softmax has the bits of its parts in rows of any length") {
  for (const std::int64_t length : {1, 63, 64, 1000, 65535, 65536, 65537, 65600, 131101}) {
    INFO("rows of " << length);
    const auto random = sn::random::normal<float>({3, length}, {.seed = 1});
    const sn::array<float> x = random;
    const sn::array<sn::bfloat16> halves = sn::astype<sn::bfloat16>(x);
    sn::eval(x, halves);
    const auto run = [&] {
      return std::pair(sn::softmax(x, {.axis = 1}).to_host(),
                       sn::astype<float>(sn::softmax(halves, {.axis = 1})).to_host());
    };
    const auto fused = run();
    sn::fusion(false);
    const auto unfused = run();
    sn::fusion(true);
    // A GPU's order of additions in a row depends on what else its kernel keeps of the row.
    if (sn::current_device().what == sn::device::kind::cpu) CHECK(fused == unfused);
    else CHECK(close(fused.first, unfused.first));
  }
}

TEST_CASE("what fails for want of memory leaves every array as it was") {
  const sn::array<float> x(std::vector<float>{1, 2, 3});
  const sn::array<float> y = x + 1;
  const auto huge = sn::zeros<double>({1 << 20, 1 << 20, 1024});
  CHECK_THROWS_AS(sn::eval(huge), sn::memory_error);
  CHECK(y.to_host() == std::vector<float>{2, 3, 4});
  CHECK(x.to_host() == std::vector<float>{1, 2, 3});
}

TEST_CASE("more than 2^31 elements") {
  const std::int64_t n = (std::int64_t{1} << 31) + 1000;
  sn::array<std::int8_t> x = sn::full<std::int8_t>({n}, 1);
  sn::array<std::int8_t> y = x + x;
  sn::eval(y);
  CHECK(y(n - 1).item() == 2);
  CHECK(sn::sum(y).item() == 2 * n);
  CHECK(sn::max(y(sn::slice(n - 10, n))).item() == 2);
}

TEST_CASE("rank 32 and rank 0") {
  std::vector<std::int64_t> shape(32, 1);
  shape[3] = 2;
  shape[31] = 3;
  const sn::array<float> x = sn::arange<float>(6).reshape(shape);
  const sn::array<float> y = x + sn::transpose(x).reshape(shape);
  CHECK(y.ndim() == 32);
  CHECK(sn::sum(y).item() == 30);
  const sn::array<float> s = sn::full<float>({}, 2.f);
  CHECK((s * 3).item() == 6);
}

}  // namespace promises_test
