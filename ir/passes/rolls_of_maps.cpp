#include "ir/passes/rolls_of_maps.hpp"

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include "ir/passes/simplify.hpp"
#include "ir/passes/slice_of_join.hpp"

namespace sinter::ir {
namespace {

/// Computing up to this much once per roll, over all rolls, costs no more than storing and loading
/// it.
constexpr int most_operations = 8;
/// For a value that is rolled once: that never costs more, but a chain of thousands is not
/// followed.
constexpr int most_rolled_once = 256;

/// where(a >= b, x under one map, x under another): the second where a < b.
struct roll {
  node_id of = -1, first = -1, second = -1;  // x, and the pads
};

class sinker {
 public:
  explicit sinker(const graph& g) : in_(g), uses_(g.nodes.size()), rolls_(g.nodes.size()) {
    out_.origins = g.origins;
    for (const node& n : g.nodes) {
      for (node_id i : n.inputs) ++uses_[at(i)];
    }
    for (node_id o : g.outputs) ++uses_[at(o)], ++uses_[at(o)];  // never a roll's alone
    for (const node& n : g.nodes) {
      if (const auto r = roll_of(n)) ++rolls_[at(r->of)];
    }
  }

  /// Nothing if no roll sinks.
  std::optional<graph> run() {
    bool any = false;
    for (const node& n : in_.nodes) {
      const auto r = roll_of(n);
      const bool sinks = r && may_sink(r->of);
      any = any || sinks;
      id_.push_back(sinks ? rolled(r->of, n, *r) : out_.add(renamed(n)));
    }
    if (!any) return std::nullopt;
    for (node_id o : in_.outputs) out_.outputs.push_back(id_[at(o)]);
    return std::move(out_);
  }

 private:
  static std::size_t at(node_id i) { return static_cast<std::size_t>(i); }

  bool is_op(const node& n, op code) const {
    return n.kind == node_kind::map && n.program.code[0].code == code;
  }

  std::optional<roll> roll_of(const node& n) const {
    if (!is_op(n, op::where)) return std::nullopt;
    const node &c = in_[n.inputs[0]], &p = in_[n.inputs[1]], &q = in_[n.inputs[2]];
    if (p.kind != node_kind::pad || q.kind != node_kind::pad) return std::nullopt;
    if (p.inputs[0] != q.inputs[0] || p.inputs[1] != n.inputs[0]) return std::nullopt;
    const node& other = in_[q.inputs[1]];
    const bool opposite = is_op(c, op::greater_equal) && is_op(other, op::less) &&
                          c.inputs == other.inputs;
    const bool alone = uses_[at(n.inputs[1])] == 1 && uses_[at(n.inputs[2])] == 1;
    if (!opposite || !alone || in_[p.inputs[0]].shape != n.shape) return std::nullopt;
    return roll{p.inputs[0], n.inputs[1], n.inputs[2]};
  }

  /// May the operands of a map be rolled instead of it?
  bool is_plain(node_id i) const {
    const node& n = in_[i];
    if (n.kind != node_kind::map || is_choice_by_place(in_, n) || is_half(n.type)) return false;
    return std::ranges::all_of(n.inputs, [&](node_id k) {
      const node& x = in_[k];
      if (x.shape.empty()) return true;
      const bool stored = x.kind == node_kind::source || x.kind == node_kind::map ||
                          x.kind == node_kind::call || x.kind == node_kind::result;
      return stored && !is_half(x.type);
    });
  }
  bool is_part(node_id i) const { return uses_[at(i)] == 1 && is_plain(i); }

  /// The operations of a map and its parts; counting ends beyond `most`, which limits the depth.
  int operations(node_id i, int most) const {
    int all = std::max<int>(1, info(in_[i].program.code[0].code).cost);
    for (node_id k : in_[i].inputs) {
      if (all <= most && is_part(k)) all += operations(k, most - all);
    }
    return all;
  }

  bool may_sink(node_id i) const {
    const int rolls = rolls_[at(i)];
    if (uses_[at(i)] != 2 * rolls || !is_plain(i)) return false;
    const int most = rolls == 1 ? most_rolled_once : most_operations / rolls;
    return operations(i, most) <= most;
  }

  node renamed(node n) const {
    for (node_id& i : n.inputs) i = id_[at(i)];
    return n;
  }

  /// A map, rolled as `like` is.
  node_id rolled(node_id i, const node& like, const roll& r) {
    node n = in_[i];
    for (node_id& k : n.inputs) {
      const node& x = in_[k];
      k = x.shape.empty() ? id_[at(k)] : is_part(k) ? rolled(k, like, r) : chosen(k, like, r);
    }
    return out_.add(std::move(n));
  }

  node_id chosen(node_id i, const node& like, const roll& r) {
    const dtype type = in_[i].type;
    const auto part = [&](node_id pad) {
      node p = in_[pad];
      p.type = type;
      p.inputs[0] = i;
      return out_.add(renamed(std::move(p)));
    };
    node n = like;
    n.type = type;
    n.program.inputs[1] = n.program.inputs[2] = type;
    n.program.code[0].type = n.program.code[0].result = type;
    n.inputs = {id_[at(like.inputs[0])], part(r.first), part(r.second)};
    return out_.add(std::move(n));
  }

  const graph& in_;
  graph out_;
  std::vector<int> uses_, rolls_;  // per node: readers, and rolls among them
  std::vector<node_id> id_;
};

}  // namespace

graph rolls_of_maps(const graph& g) {
  std::optional<graph> sunk = sinker(g).run();
  return sunk ? simplify(*sunk) : g;
}

}  // namespace sinter::ir
