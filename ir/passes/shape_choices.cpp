#include "ir/passes/shape_choices.hpp"

#include <algorithm>
#include <numeric>

#include "ir/kernel_choices.hpp"

namespace sinter::ir {

namespace {

/// Values that an element needs, conditions of one, and vectors of a row, from which on whole
/// vectors pay. Four rolls of 8192 x 8192 floats took 211 us lane by lane, 174 so; a reflected
/// border of such, of nine parts, 172 and 158; nine places of a window, of rows of 56, 235 and 266;
/// the eight neighbours of bytes in rows of 512 vectors 373 and 382, two in rows of 6,250, summed,
/// 76 and 46 (H200).
constexpr std::size_t few_values = 2, many_conditions = 6;
constexpr extent least_vectors = 24 * 32;

/// With many conditions, vectors that meet none gain more: a plane of 2048 x 2048 floats with an
/// edge of repeated ones 18.3 us and 12.3, reflected 19.2 and 10.2 (H200).
constexpr extent least_of_many = 8 * 32;

/// Half types are selected as floats, so each alternative is a root of its own.
std::size_t values_of(const kernel& k, const row_choices& found) {
  const auto halves = std::ranges::count_if(found.roots, [&](int r) {
    const inst& i = k.body[static_cast<std::size_t>(r)];
    return i.kind == inst_kind::gather && is_half(i.result);
  });
  return found.roots.size() - static_cast<std::size_t>(halves) / 2;
}

/// Nothing if no load has a condition that could be tested for a whole vector.
row_choices choices_along(const kernel& k, const std::vector<index_expr>& operands,
                          std::size_t axis) {
  if (k.schedule.vector == 1 || !k.loops.empty()) return {};
  std::vector<int> all(k.body.size());
  std::iota(all.begin(), all.end(), 0);
  if (std::ranges::none_of(all, [&](int i) { return is_guarded_gather(k, i); })) return {};
  return find_choices(k, all, [&](int o) {
    const index_expr& e = operands[static_cast<std::size_t>(o)];
    if (!e.affine()) return step::any;
    const extent s = e.stride(axis);
    return s == 0 ? step::zero : s == 1 ? step::one : step::any;
  });
}

/// How many elements after an aligned address the vectors of an operand begin in all rows, or -1.
extent distance_of(const index_expr& e, std::size_t axis, const extent& v) {
  if (!e.affine() || e.stride(axis) != 1) return -1;
  for (std::size_t d = 0; d < e.strides.size(); ++d) {
    if (d != axis && e.strides[d] % v != 0) return -1;
  }
  return (e.offset % v + v) % v;
}

/// Is an edge at the same place in every row?
bool stands_still(const kernel& k, const std::vector<index_expr>& operands, std::size_t axis,
                  int edge) {
  return std::ranges::all_of(arguments_of(k.body[static_cast<std::size_t>(edge)]), [&](int a) {
    const inst& x = k.body[static_cast<std::size_t>(a)];
    if (x.kind == inst_kind::scalar || x.kind == inst_kind::constant) return true;
    if (x.kind != inst_kind::index) return false;
    const index_expr& e = operands[static_cast<std::size_t>(x.which)];
    if (!e.affine()) return false;
    for (std::size_t d = 0; d < e.strides.size(); ++d) {
      if (d != axis && e.strides[d] != 0) return false;
    }
    return true;
  });
}

}  // namespace

bool asks_once(const kernel& k, const std::vector<index_expr>& operands, std::size_t axis,
               const extent& length) {
  const row_choices found = choices_along(k, operands, axis);
  if (found.roots.empty()) return false;
  const bool many = found.conditions.size() >= many_conditions;
  const extent least = many ? least_of_many : least_vectors;
  return (many || values_of(k, found) >= few_values) && length >= least * k.schedule.vector;
}

bool knows_edges(const kernel& k, const std::vector<index_expr>& operands, std::size_t axis) {
  const row_choices found = choices_along(k, operands, axis);
  const extent v = k.schedule.vector;
  const auto distance = [&](int gather) {
    const int which = k.body[static_cast<std::size_t>(gather)].which;
    return distance_of(operands[static_cast<std::size_t>(which)], axis, v);
  };
  for (int root : found.roots) {
    const std::vector<int> leaves = chosen_among(k, root);
    const extent first = distance(leaves[0]);
    const auto other = [&](int i) { return distance(i) != first; };
    if (first < 0 || std::ranges::any_of(leaves, other)) return false;
  }
  return !found.roots.empty() && std::ranges::all_of(found.ends, [&](int e) {
    return stands_still(k, operands, axis, e);
  });
}

void mark_aligned(kernel& k, const std::vector<index_expr>& operands, std::size_t axis) {
  const row_choices found = choices_along(k, operands, axis);
  const auto operand_of = [&](int gather) {
    return static_cast<std::size_t>(k.body[static_cast<std::size_t>(gather)].which);
  };
  for (std::size_t r = 0; r < found.roots.size(); ++r) {
    const std::vector<int> leaves = chosen_among(k, found.roots[r]);
    const auto aligned = [&](int i) {
      return distance_of(operands[operand_of(i)], axis, k.schedule.vector) == 0;
    };
    if (!found.ends_of[r].empty() || !std::ranges::all_of(leaves, aligned)) continue;
    for (int i : leaves) k.operands[operand_of(i)].reach = reach::aligned;
  }
}

}  // namespace sinter::ir
