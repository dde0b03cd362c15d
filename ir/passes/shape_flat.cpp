#include "ir/passes/shape_flat.hpp"

#include <algorithm>

#include "ir/passes/shaper.hpp"

namespace sinter::ir {
namespace {

/// Operands of which each lane finds its own element, at most.
constexpr int most_picked = 4;

/// Lanes that find their own elements as fast as by rows: of four floats each.
constexpr int few_lanes = 4;

/// Is element i of the domain element i of the operand?
bool is_run(const index_expr& e, const shape_t& extents) {
  return e.strides == dense_strides(extents);
}

bool is_repeated(const index_expr& e) {
  return std::ranges::any_of(e.strides, [](extent s) { return s == 0; }) &&
         (e.strides.back() == 0 || e.strides.back() == 1);
}

bool stands_still(const index_expr& e) {
  return std::ranges::all_of(e.strides, [](extent s) { return s == 0; });
}

bool goes_elsewhere(const inst& i) {
  const bool apart = i.kind == inst_kind::store && (i.args[1] >= 0 || i.args[2] >= 0);
  return apart || i.kind == inst_kind::gather;
}

bool can_be_flat(const kernel& k, const shape_t& extents, const std::vector<index_expr>& ops) {
  if (std::ranges::any_of(k.body, goes_elsewhere)) return false;
  int picked = 0;
  for (std::size_t o = 0; o < ops.size(); ++o) {
    if (!ops[o].affine()) return false;
    if (is_run(ops[o], extents)) continue;
    if (k.operands[o].role == operand_role::output || !is_repeated(ops[o])) return false;
    ++picked;
  }
  return picked <= most_picked;
}

/// Elements of a vector, all of which begin at whole ones.
int vector_of(const kernel& k, const shape_t& extents, const std::vector<index_expr>& ops) {
  int v = k.schedule.vector;
  for (std::size_t o = 0; o < ops.size(); ++o) {
    if (k.operands[o].role == operand_role::index || !is_run(ops[o], extents)) continue;
    while (v > 1 && ops[o].offset % extent(v) != 0) v /= 2;
  }
  return v;
}

/// How many lanes go on over a row's end together, and how many elements of what is picked along
/// rows lie aligned.
int row_lanes_of(const kernel& k, const shape_t& extents, const std::vector<index_expr>& ops,
                 int vector) {
  const extent n = extents.back();
  if (vector <= few_lanes || n < extent(vector)) return 0;
  int lanes = vector;
  while (n % extent(lanes) != 0) lanes /= 2;
  for (std::size_t o = 0; o < ops.size(); ++o) {
    const index_expr& e = ops[o];
    if (k.operands[o].role == operand_role::index) continue;
    if (is_run(e, extents) || !(e.strides.back() == 1)) continue;
    while (lanes > 1 && e.offset % extent(lanes) != 0) lanes /= 2;
    for (std::size_t d = 0; d + 1 < extents.size(); ++d) {
      while (lanes > 1 && e.strides[d] % extent(lanes) != 0) lanes /= 2;
    }
  }
  return lanes;
}

}  // namespace

bool make_flat(kernel& k, const shape_t& extents, const std::vector<index_expr>& ops,
               const machine& m) {
  // A launch of a part of more elements than one reaches begins anywhere.
  if (product(extents, 0, extents.size()) >= extent(m.launch_limit)) return false;
  if (!can_be_flat(k, extents, ops)) return false;
  const int v = vector_of(k, extents, ops);
  if (v == 1) return false;
  k.schedule.vector = v;
  k.schedule.flat = true;
  k.schedule.row_lanes = row_lanes_of(k, extents, ops, v);
  for (std::size_t o = 0; o < ops.size(); ++o) {
    if (!stands_still(ops[o]) && !is_run(ops[o], extents)) k.operands[o].reach = reach::picked;
  }
  return true;
}

}  // namespace sinter::ir
