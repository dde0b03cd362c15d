// Rows that a CPU walks side by side: so short that the work once per row, a tree over the lanes
// and what follows it, costs as much as the walk. As many rows as a vector has lanes share that
// work.
#include <algorithm>

#include "ir/passes/shaper.hpp"

namespace sinter::ir {
namespace {

/// The most vectors of a row: longer ones have several accumulators, and sums that are settled on
/// the way. EPYC, vectors of 64 bytes, 1e6 elements, ns a row of 17, 64 and 256 floats: sums 11.7
/// -> 2.2, 11.5 -> 2.8, 14.9 -> 11.0; argmax 20.6 -> 6.5, 27.2 -> 8.7, 50 -> 31; exp(x @ w) 18.8 ->
/// 3.6, 18.5 -> 4.2, 25.9 -> 12.1; softmax 53 -> 21, 69 -> 35, 175 -> 137; layernorm 32.8 -> 9.5,
/// 42.8 -> 13.5, 69 -> 49. With a vector of each of 16 rows in turn the sums took 1.3, 3.0 and
/// 12.0, but with 3e7 floats in rows of 64 48.9 where this takes 8.3: a hardware prefetcher wants
/// rows one after another.
constexpr int most_vectors = 16;

/// The same if all trees are of integers, which take one instruction per level: sums of bytes in
/// rows of 20, 32 and 64 3.5 -> 2.2, 2.3 -> 2.1, but 3.4 -> 3.9.
constexpr int most_vectors_of_integers = 4;

/// The most lanes, and so rows abreast: bytes would have 64.
constexpr int most_lanes = 16;

/// Shorter rows are one per lane, and so are those of up to three vectors whose positions are asked
/// for. One per lane and abreast, ns a row: sums of 9 floats 1.3 and 2.0, of 13 2.6 and 2.0, of 16
/// 3.7 and 1.5; maxima of 12 2.5 and 2.7; softmax of 13 and 16 doubles 30 and 35, 36 and 33; argmax
/// of 16 3.6 and 4.4. One per lane, each length has code of its own (40 to 190 ms); abreast it
/// shares that of longer ones (10 to 20).
constexpr extent least_abreast = 14;

/// The fewest rows that are worth it.
constexpr extent least_rows = 64;

}  // namespace

void shaper::abreast() {
  schedule& s = k_.schedule;
  s.vector = lanes_abreast();
  s.abreast = most_abreast();
  s.unroll = 1;
  s.pieces = false;
  s.rows = s.vector * 8;
  blocks_ = (product(extents_, 0, kept_) + s.rows - 1) / s.rows;
}

bool shaper::can_go_abreast() const {
  if (k_.reduced != 1 || k_.schedule.split || !k_.loops.empty()) return false;
  for (std::size_t o = 0; o < ops_.size(); ++o) {
    if (k_.operands[o].role == operand_role::state || b_.operands[o].gathered) return false;
    if (!ops_[o].affine()) return false;
  }
  return std::ranges::all_of(k_.body, [&](const inst& i) { return can_be_abreast(k_, i); });
}

bool shaper::goes_abreast(const extent& length) const {
  if (!can_go_abreast()) return false;
  return lanes_abreast() >= 4 && extents_[kept_ - 1] >= least_rows && length <= most_abreast();
}

bool shaper::better_abreast(const extent& length) const {
  if (asks_positions() || !can_go_abreast()) return false;
  return length >= least_abreast && lies_by_row() && goes_abreast(length);
}

int shaper::lanes_abreast() const {
  return std::min(most_lanes, vector_for(kept_, widest_inside()));
}

int shaper::most_abreast() const {
  const bool cheap = std::ranges::all_of(k_.body, [](const inst& i) {
    return i.kind != inst_kind::reduce || (!i.arg && !is_real(i.type));
  });
  return lanes_abreast() * (cheap ? most_vectors_of_integers : most_vectors);
}

int shaper::widest_inside() const {
  std::size_t w = 1;
  const auto moves = [&](std::int32_t o) {
    return ops_[static_cast<std::size_t>(o)].strides[kept_] != 0;
  };
  std::vector<bool> inside(k_.body.size());
  for (std::size_t n = 0; n < k_.body.size(); ++n) {
    const inst& i = k_.body[n];
    if (i.kind == inst_kind::reduce) continue;
    inside[n] = i.which >= 0 && i.kind != inst_kind::scalar && moves(i.which);
    for (std::int32_t a : i.args) {
      inside[n] = inside[n] || (a >= 0 && inside[static_cast<std::size_t>(a)]);
    }
    if (!inside[n]) continue;
    w = std::max(w, size_of(i.result));
    if (i.kind == inst_kind::load || i.kind == inst_kind::store) {
      w = std::max(w, size_of(k_.operands[static_cast<std::size_t>(i.which)].type));
    }
  }
  return static_cast<int>(w);
}

}  // namespace sinter::ir
