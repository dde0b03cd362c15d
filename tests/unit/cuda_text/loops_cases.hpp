#pragma once
// Elementwise loops.

#include "tests/support/loop_kernels.hpp"
#include "tests/unit/cuda_text/builder.hpp"
#include "tests/unit/cuda_text/trial.hpp"

namespace sinter::tests {

inline std::string map_schedule(int vector, int unroll) {
  return "vector " + std::to_string(vector) + " unroll " + std::to_string(unroll) +
         " threads 64 lanes kept tile " + std::to_string(64 * vector * unroll) + " rows 1";
}

inline std::uint64_t bits_of(float x) { return std::bit_cast<std::uint32_t>(x); }

/// out0[how often in0 doubles before it reaches s0] += 1.
inline std::string counted_by_loop(const std::string& head) {
  return head + R"(ix0 = index int64 [one]
in0 = input float32 [one]
out0 = output int32 [one]
s0 = scalar float32
loop0 = carries [float32, int64] givens [float32, float32]
v0 = carry float32 0
v1 = carry int64 1
v2 = carry int64 2
v3 = given float32 0
v4 = less float32 v0 v3
v5 = constant int64 15
v6 = less int64 v2 v5
v7 = logical_and bool v4 v6
v8 = given float32 1
v9 = multiply float32 v0 v8
v10 = constant int64 1
v11 = add int64 v1 v10
while v7 next v9, v11
v0 = load float32 in0
v1 = constant int64 0
v2 = scalar float32 s0
v3 = constant float32 2
v4 = pack bool none v0 v1
v5 = pack bool v4 v2 v3
v6 = loop bool loop0 v5
v7 = pick int64 1 v6
v8 = index int64 ix0
v9 = subtract int64 v7 v8
v10 = constant int32 1
v11 = less float32 v3 v2
v12 = store by add int32 out0 v10 v11 v9
)";
}

inline std::vector<trial> loops() {
  std::vector<trial> trials;
  const std::string held = "vector 1 unroll 1 threads 64 lanes kept tile 192 held 16 rows 1";
  trials.push_back({.name = "counted by a loop",
                    .k = loop_kernel(counted_by_loop, "gpu", held),
                    .extents = {803},
                    .layouts = {{.strides = {1}}, {}, {.strides = {1}}},
                    .scalars = {bits_of(5.5f)},
                    .contents = fill::small});
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
