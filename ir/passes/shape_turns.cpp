// Operands that are interleaved in one array: elements of adjacent lanes are a few places apart.
#include <algorithm>
#include <bit>
#include <cstdlib>

#include "ir/passes/shaper.hpp"

namespace sinter::ir {

namespace {

/// The fewest points that a block walks along: shorter rows are staged, or go to a warp.
constexpr extent least_points = 1024;

/// The most elements between two views of a row whose distance is a constant of the code.
constexpr std::int64_t most_beside = 32;

/// The most columns of a row selected by an index that one access reads: 16 of bytes.
constexpr std::int64_t most_columns = 16;

/// The most elements of a row that a GPU's thread holds in registers, whole. A thread that walks
/// has nothing else there.
std::int64_t most_turns(dtype t, bool walked) {
  return size_of(t) <= (walked ? 4 : 2) ? 8 : 4;
}

/// Lanes and rows from which on transposing what a strip of columns reads pays.
constexpr int least_strip = 4;

/// What is read of a long row is contiguous, so its strip is one vector wide. Short rows would be
/// written in pieces of a cache line, far apart. (1,000 transposes of 32 x 16 doubles, one core of
/// an EPYC: 0.6 ns an element as gathers, 1.2 in strips of one vector, 0.38 of four; one of 1,000 x
/// 1,000 1.3 in strips of one vector, 1.5 of four.)
int strip_vectors(int lanes, const extent& rows, const extent& columns) {
  int vectors = std::clamp(32 / lanes, 1, 4);
  while (vectors > 1 && (rows > 128 / vectors || columns <= lanes)) vectors /= 2;
  return vectors;
}

/// The most words of the points that a walking thread holds at once.
constexpr int most_words = 64;

}  // namespace

void shaper::take_turns() {
  const schedule& how = k_.schedule;
  const bool flat = k_.reduced == 0 && how.tile_rows == 0 && how.vector > 1 && k_.loops.empty();
  if (gpu() && k_.reduced == 0 && bring_rows()) return;
  if (gpu() && !flat && !walks_along_points()) return;
  for (std::size_t o = 0; o < ops_.size(); ++o) {
    if (stands_apart(o)) take_turn(o);
  }
  drop_lonely_turns();
  if (flat && gpu()) narrow_rows();
  if (!flat && gpu()) walk_few_points();
}

void shaper::read_strips() {
  const std::size_t last = kept_ - 1;
  if (kept_ < 2 || k_.schedule.pieces || !k_.loops.empty()) return;
  if (k_.schedule.vector < least_strip) return;
  bool any = false;
  for (std::size_t o = 0; o < ops_.size(); ++o) {
    if (k_.operands[o].base >= 0 || !suits_strips(o)) continue;
    k_.operands[o].reach = reach::strips;
    any = true;
  }
  if (!any) return;
  k_.schedule.unroll = strip_vectors(k_.schedule.vector, extents_[last - 1], extents_[last]);
}

bool shaper::suits_strips(std::size_t o) const {
  const std::size_t last = kept_ - 1;
  const bool reads = k_.operands[o].role == operand_role::input && is_plain_array(o);
  if (!reads || !(ops_[o].strides[last - 1] == 1)) return false;
  const extent& s = ops_[o].strides[last];
  const bool far = s > least_strip || s < -1;
  return far && extents_[last] >= least_strip && extents_[last - 1] >= least_strip;
}

void shaper::run_back() {
  for (std::size_t o = 0; o < ops_.size(); ++o) {
    const bool back = is_plain_array(o) && ops_[o].strides[lane_of()] == -1;
    if (back) k_.operands[o].reach = reach::backwards;
  }
}

void shaper::take_turn(std::size_t o) {
  operand& x = k_.operands[o];
  x.apart = static_cast<int>(std::int64_t{ops_[o].strides[lane_of()]});
  x.base = static_cast<int>(o);
  for (std::size_t p = 0; p < o; ++p) {
    if (k_.operands[p].base != static_cast<int>(p) || !takes_turns_with(o, p)) continue;
    x.base = static_cast<int>(p);
    x.turn = static_cast<int>(std::int64_t{ops_[o].offset - ops_[p].offset});
    break;
  }
}

/// A GPU's block that walks along a long row of points loads their coordinates as contiguous
/// vectors: one by one, each load touches twelve lines (all pairs of 16,384 bodies, H200: 1.43 ms a
/// step, 0.52 as vectors; JAX 0.90).
bool shaper::walks_along_points() const {
  const schedule& how = k_.schedule;
  return k_.reduced == 1 && how.lanes == lane_axis::reduced && how.vector > 1 && how.cluster == 1 &&
         k_.loops.empty() && scan_count(k_) == 0 && extents_.back() >= least_points;
}

/// Points of many coordinates leave room for fewer of them. All pairs of 30,011 points of seven
/// coordinates took 7.0 ms, with a load per coordinate.
void shaper::walk_few_points() {
  schedule& s = k_.schedule;
  int most = 0;
  for (const operand& o : k_.operands) most = std::max(most, o.apart);
  while (!s.resident && s.unroll > 1 && s.unroll * s.vector * most > most_words) s.unroll /= 2;
}

/// Rows of two, four or eight: a thread has two adjacent ones, or of small elements as many as one
/// access reads; its other rows lie elsewhere.
void shaper::narrow_rows() {
  int most = 0;
  for (const operand& o : k_.operands) most = std::max(most, o.apart);
  schedule& s = k_.schedule;
  if (most < 2 || !std::has_single_bit(static_cast<unsigned>(most)) || s.vector <= 2) return;
  std::size_t widest = 1;
  for (const operand& o : k_.operands) {
    if (o.apart > 0) widest = std::max(widest, size_of(o.type));
  }
  const int vector = std::clamp(16 / (most * static_cast<int>(widest)), 2, s.vector);
  if (widest > 2) s.unroll *= s.vector / vector;  // small elements take a register each
  s.vector = vector;
  s.tile = std::int64_t{s.threads} * s.vector * s.unroll;
  blocks_ = blocks_of(k_, extents_, 1);
  for (operand& o : k_.operands) {
    if (o.reach != reach::shifted || o.beyond == 0) continue;
    o.beyond %= s.vector;
    if (o.beyond == 0) o.reach = reach::whole;
  }
}

bool shaper::stands_apart(std::size_t o) const {
  const bool walked = gpu() && k_.reduced > 0;
  if (walked && k_.operands[o].role == operand_role::output) return false;
  return stands_apart(o, gpu() ? most_turns(k_.operands[o].type, walked) : most_apart);
}

/// The conditions under which alone an operand is read in place, each of them uniform over a piece
/// of a row; empty: it is read otherwise. (A join of columns of two kinds, each of every second of
/// 512 x 512 floats, two cores of an EPYC: 194 us as gathers, 42 so.)
std::vector<int> shaper::conditions_of_pieces(std::size_t o) const {
  if (gpu() || !k_.schedule.pieces) return {};
  std::vector<int> conditions;
  for (const inst& i : k_.body) {
    const bool reads = i.kind == inst_kind::gather || i.kind == inst_kind::load;
    if (!reads || i.which != static_cast<int>(o)) continue;
    if (i.kind == inst_kind::load || i.args[0] >= 0 || i.args[1] < 0) return {};
    conditions.push_back(i.args[1]);
  }
  std::ranges::sort(conditions);
  conditions.erase(std::ranges::unique(conditions).begin(), conditions.end());
  return conditions;
}

bool shaper::is_plain_array(std::size_t o) const {
  const operand& x = k_.operands[o];
  const bool array = x.role == operand_role::input || x.role == operand_role::output;
  const bool read_where_it_lies =
      (!b_.operands[o].gathered || !conditions_of_pieces(o).empty()) && ops_[o].affine();
  return array && !is_complex(x.type) && read_where_it_lies &&
         b_.operands[o].partial < 0;  // emitters decide where partial results lie
}

bool shaper::stands_apart(std::size_t o, std::int64_t most) const {
  if (!is_plain_array(o)) return false;
  const extent& s = ops_[o].strides[lane_of()];
  return s >= 2 && s <= most;
}

/// A GPU's threads read and write aligned vectors of the rows, or all that they have of them in the
/// widest accesses.
bool shaper::rows_aligned(std::size_t o) const {
  const operand& x = k_.operands[o];
  const int run = k_.schedule.vector * x.apart;
  const bool at_once = std::has_single_bit(static_cast<unsigned>(run));
  const int most = m_.vector_bytes / static_cast<int>(size_of(x.type));
  const extent v = at_once ? std::min(run, most) : k_.schedule.vector;
  if (ops_[o].offset % v != 0) return false;
  for (std::size_t d = 0; d < lane_of(); ++d) {
    if (ops_[o].strides[d] % v != 0) return false;
  }
  return true;
}

/// A difference found here is no condition on other sizes: their plans are as good.
bool shaper::takes_turns_with(std::size_t o, std::size_t base) const {
  const operand &x = k_.operands[o], &b = k_.operands[base];
  const body_operand &of = b_.operands[o], &in = b_.operands[base];
  if (x.role != b.role || x.type != b.type || of.buffer != in.buffer || of.partial != in.partial) {
    return false;
  }
  if (conditions_of_pieces(o) != conditions_of_pieces(base)) return false;
  const auto same = [](const extent& s, const extent& t) { return s.peek() == t.peek(); };
  if (!std::ranges::equal(ops_[o].strides, ops_[base].strides, same)) return false;
  const std::int64_t turn = ops_[o].offset.peek() - ops_[base].offset.peek();
  std::int64_t least = std::min<std::int64_t>(turn, 0), most = std::max<std::int64_t>(turn, 0);
  for (const operand& y : k_.operands) {
    if (y.base != static_cast<int>(base)) continue;
    least = std::min<std::int64_t>(least, y.turn), most = std::max<std::int64_t>(most, y.turn);
  }
  return most - least < b.apart && ops_[o].strides == ops_[base].strides;
}

void shaper::drop_lonely_turns() {
  for (std::size_t base = 0; base < ops_.size(); ++base) {
    const auto with = [&](const operand& o) { return o.base == static_cast<int>(base); };
    const operand b = k_.operands[base];
    if (!with(b)) continue;
    const auto turns = std::ranges::count_if(k_.operands, with);
    const bool all = b.role == operand_role::output || gpu();
    const auto first = std::ranges::min_element(k_.operands, {}, [&](const operand& o) {
      return with(o) ? o.turn : most_apart;
    });
    const auto least = static_cast<std::size_t>(first - k_.operands.begin());
    const bool reached = !gpu() || rows_aligned(least);
    if (reached && (all ? turns == b.apart : 4 * turns >= b.apart)) continue;
    for (operand& o : k_.operands) {
      if (with(o)) o.apart = o.turn = 0, o.base = -1;
    }
  }
}

/// A filter of 31 taps over 30 million floats read 54 vectors for four elements, through 31
/// pointers whose distances the compiler did not know; through one pointer they are nine.
void shaper::stand_beside() {
  for (std::size_t o = 1; o < ops_.size(); ++o) {
    for (std::size_t p = 0; p < o && k_.operands[o].base < 0; ++p) {
      if (k_.operands[p].base >= 0 || !is_beside(o, p)) continue;
      k_.operands[o].base = static_cast<int>(p);
      k_.operands[o].turn = static_cast<int>(std::int64_t{ops_[o].offset - ops_[p].offset});
    }
  }
}

/// A difference found here is no condition on other sizes. A row of the array is far away: that
/// distance is passed.
bool shaper::is_beside(std::size_t o, std::size_t base) const {
  const operand &x = k_.operands[o], &b = k_.operands[base];
  const body_operand &of = b_.operands[o], &in = b_.operands[base];
  const bool reads = x.role == operand_role::input && b.role == operand_role::input &&
                     of.buffer == in.buffer && of.partial == in.partial &&
                     of.gathered == in.gathered && x.apart == 0 && b.apart == 0 &&
                     ops_[o].affine() && ops_[base].affine();
  if (!reads || !(x.access == b.access)) return false;
  const auto same = [](const extent& s, const extent& t) { return s.peek() == t.peek(); };
  if (!std::ranges::equal(ops_[o].strides, ops_[base].strides, same)) return false;
  const std::int64_t apart = std::abs(ops_[o].offset.peek() - ops_[base].offset.peek());
  // If an index selects rows, columns of one: a single access of a thread.
  const auto moves_alike = [&] { return ops_[o].strides == ops_[base].strides; };
  if (of.gathered) return apart > 0 && apart < most_columns && moves_alike();
  if (x.access.steps.back() != step::one) return false;
  return apart > 0 && apart <= most_beside && extents_.back().peek() > 4 * most_beside &&
         moves_alike();
}

}  // namespace sinter::ir
