#pragma once
// Weights of elements, and quantiles of weighted ones: where the sum of the weights, in the order
// of the elements, comes to a part of all of them.

#include <sinter/quantiles.hpp>

#include "engine/nodes/term.hpp"

namespace sinter::detail {

/// Weights of x as they broadcast to it: of its shape, or of that of the axes in `axis`, in the
/// order they are listed. Throws shape_error.
any_array fitted_weights(const any_array& x, const any_array& w, const axis_list& axis,
                         std::string_view op, location where);

/// Throws dtype_error for complex weights, value_error for a method that knows none.
void check_weighted(const quantile_options& o, std::string_view op, location where);

/// Rows (rows..., n), n > 0, and the weights of their elements, of one shape.
struct weighted_rows {
  any_array x, weights;
  bool skip_nan;  // else one makes its row NaN
  std::string_view op;
  location where;
};

/// (rows..., number of quantiles), double: the first element at which the sum of the weights
/// reaches a part q of all. Complexity: a sort, and a comparison for each element and quantile.
term weighted_quantiles(const weighted_rows&, const any_array& q);

/// Gives x the check that no weight is negative, and that those of each row that has elements have
/// a sum, and it is not 0. REQUIRES: as refuse_if (engine/sorting/search.hpp).
void refuse_weights(const any_array& x, const weighted_rows&);

}  // namespace sinter::detail
