#include "ir/passes/shape_flat.hpp"

#include <algorithm>

#include "ir/passes/shaper.hpp"

namespace sinter::ir {
namespace {

/// The most operands for which each lane finds its own element.
constexpr int most_picked = 4;

/// The most lanes that find their own elements as fast as by rows: four floats.
constexpr int few_lanes = 4;

/// The fewest elements of a CPU's vector that crosses row ends, and the row length from which ends
/// no longer count. Two cores of an EPYC, 200,000 floats in rows of 10, 12, 14, 17, 33, 50 and 100,
/// us: times a column and plus a row 36 -> 33, 44 -> 29, 51 -> 27, 31 -> 29, 39 -> 30, 31 -> 24, 23
/// -> 20; 1e7 of 12, 20 and 33, exp(x) * column + row 16.2 ms -> 4.9, 2.9 -> 1.6, 2.6 -> 1.8. Rows
/// of 8 and 16 as before, a column plus a row slower: each element is in two places.
constexpr int least_vector = 8;
constexpr extent long_row = 128;

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

/// The widest vector that begins aligned in every contiguous operand.
int vector_of(const kernel& k, const shape_t& extents, const std::vector<index_expr>& ops) {
  int v = k.schedule.vector;
  for (std::size_t o = 0; o < ops.size(); ++o) {
    if (k.operands[o].role == operand_role::index || !is_run(ops[o], extents)) continue;
    while (v > 1 && ops[o].offset % extent(v) != 0) v /= 2;
  }
  return v;
}

/// How many lanes cross a row's end together; as many elements of operands picked along rows are
/// aligned.
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

/// Can a vector across a row's end be loaded as two pieces of rows, or stored as one run?
bool lies_along(const operand& o, const index_expr& e, const shape_t& extents) {
  if (!e.affine() || is_complex(o.type)) return false;
  if (o.role == operand_role::output) return is_run(e, extents);
  return e.strides.back() == 0 || e.strides.back() == 1;
}

bool reads_run(const kernel& k, const shape_t& extents, const std::vector<index_expr>& ops) {
  for (std::size_t o = 0; o < ops.size(); ++o) {
    if (k.operands[o].role == operand_role::input && is_run(ops[o], extents)) return true;
  }
  return false;
}

void mark_picked(kernel& k, const shape_t& extents, const std::vector<index_expr>& ops) {
  for (std::size_t o = 0; o < ops.size(); ++o) {
    if (!stands_still(ops[o]) && !is_run(ops[o], extents)) k.operands[o].reach = reach::picked;
  }
}

}  // namespace

bool make_flat_rows(kernel& k, const shape_t& extents, const std::vector<index_expr>& ops) {
  if (extents.size() < 2 || !k.loops.empty() || k.schedule.pieces) return false;
  if (std::ranges::any_of(k.body, goes_elsewhere)) return false;
  for (std::size_t o = 0; o < ops.size(); ++o) {
    if (!lies_along(k.operands[o], ops[o], extents)) return false;
  }
  if (!reads_run(k, extents, ops)) return false;
  const extent n = extents.back();
  int v = k.schedule.vector;
  while (v >= least_vector && !(n >= extent(v))) v /= 2;
  if (v < least_vector || n >= long_row || n % extent(v) == 0) return false;
  k.schedule.vector = v;
  k.schedule.unroll = 1;
  k.schedule.flat = true;
  k.schedule.row_lanes = 1;
  mark_picked(k, extents, ops);
  return true;
}

bool make_flat(kernel& k, const shape_t& extents, const std::vector<index_expr>& ops,
               const machine& m) {
  // If there are more elements than one launch reaches, the launch of a part begins anywhere.
  if (product(extents, 0, extents.size()) >= extent(m.launch_limit)) return false;
  if (!can_be_flat(k, extents, ops)) return false;
  const int v = vector_of(k, extents, ops);
  if (v == 1) return false;
  k.schedule.vector = v;
  k.schedule.flat = true;
  k.schedule.row_lanes = row_lanes_of(k, extents, ops, v);
  mark_picked(k, extents, ops);
  return true;
}

}  // namespace sinter::ir
