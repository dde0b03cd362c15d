#pragma once
// What the kinds of histograms share: edges, and the bins of numbers.

#include <sinter/histograms.hpp>

#include "engine/nodes/term.hpp"

namespace sinter::detail {


/// Throws dtype_error for complex numbers.
void require_order(const any_array& x, std::string_view op, location where);
/// Throws value_error for an invalid range.
void require_range(const bin_range&, std::string_view op, location where);

/// The edges of `count` bins of equal width between the ends of the range, or the minimum and the
/// maximum. Throws value_error for fewer than one bin.
any_array even_edges(const any_array& x, std::int64_t count, const bin_range&, dtype,
                     std::string_view op, location where);
/// The number of bins the rule gives for the elements of x in the range. Evaluates.
std::int64_t bins_by_rule(const any_array& x, bin_rule, const bin_range&, std::string_view op,
                          location where);
/// Throws shape_error unless x is a vector of at least two edges.
void require_edges(const any_array& x, std::string_view op, location where);
/// Gives x, which the caller has just recorded, the check that the edges increase.
void require_rising(const any_array& x, const any_array& edges, std::string_view op,
                    location where);

/// The bin of each value, int64, of their shape; below 0 or beyond the last if there is none.
any_array bin_of_each(const any_array& values, const any_array& edges, location where);
/// The sum of the weights in each of `count` bins; bins out of range are dropped. REQUIRES: one
/// shape. dtype: that of the weights.
any_array sums_of_bins(const any_array& bins, const any_array& weights, std::int64_t count,
                       location where);

}  // namespace sinter::detail
