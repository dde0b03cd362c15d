#include "ir/passes/vector_products.hpp"

#include "ir/graph_builder.hpp"
#include "ir/index_expr.hpp"

namespace sinter::ir {
namespace {

constexpr std::int64_t most_depth = 4;

/// Matrices of a CPU's stack: a call of its library for each takes 29 ns (300,000 of 3 x 3 with
/// 3 x 3: 8.7 ms on a thread, 1.3 as a map).
constexpr std::int64_t tiny_side = 4, least_stack = 16;

/// Sides of a GPU's products that are maps deeper than that, and rows of them in all: its library
/// multiplies tiles of 32 and more, most of which such matrices leave empty, and nothing fuses.
constexpr std::int64_t small_side = 8, least_product_rows = 8192;

/// Multiplications of a GPU's product that is a kernel, of numbers of a byte, and the longest sum
/// of one. A call of its library takes 7 to 15 us of the host whatever it multiplies; of ten
/// products of floats in a row those of 128 x 128 take 13 us each and 2.2 to 2.6 as kernels, of
/// 128 x 256 by 256 x 256 14 to 18 and 5, of doubles 14 and 3.5, 15 and 8 (*H200*).
constexpr std::int64_t light_product = std::int64_t{1} << 24, longest_light_sum = 1024;

/// Of a dense stack of matrices, each read with these two strides.
extent_list strides_of(const shape_t& stack, extent first, extent second) {
  const std::vector<extent> dense = dense_strides(stack);
  extent_list strides(dense.begin(), dense.end());
  strides[stack.size() - 2] = first;
  strides[stack.size() - 1] = second;
  return strides;
}

bool is_product(const node& n) {
  return n.kind == node_kind::call && n.routine == "matmul" && n.inputs.size() == 2;
}

bool has_vectors(const graph& g, const node& n) {
  const shape_t &a = g[n.inputs[0]].shape, &b = g[n.inputs[1]].shape;
  return a[a.size() - 2] == 1 || a[a.size() - 1] == 1 || b[b.size() - 1] == 1;
}

/// Is a call of the library for each matrix more than the product itself?
bool is_tiny(const graph& g, const node& n) {
  const shape_t &a = g[n.inputs[0]].shape, &b = g[n.inputs[1]].shape;
  const extent rows = a[a.size() - 2], columns = b[b.size() - 1];
  return rows <= tiny_side && columns <= tiny_side &&
         size_of(n.shape) >= least_stack * rows * columns;
}

/// Are there many rows of few, and nothing long to sum?
bool is_small(const graph& g, const node& n) {
  const extent columns = g[n.inputs[1]].shape.back(), depth = g[n.inputs[0]].shape.back();
  return is_real(n.type) && !is_half(n.type) && columns <= small_side && depth <= small_side &&
         size_of(n.shape) >= least_product_rows * columns;
}

/// Would the library's call cost more than the product?
bool is_light(const graph& g, const node& n, const machine& m) {
  if (m.target != target::gpu || !is_inexact(n.type)) return false;
  const extent depth = g[n.inputs[0]].shape.back();
  const std::int64_t each = is_half(n.type) ? 4 : size_of(n.type) * (is_complex(n.type) ? 4 : 1);
  return depth <= longest_light_sum && size_of(n.shape) * depth * each <= light_product;
}

bool is_shallow(const graph& g, const node& n, const machine& m) {
  if (!is_inexact(n.type) || (m.target == target::cpu && !is_tiny(g, n))) return false;
  const extent depth = g[n.inputs[0]].shape.back();
  if (depth > 0 && depth <= most_depth) return true;
  return depth > 0 && m.target == target::gpu && is_small(g, n);
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

  /// Every row times every column, summed along what stands between their axes.
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
    return is_product(n) && (has_vectors(g, n) || is_shallow(g, n, m) || is_light(g, n, m));
  };
  return replaced(g, wanted, [&](graph_builder& b, const node& n, node copy) {
    product_writer writer(b);
    if (has_vectors(g, n)) return writer.summed(copy);
    return is_shallow(g, n, m) ? writer.summed_by_depth(copy) : writer.summed_between(copy);
  });
}

}  // namespace sinter::ir
