#pragma once
// What the kinds of histograms share: edges, and the bins that numbers are in.

#include <sinter/histograms.hpp>

#include "engine/nodes/term.hpp"

namespace sinter::detail {

using bin_range = std::optional<std::pair<double, double>>;

/// Throws dtype_error for complex numbers.
void require_order(const any_array& x, std::string_view op, location where);
/// Throws value_error for a range that is none.
void require_range(const bin_range&, std::string_view op, location where);

/// The edges of `count` bins of equal width between the ends of the range, or the least and the
/// greatest element. Throws value_error for fewer than one bin.
any_array even_edges(const any_array& x, std::int64_t count, const bin_range&, dtype,
                     std::string_view op, location where);
/// As many bins as the rule wants for the elements of x in the range. Evaluates.
std::int64_t bins_by_rule(const any_array& x, bin_rule, const bin_range&, std::string_view op,
                          location where);
/// Throws shape_error unless x is a vector of two edges or more.
void require_edges(const any_array& x, std::string_view op, location where);
/// Gives x, which the caller recorded, the check that the edges rise.
void require_rising(const any_array& x, const any_array& edges, std::string_view op,
                    location where);

/// The bin of each value, int64, of their shape; below 0 or beyond the last for none.
any_array bin_of_each(const any_array& values, const any_array& edges, location where);
/// What the weights sum up to in each of `count` bins; bins that are not there have no place.
/// REQUIRES: one shape. dtype: that of the weights.
any_array sums_of_bins(const any_array& bins, const any_array& weights, std::int64_t count,
                       location where);

}  // namespace sinter::detail
