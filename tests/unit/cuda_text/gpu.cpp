// The same trials on a GPU, if there is one.

#include "tests/catch.hpp"
#include "tests/unit/cuda_text/compare.hpp"
#include "tests/unit/cuda_text/indices_cases.hpp"
#include "tests/unit/cuda_text/long_rows_cases.hpp"
#include "tests/unit/cuda_text/loops_cases.hpp"
#include "tests/unit/cuda_text/maps_cases.hpp"
#include "tests/unit/cuda_text/module.hpp"
#include "tests/unit/cuda_text/ops_cases.hpp"
#include "tests/unit/cuda_text/reductions_cases.hpp"
#include "tests/unit/cuda_text/rounds_cases.hpp"
#include "tests/unit/cuda_text/scans_cases.hpp"

namespace gpu_test {

using namespace sinter;
using namespace sinter::tests;

namespace {

class gpu_run {
 public:
  gpu_run(const cuda_module& cuda, const trial& t) : cuda_(cuda), trial_(t) {}

  /// A message if the GPU's result differs from the interpreter's.
  std::string failure() const {
    const prepared data(trial_);
    const auto expected = data.memory_after([&](const std::uint64_t* slots, std::int64_t blocks) {
      ir::run_kernel(trial_.k, slots, 0, blocks);
    });
    const std::string line = difference(trial_, expected, memory_after(data));
    return line.empty() ? line : line + "\n" + codegen::emit_cuda(trial_.k);
  }

 private:
  std::vector<region> memory_after(const prepared& data) const {
    runtime::device& device = *cuda_.device;
    std::vector<region> memory(data.regions());
    std::vector<std::shared_ptr<runtime::buffer>> buffers;
    std::vector<std::byte*> places;
    for (const region& r : memory) {
      buffers.push_back(device.allocate(r.size()));
      device.copy_from_host(*buffers.back(), 0, r.data(), r.size());
      places.push_back(static_cast<std::byte*>(buffers.back()->data()));
    }
    const std::vector<std::uint64_t> slots = data.slots(places);
    const codegen::compiled c = cuda_.compiler->compile(trial_.k, {});
    const auto kernel = device.load(c.image, c.entry);
    device.launch(
        *kernel,
        {.blocks = ir::block_count(trial_.k, slots.data()),
         .threads = ir::thread_count(trial_.k, slots.data())},
        slots);
    for (std::size_t i = 0; i < memory.size(); ++i) {
      device.copy_to_host(memory[i].data(), *buffers[i], 0, memory[i].size());
    }
    return memory;
  }

  const cuda_module& cuda_;
  const trial& trial_;
};

}  // namespace

TEST_CASE("a GPU computes what the interpreter does", "[cuda_text]") {
  const cuda_module cuda = open_cuda(true);
  if (!cuda.compiler) {
    WARN("left out: " << cuda.problem);
    return;
  }
  std::vector<std::string> lines;
  for (auto* make : {flat_maps,       vectors_of_types, rows_in_turns, brought_rows,
                     layouts_of_maps, tiles,
                     rows_anywhere,   over_ends,   chosen_rows,       sums_of_rows,
                     sums_of_columns, reductions_of_types, merged_lanes,
                     chunks,          many_axes,
                     phases,          resident_rows, elastic_rows, led_rows, staged_rows, quotients,
                     scans_of_rows,   scans_of_columns,
                     scans_of_types,  chained_scans,
                     stages_of_scans, parts_of_scans, packed_stores,
                     element_numbers,
                     scatters,        picked_rows,  combinations, held_places,
                     unravelled,      random_numbers,
                     exact_ops,       internal_ops, divisions_by_scalars, quotients_by_scalars,
                     quick_forms,     quick_walks,
                     casts,           bitcasts,
                     constants,       scalars,
                     loops}) {
    for (const trial& t : make()) {
      const std::string line = gpu_run(cuda, t).failure();
      if (!line.empty()) lines.push_back(line);
    }
  }
  for (const std::string& line : lines) UNSCOPED_INFO(line);
  CHECK(lines.empty());
}

TEST_CASE("a GPU does rounds as their kernels one by one", "[cuda_text]") {
  const cuda_module cuda = open_cuda(true);
  if (!cuda.compiler) {
    WARN("left out: " << cuda.problem);
    return;
  }
  runtime::device& device = *cuda.device;
  for (const int blocks : {1, device.properties().cluster}) {
    const rounds_trial t(blocks);
    const codegen::compiled c = cuda.compiler->compile(t.k, {});
    const auto kernel = device.load(c.image, c.entry);
    for (const float limit : {0.0f, 1e9f}) {
      const auto bits = std::bit_cast<std::uint32_t>(limit);
      std::uint32_t wanted = 99, told = 98;
      const auto expected = t.run(bits, wanted, [&](const std::uint64_t* slots) {
        ir::run_kernel(t.k, slots, 0, t.k.schedule.cluster);
      });
      plan_bytes got = buffers_of(t.p);
      std::vector<std::shared_ptr<runtime::buffer>> buffers;
      std::vector<std::byte*> places;
      for (const auto& b : got) {
        buffers.push_back(device.allocate(b.size()));
        device.copy_from_host(*buffers.back(), 0, b.data(), b.size());
        places.push_back(static_cast<std::byte*>(buffers.back()->data()));
      }
      const auto word = device.allocate(sizeof told);
      const auto slots = t.slots(places, bits, word->data());
      device.launch(*kernel,
                    {.blocks = t.k.schedule.cluster, .threads = t.k.schedule.threads}, slots);
      device.copy_to_host(&told, *word, 0, sizeof told);
      for (std::size_t i = 0; i < got.size(); ++i) {
        device.copy_to_host(got[i].data(), *buffers[i], 0, got[i].size());
      }
      INFO(blocks << " blocks\n" << codegen::emit_cuda(t.k));
      CHECK(told == wanted);
      CHECK((got == expected));
    }
  }
}

}  // namespace gpu_test
