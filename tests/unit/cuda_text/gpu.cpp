// The same trials on a GPU, where there is one.

#include "tests/catch.hpp"
#include "tests/unit/cuda_text/compare.hpp"
#include "tests/unit/cuda_text/indices_cases.hpp"
#include "tests/unit/cuda_text/long_rows_cases.hpp"
#include "tests/unit/cuda_text/loops_cases.hpp"
#include "tests/unit/cuda_text/maps_cases.hpp"
#include "tests/unit/cuda_text/module.hpp"
#include "tests/unit/cuda_text/ops_cases.hpp"
#include "tests/unit/cuda_text/reductions_cases.hpp"
#include "tests/unit/cuda_text/scans_cases.hpp"

namespace gpu_test {

using namespace sinter;
using namespace sinter::tests;

namespace {

class gpu_run {
 public:
  gpu_run(const cuda_module& cuda, const trial& t) : cuda_(cuda), trial_(t) {}

  /// A line if the GPU computes something else than the interpreter.
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
  for (auto* make : {flat_maps,       vectors_of_types, rows_in_turns,
                     layouts_of_maps, tiles,
                     rows_anywhere,   over_ends,   chosen_rows,       sums_of_rows,
                     sums_of_columns, reductions_of_types,
                     chunks,          many_axes,
                     phases,          resident_rows, elastic_rows, led_rows, staged_rows, quotients,
                     scans_of_rows,   scans_of_columns,
                     scans_of_types,  chained_scans,
                     stages_of_scans, parts_of_scans, packed_stores,
                     element_numbers,
                     scatters,        combinations, held_places,
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

}  // namespace gpu_test
