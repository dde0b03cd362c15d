#pragma once
// Maps over every layout and vector.

#include "tests/unit/cuda_text/builder.hpp"
#include "tests/unit/cuda_text/trial.hpp"

namespace sinter::tests {

using ir::op;

inline constexpr dtype all_types[] = {
    dtype::bool_,    dtype::int8,    dtype::int16,   dtype::int32,     dtype::int64,
    dtype::uint8,    dtype::uint16,  dtype::uint32,  dtype::uint64,    dtype::float16,
    dtype::bfloat16, dtype::float32, dtype::float64, dtype::complex64, dtype::complex128};

inline void copy_elements(builder& b, dtype t, int from, int to) {
  for (int part = 0; part < (is_complex(t) ? 2 : 1); ++part) b.store(to, b.load(from, part), part);
}

/// Copies `from` to `to`, laid out as given.
inline trial copy(std::string name, dtype t, std::vector<std::int64_t> extents, int vector,
                  int unroll, std::vector<ir::step> from, std::vector<ir::step> to,
                  std::vector<layout> layouts = {}) {
  builder b(static_cast<int>(extents.size()));
  const int in = b.input(t, std::move(from)), out = b.output(t, std::move(to));
  copy_elements(b, t, in, out);
  return {.name = std::move(name),
          .k = b.map(vector, unroll),
          .extents = std::move(extents),
          .layouts = std::move(layouts)};
}

inline std::vector<trial> flat_maps() {
  std::vector<trial> trials;
  for (int vector : {1, 2, 4, 16}) {
    for (int unroll : {1, 2, 4}) {
      for (std::int64_t n : {1, 3, 64, 1000, 4096}) {
        trials.push_back(copy("copy of " + std::to_string(n) + " by " + std::to_string(vector) +
                                  " x " + std::to_string(unroll),
                              dtype::float32, {n}, vector, unroll, {one}, {one}));
        trials.back().donor = 0;
      }
    }
  }
  return trials;
}

inline std::vector<trial> vectors_of_types() {
  std::vector<trial> trials;
  for (dtype t : all_types) {
    for (int vector : {1, 2, 8}) {
      trials.push_back(copy("copy of " + std::string(name(t)), t, {203}, vector, 1, {one}, {one}));
    }
  }
  return trials;
}

inline std::vector<trial> layouts_of_maps() {
  std::vector<trial> trials;
  for (int vector : {1, 4}) {
    for (int unroll : {1, 2}) {
      const auto add = [&](std::string name, std::vector<std::int64_t> extents,
                           std::vector<ir::step> from, std::vector<ir::step> to,
                           std::vector<layout> layouts = {}) {
        for (dtype t : {dtype::float32, dtype::uint8, dtype::complex64}) {
          trials.push_back(copy(name, t, extents, vector, unroll, from, to, layouts));
        }
      };
      add("strided", {301}, {any}, {one}, {{{3}}, {}});
      add("strided output", {301}, {one}, {any}, {{}, {{2}}});
      add("flip", {301}, {any}, {one}, {{{-1}}, {}});
      add("broadcast scalar", {301}, {zero}, {one});
      add("transpose", {24, 36}, {any, any}, {any, one}, {{{1, 24}}, {}});
      add("row broadcast", {24, 36}, {zero, one}, {any, one});
      add("column broadcast", {24, 36}, {any, zero}, {any, one});
      add("rank 3", {5, 7, 8}, {any, any, one}, {any, any, any}, {{{64, 8, 1}}, {{1, 5, 35}}});
      add("rank 5", {2, 3, 2, 5, 4}, {any, any, any, any, one}, {any, any, any, any, any},
          {{}, {{120, 40, 20, 4, -1}}});
    }
  }
  return trials;
}

}  // namespace sinter::tests
