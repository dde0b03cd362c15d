#pragma once
// Memory for a plan, and the arguments of its steps.

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <vector>

#include "ir/interpreter.hpp"
#include "ir/plan.hpp"
#include "ir/reference.hpp"

namespace sinter::tests {

/// `scalars`: the words of a graph's scalar nodes, in order.
inline std::vector<std::uint64_t> slots_of(const ir::plan_step& s,
                                           std::vector<std::vector<std::byte>>& buffers,
                                           std::span<const std::uint64_t> scalars = {}) {
  std::vector<std::uint64_t> out;
  for (const ir::slot_value& v : s.slots) {
    const auto b = static_cast<std::size_t>(std::max(v.index, 0));
    std::uint64_t word = static_cast<std::uint64_t>(v.bits.peek());
    if (v.what == ir::slot_value::from::pointer) {
      word += reinterpret_cast<std::uintptr_t>(buffers[b].data());
    } else if (v.what == ir::slot_value::from::scalar) {
      word = v.divides ? ir::scalar_divisor(scalars[b], v.type) : scalars[b];
    }
    out.push_back(word);
  }
  return out;
}

using plan_bytes = std::vector<std::vector<std::byte>>;

/// Buffers of a plan: small numbers in sources, one bit pattern everywhere else.
inline plan_bytes buffers_of(const ir::plan& p) {
  plan_bytes all;
  for (const ir::plan_buffer& b : p.buffers) {
    const auto count = static_cast<std::size_t>(b.count.peek());
    all.emplace_back(count * size_of(b.type), std::byte{0x5a});
    if (b.what != ir::plan_buffer::role::source) continue;
    for (std::size_t i = 0; i < count; ++i) {
      const double value = static_cast<double>((i * 37 + static_cast<std::size_t>(b.index)) % 101);
      const ir::scalar_value number{{std::bit_cast<std::uint64_t>(value), 0}};
      const ir::scalar_value v = ir::convert(number, dtype::float64, b.type);
      std::memcpy(all.back().data() + i * size_of(b.type), v.bits, size_of(b.type));
    }
  }
  return all;
}

/// The graph's outputs, computed from the plan's sources.
inline std::vector<ir::tensor> expected_of(const ir::graph& g, const ir::plan& p) {
  plan_bytes buffers = buffers_of(p);
  std::vector<ir::tensor_view> sources;
  std::size_t b = 0;
  for (const ir::node& n : g.nodes) {
    if (n.kind != ir::node_kind::source) continue;
    while (p.buffers[b].what != ir::plan_buffer::role::source) ++b;
    sources.push_back({n.type, ir::plain(n.shape), buffers[b++].data()});
  }
  return ir::interpret(g, sources);
}

}  // namespace sinter::tests
