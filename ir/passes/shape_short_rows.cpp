// Short rows on a CPU: vectors that cross row ends, or one row per lane.
#include <algorithm>
#include <bit>

#include "ir/passes/shape_flat.hpp"
#include "ir/passes/shaper.hpp"
#include "ir/passes/unroll_axes.hpp"

namespace sinter::ir {
namespace {

/// The fewest rows that are walked side by side.
constexpr extent least_columns = 64;

/// Rows so short that even one vector of them is worth it. Windows of 3 x 3 of 2 x 34 x 34 x 16
/// floats, channels first, copied by two cores of an EPYC: 790 us by rows of three, 53 so.
constexpr extent few_places = 4;

/// The most elements of a row that is processed whole.
constexpr extent most_whole_row = 32;

}  // namespace

bool shaper::goes_on_over_rows() {
  if (gpu() || !map_ || kept_ < 2 || lanes_ == row_lanes::along) return false;
  const schedule before = k_.schedule;
  k_.schedule.pieces = in_pieces();
  k_.schedule.vector = vector_for(kept_ - 1);
  if (make_flat_rows(k_, extents_, ops_)) return true;
  k_.schedule = before;
  return false;
}

/// A CPU takes rows of less than two vectors one per lane, and walks along them: the rest of a
/// vector costs it a masked store. Rows of 3 floats times a row, 3e6 elements: 5.1 ms -> 1.3; times
/// a column, 4.2 and 1.1.
std::optional<std::size_t> shaper::axis_across_short_rows() const {
  const bool along = lanes_ == row_lanes::along;
  if (gpu() || along || !map_ || kept_ < 2 || !k_.loops.empty()) return {};
  const bool elsewhere = std::ranges::any_of(k_.body, [](const inst& i) {
    return i.kind == inst_kind::store && (i.args[1] >= 0 || i.args[2] >= 0);
  });
  const extent v = vector_for(kept_ - 1);
  const extent length = extents_[kept_ - 1];
  const bool conditional = std::ranges::any_of(k_.body, [](const inst& i) {
    return i.kind == inst_kind::gather && i.args[0] < 0 && i.args[1] >= 0;
  });
  if (conditional && length >= least_walked_row) return {};
  // Transposes of 15 x 15 doubles take 3.4 ns an element by lanes and 0.44 by strips, of 5 x 5
  // floats 1.1 and 1.7.
  for (std::size_t o = 0; o < ops_.size(); ++o) {
    if (length > few_places && 3 * length > v && suits_strips(o)) return {};
  }
  if (elsewhere || length >= 2 * v || length == v || length > most_unrolled) return {};
  for (std::size_t axis = kept_ - 1; axis-- > 0;) {
    if (extents_[axis] >= least_columns) return axis;
  }
  if (!(length <= few_places)) return {};
  for (std::size_t axis = kept_ - 1; axis-- > 0;) {
    if (extents_[axis] >= v) return axis;
  }
  return {};
}

/// Loops that a row does not fill took more time than the row: 100,000 rows of 4 floats added at
/// places 607 us, 296 so, of 32 1,505 and 1,097, of 8 picked 223 and 112, of 32 337 and 170 (two
/// cores of an EPYC).
bool shaper::goes_by_whole_rows() {
  const std::size_t last = kept_ - 1;
  if (gpu() || !map_ || kept_ < 2 || !k_.loops.empty()) return false;
  const std::vector<bool> along =
      differing(k_.body, [&](std::size_t o) { return ops_[o].stride(last) != 0; });
  const bool by_rows = std::ranges::any_of(k_.body, [&](const inst& i) {
    const bool store = i.kind == inst_kind::store;
    const std::int32_t index = store ? i.args[2] : i.args[0];
    return (store || i.kind == inst_kind::gather) && index >= 0 &&
           !along[static_cast<std::size_t>(index)] &&
           walks_by_one(static_cast<std::size_t>(i.which), last);
  });
  // Last, because comparing the length is a condition of the plan.
  if (!by_rows || !(extents_[last] >= 2 && extents_[last] <= most_whole_row)) return false;
  schedule& s = k_.schedule;
  s.whole_row = static_cast<int>(std::int64_t{extents_[last]});
  s.vector = static_cast<int>(std::bit_ceil(static_cast<unsigned>(s.whole_row)));
  s.unroll = 1;
  s.tile = std::max<std::int64_t>(cpu_tile(k_) / s.whole_row, 1) * s.whole_row;
  blocks_ = blocks_of(k_, extents_, 1);
  return true;
}

void shaper::walk_along_rows(std::size_t across) {
  swap_axes(across, kept_ - 2);
  --kept_;
}

void shaper::down() {
  schedule& s = k_.schedule;
  walks_down_ = true;
  s.lanes = lane_axis::kept;
  s.vector = vector_for(kept_ - 1);
  s.unroll = std::min(unroll_for(), 2);
  s.rows = s.vector * s.unroll * 8;
  blocks_ = ceil_div(product(extents_, 0, kept_), s.rows);
}

/// The same for reductions of rows of few vectors: sums of 3 floats took 5.2 ms by rows, 0.8 so (of
/// 3e6 elements), rows of 3 divided by their lengths 12.7 and 1.9. If the last kept axis is short
/// too (a thousand matrices of 3 rows times a vector each), the lanes go along one that is not.
void shaper::bring_long_axis(extent length) {
  if (gpu() || k_.reduced != 1 || k_.schedule.split || kept_ < 2) return;
  if (extents_[kept_ - 1] >= least_columns || length > most_across(kept_)) return;
  for (std::size_t axis = kept_ - 1; axis-- > 0;) {
    if (extents_[axis] < least_columns) continue;
    return swap_axes(axis, kept_ - 1);
  }
}

/// Longer rows cannot be unrolled, and then a row is faster than a lane of gathers: 3.2e6 floats in
/// rows of 20, divided by their lengths, 1.8 ms for 5.3.
extent shaper::most_across(std::size_t axis) const {
  return std::min<extent>(3 * vector_for(axis), most_unrolled);
}

bool shaper::short_rows(extent length) const {
  if (gpu() || k_.reduced != 1 || k_.schedule.split) return false;
  return extents_[kept_ - 1] >= least_columns && length <= most_across(kept_);
}

}  // namespace sinter::ir
