#pragma once
// Kernels that run on the host with scripted durations, and sessions that tune them.

#include <functional>
#include <map>
#include <stdexcept>

#include <dlfcn.h>

#include "engine/evaluation/run_plan.hpp"
#include "engine/evaluation/tuner.hpp"
#include "ir/interpreter.hpp"
#include "ir/passes/neighbours.hpp"
#include "tests/catch.hpp"
#include "tests/fake_cuda/driver.hpp"
#include "tests/support/tuned_programs.hpp"
#include "tests/unit/runtime/cache_folder.hpp"

namespace sinter::tests {

using detail::tuning_limits;

template <class F> F* driver_function(const char* name) {
  static void* const library = dlopen(SINTER_FAKE_CUDA, RTLD_NOW | RTLD_GLOBAL);
  REQUIRE(library);
  return reinterpret_cast<F*>(dlsym(library, name));
}

// ---- kernels that report how long they took

inline constexpr int most_kernels = 24;

struct made_kernel {
  ir::kernel kernel;
  std::atomic<int> launches{0};
};
struct script_of_kernels {
  std::mutex mutex;
  std::map<std::string, int> numbers;  // by key
  made_kernel kernels[most_kernels];
  std::function<double(const ir::schedule&)> seconds;
};
inline script_of_kernels& script() {
  static script_of_kernels s;
  return s;
}

template <int N> void run_kernel(const std::uint64_t* slots, unsigned blocks) {
  made_kernel& k = script().kernels[N];
  ++k.launches;
  ir::run_kernel(k.kernel, slots, 0, blocks);
  static const auto take = driver_function<decltype(fake_cuda_take)>("fake_cuda_take");
  take(script().seconds(k.kernel.schedule));
}

template <int... N> fake_kernel* entry(int number, std::integer_sequence<int, N...>) {
  static constexpr fake_kernel* entries[] = {&run_kernel<N>...};
  return entries[number];
}
inline fake_kernel* entry(int number) {
  return entry(number, std::make_integer_sequence<int, most_kernels>());
}

/// Its images are the kernels above.
class script_compiler final : public codegen::compiler {
 public:
  std::function<bool(const ir::schedule&)> fails = [](const ir::schedule&) { return false; };
  mutable std::atomic<int> compiled{0};

  std::string fingerprint() const override { return "a script"; }
  codegen::compiled compile(const ir::kernel& k, codegen::stage_request) const override {
    if (fails(k.schedule)) throw codegen::compile_error("no");
    ++compiled;
    const int number = number_of(k);
    const std::uint64_t image[] = {reinterpret_cast<std::uint64_t>(entry(number)),
                                   ir::slots_of(k).size()};
    const auto bytes = std::as_bytes(std::span(image));
    return {"kernel", {bytes.begin(), bytes.end()}, {}};
  }
  static int number_of(const ir::kernel& k) {
    script_of_kernels& s = script();
    const std::scoped_lock lock(s.mutex);
    const auto [at, fresh] = s.numbers.try_emplace(ir::key_of(k), s.numbers.size());
    // Also called from the tuner's thread, where Catch assertions are not allowed.
    if (at->second >= most_kernels) throw std::logic_error("more kernels than there are scripts");
    if (fresh) s.kernels[at->second].kernel = k;
    return at->second;
  }
};

inline int launches_of(const ir::kernel& k) {
  return script().kernels[script_compiler::number_of(k)].launches;
}

/// Opens the fake driver first, so that the loader takes it for the real one.
inline detail::target& fake_gpu() {
  driver_function<decltype(fake_cuda_counts)>("fake_cuda_counts");
  return detail::the_session().target_of(device("cuda"), location::current());
}

/// A program on the fake device.
struct scene {
  detail::target& gpu = fake_gpu();
  array<float> x;
  planned_program program;
  std::vector<float> expected;

  explicit scene(std::int64_t n = 5000)
      : x(numbers(n)), program({"", array<float>(x * x + 1.0f)}, detail::nominal_machine()) {
    script_of_kernels& s = script();
    for (made_kernel& k : s.kernels) k.launches = 0;
    s.seconds = [](const ir::schedule&) { return 100e-6; };
    for (std::int64_t i = 0; i < n; ++i) {
      expected.push_back(static_cast<float>((i % 64) * (i % 64) + 1));
    }
  }
  const ir::kernel& kernel() const { return program.plan.kernels.at(0); }
  ir::kernel with(std::string_view name) const {
    ir::kernel k = kernel();
    for (const ir::neighbour& n : ir::neighbours(k)) {
      if (n.name == name) {
        k.schedule = n.schedule;
        return k;
      }
    }
    FAIL("no neighbour " << name);
    return k;
  }
  /// Sets the seconds of one neighbour, and of all others.
  void takes(std::string_view name, double seconds, double others) {
    script().seconds = [fast = with(name).schedule, seconds, others](const ir::schedule& s) {
      return s == fast ? seconds : others;
    };
  }

 private:
  static array<float> numbers(std::int64_t n) {
    const auto scope = use("cuda");
    std::vector<float> values;
    for (std::int64_t i = 0; i < n; ++i) values.push_back(static_cast<float>(i % 64));
    return asarray(values);
  }
};

inline constexpr tuning_limits quick = {.hot = 5, .probes = 2, .rounds = 3};

/// A session: the state of one process.
struct process {
  const scene& of;
  runtime::kernel_cache disk;
  std::shared_ptr<script_compiler> compiler = std::make_shared<script_compiler>();
  detail::dump_settings dumps;
  detail::kernel_store store;
  detail::tuner tuning;
  detail::status_words statuses;
  detail::once said;
  detail::run_room room;
  std::shared_ptr<detail::ready_plan> plan;
  detail::background later;  // destroyed first

  process(const scene& s, const cache_folder& folder, tuning_limits limits = quick)
      : of(s),
        disk(folder.options()),
        store(*s.gpu.device, compiler, disk, dumps),
        tuning(disk, later, limits) {
    tuning.enable(true);
    renew();
  }
  /// Makes the plan anew.
  void renew() {
    std::vector<std::int64_t> values;
    const auto made = std::make_shared<const detail::planned>(of.program.plan, ir::recipe{},
                                                              store.get(of.program.plan.kernels));
    plan = detail::size_plan(made, {}, values);
  }

  /// Runs the plan as evaluate does.
  void run(int times, bool may_try = true) {
    for (int i = 0; i < times; ++i) {
      std::unique_ptr<detail::timed_launch> timed;
      if (plan->runs >= plan->look) timed = tuning.next(*plan, *of.gpu.device, store, may_try);
      detail::run_plan(*plan, of.program.snap, *of.gpu.device, statuses, said, room, timed.get());
      if (timed) tuning.done(std::move(timed), *of.gpu.device);
      ++plan->runs;
      std::vector<float> got(of.expected.size());
      of.gpu.device->copy_to_host(got.data(), *room.results.at(0), 0, got.size() * sizeof(float));
      REQUIRE((got == of.expected));
    }
  }
  /// Runs until every kernel is settled.
  void settle() {
    for (int i = 0; i < 40; ++i) {
      run(8);
      later.wait();
    }
    REQUIRE(plan->look > 1'000'000);
  }
  std::string text() const {
    return plan->tuning.empty() || !plan->tuning[0] ? "" : text_of(*plan->tuning[0]);
  }
  /// Does a run launch this kernel now?
  bool runs(const ir::kernel& k) {
    const int before = launches_of(k);
    run(3);
    return launches_of(k) == before + 3;
  }
  std::int64_t variants() const { return store.statistics().variants; }
};

}  // namespace sinter::tests
