#include "ir/passes/shape_rows.hpp"

#include <algorithm>
#include <cmath>

#include "ir/passes/fuse.hpp"
#include "ir/passes/lead_rows.hpp"
#include "ir/passes/shape.hpp"

namespace sinter::ir {

namespace {

/// Floats that a thread keeps of a row.
constexpr int floats_of_a_thread = 40;

/// Threads of a block that has a row to itself: few, so that other blocks fit beside it while it
/// waits, with many vectors each. A row that needs more than 512 is shared by several blocks. H200,
/// softmax of 2^28 bfloat16, us: rows of 32,768 by 1,024 threads 369, in quarters of 256 316, in
/// eighths of 128 311; of 24,576 by 768 403, in quarters of 192 315, in eighths of 128 358. If
/// there are few rows, there are no others to wait for.
constexpr int most_unshared = 512, least_shared = 128, most_shared = 192, most_of_few = 256,
              most_of_block = 1024, walking_together = 512;

/// Threads of a row that is read element by element, or computed in doubles: steps of a quarter, if
/// these are whole warps. An address that depends on a passed number of threads takes an
/// instruction, which single elements notice (50,257 halves a row 75% of a copy for 84, H100); and
/// doubles need the registers that there are for exactly so many threads (rows of 1,000 474 us for
/// 175).
constexpr int thread_counts[] = {1,   2,   4,   8,   16,  32,  64,  128, 160, 192,
                                 224, 256, 320, 384, 448, 512, 640, 768, 896, 1024};

/// Threads up to which a row shares its block with others, and their vectors: of elastic kernels,
/// and of others. Longer ones have a block each, for which one warp is too small: deviations of
/// rows of 768 halves took 103 us so, 83 beside others (H100).
constexpr int beside = 32, vectors_beside = 5, most_beside_others = 64, most_vectors_beside = 9;

/// Additions of an expensive element; and the most of all copies of a thread's walks in the text.
constexpr double dear_element = 64, most_kept_work = 6000;

/// A kernel of more instructions may need more than 128 registers, which 512 threads do not have.
constexpr std::size_t plain_body = 48;

class row_keeper {
 public:
  row_keeper(kernel& k, extent rows, extent length, const machine& m)
      : k_(k), s_(k.schedule), m_(m), rows_(rows), length_(length), phases_(phases_of(k)) {
    for (const operand& o : k.operands) {
      if (o.role != operand_role::input) continue;
      widest_ = std::max(widest_, static_cast<int>(size_of(o.type)));
    }
    for (const inst& i : k.body) {
      const bool computed = i.inner || i.kind == inst_kind::reduce;
      wide_ |= computed && i.kind != inst_kind::index && size_of(i.type) > 4;
    }
  }

  bool run() {
    for (std::size_t i = 0; i < k_.body.size(); ++i) {
      if (k_.body[i].inner) last_ = std::max(last_, phases_[i]);
    }
    if (last_ == 0) return false;
    const int loads = std::max(kept_loads(), 1);
    if (s_.vector == 1 && are_small(rows_, length_)) return share_simply(loads);
    int unroll = choose_cluster(loads);
    if (unroll == 0) return s_.cluster > 1;
    s_.unroll = unroll = written_less(unroll);
    s_.resident = true;
    s_.elastic = is_elastic() && !beside_;
    s_.row_threads = s_.elastic ? most_threads(unroll) : steps_of_threads(unroll);
    s_.threads = std::max(128, s_.row_threads);
    s_.rows = s_.threads / s_.row_threads;
    s_.filled = filled();
    // If a thread keeps much, compilers take more than 64 registers when they may.
    const int kept = s_.vector * unroll * loads;
    const bool much = kept >= (s_.threads >= 512 ? 16 : 24) && k_.body.size() <= plain_body;
    if (much && s_.threads >= most_shared) s_.crowd = 1024 / s_.threads;
    s_.ahead = threads_ahead();
    return true;
  }

 private:
  /// In powers of two, each of which is one kernel for all lengths up to it.
  bool share_simply(int loads) {
    const double work = work_of(k_, m_) * (last_ + 1) / 2;
    int most = waits_for_itself() ? 1 : std::min(8, most_unroll(loads));
    while (most > 1 && work * most > most_kept_work && holds(most_unshared, most / 2)) most /= 2;
    s_.row_threads = 32;
    for (s_.unroll = 1; s_.unroll * 2 <= most && !holds(32, s_.unroll);) s_.unroll *= 2;
    while (!holds(s_.row_threads, s_.unroll)) s_.row_threads *= 2;
    if (s_.row_threads > most_of_block) return false;
    s_.resident = true;
    s_.threads = std::max(128, s_.row_threads);
    s_.rows = s_.threads / s_.row_threads;
    return true;
  }

  /// Are there few rows of expensive elements? A thread's elements take turns, with no others to
  /// compute meanwhile. A round of three walks over one row of 501 doubles took 64 threads 30 us,
  /// 512 take 6; thirty softmaxes of 200 floats in a row 249 and 25 (H200).
  bool waits_for_itself() const {
    return work_of(k_, m_) >= dear_element && rows_ * 4 <= extent(m_.units);
  }

  /// The vectors of a thread, fewer if more threads do better or the text gets too long: every walk
  /// repeats what it needs of the others. Fifteen walks of sines, eight places each, were compiled
  /// for 44 s, of one place for 2.
  int written_less(int unroll) {
    const double work = work_of(k_, m_) * s_.vector * (last_ + 1) / 2;
    const bool alone = s_.cluster == 1 && waits_for_itself();
    while (unroll > 1 && (alone || work * unroll > most_kept_work)) {
      const int less = unroll / 2;
      if (!holds(most_unshared, less) || !leads(less, step(less))) break;
      unroll = less;
      beside_ = false;
    }
    return unroll;
  }

  /// How many blocks share a row, and the vectors of a thread: as few blocks as can hold it and
  /// leave none of the machine idle. 0 vectors: no number can.
  int choose_cluster(int loads) {
    const bool few = needs_split(m_, rows_, length_);
    const bool whole = k_.reduced == 1 && (!few || lies_along());
    for (s_.cluster = 1; s_.cluster < m_.cluster; s_.cluster *= 2) {
      if (few && rows_ * extent(s_.cluster) < m_.units) continue;
      const int most = s_.cluster == 1 ? most_unshared : few ? most_of_few : most_shared;
      if (const int unroll = whole ? best_unroll(loads, most) : 0; unroll > 0) return unroll;
    }
    for (int most : {few ? most_of_few : most_shared, most_unshared, most_of_block}) {
      if (const int unroll = whole ? best_unroll(loads, most) : 0; unroll > 0) return unroll;
    }
    if (few && s_.cluster > 1 && lies_along()) walk_together();
    else s_.cluster = 1;
    return 0;
  }

  /// Are elements read and written along rows? Across them, one kernel per walk reads whole lines.
  bool lies_along() const {
    return std::all_of(k_.operands.begin(), k_.operands.end(), [](const operand& o) {
      const bool strided = o.access.steps.back() == step::any || o.access.unravel > 0;
      return o.role == operand_role::index || !strided;
    });
  }

  /// A row too long to be kept: each walk reads it again, as likely as not from a cache.
  void walk_together() {
    s_.threads = s_.row_threads = walking_together;
    s_.unroll = 4;
    s_.rows = 1;
  }

  int most_unroll(int loads) const {
    return std::min(s_.vector == 1 ? floats_of_a_thread : 8,
                    floats_of_a_thread / (s_.vector * loads));
  }

  /// Does one kernel serve all lengths with the same number of vectors per thread?
  bool is_elastic() const { return s_.vector > 1 && !wide_; }

  /// Is the row one of several in a block, with a power of two of threads?
  bool lies_beside() const {
    const int most =
        is_elastic() ? beside * vectors_beside : most_beside_others * most_vectors_beside;
    return s_.cluster == 1 && length_ <= extent(most) * s_.vector;
  }

  static double speed_of(int unroll) {
    return unroll >= 4 ? 1 : unroll == 3 ? 0.95 : unroll == 2 ? 0.85 : 0.7;
  }

  /// Vectors per thread; 0: more threads would be needed than there may be.
  int best_unroll(int loads, int most) {
    const int unroll = lies_beside() ? unroll_beside(loads) : 0;
    beside_ = unroll > 0;
    return beside_ ? unroll : unroll_alone(loads, most);
  }

  /// Four vectors per thread or more, few idle threads, and no less than a line written by adjacent
  /// threads together.
  int unroll_beside(int loads) const {
    int best = 0;
    double quality = 0;
    for (int unroll : {4, 5, 6, 7, 8, 9, 3, 2, 1}) {
      const int threads = steps_of_threads(unroll);
      if (threads > (is_elastic() ? beside : most_beside_others)) continue;
      if (unroll > most_unroll(loads) || !leads(unroll, extent(threads) * s_.vector)) continue;
      if (unroll > 8 && threads < 32 && writes_rows()) continue;
      const double speed = speed_of(unroll) * together(threads) / (threads * unroll);
      if (speed <= quality) continue;
      quality = speed;
      best = unroll;
    }
    return best;
  }

  /// Few idle threads, as few kinds of kernels as possible, and several blocks per SM; for a row
  /// that blocks share, many vectors per thread.
  int unroll_alone(int loads, int most) const {
    int best = 0;
    double quality = 0;
    for (int unroll : {4, 5, 6, 7, 8, 9, 12, 16, 20, 24, 28, 32, 36, 40, 3, 2, 1}) {
      const bool rare = is_elastic() && (unroll == 7 || unroll == 9 || unroll > 12);
      if (rare || unroll > most_unroll(loads) || !holds(most, unroll)) continue;
      const bool idle = s_.cluster > 1 && unroll > 1 && holds(least_shared - 32, unroll);
      if (idle || !leads(unroll, step(unroll))) continue;
      const double fit = is_elastic() ? tight(unroll) * near(unroll)
                                      : 1.0 / (steps_of_threads(unroll) * unroll);
      const double speed = speed_of(unroll) * overlap(unroll, unroll * loads) * fit;
      if (speed <= quality) continue;
      quality = speed;
      best = unroll;
    }
    return best;
  }

  /// Instructions matter if elements are small.
  bool is_busy() const { return widest_ < 4; }

  /// Rates the threads that are not idle, as far as it matters.
  double tight(int unroll) const {
    const extent all = step(unroll) * unroll;
    const auto less = [&](int part) { return length_ * (part + 1) >= all * part; };
    if (!is_busy()) return less(4) ? 1 : 0.8;
    return less(16) ? 1 : less(7) ? 0.97 : less(4) ? 0.93 : 0.8;
  }

  /// Rates how near the number of elements is to the best one, if all else is equal.
  double near(int unroll) const {
    const int elements = s_.cluster > 1 ? 32 : is_busy() ? 24 : 16;
    return 1 - 0.02 * std::abs(std::log2(double(unroll) * s_.vector / elements));
  }

  /// How far the threads of a row advance at a time, with so many vectors each.
  extent step(int unroll) const {
    const extent each = extent(s_.cluster) * s_.vector, all = each * 32 * unroll;
    if (!is_elastic()) return each * steps_of_threads(unroll);
    return (length_ + early() + all - 1) / all * each * 32;
  }

  /// The first of several vectors, part of which may lie before the row, has to be full.
  bool leads(int unroll, extent step) const {
    return s_.lead < 0 || (unroll > 1 && length_ >= step);
  }

  /// Elements of the first vector that may lie before the row.
  int early() const { return s_.lead < 0 ? 0 : s_.vector - 1; }

  bool writes_rows() const {
    return std::ranges::any_of(k_.body, [](const inst& i) {
      return i.kind == inst_kind::store && i.inner;
    });
  }

  /// How well adjacent threads write together. H200, softmax of 64 million floats, us: rows of 50
  /// with four threads a row 209, with eight 145; of 100 150 and 126. Sums of the same rows take
  /// less with four, and so do halves.
  double together(int threads) const {
    if (widest_ < 4 || !writes_rows()) return 1;
    const std::int64_t bytes = std::int64_t{threads} * s_.vector * widest_;
    return bytes >= 128 ? 1 : bytes >= 64 ? 0.85 : 0.7;
  }

  /// Blocks that share an SM load while others compute; a single one does either.
  double overlap(int unroll, int vectors) const {
    const double registers = 24 + 1.25 * s_.vector * vectors;
    const auto fit = [&](double blocks) {
      return holds(static_cast<int>(registers_of_all / (registers * blocks)) / 32 * 32, unroll);
    };
    return fit(2.5) ? 1 : fit(2) ? 0.9 : 0.6;
  }

  /// Can so many threads of each block hold a row?
  bool holds(int threads, int unroll) const {
    return length_ + early() <= extent(s_.cluster) * s_.vector * unroll * threads;
  }

  int steps_of_threads(int unroll) const {
    for (int threads : thread_counts) {
      if (s_.cluster > 1 && threads < least_shared) continue;
      if (holds(threads, unroll)) return threads;
    }
    return 2 * most_of_block;
  }

  /// The most threads of an elastic kernel.
  int most_threads(int unroll) const {
    if (s_.cluster > 1 && holds(most_shared, unroll)) return most_shared;
    const bool few = s_.cluster > 1 || k_.body.size() > plain_body;
    if (few && holds(most_of_few, unroll)) return most_of_few;
    return holds(most_unshared, unroll) ? most_unshared : most_of_block;
  }

  /// Vectors that are in range for every thread: their loads and sums need no conditions. With
  /// conditions, rows of 8192 floats, normalised with a gain and a bias, took 230 us where 135 do
  /// (H200).
  int filled() const {
    const auto apart = [](const inst& i) {
      return i.kind == inst_kind::gather ||
             (i.kind == inst_kind::store && (i.args[1] >= 0 || i.args[2] >= 0));
    };
    if (s_.rows > 1 && std::any_of(k_.body.begin(), k_.body.end(), apart)) return 0;
    const extent each = extent(s_.cluster) * s_.vector,
                 all = s_.elastic ? step(s_.unroll) : each * s_.row_threads;
    const int most = s_.unroll;
    if (s_.elastic) {  // few numbers, because each is a kernel
      for (int less : {0, 1, most / 8 + 1, most / 4 + 1}) {
        if (length_ >= all * (most - less)) return most - less;
      }
      return s_.lead < 0 ? 0 : 1;
    }
    int n = most;
    while (length_ < all * n) --n;
    return n;
  }

  /// Half of the threads that the device runs at once, as far as registers tell. H200, softmax of
  /// 2^28 bfloat16 in rows of 8,192, 12,288, 16,384, 32,768 and 131,072: 95, 82, 88, 81 and 70% of
  /// a copy without, 99, 92, 94, 87 and 75 with it; 98, 92, 93, 86 and 75 for all of these threads,
  /// 78, 90, 81, 81 and 71 for half as many again.
  int threads_ahead() const {
    if (k_.kept != 1 || k_.reduced != 1 || !writes_rows() || !gains_by_prefetch()) return 0;
    return m_.units * (s_.crowd > 0 ? s_.crowd * s_.threads : 1024) / 2;
  }

  /// A prefetched line passes the L2 twice, which only rows that leave memory idle can afford.
  /// H200, % of a copy without and with it: floats, softmax of rows of 100 95 and 90, 256 97 and
  /// 100, 4,096 97 and 100, 4,097 92 and 98, 16,384 97 and 96; with a gain and a bias of 20,000
  /// 90 and 97, 32,768 92 and 96. Halves, log-softmax of rows of 500 89 and 78, 9,999 85 and 93,
  /// 32,768 86 and 93; with a gain, which comes from the L2 too, of 4,096 89 and 84, 65,536 75 and
  /// 81. Deviations, which store nothing, took 10% longer, and 128 rows of 131,072 floats with a
  /// gain 6%.
  bool gains_by_prefetch() const {
    const bool shares = reads_what_rows_share();
    if (widest_ < 4) return length_ >= extent(shares ? 32768 : 4096);
    if (s_.cluster > 1) return shares && length_ < extent(131072);
    return length_ >= extent(256) && length_ <= extent(8192);
  }

  bool reads_what_rows_share() const {
    return std::ranges::any_of(k_.operands, [&](const operand& o) {
      return o.role == operand_role::input && o.access.steps[0] == step::zero &&
             o.access.steps.back() != step::zero;
    });
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
  bool wide_ = false;    // elements are computed in doubles
  bool beside_ = false;  // other rows share the block
  int last_ = 0;  // the last walk that reads
};

}  // namespace

bool are_small(const extent& rows, const extent& length) {
  constexpr std::int64_t longest = 1024, most = 1 << 14;
  return length <= longest && rows * length <= most;
}

bool keep_rows(kernel& k, const std::vector<index_expr>& operands, extent rows, extent length,
               const machine& m) {
  const schedule before = k.schedule;
  const std::vector<operand> as_they_were = k.operands;
  if (!are_small(rows, length) && lead_rows(k, operands, length, m)) {
    if (row_keeper(k, rows, length, m).run() && k.schedule.resident) return true;
    k.schedule = before;
    k.operands = as_they_were;
  }
  return row_keeper(k, rows, length, m).run();
}

}  // namespace sinter::ir
