#pragma once
// slice_of_join: what a slice of a join reads, if that is one of the pieces joined.
//
// Why: a join asks of every element which piece it is of. A state of three components that a step
// takes apart and puts together again is asked three times a step, of all three components; a slice
// of it is just one of them, and nothing is put together between steps.

#include <cstdint>
#include <map>
#include <optional>
#include <tuple>
#include <vector>

#include "ir/graph.hpp"

namespace sinter::ir {

/// Of a view that stands still along the axis that choices below it go by: the same view of what is
/// chosen, its map and input in place of the view's. False: nothing is known, and nothing changed.
/// Zeros around a pad are chosen like a piece, by a constant added to `g`.
bool slice_of_join(graph& g, node& view);

/// Would that find something?
bool shows_a_piece(const graph& g, const node& view);

/// Does a node choose by where its elements stand?
bool is_choice_by_place(const graph& g, const node& n);

/// Pieces that x is joined of: choices by place, one behind the other. 1: it is no join.
std::int64_t joined_pieces(const graph& g, node_id x);

/// `gather` as what a view of it shows, of which its index is still to be sliced. False: no strides
/// say that, and it is changed halfway.
bool slice_gather(const graph& g, const node& view, node& gather);

/// Slices of maps, and of gathers, that are maps of slices: those under which a slice is one of the
/// pieces joined. The four stages of a Runge-Kutta step each take apart `s + dt / 2 * k`, where k
/// was put together; three such stages asked for 3^3 pieces in one kernel that compiled for 0.7 s,
/// four did not end. A search goes by gathers: of columns that are put together, 2^10 in ten steps.
///
/// Of one graph to which nodes are added.
class slices_of_maps {
 public:
  /// Is one of the pieces what a view of a map comes to, further below, and is it half of the map
  /// or less, so that whoever wants the rest too computes little twice? Of up to 64 slices a map.
  bool reach_a_piece(const graph& g, const node& view);

  /// What a view was made to, if it was before: below `x = x * x + x` every slice is asked for
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
  std::map<node_id, int> asked_;  // of a map: slices that one of the pieces was found under
  std::map<node_id, int> looks_;  // of a node: slices that were looked at
};

}  // namespace sinter::ir
