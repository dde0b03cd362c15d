#include "ir/passes/stage_rows.hpp"

#include <algorithm>

namespace sinter::ir {
namespace {

constexpr int staged_threads = 128;

/// Elements of a row, the most that a thread keeps of all its rows, and bytes of a block's. H200,
/// 1e8 floats, as parts of a flat map's speed: rows over their lengths 0.27 to 0.77 -> 0.98 to 1
/// from 5 to 16, 0.37 and 0.42 -> 0.90 and 0.75 at 20 and 24, 0.93 -> 0.85 at 32. Sums 0.43 to 0.71
/// -> 0.94 to 1.04 for lengths that are no powers of two, slower than before for those that are,
/// and for 3. Scans 0.20 to 0.71 -> 0.71 to 0.99 from 5 to 16, slower from 20 on.
constexpr extent least_row = 3, most_row = 24;
constexpr extent least_summed = 5, most_scanned = 16;
constexpr int most_kept = 64;
constexpr std::int64_t most_staged = 40 << 10;

/// Blocks that each SM should have.
constexpr std::int64_t least_blocks = 4;

class stager {
 public:
  stager(kernel& k, const shape_t& extents, const std::vector<index_expr>& ops)
      : k_(k), extents_(extents), ops_(ops) {}

  bool run(const machine& m) {
    if (!fits(m) || !lies_in_runs()) return false;
    const auto n = static_cast<int>(static_cast<std::int64_t>(extents_[1]));
    const bool scans = scan_count(k_) > 0;
    if (bytes_ * (n | 1) * staged_threads > most_staged || count_ * n > most_kept) return false;
    schedule& s = k_.schedule;
    s.staged = n;
    s.vector = 1;
    s.unroll = n;
    s.threads = s.rows = staged_threads;
    s.row_threads = 1;
    s.resident = !scans;
    s.filled = scans ? 0 : n;
    for (std::size_t o = 0; o < ops_.size(); ++o) {
      if (!is_run(o)) continue;
      k_.operands[o].reach = reach::staged;
      k_.operands[o].access.steps[1] = step::one;  // scans leave that open
    }
    return true;
  }

 private:
  bool fits(const machine& m) const {
    const schedule& s = k_.schedule;
    const bool rows = m.target == target::gpu && k_.kept == 1 && k_.reduced == 1 && !s.split &&
                      s.lanes == lane_axis::reduced && k_.loops.empty();
    if (!rows || !pays()) return false;
    if (extents_[0] < extent(least_blocks * staged_threads) * m.units) return false;
    return std::ranges::none_of(k_.body, [](const inst& i) {
      const bool apart = i.kind == inst_kind::store && (i.args[1] >= 0 || i.args[2] >= 0);
      return apart || i.kind == inst_kind::gather;
    });
  }

  /// Is staging faster for a row of that length, given what is done with it?
  bool pays() const {
    const extent n = extents_[1];
    if (n < least_row || n > most_row) return false;
    if (scan_count(k_) > 0) return n >= least_summed && n <= most_scanned;
    const bool stored = std::ranges::any_of(k_.body, [](const inst& i) {
      return i.kind == inst_kind::store && i.inner;
    });
    return stored || (n >= least_summed && n != 8 && n != 16);
  }

  bool is_array(std::size_t o) const {
    const operand_role role = k_.operands[o].role;
    return role == operand_role::input || role == operand_role::output;
  }
  bool is_run(std::size_t o) const {
    return is_array(o) && ops_[o].affine() && ops_[o].strides[1] == 1 &&
           ops_[o].strides[0] == extents_[1];
  }

  /// Is every array that moves along rows one run, or the same for all rows? At least one has to be
  /// worth staging.
  bool lies_in_runs() {
    bool worth = false;
    for (std::size_t o = 0; o < ops_.size(); ++o) {
      if (!is_array(o) || (ops_[o].affine() && ops_[o].strides[1] == 0)) continue;
      if (!ops_[o].affine()) return false;
      const std::int64_t bytes = size_of(k_.operands[o].type);
      if (!is_run(o)) {
        if (ops_[o].strides[0] != 0) return false;
        continue;
      }
      bytes_ += bytes;
      ++count_;
      worth |= bytes * extents_[1] != 16;
    }
    return worth;
  }

  kernel& k_;
  const shape_t& extents_;
  const std::vector<index_expr>& ops_;
  std::int64_t bytes_ = 0;  // of one element of each run
  int count_ = 0;
};

}  // namespace

bool stage_rows(kernel& k, const shape_t& extents, const std::vector<index_expr>& operands,
                const machine& m) {
  return stager(k, extents, operands).run(m);
}

}  // namespace sinter::ir
