#include "ir/passes/shape_choices.hpp"

#include <algorithm>
#include <numeric>

#include "ir/kernel_choices.hpp"

namespace sinter::ir {

namespace {

/// Values an element wants, conditions that one takes, and vectors of a row, from which on it pays.
/// Four rolls of 8192 x 8192 floats took 211 us lane by lane, 174 so; a reflected border of such,
/// of nine parts, 172 and 158; nine places of a window, of rows of 56, 235 and 266; the eight
/// neighbours of bytes in rows of 512 vectors 373 and 382, two in rows of 6,250, summed, 76 and 46
/// (H200).
constexpr std::size_t few_values = 2, many_conditions = 6;
constexpr extent least_vectors = 24 * 32;

/// Halves are chosen as floats, so that either is read for itself.
std::size_t values_of(const kernel& k, const row_choices& found) {
  const auto halves = std::ranges::count_if(found.roots, [&](int r) {
    const inst& i = k.body[static_cast<std::size_t>(r)];
    return i.kind == inst_kind::gather && is_half(i.result);
  });
  return found.roots.size() - static_cast<std::size_t>(halves) / 2;
}

/// None: nothing is read under conditions that vectors could ask for.
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

}  // namespace

bool asks_once(const kernel& k, const std::vector<index_expr>& operands, std::size_t axis,
               const extent& length) {
  const row_choices found = choices_along(k, operands, axis);
  if (found.roots.empty()) return false;
  const bool much = values_of(k, found) >= few_values ||
                    found.conditions.size() >= many_conditions;
  return much && length >= least_vectors * k.schedule.vector;
}

void mark_aligned(kernel& k, const std::vector<index_expr>& operands, std::size_t axis) {
  const extent v = k.schedule.vector;
  const auto aligned = [&](int gather) {
    const auto which = static_cast<std::size_t>(k.body[static_cast<std::size_t>(gather)].which);
    const index_expr& e = operands[which];
    if (!e.affine() || e.stride(axis) != 1 || e.offset % v != 0) return false;
    for (std::size_t d = 0; d < e.strides.size(); ++d) {
      if (d != axis && e.strides[d] % v != 0) return false;
    }
    return true;
  };
  for (int root : choices_along(k, operands, axis).steady) {
    const std::vector<int> leaves = chosen_among(k, root);
    if (!std::ranges::all_of(leaves, aligned)) continue;
    for (int i : leaves) {
      const auto which = static_cast<std::size_t>(k.body[static_cast<std::size_t>(i)].which);
      k.operands[which].reach = reach::aligned;
    }
  }
}

}  // namespace sinter::ir
