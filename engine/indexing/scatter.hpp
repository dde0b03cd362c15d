#pragma once
// Scatters: the implementation of x(rows) = v and x.at(rows).add(v).

#include <optional>

#include <sinter/masks.hpp>

#include "engine/indexing/gather.hpp"

namespace sinter::detail {

/// So few indices may be compared pairwise, without memory as large as the array.
inline constexpr std::int64_t few_indices = 512;

/// Does any item select elements one by one?
bool picks_elements(index_list items);
/// The mask of x's leading axes, if it is the only item. Else null.
const any_array* only_mask(const any_array& x, index_list items);

/// For each of several indices, over their shape: is it the last one with its target? No array if
/// there is only one index.
any_array last_of_each(const places&, shape_view whole, location);

/// Are there so few indices that pairwise comparison is cheaper than clearing memory as large as x?
bool compares_pairs(const places&, const any_array& x);

/// For each element, the sum of all with the same target, by comparing all pairs of indices.
/// REQUIRES: real values of the shape of the places.
any_array sums_by_place(const places&, const any_array& values, location);

/// x with the values (rank 0, or the shape of the places) assigned: of equal targets the last wins.
any_array put_at(const any_array& x, places, const any_array& values, std::string_view op,
                 location);

/// The exclusive count: how many elements of a mask hold before each that does; -1 before the
/// first.
array<std::int64_t> places_before(const array<bool>& mask, location);

/// The same for products.
any_array products_by_place(const places&, const any_array& values, location);

/// Some of the indices, in one dimension, and their values.
std::pair<places, any_array> some_of(const places&, const any_array& values, std::int64_t first,
                                     std::int64_t count, shape_view whole, location);

/// x where the mask (of its leading axes) does not hold; elsewhere the values, broadcast or
/// consumed in order, or combined with x by `code`.
any_array put_by_mask(const any_array& x, const any_array& mask, ir::op code,
                      const any_array& values, std::string_view op, location);

mask_view mask_view_of(const any_array& x, index_list items, location);

/// x(mask, 1) = 0: one value where a mask beside integers and slices holds, which is also a select,
/// so that the number of selected elements need not be known. Nothing for other items or values.
std::optional<any_array> put_one_by_mask(const any_array& x, index_list items, ir::op code,
                                         const any_array& value, std::string_view op, location);

}  // namespace sinter::detail
