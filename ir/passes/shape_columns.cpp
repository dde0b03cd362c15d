// Reductions down the columns of an array on a GPU: how many threads share a column.
#include <algorithm>

#include "ir/passes/shaper.hpp"

namespace sinter::ir {

namespace {

/// Bodies of up to this many instructions have four elements per thread in flight; one of 60, with
/// sines, took 1.25 times as long with four as with two (distances on a sphere, H200).
constexpr std::size_t small_body = 24;

/// Elements of a column that one walker takes rather than share them.
constexpr int most_alone = 16;

/// The length of a column of which one walker has eight elements in flight.
constexpr int deep_column = 64;

/// Walkers per column if at least so many vectors are adjacent: 512 bytes of a row at once, not
/// 128. H200, sums of floats, us: columns of 10,000 x 10,000 101 and 95, of 2000 x 50,000 101 and
/// 93; of 50,000 x 2000 94 and 95.
constexpr int wide_walkers = 8, wide_vectors = 512;

/// Columns that more than 32 walkers share: with three, five of eight adjacent threads idle.
constexpr int very_few = 4;

/// Bytes that a thread should have in flight if vectors are shorter than a whole access, because
/// rows are no multiple of one: columns of 1e8 floats in rows of 257, as parts of a flat map's
/// speed, 0.62 -> 0.92, of 50 0.66 -> 0.94, of 33 0.61 -> 0.78; of halves in rows of 257 0.41 ->
/// 0.62 (H200). Not if vectors are whole, as in rows of 100 floats.
constexpr int whole_access = 16, bytes_in_flight = 128, fewest_in_flight = 8;

}  // namespace

void shaper::gpu_columns(extent rows, extent length) {
  schedule& s = k_.schedule;
  const extent vectors = ceil_div(rows, extent(s.vector));
  s.threads = column_threads;
  s.row_threads = s.split ? walkers_of_part(vectors) : walkers_of(vectors, length);
  const bool few = s.row_threads < column_walkers || walked_inputs() <= few_inputs;
  s.unroll = few && k_.body.size() <= small_body ? 4 : 2;
  if (s.unroll == 4 && s.row_threads == 1 && length >= deep_column) s.unroll = 8;
  if (s.split && s.unroll == 4 && s.row_threads < column_walkers && !reads_whole()) {
    s.unroll = std::min(fewest_in_flight, bytes_in_flight / bytes_read());
    if (bytes_read() * 2 >= whole_access) s.unroll = bytes_in_flight / bytes_read();
  }
  s.rows = s.threads / s.row_threads * s.vector;
}

/// Is what 32 threads read of a row contiguous?
bool shaper::wide_rows() const {
  return extents_[kept_ - 1] >= extent(column_threads / wide_walkers * k_.schedule.vector);
}

int shaper::walkers_of_part(extent columns) const {
  if (columns >= extent(wide_vectors) && wide_rows()) return wide_walkers;
  if (columns <= extent(very_few)) return column_threads / very_few;
  // With doubles 16 exponentials were in flight: log-sums of rows of 33 160 us -> 249.
  const bool few = k_.body.size() <= small_body && widest_read() <= 4;
  if (reads_whole() || !few) return column_walkers;
  // As many adjacent threads as leave few of them idle.
  const auto idle_at_most = [&](int walkers, int percent) {
    const extent beside = column_threads / walkers;
    return columns * 100 >= ceil_div(columns, beside) * beside * extent(100 - percent);
  };
  return idle_at_most(8, 25) ? 8 : idle_at_most(16, 35) ? 16 : column_walkers;
}

int shaper::bytes_read() const { return widest_read() * k_.schedule.vector; }

bool shaper::reads_whole() const { return bytes_read() >= whole_access; }

extent shaper::blocks_of_columns(extent rows) const {
  const extent vectors = ceil_div(rows, extent(k_.schedule.vector));
  return ceil_div(vectors, extent(column_threads / walkers_of_part(vectors)));
}

/// Most walkers of a short column idle, and all synchronise at its end: one walks alone if columns
/// keep the machine busy without the others. If the columns of an array make three blocks per SM,
/// memory is read in its order, row by row; but what is walked twice would be out of the caches by
/// then, and of many floats each walker adds up some.
int shaper::walkers_of(extent columns, extent length) const {
  const bool few_added = !sums_floats() || length <= 4 * most_added;
  const extent enough = extent(3 * m_.units) * column_threads;
  if (kept_ == 1 && few_added && columns >= enough && walked_once()) return 1;
  const extent wide_blocks = ceil_div(columns, extent(column_threads / wide_walkers));
  const bool wide = wide_blocks * 2 >= extent(5 * m_.units) && wide_rows() &&
                    (!sums_floats() || length <= extent(4 * most_added * wide_walkers));
  int walkers = wide ? wide_walkers : column_walkers;
  while (walkers > 1 && length <= extent(most_alone * walkers / 2) &&
         columns * (walkers / 2) >= extent(1024 * m_.units)) {
    walkers /= 2;
  }
  return walkers;
}

bool shaper::walked_once() const {
  const std::vector<int> phases = phases_of(k_);
  for (std::size_t i = 0; i < phases.size(); ++i) {
    if (k_.body[i].inner && phases[i] > 0) return false;
  }
  return true;
}

}  // namespace sinter::ir
