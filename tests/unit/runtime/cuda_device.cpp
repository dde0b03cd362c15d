// The CUDA device; all but the first test case need a GPU.

#include <chrono>
#include <cstdio>
#include <future>
#include <string>
#include <thread>
#include <vector>

#include <unistd.h>

#include "cuda_fixture.hpp"
#include "device_contract.hpp"

namespace cuda_device_test {

using namespace sinter::runtime;

namespace {

using words = std::vector<std::uint64_t>;

words read_words(device& on, const buffer& from) {
  words data(from.bytes() / 8);
  on.copy_to_host(data.data(), from, 0, from.bytes());
  return data;
}

void fill(device& on, const loaded_kernel& kernel, const buffer& to, std::uint64_t value) {
  const std::uint64_t count = to.bytes() / 8;
  const std::uint64_t slots[] = {address_of(to), count, value};
  on.launch(kernel, {static_cast<std::int64_t>(count / 256 + 1), 256, "fill", "a test"}, slots);
}

void slow_copy(device& on, const loaded_kernel& kernel, const buffer& to, const buffer& from) {
  const std::uint64_t count = to.bytes() / 8;
  const std::uint64_t slots[] = {address_of(to), address_of(from), count, long_time};
  on.launch(kernel, {static_cast<std::int64_t>(count / 256 + 1), 256, "slow_copy", "a test"},
            slots);
}

/// The output of this program for a single test case.
std::string output_of(const std::string& test) {
  char program[4096] = {};
  if (readlink("/proc/self/exe", program, sizeof program - 1) <= 0) return "no /proc";
  const std::string command = "'" + std::string(program) + "' '" + test + "' 2>&1";
  FILE* pipe = popen(command.c_str(), "r");
  if (!pipe) return "no pipe";
  std::string text;
  for (char part[4096]; std::fgets(part, sizeof part, pipe);) text += part;
  pclose(pipe);
  return text;
}

}  // namespace

TEST_CASE("the module says how many devices there are, or why there is none") {
  const auto module = module_library::open("cuda");
  if (!module) {
    CHECK(module.status().find("libsinter_cuda.so") != std::string::npos);
    return;
  }
  const int count =
      module.function<decltype(sinter_cuda_device_count)>("sinter_cuda_device_count")();
  const std::string status = module.function<decltype(sinter_cuda_status)>("sinter_cuda_status")();
  CHECK(status.find(count == 0 ? "no " : "CUDA device") != std::string::npos);
  const auto make = module.function<decltype(sinter_cuda_device)>("sinter_cuda_device");
  CHECK_THROWS_AS(make(count), device_error);
  CHECK_THROWS_AS(make(-1), device_error);
}

TEST_CASE("a GPU keeps the contract of devices") {
  const auto gpu = cuda_device_to_test();
  if (!gpu) return;
  check_allocation(*gpu);
  check_copies(*gpu);
  check_adoption(*gpu, *gpu);
  check_parts(*gpu);
  check_limits(*gpu);
  check_threads(*gpu);
  check_handover(*gpu);
  check_memory_events(*gpu);
  check_time_marks(*gpu);
}

TEST_CASE("a GPU describes itself") {
  const auto gpu = cuda_device_to_test();
  if (!gpu) return;
  const device_properties& about = gpu->properties();
  WARN(about.name << ", " << about.architecture << ", " << about.units << " units, " << about.memory
                  << " bytes, cache " << about.cache << ", " << about.bandwidth << " B/s, "
                  << about.arithmetic << " op/s");
  CHECK(about.architecture.starts_with("sm_"));
  CHECK(about.units > 0);
  CHECK(about.memory > (1u << 30));
  CHECK(about.cache > 0);
  CHECK(about.bandwidth > 1e10);
  CHECK(about.arithmetic > 1e11);
}

TEST_CASE("kernels run, in order, with the slots they were given") {
  const auto gpu = cuda_device_to_test();
  if (!gpu) return;
  auto kernel = test_kernel(*gpu, "fill");
  auto block = gpu->allocate(8 * 100000);
  for (std::uint64_t value = 0; value < 100; ++value) fill(*gpu, *kernel, *block, value);
  CHECK(read_words(*gpu, *block) == words(100000, 99));
  gpu->synchronize();
}

TEST_CASE("loading says which kernel or image is wrong") {
  const auto gpu = cuda_device_to_test();
  if (!gpu) return;
  CHECK_THROWS_WITH(test_kernel(*gpu, "nothing"), says("nothing"));
  const std::string rubbish = "rubbish";
  CHECK_THROWS_WITH(gpu->load(std::as_bytes(std::span(rubbish)), "fill"),
                    says("loading the kernel fill"));
  fill(*gpu, *test_kernel(*gpu, "fill"), *gpu->allocate(800), 1);
  gpu->synchronize();
}

TEST_CASE("a launch that CUDA refuses names the kernel, and the device goes on") {
  const auto gpu = cuda_device_to_test();
  if (!gpu) return;
  auto kernel = test_kernel(*gpu, "fill");
  auto block = gpu->allocate(800);
  const std::uint64_t slots[] = {address_of(*block), 100, 1};
  CHECK_THROWS_WITH(gpu->launch(*kernel, {1, 5000, "too_wide", "main.cpp:17"}, slots),
                    says("too_wide, from main.cpp:17"));
  CHECK_THROWS_AS(gpu->launch(*kernel, {std::int64_t{1} << 31, 1, "", ""}, slots), device_error);
  fill(*gpu, *kernel, *block, 7);
  CHECK(read_words(*gpu, *block) == words(100, 7));
}

TEST_CASE("each thread has a stream, which the next thread inherits") {
  const auto gpu = cuda_device_to_test();
  if (!gpu) return;
  const stream* mine = gpu->current_stream();
  CHECK(gpu->current_stream() == mine);
  const stream* first = nullptr;
  const stream* second = nullptr;
  std::thread([&] { first = gpu->current_stream(); }).join();
  std::thread([&] { second = gpu->current_stream(); }).join();
  CHECK(first != mine);
  CHECK(second == first);
}

TEST_CASE("memory that a stream still uses is not given to another") {
  const auto gpu = cuda_device_to_test();
  if (!gpu) return;
  auto fill_kernel = test_kernel(*gpu, "fill");
  auto copy_kernel = test_kernel(*gpu, "slow_copy");
  auto kept = gpu->allocate(8 << 20);
  auto from = gpu->allocate(8 << 20);
  fill(*gpu, *fill_kernel, *from, 1);
  slow_copy(*gpu, *copy_kernel, *kept, *from);
  from.reset();
  std::thread([&] {
    std::vector<std::shared_ptr<buffer>> others;
    for (int i = 0; i < 20; ++i) {
      others.push_back(gpu->allocate(8 << 20));
      fill(*gpu, *fill_kernel, *others.back(), 2);
    }
    gpu->synchronize();
  }).join();
  CHECK(read_words(*gpu, *kept) == words(1 << 20, 1));
}

TEST_CASE("another thread sees what a slow kernel writes, and is not overtaken by a new write") {
  const auto gpu = cuda_device_to_test();
  if (!gpu) return;
  auto fill_kernel = test_kernel(*gpu, "fill");
  auto copy_kernel = test_kernel(*gpu, "slow_copy");
  auto source = gpu->allocate(8 << 20);
  auto shared = gpu->allocate(8 << 20);
  fill(*gpu, *fill_kernel, *source, 5);
  fill(*gpu, *fill_kernel, *shared, 0);
  slow_copy(*gpu, *copy_kernel, *shared, *source);
  std::shared_ptr<buffer> result;
  std::promise<void> queued;
  std::promise<void> may_end;
  std::thread reader([&] {
    gpu->use(*shared);
    result = gpu->allocate(8 << 20);
    slow_copy(*gpu, *copy_kernel, *result, *shared);
    queued.set_value();
    may_end.get_future().wait();
  });
  queued.get_future().wait();
  gpu->claim(*shared);
  fill(*gpu, *fill_kernel, *shared, 6);
  gpu->use(*result);
  CHECK(read_words(*gpu, *result) == words(1 << 20, 5));
  CHECK(read_words(*gpu, *shared) == words(1 << 20, 6));
  may_end.set_value();
  reader.join();
}

TEST_CASE("a full GPU refuses, and serves again once memory is free") {
  const auto gpu = cuda_device_to_test();
  if (!gpu) return;
  std::vector<std::shared_ptr<buffer>> held;
  const std::size_t step = std::size_t{4} << 30;
  try {
    for (int i = 0; i < 10000; ++i) held.push_back(gpu->allocate(step));
    FAIL("no end of memory");
  } catch (const out_of_memory& error) {
    const std::string text = error.what();
    CHECK(text.find("asked 4.0 GiB; ") != std::string::npos);
    CHECK(text.find("in " + std::to_string(held.size()) + " buffer") != std::string::npos);
  }
  held.resize(held.size() / 2);
  auto whole = gpu->allocate(2 * step);
  CHECK(whole->bytes() == 2 * step);
}

TEST_CASE("one thread uses two GPUs by turns, and devices come and go") {
  const auto first = cuda_device_to_test(0);
  const auto second = cuda_device_to_test(1);
  if (!second) return;
  auto kernels = {test_kernel(*first, "fill"), test_kernel(*second, "fill")};
  auto a = first->allocate(80000);
  auto b = second->allocate(80000);
  for (std::uint64_t value = 0; value < 50; ++value) {
    fill(*first, **kernels.begin(), *a, value);
    fill(*second, **(kernels.begin() + 1), *b, value + 1);
  }
  CHECK(read_words(*first, *a) == words(10000, 49));
  CHECK(read_words(*second, *b) == words(10000, 50));
  check_threads(*second);
  for (int i = 0; i < 5; ++i) {
    const auto again = cuda_device_to_test(i % 2);
    check_copies(*again);
    fill(*first, **kernels.begin(), *a, 3);
  }
  CHECK(read_words(*first, *a) == words(10000, 3));
}

TEST_CASE("a kernel that fails is named later", "[.crash]") {
  const auto gpu = cuda_device_to_test();
  if (!gpu) return;
  auto good = test_kernel(*gpu, "fill");
  auto wild = test_kernel(*gpu, "wild");
  auto block = gpu->allocate(800);
  fill(*gpu, *good, *block, 1);
  const std::uint64_t slots[] = {64};
  gpu->launch(*wild, {1, 1, "wild_kernel", "main.cpp:42"}, slots);
  try {
    gpu->synchronize();
  } catch (const device_error& error) {
    std::printf("REPORT %s\n", error.what());
  }
  CHECK_THROWS_AS(read_words(*gpu, *block), device_error);
  CHECK_THROWS_AS(gpu->allocate(std::size_t{1} << 40), device_error);
}

TEST_CASE("a failure names the driver's words and the kernels") {
  if (!cuda_device_to_test()) return;
  const std::string text = output_of("a kernel that fails is named later");
  INFO(text);
  CHECK(text.find("REPORT CUDA failed while waiting") != std::string::npos);
  CHECK(text.find("illegal memory access") != std::string::npos);
  CHECK(text.find("wild_kernel, from main.cpp:42 (1 blocks of 1); fill, from a test") !=
        std::string::npos);
  CHECK(text.find("All tests passed") != std::string::npos);
}

TEST_CASE("what allocation and launch cost on a GPU", "[.benchmark]") {
  const auto gpu = cuda_device_to_test();
  if (!gpu) return;
  auto kernel = test_kernel(*gpu, "fill");
  auto block = gpu->allocate(4096);
  const auto time = [&](const char* what, auto&& body) {
    constexpr int rounds = 200;  // more would wait for the GPU
    double best = 1e9;
    for (int repeat = 0; repeat < 50; ++repeat) {
      gpu->synchronize();
      const auto start = std::chrono::steady_clock::now();
      for (int i = 0; i < rounds; ++i) body();
      const std::chrono::duration<double, std::nano> taken =
          std::chrono::steady_clock::now() - start;
      best = std::min(best, taken.count() / rounds);
    }
    WARN(what << ": " << best << " ns");
  };
  std::uint64_t slots[20] = {address_of(*block), 100, 1};
  time("current_stream", [&] { static_cast<void>(gpu->current_stream()); });
  time("allocate and free", [&] { gpu->allocate(4096); });
  time("launch", [&] { gpu->launch(*kernel, {1, 128, "fill", "main.cpp:17"}, {slots, 3}); });
  time("allocate, launch, free", [&] {
    auto out = gpu->allocate(4096);
    slots[0] = address_of(*out);
    gpu->launch(*kernel, {1, 128, "fill", "main.cpp:17"}, {slots, 3});
  });
  time("launch and synchronize", [&] {
    gpu->launch(*kernel, {1, 128, "fill", "main.cpp:17"}, {slots, 3});
    gpu->synchronize();
  });
  std::vector<char> host(4096);
  time("copy 4 KiB to the device", [&] { gpu->copy_from_host(*block, 0, host.data(), 4096); });
  time("copy 4 KiB to the host", [&] { gpu->copy_to_host(host.data(), *block, 0, 4096); });
}

TEST_CASE("how fast copies are", "[.benchmark]") {
  const auto gpu = cuda_device_to_test();
  if (!gpu) return;
  for (const std::size_t bytes : {std::size_t{64} << 10, std::size_t{1} << 20, std::size_t{8} << 20,
                                  std::size_t{64} << 20, std::size_t{1} << 30}) {
    std::vector<char> host(bytes, 1);
    auto block = gpu->allocate(bytes);
    double up = 1e9;
    double down = 1e9;
    for (int repeat = 0; repeat < 8; ++repeat) {
      const auto start = std::chrono::steady_clock::now();
      gpu->copy_from_host(*block, 0, host.data(), bytes);
      gpu->synchronize();
      const auto middle = std::chrono::steady_clock::now();
      gpu->copy_to_host(host.data(), *block, 0, bytes);
      const auto end = std::chrono::steady_clock::now();
      up = std::min(up, std::chrono::duration<double>(middle - start).count());
      down = std::min(down, std::chrono::duration<double>(end - middle).count());
    }
    WARN(bytes << " bytes: up " << static_cast<double>(bytes) / up / 1e9 << " GB/s, down "
               << static_cast<double>(bytes) / down / 1e9 << " GB/s");
  }
}

}  // namespace cuda_device_test
