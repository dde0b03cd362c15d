#include "engine/evaluation/run_graph.hpp"

#include "engine/evaluation/run_plan.hpp"
#include "ir/passes/pipeline.hpp"

namespace sinter::detail {

std::vector<std::shared_ptr<runtime::buffer>> run_graph(
    const ir::graph& g, std::vector<std::shared_ptr<runtime::buffer>> sources,
    runtime::device& device, kernel_store& kernels, const ir::machine& machine) {
  ir::plan plan = ir::make_plan(g, machine);
  auto compiled = kernels.get(plan.kernels);
  std::vector<std::int64_t> values;
  const auto ready = size_plan(
      std::make_shared<const planned>(std::move(plan), ir::recipe{}, std::move(compiled)), {},
      values);
  snapshot s;
  std::vector<any_array> held;
  for (const ir::node& n : g.nodes) {
    if (n.kind == ir::node_kind::source) {
      auto& buffer = sources.at(s.sources.size());
      s.may_donate.push_back(buffer.use_count() == 1);
      held.push_back(make_source(std::move(buffer), device, n.type, ir::plain(n.shape)));
      s.sources.push_back(held.back().get());
    }
    if (n.kind == ir::node_kind::scalar || n.kind == ir::node_kind::random) {
      s.scalars.push_back({{n.value[0], n.value[1]}});
    }
  }
  status_words statuses;
  run_room room;
  once said;
  run_plan(*ready, s, device, statuses, said, room);
  return std::move(room.results);
}

}  // namespace sinter::detail
