// What a statement costs the host: recording ten operations, evaluating them when they are in the
// plan cache, and, to compare, launching the very kernel through the runtime alone.
//
// SINTER_DEVICE chooses the device; --benchmark_out=FILE --benchmark_out_format=json keeps the
// numbers.

#include <benchmark/benchmark.h>

#include <sinter/sinter.hpp>

#include "bench/support/kernels.hpp"

namespace sn = sinter;
using floats = sn::array<float>;

namespace {

/// So small that the kernel's own time does not show.
constexpr std::int64_t length = 1024;

/// Launches between two waits for the device, so that its queue never fills up.
constexpr benchmark::IterationCount batch = 64;

floats numbers(std::uint64_t seed) {
  floats x = sn::random::uniform<float>(length, {.seed = seed});
  sn::eval(x);
  return x;
}

floats ten_ops(const floats& x, const floats& y) {
  return sn::abs((x * 2 + y * 3 - x * y + 1) / (x * x + 2));
}

void wait(benchmark::State& state) {
  state.PauseTiming();
  sn::synchronize();
  state.ResumeTiming();
}

void record(benchmark::State& state) {
  const floats x = numbers(1), y = numbers(2);
  for (auto _ : state) {
    const floats z = ten_ops(x, y);
    benchmark::DoNotOptimize(z.get());
  }
}
BENCHMARK(record);

void record_and_evaluate(benchmark::State& state) {
  const floats x = numbers(1), y = numbers(2);
  sn::eval(ten_ops(x, y));
  while (state.KeepRunningBatch(batch)) {
    for (benchmark::IterationCount i = 0; i < batch; ++i) sn::eval(ten_ops(x, y));
    wait(state);
  }
}
BENCHMARK(record_and_evaluate);

void bare_launch(benchmark::State& state) {
  const floats x = numbers(1), y = numbers(2), z = ten_ops(x, y);
  const auto launch = bench::launch_of(z, {x, y, z});
  while (state.KeepRunningBatch(batch)) {
    for (benchmark::IterationCount i = 0; i < batch; ++i) launch();
    wait(state);
  }
}
BENCHMARK(bare_launch);

}  // namespace

BENCHMARK_MAIN();
