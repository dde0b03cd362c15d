#pragma once
// What the two verifiers share.

#include <string>
#include <string_view>

#include "ir/cat.hpp"
#include "ir/error.hpp"
#include "ir/ops.hpp"

namespace sinter::ir::detail {

/// Throws verify_error "[rule] where: what" unless `holds`.
inline void require(bool holds, std::string_view rule, const std::string& where,
                    std::string_view what) {
  if (holds) return;
  throw verify_error(cat("[", rule, "] ", where, ": ", what));
}

/// Can a reduction combine values of this type with this op?
constexpr bool is_reduction(op code, dtype type) {
  const op_info& row = info(code);
  return static_cast<int>(code) < op_count && (row.traits & associative) &&
         row.identity != op_identity::none && accepts(code, type) && !is_half(type) &&
         result_type(code, type) == type;
}

}  // namespace sinter::ir::detail
