// The axes of a kernel: their order, and which of them are merged.
#include <algorithm>
#include <utility>

#include "ir/passes/shaper.hpp"

namespace sinter::ir {
namespace {

/// Elements that are worth a kernel for each row length: an elimination ends with matrices of every
/// width (Gram-Schmidt, 240 x 100: its first call 570 -> 210 ms). Twice as many floats times a row
/// take 3 us unrolled and 6.5 walked.
constexpr extent least_written_out = 1 << 13;

/// The most places to unroll, of a walk and of a few rows together: 3 x 3 matrices times 3 x 3 are
/// 27, the seven columns of a code for both halves of a byte 56.
constexpr extent most_written_out = 64;

}  // namespace

void shaper::arrange(const shape_t& domain, const std::vector<bool>& reduced) {
  std::vector<std::size_t> axes;
  for (int pass = 0; pass < 2; ++pass) {
    for (std::size_t i = 0; i < domain.size(); ++i) {
      if (reduced[i] == (pass == 1) && domain[i] != 1) axes.push_back(i);
    }
    if (pass == 0) {
      kept_ = axes.size();
      contiguous_last(axes, domain);
      if (map_) turned_before(axes);
      order_ = axes;
    }
  }
  if (kept_ == axes.size() && !map_) {
    keep_one_reduced_ = true;  // all reduced axes have extent 1: it is still a reduction
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
  walk_forwards();
  parts_of_.resize(extents_.size());
  const std::size_t first = order_.empty() ? 1 : 0;  // an axis of extent 1 is none of the domain's
  for (std::size_t k = 0; k < axes.size(); ++k) parts_of_[first + k] = {axes[k]};
}

/// An operand whose elements run backwards along another axis than the output's would be read
/// element by element: such an axis is walked from its other end, where the operand is a tile or
/// strip to transpose.
void shaper::walk_forwards() {
  if (!map_) return;
  for (std::size_t axis = 0; axis + 1 < extents_.size(); ++axis) {
    bool backwards = false, plain = true;
    for (std::size_t o = 0; o < ops_.size(); ++o) {
      const extent stride = ops_[o].stride(axis);
      const operand_role role = k_.operands[o].role;
      plain = plain && ops_[o].affine() && ops_[o].axes.empty() && stride != 1 &&
              (role != operand_role::index || stride == 0);
      backwards = backwards || (role == operand_role::input && stride == -1);
    }
    if (!backwards || !plain) continue;
    for (index_expr& e : ops_) {
      e.offset += e.strides[axis] * (extents_[axis] - 1);
      e.strides[axis] = extent(0) - e.strides[axis];
    }
  }
}

void shaper::contiguous_last(std::vector<std::size_t>& axes, const shape_t& domain) const {
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
    const bool long_enough = domain[axes[i]] >= (map_ && writes ? 2 : 8);
    if (bytes > most && long_enough) {
      most = bytes;
      best = axes[i];
    }
  }
  axes.erase(std::find(axes.begin(), axes.end(), best));
  axes.push_back(best);
}

void shaper::turned_before(std::vector<std::size_t>& axes) const {
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

std::size_t shaper::closest(std::size_t o, const std::vector<std::size_t>& axes) const {
  std::size_t best = axes.back();
  if (k_.operands[o].role == operand_role::index || !ops_[o].affine()) return best;
  if (ops_[o].stride(best) == 0) return best;
  for (std::size_t a : axes) {
    const extent here = magnitude(ops_[o].stride(a));
    if (here != 0 && here < magnitude(ops_[o].stride(best))) best = a;
  }
  return best;
}

void shaper::merge() {
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
    parts_of_[i + 1].insert(parts_of_[i + 1].end(), parts_of_[i].begin(), parts_of_[i].end());
    parts_of_.erase(parts_of_.begin() + static_cast<std::ptrdiff_t>(i));
    extents_.erase(extents_.begin() + static_cast<std::ptrdiff_t>(i));
    for (index_expr& e : ops_)
      e.strides.erase(e.strides.begin() + static_cast<std::ptrdiff_t>(i));
    if (i < kept_) --kept_;
  }
}

void shaper::swap_axes(std::size_t a, std::size_t b) {
  std::swap(extents_[a], extents_[b]);
  std::swap(parts_of_[a], parts_of_[b]);
  for (index_expr& e : ops_) std::swap(e.strides[a], e.strides[b]);
}

/// Rows of two to four elements, so many that a thread may have several; of more than two only if
/// they are reduced and not stored. H200, as parts of a flat map's speed: sums of rows of 2 floats
/// 0.79 -> 1.03, of 3 0.87 -> 1.04, of 4 0.97 -> 1.04, rows over their lengths of 2 0.79 -> 0.94,
/// but of 4 1.00 -> 0.66.
bool shaper::walks_few() const {
  const schedule& s = k_.schedule;
  if (kept_ != 1 || map_ || s.split || s.lanes != lane_axis::reduced) return false;
  const extent length = extents_.back();
  if (!(length >= 2 && length <= 4) || extents_[0] < extent(1024 * m_.units)) return false;
  const bool stores = std::ranges::any_of(k_.body, [](const inst& i) {
    return i.kind == inst_kind::store && i.inner;
  });
  return length == 2 || !stores;
}

/// Does an operand's stride along this axis lie below that between lanes, so that both interleave
/// in vectors? (Pairs of 2 x 8 x 512 x 64 floats, rotated by an angle: batches and heads were
/// unrolled, 32 places, and compiled for 4.6 s.)
bool shaper::between_lanes(std::size_t axis) const {
  return std::ranges::any_of(ops_, [&](const index_expr& e) {
    if (!e.affine() || e.strides[axis] == 0) return false;
    return magnitude(e.strides[axis]) < magnitude(e.strides[kept_ - 1]);
  });
}

std::vector<std::size_t> shaper::short_axes() const {
  if (k_.reduced != 1 || !(gpu() ? walks_few() : walks_down_)) return {};
  if (!gpu() && product(extents_, 0, extents_.size()) < least_written_out) return {};
  std::vector<std::size_t> all;
  extent places = 1;
  // The walk first; of the axes before the lanes' those that make a few rows.
  for (std::size_t i = extents_.size(); i-- > 0;) {
    if (i + 1 == kept_) continue;
    if (i < kept_ && !(places * extents_[i] <= most_written_out && between_lanes(i))) continue;
    places *= extents_[i];
    all.insert(all.end(), parts_of_[i].begin(), parts_of_[i].end());
    if (i >= kept_ && !(places <= most_unrolled)) return {};
  }
  if (places == 0) return {};
  std::ranges::sort(all);
  return all;
}

}  // namespace sinter::ir
