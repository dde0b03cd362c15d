#include "engine/evaluation/stored_joins.hpp"

#include <algorithm>
#include <optional>
#include <span>

#include "ir/ops.hpp"

namespace sinter::detail {
namespace {

/// The wasted additions per element, from computing all pieces of a join, above which splitting the
/// axis pays; and the nodes followed to count them.
constexpr int least_wasted = 8, most_followed = 64;

bool is_computed(const node& n) {
  return !n.buffer && (n.kind == ir::node_kind::map || n.kind == ir::node_kind::gather);
}

/// The additions per point of n, following a limited number of nodes.
int work_of(const node& n, int& nodes) {
  if (n.buffer || nodes-- <= 0) return 0;
  int work = 0;
  for (const ir::instruction& i : n.program.code) work += ir::info(i.code).cost;
  for (const any_array& x : n.inputs) work += work_of(*x.get(), nodes);
  return work;
}

/// Would elements that compute all pieces waste much?
bool is_dear(const node& join) {
  const int count = static_cast<int>(join.inputs.size());
  int work = 0, nodes = most_followed;
  for (int k = 0; k < count; ++k) {
    const node* const piece = join.inputs[static_cast<std::size_t>(k)].get();
    const auto is_piece = [&](const any_array& x) { return x.get() == piece; };
    const auto before = std::span(join.inputs.begin(), static_cast<std::size_t>(k));
    if (std::ranges::none_of(before, is_piece)) work += work_of(*piece, nodes);
  }
  return work * (count - 1) >= least_wasted * count;
}

/// Does a map read each element of x at the same index?
bool goes_along(const node& map, const node& x) {
  return map.kind == ir::node_kind::map && std::ranges::equal(map.shape, x.shape);
}

using found = std::unordered_map<const node*, equal_pieces>;

/// The pieces of a join, or those that all joins below a map share.
std::optional<equal_pieces> pieces_of(const node& n, const found& before) {
  if (n.kind == ir::node_kind::join) {
    if (!has_equal_pieces(n) || !is_dear(n)) return std::nullopt;
    const std::vector<joined_piece>& pieces = n.details->pieces;
    return equal_pieces{n.details->axis, pieces.size(), pieces[0].end};
  }
  std::optional<equal_pieces> all;
  for (const any_array& x : n.inputs) {
    const auto one = before.find(x.get());
    if (one == before.end()) continue;
    if (!goes_along(n, *x.get()) || (all && *all != one->second)) return std::nullopt;
    all = one->second;
  }
  return all;
}

}  // namespace

bool has_equal_pieces(const node& join) {
  const std::vector<joined_piece>& pieces = join.details->pieces;
  const auto count = static_cast<std::int64_t>(pieces.size());
  if (count < 2 || count > short_axis || borders_are_places(join)) return false;
  for (std::int64_t k = 1; k < count; ++k) {
    if (pieces[static_cast<std::size_t>(k)].end != (k + 1) * pieces[0].end) return false;
  }
  return std::ranges::any_of(join.inputs, [](const any_array& x) { return is_computed(*x.get()); });
}

stored_joins::stored_joins(const snapshot& s) {
  for (const node* n : s.pending) {
    if (const auto p = pieces_of(*n, made_)) made_.emplace(n, *p);
  }
  const auto is_made = [this](const any_array& x) { return made_.contains(x.get()); };
  for (auto before = made_.size() + 1; before > made_.size();) {
    before = made_.size();
    // Readers come after their inputs.
    for (auto at = s.pending.rbegin(); at != s.pending.rend(); ++at) {
      const node& n = **at;
      if (n.kind == ir::node_kind::call || made_.contains(&n)) continue;
      for (const any_array& x : n.inputs) made_.erase(x.get());
    }
    for (const node* n : s.pending) {
      const bool over = n->kind == ir::node_kind::map && made_.contains(n);
      if (over && std::ranges::none_of(n->inputs, is_made)) made_.erase(n);
    }
  }
}

const equal_pieces* stored_joins::of(const node& n) const {
  const auto it = made_.find(&n);
  return it == made_.end() ? nullptr : &it->second;
}

}  // namespace sinter::detail
