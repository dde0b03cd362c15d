// NVRTC compiles every text of the other tests, which needs no GPU.

#include <algorithm>
#include <atomic>
#include <mutex>
#include <set>
#include <thread>

#include <time.h>

#include "codegen/cuda_text/emit.hpp"
#include "tests/catch.hpp"
#include "tests/unit/cuda_text/indices_cases.hpp"
#include "tests/unit/cuda_text/long_rows_cases.hpp"
#include "tests/unit/cuda_text/loops_cases.hpp"
#include "tests/unit/cuda_text/maps_cases.hpp"
#include "tests/unit/cuda_text/module.hpp"
#include "tests/unit/cuda_text/ops_cases.hpp"
#include "tests/unit/cuda_text/reductions_cases.hpp"
#include "tests/unit/cuda_text/scans_cases.hpp"

namespace nvrtc_test {

using namespace sinter;
using namespace sinter::tests;

namespace {

/// One kernel per distinct text.
std::vector<ir::kernel> distinct_kernels() {
  std::vector<ir::kernel> kernels;
  std::set<std::string> seen;
  for (auto* make : {flat_maps,       vectors_of_types, rows_in_turns,
                     layouts_of_maps, tiles,
                     rows_anywhere,   over_ends,   sums_of_rows,
                     sums_of_columns, reductions_of_types,
                     chunks,          many_axes,
                     phases,          resident_rows, elastic_rows, led_rows, staged_rows, quotients,
                     clusters,        cluster_values,
                     scans_of_rows,   scans_of_columns,
                     scans_of_types,  chained_scans,
                     stages_of_scans, packed_stores,
                     element_numbers,
                     scatters,        picked_rows,  combinations, held_places,
                     unravelled,      random_numbers,
                     every_op,        internal_ops, divisions_by_scalars,
                     casts,           bitcasts,
                     constants,       scalars,
                     loops}) {
    for (const trial& t : make()) {
      if (seen.insert(codegen::emit_cuda(t.k)).second) kernels.push_back(t.k);
    }
  }
  return kernels;
}

/// The calling thread's CPU time; other load on the machine does not count.
double cpu_milliseconds() {
  timespec t;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
  return static_cast<double>(t.tv_sec) * 1e3 + static_cast<double>(t.tv_nsec) * 1e-6;
}

struct results {
  std::mutex mutex;
  std::vector<double> milliseconds;
  std::vector<std::string> errors;
};

void compile_one(const codegen::compiler& compiler, const ir::kernel& k, results& r) {
  const double start = cpu_milliseconds();
  std::string error;
  try {
    const codegen::compiled c = compiler.compile(k, {});
    if (c.entry != "kernel" || c.image.empty()) error = "no image";
  } catch (const codegen::compile_error& e) {
    error = e.what();
  }
  const double end = cpu_milliseconds();
  const std::lock_guard lock(r.mutex);
  r.milliseconds.push_back(end - start);
  if (!error.empty()) r.errors.push_back(error);
}

}  // namespace

TEST_CASE("every emitted text compiles for sm_90", "[cuda_text]") {
  const cuda_module cuda = open_cuda(false);
  if (!cuda.compiler) {
    WARN("left out: " << cuda.problem);
    return;
  }
  const std::vector<ir::kernel> kernels = distinct_kernels();
  std::atomic<std::size_t> next = 0;
  results r;
  std::vector<std::thread> threads;
  for (unsigned i = 0; i < std::clamp(std::thread::hardware_concurrency(), 1u, 8u); ++i) {
    threads.emplace_back([&] {
      for (std::size_t at = next++; at < kernels.size(); at = next++) {
        compile_one(*cuda.compiler, kernels[at], r);
      }
    });
  }
  for (std::thread& t : threads) t.join();
  for (const std::string& e : r.errors) UNSCOPED_INFO(e);
  CHECK(r.errors.empty());
  std::sort(r.milliseconds.begin(), r.milliseconds.end());
  WARN(kernels.size() << " kernels, median compile time "
                      << r.milliseconds[r.milliseconds.size() / 2] << " ms of a processor");
}

TEST_CASE("stages and fingerprint of the NVRTC compiler", "[cuda_text]") {
  const cuda_module cuda = open_cuda(false);
  if (!cuda.compiler) {
    WARN("left out: " << cuda.problem);
    return;
  }
  const ir::kernel k = flat_maps().front().k;
  const codegen::compiled c = cuda.compiler->compile(k, {.source = true, .assembly = true});
  REQUIRE(c.stages.size() == 2);
  CHECK(c.stages[0] == std::pair<std::string, std::string>("cuda", codegen::emit_cuda(k)));
  CHECK(c.stages[1].first == "ptx");
  CHECK(c.stages[1].second.find(".entry kernel") != std::string::npos);
  CHECK(c.stages[1].second.find('\0') == std::string::npos);
  CHECK(c.own_seconds > 0);
  CHECK(cuda.compiler->fingerprint().find("sm_90") != std::string::npos);
  CHECK(cuda.compiler->fingerprint().find("--fmad=false") != std::string::npos);
}

TEST_CASE("machine code reads and writes whole vectors, and keeps values in registers",
          "[cuda_text]") {
  const cuda_module cuda = open_cuda(false);
  if (!cuda.compiler) {
    WARN("left out: " << cuda.problem);
    return;
  }
  for (dtype t : {dtype::float32, dtype::float64, dtype::uint8, dtype::float16, dtype::complex64}) {
    const int vector = static_cast<int>(16 / size_of(t));
    const trial copied = copy(std::string(name(t)), t, {1000}, vector, 1, {one}, {one});
    const auto stages = cuda.compiler->compile(copied.k, {.machine = true}).stages;
    if (stages.empty()) {
      WARN("left out: there is no nvdisasm");
      return;
    }
    INFO(copied.name);
    CHECK(stages[0].second.find("LDG.E.128") != std::string::npos);
    CHECK(stages[0].second.find("STG.E.128") != std::string::npos);
    CHECK(stages[0].second.find("LDL") == std::string::npos);
  }
}

}  // namespace nvrtc_test
