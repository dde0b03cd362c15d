#pragma once
// Binary searches as elementwise expressions: log2(n) gathered steps, which fuse with the producers
// of the values and the consumers of the positions.

#include <memory>

#include "engine/evaluation/checks.hpp"
#include "engine/nodes/term.hpp"

namespace sinter::detail {

/// For each value the number of elements of `sorted` that precede it in sort order; `behind`:
/// precede or equal it. int64. REQUIRES: one dimension, sorted; both of one dtype.
any_array places_in(const any_array& sorted, const any_array& values, bool behind, location where);

/// For each value: is it an element of `sorted`? bool. NaN never is. REQUIRES: as above.
any_array found_in(const any_array& sorted, const any_array& values, location where);

/// Gives x the check that no element of `wrong` (bool) is true; `size` is passed to `raise`.
/// REQUIRES: the caller has just recorded x, and nothing else holds it.
void refuse_if(const any_array& x, const any_array& wrong, std::string_view op,
               void (*raise)(std::span<const std::int32_t>, const check&), location where,
               std::int64_t size = 0);

}  // namespace sinter::detail
