#include "ir/passes/integer_products.hpp"

#include <algorithm>
#include <optional>

#include "ir/graph_builder.hpp"

namespace sinter::ir {
namespace {

/// Multiply-adds from which on the casts and the library's call cost less than they save (four
/// times as many for three products), and the shortest side of the matrices.
constexpr std::int64_t least_steps = 1 << 24, least_matrix_side = 16;
/// The same on a CPU, whose library takes as long as a kernel for 32^3.
constexpr std::int64_t least_steps_cpu = 1 << 17;
/// The sum of fewer products of bytes than this fits in an int32.
constexpr std::int64_t most_bytes = 1 << 17;
constexpr int exact_bits = 53, half_bits = 16;

/// Bits that bfloat16 holds, and float32, in which its products are accumulated.
constexpr int bfloat_bits = 8, float_bits = 24;

/// A sum of x[i, j] y[j, k] over j: the matrices as views.
struct matrices {
  node_id x, y;  // in the graph
  index_map of_x, of_y;
  extent rows, depth, columns;
};

int bits_of(dtype t) {
  const int width = static_cast<int>(8 * size_of(t));
  return is_bool(t) ? 1 : is_signed(t) ? width - 1 : width;
}

/// The most bits that the magnitude of an element has.
int bits_of(const graph& g, node_id id) {
  const node& n = g[id];
  if (n.kind == node_kind::view) return bits_of(g, n.inputs[0]);
  if (n.kind != node_kind::map || n.program.code.size() != 1) return bits_of(n.type);
  const instruction& i = n.program.code[0];
  const bool widens = i.code == op::cast && (is_bool(i.type) || is_integer(i.type)) &&
                      !(is_signed(i.type) && is_unsigned(n.type));
  return widens ? std::min(bits_of(g, n.inputs[0]), bits_of(n.type)) : bits_of(n.type);
}

std::optional<matrices> matrices_of(const graph& g, const node& n) {
  if (n.kind != node_kind::reduce || n.reduction.arg || n.reduction.code != op::add ||
      !is_integer(n.type) || n.reduction.axes != std::vector<int>{1}) {
    return std::nullopt;
  }
  const node& terms = g[n.inputs[0]];
  if (terms.kind != node_kind::map || terms.type != n.type || terms.shape.size() != 3) {
    return std::nullopt;
  }
  const bool product = terms.program.code.size() == 1 &&
                       terms.program.code[0].code == op::multiply && terms.inputs.size() == 2;
  if (!product) return std::nullopt;
  for (const bool turned : {false, true}) {
    const node &x = g[terms.inputs[turned ? 1 : 0]], &y = g[terms.inputs[turned ? 0 : 1]];
    if (x.kind != node_kind::view || y.kind != node_kind::view) return std::nullopt;
    if (x.map.strides[2] != 0 || y.map.strides[0] != 0) continue;
    return matrices{x.inputs[0], y.inputs[0],    x.map,           y.map,
                    terms.shape[0], terms.shape[1], terms.shape[2]};
  }
  return std::nullopt;
}

/// Are the sums exact in floating-point numbers of so many bits?
bool fits(const graph& g, const matrices& m, int bits) {
  const int left = bits - bits_of(g, m.x) - bits_of(g, m.y);
  return left >= 0 && m.depth <= std::int64_t{1} << left;
}

/// Are the sums exact in doubles, without splitting the operands?
bool fits(const graph& g, const matrices& m) { return fits(g, m, exact_bits); }

/// And on the tensor cores, as bfloat16? 400,000 rows of 128 bytes by 96: 579 us as doubles (H100).
bool fits_halves(const graph& g, const matrices& m) {
  return bits_of(g, m.x) <= bfloat_bits && bits_of(g, m.y) <= bfloat_bits &&
         fits(g, m, float_bits);
}

/// The array of bytes that an operand is or is cast from, or -1.
node_id bytes_of(const graph& g, node_id id) {
  const node& n = g[id];
  const bool cast =
      n.kind == node_kind::map && n.program.code.size() == 1 && n.program.code[0].code == op::cast;
  const node_id found = cast ? n.inputs[0] : id;
  const dtype type = g[found].type;
  return type == dtype::int8 || type == dtype::uint8 ? found : node_id{-1};
}

/// A GPU's tensor cores sum whole vectors, and store rows of them.
constexpr std::int64_t vector_of_bytes = 16, vector_of_sums = 4;

/// Can the library multiply the bytes as they are?
bool are_bytes(const graph& g, const matrices& m, const machine& with) {
  if (!with.multiplies(dtype::int8) || bytes_of(g, m.x) < 0 || bytes_of(g, m.y) < 0) return false;
  if (!(m.depth < most_bytes)) return false;
  return with.target == target::cpu ||
         (m.depth % vector_of_bytes == 0 && m.columns % vector_of_sums == 0);
}

bool wanted(const graph& g, const node& n, const machine& with) {
  const auto m = matrices_of(g, n);
  if (!m || m->rows < least_matrix_side || m->columns < least_matrix_side) return false;
  const bool cpu = with.target == target::cpu;
  const extent steps = m->rows * m->depth * m->columns;
  const std::int64_t least = with.product_steps ? with.product_steps
                             : cpu              ? least_steps_cpu
                                                : least_steps;
  if (m->depth >= std::int64_t{1} << 20 || steps < least) return false;
  if (cpu) return are_bytes(g, *m, with);
  return fits(g, *m) || (size_of(n.type) == 4 && steps >= 4 * least);
}

class integer_writer {
 public:
  integer_writer(graph_builder& b, const matrices& m, dtype type) : b_(b), m_(m), type_(type) {}

  node_id whole(node_id x, node_id y) { return b_.cast(integer(product(x, y)), type_); }

  node_id of_bytes(node_id x, node_id y) {
    const node_id sums = b_.call("matmul", dtype::float32, {m_.rows, m_.columns},
                                 {b_.cast(x, dtype::bfloat16), b_.cast(y, dtype::bfloat16)}, {});
    return b_.cast(size_of(type_) < 4 ? integer(sums) : sums, type_);
  }

  /// The product of arrays of bytes. Unsigned ones are reduced by 128, x = x' + 128, for the
  /// product, and sum(x y) = sum(x' y) + 128 sum(y), sum(x' y) = sum(x' y') + 128 sum(x').
  node_id of_signed_bytes(node_id from_x, node_id from_y, target on) {
    const node_id x = first(from_x), y = second(from_y);
    const bool gpu = on == target::gpu;
    const node_id sx = gpu ? along(x, lies(m_.of_x, 0)) : signed_bytes(x);
    const node_id sy = gpu ? turned(along(turned(y), lies(m_.of_y, 2))) : signed_bytes(y);
    const dtype wide = size_of(type_) < 4 ? dtype::int32 : type_;
    const shape_t shape{m_.rows, m_.columns};
    node_id sum = b_.cast(b_.call("matmul", dtype::int32, shape, {sx, sy}, {}), wide);
    const auto add = [&](node_id bytes, int axis) {
      const node_id line = b_.reduce(b_.cast(bytes, wide), op::add, {axis});
      const node_id more = b_.apply(op::multiply, {line, b_.constant(wide, 128)});
      const extent along = axis == 0 ? extent(0) : extent(1);
      sum = b_.apply(op::add, {sum, b_.view(more, shape, {along, extent(1) - along})});
    };
    if (b_.out[x].type == dtype::uint8) add(y, 0);
    if (b_.out[y].type == dtype::uint8) add(sx, 1);
    return b_.cast(sum, type_);
  }

  /// (h 2^16 + l) (h' 2^16 + l'), without the terms beyond 32 bits.
  node_id of_halves(node_id x, node_id y) {
    const node_id low_x = low(x), low_y = low(y), high_x = high(x), high_y = high(y);
    const node_id across =
        b_.apply(op::add, {integer(product(low_x, high_y)), integer(product(high_x, low_y))});
    const node_id moved =
        b_.apply(op::multiply, {across, b_.constant(dtype::int64, 1 << half_bits)});
    return b_.cast(b_.apply(op::add, {integer(product(low_x, low_y)), moved}), type_);
  }

  node_id first(node_id x) {
    return b_.view(x, {m_.rows, m_.depth}, {m_.of_x.strides[0], m_.of_x.strides[1]},
                   m_.of_x.offset);
  }
  node_id second(node_id y) {
    return b_.view(y, {m_.depth, m_.columns}, {m_.of_y.strides[1], m_.of_y.strides[2]},
                   m_.of_y.offset);
  }

 private:
  node_id product(node_id x, node_id y) {
    return b_.call("matmul", dtype::float64, {m_.rows, m_.columns},
                   {b_.cast(x, dtype::float64), b_.cast(y, dtype::float64)}, {});
  }
  /// Are rows contiguous in memory along the sum, in whole vectors?
  static bool lies(const index_map& map, std::size_t rows) {
    return map.strides[1] == 1 && map.strides[rows] % vector_of_bytes == 0 &&
           map.offset % vector_of_bytes == 0;
  }
  /// A GPU's library takes bytes that are contiguous along the sum, as the rows of this matrix are.
  node_id along(node_id x, bool lies) {
    if (lies || b_.out[x].type == dtype::uint8) return signed_bytes(x);
    return b_.apply(op::bitwise_or, {x, b_.constant(dtype::int8, 0)});
  }
  node_id turned(node_id x) {
    const shape_t shape = b_.out[x].shape;
    return b_.view(x, {shape[1], shape[0]}, {extent(1), shape[1]});
  }
  node_id signed_bytes(node_id x) {
    if (b_.out[x].type == dtype::int8) return x;
    return b_.bitcast(b_.apply(op::bitwise_xor, {x, b_.constant(dtype::uint8, 128)}), dtype::int8);
  }
  node_id integer(node_id x) { return b_.cast(x, dtype::int64); }
  node_id low(node_id x) {
    return b_.apply(op::bitwise_and, {x, b_.constant(type_, (1 << half_bits) - 1)});
  }
  node_id high(node_id x) {
    return b_.apply(op::shift_right, {x, b_.constant(type_, half_bits)});
  }

  graph_builder& b_;
  const matrices& m_;
  dtype type_;
};

}  // namespace

graph integer_products(const graph& g, const machine& m) {
  if (m.target == target::cpu && !m.int8_products) return g;
  const auto asks = [&](const node& n) { return wanted(g, n, m); };
  return replaced(g, asks, [&](graph_builder& b, const node& n, const node& copy) {
    // The operands precede the node in the new graph, as in the old one.
    const matrices was = *matrices_of(g, n), is = *matrices_of(b.out, copy);
    integer_writer w(b, is, n.type);
    if (are_bytes(g, was, m)) {
      return w.of_signed_bytes(bytes_of(b.out, is.x), bytes_of(b.out, is.y), m.target);
    }
    const node_id x = w.first(is.x), y = w.second(is.y);
    if (fits_halves(g, was)) return w.of_bytes(x, y);
    return fits(g, was) ? w.whole(x, y) : w.of_halves(x, y);
  });
}

}  // namespace sinter::ir
