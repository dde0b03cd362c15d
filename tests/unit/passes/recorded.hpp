#pragma once
// Plans of what a program records.

#include <cstdint>
#include <initializer_list>
#include <vector>

#include <sinter/sinter.hpp>

#include "engine/evaluation/snapshot.hpp"
#include "ir/passes/pipeline.hpp"
#include "tests/support/verified.hpp"

namespace passes_tests {

namespace ir = sinter::ir;

/// An array that is in memory.
inline sinter::array<float> stored(std::vector<std::int64_t> shape) {
  const auto x = sinter::random::uniform<float>(shape, {.seed = 3});
  sinter::eval(x);
  return x;
}

inline ir::plan plan_for(std::initializer_list<sinter::any_array> roots,
                         ir::target target = ir::target::cpu) {
  const std::vector<sinter::any_array> list(roots);
  ir::machine m;
  m.target = target;
  m.units = target == ir::target::gpu ? 132 : 2;
  sinter::detail::snapshot snapshot;
  sinter::detail::take_snapshot(list, snapshot);
  ir::trace trace;
  return ir::verified(ir::make_plan(sinter::detail::graph_of(snapshot, trace), m));
}

}  // namespace passes_tests
