#include "ir/passes/shape_chain.hpp"

#include <algorithm>

namespace sinter::ir {

namespace {

/// A cumsum of 1e8 floats written by hand on an H200, a copy taking 190 us: 210 us with ten vectors
/// for each of 256 threads, 219 with eight or with four for 512, 260 with four for 256. Two blocks
/// on an SM, each with one chunk that waits and one being loaded, have 80 KiB in flight. Packed
/// elements wait in shared memory, so that four blocks find registers.
constexpr int threads_of_block = 256, vectors_of_thread = 10, vectors_of_integers = 8;
constexpr int blocks_together = 2, packing_together = 4;

/// What a thread reads of a chunk if that may be chosen, or if it packs: 40 KiB a block at most.
constexpr int bytes_of_thread = 160;

/// Integers give the same result in any order, so the bytes read with them may decide.
bool is_exact(const kernel& k) {
  return std::none_of(k.body.begin(), k.body.end(),
                      [](const inst& i) { return i.kind == inst_kind::scan && is_real(i.type); });
}

/// Blocks that should fit on an SM. Two scans in one kernel take the registers of two blocks.
int together(const kernel& k) {
  if (k.schedule.packs && k.schedule.unroll * k.schedule.vector <= 16) return packing_together;
  return scan_count(k) > 1 ? 1 : blocks_together;
}

int bytes_at_position(const kernel& k, const std::vector<index_expr>& operands) {
  int bytes = 0;
  for (std::size_t o = 0; o < operands.size(); ++o) {
    const bool read = k.operands[o].role == operand_role::input;
    if (read && operands[o].strides.back() != 0)
      bytes += static_cast<int>(size_of(k.operands[o].type));
  }
  const std::int32_t packed = packed_store(k);
  if (packed < 0) return bytes;
  const auto which = static_cast<std::size_t>(k.body[static_cast<std::size_t>(packed)].which);
  return std::max(bytes, static_cast<int>(size_of(k.operands[which].type)));
}

}  // namespace

extent shape_chain(kernel& k, const std::vector<index_expr>& operands, bool tested) {
  schedule& s = k.schedule;
  s.threads = s.row_threads = tested ? 64 : threads_of_block;
  s.unroll = tested ? 2 : is_exact(k) ? vectors_of_integers : vectors_of_thread;
  s.rows = 1;
  s.packs = packed_store(k) >= 0;
  const int bytes = bytes_at_position(k, operands);
  while (is_exact(k) && s.unroll > 1 && s.unroll * s.vector * bytes > bytes_of_thread)
    s.unroll /= 2;
  if (!tested) s.crowd = together(k);
  return static_cast<extent>(s.threads) * s.vector * s.unroll;
}

extent chain_blocks(extent chunks, int units) {
  return std::min<extent>(chunks, 4 * units);
}

}  // namespace sinter::ir
