#include "ir/passes/inverses.hpp"

#include <limits>
#include <utility>

#include "ir/passes/simplify.hpp"

namespace sinter::ir {
namespace {

/// The most rows that cuBLAS inverts.
constexpr std::int64_t most_side_on_gpu = 32;

class inverse_rewriter {
 public:
  inverse_rewriter(const graph& g, const machine& m)
      : in_(g),
        routine_(m.target == target::gpu ? "matinv" : "getri"),
        most_(m.target == target::gpu ? most_side_on_gpu : unlimited),
        inverted_(g.nodes.size()) {
    out_.origins = g.origins;
  }

  /// Finds the inverses to rewrite; returns whether there are any.
  bool look() {
    bool some = false;
    for (const node& n : in_.nodes) {
      if (!fits(n)) continue;
      some = true;
      inverted_[at(factors_of(n))] = true;
    }
    if (some) find_shared();
    return some;
  }

  graph run() {
    for (const node& n : in_.nodes) id_.push_back(moved(n));
    for (const node_id o : in_.outputs) out_.outputs.push_back(id_[at(o)]);
    return without_dead(std::move(out_));
  }

 private:
  static std::size_t at(node_id i) { return static_cast<std::size_t>(i); }

  bool is_output(node_id i, std::uint64_t which) const {
    const node& n = in_[i];
    return n.kind == node_kind::result && n.value[0] == which &&
           in_[n.inputs[0]].kind == node_kind::call && in_[n.inputs[0]].routine == "getrf";
  }

  bool fits(const node& n) const {
    return n.kind == node_kind::call && n.routine == "getrs" && n.attributes.size() == 2 &&
           n.attributes[0] == 0 && n.attributes[1] == 1 && n.shape.back() <= most_ &&
           is_output(n.inputs[0], 1) && is_output(n.inputs[1], 2) &&
           in_[n.inputs[0]].inputs[0] == in_[n.inputs[1]].inputs[0] &&
           in_[n.inputs[0]].shape == n.shape;
  }

  node_id factors_of(const node& inverse) const { return in_[inverse.inputs[0]].inputs[0]; }

  /// Finds the factors that have other readers too.
  void find_shared() {
    shared_.resize(in_.nodes.size());
    const auto read = [&](node_id i) {
      if (is_output(i, 1) || is_output(i, 2)) shared_[at(in_[i].inputs[0])] = true;
    };
    for (const node& n : in_.nodes) {
      if (fits(n)) continue;
      for (const node_id i : n.inputs) read(i);
    }
    for (const node_id o : in_.outputs) read(o);
  }

  /// The call that inverts what `factors` factorises.
  node inverse(const node& factors) const {
    node n = factors;
    n.routine = routine_;
    n.inputs = {id_[at(factors.inputs[0])]};
    return n;
  }

  node_id moved(const node& n) {
    if (fits(n)) {
      const node& f = in_[factors_of(n)];
      const node_id made =
          shared_[at(factors_of(n))] ? out_.add(inverse(f)) : id_[at(factors_of(n))];
      node x = in_[n.inputs[0]];
      x.inputs = {made};
      x.origin = n.origin;
      return out_.add(std::move(x));
    }
    const node_id self = static_cast<node_id>(&n - in_.nodes.data());
    if (inverted_[at(self)] && !shared_[at(self)]) return out_.add(inverse(n));
    if ((is_output(self, 1) || is_output(self, 2)) && inverted_[at(n.inputs[0])] &&
        !shared_[at(n.inputs[0])]) {
      return -1;
    }
    node copy = n;
    for (node_id& i : copy.inputs) i = id_[at(i)];
    return out_.add(std::move(copy));
  }

  static constexpr std::int64_t unlimited = std::numeric_limits<std::int64_t>::max();

  const graph& in_;
  const char* routine_;
  std::int64_t most_;  // rows
  graph out_;
  std::vector<bool> inverted_, shared_;  // per factorisation
  std::vector<node_id> id_;
};

}  // namespace

graph inverses(const graph& g, const machine& m) {
  inverse_rewriter r(g, m);
  return r.look() ? r.run() : g;
}

}  // namespace sinter::ir
