// The text of rounds, run on the host: rows, columns and maps in sequence, by one block and by a
// cluster.
#include <memory>

#include "tests/catch.hpp"
#include "tests/shim/host_kernels.hpp"
#include "tests/unit/cuda_text/rounds_cases.hpp"

namespace rounds_text_test {

using namespace sinter;
using tests::rounds_trial;

TEST_CASE("rounds compute what their kernels would one by one", "[cuda_text]") {
  tests::host_kernels host;
  std::vector<std::unique_ptr<rounds_trial>> trials;
  std::vector<int> numbers;
  for (const int blocks : {1, 8}) {
    trials.push_back(std::make_unique<rounds_trial>(blocks));
    ir::verify(trials.back()->k);
    numbers.push_back(host.add(trials.back()->k));
  }
  host.build();
  for (std::size_t i = 0; i < trials.size(); ++i) {
    const rounds_trial& t = *trials[i];
    CHECK(t.k.schedule.cluster == (i == 0 ? 1 : 8));
    CHECK(t.elastic > 0);
    CHECK(t.tiled > 0);
    for (const float limit : {0.0f, 1e9f}) {
      INFO(host.text(numbers[i]));
      std::uint32_t wanted = 99, told = 99;
      const auto bits = std::bit_cast<std::uint32_t>(limit);
      const auto expected = t.run(bits, wanted, [&](const std::uint64_t* slots) {
        ir::run_kernel(t.k, slots, 0, t.k.schedule.cluster);
      });
      const auto order = i == 0 ? tests::thread_order::descending : tests::thread_order::odd_first;
      const auto got = t.run(bits, told, [&](const std::uint64_t* slots) {
        host.run(numbers[i], slots, t.k.schedule.cluster, order);
      });
      CHECK(wanted == (limit == 0 ? 3 : 0));
      CHECK(told == wanted);
      CHECK((got == expected));
      CHECK((got != tests::buffers_of(t.p)));
    }
  }
}

TEST_CASE("a function does for all parts that are one kernel", "[cuda_text]") {
  const rounds_trial t(8);
  ir::kernel twice = t.k;
  twice.parts.insert(twice.parts.end(), t.k.parts.begin(), t.k.parts.end());
  const std::string cuda = codegen::emit_cuda(twice);
  const std::string last = "part_" + std::to_string(t.k.parts.size() - 1);
  INFO(cuda);
  CHECK(cuda.find("__cluster_dims__(8)") != cuda.npos);
  CHECK(cuda.find("namespace " + last + " {") != cuda.npos);
  CHECK(cuda.find("namespace part_" + std::to_string(t.k.parts.size()) + " {") == cuda.npos);
  CHECK(cuda.find("if (!goes_on_0) break;") != cuda.npos);
}

}  // namespace rounds_text_test
