#pragma once
// Loops at a point.

#include "tests/support/loop_kernels.hpp"
#include "tests/unit/cuda_text/builder.hpp"
#include "tests/unit/cuda_text/trial.hpp"

namespace sinter::tests {

inline std::string map_schedule(int vector, int unroll) {
  return "vector " + std::to_string(vector) + " unroll " + std::to_string(unroll) +
         " threads 64 lanes kept tile " + std::to_string(64 * vector * unroll) + " rows 1";
}

inline std::uint64_t bits_of(float x) { return std::bit_cast<std::uint32_t>(x); }

inline std::vector<trial> loops() {
  std::vector<trial> trials;
  for (int vector : {1, 4}) {
    for (int unroll : {1, 2}) {
      const std::string s = map_schedule(vector, unroll);
      trials.push_back({.name = "growing",
                        .k = loop_kernel(growing, "gpu", s),
                        .extents = {203},
                        .scalars = {bits_of(1.5f)}});
      for (std::uint64_t rounds : {0, 1, 25}) {
        trials.push_back({.name = "counted",
                          .k = loop_kernel(counted, "gpu", s),
                          .extents = {131},
                          .scalars = {rounds, bits_of(3.7f)}});
        trials.push_back({.name = "nested",
                          .k = loop_kernel(nested, "gpu", s),
                          .extents = {131},
                          .scalars = {rounds}});
        trials.push_back({.name = "counted twice",
                          .k = loop_kernel(counted_twice, "gpu", s),
                          .extents = {131},
                          .scalars = {rounds}});
      }
    }
    trials.push_back({.name = "walking",
                      .k = loop_kernel(walking, "gpu", map_schedule(vector, 1)),
                      .extents = {53},
                      .layouts = {{}, {.strides = {7}}, {}, {.strides = {7}}, {}},
                      .contents = fill::small});
    trials.push_back(
        {.name = "loops in rows",
         .k = loop_kernel(in_rows, "gpu",
                          "vector " + std::to_string(vector) +
                              " unroll 2 threads 64 row_threads 32 lanes reduced rows 2",
                          1),
         .extents = {5, 300},
         .scalars = {4},
         .contents = fill::small});
  }
  return trials;
}

}  // namespace sinter::tests
