#include "runtime/cpu/cpu_device.hpp"

#include <atomic>
#include <chrono>
#include <cmath>
#include <stdexcept>
#include <string>

#include "device_contract.hpp"
#include "runtime/cpu/host.hpp"
#include "tests/catch.hpp"

namespace cpu_device_test {

using namespace sinter::runtime;

namespace {

void add_blocks(const std::uint64_t* slots, std::int64_t begin, std::int64_t end) {
  auto* counts = reinterpret_cast<std::int64_t*>(slots[0]);
  for (std::int64_t i = begin; i < end; ++i) counts[i] += static_cast<std::int64_t>(slots[1]);
}

class known_code final : public loaded_code {
 public:
  known_code() { entry_ = add_blocks; }
};

class known_loader final : public object_loader {
 public:
  std::shared_ptr<loaded_code> load(std::span<const std::byte> object,
                                    std::string_view entry) override {
    if (object.size() != 3 || entry != "add") throw device_error("no such object");
    return std::make_shared<known_code>();
  }
};

}  // namespace

TEST_CASE("the CPU keeps the contract of devices") {
  cpu_device cpu({.threads = 3});
  check_allocation(cpu);
  check_copies(cpu);
  check_adoption(cpu, cpu);
  check_parts(cpu);
  check_limits(cpu);
  check_threads(cpu);
  check_handover(cpu);
  check_memory_events(cpu);
  check_time_marks(cpu);
}

TEST_CASE("the CPU describes itself") {
  cpu_device cpu({.architecture = "znver4", .threads = 2});
  const device_properties& about = cpu.properties();
  CHECK(about.name != "");
  CHECK(about.architecture == "znver4");
  CHECK(about.units == 2);
  CHECK(about.memory > (1u << 20));
  CHECK(about.bandwidth > 1e9);
  CHECK(about.arithmetic > 1e9);
  CHECK(about.launch > 0);
  CHECK(cpu.id() == device_id{device_kind::cpu, 0});
  CHECK(cpu.current_stream() == nullptr);
}

TEST_CASE("the host's files are read sensibly") {
  CHECK(!host_cpus().empty());
  CHECK(host_cpu_quota() >= 0);
  CHECK(host_memory_total() > (16u << 20));
  CHECK(host_memory_available() > 0);
  CHECK(host_memory_available() <= host_memory_total());
}

TEST_CASE("a compiled kernel runs over all its blocks") {
  cpu_device cpu({.loader = std::make_shared<known_loader>(), .threads = 3});
  const std::byte object[3] = {};
  auto kernel = cpu.load(object, "add");
  std::vector<std::int64_t> counts(1001);
  const std::uint64_t slots[] = {reinterpret_cast<std::uint64_t>(counts.data()), 5};
  cpu.launch(*kernel, {.blocks = 1000}, slots);
  CHECK(std::vector<std::int64_t>(counts.begin(), counts.end() - 1) ==
        std::vector<std::int64_t>(1000, 5));
  CHECK(counts.back() == 0);
  CHECK_THROWS_AS(cpu.load(object, "sub"), device_error);
}

TEST_CASE("without a loader, loading says what is missing") {
  cpu_device cpu({.threads = 1});
  CHECK_THROWS_WITH(cpu.load({}, "add"), says("libsinter_llvm.so"));
}

TEST_CASE("a callable is a kernel, and what it throws comes out") {
  cpu_device cpu({.threads = 3});
  std::atomic<std::int64_t> sum{0};
  auto kernel = cpu.wrap([&](const std::uint64_t* slots, std::int64_t begin, std::int64_t end) {
    for (std::int64_t i = begin; i < end; ++i) sum += i * static_cast<std::int64_t>(slots[0]);
    if (slots[0] == 7) throw std::runtime_error("seven");
  });
  const std::uint64_t two[] = {2};
  cpu.launch(*kernel, {.blocks = 101}, two);
  CHECK(sum == 2 * 5050);
  const std::uint64_t seven[] = {7};
  CHECK_THROWS_WITH(cpu.launch(*kernel, {.blocks = 101}, seven), "seven");
}

TEST_CASE("what a small allocation and launch cost on the CPU", "[.benchmark]") {
  cpu_device cpu({.loader = std::make_shared<known_loader>()});
  const std::byte object[3] = {};
  auto kernel = cpu.load(object, "add");
  std::int64_t count = 0;
  constexpr int rounds = 1000000;
  const auto start = std::chrono::steady_clock::now();
  for (int i = 0; i < rounds; ++i) {
    auto block = cpu.allocate(4096);
    const std::uint64_t slots[] = {reinterpret_cast<std::uint64_t>(&count), 1};
    cpu.launch(*kernel, {.blocks = 1}, slots);
  }
  const std::chrono::duration<double, std::nano> time = std::chrono::steady_clock::now() - start;
  WARN(time.count() / rounds << " ns for allocate, launch and free");
  CHECK(count == rounds);
}

}  // namespace cpu_device_test
