// Runs stacks on the host: box by box, each part as a plain map over the points there.
#include <algorithm>
#include <map>
#include <numeric>
#include <tuple>
#include <vector>

#include "ir/interpreter.hpp"
#include "ir/kernel_stack.hpp"
#include "ir/stack_parts.hpp"

namespace sinter::ir {
namespace {

using numbers = std::vector<std::int64_t>;

/// Per axis, the points from `first` to before `last`.
struct box_range {
  numbers first, last;

  bool empty() const {
    for (std::size_t a = 0; a < first.size(); ++a) {
      if (first[a] >= last[a]) return true;
    }
    return false;
  }
  box_range within(const box_range& o) const {
    box_range r = *this;
    for (std::size_t a = 0; a < first.size(); ++a) {
      r.first[a] = std::max(first[a], o.first[a]);
      r.last[a] = std::min(last[a], o.last[a]);
    }
    return r;
  }
  /// The part outside `hole`, as boxes.
  std::vector<box_range> without(const box_range& hole) const {
    const box_range inside = within(hole);
    if (inside.empty()) return {*this};
    std::vector<box_range> pieces;
    box_range rest = *this;
    for (std::size_t a = 0; a < first.size(); ++a) {
      box_range before = rest, after = rest;
      before.last[a] = rest.first[a] = inside.first[a];
      after.first[a] = rest.last[a] = inside.last[a];
      pieces.push_back(before);
      pieces.push_back(after);
    }
    return pieces;
  }
};

/// A part with its numbers in this launch.
struct bound_part {
  std::map<std::tuple<slot_kind, int, int>, std::uint64_t> words;
  numbers origin;
  box_range domain;
};

class stack_runner {
 public:
  stack_runner(const kernel& k, const std::uint64_t* slots)
      : k_(k), parts_(k.parts.size()), plain_(plain_parts(k)) {
    for (const slot& s : slots_of(k)) {
      const std::uint64_t word = *slots++;
      if (s.part >= 0) {
        bound_part& b = parts_[static_cast<std::size_t>(s.part)];
        if (s.kind == slot_kind::origin) b.origin.push_back(static_cast<std::int64_t>(word));
        else b.words[{s.kind, s.which, s.axis}] = word;
      } else {
        numbers& own = s.kind == slot_kind::corner ? corner_ : across_;
        own.push_back(static_cast<std::int64_t>(word));
      }
    }
    for (bound_part& b : parts_) {
      b.domain.first = b.domain.last = b.origin;
      for (std::size_t a = 0; a < b.origin.size(); ++a) {
        b.domain.last[a] += static_cast<std::int64_t>(
            b.words.at({slot_kind::extent, -1, static_cast<int>(a)}));
      }
    }
  }

  std::int64_t blocks() const {
    return std::accumulate(across_.begin(), across_.end(), std::int64_t{1}, std::multiplies<>());
  }

  void block(std::int64_t number) {
    box_range own{corner_, {}};
    for (std::size_t a = across_.size(); a-- > 0;) {
      own.first[a] += number % across_[a] * k_.box[a];
      number /= across_[a];
    }
    own.last = own.first;
    for (std::size_t a = 0; a < across_.size(); ++a) own.last[a] += k_.box[a];
    tiles_.clear();
    for (std::size_t t = 0; t < k_.tiles.size(); ++t) {
      const auto count = static_cast<std::size_t>(tile_strides(k_, t).back());
      tiles_.emplace_back(count * size_of(k_.tiles[t].type));
    }
    for (std::size_t p = 0; p < parts_.size(); ++p) part(p, own);
  }

 private:
  static box_range widened_by(box_range r, const margins& m) {
    for (std::size_t a = 0; a < r.first.size(); ++a) {
      r.first[a] -= m.before[a];
      r.last[a] += m.after[a];
    }
    return r;
  }

  void part(std::size_t p, const box_range& own) {
    const bound_part& b = parts_[p];
    const kernel& k = k_.parts[p];
    const box_range all = widened_by(own, k.beyond).within(b.domain);
    if (all.empty()) return;
    std::vector<box_range> pieces{all};
    if (k.around) pieces = all.without(parts_[part_within(k_, p)].domain);
    for (const box_range& piece : pieces) {
      for (const plain_part& each : plain_) {
        if (each.part == p) run(p, each.code, each.beyond ? piece : piece.within(own), own);
      }
    }
  }

  void run(std::size_t p, const kernel& k, const box_range& points, const box_range& own) {
    if (points.empty()) return;
    std::vector<std::uint64_t> slots;
    for (const slot& s : slots_of(k)) slots.push_back(word(p, k, s, points, own));
    run_kernel(k, slots.data(), 0, block_count(k, slots.data()));
  }

  std::uint64_t word(std::size_t p, const kernel& k, const slot& s, const box_range& points,
                     const box_range& own) {
    const bound_part& b = parts_[p];
    const auto axis = static_cast<std::size_t>(s.axis);
    if (s.kind == slot_kind::extent) {
      return static_cast<std::uint64_t>(points.last[axis] - points.first[axis]);
    }
    if (s.kind == slot_kind::divisor) return 0;
    if (s.kind != slot_kind::scalar && s.kind != slot_kind::over && in_tile(k_.parts[p], s.which)) {
      return tile_word(k_.parts[p].operands[static_cast<std::size_t>(s.which)], s, points, own);
    }
    const std::uint64_t given = b.words.at({s.kind, s.which, s.axis});
    if (!moves_with_box(k, s)) return given;
    const operand& o = k.operands[static_cast<std::size_t>(s.which)];
    std::int64_t moved = 0;
    for (std::size_t a = 0; a < points.first.size(); ++a) {
      const step how = o.access.steps[a];
      if (how == step::zero) continue;
      const auto stride =
          how == step::one ? 1
                           : static_cast<std::int64_t>(b.words.at(
                                 {slot_kind::stride, s.which, static_cast<int>(a)}));
      moved += (points.first[a] - b.origin[a]) * stride;
    }
    if (s.kind == slot_kind::pointer) moved *= static_cast<std::int64_t>(size_of(o.type));
    return given + static_cast<std::uint64_t>(moved);
  }

  std::uint64_t tile_word(const operand& o, const slot& s, const box_range& points,
                          const box_range& own) {
    const auto t = static_cast<std::size_t>(o.tile);
    const std::vector<int> strides = tile_strides(k_, t);
    if (s.kind == slot_kind::stride) {
      return static_cast<std::uint64_t>(strides[static_cast<std::size_t>(s.axis)]);
    }
    std::int64_t at = 0;
    for (std::size_t a = 0; a < points.first.size(); ++a) {
      const int before = k_.tiles[t].margins.before[a];
      at += (points.first[a] - own.first[a] + before + o.shift[a]) * strides[a];
    }
    return reinterpret_cast<std::uintptr_t>(tiles_[t].data()) +
           static_cast<std::uint64_t>(at * static_cast<std::int64_t>(size_of(o.type)));
  }

  const kernel& k_;
  std::vector<bound_part> parts_;
  std::vector<plain_part> plain_;
  numbers corner_, across_;
  std::vector<std::vector<std::byte>> tiles_;
};

}  // namespace

void run_stack(const kernel& k, const std::uint64_t* slots, std::int64_t block_begin,
               std::int64_t block_end) {
  stack_runner r(k, slots);
  for (std::int64_t b = block_begin; b < block_end; ++b) r.block(b);
}

std::int64_t blocks_of_stack(const kernel& k, const std::uint64_t* slots) {
  return stack_runner(k, slots).blocks();
}

}  // namespace sinter::ir
