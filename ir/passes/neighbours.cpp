#include "ir/passes/neighbours.hpp"

#include <algorithm>
#include <bit>

#include "ir/cat.hpp"
#include "ir/error.hpp"

namespace sinter::ir {

namespace {

constexpr int warp = 32, most_threads = 1024, threads_together = 2048;

/// Statements from which on a compiler may take more registers than leave room for other blocks.
constexpr std::ptrdiff_t long_body = 24;

/// Does it load from elsewhere, or store under a condition or at an index? A thread without a row
/// of its own must not repeat that (see schedule::filled).
bool acts_alone(const kernel& k) {
  return std::any_of(k.body.begin(), k.body.end(), [](const inst& i) {
    return i.kind == inst_kind::gather ||
           (i.kind == inst_kind::store && (i.args[1] >= 0 || i.args[2] >= 0));
  });
}

class finder {
 public:
  explicit finder(const kernel& k) : k_(k), s_(k.schedule) {}

  std::vector<neighbour> run() {
    // Neither small kernels in one launch, nor those whose shared memory is sized by places or
    // rows.
    if (!k_.parts.empty() || s_.held > 0 || s_.staged > 0) return {};
    if (s_.target == target::cpu) {
      on_cpu();
    } else if (k_.reduced == 0) {
      s_.tile_rows == 0 ? map() : turns(k_) ? turned() : tiled();
    } else if (scan_count(k_) > 0) {
      if (!s_.split && s_.lanes == lane_axis::reduced) share_blocks();
      crowds();
    } else {
      s_.lanes == lane_axis::kept ? columns() : rows();
    }
    return std::move(found_);
  }

 private:
  /// Adds the schedule with a change, unless it stays the same, breaks a rule or changes a tree.
  template <class F> void add(std::string name, F change) {
    schedule s = s_;
    change(s);
    if (s == s_ || found_.size() == most_neighbours || !allowed(s)) return;
    const auto same = [&](const neighbour& n) { return n.schedule == s; };
    if (std::any_of(found_.begin(), found_.end(), same)) return;
    found_.push_back({std::move(name), s});
  }

  bool allowed(const schedule& s) const {
    if (!same_trees(k_, s)) return false;
    if (s.target == target::gpu && (s.threads < warp || s.threads > most_threads)) return false;
    if (s.threads * s.crowd > threads_together || s.vector < 1 || s.unroll < 1) return false;
    kernel changed = k_;
    changed.schedule = s;
    try {
      verify(changed);
    } catch (const verify_error&) {
      return false;
    }
    return true;
  }

  static std::string named(const char* what, int n) { return detail::cat(what, " ", n); }

  /// The number of blocks that must fit on an SM at once, which limits their registers.
  void crowds() {
    for (int threads : {1024, 1536, 2048, 768}) {
      const int blocks = threads / s_.threads;
      if (blocks > 1) add(named("crowd", blocks), [&](schedule& s) { s.crowd = blocks; });
    }
    if (s_.crowd > 1) add("crowd 0", [](schedule& s) { s.crowd = 0; });
  }

  // ---- maps

  bool is_long() const {
    std::ptrdiff_t statements = std::ssize(k_.body);
    for (const loop_code& l : k_.loops) statements += std::ssize(l.body);
    return statements >= long_body;
  }

  /// If inputs begin between vectors, narrower vectors begin elsewhere.
  bool divisible() const {
    return s_.vector > 1 &&
           std::none_of(k_.operands.begin(), k_.operands.end(),
                        [](const operand& o) { return o.reach == reach::shifted; });
  }

  static void flat(schedule& s, int threads, int vector, int unroll) {
    s.threads = threads, s.vector = vector, s.unroll = unroll;
    s.row_lanes = std::min(s.row_lanes, vector);
    s.tile = std::int64_t{threads} * vector * unroll;
  }

  void map() {
    const int t = s_.threads, v = s_.vector, u = s_.unroll;
    const auto try_flat = [&](std::string name, int threads, int vector, int unroll) {
      add(std::move(name), [&](schedule& s) { flat(s, threads, vector, unroll); });
    };
    if (s_.quick) add("careful", [](schedule& s) { s.quick = false; });
    try_flat(named("threads", t / 2), t / 2, v, u);
    if (is_long()) crowds();
    if (k_.loops.empty()) {
      try_flat(named("unroll", 2 * u), t, v, 2 * u);
      if (divisible()) try_flat(named("vector", v / 2), t, v / 2, u);
    }
    try_flat(named("threads", 2 * t), 2 * t, v, u);
    const int other = u > 1 ? u / 2 : 4 * u;
    if (k_.loops.empty()) try_flat(named("unroll", other), t, v, other);
  }

  /// Rectangles of rows that begin anywhere.
  void tiled() {
    const int t = s_.threads, r = s_.tile_rows, c = s_.tile_columns;
    const auto try_tile = [&](int rows, int columns, int threads) {
      add(detail::cat("tile ", rows, " x ", columns, ", threads ", threads), [&](schedule& s) {
        s.tile_rows = rows, s.tile_columns = columns;
        const std::int64_t tile = std::int64_t{rows} * columns;
        const std::int64_t vectors = tile / s.vector;
        const bool fits = columns >= s.vector && vectors % threads == 0 &&
                          threads % (columns / s.vector) == 0;
        if (fits) {
          s.tile = tile, s.threads = threads, s.unroll = static_cast<int>(vectors / threads);
        } else {
          s = s_;
        }
      });
    };
    if (k_.kept == 1) {
      try_tile(r, c / 2, t / 2);
      return try_tile(r, c * 2, t * 2);
    }
    for (int planes : {s_.planes * 2, s_.planes / 2}) {
      if (s_.planes > 1) add(named("planes", planes), [&](schedule& s) { s.planes = planes; });
    }
    try_tile(2 * r, c, t);
    try_tile(2 * r, c / 2, t);
    if (r > 1) try_tile(r / 2, 2 * c, t);
    if (r > 1) try_tile(r / 2, c, t / 2);
    try_tile(4 * r, c, t);
    try_tile(2 * r, c, 2 * t);
  }

  /// Rectangles that are transposed in shared memory; no neighbour takes more of it.
  void turned() {
    const int t = s_.threads, r = s_.tile_rows, c = s_.tile_columns;
    const auto try_tile = [&](int rows, int columns, int threads) {
      add(detail::cat("tile ", rows, " x ", columns, ", threads ", threads), [&](schedule& s) {
        const std::int64_t tile = std::int64_t{rows} * columns;
        const int turned = s.turn_vector * turned_together(k_);
        const std::int64_t step = std::int64_t{threads} * std::max(s.vector, turned);
        if (tile % step != 0) return;
        s.tile_rows = rows, s.tile_columns = columns, s.tile = tile, s.threads = threads;
        s.unroll = static_cast<int>(tile / (std::int64_t{threads} * s.vector));
      });
    };
    try_tile(r, c, 2 * t);
    try_tile(r, c, t / 2);
    try_tile(r / 2, c, t);
    try_tile(r, c / 2, t);
    try_tile(r / 2, c / 2, t);
    try_tile(r / 2, c / 2, t / 2);
  }

  // ---- reductions

  /// More rows per block, or fewer.
  void share_blocks() {
    for (int threads : {s_.threads * 2, s_.threads / 2}) {
      const bool whole = std::has_single_bit(static_cast<unsigned>(s_.row_threads)) &&
                         threads >= s_.row_threads && threads % s_.row_threads == 0;
      if (s_.cluster > 1 || !whole) continue;
      add(named("threads", threads), [&](schedule& s) {
        s.threads = threads;
        s.rows = threads / s.row_threads;
        if (s.rows > 1 && acts_alone(k_)) s.filled = 0;
        if (s.crowd > 0) s.crowd = std::max(1, s_.crowd * s_.threads / threads);
      });
    }
  }

  void in_flight(std::initializer_list<int> numbers) {
    for (int n : numbers) add(named("unroll", n), [&](schedule& s) { s.unroll = n; });
  }

  /// If a row is in registers, its vectors are leaves of the tree.
  void rows() {
    if (s_.quick) add("careful", [](schedule& s) { s.quick = false; });
    if (!s_.resident) in_flight({2 * s_.unroll, 4 * s_.unroll, s_.unroll / 2});
    if (s_.resident || s_.row_threads <= 128) share_blocks();
    crowds();
  }

  /// How many columns a thread owns changes no tree.
  void columns() {
    const int far = s_.unroll < 4 ? 4 * s_.unroll : s_.unroll / 4;
    in_flight({2 * s_.unroll, s_.unroll / 2, far});
    if (s_.vector > 1) {
      const int vector = s_.vector / 2;
      const auto narrow = [&](schedule& s) {
        s.vector = vector;
        s.rows = s.threads / s.row_threads * vector;
      };
      add(named("vector", vector), narrow);
      add(detail::cat("vector ", vector, ", unroll ", 2 * s_.unroll), [&](schedule& s) {
        narrow(s);
        s.unroll *= 2;
      });
    }
    crowds();
  }

  // ---- on a CPU

  void on_cpu() {
    const bool map = k_.reduced == 0;
    if (!map && s_.lanes == lane_axis::reduced) return;  // vectors in flight are leaves
    if (scan_count(k_) > 0 || s_.tile == whole_domain) return;
    for (int n : {2 * s_.unroll, s_.unroll / 2}) {
      if (!k_.loops.empty()) break;
      add(named("unroll", n), [&](schedule& s) {
        s.unroll = n;
        if (!map) s.rows = s.vector * n;
      });
    }
    if (!map) return;
    for (std::int64_t n : {s_.tile * 4, s_.tile / 4}) {
      add(detail::cat("tile ", n), [&](schedule& s) { s.tile = n; });
    }
  }

  const kernel& k_;
  const schedule& s_;
  std::vector<neighbour> found_;
};

}  // namespace

std::vector<neighbour> neighbours(const kernel& k) {
  return finder(k).run();
}

bool same_trees(const kernel& k, const schedule& other) {
  const schedule& s = k.schedule;
  if (s.target != other.target || s.lanes != other.lanes || s.split != other.split) return false;
  if (!k.parts.empty()) return s == other;
  if (k.reduced == 0) return true;
  const bool by_row = s.lanes == lane_axis::reduced;
  if (s.target == target::cpu) {
    // Lanes of a row, and vectors in flight, have accumulators of their own; columns have one each.
    return s.vector == other.vector && s.abreast == other.abreast &&
           (!by_row || s.unroll == other.unroll) && (scan_count(k) == 0 || s == other);
  }
  if (s.row_threads != other.row_threads || s.cluster != other.cluster) return false;
  const bool leaves = s.resident || other.resident || scan_count(k) > 0;
  if (leaves && (s.resident != other.resident || s.unroll != other.unroll)) return false;
  if (scan_count(k) > 0 && (s.split || !by_row) && s.threads != other.threads) return false;
  if (by_row || scan_count(k) > 0) return s.vector == other.vector && s.packs == other.packs;
  // Walkers in one warp combine in pairs; how many there are depends on the block's threads.
  return s.threads == other.threads;
}

}  // namespace sinter::ir
