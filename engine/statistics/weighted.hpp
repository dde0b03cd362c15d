#pragma once
// Weights, and weighted quantiles: where the running sum of the weights, in sorted order, reaches a
// fraction of the total.

#include <sinter/quantiles.hpp>

#include "engine/nodes/term.hpp"

namespace sinter::detail {

/// Weights of x as they broadcast to it: of its shape, or of that of the axes in `axis`, in their
/// listed order. Throws shape_error.
any_array fitted_weights(const any_array& x, const any_array& w, const axis_list& axis,
                         std::string_view op, location where);

/// Throws dtype_error for complex weights, value_error for a method without weights.
void check_weighted(const quantile_options& o, std::string_view op, location where);

/// Rows (rows..., n), n > 0, and the weights of their elements, of the same shape.
struct weighted_rows {
  any_array x, weights;
  bool skip_nan;  // else a NaN makes its row NaN
  std::string_view op;
  location where;
};

/// (rows..., number of quantiles), double: the first element at which the running sum of the
/// weights reaches the fraction q of the total. Complexity: a sort, and a comparison for each
/// element and quantile.
term weighted_quantiles(const weighted_rows&, const any_array& q);

/// Gives x the check that no weight is negative, and that in each row with elements they have a
/// nonzero sum. REQUIRES: as refuse_if (engine/sorting/search.hpp).
void refuse_weights(const any_array& x, const weighted_rows&);

}  // namespace sinter::detail
