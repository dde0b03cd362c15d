#pragma once
// Joins of equal pieces that are stored, as they are or under maps.
//
// Why: an element of a join asks which piece it is of, and a GPU's warp, whose lanes are in several
// pieces, computes them all: sines and cosines in rows of 32 took twice what they cost. Seen as an
// array with an axis of pieces, of which each is as long as the next, a thread computes all pieces
// of a place and nobody asks. Whoever reads such a join otherwise, or a slice of it, would have to
// take its axis apart: then it stays what it is.

#include <unordered_map>

#include "engine/evaluation/snapshot.hpp"

namespace sinter::detail {

/// Is a pending join one of equal pieces, some of which are computed? Told by the snapshot's key.
bool has_equal_pieces(const node& join);

/// How an axis is taken apart: into so many pieces of equal length.
struct equal_pieces {
  std::size_t axis = 0, count = 0;
  std::int64_t length = 0;
  bool operator==(const equal_pieces&) const = default;
};

/// The nodes that are made with an axis of pieces: such joins, and maps over them, that nobody but
/// maps of the kind, libraries and the caller reads. REQUIRES: the snapshot stays as it is.
class stored_joins {
 public:
  explicit stored_joins(const snapshot&);
  /// Null for any other node.
  const equal_pieces* of(const node&) const;

 private:
  std::unordered_map<const node*, equal_pieces> made_;
};

}  // namespace sinter::detail
