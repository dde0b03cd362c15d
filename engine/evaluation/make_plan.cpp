#include "engine/evaluation/make_plan.hpp"

#include <algorithm>
#include <initializer_list>

#include "engine/evaluation/now.hpp"
#include "engine/evaluation/session.hpp"
#include "engine/evaluation/snapshot.hpp"
#include "engine/nodes/elements.hpp"
#include "engine/nodes/report.hpp"
#include "ir/passes/pipeline.hpp"

namespace sinter::detail {
namespace {

std::string fusion_text(const ir::graph& g, const ir::fusion& f) {
  std::string text;
  for (std::size_t i = 0; i < f.groups.size(); ++i) {
    const ir::group& x = f.groups[i];
    text += "group " + std::to_string(i) + " over " + text_of(ir::plain(x.kept_shape()));
    if (!x.reduced_shape().empty()) text += " reducing " + text_of(ir::plain(x.reduced_shape()));
    text += " stores";
    for (ir::node_id r : x.roots) text += " %" + std::to_string(r);
    text += "\n";
    for (const std::string& r : x.refusals) text += "  not merged: " + r + "\n";
  }
  return text + "\n" + ir::print(g);
}

/// Does the graph multiply matrices of one of these types, as a call or, for integers, as sums of
/// products?
bool multiplies(const ir::graph& g, std::initializer_list<dtype> types) {
  const auto is_product = [&](const ir::node& n) {
    if (n.kind == ir::node_kind::call) return n.routine == "matmul";
    if (n.kind != ir::node_kind::reduce || !is_integer(n.type)) return false;
    const ir::node& terms = g[n.inputs[0]];
    return terms.shape.size() > 2 && terms.kind == ir::node_kind::map &&
           terms.program.code.back().code == ir::op::multiply;
  };
  const auto has_type = [&](const ir::node& n) {
    return std::ranges::find(types, n.type) != types.end();
  };
  return std::ranges::any_of(g.nodes, has_type) && std::ranges::any_of(g.nodes, is_product);
}

/// Which types besides floats the library multiplies. Queried only if a graph has such products,
/// because the query opens a CPU's library.
void ask_for_products(ir::machine& m, session& s, target& t, const ir::graph& g) {
  const runtime::blas& blas = t.device->linear_algebra();
  const auto supports = [&](dtype type) {
    if (const std::string_view missing = blas.lacks(element_type(type)); !missing.empty()) {
      s.said.say("[matmul] products of " + std::string(name(type)) + " would be faster with " +
                 std::string(missing));
    }
    return blas.supports(element_type(type));
  };
  using enum dtype;
  m.bfloat16_products = multiplies(g, {bfloat16}) && supports(bfloat16);
  m.int8_products = multiplies(g, {int8, uint8}) && supports(int8);
}

}  // namespace

std::shared_ptr<const planned> make_plan(session& s, target& t, const snapshot& snap) {
  const double start = now();
  ir::trace trace;
  const ir::graph g = graph_of(snap, trace);
  ir::observer watch;
  if (s.dumps.wants("graph")) {
    s.dumps.emit("graph", "recorded", ir::print(g));
    watch.after_pass = [&](const char* pass, const ir::graph& x) {
      s.dumps.emit("graph", pass, ir::print(x));
    };
  }
  if (s.dumps.wants("fusion")) {
    watch.after_fusion = [&](const ir::graph& x, const ir::fusion& f) {
      s.dumps.emit("fusion", "groups", fusion_text(x, f));
    };
  }
  ir::machine m = t.machine;
  m.fuse = s.fuse;
  ask_for_products(m, s, t, g);
  ir::plan plan = ir::make_plan(g, m, watch);
  const double seconds = now() - start;
  s.plans.seconds += seconds;
  const ir::trace::pause unseen;
  if (t.machine.target != ir::target::gpu && s.nominal.wanted()) s.nominal.show(g, s.fuse);
  auto kernels = t.kernels->get(plan.kernels);
  auto made = std::make_shared<planned>(std::move(plan), trace.take(), std::move(kernels));
  made->seconds = seconds;
  return made;
}

}  // namespace sinter::detail
