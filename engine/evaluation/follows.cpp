#include "engine/evaluation/follows.hpp"

#include <algorithm>

namespace sinter::detail {

namespace {

/// The budget: additions, plus one per node visited.
constexpr int few = 12;

bool follows(const node& n, int& left) {
  if (n.buffer || --left < 0) return false;
  if (n.kind == ir::node_kind::map) {
    for (const ir::instruction& i : n.program.code) left -= ir::info(i.code).cost;
  } else if (n.kind != ir::node_kind::view) {
    return n.kind == ir::node_kind::iota || n.kind == ir::node_kind::scalar;
  }
  return left >= 0 && std::ranges::all_of(
                          n.inputs, [&](const any_array& x) { return follows(*x.get(), left); });
}

}  // namespace

bool follows_from_places(const node& n) {
  int left = few;
  return follows(n, left);
}

}  // namespace sinter::detail
