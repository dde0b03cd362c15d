// How wide an axis can be walked: what is aligned along it, and how much is in flight.
#include <algorithm>

#include "ir/kernel_pieces.hpp"
#include "ir/kernel_quick.hpp"
#include "ir/passes/shape_rows.hpp"
#include "ir/passes/shaper.hpp"

namespace sinter::ir {
namespace {

/// The fewest columns that are a vector's lanes.
constexpr extent few_columns = 8;

/// Arrays of a CPU's kernel beyond which one vector of each is enough in flight: every copy is
/// compiled. A roll of rows of eight 190 ms, 70 so, and as fast.
constexpr std::ptrdiff_t many_reached = 12;

}  // namespace

int shaper::widest() const {
  std::size_t w = 1;
  for (std::size_t i = 0; i < k_.operands.size(); ++i) {
    const operand& o = k_.operands[i];
    if (o.role == operand_role::index || o.role == operand_role::state) continue;
    if (!is_repeated(i)) w = std::max(w, size_of(o.type));
  }
  const std::vector<bool> shared = k_.schedule.pieces ? edges().shared : std::vector<bool>();
  for (const inst& i : k_.body) {
    // The number of rounds is no reason for narrow vectors, nor is a value that a whole piece
    // shares.
    const bool passed = k_.schedule.pieces
                            ? shared[static_cast<std::size_t>(&i - k_.body.data())]
                            : !k_.loops.empty() && stands_still(i);
    if (!passed) w = std::max(w, m_.target == target::cpu ? size_of(i.result) : 1);
  }
  return static_cast<int>(w);
}

/// A value that the lanes of a GPU's vector share is one load, and no vector: two doubles of a
/// group made its floats vectors of two. Values that all rows share come from a cache: halves over
/// a row of floats took 186 us by four, 174 by eight (2^27 of them, H100; a copy 174). Nor does a
/// word that all lanes write to one place count: 64 bits of a range check made gathered rows of
/// halves vectors of two.
bool shaper::is_repeated(std::size_t o) const {
  const bool told = gpu() && map_ && k_.operands[o].role == operand_role::output &&
                    ops_[o].affine() && stands_at_one_place(o);
  if (told) return true;
  const bool read = gpu() && map_ && k_.operands[o].role == operand_role::input &&
                    ops_[o].affine() && !b_.operands[o].gathered;
  if (!read || kept_ < 2 || ops_[o].strides.size() < kept_) return false;
  if (ops_[o].stride(kept_ - 1) == 0) return true;
  for (std::size_t d = 0; d + 1 < kept_; ++d) {
    if (ops_[o].stride(d) != 0) return false;
  }
  return true;
}

std::size_t shaper::axis_of_lanes() const {
  const bool along = k_.reduced > 0 && k_.schedule.lanes == lane_axis::reduced;
  return (along ? extents_.size() : kept_) - 1;
}

lane_values shaper::edges() const {
  return find_edges(k_, [&](int o) {
    const index_expr& e = ops_[static_cast<std::size_t>(o)];
    if (!e.affine()) return step::any;
    const extent& s = e.strides[axis_of_lanes()];
    return s == 0 ? step::zero : s == 1 ? step::one : step::any;
  });
}

bool shaper::stands_still(const inst& i) const {
  if (i.kind == inst_kind::scalar || i.kind == inst_kind::constant) return true;
  return i.kind == inst_kind::index && stands_at_one_place(static_cast<std::size_t>(i.which));
}

bool shaper::stands_at_one_place(std::size_t o) const {
  const auto& strides = ops_[o].strides;
  return std::all_of(strides.begin(), strides.end(), [](const extent& s) { return s == 0; });
}

bool shaper::aligned(std::size_t axis, extent v) const {
  if (extents_[axis] % v != 0 && !flat(axis)) return false;
  for (std::size_t o = 0; o < ops_.size(); ++o) {
    if (!starts_aligned(o, axis, v)) return false;
  }
  return true;
}

bool shaper::starts_aligned(std::size_t o, std::size_t axis, extent v) const {
  const index_expr& e = ops_[o];
  const bool by_vector = k_.operands[o].role != operand_role::index && !b_.operands[o].gathered;
  if (!by_vector || !e.affine() || e.strides[axis] != 1) return true;
  if (e.offset % v != 0) return false;
  for (std::size_t d = 0; d < e.strides.size(); ++d) {
    if (d != axis && e.strides[d] % v != 0) return false;
  }
  return true;
}

bool shaper::flat(std::size_t axis) const {
  return extents_.size() == 1 || (axis == kept_ && extents_.size() == kept_ + 1);
}

bool shaper::walks_by_one(std::size_t o, std::size_t axis) const {
  const bool array = k_.operands[o].role != operand_role::index;
  return array && ops_[o].affine() && ops_[o].stride(axis) == 1;
}

bool shaper::walks_by_one(std::size_t axis) const {
  for (std::size_t o = 0; o < ops_.size(); ++o) {
    if (walks_by_one(o, axis)) return true;
  }
  return false;
}

/// Inputs, and outputs stored for every element: the results of a reduction are few, and counting
/// them made walks go the wrong way.
bool shaper::moves_by_one(std::size_t o, std::size_t axis) const {
  if (!walks_by_one(o, axis)) return false;
  if (k_.operands[o].role == operand_role::input) return true;
  bool whole = k_.operands[o].role == operand_role::output;
  for (std::size_t d = 0; d < extents_.size() && whole; ++d) whole = ops_[o].stride(d) != 0;
  return whole;
}

std::optional<extent> shaper::bytes_by_one(std::size_t axis) const {
  std::optional<extent> bytes;
  for (std::size_t o = 0; o < ops_.size(); ++o) {
    if (!moves_by_one(o, axis)) continue;
    extent size = static_cast<extent>(size_of(k_.operands[o].type));
    // A gathered operand has another row for each index: rows of an embedding, read across in their
    // indices' order, took 434 us, 78 along them (H200, 2 x 262,144 of 128).
    for (std::size_t d = 0; d < extents_.size(); ++d) {
      if (b_.operands[o].gathered || ops_[o].stride(d) != 0) size *= extents_[d];
    }
    bytes = bytes.value_or(0) + size;
  }
  return bytes;
}

bool shaper::picks_apart(std::size_t axis) const {
  for (std::size_t o = 0; o < ops_.size(); ++o) {
    if (k_.operands[o].role != operand_role::input || b_.operands[o].gathered) continue;
    if (!ops_[o].affine() || (ops_[o].stride(axis) != 0 && ops_[o].stride(axis) != 1)) return true;
  }
  return false;
}

/// A broadcast lane is one load for all. `max(d[:, :, None] + a, 1)` of 32 x 32 doubles reads as
/// much along its rows as across them, but along them a vector's lanes are strided.
bool shaper::lies_by_row() const {
  const std::size_t reduced = extents_.size() - 1, kept = kept_ - 1;
  const auto along = bytes_by_one(reduced), across = bytes_by_one(kept);
  if (along && across && extents_[kept] >= few_columns) {
    const bool by_row = picks_apart(kept), by_column = picks_apart(reduced);
    if (by_row != by_column) return by_row;
    // Rows of windows are pieces of little more than a vector. 63,504 of 5 x 5 with 8 kernels took
    // 6.1 ms along them, 0.63 across (two cores of an EPYC).
    const bool short_pieces = !gpu() && k_.reduced > 1;
    if (short_pieces && extents_[reduced] < 2 * vector_for(reduced)) return false;
  }
  // Compared only if there are both: the comparison is a condition of the plan.
  if (along && across) return *along >= *across;
  return along || !walks_by_one(kept);
}

/// `whole`: the lanes go along rows, and no other block along the same one.
int shaper::vector_of_reduction(std::size_t axis, bool whole, extent rows, extent length) const {
  if (!gpu()) return vector_for(axis, widest());
  const bool single = !k_.loops.empty() || (whole && are_small(rows, length));
  return single ? 1 : vector_for(axis, widest_read());
}

int shaper::widest_read() const {
  const std::size_t lanes =
      k_.schedule.lanes == lane_axis::reduced ? extents_.size() - 1 : kept_ - 1;
  const bool picks = picks_rows(lanes);
  std::size_t w = 0;
  for (std::size_t o = 0; o < ops_.size(); ++o) {
    if (k_.operands[o].role != operand_role::input) continue;
    const bool by_row = picks && ops_[o].affine() && ops_[o].stride(lanes) == 0;
    if (!by_row) w = std::max(w, size_of(k_.operands[o].type));
  }
  return w == 0 ? widest() : static_cast<int>(w);
}

bool shaper::picks_rows(std::size_t axis) const {
  return std::ranges::any_of(k_.body, [&](const inst& i) {
    return i.kind == inst_kind::gather && i.args[0] >= 0 &&
           walks_by_one(static_cast<std::size_t>(i.which), axis);
  });
}

int shaper::walked_inputs() const {
  int n = 0;
  for (std::size_t o = 0; o < ops_.size(); ++o) {
    const bool still = ops_[o].affine() && ops_[o].strides.back() == 0;
    n += k_.operands[o].role == operand_role::input && !b_.operands[o].gathered && !still;
  }
  return n;
}

int shaper::unroll_for() const {
  const auto n = std::count_if(k_.body.begin(), k_.body.end(), [](const inst& i) {
    return i.kind == inst_kind::compute || i.kind == inst_kind::gather;
  });
  const auto reached = std::count_if(k_.body.begin(), k_.body.end(), [](const inst& i) {
    return i.kind == inst_kind::load || i.kind == inst_kind::store;
  });
  if (reached > many_reached) return 1;
  return n <= 12 ? 4 : n <= 32 ? 2 : 1;
}

std::int64_t cpu_tile(const kernel& k) {
  std::int64_t cost = 0;  // per element, in additions
  for (const inst& i : k.body) cost += i.kind == inst_kind::compute ? info(i.code).cost : 1;
  std::int64_t tile = 8192;
  while (tile > 512 && tile * cost > 65536) tile /= 2;
  return tile;
}

// Without a condition on the length: all lengths share a plan.
extent grain_of(const shaped& s) {
  const kernel& k = s.kernel;
  if (k.reduced == 0) return 1;
  const extent length = product(s.extents, static_cast<std::size_t>(k.kept), s.extents.size());
  return cpu_tile(k) / (length * k.schedule.rows + 1) + 1;
}

std::int64_t shaper::row_grain(std::int64_t most, std::int64_t least, double seconds) const {
  while (most > least && row_seconds(k_, m_, static_cast<double>(most)) > seconds) most /= 2;
  return most;
}

int shaper::columns_in_flight(const extent& columns) const {
  const auto sums = std::count_if(k_.body.begin(), k_.body.end(),
                                  [](const inst& i) { return i.kind == inst_kind::reduce; });
  const int v = k_.schedule.vector;
  int few = unroll_for();
  // The rest is walked once more for every vector of it, under masks.
  while (few > 1 && !(columns >= extent(few * v))) --few;
  if (few < 4 || !(columns >= extent(16 * v))) return few;
  const bool wide = sums == 1 && columns >= extent(64 * v);
  return fitting_strip(!wide ? 8 : extrema_spill() ? 12 : 16);
}

/// An extremum takes two registers besides its accumulator, and a CPU without AVX-512 has sixteen.
/// Maxima of 7 x 33 x 100 x 7 x 100 floats over two axes, 16 and 12 in flight: 13.6 ms and 4.1.
bool shaper::extrema_spill() const {
  return m_.vector_bytes <= 32 && std::ranges::any_of(k_.body, [](const inst& i) {
    return i.kind == inst_kind::reduce && i.code != op::add;
  });
}

/// As many vectors in flight as leave few at the end of a row, each of which is a walk of its own:
/// of 700 floats, eight at a time, 16 leave eight, 14 four. A difference found here is no condition
/// on other sizes.
int shaper::fitting_strip(int most) const {
  const std::int64_t row = extents_[kept_ - 1].peek(), v = k_.schedule.vector;
  const auto walks = [&](int n) { return row / (n * v) + (row % (n * v) + v - 1) / v; };
  int best = most;
  for (int n = most - 1; n > most / 2; --n) {
    if (walks(n) < walks(best)) best = n;
  }
  return best;
}

double work_of(const kernel& k, const machine& m) {
  double work = 0;
  for (const inst& i : k.body) {
    if (i.kind != inst_kind::compute) continue;
    work += info(i.code).cost * (m.target == target::gpu && size_of(i.type) == 8 ? 2 : 1);
  }
  return work;
}

/// What all copies of a walk's body together may cost, in additions, and what a loop counts as. A
/// mean over paths of a process of 64 steps had sixteen loops side by side, and as many for the end
/// of a row: 237 KB of code, 2.9 s. Mixing down a signal, and its means by 8, 64 KB and 1.5 s.
constexpr double most_written_work = 1500, work_of_loop = 800;
constexpr int threads_of_one = 1024;  // of a block

void shaper::write_less() {
  schedule& s = k_.schedule;
  const double work = work_of(k_, m_) + work_of_loop * static_cast<double>(k_.loops.size());
  while (s.unroll > 1 && work * s.vector * s.unroll > most_written_work) s.unroll /= 2;
}

bool shaper::walks_vectors(std::size_t o, std::size_t lane) const {
  return m_.target == target::cpu || scan_bytes() == 0 ||
         starts_aligned(o, lane, k_.schedule.vector);
}

/// Instead of four vectors per thread, four times as many threads have one each: faster to compile
/// and, for few rows, to run (10,000 sines 7.5 us, 5.8 so; what a remainder selects of as many 21.8
/// and 15.7, compiled in 98 ms for 240; of many rows up to 1.7 times as slow; H200). One warp
/// combines the results of the others, in the same order either way.
void shaper::scan_abreast(extent rows) {
  schedule& s = k_.schedule;
  const int all = s.row_threads * s.unroll;
  if (s.split || s.unroll == 1 || all != threads_of_one || rows > extent(m_.units)) return;
  s.threads = s.row_threads = all;
  s.unroll = 1;
}

/// The fewest quotients and roots of a walk that go without tests.
constexpr int few_walked = 2;

/// Bytes per walked element that are read for it alone.
double shaper::bytes_walked() const {
  double bytes = 0;
  for (std::size_t o = 0; o < ops_.size(); ++o) {
    const auto moves = [](extent s) { return !(s == 0); };
    const auto kept = ops_[o].strides.begin() + static_cast<std::ptrdiff_t>(kept_);
    const bool walked = std::any_of(kept, ops_[o].strides.end(), moves);
    const bool own = kept_ == 0 || std::any_of(ops_[o].strides.begin(), kept, moves);
    if (k_.operands[o].role == operand_role::input && walked && own) {
      bytes += static_cast<double>(size_of(k_.operands[o].type));
    }
  }
  return bytes;
}

/// Are there several quotients and roots per element, whose branches memory does not hide?
bool shaper::walks_quickly() const {
  if (quick_forms(k_) < few_walked || !can_be_quick(k_)) return false;
  return work_of(k_, m_) / m_.arithmetic > bytes_walked() / m_.bandwidth / 2;
}

bool shaper::walks_slowly() const {
  return work_of(k_, m_) / m_.arithmetic > bytes_walked() / m_.bandwidth;
}

double row_seconds(const kernel& k, const machine& m, double length) {
  // A block alone has an eighth of what many get out of an SM at their best.
  const double alone = m.target == target::gpu ? 8 : 1;
  return alone * work_of(k, m) * length * m.units / m.arithmetic;
}

}  // namespace sinter::ir
