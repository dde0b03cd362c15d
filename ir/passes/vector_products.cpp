#include "ir/passes/vector_products.hpp"

#include "ir/graph_builder.hpp"
#include "ir/index_expr.hpp"

namespace sinter::ir {
namespace {

constexpr std::int64_t most_depth = 4;

/// Of a dense stack of matrices, each read with these two strides.
extent_list strides_of(const shape_t& stack, extent first, extent second) {
  const std::vector<extent> dense = dense_strides(stack);
  extent_list strides(dense.begin(), dense.end());
  strides[stack.size() - 2] = first;
  strides[stack.size() - 1] = second;
  return strides;
}

class product_rewriter {
 public:
  product_rewriter(const graph& g, const machine& m) : in_(g), m_(m) {
    b_.out.origins = g.origins;
  }

  graph run() {
    bool some = false;
    for (const node& n : in_.nodes) {
      node copy = n;
      for (node_id& i : copy.inputs) i = id_[static_cast<std::size_t>(i)];
      const bool vectors = has_vectors(n), shallow = !vectors && is_shallow(n);
      some |= vectors || shallow;
      id_.push_back(vectors   ? summed(copy)
                    : shallow ? summed_by_depth(copy)
                              : b_.out.add(std::move(copy)));
    }
    if (!some) return in_;
    for (const node_id o : in_.outputs) b_.out.outputs.push_back(id_[static_cast<std::size_t>(o)]);
    return std::move(b_.out);
  }

 private:
  static bool is_product(const node& n) {
    return n.kind == node_kind::call && n.routine == "matmul" && n.inputs.size() == 2;
  }

  bool has_vectors(const node& n) const {
    if (!is_product(n)) return false;
    const shape_t &a = in_[n.inputs[0]].shape, &b = in_[n.inputs[1]].shape;
    return a[a.size() - 2] == 1 || a[a.size() - 1] == 1 || b[b.size() - 1] == 1;
  }

  bool is_shallow(const node& n) const {
    if (!is_product(n) || m_.target != target::gpu || !is_inexact(n.type)) return false;
    const extent depth = in_[n.inputs[0]].shape.back();
    return depth > 0 && depth <= most_depth;
  }

  /// The first column times the first row, plus the second one times the second.
  node_id summed_by_depth(const node& n) {
    b_.origin = n.origin;
    const dtype wide = is_half(n.type) ? dtype::float32 : n.type;
    const node_id a = b_.cast(n.inputs[0], wide), b = b_.cast(n.inputs[1], wide);
    const shape_t left = b_.out[a].shape, right = b_.out[b].shape;
    shape_t shape = left;
    const extent depth = left.back(), columns = shape.back() = right.back();
    node_id sum = -1;
    for (std::int64_t j = 0; depth > j; ++j) {
      const node_id column = b_.view(a, shape, strides_of(left, depth, 0), j);
      const node_id row = b_.view(b, shape, strides_of(right, 0, 1), j * columns);
      const node_id product = b_.apply(op::multiply, {column, row});
      sum = sum < 0 ? product : b_.apply(op::add, {sum, product});
    }
    return b_.cast(reshaped(sum, n.shape), n.type);
  }

  node_id summed(const node& n) {
    b_.origin = n.origin;
    const dtype wide = is_half(n.type) ? dtype::float32 : n.type;
    const node_id a = b_.cast(n.inputs[0], wide), b = b_.cast(n.inputs[1], wide);
    const shape_t left = b_.out[a].shape, right = b_.out[b].shape;
    const int last = static_cast<int>(left.size()) - 1;
    const extent k = left[left.size() - 1], columns = right[right.size() - 1];
    node_id product;
    if (k == 1) {  // a column and a row
      shape_t shape = left;
      shape[left.size() - 1] = columns;
      product = b_.apply(op::multiply, {b_.view(a, shape, strides_of(left, 1, 0)),
                                        b_.view(b, shape, strides_of(right, 0, 1))});
    } else if (columns == 1) {  // along the rows of the left one
      const node_id row = b_.view(b, left, strides_of(right, 0, 1));
      product = b_.reduce(b_.apply(op::multiply, {a, row}), op::add, {last});
    } else {  // down the columns of the right one
      const node_id column = b_.view(a, right, strides_of(left, 1, 0));
      product = b_.reduce(b_.apply(op::multiply, {column, b}), op::add, {last - 1});
    }
    return b_.cast(reshaped(product, n.shape), n.type);
  }

  node_id reshaped(node_id x, const shape_t& shape) {
    if (b_.out[x].shape == shape) return x;
    const std::vector<extent> dense = dense_strides(shape);
    return b_.view(x, shape, {dense.begin(), dense.end()});
  }

  const graph& in_;
  const machine& m_;
  graph_builder b_;
  std::vector<node_id> id_;
};

}  // namespace

graph vector_products(const graph& g, const machine& m) {
  return product_rewriter(g, m).run();
}

}  // namespace sinter::ir
