#pragma once
// Runs kernels on vectors: fills the argument slots and calls the interpreter.

#include <cstddef>
#include <cstring>
#include <vector>

#include "ir/interpreter.hpp"

namespace ir_tests {

using namespace sinter;

/// An operand's memory and strides.
struct binding {
  void* data = nullptr;
  std::vector<std::int64_t> strides = {};  // by axis; read where the step is `any`
  std::int64_t start = 0;
  std::vector<std::int64_t> unravel_extents = {}, unravel_strides = {};
};

struct launch_values {
  std::vector<std::int64_t> extents = {};
  std::vector<binding> operands = {};
  std::vector<std::uint64_t> scalars = {};
  std::int64_t splits = 1, chunk = 0;
};

inline std::vector<std::uint64_t> fill_slots(const ir::kernel& k, const launch_values& v) {
  std::vector<std::uint64_t> out;
  for (const ir::slot& s : ir::slots_of(k)) {
    const auto axis = static_cast<std::size_t>(s.axis), which = static_cast<std::size_t>(s.which);
    std::int64_t number = 0;
    switch (s.kind) {
      case ir::slot_kind::extent: number = v.extents[axis]; break;
      case ir::slot_kind::divisor:
        number = static_cast<std::int64_t>(
            ir::make_divisor(static_cast<std::uint64_t>(v.extents[axis])));
        break;
      case ir::slot_kind::splits: number = v.splits; break;
      case ir::slot_kind::chunk: number = v.chunk; break;
      case ir::slot_kind::start: number = v.operands[which].start; break;
      case ir::slot_kind::stride: number = v.operands[which].strides[axis]; break;
      case ir::slot_kind::unravel_extent: number = v.operands[which].unravel_extents[axis]; break;
      case ir::slot_kind::unravel_divisor:
        number = static_cast<std::int64_t>(ir::make_divisor(
            static_cast<std::uint64_t>(v.operands[which].unravel_extents[axis])));
        break;
      case ir::slot_kind::unravel_stride: number = v.operands[which].unravel_strides[axis]; break;
      case ir::slot_kind::scalar: number = static_cast<std::int64_t>(v.scalars[which]); break;
      case ir::slot_kind::over:
        number = static_cast<std::int64_t>(ir::scalar_divisor(v.scalars[which], k.scalars[which]));
        break;
      case ir::slot_kind::pointer:
        number = static_cast<std::int64_t>(
            reinterpret_cast<std::uintptr_t>(v.operands[which].data));
        break;
      case ir::slot_kind::blocks:
      case ir::slot_kind::origin:
      case ir::slot_kind::corner:
      case ir::slot_kind::across:
      case ir::slot_kind::test:
      case ir::slot_kind::rounds:
      case ir::slot_kind::told: break;  // only of shared launches
    }
    out.push_back(static_cast<std::uint64_t>(number));
  }
  return out;
}

/// Runs all blocks, the last one first: blocks do not depend on order.
inline void launch(const ir::kernel& k, const launch_values& v) {
  const auto slots = fill_slots(k, v);
  for (std::int64_t b = ir::block_count(k, slots.data()); b-- > 0;) {
    ir::run_kernel(k, slots.data(), b, b + 1);
  }
}

}  // namespace ir_tests
