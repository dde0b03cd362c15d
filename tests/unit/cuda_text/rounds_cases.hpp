#pragma once
// Rounds of rows, columns and maps, for the host and for a GPU.

#include <algorithm>
#include <functional>
#include <vector>

#include "ir/interpreter.hpp"
#include "ir/kernel_rounds.hpp"
#include "ir/passes/pipeline.hpp"
#include "ir/text.hpp"
#include "tests/catch.hpp"
#include "tests/support/plan_slots.hpp"

namespace sinter::tests {

/// A round: rows divided by their norm and shifted by a column's result, sums of neighbours, rows
/// of squares divided by their sums, and a test.
inline constexpr const char* text_of_round = R"(%0 = source float32 [5, 2000]
%1 = map float32 [5, 2000] (%0) { v1 = multiply float32 v0 v0 }
%2 = reduce float32 [5] (%1) add over [1]
%3 = view float32 [5, 2000] (%2) strides [1, 0]
%4 = map float32 [5, 2000] (%0, %3) { v2 = sqrt float32 v1; v3 = divide float32 v0 v2 }
%5 = reduce float32 [2000] (%4) maximum over [0]
%6 = view float32 [5, 2000] (%5) strides [0, 1]
%7 = map float32 [5, 2000] (%4, %6) { v2 = subtract float32 v0 v1; v3 = abs float32 v2 }
%8 = reduce float32 [] (%7) add over [0, 1]
%9 = scalar float32 [] 5
%10 = map bool [] (%8, %9) { v2 = less float32 v1 v0 }
%11 = view float32 [5, 1998] (%0) offset 1 strides [2000, 1]
%12 = view float32 [5, 1998] (%0) offset 2 strides [2000, 1]
%13 = map float32 [5, 1998] (%11, %12) { v2 = add float32 v0 v1 }
%14 = reduce float32 [5] (%0) maximum over [1]
%15 = view float32 [5, 2000] (%14) strides [1, 0]
%16 = map float32 [5, 2000] (%0, %15) { v2 = subtract float32 v0 v1; v3 = multiply float32 v2 v2 }
%17 = reduce float32 [5] (%16) add over [1]
%18 = view float32 [5, 2000] (%17) strides [1, 0]
%19 = map float32 [5, 2000] (%16, %18) { v2 = divide float32 v0 v1 }
return %7, %10, %13, %19
)";

/// A plan whose kernels are the parts, step by step; its outputs are copied back to its source.
struct rounds_trial {
  ir::plan p;
  ir::kernel k;
  int elastic = 0, tiled = 0;  // numbers of such parts

  explicit rounds_trial(int blocks) {
    ir::machine gpu;
    gpu.target = ir::target::gpu;
    p = ir::make_plan(ir::parse_graph(text_of_round), gpu);
    std::vector<ir::kernel> kernels;
    std::vector<ir::part_of_rounds> parts;
    for (const ir::plan_step& s : p.steps) {
      const ir::kernel& one = p.kernels[static_cast<std::size_t>(s.kernel)];
      REQUIRE(ir::can_be_in_rounds(one));
      REQUIRE(one.parts.empty());
      kernels.push_back(ir::with_threads(one, static_cast<int>(s.threads.peek())));
      elastic += one.schedule.elastic;
      tiled += one.schedule.tile_rows > 0;
    }
    int threads = 256;
    for (const ir::kernel& one : kernels) {
      parts.push_back({&one});
      if (one.reduced > 0) threads = std::max(threads, one.schedule.threads);
    }
    REQUIRE(parts.size() >= 3);
    k = ir::make_rounds(parts, {static_cast<int>(parts.size()) - 1}, {threads, blocks});
  }

  // At most three rounds, each from the same source, until the test fails.

  /// The slots, for the plan's buffers at these addresses.
  std::vector<std::uint64_t> slots(const std::vector<std::byte*>& places, std::uint32_t limit,
                                   void* told) const {
    std::vector<std::uint64_t> all;
    for (const ir::plan_step& s : p.steps) {
      for (const ir::slot_value& v : s.slots) {
        auto word = static_cast<std::uint64_t>(v.bits.peek());
        const auto at = static_cast<std::size_t>(std::max(v.index, 0));
        if (v.what == ir::slot_value::from::pointer) {
          word += reinterpret_cast<std::uintptr_t>(places[at]);
        }
        all.push_back(v.what == ir::slot_value::from::scalar ? limit : word);
      }
      all.push_back(static_cast<std::uint64_t>(s.blocks.peek()));
    }
    all.push_back(
        reinterpret_cast<std::uintptr_t>(places[static_cast<std::size_t>(p.outputs[1])]));
    all.push_back(3);
    all.push_back(reinterpret_cast<std::uintptr_t>(told));
    return all;
  }

  /// Runs it on the host.
  plan_bytes run(std::uint32_t limit, std::uint32_t& told,
                 const std::function<void(const std::uint64_t*)>& launch) const {
    plan_bytes buffers = buffers_of(p);
    std::vector<std::byte*> places;
    for (auto& b : buffers) places.push_back(b.data());
    launch(slots(places, limit, &told).data());
    return buffers;
  }
};

}  // namespace sinter::tests
