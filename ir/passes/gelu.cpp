#include "ir/passes/gelu.hpp"

#include <algorithm>
#include <set>

#include "ir/product.hpp"

namespace sinter::ir {
namespace {

/// The most nodes of a formula between x and its end, casts and scalars included.
constexpr node_id longest_chain = 64;

class matcher {
 public:
  matcher(const graph& g, node_id x) : g_(g), x_(x) {}

  bool matches(node_id end) {
    inside_.clear();
    node_id rest = -1;
    if (!product(end, activation_constant::half, 1, rest)) return false;
    const node_id inner = plus_one(rest);
    if (inner < 0 || code(inner) != op::tanh) return false;
    inside_.insert(inner);
    return argument(g_[inner].inputs[0]);
  }

  /// The nodes of the formula.
  const std::set<node_id>& inside() const { return inside_; }

 private:
  op code(node_id i) const {
    return g_[i].kind == node_kind::map ? g_[i].program.code[0].code : op::positive;
  }
  bool is(node_id i, activation_constant c) const {
    return g_[i].kind == node_kind::scalar &&
           activation_constant_of(g_[i].type, g_[i].value[0]) == c;
  }

  void factors(node_id i, std::vector<node_id>& out) {
    const op c = i == x_ ? op::positive : code(i);
    if (c != op::multiply && c != op::square) {
      out.push_back(i);
      return;
    }
    inside_.insert(i);
    factors(g_[i].inputs[0], out);
    factors(g_[i].inputs[c == op::square ? 0 : 1], out);
  }

  /// Is it the product of a constant, `times` factors x and one `rest` (-1: nothing else)?
  bool product(node_id i, activation_constant constant, int times, node_id& rest) {
    std::vector<node_id> all;
    factors(i, all);
    bool found = false;
    for (const node_id f : all) {
      if (f == x_) {
        --times;
      } else if (!found && is(f, constant)) {
        found = true;
      } else if (rest < 0) {
        rest = f;
      } else {
        return false;
      }
    }
    return found && times == 0;
  }

  /// y if the node is 1 + y, else -1.
  node_id plus_one(node_id i) {
    if (i < 0 || code(i) != op::add) return -1;
    inside_.insert(i);
    const node& n = g_[i];
    if (is(n.inputs[0], activation_constant::one)) return n.inputs[1];
    return is(n.inputs[1], activation_constant::one) ? n.inputs[0] : -1;
  }

  bool cube(node_id i, int times) {
    node_id rest = -1;
    return product(i, activation_constant::cube, times, rest) && rest < 0;
  }

  bool argument(node_id i) {
    node_id sum = -1;
    if (product(i, activation_constant::root, 1, sum)) return cube_behind(plus_one(sum), 2);
    sum = -1;
    if (!product(i, activation_constant::root, 0, sum) || sum < 0 || code(sum) != op::add) {
      return false;
    }
    inside_.insert(sum);
    const node& n = g_[sum];
    if (n.inputs[0] != x_ && n.inputs[1] != x_) return false;
    return cube_behind(n.inputs[n.inputs[0] == x_ ? 1 : 0], 3);
  }
  bool cube_behind(node_id i, int times) { return i >= 0 && cube(i, times); }

  const graph& g_;
  const node_id x_;
  std::set<node_id> inside_;
};

}  // namespace

node_id gelu_of(const graph& g, const std::vector<std::vector<node_id>>& uses, node_id x) {
  const auto& readers = uses[static_cast<std::size_t>(x)];
  if (readers.size() < 3) return -1;
  matcher m(g, x);
  const auto last = std::min<node_id>(static_cast<node_id>(g.nodes.size()), x + longest_chain);
  for (node_id end = x + 1; end < last; ++end) {
    const bool root = g[end].kind == node_kind::map && g[end].program.code[0].code == op::multiply;
    if (!root || g[end].type != dtype::float32 || !m.matches(end)) continue;
    const auto& inside = m.inside();
    const auto within = [&](node_id i) { return inside.count(i) > 0; };
    const auto closed = [&](node_id i) {
      return i == end || std::ranges::all_of(uses[static_cast<std::size_t>(i)], within);
    };
    if (std::ranges::all_of(readers, within) && std::ranges::all_of(inside, closed)) return end;
  }
  return -1;
}

}  // namespace sinter::ir
