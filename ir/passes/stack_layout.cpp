#include "ir/passes/stack_layout.hpp"

#include <algorithm>

namespace sinter::ir {
namespace {

/// What a block computes for its neighbours must stay little compared with its own box.
constexpr int furthest = 24;

/// A box with these last sides; axes before them have one.
std::vector<int> box_of_rank(std::size_t rank, std::vector<int> last) {
  std::vector<int> box(rank, 1);
  const std::size_t n = std::min(rank, last.size());
  std::copy(last.end() - static_cast<std::ptrdiff_t>(n), last.end(),
            box.end() - static_cast<std::ptrdiff_t>(n));
  return box;
}

extent boxes_of(const extent_list& extents, const std::vector<int>& box) {
  extent n = 1;
  for (std::size_t a = 0; a < extents.size(); ++a) n *= (extents[a] + box[a] - 1) / box[a];
  return n;
}

/// Sides of a GPU's box. The lanes of a warp run along the last one. Smaller boxes have more to
/// compute in their halos, but an SM needs more than one or two boxes.
std::vector<int> box_of_gpu(const extent_list& extents, int units) {
  const std::size_t rank = extents.size();
  const auto sides = [&](std::vector<int> last) { return box_of_rank(rank, std::move(last)); };
  const auto boxes = [&](const std::vector<int>& box) { return boxes_of(extents, box); };
  if (rank == 1) return sides({boxes({2048}) < 2 * units ? 512 : 2048});
  if (rank == 2) {
    const std::vector<int> large = sides({32, 64}), middle = sides({32, 32});
    if (boxes(large) >= 3 * units) return large;
    return boxes(middle) >= units ? middle : sides({16, 32});
  }
  const std::vector<int> large = sides({8, 8, 32});
  return boxes(large) < units ? sides({4, 4, 32}) : large;
}

/// Long rows, whose ends take as long as some hundred of their points; two tiles of them fit in a
/// core's L2 cache.
std::vector<int> box_of_cpu(const extent_list& extents, int element, int units) {
  const std::size_t rank = extents.size();
  if (rank == 1) return {(32 << 10) / element};
  if (rank > 2) return box_of_rank(rank, {8, 16, 512 / element});
  std::vector<int> box{32, (4 << 10) / element};
  while (box[0] > 8 && boxes_of(extents, box) < 4 * units) box[0] /= 2;
  return box;
}

int widest_output(std::span<const sweep> sweeps) {
  std::size_t bytes = 1;
  for (const sweep& w : sweeps) {
    for (const operand& o : w.code->operands) {
      if (o.role == operand_role::output) bytes = std::max(bytes, size_of(o.type));
    }
  }
  return static_cast<int>(bytes);
}

std::vector<int> box_for(std::span<const sweep> sweeps, const machine& m) {
  const extent_list& extents = largest_of(sweeps).extents;
  return m.target == target::gpu ? box_of_gpu(extents, m.units)
                                 : box_of_cpu(extents, widest_output(sweeps), m.units);
}

class stack_layer {
 public:
  stack_layer(const plan& p, std::span<const sweep> sweeps, const update_bases& bases, bool holds,
              const machine& m)
      : p_(p), sweeps_(sweeps), bases_(bases), holds_(holds), m_(m) {}

  std::optional<stack_layout> run() {
    for (std::size_t s = 0; s < sweeps_.size(); ++s) {
      if (!add(s)) return std::nullopt;
    }
    for (std::size_t s = 0; s < sweeps_.size(); ++s) {
      for (auto& [buffer, a] : out_.arrays) {
        if (a.sweep == s && !a.staged && !start_from(buffer, a)) return std::nullopt;
      }
    }
    out_.box = box_for(sweeps_, m_);
    if (!widen()) return std::nullopt;
    return std::move(out_);
  }

 private:
  const operand& at(std::size_t s, std::size_t o) const { return sweeps_[s].code->operands[o]; }

  bool add(std::size_t s) {
    const sweep& w = sweeps_[s];
    std::vector<std::pair<std::int32_t, swept_array>> own;
    for (std::size_t o = 0; o < w.places.size(); ++o) {
      if (at(s, o).role != operand_role::output) continue;
      auto a = written(s, o);
      if (!a) return false;
      if (own.empty()) out_.origins.push_back(a->begins);
      for (std::size_t d = 0; d < a->begins.size(); ++d) {
        a->origin.push_back(out_.origins[s][d] - a->begins[d]);
      }
      own.push_back({w.places[o].buffer, std::move(*a)});
    }
    if (own.empty()) return false;
    if (m_.target == target::gpu) stage(s);
    for (std::size_t o = 0; o < w.places.size(); ++o) {
      if (at(s, o).role == operand_role::input && !read(s, o)) return false;
    }
    for (auto& [buffer, a] : own) out_.arrays[buffer] = std::move(a);
    return true;
  }

  // ---- what a sweep writes
  std::optional<swept_array> written(std::size_t s, std::size_t o) const {
    const sweep_place& to = sweeps_[s].places[o];
    const extent_list& extents = sweeps_[s].extents;
    swept_array a;
    a.sweep = s;
    a.operand = o;
    a.strides = to.strides;
    if (!bases_.contains(to.buffer)) {
      extent whole = 1;
      for (std::size_t d = extents.size(); d-- > 0; whole *= extents[d]) {
        if (a.strides[d] != whole && extents[d] != 1) return std::nullopt;
        a.strides[d] = whole;  // along an axis of one element any would do
      }
      a.shape = extents;
      a.begins.assign(extents.size(), 0);
      return to.offset == 0 ? std::optional(a) : std::nullopt;
    }
    const auto begins = coordinates_of(to.offset, a.strides);
    if (!begins || !shape_by(to.buffer, a)) return std::nullopt;
    a.begins = *begins;
    return inside(a, a.begins, extents) ? std::optional(a) : std::nullopt;
  }

  /// Finds the shape of a whole array with such strides.
  bool shape_by(std::int32_t buffer, swept_array& a) const {
    extent above = p_.buffers[static_cast<std::size_t>(buffer)].count;
    for (extent stride : a.strides) {
      if (stride <= 0 || above % stride != 0) return false;
      a.shape.push_back(above / stride);
      above = stride;
    }
    return above == 1;
  }

  /// Do so many elements from there on lie in the array?
  static bool inside(const swept_array& a, const axis_places& from, const extent_list& extents) {
    for (std::size_t d = 0; d < a.shape.size(); ++d) {
      if (extents[d] + from[d] > a.shape[d]) return false;
    }
    return true;
  }

  // ---- what it reads
  /// Stages arrays in memory that the sweep reads at two places or more. A CPU's caches do as much.
  void stage(std::size_t s) {
    const sweep& w = sweeps_[s];
    std::map<std::int32_t, std::vector<std::size_t>> readers;
    for (std::size_t o = 0; o < w.places.size(); ++o) {
      const std::int32_t buffer = w.places[o].buffer;
      const bool reads = at(s, o).role == operand_role::input && buffer >= 0;
      if (reads && !out_.arrays.contains(buffer)) readers[buffer].push_back(o);
    }
    for (const auto& [buffer, operands] : readers) {
      if (operands.size() < 2 || is_complex(at(s, operands[0]).type)) continue;
      swept_array a;
      a.sweep = s;
      a.operand = operands[0];
      a.staged = true;
      a.strides = w.places[a.operand].strides;
      if (!shape_by(buffer, a) || !centre(s, operands, a)) continue;
      a.begins.assign(a.strides.size(), 0);
      out_.arrays[buffer] = std::move(a);
    }
  }

  /// Places the array in the stack so that the elements read from it lie around the points.
  bool centre(std::size_t s, const std::vector<std::size_t>& operands, swept_array& a) const {
    axis_places least, most;
    for (std::size_t o : operands) {
      const auto at = coordinates_of(sweeps_[s].places[o].offset, a.strides);
      if (!at) return false;
      if (least.empty()) least = most = *at;
      for (std::size_t d = 0; d < at->size(); ++d) {
        least[d] = std::min(least[d], (*at)[d]);
        most[d] = std::max(most[d], (*at)[d]);
      }
    }
    for (std::size_t d = 0; d < least.size(); ++d) {
      a.origin.push_back(out_.origins[s][d] - (least[d] + most[d]) / 2);
    }
    return true;
  }

  bool read(std::size_t s, std::size_t o) {
    const sweep_place& from = sweeps_[s].places[o];
    if (from.buffer < 0) return !is_written(buffer_of(s, o));
    const auto found = out_.arrays.find(from.buffer);
    if (found == out_.arrays.end()) return true;
    const swept_array& a = found->second;
    if (a.staged && a.sweep != s) return true;  // it is in memory too
    for (std::size_t d = 0; d < a.strides.size(); ++d) {
      if (from.strides[d] != a.strides[d] && sweeps_[s].extents[d] != 1) return a.staged;
    }
    const auto begins = coordinates_of(from.offset, a.strides);
    if (!begins || !inside(a, *begins, sweeps_[s].extents)) return a.staged;
    return add_read({s, static_cast<std::int32_t>(o), -1, from.buffer, {}}, a, *begins,
                    out_.origins[s]) || a.staged;
  }

  bool is_written(std::int32_t buffer) const {
    const auto found = out_.arrays.find(buffer);
    return found != out_.arrays.end() && !found->second.staged;
  }

  // ---- the base of an update
  bool start_from(std::int32_t buffer, swept_array& own) {
    const auto bases = bases_.find(buffer);
    if (bases == bases_.end()) return true;
    const auto [base, early] = bases->second;
    own.base = base;
    if (goes_over(base, own)) {
      own.over = base;
      return add_around(buffer, own);
    }
    if (!is_written(early) || !is_taken(early)) own.base = early;
    if (is_held(own) && add_around(buffer, own)) return true;
    if (!is_written(own.base)) return true;
    return !is_taken(own.base) && add_around(buffer, own);
  }

  /// Does a tile hold what memory has of the base by then, for as long as it is needed? If not, few
  /// blocks, most of them at a border, would wait for memory in every part.
  bool is_held(const swept_array& own) const {
    const auto found = out_.arrays.find(own.base);
    if (!holds_ || found == out_.arrays.end() || is_taken(own.base)) return false;
    return found->second.staged && found->second.sweep <= own.sweep;
  }

  /// May the tile of the base be overwritten? Nothing may read it any more, except at the point
  /// itself.
  bool goes_over(std::int32_t base, const swept_array& own) const {
    const auto found = out_.arrays.find(base);
    if (found == out_.arrays.end() || is_taken(base)) return false;
    const swept_array& a = found->second;
    if (a.origin != own.origin || a.strides != own.strides || a.shape != own.shape) return false;
    bool any = false;
    for (const swept_read& r : out_.reads) {
      if (r.array != base) continue;
      any = true;
      const bool here = std::ranges::all_of(r.shift, [](int n) { return n == 0; });
      if (r.sweep > own.sweep || (r.sweep == own.sweep && !here)) return false;
    }
    return any;
  }

  /// Does another array take over the array's tile?
  bool is_taken(std::int32_t buffer) const {
    return std::ranges::any_of(out_.arrays,
                               [&](const auto& other) { return other.second.over == buffer; });
  }

  bool add_around(std::int32_t buffer, const swept_array& own) {
    const swept_array& a = out_.arrays.at(own.base);
    if (a.strides != own.strides || a.shape != own.shape) return false;
    return add_read({own.sweep, -1, buffer, own.base, {}}, a, axis_places(own.origin.size(), 0),
                    own.origin);
  }

  /// The buffer of an operand that is not read at the sweep's points alone.
  std::int32_t buffer_of(std::size_t s, std::size_t o) const {
    const std::vector<slot> slots = slots_of(*sweeps_[s].code);
    for (std::size_t i = 0; i < slots.size(); ++i) {
      const bool pointer = slots[i].kind == slot_kind::pointer;
      if (!pointer || static_cast<std::size_t>(slots[i].which) != o) continue;
      return p_.steps[sweeps_[s].step].slots[i].index;
    }
    return -1;
  }

  /// Records that the point at `corner` of the stack reads the element at `begins` of the array.
  bool add_read(swept_read r, const swept_array& a, const axis_places& begins,
                const axis_places& corner) {
    if (is_complex(at(a.sweep, a.operand).type)) return false;
    for (std::size_t d = 0; d < begins.size(); ++d) {
      const std::int64_t shift = begins[d] + a.origin[d] - corner[d];
      if (shift < -furthest || shift > furthest) return false;
      r.shift.push_back(static_cast<int>(shift));
    }
    out_.reads.push_back(std::move(r));
    return true;
  }

  // ---- halos
  bool widen() {
    const std::size_t rank = out_.box.size();
    const margins none{std::vector<int>(rank, 0), std::vector<int>(rank, 0)};
    out_.beyond.assign(sweeps_.size(), none);
    for (const auto& [buffer, a] : out_.arrays) {
      if (a.staged) out_.staged[buffer] = none;
    }
    for (std::size_t s = sweeps_.size(); s-- > 0;) {
      for (const swept_read& r : out_.reads) {
        if (r.sweep != s) continue;
        const swept_array& a = out_.arrays.at(r.array);
        margins& to = a.staged ? out_.staged.at(r.array) : out_.beyond[a.sweep];
        for (std::size_t d = 0; d < rank; ++d) {
          to.before[d] = std::max(to.before[d], out_.beyond[s].before[d] - r.shift[d]);
          to.after[d] = std::max(to.after[d], out_.beyond[s].after[d] + r.shift[d]);
          if (std::max(to.before[d], to.after[d]) > furthest) return false;
        }
      }
    }
    return true;
  }

  const plan& p_;
  std::span<const sweep> sweeps_;
  const update_bases& bases_;
  bool holds_;
  const machine& m_;
  stack_layout out_;
};

}  // namespace

std::optional<stack_layout> lay_out(const plan& p, std::span<const sweep> sweeps,
                                    const update_bases& bases, bool holds, const machine& m) {
  return stack_layer(p, sweeps, bases, holds, m).run();
}

stack_bounds bounds_of(std::span<const sweep> sweeps, const stack_layout& l) {
  stack_bounds b;
  b.corner = l.origins[0];
  extent_list ends;
  const auto take = [&](const axis_places& from, const extent_list& sides) {
    for (std::size_t d = 0; d < from.size(); ++d) {
      const extent end = sides[d] + from[d];
      b.corner[d] = std::min(b.corner[d], from[d]);
      if (ends.size() <= d) ends.push_back(end);
      else if (ends[d] < end) ends[d] = end;
    }
  };
  for (std::size_t s = 0; s < sweeps.size(); ++s) take(l.origins[s], sweeps[s].extents);
  for (const auto& [buffer, a] : l.arrays) {
    if (!a.staged) take(a.origin, a.shape);
  }
  for (std::size_t d = 0; d < ends.size(); ++d) b.sides.push_back(ends[d] - b.corner[d]);
  return b;
}

}  // namespace sinter::ir
