#include "ir/passes/vector_products.hpp"

#include <utility>

#include "ir/graph_builder.hpp"
#include "ir/index_expr.hpp"
#include "ir/passes/product_forms.hpp"

namespace sinter::ir {
namespace {

/// The strides of a dense stack of matrices, each read with these two.
extent_list strides_of(const shape_t& stack, extent first, extent second) {
  const std::vector<extent> dense = dense_strides(stack);
  extent_list strides(dense.begin(), dense.end());
  strides[stack.size() - 2] = first;
  strides[stack.size() - 1] = second;
  return strides;
}

/// A product whose operands are known to the builder.
class product_writer {
 public:
  explicit product_writer(graph_builder& b) : b_(b) {}

  /// The first column times the first row, plus the second one times the second.
  node_id summed_by_depth(const node& n) {
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

  /// Every row times every column, summed along an axis between theirs.
  node_id summed_between(const node& n) {
    const dtype wide = is_half(n.type) ? dtype::float32 : n.type;
    const node_id a = b_.cast(n.inputs[0], wide), b = b_.cast(n.inputs[1], wide);
    const shape_t left = b_.out[a].shape, right = b_.out[b].shape;
    const std::size_t rank = left.size();
    const std::vector<extent> of_left = dense_strides(left), of_right = dense_strides(right);
    shape_t shape = left;
    shape.push_back(right.back());  // rows, the sum's axis, columns
    extent_list rows(of_left.begin(), of_left.end()), columns(of_right.begin(), of_right.end());
    rows.push_back(0);
    columns.insert(columns.begin() + static_cast<std::ptrdiff_t>(rank) - 2, extent(0));
    const node_id product =
        b_.apply(op::multiply, {b_.view(a, shape, rows), b_.view(b, shape, columns)});
    const node_id sum = b_.reduce(product, op::add, {static_cast<int>(rank) - 1});
    return b_.cast(reshaped(sum, n.shape), n.type);
  }

  /// The transposed product: every column times every row. REQUIRES: no stack.
  node_id summed_exchanged(node n) {
    n.inputs = {transposed(n.inputs[1]), transposed(n.inputs[0])};
    const shape_t shape = n.shape;
    const std::size_t rank = shape.size();
    std::swap(n.shape[rank - 1], n.shape[rank - 2]);
    return b_.view(summed_between(n), shape, strides_of(shape, 1, shape[rank - 2]));
  }

  node_id summed(const node& n) {
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

 private:
  node_id transposed(node_id x) {
    shape_t shape = b_.out[x].shape;
    const std::size_t rank = shape.size();
    const extent columns = shape[rank - 1];
    std::swap(shape[rank - 1], shape[rank - 2]);
    return b_.view(x, shape, strides_of(shape, 1, columns));
  }

  node_id reshaped(node_id x, const shape_t& shape) {
    if (b_.out[x].shape == shape) return x;
    const std::vector<extent> dense = dense_strides(shape);
    return b_.view(x, shape, {dense.begin(), dense.end()});
  }

  graph_builder& b_;
};

}  // namespace

graph vector_products(const graph& g, const machine& m) {
  const auto wanted = [&](const node& n) {
    return is_product(n) && form_of(g, n, m) != product_form::library;
  };
  return replaced(g, wanted, [&](graph_builder& b, const node& n, node copy) {
    product_writer writer(b);
    switch (form_of(g, n, m)) {
      case product_form::vector:
        return writer.summed(copy);
      case product_form::by_depth:
        return writer.summed_by_depth(copy);
      case product_form::exchanged:
        return writer.summed_exchanged(copy);
      default:
        return writer.summed_between(copy);
    }
  });
}

}  // namespace sinter::ir
