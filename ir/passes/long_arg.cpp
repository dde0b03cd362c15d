#include "ir/passes/long_arg.hpp"

#include <algorithm>
#include <limits>

#include "ir/graph_builder.hpp"
#include "ir/index_expr.hpp"
#include "ir/passes/fuse.hpp"

namespace sinter::ir {

namespace {

class arg_rewriter {
 public:
  arg_rewriter(graph& out, const node& n) : out_(out), n_(n), x_(n.inputs[0]) {}

  /// min over where(x == extremum || x != x, index, last): a NaN anywhere makes the extremum NaN,
  /// and then only NaN elements match.
  node_id run() {
    const shape_t shape = out_[x_].shape;
    const dtype t = out_[x_].type;
    const node_id best = spread(reduced(x_, n_.reduction.code, t), shape);
    node_id hit = map(op::equal, t, dtype::bool_, {x_, best}, shape);
    if (is_real(t)) {
      const node_id nan = map(op::not_equal, t, dtype::bool_, {x_, x_}, shape);
      hit = map(op::logical_or, dtype::bool_, dtype::bool_, {hit, nan}, shape);
    }
    const dtype u = dtype::uint64;
    const node_id place = map(op::cast, dtype::int64, u, {index(shape)}, shape);
    const node_id zero = map(op::bitwise_xor, u, u, {place, place}, shape);
    const node_id nowhere = map(op::bitwise_invert, u, u, {zero}, shape);
    const node_id at = map(op::where, u, u, {hit, place, nowhere}, shape);
    return map(op::cast, u, dtype::int64, {reduced(at, op::minimum, u)}, n_.shape);
  }

 private:
  node_id map(op code, dtype type, dtype result, std::vector<node_id> in, const shape_t& shape) {
    node m;
    m.kind = node_kind::map;
    m.type = result;
    m.shape = shape;
    m.origin = n_.origin;
    instruction i{code, type, result, {-1, -1, -1}};
    for (std::size_t k = 0; k < in.size(); ++k) {
      i.args[k] = static_cast<std::int16_t>(k);
      m.program.inputs.push_back(out_[in[k]].type);
    }
    m.program.code = {i};
    m.inputs = std::move(in);
    return out_.add(std::move(m));
  }

  node_id reduced(node_id x, op code, dtype t) {
    node r;
    r.kind = node_kind::reduce;
    r.type = t;
    r.shape = n_.shape;
    r.inputs = {x};
    r.reduction = n_.reduction;
    r.reduction.code = code;
    r.reduction.arg = false;
    r.origin = n_.origin;
    return out_.add(std::move(r));
  }

  node_id spread(node_id r, const shape_t& shape) {
    node v;
    v.kind = node_kind::view;
    v.type = out_[r].type;
    v.shape = shape;
    v.inputs = {r};
    const auto strides = dense_strides(out_[r].shape);
    std::size_t k = 0;
    for (std::size_t i = 0; i < shape.size(); ++i) {
      v.map.strides.push_back(is_reduced(i) ? extent(0) : strides[k++]);
    }
    v.origin = n_.origin;
    return out_.add(std::move(v));
  }

  /// The row-major index among the reduced axes: an iota over them, seen from the whole shape.
  node_id index(const shape_t& shape) {
    node i;
    i.kind = node_kind::iota;
    i.type = dtype::int64;
    for (int a : n_.reduction.axes) i.shape.push_back(shape[static_cast<std::size_t>(a)]);
    i.origin = n_.origin;
    const auto strides = dense_strides(i.shape);
    node v;
    v.kind = node_kind::view;
    v.type = dtype::int64;
    v.shape = shape;
    std::size_t k = 0;
    for (std::size_t d = 0; d < shape.size(); ++d) {
      v.map.strides.push_back(is_reduced(d) ? strides[k++] : extent(0));
    }
    v.inputs = {out_.add(std::move(i))};
    v.origin = n_.origin;
    return out_.add(std::move(v));
  }

  bool is_reduced(std::size_t axis) const {
    const auto& a = n_.reduction.axes;
    return std::find(a.begin(), a.end(), static_cast<int>(axis)) != a.end();
  }

  graph& out_;
  const node& n_;
  node_id x_;
};

}  // namespace

graph long_arg(const graph& g, const machine& m) {
  const auto wanted = [&](const node& n) {
    if (n.kind != node_kind::reduce || !n.reduction.arg) return false;
    const extent rows = size_of(n.shape), all = size_of(g[n.inputs[0]].shape);
    return rows > 0 && needs_split(m, rows, all / rows);
  };
  return replaced(g, wanted, [](graph_builder& b, const node&, node copy) {
    return arg_rewriter(b.out, copy).run();
  });
}

}  // namespace sinter::ir
