#include "ir/passes/shape_rows.hpp"

#include <algorithm>
#include <array>

#include "ir/passes/fuse.hpp"

namespace sinter::ir {

namespace {

/// What a thread keeps of a row.
constexpr int floats_of_a_thread = 40;

/// Threads of a block that shares its row: few, so that others fit beside it while it waits, with
/// many vectors each. A block of more than 512 leaves its row to several. H200, softmax of 2^28
/// bfloat16, us: rows of 32,768 by 1,024 threads 369, in quarters of 256 316, in eighths of 128
/// 311; of 24,576 by 768 403, in quarters of 192 315, in eighths of 128 358.
/// Few rows have no others to wait for.
constexpr int most_unshared = 512, least_shared = 128, most_shared = 192, most_of_few = 256,
              most_of_block = 1024, walking_together = 512;

/// Threads of a row: steps of a quarter, where these are whole warps. Of 384 threads 12,288 halves
/// take four vectors each; there are not many of them, as each is a plan of its own.
constexpr int thread_counts[] = {1,   2,   4,   8,   16,  32,  64,  128, 160, 192,
                                 224, 256, 320, 384, 448, 512, 640, 768, 896, 1024};

class row_keeper {
 public:
  row_keeper(kernel& k, extent rows, extent length, const machine& m)
      : k_(k), s_(k.schedule), m_(m), rows_(rows), length_(length), phases_(phases_of(k)) {
    for (const operand& o : k.operands) {
      if (o.role != operand_role::input) continue;
      widest_ = std::max(widest_, static_cast<int>(size_of(o.type)));
    }
  }

  bool run() {
    for (std::size_t i = 0; i < k_.body.size(); ++i) {
      if (k_.body[i].inner) last_ = std::max(last_, phases_[i]);
    }
    if (last_ == 0) return false;
    const int loads = std::max(kept_loads(), 1), unroll = choose_cluster(loads);
    if (unroll == 0) return s_.cluster > 1;
    s_.row_threads = threads_for(unroll);
    s_.threads = std::max(128, s_.row_threads);
    s_.unroll = unroll;
    s_.rows = s_.threads / s_.row_threads;
    s_.resident = true;
    s_.filled = filled();
    // Where a thread keeps much, compilers take more than 64 registers if they may.
    const int kept = s_.vector * unroll * loads;
    const bool much = kept >= (s_.threads >= 512 ? 16 : 24) && k_.body.size() <= 48;
    if (much && s_.threads >= 256) s_.crowd = 1024 / s_.threads;
    return true;
  }

 private:
  /// How many blocks share a row, and the vectors of a thread: as few blocks as can hold it and
  /// leave none of the machine idle. 0 vectors: nobody can.
  int choose_cluster(int loads) {
    const bool few = needs_split(m_, rows_, length_);
    const bool whole = k_.reduced == 1 && (!few || lies_along());
    for (s_.cluster = 1; s_.cluster < m_.cluster; s_.cluster *= 2) {
      if (few && rows_ * extent(s_.cluster) < m_.units) continue;
      const int most = s_.cluster == 1 ? most_unshared : few ? most_of_few : most_shared;
      if (const int unroll = whole ? best_unroll(loads, most) : 0; unroll > 0) return unroll;
    }
    const int unroll = whole ? best_unroll(loads, most_of_block) : 0;
    if (unroll > 0) return unroll;
    if (few && s_.cluster > 1 && lies_along()) walk_together();
    else s_.cluster = 1;
    return 0;
  }

  /// Are elements read and written along rows? Across them a kernel a walk reads whole lines.
  bool lies_along() const {
    return std::all_of(k_.operands.begin(), k_.operands.end(), [](const operand& o) {
      const bool strided = o.access.steps.back() == step::any || o.access.unravel > 0;
      return o.role == operand_role::index || !strided;
    });
  }

  /// Too long to be kept: each walk reads the row again, from a cache as likely as not.
  void walk_together() {
    s_.threads = s_.row_threads = walking_together;
    s_.unroll = 4;
    s_.rows = 1;
  }

  /// Four vectors a thread and more, few threads idle, blocks beside each other, and what threads
  /// beside each other write together no less than a line.
  int best_unroll(int loads, int most_threads) const {
    const int most = std::min(s_.vector == 1 ? floats_of_a_thread : 8,
                              floats_of_a_thread / (s_.vector * loads));
    int best = 0;
    double quality = 0;
    constexpr std::array alone{4, 5, 6, 7, 8, 9, 12, 16, 20, 24, 28, 32, 36, 40, 3, 2, 1},
        shared{40, 36, 32, 28, 24, 20, 16, 12, 9, 8, 7, 6, 5, 4, 3, 2, 1};
    for (int unroll : s_.cluster > 1 ? shared : alone) {
      const int threads = threads_for(unroll);
      if (unroll > most || threads > most_threads) continue;
      if (unroll > 9 && threads < 128) continue;
      if (unroll > 8 && threads < 32 && writes_rows()) continue;
      const double few = unroll >= 4 ? 1 : unroll == 3 ? 0.95 : unroll == 2 ? 0.85 : 0.7;
      const double speed =
          few * together(threads) * overlap(threads, unroll * loads) / (threads * unroll);
      if (speed <= quality) continue;
      quality = speed;
      best = unroll;
    }
    return best;
  }

  bool writes_rows() const {
    return std::ranges::any_of(k_.body, [](const inst& i) {
      return i.kind == inst_kind::store && i.inner;
    });
  }

  /// How well threads beside each other write. H200, softmax of 64 million floats, us: rows of 50
  /// with four threads a row 209, with eight 145; of 100 150 and 126. Sums of the same rows take
  /// less with four, and so do halves.
  double together(int threads) const {
    if (widest_ < 4 || !writes_rows()) return 1;
    const std::int64_t bytes = std::int64_t{threads} * s_.vector * widest_;
    return bytes >= 128 ? 1 : bytes >= 64 ? 0.85 : 0.7;
  }

  /// Blocks that share a multiprocessor load while others compute; one alone does either.
  double overlap(int threads, int vectors) const {
    const double registers = 24 + 1.25 * s_.vector * vectors;
    const double blocks = registers_of_all / (registers * std::max(threads, 128));
    return blocks >= 2.5 ? 1 : blocks >= 2 ? 0.9 : 0.6;
  }

  /// Threads that hold a row, so many vectors each; more than a block has: none can.
  int threads_for(int unroll) const {
    const extent of_each = extent(s_.cluster) * s_.vector * unroll;
    for (int threads : thread_counts) {
      if (s_.cluster > 1 && threads < least_shared) continue;
      if (length_ <= of_each * threads) return threads;
    }
    return 2 * most_of_block;
  }

  /// Vectors that are in range for every thread: their loads and sums need no conditions. With them
  /// rows of 8192 floats, normalised with a gain and a bias, took 230 us where 135 do (H200).
  int filled() const {
    const auto apart = [](const inst& i) {
      return i.kind == inst_kind::gather ||
             (i.kind == inst_kind::store && (i.args[1] >= 0 || i.args[2] >= 0));
    };
    if (s_.rows > 1 && std::any_of(k_.body.begin(), k_.body.end(), apart)) return 0;
    int n = 0;
    while (n < s_.unroll && length_ >= extent(n + 1) * s_.cluster * s_.row_threads * s_.vector) {
      ++n;
    }
    return n;
  }

  /// Operands that walks before the last read element by element.
  int kept_loads() const {
    std::vector<bool> needed(k_.body.size()), kept(k_.operands.size());
    for (std::size_t i = k_.body.size(); i-- > 0;) {
      const inst& x = k_.body[i];
      const bool walked = needed[i] && x.inner && x.kind != inst_kind::reduce;
      if (walked && x.kind == inst_kind::load) kept[static_cast<std::size_t>(x.which)] = true;
      if (!walked && (x.kind != inst_kind::reduce || phases_[i] == last_)) continue;
      for (std::int32_t a : x.args) {
        if (a >= 0) needed[static_cast<std::size_t>(a)] = true;
      }
    }
    return static_cast<int>(std::count(kept.begin(), kept.end(), true));
  }

  kernel& k_;
  schedule& s_;
  const machine& m_;
  extent rows_, length_;
  int widest_ = 1;  // bytes of an element that is read
  std::vector<int> phases_;
  int last_ = 0;  // the walk after which nothing is read
};

}  // namespace

bool keep_rows(kernel& k, extent rows, extent length, const machine& m) {
  return row_keeper(k, rows, length, m).run();
}

}  // namespace sinter::ir
