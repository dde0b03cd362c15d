#pragma once
// Binary searches as elementwise expressions: log2(n) gathered steps, which fuse with what makes
// the values and what reads the places.

#include <memory>

#include "engine/evaluation/checks.hpp"
#include "engine/nodes/term.hpp"

namespace sinter::detail {

/// For each value how many elements of `sorted` come before it in the order of a sort; `behind`:
/// before or equal. int64. REQUIRES: one dimension, in order; both of one dtype.
any_array places_in(const any_array& sorted, const any_array& values, bool behind, location where);

/// For each value: is it an element of `sorted`? bool. NaN never is. REQUIRES: as above.
any_array found_in(const any_array& sorted, const any_array& values, location where);

/// Gives x the check that no element of `wrong` (bool) is true; `raise` is told `size`. REQUIRES:
/// the caller recorded x, and nobody else has it.
void refuse_if(const any_array& x, const any_array& wrong, std::string_view op,
               void (*raise)(std::span<const std::int32_t>, const check&), location where,
               std::int64_t size = 0);

}  // namespace sinter::detail
