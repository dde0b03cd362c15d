#include "ir/passes/shape.hpp"

#include <algorithm>

#include "ir/passes/shape_chain.hpp"
#include "ir/passes/shape_choices.hpp"
#include "ir/passes/shape_map.hpp"
#include "ir/passes/shape_rows.hpp"
#include "ir/passes/shaper.hpp"
#include "ir/passes/stage_rows.hpp"

namespace sinter::ir {

namespace {

/// The least length of rows that are walked in pieces: each piece costs some ends of vectors. With
/// rows of 48 floats a roll along them took 416 us, 274 under masks; of 100, 168 and 172; across
/// rows of 16, 305 and 435.
constexpr extent least_pieced = 64, least_whole = 16;
/// If there are many edges, so many elements should lie between two: a thousand rows of 24 times 64
/// floats 10.8 ms -> 1.2, of 24 times 4 0.4 -> 1.2. Thirty vectors of 10,000: 1.4 ms -> 0.06.
constexpr std::int64_t few_edges = 16, most_edges = 64, least_between = 8;

/// Columns per SM from which on a thread of a scan has some to itself, if the scan is short or so
/// many columns are adjacent. H200, scans of 64 million floats, us: 3 places beside 49 3,660 ->
/// 137, 10 beside 1,000 580 -> 132, 64 beside 1,000 177 -> 156; 64 beside 7 228, and 454 alone.
constexpr std::int64_t columns_alone = 2048;
constexpr extent short_column = 16, columns_beside = 32;

/// Bytes of a row that a thread should read, and the bytes of an access up to which eight in flight
/// are better than four: of halves one by one 0.65 and 0.57 of the speed of a flat map.
constexpr int least_bytes = 96, narrow_read = 4;

/// Instructions over all lanes of a reduction's thread, if they take longer than memory; and those
/// whose values leave no registers for blocks of more than 256 threads.
constexpr std::ptrdiff_t most_side_by_side = 800;
constexpr std::size_t registers_run_out = 200;

}  // namespace

extent ceil_div(extent a, extent b) {
  return (a + b - 1) / b;
}

extent product(const shape_t& s, std::size_t from, std::size_t to) {
  extent n = 1;
  for (std::size_t i = from; i < to; ++i) n *= s[i];
  return n;
}

shaper::shaper(const body& b, const machine& m, bool split, row_lanes lanes)
    : b_(b), m_(m), lanes_(lanes) {
  k_.body = b.code;
  k_.loops = b.loops;
  k_.scalars = b.scalars;
  k_.schedule.target = m.target;
  k_.schedule.split = split;
  for (const body_operand& o : b.operands) {
    ops_.push_back(o.at);
    k_.operands.push_back({o.role, o.type, {}});
  }
}

shaped shaper::run(const shape_t& domain, const std::vector<bool>& reduced) {
  map_ = std::find(reduced.begin(), reduced.end(), true) == reduced.end();
  const auto axis = std::find(reduced.begin(), reduced.end(), true) - reduced.begin();
  const bool by_row = scan_bytes() > 0 && scans_rows(m_, domain, static_cast<int>(axis));
  arrange(domain, reduced);
  merge();
  if (!goes_on_over_rows()) {
    if (const auto across = axis_across_short_rows()) walk_along_rows(*across);
  }
  k_.kept = static_cast<int>(kept_);
  k_.reduced = static_cast<int>(extents_.size() - kept_);
  if (scan_bytes() > 0) {
    scan(by_row);
  } else if (k_.reduced > 0 && map_) {
    down();
  } else if (k_.reduced > 0) {
    reduction();
  } else {
    map();
  }
  bake();
  gpu() ? liken() : run_back();
  take_turns();
  if (gpu() && k_.reduced == 0) stand_beside();
  infer_levels(k_);
  resident();
  if (gpu() && k_.reduced > 0) k_.schedule.quick = walks_quickly();
  std::vector<std::size_t> axes = short_axes();
  shaped out;
  out.kernel = std::move(k_);
  out.extents = std::move(extents_);
  out.operands = std::move(ops_);
  out.blocks = blocks_;
  out.splits = splits_;
  out.chunk = chunk_;
  out.order = std::move(order_);
  out.short_axes = std::move(axes);
  return out;
}

void shaper::map() {
  schedule& s = k_.schedule;
  s.lanes = lane_axis::kept;
  if (s.flat) {
    s.tile = cpu_tile(k_);
    blocks_ = blocks_of(k_, extents_, 1);
    return;
  }
  if (goes_by_whole_rows()) return;
  s.pieces = in_pieces();
  s.vector = vector_for(kept_ - 1);
  if (m_.target == target::cpu) {
    s.unroll = k_.loops.empty() ? unroll_for() : 1;
    if (!k_.loops.empty()) s.vector = vector_of_loops();
    s.tile = k_.loops.empty() ? cpu_tile(k_) : 1024;
    read_strips();
  } else if (!k_.loops.empty()) {
    // One element per thread: those that stop early make room for others.
    s.vector = 1;
    s.threads = 128;
    s.tile = 128;
  } else {
    shape_gpu_map(k_, extents_, ops_, m_, std::max<int>(1, m_.vector_bytes / widest()));
  }
  blocks_ = blocks_of(k_, extents_, 1);
}

/// Do conditions change along a row, or hold for a whole one? A vector whose mask is false
/// everywhere costs a CPU hundreds of cycles if the page is not mapped.
bool shaper::in_pieces() const {
  if (gpu() || !k_.loops.empty()) return false;
  const bool under_conditions = std::ranges::any_of(
      k_.body, [](const inst& i) { return i.kind == inst_kind::gather && i.args[0] < 0; });
  const auto changes = std::ssize(edges().edges);
  const extent& row = extents_[axis_of_lanes()];
  if (changes == 0) return under_conditions && row >= least_whole;
  const extent least = changes <= few_edges ? least_pieced : extent(changes * least_between);
  return changes <= most_edges && row >= least;
}

void shaper::reduction() {
  schedule& s = k_.schedule;
  const extent rows = product(extents_, 0, kept_);
  const extent length = product(extents_, kept_, extents_.size());
  bring_long_axis(length);
  if (short_rows(length) && !better_abreast(length)) return down();
  const bool by_row = lies_by_row();
  s.lanes = by_row ? lane_axis::reduced : lane_axis::kept;
  const std::size_t axis = axis_of_lanes();
  s.pieces = by_row && in_pieces();
  s.vector = vector_of_reduction(axis, by_row && !s.split, rows, length);
  if (gpu() && by_row && walks_slowly()) {
    while (s.vector > 1 && std::ssize(k_.body) * s.vector > most_side_by_side) s.vector /= 2;
  }
  if (s.split) split(rows, length);
  if (m_.target == target::cpu) {
    if (by_row && goes_abreast(length)) return abreast();
    s.unroll = s.pieces ? unroll_for() : by_row ? 4 : columns_in_flight(rows);
    s.rows = by_row ? 1 : s.vector * s.unroll;
  } else if (by_row) {
    const extent part = s.split ? chunk_ : length;
    gpu_rows(part, leaves_idle(rows * splits_, part), rows * splits_);
    s.pieces = asks_once(k_, ops_, axis, extents_[axis]);
    // Selected values stay in registers: with four vectors of bytes 72 bytes of a thread were
    // spilled.
    if (s.pieces) s.unroll = std::min(s.unroll, 2);
  } else {
    gpu_columns(rows, length);
  }
  if (gpu()) write_less();
  blocks_ = ceil_div(rows, s.rows) * splits_;
}

// ---- scans
std::size_t shaper::scan_bytes() const {
  for (const inst& i : k_.body) {
    if (i.kind == inst_kind::scan) return size_of(i.type);
  }
  return 0;
}

void shaper::scan(bool by_row) {
  schedule& s = k_.schedule;
  const extent rows = product(extents_, 0, kept_), length = extents_.back();
  s.lanes = by_row ? lane_axis::reduced : lane_axis::kept;
  if (m_.target == target::cpu) {
    s.vector = by_row ? std::max(8, vector_for(kept_)) : vector_for(kept_ - 1);
    s.unroll = by_row ? 1 : unroll_for();
    s.rows = by_row ? 1 : s.vector * s.unroll;
    chunk_ = scan_chunk(m_);
  } else if (by_row) {
    s.vector = std::min<int>(4, 16 / static_cast<int>(scan_bytes()));
    gpu_rows(length, false, rows);
    scan_abreast(rows);
    if (s.split) chunk_ = shape_chain(k_, ops_, m_.split_length > 0);
  } else {
    s.vector = std::min(4, vector_for(kept_ - 1));
    s.threads = column_threads;
    const bool near = length <= short_column || extents_[kept_ - 1] >= columns_beside;
    s.row_threads = near && rows >= extent(columns_alone * m_.units) ? 1 : column_walkers;
    s.unroll = 4;
    s.rows = s.threads / s.row_threads * s.vector;
  }
  if (s.split) splits_ = ceil_div(length, chunk_);
  blocks_ = ceil_div(rows, s.rows) * splits_;
  if (s.split && gpu()) blocks_ = chain_blocks(blocks_, m_.units);
}

void shaper::resident() {
  schedule& s = k_.schedule;
  const extent length = product(extents_, kept_, extents_.size());
  if (m_.target != target::gpu || k_.reduced == 0 || s.lanes != lane_axis::reduced || s.split) {
    return;
  }
  const extent rows = product(extents_, 0, kept_);
  if (stage_rows(k_, extents_, ops_, m_)) {
    blocks_ = ceil_div(rows, s.rows);
    return;
  }
  if (scan_bytes() > 0) return;
  if (keep_rows(k_, ops_, rows, length, m_)) blocks_ = ceil_div(rows, s.rows) * extent(s.cluster);
}

bool shaper::sums_floats() const {
  return std::any_of(k_.body.begin(), k_.body.end(), [](const inst& i) {
    return i.kind == inst_kind::reduce && i.code == op::add && size_of(i.type) <= sizeof(float);
  });
}

void shaper::split(extent rows, extent length) {
  const bool by_row = k_.schedule.lanes == lane_axis::reduced;
  if (m_.target == target::cpu) {
    chunk_ = by_row ? row_grain(32768, 1024, worth_a_thread) : 4096;
    while (ceil_div(length, chunk_) > 4096) chunk_ *= 2;
  } else {
    const extent blocks = std::max<extent>(by_row ? rows : blocks_of_columns(rows), 1);
    extent wanted = 4 * m_.units / blocks;
    // If one wave does not fill the machine, make it two or three.
    if (!by_row && wanted * blocks * 8 < extent(28 * m_.units)) wanted = 12 * m_.units / blocks;
    wanted = std::max<extent>(1, wanted);
    const extent grain = by_row ? row_grain(4096, 256, m_.launch / 4) : 64;
    chunk_ = std::max<extent>(1, ceil_div(ceil_div(length, wanted), grain)) * grain;
    if (!by_row && sums_floats()) chunk_ = std::min<extent>(chunk_, most_added_in_part);
  }
  splits_ = std::max<extent>(1, ceil_div(length, chunk_));
}

bool shaper::leaves_idle(extent rows, extent length) const {
  const int threads = walks_slowly() ? 2048 : 128;
  return rows * ceil_div(length, extent(k_.schedule.vector)) < extent(threads * m_.units);
}

bool shaper::asks_positions() const {
  return std::ranges::any_of(k_.body, [](const inst& i) { return i.arg; });
}

/// Threads that share a row of positions: their results are compared in pairs, a dozen instructions
/// each. H200, argmax of 1e8 floats, us, with a thread for four vectors and for 32: rows of 33 526
/// and 321, of 256 125 and 104, of 1000 262 and 108, of 4096 162 and 102 (sums: 100). Few rows are
/// shared like others.
int shaper::position_threads(extent vectors, extent rows, int most) const {
  const extent wanted = ceil_div(vectors, extent(32));
  if (wanted > 128) return most;  // rows of 32,768: 103 and 124
  int threads = wanted <= 4 ? 4 : wanted <= 8 ? 8 : wanted <= 16 ? 16 : 32;
  while (threads < most && rows * threads < extent(1024 * m_.units)) threads *= 2;
  return std::min(threads, most);
}

/// Threads that share a row whose vectors are shorter than a whole access: each should read some of
/// them. H200, sums of floats, as parts of a flat map's speed: rows of 33 0.41 with sixteen
/// threads, 0.77 with two; of 257 0.39 with 128, 0.93 with eight or sixteen; of 1025 0.85 with 256,
/// 1.00 with 32.
int shaper::threads_of_bytes(extent length) const {
  const extent bytes = length * extent(widest_read());
  if (bytes > extent(least_bytes * 128)) return 1024;
  int threads = 1;
  while (extent(least_bytes * threads) < bytes) threads *= 2;
  return threads;
}

void shaper::gpu_rows(extent length, bool idle, extent rows) {
  schedule& s = k_.schedule;
  const extent vectors = ceil_div(length, static_cast<extent>(s.vector));
  const extent wanted = idle ? vectors : ceil_div(vectors, extent(4));
  const int most = idle ? 512 : 8192;
  s.row_threads = wanted <= 1     ? 1
                  : wanted <= 4   ? 4
                  : wanted <= 8   ? 8
                  : wanted <= 16  ? 16
                  : wanted <= 32  ? 32
                  : wanted <= 128 ? 128
                  : wanted < most ? 256
                                  : 1024;
  if (!idle && asks_positions()) {
    s.row_threads = position_threads(vectors, rows, s.row_threads);
  } else if (!idle && scan_bytes() == 0 && !reads_whole() && !walks_slowly()) {
    s.row_threads = std::min(s.row_threads, threads_of_bytes(length));
  }
  if (k_.body.size() > registers_run_out) s.row_threads = std::min(s.row_threads, 256);
  // If there is one row, each block has a part of it.
  if (s.split && product(extents_, 0, kept_) == 1) s.row_threads = std::max(128, s.row_threads);
  s.threads = std::max(128, s.row_threads);
  const extent step = static_cast<extent>(s.row_threads) * s.vector;
  const bool narrow = scan_bytes() == 0 && !asks_positions() && s.row_threads <= 128 &&
                      bytes_read() <= narrow_read && walked_inputs() <= few_inputs;
  s.unroll = narrow && length >= step * 8 ? 8 : length >= step * 4 ? 4 : 1;
  // Four elements of each of 16 arrays were spilled in a block of 1024 threads (16 taps, H200).
  const int most_loaded = registers_of_all / std::max(s.threads, 256) * 3 / 4;
  while (s.unroll > 1 && walked_inputs() * s.vector * s.unroll > most_loaded) s.unroll /= 2;
  s.rows = s.threads / s.row_threads;
}

// ---- classes
std::size_t shaper::lane_of() const {
  return k_.schedule.lanes == lane_axis::reduced ? extents_.size() - 1 : kept_ - 1;
}

void shaper::bake() {
  const std::size_t lane = lane_of();
  for (std::size_t o = 0; o < ops_.size(); ++o) {
    access& a = k_.operands[o].access;
    a.unravel = static_cast<int>(ops_[o].extents.size());
    a.narrow = gpu() && a.unravel > 0 && size_of(ops_[o].extents) < std::int64_t{1} << 31;
    for (std::size_t d = 0; d < extents_.size(); ++d) {
      const extent s = ops_[o].strides[d];
      const reach by = k_.operands[o].reach;
      const bool along = d == (by == reach::turned || by == reach::strips ? lane - 1 : lane);
      const bool across = k_.schedule.abreast > 0 && d == kept_ - 1 && ops_[o].strides[lane] == 0;
      const bool one = s == 1 && (along || across) && walks_vectors(o, lane);
      a.steps.push_back(s == 0 ? step::zero : one ? step::one : step::any);
    }
  }
}

void shaper::liken() {
  for (std::size_t o = 1; o < ops_.size(); ++o) {
    for (std::size_t p = 0; p < o && k_.operands[o].like < 0; ++p) {
      if (k_.operands[p].like < 0 && moves_as(o, p)) k_.operands[o].like = static_cast<int>(p);
    }
  }
}

bool shaper::moves_as(std::size_t o, std::size_t p) const {
  const operand &a = k_.operands[o], &b = k_.operands[p];
  const auto& steps = a.access.steps;
  const bool arrays = a.role != operand_role::index && b.role != operand_role::index;
  const bool computes = std::find(steps.begin(), steps.end(), step::any) != steps.end();
  if (!arrays || !computes || a.access.unravel > 0 || a.access != b.access) return false;
  const auto same = [](const extent& x, const extent& y) { return x.peek() == y.peek(); };
  return std::ranges::equal(ops_[o].strides, ops_[p].strides, same) &&
         ops_[o].strides == ops_[p].strides;
}

shaped shape_kernel(const body& b, const shape_t& domain, const std::vector<bool>& reduced,
                    const machine& m, bool split, row_lanes lanes) {
  return shaper(b, m, split, lanes).run(domain, reduced);
}

}  // namespace sinter::ir
