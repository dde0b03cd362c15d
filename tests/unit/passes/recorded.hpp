#pragma once
// Plans of recorded programs.

#include <cstdint>
#include <initializer_list>
#include <vector>

#include <sinter/sinter.hpp>

#include "engine/evaluation/snapshot.hpp"
#include "ir/passes/pipeline.hpp"
#include "tests/support/verified.hpp"

namespace passes_tests {

namespace ir = sinter::ir;

/// An array in memory.
inline sinter::array<float> stored(std::vector<std::int64_t> shape) {
  const auto x = sinter::random::uniform<float>(shape, {.seed = 3});
  sinter::eval(x);
  return x;
}

/// The result of `use` for the graph, whose extents are valid only during the call.
template <class Use> auto of_graph(std::initializer_list<sinter::any_array> roots, Use use) {
  const std::vector<sinter::any_array> list(roots);
  sinter::detail::snapshot snapshot;
  sinter::detail::take_snapshot(list, snapshot);
  ir::trace trace;
  return use(sinter::detail::graph_of(snapshot, trace));
}

inline ir::plan plan_for(std::initializer_list<sinter::any_array> roots,
                         ir::target target = ir::target::cpu) {
  ir::machine m;
  m.target = target;
  m.units = target == ir::target::gpu ? 132 : 2;
  return of_graph(roots, [&](const ir::graph& g) { return ir::verified(ir::make_plan(g, m)); });
}

}  // namespace passes_tests
