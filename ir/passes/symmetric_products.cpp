#include "ir/passes/symmetric_products.hpp"

#include "ir/graph_builder.hpp"
#include "ir/index_expr.hpp"
#include "ir/passes/simplify.hpp"
#include "ir/product.hpp"

namespace sinter::ir {
namespace {

/// Shorter products take no longer whole than halved and mirrored: on a CPU, halving takes 0.6 to
/// 0.8 of the time for doubles and floats from here on, and all of it below.
constexpr std::int64_t shortest_sum = 128;
constexpr std::int64_t shortest_side_cpu = 256;
/// The side of a block in a GPU's library.
constexpr std::int64_t tile = 128;

/// A GPU multiplies as many tiles at a time as it has SMs, so leaving out tiles saves time only if
/// every SM has one less. Of t x t tiles t (t - 1) / 2 are left out. On an H200 (132 SMs) that is
/// from a side of 2176 on; at 1024 half a product took 1.10 of a whole one.
constexpr std::int64_t shortest_side(const machine& m) {
  if (m.half_side > 0) return m.half_side;
  if (m.target != target::gpu) return shortest_side_cpu;
  std::int64_t tiles = 2;
  while (tiles * (tiles - 1) / 2 < m.units) ++tiles;
  return tiles * tile;
}

class halver {
 public:
  halver(const graph& g, const machine& m)
      : in_(g), least_(shortest_side(m)), least_sum_(m.half_side > 0 ? 1 : shortest_sum) {
    b_.out.origins = g.origins;
  }

  graph run() {
    bool some = false;
    for (const node& n : in_.nodes) {
      node copy = n;
      for (node_id& i : copy.inputs) i = id_[static_cast<std::size_t>(i)];
      matmul_form f;
      const bool halved = symmetric(n, f);
      some |= halved;
      id_.push_back(halved ? mirrored(std::move(copy), f) : b_.out.add(std::move(copy)));
    }
    if (!some) return in_;
    for (const node_id o : in_.outputs) b_.out.outputs.push_back(id_[static_cast<std::size_t>(o)]);
    return std::move(b_.out);
  }

 private:
  bool symmetric(const node& n, matmul_form& f) const {
    if (n.kind != node_kind::call || n.routine != "matmul" || n.inputs.size() != 2) return false;
    if (n.inputs[0] != n.inputs[1] || n.attributes.size() < 15) return false;
    if (is_half(in_[n.inputs[0]].type) || n.shape.size() != 2) return false;
    f = matmul_form_of({}, {}, n.attributes);
    const bool mirrored = f.a.transpose != f.b.transpose && f.a.offset == f.b.offset &&
                          f.a.leading == f.b.leading && f.m == f.n && f.batch == 1;
    if (!mirrored || f.mode != matmul_mode::ieee || f.m < least_ || f.k < least_sum_) {
      return false;
    }
    if (!is_complex(n.type)) return true;
    // The libraries conjugate the operand that they transpose.
    return f.a.transpose ? !f.b.conjugate : !f.a.conjugate;
  }

  /// where(column <= row, half, half^T)
  node_id mirrored(node n, const matmul_form& f) {
    b_.origin = n.origin;
    const shape_t shape = n.shape;
    const bool adjoint = is_complex(n.type) && (f.a.conjugate || f.b.conjugate);
    n.routine = "syrk";
    const node_id half = b_.out.add(std::move(n)), count = b_.count(shape[0]);
    const node_id row = b_.view(count, shape, {extent(1), extent(0)}),
                  column = b_.view(count, shape, {extent(0), extent(1)});
    const node_id below = b_.apply(op::less_equal, {column, row});
    node_id across = b_.view(half, shape, {extent(1), shape[1]});
    if (adjoint) across = b_.apply(op::conj, {across});
    return b_.apply(op::where, {below, half, across});
  }

  const graph& in_;
  const std::int64_t least_, least_sum_;
  graph_builder b_;
  std::vector<node_id> id_;
};

}  // namespace

graph symmetric_products(const graph& g, const machine& m) {
  return m.fuse ? halver(g, m).run() : g;
}

}  // namespace sinter::ir
