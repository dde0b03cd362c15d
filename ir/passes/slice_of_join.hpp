#pragma once
// slice_of_join: resolves a slice of a join to the piece it reads.
//
// Why: a join selects a piece for every element. A state of three components that each step takes
// apart and joins again would select three times per step, among three components; a slice of it is
// just one piece, and nothing is joined between steps.

#include <cstdint>
#include <map>
#include <optional>
#include <tuple>
#include <vector>

#include "ir/graph.hpp"

namespace sinter::ir {

/// Makes a view that is fixed along the axis a choice below it depends on read the chosen operand
/// instead: map and input of the view are replaced. False: nothing is known, and nothing changed.
/// Zeros around a pad count as a piece, a constant added to `g`.
bool slice_of_join(graph& g, node& view);

/// Would slice_of_join find a piece?
bool shows_a_piece(const graph& g, const node& view);

/// Does a node choose by the coordinates of its elements?
bool is_choice_by_place(const graph& g, const node& n);

/// Pieces that x joins: nested choices by coordinate. 1: it is no join.
std::int64_t joined_pieces(const graph& g, node_id x);

/// Turns `gather` into what a view of it shows; its index is still to be sliced. False: no strides
/// express it, and `gather` is left half changed.
bool slice_gather(const graph& g, const node& view, node& gather);

/// Slices of maps, and of gathers, that should become maps of slices: those below which a slice
/// resolves to a piece of a join. The four stages of a Runge-Kutta step each take apart
/// `s + dt / 2 * k`, where k was joined; three such stages selected among 3^3 pieces in one kernel
/// that compiled for 0.7 s, four did not finish. A search does so through gathers: in joined
/// columns, among 2^10 pieces after ten steps.
///
/// Belongs to one graph to which nodes are added.
class slices_of_maps {
 public:
  /// Does a view of a map resolve to a piece of a join further below, and is it at most half of the
  /// map, so that a reader of the rest recomputes little? Up to 64 slices per map.
  bool reach_a_piece(const graph& g, const node& view);

  /// What a view was rewritten to before, if it was: below `x = x * x + x` every slice is requested
  /// three times.
  std::optional<node_id> made(const node& view) const;
  void keep(const node& view, node_id made) { made_.emplace(place_of(view), made); }

 private:
  using place = std::tuple<node_id, std::int64_t, std::vector<std::int64_t>,
                           std::vector<std::int64_t>>;
  static place place_of(const node& view);
  bool below(const graph& g, const node& view, int depth);
  bool any_input(const graph& g, const node& view, const node& base, int depth);

  std::map<place, bool> known_;
  std::map<place, node_id> made_;
  std::map<node_id, int> asked_;  // per map: slices for which a piece was found
  std::map<node_id, int> looks_;  // per node: slices that were looked at
};

}  // namespace sinter::ir
