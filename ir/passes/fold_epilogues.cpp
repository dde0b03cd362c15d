#include "ir/passes/fold_epilogues.hpp"

#include <algorithm>
#include <map>
#include <optional>

#include "ir/passes/gelu.hpp"
#include "ir/passes/simplify.hpp"
#include "ir/product.hpp"

namespace sinter::ir {
namespace {

/// A product with everything folded into it so far.
struct chain {
  node_id product, end;
  matmul_form form;
  dtype operand, computed;
  node_id bias = -1, addend = -1, alpha = -1, beta = -1;

  bool activated() const { return form.epilogue.activation != matmul_activation::none; }
};

class folder {
 public:
  explicit folder(const graph& g) : in_(g), uses_(uses_of(g)), kept_(kept_in(g)) {}

  graph run() {
    std::map<node_id, chain> ends;
    for (node_id p = 0; p < static_cast<node_id>(in_.nodes.size()); ++p) {
      if (in_[p].kind != node_kind::call || in_[p].routine != "matmul") continue;
      if (const auto c = longest(p)) ends.emplace(c->end, *c);
    }
    if (ends.empty()) return in_;
    graph out;
    out.origins = in_.origins;
    for (std::size_t i = 0; i < in_.nodes.size(); ++i) {
      const auto found = ends.find(static_cast<node_id>(i));
      // Every node keeps its number here; those without readers are removed afterwards.
      out.add(found == ends.end() ? in_.nodes[i] : folded(found->second));
    }
    out.outputs = in_.outputs;
    return without_dead(std::move(out));
  }

 private:
  /// The longest chain that ends in a node that is stored anyway.
  std::optional<chain> longest(node_id p) const {
    const node& n = in_[p];
    chain c{p, p, {}, in_[n.inputs[0]].type, compute_of(in_[n.inputs[0]].type)};
    c.form = matmul_form_of(in_[n.inputs[0]].shape, in_[n.inputs[1]].shape, n.attributes);
    // cuBLASLt is not called for vectors.
    const bool matrices = c.form.m > 1 && c.form.n > 1 && c.form.k > 1;
    if (!matrices || n.inputs.size() > 2 || is_integer(n.type) || is_bool(n.type)) return {};
    std::optional<chain> best;
    while (!kept(c.end) && grow(c)) {
      if (kept(c.end) && possible(c)) best = c;
    }
    return best;
  }

  bool kept(node_id i) const { return kept_[static_cast<std::size_t>(i)]; }
  const std::vector<node_id>& uses(node_id i) const { return uses_[static_cast<std::size_t>(i)]; }

  /// Can the library store this, from operands of these types?
  bool possible(const chain& c) const {
    const matmul_epilogue& e = c.form.epilogue;
    const dtype type = in_[c.end].type;
    const bool halves = is_half(c.operand);
    const bool stored = type == c.operand || (halves && type == dtype::float32);
    const bool narrowed = in_[c.product].type != type && type == c.operand;
    if (!stored || !(e.any() || narrowed)) return false;
    if ((e.bias || c.activated()) && c.computed != dtype::float32) return false;
    if (e.activation == matmul_activation::gelu && !is_half(type)) return false;
    return (!e.bias || in_[c.bias].type == type) && (!e.addend || in_[c.addend].type == type);
  }

  bool grow(chain& c) const {
    if (const node_id g = is_half(c.operand) && !c.activated() ? gelu_of(in_, uses_, c.end) : -1;
        g >= 0) {
      c.form.epilogue.activation = matmul_activation::gelu;
      c.end = g;
      return true;
    }
    if (uses(c.end).size() != 1) return false;
    const node_id user = uses(c.end)[0];
    const node& u = in_[user];
    if (u.kind != node_kind::map || u.shape != in_[c.product].shape) return false;
    const instruction& i = u.program.code[0];
    const bool taken = i.code == op::cast ? cast(c, u) : i.type == c.computed && step(c, u, i.code);
    if (taken) c.end = user;
    return taken;
  }

  bool cast(const chain& c, const node& u) const {
    if (!is_half(c.operand)) return false;
    const dtype from = in_[c.end].type;
    return (from == c.operand && u.type == dtype::float32) ||
           (from == dtype::float32 && u.type == c.operand);
  }

  bool step(chain& c, const node& u, op code) const {
    if (c.activated() || u.inputs.size() != 2) return false;
    const node_id other = u.inputs[u.inputs[0] == c.end ? 1 : 0];
    switch (code) {
      case op::multiply:
        return scale(c, other);
      case op::add:
        return bias(c, other) || addend(c, other);
      case op::maximum:
        return relu(c, other);
      default:
        return false;
    }
  }

  bool is_scalar(node_id i, dtype type) const {
    return in_[i].kind == node_kind::scalar && in_[i].type == type;
  }

  bool scale(chain& c, node_id factor) const {
    matmul_epilogue& e = c.form.epilogue;
    if (e.any() || !is_scalar(factor, c.computed)) return false;
    e.alpha = true;
    c.alpha = factor;
    return true;
  }

  bool relu(chain& c, node_id limit) const {
    const node& x = in_[limit];
    const bool zero = x.kind == node_kind::scalar &&
                      activation_constant_of(x.type, x.value[0]) == activation_constant::zero;
    if (zero) c.form.epilogue.activation = matmul_activation::relu;
    return zero;
  }

  /// The operand of a cast from the operands' half type, or the node itself.
  node_id uncast(node_id i, const chain& c) const {
    const node& n = in_[i];
    const bool widens = n.kind == node_kind::map && n.program.code[0].code == op::cast &&
                        is_half(c.operand) && in_[n.inputs[0]].type == c.operand;
    return widens ? n.inputs[0] : i;
  }

  /// Is it in memory anyway, so that reading it costs no kernel?
  bool at_hand(node_id i) const {
    const node_kind k = in_[i].kind;
    return k == node_kind::source || k == node_kind::call || k == node_kind::result || kept(i);
  }

  /// Is `other` a vector that is added to every row?
  bool bias(chain& c, node_id other) const {
    matmul_epilogue& e = c.form.epilogue;
    const node& v = in_[uncast(other, c)];
    if (e.bias || v.kind != node_kind::view || v.shape.empty()) return false;
    const node_id base = uncast(v.inputs[0], c);
    bool row = v.shape.back() == c.form.n && size_of(in_[base].shape) == c.form.n &&
               v.map.offset == 0 && v.map.strides.back() == 1;
    for (std::size_t d = 0; row && d + 1 < v.shape.size(); ++d) {
      row = v.shape[d] == 1 || v.map.strides[d] == 0;
    }
    if (!row || !at_hand(base)) return false;
    e.bias = true;
    c.bias = base;
    return true;
  }

  bool addend(chain& c, node_id other) const {
    matmul_epilogue& e = c.form.epilogue;
    if (e.addend) return false;
    node_id factor = -1;
    const node& product = in_[other];
    if (product.kind == node_kind::map && product.program.code[0].code == op::multiply &&
        uses(other).size() == 1 && !kept(other)) {
      for (const std::size_t k : {0, 1}) {
        if (!is_scalar(product.inputs[k], c.computed)) continue;
        factor = product.inputs[k];
        other = product.inputs[1 - k];
        break;
      }
    }
    const node_id base = uncast(other, c);
    if (in_[base].shape != in_[c.product].shape || !at_hand(base)) return false;
    e.addend = true;
    c.addend = base;
    e.beta = factor >= 0;
    c.beta = factor;
    return true;
  }

  node folded(const chain& c) const {
    node n = in_[c.product];
    n.type = in_[c.end].type;
    n.origin = in_[c.end].origin;
    for (const node_id i : {c.bias, c.addend, c.alpha, c.beta}) {
      if (i >= 0) n.inputs.push_back(i);
    }
    const bool dense = n.attributes.size() < 15;
    n.attributes = dense ? extent_list(dense_attributes_of(c.form)) : attributes_of(c.form);
    return n;
  }

  static std::vector<std::vector<node_id>> uses_of(const graph& g) {
    std::vector<std::vector<node_id>> uses(g.nodes.size());
    for (std::size_t i = 0; i < g.nodes.size(); ++i) {
      for (const node_id k : g.nodes[i].inputs) {
        uses[static_cast<std::size_t>(k)].push_back(static_cast<node_id>(i));
      }
    }
    return uses;
  }

  /// The nodes that are stored whatever their readers are.
  static std::vector<bool> kept_in(const graph& g) {
    std::vector<bool> kept(g.nodes.size());
    for (const node_id o : g.outputs) kept[static_cast<std::size_t>(o)] = true;
    for (const node& n : g.nodes) {
      const bool base = n.kind == node_kind::update || n.kind == node_kind::gather;
      const std::size_t count = n.kind == node_kind::call ? n.inputs.size() : base ? 1 : 0;
      for (std::size_t k = 0; k < count; ++k) kept[static_cast<std::size_t>(n.inputs[k])] = true;
    }
    return kept;
  }

  const graph& in_;
  const std::vector<std::vector<node_id>> uses_;
  const std::vector<bool> kept_;
};

}  // namespace

graph fold_epilogues(const graph& g, const machine& m) {
  return m.fuse && m.target == target::gpu ? folder(g).run() : g;
}

}  // namespace sinter::ir
