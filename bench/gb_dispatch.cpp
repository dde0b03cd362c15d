// The host overhead of a statement: recording ten or fifty operations, evaluating them from the
// plan cache, replaying them, and for comparison launching the same kernel directly through the
// runtime. And the end-to-end cost of a kernel in a loop of small ones.
//
// SINTER_DEVICE selects the device; --benchmark_out=FILE --benchmark_out_format=json writes the
// numbers to a file.

#include <benchmark/benchmark.h>

#include <sinter/sinter.hpp>

#include "bench/support/kernels.hpp"

namespace sn = sinter;
using floats = sn::array<float>;

namespace {

/// Launches between two waits for the device, so that its queue never fills.
constexpr benchmark::IterationCount batch = 64;

floats numbers(std::uint64_t seed, std::int64_t length = 1024) {
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

floats fifty_ops(const floats& x, const floats& y) {
  const auto a = sn::abs((x * 2 + y * 3 - x * y + 1) / (x * x + 2)) + sn::maximum(x, y) * 0.5f;
  const auto b = sn::sqrt(sn::abs(a * y - x) + 1) * (y + 2) - sn::minimum(a, x * y);
  return sn::abs(b * b + a * 3 - y / (x * x + 1)) + sn::sqrt(sn::abs(b) + 2) * (a - 1);
}

void record(benchmark::State& state) {
  const floats x = numbers(1), y = numbers(2);
  for (auto _ : state) {
    const floats z = ten_ops(x, y);
    benchmark::DoNotOptimize(z.get());
  }
}
BENCHMARK(record);

template <class Work> void time_batches(benchmark::State& state, Work work) {
  work();
  while (state.KeepRunningBatch(batch)) {
    for (benchmark::IterationCount i = 0; i < batch; ++i) work();
    wait(state);
  }
}

// The argument is the arrays' length.
void record_and_evaluate(benchmark::State& state) {
  const floats x = numbers(1, state.range(0)), y = numbers(2, state.range(0));
  time_batches(state, [&] { sn::eval(ten_ops(x, y)); });
}
BENCHMARK(record_and_evaluate)->Arg(16)->Arg(10000);

void record_and_evaluate_fifty_ops(benchmark::State& state) {
  const floats x = numbers(1, state.range(0)), y = numbers(2, state.range(0));
  time_batches(state, [&] { sn::eval(fifty_ops(x, y)); });
}
BENCHMARK(record_and_evaluate_fifty_ops)->Arg(16)->Arg(10000);

void fused(benchmark::State& state) {
  const floats x = numbers(1, state.range(0)), y = numbers(2, state.range(0));
  const auto f = sn::fuse([](floats a, floats b) { return ten_ops(a, b); });
  time_batches(state, [&] { benchmark::DoNotOptimize(f(x, y).get()); });
}
BENCHMARK(fused)->Arg(16)->Arg(10000);

void bare_launch(benchmark::State& state) {
  const floats x = numbers(1, state.range(0)), y = numbers(2, state.range(0)), z = ten_ops(x, y);
  const auto launch = bench::launch_of(z, {x, y, z});
  time_batches(state, launch);
}
BENCHMARK(bare_launch)->Arg(16)->Arg(10000);

void bare_launch_fifty_ops(benchmark::State& state) {
  const floats x = numbers(1, state.range(0)), y = numbers(2, state.range(0)), z = fifty_ops(x, y);
  const auto launch = bench::launch_of(z, {x, y, z});
  time_batches(state, launch);
}
BENCHMARK(bare_launch_fifty_ops)->Arg(16)->Arg(10000);

/// A new length in every call, out of a thousand: the cost of a call that only fits a plan's sizes.
void thousand_lengths(benchmark::State& state) {
  std::vector<floats> xs;
  for (std::int64_t n = 1000; n < 2000; ++n) xs.push_back(numbers(1, n));
  std::size_t i = 0;
  time_batches(state, [&] {
    sn::eval(ten_ops(xs[i], xs[i]));
    i = (i + 1) % xs.size();
  });
}
BENCHMARK(thousand_lengths);

/// A sweep of a three-point stencil in each direction, recorded in a loop that never reads; the
/// time is per kernel, end to end.
void sweeps(benchmark::State& state) {
  using sn::slice;
  sn::array<double> a = sn::random::uniform<double>(state.range(0), {.seed = 1}), b = a * 1;
  sn::eval(a, b);
  const auto sweep = [](sn::array<double>& to, const sn::array<double>& of) {
    to(slice(1, -1)) = 0.33333 * (of(slice(0, -2)) + of(slice(1, -1)) + of(slice(2, slice::unset)));
  };
  for (auto _ : state) {
    for (int i = 0; i < 500; ++i) {
      sweep(b, a);
      sweep(a, b);
    }
    sn::eval(a, b);
    sn::synchronize();
  }
  state.counters["per_kernel"] = benchmark::Counter(
      1000.0, benchmark::Counter::kIsIterationInvariantRate | benchmark::Counter::kInvert);
}
BENCHMARK(sweeps)->Arg(300)->Arg(32000)->UseRealTime();

using doubles = sn::array<double>;

/// The same with sn::fuse: ten kernels per call.
void fused_sweeps(benchmark::State& state) {
  using sn::slice;
  doubles a = sn::random::uniform<double>(state.range(0), {.seed = 1}), b = a * 1;
  sn::eval(a, b);
  const auto steps = sn::fuse([](doubles p, doubles q) {
    for (int i = 0; i < 5; ++i) {
      q(slice(1, -1)) = 0.33333 * (p(slice(0, -2)) + p(slice(1, -1)) + p(slice(2, slice::unset)));
      p(slice(1, -1)) = 0.33333 * (q(slice(0, -2)) + q(slice(1, -1)) + q(slice(2, slice::unset)));
    }
    return std::tuple(p, q);
  });
  for (auto _ : state) {
    for (int i = 0; i < 100; ++i) std::tie(a, b) = steps(std::move(a), std::move(b));
    sn::synchronize();
  }
  state.counters["per_kernel"] = benchmark::Counter(
      1000.0, benchmark::Counter::kIsIterationInvariantRate | benchmark::Counter::kInvert);
}
BENCHMARK(fused_sweeps)->Arg(300)->Arg(32000)->UseRealTime();

/// Each iteration times this many rounds, end to end.
constexpr int rounds = 1000;
template <class Loop> void time_rounds(benchmark::State& state, Loop loop) {
  loop();  // compiles, for at least as long as one measurement
  for (auto _ : state) {
    loop();
    sn::synchronize();
  }
  state.counters["per_round"] = benchmark::Counter(
      rounds, benchmark::Counter::kIsIterationInvariantRate | benchmark::Counter::kInvert);
}

/// Rounds of a traced loop that is not elementwise: one kernel each.
void rounds_of_fori_loop(benchmark::State& state) {
  const doubles x = sn::random::uniform<double>(state.range(0), {.seed = 1});
  time_rounds(state, [&] {
    const auto step = [](auto, doubles y) { return doubles(y * 0.9 + sn::mean(y) * 0.1); };
    sn::eval(sn::fori_loop(0, rounds, step, x));
  });
}
BENCHMARK(rounds_of_fori_loop)->Arg(100)->UseRealTime();

/// The same with a condition that is read in every round.
void rounds_of_while_loop(benchmark::State& state) {
  using integers = sn::array<std::int64_t>;
  const doubles x = sn::random::uniform<double>(state.range(0), {.seed = 1});
  time_rounds(state, [&] {
    const auto [y, k] = sn::while_loop(
        [](doubles y, integers k) { return sn::sum(y) > 0.0 && k < rounds; },
        [](doubles y, integers k) {
          return std::tuple(doubles(y * 0.9 + sn::mean(y) * 0.1), integers(k + 1));
        },
        std::tuple(x, integers(std::int64_t{0})));
    sn::eval(y);
  });
}
BENCHMARK(rounds_of_while_loop)->Arg(100)->UseRealTime();

/// One product of two small matrices per round, emitted by a scan.
void rounds_of_scan(benchmark::State& state) {
  const std::int64_t n = state.range(0);
  const doubles m = sn::random::uniform<double>({n, n}, {.seed = 1}) / static_cast<double>(n);
  const doubles x = sn::random::uniform<double>({n, n}, {.seed = 2});
  sn::eval(m, x);
  time_rounds(state, [&] {
    const auto [last, all] = sn::scan(
        [&](doubles y, std::tuple<>) {
          const doubles next = sn::matmul(m, y) + 0.1;
          return std::pair(next, next);
        },
        x, std::tuple<>(), {.length = rounds});
    sn::eval(last, all);
  });
}
BENCHMARK(rounds_of_scan)->Arg(4)->UseRealTime();

/// Two sums per iteration that the host reads before it continues, as in conjugate gradients.
void sums_that_are_read(benchmark::State& state) {
  const floats x = numbers(1, state.range(0));
  float scale = 0.5f;
  for (auto _ : state) {
    const floats y = x * scale, z = y + 1.0f;
    const float a = sn::sum(y * z).item(), b = sn::sum(z * z).item();
    scale = 0.5f + a / (b * 1e3f);
  }
}
BENCHMARK(sums_that_are_read)->Arg(1000)->UseRealTime();

/// A step of gradient descent on the parameters of a small network: eight arrays of eight lengths,
/// evaluated together.
void descent(benchmark::State& state) {
  std::vector<floats> w, g;
  for (std::int64_t layer = 0; layer < 8; ++layer) {
    w.push_back(numbers(1, 1000 * (layer + 1)));
    g.push_back(numbers(2, 1000 * (layer + 1)));
  }
  time_batches(state, [&] {
    for (std::size_t i = 0; i < w.size(); ++i) w[i] -= 0.001f * g[i];
    sn::eval(w[0], w[1], w[2], w[3], w[4], w[5], w[6], w[7]);
  });
}
BENCHMARK(descent);

}  // namespace

BENCHMARK_MAIN();
