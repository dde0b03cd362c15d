// length: the schedules of all kinds of kernels, over one set of axes
#include "ir/passes/shape.hpp"

#include <algorithm>
#include <bit>
#include <numeric>

#include "ir/passes/shape_chain.hpp"
#include "ir/passes/shape_map.hpp"
#include "ir/passes/shape_rows.hpp"

namespace sinter::ir {

namespace {

/// A column reduction on a GPU: threads of a block, and how many of them share a column. Measured
/// on an H200: 4.3 TB/s with 32 walkers and two vectors in flight, 2.4 with 8 and one. Four blocks
/// fit on a multiprocessor at once; sums and deviations of 1e6 x 128 in one go take 131 us, 156 in
/// one and a half or three.
constexpr int column_threads = 256, column_walkers = 32;

/// Floats that one walker of a column adds up: of equal numbers all roundings go the same way.
constexpr int most_added = 128;

extent ceil_div(extent a, extent b) {
  return (a + b - 1) / b;
}

extent product(const shape_t& s, std::size_t from, std::size_t to) {
  extent n = 1;
  for (std::size_t i = from; i < to; ++i) n *= s[i];
  return n;
}

class shaper {
 public:
  shaper(const body& b, const machine& m, bool split) : b_(b), m_(m) {
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

  shaped run(const shape_t& domain, const std::vector<bool>& reduced) {
    map_ = std::find(reduced.begin(), reduced.end(), true) == reduced.end();
    const auto axis = std::find(reduced.begin(), reduced.end(), true) - reduced.begin();
    const bool by_row = scan_bytes() > 0 && scans_rows(m_, domain, static_cast<int>(axis));
    arrange(domain, reduced);
    merge();
    k_.kept = static_cast<int>(kept_);
    k_.reduced = static_cast<int>(extents_.size() - kept_);
    if (scan_bytes() > 0) {
      scan(by_row);
    } else if (k_.reduced > 0) {
      reduction();
    } else {
      map();
    }
    bake();
    if (gpu()) liken();
    infer_levels(k_);
    resident();
    shaped out;
    out.kernel = std::move(k_);
    out.extents = std::move(extents_);
    out.operands = std::move(ops_);
    out.blocks = blocks_;
    out.splits = splits_;
    out.chunk = chunk_;
    return out;
  }

 private:
  // ---- axes
  /// Kept axes first, unit axes gone, the axis that most operands walk by ones last.
  void arrange(const shape_t& domain, const std::vector<bool>& reduced) {
    std::vector<std::size_t> axes;
    for (int pass = 0; pass < 2; ++pass) {
      for (std::size_t i = 0; i < domain.size(); ++i) {
        if (reduced[i] == (pass == 1) && domain[i] != 1) axes.push_back(i);
      }
      if (pass == 0) {
        kept_ = axes.size();
        contiguous_last(axes, domain);
        if (map_) turned_before(axes);
      }
    }
    if (kept_ == axes.size() && !map_) {
      keep_one_reduced_ = true;  // all reduced axes have extent 1: it still is a reduction
    }
    for (index_expr& e : ops_) {
      std::vector<extent> s;
      if (kept_ == 0) s.push_back(0);
      for (std::size_t a : axes) s.push_back(e.stride(a));
      if (keep_one_reduced_) s.push_back(0);
      e.strides = std::move(s);
    }
    if (kept_ == 0) extents_.push_back(1);
    for (std::size_t a : axes) extents_.push_back(domain[a]);
    if (keep_one_reduced_) extents_.push_back(1);
    kept_ = std::max<std::size_t>(kept_, 1);
  }

  /// Of a map the axis that outputs lie along, else the one that most operands do.
  void contiguous_last(std::vector<std::size_t>& axes, const shape_t& domain) const {
    if (axes.size() < 2) return;
    std::size_t best = axes.back(), most = 0;
    for (std::size_t i = axes.size(); i-- > 0;) {
      std::size_t bytes = 0;
      bool writes = false;
      for (std::size_t o = 0; o < ops_.size(); ++o) {
        if (!walks_by_one(o, axes[i])) continue;
        bytes += size_of(k_.operands[o].type);
        writes |= k_.operands[o].role == operand_role::output;
      }
      if (map_ && writes) bytes *= 1024;
      const bool long_enough = domain[axes[i]] >= (gpu() && map_ && writes ? 2 : 8);
      if (bytes > most && long_enough) {
        most = bytes;
        best = axes[i];
      }
    }
    axes.erase(std::find(axes.begin(), axes.end(), best));
    axes.push_back(best);
  }

  /// The axis that transposed operands lie along becomes the last but one: blocks of both targets
  /// are rectangles of these two.
  void turned_before(std::vector<std::size_t>& axes) const {
    if (axes.size() < 3) return;
    std::size_t best = axes[axes.size() - 2], most = 0;
    for (std::size_t i = axes.size() - 1; i-- > 0;) {
      std::size_t bytes = 0;
      for (std::size_t o = 0; o < ops_.size(); ++o) {
        if (closest(o, axes) == axes[i]) bytes += size_of(k_.operands[o].type);
      }
      if (bytes > most) {
        most = bytes;
        best = axes[i];
      }
    }
    axes.erase(std::find(axes.begin(), axes.end(), best));
    axes.insert(axes.end() - 1, best);
  }

  /// The axis along which an operand's elements are closest; the last one where it stands still.
  std::size_t closest(std::size_t o, const std::vector<std::size_t>& axes) const {
    std::size_t best = axes.back();
    if (k_.operands[o].role == operand_role::index || !ops_[o].affine()) return best;
    if (ops_[o].stride(best) == 0) return best;
    for (std::size_t a : axes) {
      const extent here = std::abs(ops_[o].stride(a));
      if (here != 0 && here < std::abs(ops_[o].stride(best))) best = a;
    }
    return best;
  }

  /// Adjacent axes become one where every operand walks them as one.
  void merge() {
    for (std::size_t i = 0; i + 1 < extents_.size();) {
      const bool border = i + 1 == kept_;
      const bool one_walk = std::all_of(ops_.begin(), ops_.end(), [&](const index_expr& e) {
        return e.strides[i] == e.strides[i + 1] * extents_[i + 1];
      });
      if (border || !one_walk) {
        ++i;
        continue;
      }
      extents_[i + 1] *= extents_[i];
      extents_.erase(extents_.begin() + static_cast<std::ptrdiff_t>(i));
      for (index_expr& e : ops_)
        e.strides.erase(e.strides.begin() + static_cast<std::ptrdiff_t>(i));
      if (i < kept_) --kept_;
    }
  }

  // ---- schedules
  int widest() const {
    std::size_t w = 1;
    for (const operand& o : k_.operands) {
      if (o.role != operand_role::index && o.role != operand_role::state) {
        w = std::max(w, size_of(o.type));
      }
    }
    for (const inst& i : k_.body) {
      // The number of rounds is no reason for narrow vectors.
      const bool passed = !k_.loops.empty() && stands_still(i);
      if (!passed) w = std::max(w, m_.target == target::cpu ? size_of(i.result) : 1);
    }
    return static_cast<int>(w);
  }

  bool stands_still(const inst& i) const {
    if (i.kind == inst_kind::scalar || i.kind == inst_kind::constant) return true;
    if (i.kind != inst_kind::index) return false;
    const auto& strides = ops_[static_cast<std::size_t>(i.which)].strides;
    return std::all_of(strides.begin(), strides.end(), [](const extent& s) { return s == 0; });
  }

  /// Can accesses along `axis` be vectors of v elements? Rows and starts must be multiples of v.
  bool aligned(std::size_t axis, extent v) const {
    if (extents_[axis] % v != 0 && !flat(axis)) return false;
    for (std::size_t o = 0; o < ops_.size(); ++o) {
      if (!starts_aligned(o, axis, v)) return false;
    }
    return true;
  }
  bool starts_aligned(std::size_t o, std::size_t axis, extent v) const {
    const index_expr& e = ops_[o];
    const bool by_vector = k_.operands[o].role != operand_role::index && !b_.operands[o].gathered;
    if (!by_vector || !e.affine() || e.strides[axis] != 1) return true;
    if (e.offset % v != 0) return false;
    for (std::size_t d = 0; d < e.strides.size(); ++d) {
      if (d != axis && e.strides[d] % v != 0) return false;
    }
    return true;
  }
  /// Axes whose ragged end the emitters guard: the only one of a map, the only reduced one.
  bool flat(std::size_t axis) const {
    return extents_.size() == 1 || (axis == kept_ && extents_.size() == kept_ + 1);
  }

  bool gpu() const { return m_.target == target::gpu; }

  bool walks_by_one(std::size_t o, std::size_t axis) const {
    const bool array = k_.operands[o].role != operand_role::index;
    return array && ops_[o].affine() && ops_[o].stride(axis) == 1;
  }

  bool walks_by_one(std::size_t axis) const {
    for (std::size_t o = 0; o < ops_.size(); ++o) {
      if (walks_by_one(o, axis)) return true;
    }
    return false;
  }

  /// Of what a kernel reads, if it reads: each element once, where it writes one a row.
  int widest_read() const {
    std::size_t w = 0;
    for (const operand& o : k_.operands) {
      if (o.role == operand_role::input) w = std::max(w, size_of(o.type));
    }
    return w == 0 ? widest() : static_cast<int>(w);
  }

  int vector_for(std::size_t axis) const { return vector_for(axis, widest()); }
  int vector_for(std::size_t axis, int element) const {
    int v = m_.vector_bytes / element;
    if (m_.target == target::cpu) return std::max(v, 1);
    while (v > 1 && !aligned(axis, v)) v /= 2;
    return std::max(v, 1);
  }

  int unroll_for() const {
    const auto n = std::count_if(k_.body.begin(), k_.body.end(),
                                 [](const inst& i) { return i.kind == inst_kind::compute; });
    return n <= 12 ? 4 : n <= 32 ? 2 : 1;
  }

  /// Vectors of columns that a core of a CPU walks down together. Four of a row are 256 bytes; then
  /// the walk goes on in another page and, where rows are a power of two long, in the same bank of
  /// the memory: 16 read a row of 16,384 doubles twice as fast.
  int columns_in_flight(const extent& columns) const {
    const auto sums = std::count_if(k_.body.begin(), k_.body.end(),
                                    [](const inst& i) { return i.kind == inst_kind::reduce; });
    const int v = k_.schedule.vector, few = unroll_for();
    if (few < 4 || !(columns >= extent(16 * v))) return few;
    return sums > 1 || !(columns >= extent(64 * v)) ? 8 : 16;
  }

  void map() {
    schedule& s = k_.schedule;
    s.lanes = lane_axis::kept;
    s.vector = vector_for(kept_ - 1);
    if (m_.target == target::cpu) {
      s.unroll = k_.loops.empty() ? unroll_for() : 1;
      s.tile = k_.loops.empty() ? 8192 : 1024;
    } else if (!k_.loops.empty()) {
      // A thread an element: those that stop early give their place to others.
      s.vector = 1;
      s.threads = 128;
      s.tile = 128;
    } else {
      shape_gpu_map(k_, extents_, ops_, std::max<int>(1, m_.vector_bytes / widest()));
    }
    blocks_ = blocks_of(k_, extents_, 1);
  }

  void reduction() {
    schedule& s = k_.schedule;
    const extent rows = product(extents_, 0, kept_);
    const extent length = product(extents_, kept_, extents_.size());
    const bool by_row = walks_by_one(extents_.size() - 1) || !walks_by_one(kept_ - 1);
    s.lanes = by_row ? lane_axis::reduced : lane_axis::kept;
    const std::size_t axis = by_row ? extents_.size() - 1 : kept_ - 1;
    s.vector = vector_for(axis, gpu() ? widest_read() : widest());
    if (s.split) split(rows, length);
    if (m_.target == target::cpu) {
      s.unroll = by_row ? 4 : columns_in_flight(rows);
      s.rows = by_row ? 1 : s.vector * s.unroll;
    } else if (by_row) {
      gpu_rows(s.split ? chunk_ : length);
    } else {
      s.threads = column_threads;
      s.row_threads = column_walkers;
      s.unroll = 2;
      s.rows = s.threads / s.row_threads * s.vector;
    }
    blocks_ = ceil_div(rows, s.rows) * splits_;
  }

  // ---- scans
  /// The size of what the scans combine, all the same; 0 without any.
  std::size_t scan_bytes() const {
    for (const inst& i : k_.body) {
      if (i.kind == inst_kind::scan) return size_of(i.type);
    }
    return 0;
  }

  /// Which elements a thread combines, and in which order, follows from the length of a row and the
  /// size of an element: a fused scan has the bits of a lone one.
  void scan(bool by_row) {
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
      gpu_rows(length);
      if (s.split) chunk_ = shape_chain(k_, ops_, m_.split_length > 0);
    } else {
      s.vector = std::min(4, vector_for(kept_ - 1));
      s.threads = column_threads;
      s.row_threads = column_walkers;
      s.unroll = 4;
      s.rows = s.threads / s.row_threads * s.vector;
    }
    if (s.split) splits_ = ceil_div(length, chunk_);
    blocks_ = ceil_div(rows, s.rows) * splits_;
    if (s.split && gpu()) blocks_ = chain_blocks(blocks_, m_.units);
  }

  /// Rows that are walked more than once and fit in the registers of a block or of a cluster are
  /// loaded once.
  void resident() {
    schedule& s = k_.schedule;
    const extent length = product(extents_, kept_, extents_.size());
    if (m_.target != target::gpu || k_.reduced == 0 || s.lanes != lane_axis::reduced || s.split ||
        scan_bytes() > 0) {
      return;
    }
    const extent rows = product(extents_, 0, kept_);
    if (keep_rows(k_, rows, length, m_)) blocks_ = ceil_div(rows, s.rows) * extent(s.cluster);
  }

  bool sums_floats() const {
    return std::any_of(k_.body.begin(), k_.body.end(), [](const inst& i) {
      return i.kind == inst_kind::reduce && i.code == op::add && size_of(i.type) <= sizeof(float);
    });
  }

  /// Chunks of a row. On a CPU they do not depend on the number of threads, nor do then the sums.
  void split(extent rows, extent length) {
    const bool by_row = k_.schedule.lanes == lane_axis::reduced;
    chunk_ = by_row ? 32768 : 4096;
    if (m_.target == target::cpu) {
      while (ceil_div(length, chunk_) > 4096) chunk_ *= 2;
    } else {
      const extent columns = column_threads / column_walkers * k_.schedule.vector;
      const extent blocks = std::max<extent>(by_row ? rows : ceil_div(rows, columns), 1);
      extent wanted = 4 * m_.units / blocks;
      // What does not fill the machine once fills it two or three times.
      if (!by_row && wanted * blocks * 8 < extent(28 * m_.units)) wanted = 12 * m_.units / blocks;
      wanted = std::max<extent>(1, wanted);
      const extent grain = by_row ? 4096 : 64;
      chunk_ = std::max<extent>(1, ceil_div(ceil_div(length, wanted), grain)) * grain;
      if (!by_row && sums_floats()) chunk_ = std::min<extent>(chunk_, column_walkers * most_added);
    }
    splits_ = std::max<extent>(1, ceil_div(length, chunk_));
  }

  /// Threads for a row so that each has about four vectors; the classes are few on purpose.
  void gpu_rows(extent length) {
    schedule& s = k_.schedule;
    const extent wanted = ceil_div(length, static_cast<extent>(s.vector) * 4);
    s.row_threads = wanted <= 1     ? 1
                    : wanted <= 4   ? 4
                    : wanted <= 8   ? 8
                    : wanted <= 16  ? 16
                    : wanted <= 32  ? 32
                    : wanted <= 128 ? 128
                    : wanted < 8192 ? 256
                                    : 1024;
    s.threads = std::max(128, s.row_threads);
    s.unroll = length >= static_cast<extent>(s.row_threads) * s.vector * 4 ? 4 : 1;
    s.rows = s.threads / s.row_threads;
  }

  // ---- classes
  void bake() {
    const std::size_t lane =
        k_.schedule.lanes == lane_axis::reduced ? extents_.size() - 1 : kept_ - 1;
    for (std::size_t o = 0; o < ops_.size(); ++o) {
      access& a = k_.operands[o].access;
      a.unravel = static_cast<int>(ops_[o].extents.size());
      for (std::size_t d = 0; d < extents_.size(); ++d) {
        const extent s = ops_[o].strides[d];
        const bool along = d == (k_.operands[o].reach == reach::turned ? lane - 1 : lane);
        const bool one = s == 1 && along && walks_vectors(o, lane);
        a.steps.push_back(s == 0 ? step::zero : one ? step::one : step::any);
      }
    }
  }

  /// Views of one array mostly move by the same strides. A stencil of seven points computed seven
  /// offsets, half of its instructions. What differs here is no condition on other sizes.
  void liken() {
    for (std::size_t o = 1; o < ops_.size(); ++o) {
      for (std::size_t p = 0; p < o && k_.operands[o].like < 0; ++p) {
        if (k_.operands[p].like < 0 && moves_as(o, p)) k_.operands[o].like = static_cast<int>(p);
      }
    }
  }
  bool moves_as(std::size_t o, std::size_t p) const {
    const operand &a = k_.operands[o], &b = k_.operands[p];
    const auto& steps = a.access.steps;
    const bool arrays = a.role != operand_role::index && b.role != operand_role::index;
    const bool computes = std::find(steps.begin(), steps.end(), step::any) != steps.end();
    if (!arrays || !computes || a.access.unravel > 0 || a.access != b.access) return false;
    const auto same = [](const extent& x, const extent& y) { return x.peek() == y.peek(); };
    return std::ranges::equal(ops_[o].strides, ops_[p].strides, same) &&
           ops_[o].strides == ops_[p].strides;
  }

  /// The vectors of a scan are what they are: rows that start between them are read one by one.
  bool walks_vectors(std::size_t o, std::size_t lane) const {
    return m_.target == target::cpu || scan_bytes() == 0 ||
           starts_aligned(o, lane, k_.schedule.vector);
  }

  const body& b_;
  const machine& m_;
  kernel k_;
  shape_t extents_;
  std::vector<index_expr> ops_;
  std::size_t kept_ = 0;
  bool map_ = false, keep_one_reduced_ = false;
  extent blocks_ = 0, splits_ = 1, chunk_ = 0;
};

}  // namespace

shaped shape_kernel(const body& b, const shape_t& domain, const std::vector<bool>& reduced,
                    const machine& m, bool split) {
  return shaper(b, m, split).run(domain, reduced);
}

}  // namespace sinter::ir
