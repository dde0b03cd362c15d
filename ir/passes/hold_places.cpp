#include "ir/passes/hold_places.hpp"

#include <algorithm>

namespace sinter::ir {
namespace {

/// Elements per block for each of its places, and threads per block: enough to hide a load,
/// although shared memory limits an SM to two or three blocks.
constexpr std::int64_t worth_a_place = 8;
constexpr int held_threads = 512;

/// Blocks that each SM should get.
constexpr std::int64_t many_blocks = 4;

/// Elements per place from which on they wait for each other longer than for a block, so that few
/// blocks are enough, of narrow vectors. H200, programs, us, with places in memory and held in
/// shared memory: 200,000 of 3 places 38 and 3, a million of 1,000 in five scatters 393 and 174,
/// 300,000 in order of 390 266 and 140, 100,000 of 40 245 and 140.
constexpr std::int64_t crowd_of_place = 512, few_blocks = 16;

/// 16, 24, 32, 48, 64: few sizes, which waste little.
constexpr std::int64_t next(std::int64_t held) {
  return held % 3 == 0 ? held / 3 * 4 : held / 2 * 3;
}

/// Bytes per place; 0 if the kernel combines nothing, or something that cannot be held.
std::int64_t bytes_of(const kernel& k) {
  std::int64_t bytes = 0;
  for (const inst& i : k.body) {
    if (!combines(i)) continue;
    if (!can_be_held(i) || is_complex(k.operands[static_cast<std::size_t>(i.which)].type)) return 0;
    bytes += size_of(i.type);
  }
  return bytes;
}

/// Does nothing depend on the width of its vectors?
bool can_be_narrower(const kernel& k) {
  const auto whole = [](const operand& o) { return o.reach == reach::whole && o.apart == 0; };
  return k.kept == 1 && !k.schedule.pieces && !k.schedule.flat && k.schedule.lead < 0 &&
         std::ranges::all_of(k.operands, whole);
}

}  // namespace

void hold_places(shaped& s, extent places, const machine& m) {
  const kernel& k = s.kernel;
  schedule& by = s.kernel.schedule;
  const std::int64_t bytes = bytes_of(k);
  const bool plain = m.target == target::gpu && k.reduced == 0 && by.tile_rows == 0;
  if (!plain || bytes == 0) return;
  std::int64_t held = 16;
  while (held * bytes <= most_held && places > held) held = next(held);
  if (held * bytes > most_held) return;
  const extent elements = size_of(s.extents);
  const bool crowded = can_be_narrower(k) && elements >= places * extent(crowd_of_place);
  int vector = by.vector;
  const auto least = [&] {
    return std::max(worth_a_place * held, std::int64_t{held_threads} * vector);
  };
  while (crowded && vector > 1 && elements < extent(least() * m.units)) {
    vector /= 2;
  }
  if (elements < extent(least() * (crowded ? few_blocks : m.units))) return;
  by.vector = vector;
  const std::int64_t one = std::int64_t{held_threads} * vector;
  std::int64_t tiles = std::max<std::int64_t>(1, worth_a_place * held / one);
  while (elements >= 2 * tiles * one * m.units * many_blocks) tiles *= 2;
  by.held = held;
  by.threads = held_threads;
  by.unroll = 1;
  by.crowd = 0;
  by.tile = tiles * one;
  s.blocks = blocks_of(k, s.extents, 1);
}

}  // namespace sinter::ir
