// Reductions down the columns of a GPU's array: how many threads walk one together.
#include <algorithm>

#include "ir/passes/shaper.hpp"

namespace sinter::ir {

namespace {

/// Instructions of which a thread has four elements in flight; of 60 with sines, four took 1.25
/// times as long as two (distances on a sphere, H200).
constexpr std::size_t small_body = 24;

/// Elements that a walker of a column takes rather than share them.
constexpr int most_alone = 16;

/// Elements of a column that one walker has eight of in flight.
constexpr int deep_column = 64;

}  // namespace

void shaper::gpu_columns(extent rows, extent length) {
  schedule& s = k_.schedule;
  s.threads = column_threads;
  s.row_threads = s.split ? column_walkers : walkers_of(ceil_div(rows, extent(s.vector)), length);
  s.unroll = k_.body.size() > small_body || s.row_threads == column_walkers ? 2 : 4;
  if (s.unroll == 4 && s.row_threads == 1 && length >= deep_column) s.unroll = 8;
  s.rows = s.threads / s.row_threads * s.vector;
}

/// Of a column's walkers most idle where it is short, and all meet at its end: one walks alone if
/// columns keep the machine busy without the others. Of an array's columns, where they make three
/// blocks a multiprocessor, memory is read as it lies, row by row; but what is walked twice would
/// be out of the caches by then, and of many floats each walker adds up some.
int shaper::walkers_of(extent columns, extent length) const {
  const bool few_added = !sums_floats() || length <= 4 * most_added;
  const extent enough = extent(3 * m_.units) * column_threads;
  if (kept_ == 1 && few_added && columns >= enough && walked_once()) return 1;
  int walkers = column_walkers;
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
