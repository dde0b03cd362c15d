#include "ir/passes/vector_products.hpp"

#include "ir/graph_builder.hpp"
#include "ir/index_expr.hpp"

namespace sinter::ir {
namespace {

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
  explicit product_rewriter(const graph& g) : in_(g) { b_.out.origins = g.origins; }

  graph run() {
    bool some = false;
    for (const node& n : in_.nodes) {
      node copy = n;
      for (node_id& i : copy.inputs) i = id_[static_cast<std::size_t>(i)];
      const bool thin = has_vectors(n);
      some |= thin;
      id_.push_back(thin ? summed(copy) : b_.out.add(std::move(copy)));
    }
    if (!some) return in_;
    for (const node_id o : in_.outputs) b_.out.outputs.push_back(id_[static_cast<std::size_t>(o)]);
    return std::move(b_.out);
  }

 private:
  bool has_vectors(const node& n) const {
    if (n.kind != node_kind::call || n.routine != "matmul" || n.inputs.size() != 2) return false;
    const shape_t &a = in_[n.inputs[0]].shape, &b = in_[n.inputs[1]].shape;
    return a[a.size() - 2] == 1 || a[a.size() - 1] == 1 || b[b.size() - 1] == 1;
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
  graph_builder b_;
  std::vector<node_id> id_;
};

}  // namespace

graph vector_products(const graph& g) {
  return product_rewriter(g).run();
}

}  // namespace sinter::ir
