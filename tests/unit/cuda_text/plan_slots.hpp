#pragma once
// The arguments of a plan's step, its buffers being these.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "ir/plan.hpp"

namespace sinter::tests {

inline std::vector<std::uint64_t> slots_of(const ir::plan_step& s,
                                    std::vector<std::vector<std::byte>>& buffers) {
  std::vector<std::uint64_t> out;
  for (const ir::slot_value& v : s.slots) {
    const bool pointer = v.what == ir::slot_value::from::pointer;
    const auto b = static_cast<std::size_t>(std::max(v.index, 0));
    out.push_back((pointer ? reinterpret_cast<std::uintptr_t>(buffers[b].data()) : 0) +
                  static_cast<std::uint64_t>(v.bits.peek()));
  }
  return out;
}

}  // namespace sinter::tests
