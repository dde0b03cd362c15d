#include "ir/passes/shape_rows.hpp"

#include <algorithm>
#include <array>

#include "ir/passes/fuse.hpp"

namespace sinter::ir {

namespace {

/// What a thread keeps of a row.
constexpr int floats_of_a_thread = 40;

/// Threads of a block that shares its row: few, so that others fit beside it while it waits, with
/// many vectors each. 128 rows of 131072 floats took 45 us in eighths of 512 threads, 53 in
/// quarters of 1024, 63 with half as many vectors a thread; of 65536 floats 42 in eighths, 44 in
/// quarters (H200).
constexpr int least_shared = 128, most_shared = 256, walking_together = 512;

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
      const int unroll = whole ? best_unroll(loads) : 0;
      if (unroll > 0 && (s_.cluster == 1 || threads_for(unroll) <= most_shared)) return unroll;
    }
    const int unroll = whole ? best_unroll(loads) : 0;
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
  int best_unroll(int loads) const {
    const int most = std::min(s_.vector == 1 ? 9 : 8, floats_of_a_thread / (s_.vector * loads));
    int best = 0;
    double quality = 0;
    const auto order = s_.cluster > 1 ? std::array{9, 8, 7, 6, 5, 4, 3, 2, 1}
                                      : std::array{4, 5, 6, 7, 8, 9, 3, 2, 1};
    for (int unroll : order) {
      const int threads = threads_for(unroll);
      if (unroll > most || threads > 1024) continue;
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

  /// Threads that hold a row, so many vectors each.
  int threads_for(int unroll) const {
    int threads = s_.cluster > 1 ? least_shared : 1;
    const extent of_each = extent(s_.cluster) * s_.vector * unroll;
    while (threads <= 1024 && length_ > of_each * threads) threads *= 2;
    return threads;
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
