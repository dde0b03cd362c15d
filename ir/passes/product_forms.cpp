#include "ir/passes/product_forms.hpp"

#include <set>
#include <vector>

#include "ir/product.hpp"

namespace sinter::ir {
namespace {

constexpr std::int64_t most_depth = 4;

/// Matrices of a CPU's stack: a call of the library for each takes 29 ns (300,000 of 3 x 3 with 3 x
/// 3: 8.7 ms on a thread, 1.3 as a map).
constexpr std::int64_t tiny_side = 4, least_stack = 16;

/// Points of a CPU's products of a depth up to four. Two cores of an EPYC, us, by the library and
/// as sums: 1,000,000 points of 3 doubles times a matrix 3,580 and 540, of floats 1,310 and 180, as
/// columns 1,040 and 330, 100,000 of 4 doubles by 2 columns 158 and 71, 3,000 of 3 4.1 and 2.2. As
/// columns 100,000 lose, 28 and 52, and 300 of any, 0.9 and 1.2.
constexpr std::int64_t few_coordinates = 4, many_points = 1024;
constexpr std::int64_t least_wide_points = std::int64_t{1} << 21;

/// Sides of a GPU's deeper products that become maps, and the least number of their rows in all:
/// the library multiplies tiles of 32 and more, most of which such matrices leave empty, and
/// nothing fuses.
constexpr std::int64_t small_side = 8, least_product_rows = 8192;

/// The most multiplications, counted in bytes, of a GPU's product that becomes a kernel, and its
/// longest sum. A call of the library takes 7 to 15 us of the host whatever it multiplies; of ten
/// products of floats in a row those of 128 x 128 take 13 us each and 2.2 to 2.6 as kernels, of 128
/// x 256 by 256 x 256 14 to 18 and 5, of doubles 14 and 3.5, 15 and 8 (*H200*).
constexpr std::int64_t light_product = std::int64_t{1} << 24, longest_light_sum = 1024;

/// Shapes for which a GPU's library has no kernel: few outputs of a long sum, few columns. *H200*,
/// us, by the library and as a sum: 16 x 16 of 200,000 floats 52 and 18, 4 x 4 of 2,000,000 206 and
/// 24, 8 x 8 of 200,000 doubles 27 and 14, bfloat16 17 and 8; a million rows of 16 by 4 columns 62
/// and 30, of 32 by 2 95 and 57; 2,000 x 2,000 by 3 49 and 12, 200 x 200,000 by 2 155 and 58. The
/// most that is lost is 12% (8,000 x 8,000 by 3: 134 and 148).
constexpr std::int64_t few_outputs = 256, few_wide_outputs = 64;
constexpr std::int64_t narrow_columns = 3, narrow_short_columns = 8, short_sum = 16;

/// If both operands are contiguous along the sum, each output is the sum of a row, which reads
/// both.
constexpr std::int64_t most_row_products = std::int64_t{1} << 28;

struct product_sides {
  extent rows, depth, columns;  // of one matrix
  extent size;                  // of the whole stack's result
  dtype type;
};

product_sides sides_of(const graph& g, const node& n) {
  const shape_t &a = g[n.inputs[0]].shape, &b = g[n.inputs[1]].shape;
  return {a[a.size() - 2], a.back(), b.back(), size_of(n.shape), n.type};
}

bool has_vectors(const product_sides& p) { return p.rows == 1 || p.depth == 1 || p.columns == 1; }

/// Does a call of the library for each matrix cost more than the product itself?
bool is_tiny(const product_sides& p) {
  return p.rows <= tiny_side && p.columns <= tiny_side &&
         p.size >= least_stack * p.rows * p.columns;
}

/// Are there many rows, all sides of a matrix short?
bool is_small(const product_sides& p) {
  return is_real(p.type) && !is_half(p.type) && p.columns <= small_side && p.depth <= small_side &&
         p.size >= least_product_rows * p.columns;
}

/// Would the library's call cost more than the product?
bool is_light(const product_sides& p, const machine& m) {
  if (m.target != target::gpu || !is_inexact(p.type)) return false;
  const std::int64_t each = is_half(p.type) ? 4 : size_of(p.type) * (is_complex(p.type) ? 4 : 1);
  return p.depth <= longest_light_sum && p.size * p.depth * each <= light_product;
}

/// Many points of few coordinates, as rows, or as columns if they are too many for the caches.
bool has_points(const product_sides& p) {
  if (p.columns <= few_coordinates && p.size >= many_points * p.columns) return true;
  return p.rows <= few_coordinates && p.size >= least_wide_points;
}

bool is_shallow(const product_sides& p, const machine& m) {
  if (!is_inexact(p.type)) return false;
  if (m.target == target::cpu && !is_tiny(p) && !has_points(p)) return false;
  if (p.depth > 0 && p.depth <= most_depth) return true;
  return p.depth > 0 && m.target == target::gpu && is_small(p);
}

/// Is an operand contiguous along its last axis, as far as can be seen? A computed operand is
/// stored in the order in which its own operands are read.
bool is_row_major(const graph& g, node_id operand) {
  std::vector<node_id> todo{operand};
  std::set<node_id> met{operand};
  while (!todo.empty()) {
    const node& n = g[todo.back()];
    todo.pop_back();
    if (n.kind == node_kind::view && n.map.strides[n.shape.size() - 1] > 1) return false;
    if (n.kind != node_kind::map) continue;
    for (node_id i : n.inputs) {
      if (!g[i].shape.empty() && met.insert(i).second) todo.push_back(i);
    }
  }
  return true;
}

bool has_few_columns(const product_sides& p, const extent& columns) {
  if (p.depth <= short_sum) {
    return columns <= (p.type == dtype::float32 ? narrow_short_columns : std::int64_t{2});
  }
  return p.type == dtype::float32 && columns <= narrow_columns;
}

/// Is it too narrow for the library's tiles?
bool is_narrow(const graph& g, const node& n, const product_sides& p, const machine& m) {
  const bool real = is_inexact(p.type) && !is_complex(p.type);
  if (m.target != target::gpu || !real || p.size != p.rows * p.columns) return false;
  const bool single = p.type == dtype::float32;
  if (p.size <= (single ? few_outputs : few_wide_outputs)) {
    const bool along = is_row_major(g, n.inputs[0]) && !is_row_major(g, n.inputs[1]);
    return !along || p.size * p.depth <= most_row_products;
  }
  if (is_half(p.type)) return false;
  return has_few_columns(p, p.columns) || has_few_columns(p, p.rows);
}

/// Are rows and columns exchanged, because the right operand is contiguous along the sum? Adjacent
/// threads then read adjacent elements.
bool is_exchanged(const graph& g, const node& n, const product_sides& p) {
  if (is_row_major(g, n.inputs[1])) return false;
  return !is_row_major(g, n.inputs[0]) || p.columns > p.rows;
}

}  // namespace

product_form form_of(const graph& g, const node& n, const machine& m) {
  const product_sides p = sides_of(g, n);
  if (has_vectors(p)) return product_form::vector;
  if (is_shallow(p, m)) return product_form::by_depth;
  if (is_light(p, m)) return product_form::between;
  if (!is_narrow(g, n, p, m)) return product_form::library;
  return is_exchanged(g, n, p) ? product_form::exchanged : product_form::between;
}

bool is_product(const node& n) {
  if (n.kind != node_kind::call || n.routine != "matmul" || n.inputs.size() != 2) return false;
  return says_nothing_but_mode(n.attributes);
}

}  // namespace sinter::ir
