#include "ir/kernel_stack.hpp"

#include <algorithm>
#include <limits>

#include "ir/cat.hpp"
#include "ir/verify.hpp"

namespace sinter::ir {

std::vector<int> widened(const std::vector<int>& box, const margins& m) {
  std::vector<int> sides;
  for (std::size_t i = 0; i < box.size(); ++i) {
    sides.push_back(m.before[i] + box[i] + m.after[i]);
  }
  return sides;
}

std::vector<int> tile_strides(const kernel& stack, std::size_t tile) {
  const std::vector<int> sides = widened(stack.box, stack.tiles[tile].margins);
  std::vector<int> strides(sides.size() + 1);
  int count = 1;
  for (std::size_t i = sides.size(); i-- > 0;) {
    strides[i] = count;
    count *= sides[i];
  }
  strides.back() = count;
  return strides;
}

std::size_t part_within(const kernel& stack, std::size_t p) {
  while (p > 0 && stack.parts[p].around) --p;
  return p;
}

namespace {

/// The parts between which a tile is needed, both included.
struct lifetime {
  int first = std::numeric_limits<int>::max(), last = -1;
  bool meets(const lifetime& o) const { return first <= o.last && o.first <= last; }
};

std::vector<lifetime> lifetimes(const kernel& stack) {
  std::vector<lifetime> lives(stack.tiles.size());
  for (std::size_t p = 0; p < stack.parts.size(); ++p) {
    for (const operand& o : stack.parts[p].operands) {
      if (o.role != operand_role::tile) continue;
      lifetime& l = lives[static_cast<std::size_t>(o.tile)];
      l.first = std::min(l.first, static_cast<int>(p));
      l.last = std::max(l.last, static_cast<int>(p));
    }
  }
  return lives;
}

std::int64_t most_unroll(const kernel& stack) {
  int most = 1;
  for (const kernel& p : stack.parts) most = std::max(most, p.schedule.unroll);
  return most;
}

}  // namespace

tile_room room_of(const kernel& stack) {
  constexpr std::int64_t line = 16;
  const std::vector<lifetime> lives = lifetimes(stack);
  tile_room room;
  std::int64_t slack = 0;
  std::vector<std::int64_t> ends;
  for (std::size_t t = 0; t < stack.tiles.size(); ++t) {
    const std::int64_t count = tile_strides(stack, t).back();
    const auto size = static_cast<std::int64_t>(size_of(stack.tiles[t].type));
    const std::int64_t bytes = (count * size + line - 1) / line * line;
    std::int64_t at = 0;
    for (bool moved = true; moved;) {
      moved = false;
      for (std::size_t o = 0; o < t; ++o) {
        const bool overlap = at < ends[o] && room.begin[o] < at + bytes;
        if (!overlap || !lives[o].meets(lives[t])) continue;
        at = ends[o];
        moved = true;
      }
    }
    room.begin.push_back(at);
    ends.push_back(at + bytes);
    // The last of a thread's rows may lie outside, and is read all the same.
    const std::vector<int> strides = tile_strides(stack, t);
    const int row = strides[stack.box.size() - std::min<std::size_t>(stack.box.size(), 2)];
    slack = std::max(slack, (most_unroll(stack) - 1) * row * size);
    room.bytes = std::max(room.bytes, at + bytes);
  }
  if (stack.schedule.target == target::gpu) room.bytes += slack;
  return room;
}

namespace {

class stack_verifier {
 public:
  explicit stack_verifier(const kernel& k) : k_(k), written_(k.tiles.size()) {}

  void run() {
    rule(k_.body.empty() && k_.operands.empty(), "stack", "has nothing but parts");
    rule(std::ranges::all_of(k_.box, [](int side) { return side >= 1; }), "stack-box",
         "a box has sides");
    for (const tile& t : k_.tiles) {
      rule(!is_complex(t.type) && fits(t.margins), "stack-tile",
           "a tile is of real elements, with margins that are not negative");
    }
    rule(room_of(k_).bytes <= most_room(k_.schedule.target), "stack-room",
         "a block has no room for its tiles");
    for (at_ = 0; at_ < k_.parts.size(); ++at_) part(k_.parts[at_]);
  }

 private:
  void rule(bool holds, std::string_view name, std::string_view what) const {
    if (!holds) detail::require(false, name, detail::cat("kernel ", k_.name), what);
  }

  bool fits(const margins& m) const {
    const auto good = [&](const std::vector<int>& list) {
      return list.size() == k_.box.size() &&
             std::ranges::all_of(list, [](int n) { return n >= 0; });
    };
    return good(m.before) && good(m.after);
  }

  void part(const kernel& p) {
    const schedule& s = p.schedule;
    const bool scalar = s.target == target::cpu || s.vector == 1;
    rule(p.parts.empty() && p.loops.empty() && p.reduced == 0 && !s.pieces && scalar &&
             s.target == k_.schedule.target && s.tile_rows == 0 && s.held == 0 &&
             s.threads == k_.schedule.threads &&
             static_cast<std::size_t>(p.kept) == k_.box.size(),
         "stack-part", "a part is a plain map, a GPU's without vectors, over the axes of the box");
    rule(fits(p.beyond), "stack-beyond", "a part is computed around the box");
    const kernel& inner = k_.parts[part_within(k_, at_)];
    rule(!p.around || (!inner.around && inner.beyond == p.beyond), "stack-around",
         "what is around a part comes behind it, with its margins");
    for (const operand& o : p.operands) operand_rules(p, o);
    for (const inst& i : p.body) inst_rules(p, i);
    verify(p);
    for (const inst& i : p.body) {
      if (i.kind == inst_kind::store && in_tile(p, i.which)) {
        written_[static_cast<std::size_t>(at(p, i).tile)] = true;
      }
    }
  }

  static const operand& at(const kernel& p, const inst& i) {
    return p.operands[static_cast<std::size_t>(i.which)];
  }

  void operand_rules(const kernel& p, const operand& o) const {
    rule(o.role != operand_role::state, "stack-operand", "parts do not wait for other blocks");
    if (o.role != operand_role::tile) return;
    const auto t = static_cast<std::size_t>(o.tile);
    rule(o.tile >= 0 && t < k_.tiles.size() && k_.tiles[t].type == o.type &&
             o.shift.size() == k_.box.size(),
         "stack-tile", "no such tile, or of another type");
    const margins& m = k_.tiles[t].margins;
    for (std::size_t a = 0; a < k_.box.size(); ++a) {
      rule(m.before[a] >= p.beyond.before[a] - o.shift[a] &&
               m.after[a] >= p.beyond.after[a] + o.shift[a],
           "stack-margins", "a part reaches beyond a tile");
    }
  }

  void inst_rules(const kernel& p, const inst& i) const {
    const bool stores = i.kind == inst_kind::store;
    rule(!stores || (i.args[1] < 0 && i.args[2] < 0), "stack-store",
         "a part stores each element where it is");
    const bool reads = i.kind == inst_kind::load || i.kind == inst_kind::gather;
    if (!(reads || stores) || i.which < 0 || !in_tile(p, i.which)) return;
    const operand& o = at(p, i);
    const auto t = static_cast<std::size_t>(o.tile);
    if (reads) {
      rule(written_[t] && i.args[0] < 0, "stack-read", "a tile is read, where it is, once written");
      return;
    }
    const bool there = std::ranges::all_of(o.shift, [](int s) { return s == 0; });
    rule(there && (written_[t] || k_.tiles[t].margins == p.beyond), "stack-write",
         "the first part that writes a tile fills it");
  }

  const kernel& k_;
  std::vector<bool> written_;
  std::size_t at_ = 0;
};

}  // namespace

void verify_stack(const kernel& k) { stack_verifier(k).run(); }

}  // namespace sinter::ir
