#pragma once
// Values to places: what stands behind x(rows) = v and x.at(rows).add(v).

#include <optional>

#include <sinter/masks.hpp>

#include "engine/indexing/gather.hpp"

namespace sinter::detail {

/// Of so few indices each may be compared with each: nothing as large as the array is needed.
inline constexpr std::int64_t few_indices = 512;

/// Does any of the items stand for elements one by one?
bool picks_elements(index_list items);
/// The mask, if it is all there is: of x's leading axes. Else null.
const any_array* only_mask(const any_array& x, index_list items);

/// For each of several indices, over their shape: is it the last of those that name its place? No
/// array if there is one index only.
any_array last_of_each(const places&, shape_view whole, location);

/// Are there so few indices that comparing each with each is less work than clearing memory as
/// large as x?
bool compares_pairs(const places&, const any_array& x);

/// For each element that goes somewhere, what all that go to its place sum up to, by comparing
/// every index with every other. REQUIRES: real values of the shape of the places.
any_array sums_by_place(const places&, const any_array& values, location);

/// x with the values (rank 0, or the shape of the places) put there: of equal places the last.
any_array put_at(const any_array& x, places, const any_array& values, std::string_view op,
                 location);

/// How many elements of a mask hold before each that does; -1 before the first of them.
array<std::int64_t> places_before(const array<bool>& mask, location);

/// The same for products.
any_array products_by_place(const places&, const any_array& values, location);

/// Some of the indices, in one dimension, and the values that are theirs.
std::pair<places, any_array> some_of(const places&, const any_array& values, std::int64_t first,
                                     std::int64_t count, shape_view whole, location);

/// x where the mask (of its leading axes) does not hold; else the values, as they are broadcast or
/// one behind the other, or what `code` makes of x and them.
any_array put_by_mask(const any_array& x, const any_array& mask, ir::op code,
                      const any_array& values, std::string_view op, location);

mask_view mask_view_of(const any_array& x, index_list items, location);

/// x(mask, 1) = 0: one value where a mask beside integers and slices holds, which is a selection as
/// well, so nobody waits for how many it chooses. Nothing if the items or the value are others.
std::optional<any_array> put_one_by_mask(const any_array& x, index_list items, ir::op code,
                                         const any_array& value, std::string_view op, location);

}  // namespace sinter::detail
