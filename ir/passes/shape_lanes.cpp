// How many elements a vector has: those that the memory allows, on a CPU fewer where each lane
// costs instructions of its own.
#include <algorithm>

#include "ir/passes/shaper.hpp"

namespace sinter::ir {
namespace {

/// Lanes of a CPU's kernel that are read or stored one by one, of all its operands, and lanes of a
/// vector that stay at least. Bits of rows of 30 packed, 64 lanes of 32 bytes, were 2,048 reads:
/// 10 s to compile.
constexpr int most_single_lanes = 512, fewest_lanes = 8;

/// Instructions of a CPU's kernel: a lane of a byte beside indices of 64 bits makes eight of one
/// op. Two rounds of a cellular automaton looked up in a table took 1.8 s to compile.
constexpr int longest_body = 512;

}  // namespace

int shaper::single_operands(std::size_t axis) const {
  auto n = std::ranges::count(k_.body, inst_kind::gather, &inst::kind);
  for (std::size_t o = 0; o < ops_.size(); ++o) {
    if (k_.operands[o].role == operand_role::index) continue;
    const extent along = ops_[o].affine() ? ops_[o].stride(axis) : extent(2);
    n += !(along == 0 || along == 1 || along == -1);
  }
  return static_cast<int>(n);
}

int shaper::instructions_of(int lanes) const {
  int n = 0;
  for (const inst& i : k_.body) {
    if (i.kind != inst_kind::compute) continue;
    n += std::max(1, lanes * static_cast<int>(size_of(i.result)) / m_.vector_bytes);
  }
  return n;
}

int shaper::vector_for(std::size_t axis, int element) const {
  int v = m_.vector_bytes / element;
  if (m_.target == target::cpu) {
    const int single = single_operands(axis);
    while (v > fewest_lanes && v * single > most_single_lanes) v /= 2;
    while (v > fewest_lanes && instructions_of(v) > longest_body) v /= 2;
    return std::max(v, 1);
  }
  while (v > 1 && !aligned(axis, v)) v /= 2;
  return std::max(v, 1);
}

/// A round waits for the one before it, so several vectors run side by side, as lanes of a wide
/// one; their size is that of a round's own numbers, whatever was computed before the first. 1147 x
/// 1643 rays of 40 rounds, which are doubles at first: 94 ms with 8 lanes, 35 with 32; 1e6 points
/// of the Mandelbrot set 1.0, with 64 0.6 (two cores of an EPYC, AVX-512).
int shaper::vector_of_loops() const {
  std::size_t widest = 0, whole = 1;  // of floats; of integers, which may count rounds
  std::ptrdiff_t ops = 0;
  for (const loop_code& l : k_.loops) {
    for (const inst& i : l.body) {
      std::size_t& size = is_inexact(i.result) ? widest : whole;
      size = std::max(size, size_of(i.result));
      ops += i.kind == inst_kind::compute || i.kind == inst_kind::gather;
    }
  }
  if (widest == 0) widest = whole;
  const int one = std::max(1, m_.vector_bytes / static_cast<int>(widest));
  int lanes = one * (ops <= 16 ? 4 : ops <= 64 ? 2 : 1);
  if (m_.vector_bytes < 64) lanes = std::max(one, lanes / 2);  // half as many registers
  while (lanes > one && extents_[kept_ - 1] < lanes) lanes /= 2;
  return lanes;
}

}  // namespace sinter::ir
