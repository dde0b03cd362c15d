#pragma once
// What the emitter of formulas (formula.cpp) shares with `append`.

#include <cstdint>
#include <span>
#include <vector>

#include "ir/kernel.hpp"

namespace sinter::ir::detail {

/// Is it computed by an op whose bits differ between devices?
constexpr bool is_approximate(const inst& i) {
  return i.kind == inst_kind::compute && (info(i.code).traits & approximate) && is_real(i.type);
}

/// Removes instructions appended after `start` that no result uses, which folding leaves behind;
/// `results` are renumbered.
void drop_unused(std::vector<inst>& body, std::size_t start, std::span<std::int32_t> results);

}  // namespace sinter::ir::detail
