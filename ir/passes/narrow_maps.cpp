#include "ir/passes/narrow_maps.hpp"

#include <algorithm>
#include <utility>
#include <vector>

#include "ir/graph_builder.hpp"
#include "ir/index_expr.hpp"
#include "ir/passes/fuse.hpp"

namespace sinter::ir {
namespace {

/// Elements of a map per element of its operands, from which on narrowing is worth it.
constexpr std::int64_t least_times = 4;

/// Is it in memory before a kernel, the result of a reduction, or computed element by element from
/// such?
bool is_given(const graph& g, node_id i, const std::vector<char>& computed) {
  const node_kind k = g[i].kind;
  return k == node_kind::source || k == node_kind::call || k == node_kind::result ||
         k == node_kind::reduce || computed[static_cast<std::size_t>(i)];
}

class narrower {
 public:
  explicit narrower(const graph& g) : in_(g) { b_.out.origins = g.origins; }

  graph run() {
    std::vector<node_id> id;
    for (const node& n : in_.nodes) {
      node copy = n;
      for (node_id& i : copy.inputs) i = id[static_cast<std::size_t>(i)];
      id.push_back(n.kind == node_kind::map ? map(std::move(copy)) : add(std::move(copy)));
    }
    for (node_id o : in_.outputs) b_.out.outputs.push_back(id[static_cast<std::size_t>(o)]);
    return std::move(b_.out);
  }

 private:
  node_id add(node n) {
    const node_id i = b_.out.add(std::move(n));
    grow();
    return i;
  }

  void grow() {
    numbers_.resize(b_.out.nodes.size());
    plain_.resize(b_.out.nodes.size());
    conditions_.resize(b_.out.nodes.size());
  }

  /// A map that stays as it is.
  node_id whole(node n) {
    const auto follows = [&](const std::vector<char>& computed, bool places) {
      return std::ranges::all_of(n.inputs, [&](node_id i) {
        const node& x = b_.out[i];
        const bool asked = places && conditions_[static_cast<std::size_t>(i)];
        const bool shown = places && x.kind == node_kind::view;  // such as a column over a table
        return x.shape.empty() || (places && x.kind == node_kind::iota) || asked ||
               is_given(b_.out, shown ? x.inputs[0] : i, computed);
      });
    };
    const bool follow = follows(numbers_, true);
    const bool number = is_inexact(n.type) && follow, condition = is_bool(n.type) && follow;
    const bool plain = follows(plain_, false);
    const node_id i = add(std::move(n));
    numbers_[static_cast<std::size_t>(i)] = number;
    plain_[static_cast<std::size_t>(i)] = plain;
    conditions_[static_cast<std::size_t>(i)] = condition;
    return i;
  }

  /// The axes along which all operands of n are broadcast; none if some operand is computed
  /// elsewhere.
  std::vector<std::size_t> still(const node& n) const {
    std::vector<std::size_t> axes;
    bool any = false;
    for (node_id i : n.inputs) {
      const node& x = b_.out[i];
      if (x.shape.empty()) continue;
      if (x.kind != node_kind::view || !is_given(b_.out, x.inputs[0], numbers_)) return {};
      any = true;
    }
    for (std::size_t d = 0; any && d < n.shape.size(); ++d) {
      const bool moves = std::ranges::any_of(n.inputs, [&](node_id i) {
        return !b_.out[i].shape.empty() && b_.out[i].map.strides[d] != 0;
      });
      if (!moves && n.shape[d] > 1) axes.push_back(d);
    }
    return axes;
  }

  /// The axes of extent 1 that all operands of n lack in memory: a sum that kept its axis, and what
  /// is computed from it, then become one kernel like others.
  std::vector<std::size_t> added(const node& n) const {
    std::vector<std::size_t> axes;
    for (std::size_t d = 0; d < n.shape.size(); ++d) {
      if (n.shape[d] == 1) axes.push_back(d);
    }
    shape_t shape = n.shape;
    without(shape, axes);
    const bool all = std::ranges::all_of(n.inputs, [&](node_id i) {
      const node& x = b_.out[i];
      if (x.shape.empty()) return true;
      return is_reshape(b_.out, i) && b_.out[x.inputs[0]].shape == shape &&
             is_given(b_.out, x.inputs[0], plain_);
    });
    return all && !shape.empty() ? axes : std::vector<std::size_t>();
  }

  node_id map(node n) {
    if (const auto axes = added(n); !axes.empty()) return reshaped(std::move(n), axes);
    const std::vector<std::size_t> axes = still(n);
    extent times = 1;
    for (std::size_t d : axes) times *= n.shape[d];
    // A single number for all elements is not made an array.
    if (axes.empty() || !(times >= least_times) || axes.size() == n.shape.size()) {
      return whole(std::move(n));
    }
    const shape_t all = n.shape;
    without(n.shape, axes);
    if (size_of(n.shape) == 1) {
      n.shape = all;
      return whole(std::move(n));
    }
    b_.origin = n.origin;
    for (node_id& i : n.inputs) {
      if (b_.out[i].shape.empty()) continue;
      const node wide = b_.out[i];
      extent_list strides = wide.map.strides;
      without(strides, axes);
      const node& base = b_.out[wide.inputs[0]];
      const bool same = base.shape == n.shape && wide.map.offset == 0 &&
                        strides == extent_list(dense_strides(n.shape));
      i = same ? wide.inputs[0] : b_.view(wide.inputs[0], n.shape, strides, wide.map.offset);
      grow();
    }
    extent_list strides(dense_strides(n.shape));
    for (std::size_t d : axes) {
      strides.insert(strides.begin() + static_cast<std::ptrdiff_t>(d), extent(0));
    }
    const node_id small = add(std::move(n));
    numbers_[static_cast<std::size_t>(small)] = 1;
    const node_id repeated = b_.view(small, all, strides);
    grow();
    return repeated;
  }

  node_id reshaped(node n, const std::vector<std::size_t>& axes) {
    const shape_t all = n.shape;
    without(n.shape, axes);
    b_.origin = n.origin;
    for (node_id& i : n.inputs) {
      if (!b_.out[i].shape.empty()) i = b_.out[i].inputs[0];
    }
    const node_id small = whole(std::move(n));
    const node_id again = b_.view(small, all, extent_list(dense_strides(all)));
    grow();
    return again;
  }

  template <class List> static void without(List& list, const std::vector<std::size_t>& axes) {
    for (std::size_t k = axes.size(); k-- > 0;) {
      list.erase(list.begin() + static_cast<std::ptrdiff_t>(axes[k]));
    }
  }

  const graph& in_;
  graph_builder b_;
  // Numbers, also those computed from coordinates. Conditions on coordinates stay as they are,
  // because moves of an array are recognised by them; but what they select is a number (the end of
  // `linspace`). And whatever is computed from given values alone.
  std::vector<char> numbers_, conditions_, plain_;
};

}  // namespace

graph narrow_maps(const graph& g) {
  return narrower(g).run();
}

}  // namespace sinter::ir
