#include <algorithm>
#include <chrono>

#include "tests/fuzz/shrink.hpp"

namespace sinter::fuzz {
namespace {

using clock = std::chrono::steady_clock;

/// Removes everything that no output needs, sources included.
trial compacted(const trial& t) {
  const ir::graph& g = t.graph;
  std::vector<bool> keep(g.nodes.size());
  for (ir::node_id o : g.outputs) keep[static_cast<std::size_t>(o)] = true;
  for (std::size_t i = g.nodes.size(); i-- > 0;) {
    if (!keep[i]) continue;
    for (ir::node_id k : g.nodes[i].inputs) keep[static_cast<std::size_t>(k)] = true;
  }
  trial out;
  out.machine = t.machine;
  out.graph.origins = g.origins;
  std::vector<ir::node_id> id(g.nodes.size(), -1);
  std::size_t source = 0;
  for (std::size_t i = 0; i < g.nodes.size(); ++i) {
    const bool is_source = g.nodes[i].kind == ir::node_kind::source;
    if (is_source) ++source;
    if (!keep[i]) continue;
    ir::node n = g.nodes[i];
    for (ir::node_id& k : n.inputs) k = id[static_cast<std::size_t>(k)];
    id[i] = out.graph.add(std::move(n));
    if (is_source) out.sources.push_back(t.sources[source - 1]);
  }
  for (ir::node_id o : g.outputs) out.graph.outputs.push_back(id[static_cast<std::size_t>(o)]);
  return out;
}

/// The number of node n among the sources, if it were one.
std::ptrdiff_t source_number(const trial& t, ir::node_id n) {
  return std::count_if(t.graph.nodes.begin(), t.graph.nodes.begin() + n,
                       [](const ir::node& x) { return x.kind == ir::node_kind::source; });
}

class graph_shrinker {
 public:
  graph_shrinker(const trial& t, const fails& f, double seconds)
      : fails_(f), end_(clock::now() + std::chrono::duration_cast<clock::duration>(
                                           std::chrono::duration<double>(seconds))),
        best_(t) {}

  trial run() {
    attempt(best_);
    for (bool better = true; better && clock::now() < end_;) {
      better = machine();
      better = outputs() || better;
      better = each_node() || better;
      better = contents_of_sources() || better;
    }
    return best_;
  }

 private:
  bool attempt(const trial& t) {
    if (clock::now() > end_) return false;
    trial made = compacted(t);
    if (print(made) == print(best_)) return false;
    const auto undefined = [&](ir::node_id o) {
      const ir::node_kind k = made.graph[o].kind;
      return k == ir::node_kind::compress || k == ir::node_kind::loop;
    };
    if (std::ranges::any_of(made.graph.outputs, undefined)) return false;
    try {
      ir::verify(made.graph);
      const auto sources = tensors_of(made);
      ir::interpret(made.graph, {sources.begin(), sources.end()});  // gathers must stay in range
    } catch (const std::exception&) {
      return false;
    }
    if (!fails_(made)) return false;
    best_ = std::move(made);
    return true;
  }

  bool machine() {
    bool better = false;
    const ir::machine plain;
    trial t = best_;
    t.machine = plain;
    if (attempt(t)) better = true;
    t = best_;
    t.machine.launch_limit = plain.launch_limit;
    if (attempt(t)) better = true;
    t = best_;
    t.machine.split_length = t.machine.split_grain = 0;
    return attempt(t) || better;
  }

  /// Fewer outputs, or earlier ones.
  bool outputs() {
    bool better = false;
    for (std::size_t i = best_.graph.outputs.size(); i-- > 0 && best_.graph.outputs.size() > 1;) {
      trial t = best_;
      t.graph.outputs.erase(t.graph.outputs.begin() + static_cast<std::ptrdiff_t>(i));
      if (attempt(t)) better = true;
    }
    for (std::size_t i = 0; i < best_.graph.outputs.size(); ++i) {
      const std::vector<ir::node_id> inputs = best_.graph[best_.graph.outputs[i]].inputs;
      for (ir::node_id in : inputs) {
        trial t = best_;
        t.graph.outputs[i] = in;
        if (!attempt(t)) continue;
        better = true;
        break;
      }
    }
    return better;
  }

  bool each_node() {
    bool better = false;
    for (auto n = static_cast<ir::node_id>(best_.graph.nodes.size()); n-- > 0;) {
      const auto here = [&] { return n < static_cast<ir::node_id>(best_.graph.nodes.size()); };
      better = (here() && as_source(n)) || better;
      better = (here() && as_input(n)) || better;
      while (here() && shorter_program(n)) better = true;
    }
    return better;
  }

  bool as_source(ir::node_id n) {
    if (best_.graph[n].kind == ir::node_kind::source) return false;
    for (const fill f : {fill::ascending, fill::small, fill::edges}) {
      trial t = best_;
      ir::node s;
      s.type = t.graph[n].type;
      s.shape = t.graph[n].shape;
      t.graph[n] = std::move(s);
      t.sources.insert(t.sources.begin() + source_number(t, n), contents{f, 1});
      if (attempt(t)) return true;
    }
    return false;
  }

  /// Makes n's readers read one of its inputs instead.
  bool as_input(ir::node_id n) {
    const std::vector<ir::node_id> inputs = best_.graph[n].inputs;
    for (ir::node_id in : inputs) {
      trial t = best_;
      if (t.graph[in].type != t.graph[n].type || t.graph[in].shape != t.graph[n].shape) continue;
      for (ir::node& x : t.graph.nodes) std::ranges::replace(x.inputs, n, in);
      std::ranges::replace(t.graph.outputs, n, in);
      if (attempt(t)) return true;
    }
    return false;
  }

  bool shorter_program(ir::node_id n) {
    if (best_.graph[n].kind == ir::node_kind::loop) return false;  // it might not terminate
    const ir::program p = best_.graph[n].program;
    const auto inputs = p.inputs.size();
    for (std::size_t i = p.code.size(); i-- > 0;) {
      trial t = best_;
      ir::program& q = t.graph[n].program;
      q.code.resize(i + 1);  // the result is an earlier value
      t.graph[n].type = q.view().result_type();
      if (i + 1 < p.code.size() && attempt(t)) return true;
      for (int k = 0; k < ir::arity(p.code[i]); ++k) {  // replaces an instruction by an argument
        const std::int16_t arg = p.code[i].args[k];
        if (p.view().value_type(arg) != p.code[i].result) continue;
        t = best_;
        drop(t.graph[n].program, i, static_cast<std::int16_t>(inputs + i), arg);
        if (attempt(t)) return true;
      }
    }
    return without_input(n);
  }

  static void drop(ir::program& p, std::size_t at, std::int16_t value, std::int16_t instead) {
    p.code.erase(p.code.begin() + static_cast<std::ptrdiff_t>(at));
    for (std::size_t i = at; i < p.code.size(); ++i) {
      for (std::int16_t& a : p.code[i].args) {
        if (a == value) a = instead;
        else if (a > value) --a;
      }
    }
  }

  /// Removes inputs that the program does not use.
  bool without_input(ir::node_id n) {
    for (std::size_t k = best_.graph[n].inputs.size(); k-- > 0;) {
      trial t = best_;
      ir::node& x = t.graph[n];
      if (x.kind != ir::node_kind::map) return false;
      const auto gone = static_cast<std::int16_t>(k);
      const bool used = std::ranges::any_of(x.program.code, [&](const ir::instruction& i) {
        return std::ranges::find(i.args, gone) != std::end(i.args);
      });
      if (used) continue;
      x.inputs.erase(x.inputs.begin() + gone);
      x.program.inputs.erase(x.program.inputs.begin() + gone);
      for (ir::instruction& i : x.program.code) {
        for (std::int16_t& a : i.args) a = static_cast<std::int16_t>(a > gone ? a - 1 : a);
      }
      if (attempt(t)) return true;
    }
    return false;
  }

  bool contents_of_sources() {
    bool better = false;
    for (std::size_t i = 0; i < best_.sources.size(); ++i) {
      for (const fill f : {fill::ones, fill::ascending, fill::small, fill::edges}) {
        if (f >= best_.sources[i].what) break;
        trial t = best_;
        t.sources[i] = {f, 1};
        if (attempt(t)) {
          better = true;
          break;
        }
      }
    }
    return better;
  }

  const fails& fails_;
  const clock::time_point end_;
  trial best_;
};

}  // namespace

trial shrink_graph(const trial& t, const fails& f, double seconds) {
  return graph_shrinker(t, f, seconds).run();
}

}  // namespace sinter::fuzz
