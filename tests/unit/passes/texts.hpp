#pragma once
// Graphs and plans as text.

#include <string>

#include "ir/passes/pipeline.hpp"
#include "ir/text.hpp"
#include "tests/support/verified.hpp"

namespace passes_tests {

namespace ir = sinter::ir;

/// The text after a pass; verifies both graphs.
template <class Pass>
std::string after(Pass pass, const std::string& text) {
  const ir::graph g = ir::parse_graph(text);
  ir::verify(g);
  const ir::graph out = pass(g);
  ir::verify(out);
  return ir::print(out);
}

inline ir::machine gpu() {
  ir::machine m;
  m.target = ir::target::gpu;
  m.units = 132;
  m.bandwidth = 4e12;
  m.arithmetic = 3e13;
  m.launch = 3e-6;
  return m;
}

inline ir::plan plan_of(const std::string& text, const ir::machine& m = {}) {
  return ir::verified(ir::make_plan(ir::parse_graph(text), m));
}

/// The groups in execution order, one per line: "[64, 300] reducing [300]: %5". The numbers are
/// those of the graph after the passes.
inline std::string groups_of(const std::string& text, const ir::machine& m = {}) {
  std::string out;
  ir::observer watch;
  watch.after_fusion = [&](const ir::graph&, const ir::fusion& f) {
    for (const ir::group& g : f.groups) {
      out += ir::detail::list_text(g.domain);
      const ir::shape_t reduced = g.reduced_shape();
      if (!reduced.empty()) out += " reducing " + ir::detail::list_text(reduced);
      out += ":";
      for (ir::node_id r : g.roots) out += " %" + std::to_string(r);
      out += "\n";
    }
  };
  ir::make_plan(ir::parse_graph(text), m, watch);
  return out;
}

/// Does a kernel's report contain this refusal?
inline bool refused(const ir::plan& p, const std::string& words) {
  for (const auto& r : p.reports) {
    for (const auto& why : r.refusals) {
      if (why.find(words) != std::string::npos) return true;
    }
  }
  return false;
}

}  // namespace passes_tests
