#pragma once
// What the writer of formulas shares with `append`.

#include <cstdint>
#include <span>
#include <vector>

#include "ir/kernel.hpp"

namespace sinter::ir::detail {

/// Is it computed by an op that is not the same bits everywhere?
constexpr bool is_approximate(const inst& i) {
  return i.kind == inst_kind::compute && (info(i.code).traits & approximate) && is_real(i.type);
}

/// Drops what was appended after `start` and serves no result; `results` are renumbered. Folding
/// leaves such instructions behind.
void drop_unused(std::vector<inst>& body, std::size_t start, std::span<std::int32_t> results);

}  // namespace sinter::ir::detail
