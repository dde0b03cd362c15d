#pragma once
// Reductions over elements where a mask holds: the others are replaced by a neutral value, and are
// not counted.

#include <sinter/reductions.hpp>

#include "engine/nodes/term.hpp"

namespace sinter::detail {

/// The mask broadcast to the shape of x; `mask` must hold an array. Throws shape_error if it does
/// not broadcast.
term spread_mask(const any_array& x, const array<bool>& mask, std::string_view op, location where);

/// x with another value, of rank 0, where the mask does not hold; x itself without a mask.
any_array masked(const any_array& x, const array<bool>& mask, const any_array& otherwise,
                 std::string_view op, location where);
/// The same with a number, which is not recorded without a mask. Throws value_error for no x.
any_array masked(const any_array& x, const array<bool>& mask, double otherwise,
                 std::string_view op, location where);

/// The mean of t where `mask`, of its shape, holds; NaN where it holds nowhere. The axes stay.
term mean_where(const term& t, const term& mask, const std::vector<int>& axes);

/// The count, and the sum of |t - mean|^2, of t where the mask holds, in the real type of t. The
/// axes stay.
struct spread {
  term count, squares;
};
spread spread_where(const term& t, const term& mask, const std::vector<int>& axes);

/// An initial value of a reduction, of rank 0, as an element of the result. Throws dtype_error for
/// a number of a higher kind, value_error for an integer the type cannot represent.
any_array initial_value(const any_number& n, dtype result, std::string_view op, location where);

}  // namespace sinter::detail
