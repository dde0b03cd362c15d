#include "ir/interpreter.hpp"

#include <algorithm>
#include <cstring>
#include <stdexcept>
#include <utility>

#include "ir/cat.hpp"
#include "ir/interpret_nodes.hpp"
#include "ir/loop_runner.hpp"

namespace sinter::ir {
namespace {

class graph_runner {
 public:
  graph_runner(const graph& g, const std::vector<tensor_view>& sources)
      : g_(g), sources_(sources), values_(g.nodes.size()), last_use_(g.nodes.size(), -1) {
    for (std::size_t i = 0; i < g.nodes.size(); ++i) {
      for (node_id in : g.nodes[i].inputs) last_use_[at(in)] = static_cast<node_id>(i);
    }
    for (node_id o : g.outputs) last_use_[at(o)] = static_cast<node_id>(g.nodes.size());
  }

  std::vector<tensor> run() {
    for (std::size_t i = 0; i < g_.nodes.size(); ++i) {
      if (g_.nodes[i].kind == node_kind::call) {
        call(static_cast<node_id>(i));
      } else if (g_.nodes[i].kind == node_kind::compress) {
        compress(static_cast<node_id>(i));
      } else if (g_.nodes[i].kind == node_kind::loop) {
        loop(static_cast<node_id>(i));
      } else if (g_.nodes[i].kind != node_kind::result) {  // its call computed it
        values_[i] = run_node(g_.nodes[i]);
      }
      for (node_id in : g_.nodes[i].inputs) {
        if (last_use_[at(in)] == static_cast<node_id>(i)) values_[at(in)] = {};
      }
    }
    if (next_source_ != sources_.size()) {
      throw std::invalid_argument("interpret: more sources than source nodes");
    }
    std::vector<tensor> out;
    for (node_id o : g_.outputs) out.push_back(values_[at(o)]);
    return out;
  }

 private:
  static std::size_t at(node_id n) { return static_cast<std::size_t>(n); }
  const tensor& input(const node& n, std::size_t k) const { return values_[at(n.inputs[k])]; }

  tensor run_node(const node& n) {
    switch (n.kind) {
      case node_kind::source: return source(n);
      case node_kind::scalar: {
        tensor out = detail::make_tensor(n.type, n.shape);
        std::memcpy(out.data.data(), n.value, out.data.size());
        return out;
      }
      case node_kind::map: return map(n);
      case node_kind::view: return detail::run_view(n, input(n, 0));
      case node_kind::reduce: return detail::run_reduce(n, input(n, 0));
      case node_kind::scan: return detail::run_scan(n, input(n, 0));
      case node_kind::random: return detail::run_random(n);
      case node_kind::iota: return detail::run_iota(n);
      case node_kind::update: return detail::run_update(n, input(n, 0), input(n, 1));
      case node_kind::gather: return detail::run_gather(n, input(n, 0), input(n, 1));
      case node_kind::pad: return detail::run_pad(n, input(n, 0), input(n, 1));
      case node_kind::scatter:
        return detail::run_scatter(n, input(n, 0), input(n, 1), input(n, 2),
                           n.inputs.size() > 3 ? &input(n, 3) : nullptr);
      case node_kind::call:
      case node_kind::compress:
      case node_kind::loop:
      case node_kind::join:
      case node_kind::result:
        break;
    }
    throw std::logic_error("interpret: a call gives several values");
  }

  tensor source(const node& n) {
    if (next_source_ == sources_.size()) {
      throw std::invalid_argument("interpret: fewer sources than source nodes");
    }
    const tensor_view& s = sources_[next_source_++];
    if (s.type != n.type || s.shape != n.shape) {
      throw std::invalid_argument(detail::cat("interpret: source ", next_source_ - 1,
                                              " has another type or shape than its node"));
    }
    tensor out = detail::make_tensor(n.type, n.shape);
    if (!out.data.empty()) std::memcpy(out.data.data(), s.data, out.data.size());
    return out;
  }

  tensor map(const node& n) const {
    std::vector<const tensor*> inputs;
    for (std::size_t k = 0; k < n.inputs.size(); ++k) inputs.push_back(&input(n, k));
    return detail::run_map(n, std::move(inputs));
  }

  void compress(node_id id) {
    const node& n = g_[id];
    tensor count = detail::make_tensor(dtype::int64, {});
    values_[at(id)] = detail::run_compress(n, input(n, 0), input(n, 1), input(n, 2), count);
    for (std::size_t i = at(id); i < g_.nodes.size(); ++i) {
      const node& r = g_.nodes[i];
      if (r.kind == node_kind::result && r.inputs[0] == id) values_[i] = count;
    }
  }

  void loop(node_id id) {
    const node& n = g_[id];
    std::vector<const tensor*> inputs;
    for (std::size_t k = 0; k < n.inputs.size(); ++k) inputs.push_back(&input(n, k));
    std::vector<tensor*> outputs(n.loop.results.size() +
                                 static_cast<std::size_t>(n.loop.tables));
    for (std::size_t i = at(id); i < g_.nodes.size(); ++i) {
      const node& r = g_.nodes[i];
      if (r.kind != node_kind::result || r.inputs[0] != id) continue;
      values_[i] = detail::make_tensor(r.type, r.shape);
      outputs[r.value[0]] = &values_[i];
    }
    detail::run_loop(n, inputs, outputs);
  }

  void call(node_id id) {
    const node& n = g_[id];
    const routine_function f = find_routine(n.routine);
    if (!f) {
      throw std::invalid_argument(detail::cat("interpret: no routine named '", n.routine, "'"));
    }
    routine_call c;
    for (std::size_t k = 0; k < n.inputs.size(); ++k) c.inputs.push_back(input(n, k));
    c.attributes = plain(n.attributes);
    const auto output = [&](std::size_t node, std::size_t k) {
      values_[node] = detail::make_tensor(g_.nodes[node].type, g_.nodes[node].shape);
      c.outputs.resize(std::max(c.outputs.size(), k + 1));
      c.outputs[k] = &values_[node];
    };
    output(at(id), 0);
    for (std::size_t i = at(id); i < g_.nodes.size(); ++i) {
      const node& r = g_.nodes[i];
      if (r.kind == node_kind::result && r.inputs[0] == id) output(i, r.value[0]);
    }
    f(c);
  }

  const graph& g_;
  const std::vector<tensor_view>& sources_;
  std::vector<tensor> values_;
  std::vector<node_id> last_use_;
  std::size_t next_source_ = 0;
};

}  // namespace

std::vector<tensor> interpret(const graph& g, const std::vector<tensor_view>& sources) {
  return graph_runner(g, sources).run();
}

}  // namespace sinter::ir
