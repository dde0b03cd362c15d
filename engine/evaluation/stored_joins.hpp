#pragma once
// Stored joins of equal pieces, possibly under maps.
//
// Why: every element of a join selects its piece, and a GPU warp whose lanes are in several pieces
// computes them all: sines and cosines in rows of 32 took twice what they cost. Seen as an array
// with an axis of equally long pieces, one thread computes all pieces at a position and nothing is
// selected. A reader of such a join in another shape, or of a slice of it, would have to split its
// axis: then the join is left as it is.

#include <unordered_map>

#include "engine/evaluation/snapshot.hpp"

namespace sinter::detail {

/// Is a pending join one of equal pieces, some of which are computed? Part of the snapshot's key.
bool has_equal_pieces(const node& join);

/// How an axis is split: into `count` pieces of equal length.
struct equal_pieces {
  std::size_t axis = 0, count = 0;
  std::int64_t length = 0;
  bool operator==(const equal_pieces&) const = default;
};

/// The nodes that are made with an axis of pieces: such joins, and maps over them, that only maps
/// of the kind, libraries and the caller read. REQUIRES: the snapshot does not change.
class stored_joins {
 public:
  explicit stored_joins(const snapshot&);
  /// Null for any other node.
  const equal_pieces* of(const node&) const;

 private:
  std::unordered_map<const node*, equal_pieces> made_;
};

}  // namespace sinter::detail
