// Rows of a GPU's map that go through shared memory: arrays of small matrices, read entry by entry.
#include <algorithm>

#include "ir/kernel_condition.hpp"
#include "ir/passes/shaper.hpp"

namespace sinter::ir {
namespace {

/// Words and longer: each is one access to shared memory.
constexpr std::size_t least_of_words = 4;

/// Up to this length, a thread reads its row into registers, and uses up its cache lines with its
/// neighbours.
constexpr int short_row = 4;

/// Threads per block, and how much of the 48 KB that every kernel may have their rows may take.
constexpr int threads_of_rows = 128;
constexpr std::size_t most_brought = 40 << 10;

}  // namespace

bool shaper::can_bring_rows() const {
  const schedule& s = k_.schedule;
  const bool plain = k_.kept == 1 && s.tile_rows == 0 && s.held == 0 && !s.pieces && s.lead < 0;
  if (!plain || !k_.loops.empty() || condition_of(k_) >= 0) return false;
  return std::ranges::all_of(k_.body, [](const inst& i) {
    return i.kind != inst_kind::store || (i.args[1] < 0 && i.args[2] < 0);
  });
}

void shaper::drop_turns(std::size_t base) {
  for (operand& o : k_.operands) {
    if (o.base == static_cast<int>(base)) o.apart = o.turn = 0, o.base = -1;
  }
}

/// Of an output all places must be present, of an input half of them at least. Inverses of 2e6
/// matrices of 3 x 3 floats stored nine sectors for one.
bool shaper::bring_rows() {
  if (!can_bring_rows()) return false;
  int longest = 0;
  for (std::size_t o = 0; o < ops_.size(); ++o) {
    const bool words = size_of(k_.operands[o].type) >= least_of_words;
    if (words && stands_apart(o, most_apart)) take_turn(o);
  }
  for (std::size_t base = 0; base < ops_.size(); ++base) {
    const operand& b = k_.operands[base];
    if (b.apart == 0 || b.base != static_cast<int>(base)) continue;
    const auto turns = std::ranges::count(k_.operands, b.base, &operand::base);
    const bool enough =
        b.role == operand_role::output ? turns == b.apart : 2 * turns >= b.apart;
    if (enough) longest = std::max(longest, b.apart);
    else drop_turns(base);
  }
  if (longest <= short_row || brought_bytes(k_) * threads_of_rows > most_brought) {
    for (operand& o : k_.operands) o.apart = o.turn = 0, o.base = -1;
    return false;
  }
  schedule& s = k_.schedule;
  s.vector = s.unroll = 1;
  s.threads = threads_of_rows;
  s.tile = threads_of_rows;
  for (operand& o : k_.operands) o.reach = reach::whole, o.beyond = 0;
  blocks_ = blocks_of(k_, extents_, 1);
  return true;
}

}  // namespace sinter::ir
