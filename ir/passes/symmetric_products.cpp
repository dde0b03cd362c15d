#include "ir/passes/symmetric_products.hpp"

#include "ir/index_expr.hpp"
#include "ir/passes/simplify.hpp"
#include "ir/product.hpp"

namespace sinter::ir {
namespace {

/// Smaller products take no longer whole than halved and mirrored: on a CPU of doubles and floats
/// 0.6 to 0.8 of the time from here on, and all of it below.
constexpr std::int64_t shortest_sum = 128;
constexpr std::int64_t shortest_side_cpu = 256;
/// What a block of a GPU's library multiplies at a time.
constexpr std::int64_t tile = 128;

/// A GPU multiplies as many tiles at a time as it has units, so leaving out tiles saves time only
/// where every unit has one less. Of t x t tiles t (t - 1) / 2 are left out. On an H200 (132 units)
/// that is from a side of 2176 on; at 1024 half a product took 1.10 of a whole one.
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
    out_.origins = g.origins;
  }

  graph run() {
    bool some = false;
    for (const node& n : in_.nodes) {
      node copy = n;
      for (node_id& i : copy.inputs) i = id_[static_cast<std::size_t>(i)];
      matmul_form f;
      const bool halved = symmetric(n, f);
      some |= halved;
      id_.push_back(halved ? mirrored(std::move(copy), f) : out_.add(std::move(copy)));
    }
    if (!some) return in_;
    for (const node_id o : in_.outputs) out_.outputs.push_back(id_[static_cast<std::size_t>(o)]);
    return std::move(out_);
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
    // The libraries conjugate what they transpose.
    return f.a.transpose ? !f.b.conjugate : !f.a.conjugate;
  }

  node_id map(op code, dtype type, dtype result, const shape_t& shape,
              std::vector<node_id> inputs) {
    node m;
    m.kind = node_kind::map;
    m.type = result;
    m.shape = shape;
    m.origin = origin_;
    instruction i{code, type, result, {-1, -1, -1}};
    for (std::size_t k = 0; k < inputs.size(); ++k) {
      i.args[k] = static_cast<std::int16_t>(k);
      m.program.inputs.push_back(out_[inputs[k]].type);
    }
    m.program.code = {i};
    m.inputs = std::move(inputs);
    return out_.add(std::move(m));
  }

  node_id view(node_id x, const shape_t& shape, extent_list strides) {
    node v;
    v.kind = node_kind::view;
    v.type = out_[x].type;
    v.shape = shape;
    v.origin = origin_;
    v.inputs = {x};
    v.map.strides = std::move(strides);
    return out_.add(std::move(v));
  }

  /// where(column <= row, half, half^T)
  node_id mirrored(node n, const matmul_form& f) {
    origin_ = n.origin;
    const shape_t shape = n.shape;
    const dtype type = n.type;
    const bool adjoint = is_complex(type) && (f.a.conjugate || f.b.conjugate);
    n.routine = "syrk";
    const node_id half = out_.add(std::move(n));
    node counter;
    counter.kind = node_kind::iota;
    counter.type = dtype::int64;
    counter.shape = {shape[0]};
    counter.origin = origin_;
    const node_id count = out_.add(std::move(counter));
    const node_id row = view(count, shape, {extent(1), extent(0)}),
                  column = view(count, shape, {extent(0), extent(1)});
    const node_id below = map(op::less_equal, dtype::int64, dtype::bool_, shape, {column, row});
    node_id across = view(half, shape, {extent(1), shape[1]});
    if (adjoint) across = map(op::conj, type, type, shape, {across});
    return map(op::where, type, type, shape, {below, half, across});
  }

  const graph& in_;
  const std::int64_t least_, least_sum_;
  graph out_;
  std::vector<node_id> id_;
  std::int32_t origin_ = -1;
};

}  // namespace

graph symmetric_products(const graph& g, const machine& m) {
  return m.fuse ? halver(g, m).run() : g;
}

}  // namespace sinter::ir
