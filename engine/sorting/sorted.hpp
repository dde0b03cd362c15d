#pragma once
// What sorting is made of: rows of keys through the routine "sort", and what is read through the
// positions that it gives.

#include "engine/nodes/term.hpp"

namespace sinter::detail {

/// An array seen with one of its axes last.
struct rows_view {
  any_array x;
  std::size_t axis = 0;  // where the last axis belongs
  location where;

  std::int64_t length() const { return x.shape().back(); }
  /// An array of the shape of x with its last axis where it belongs.
  any_array restored(const any_array& y) const;
};

/// x along `axis`; without one flattened. Rank 0 counts as one element where `axis` says nothing.
/// Throws axis_error.
rows_view rows_along(const any_array& x, std::optional<std::int64_t> axis, std::string_view op,
                     location where);

/// Of keys (engine/sorting/sort_keys.hpp), along the last axis: in order, and where they were
/// (int32 or int64, as the length wants). What nobody reads is not made.
struct sorted_keys {
  any_array keys, positions;
};
sorted_keys sort_rows(const any_array& keys, location where);

/// Where the first `count` of sort_rows were. REQUIRES: count is not negative, and at most their
/// length.
any_array first_positions(const any_array& keys, std::int64_t count, location where);

/// Of keys (rows..., n), along the last axis, those at some places of a sort, int64, (rows..., m).
/// REQUIRES: n > 0, and the places are below n.
any_array select_rows(const any_array& keys, const any_array& places, location where);

/// Where the elements of x, of any type, are in order along the last axis; equal ones stay in their
/// order.
any_array argsort_rows(const any_array& x, bool descending, location where);
/// The first `count` of these.
any_array argsort_first(const any_array& x, std::int64_t count, bool descending, location where);
/// The positions of argsort in the order of `keys` too: those of equal keys stay as they are.
any_array refined(const any_array& positions, const any_array& keys, location where);
/// The elements of x in order along the last axis. `stable`: zeros of either sign stay in their
/// order, else -0 is before 0.
any_array sort_values(const any_array& x, bool descending, bool stable, location where);

/// x[..., positions]: along the last axis, which may be longer or shorter than x's. REQUIRES: they
/// are in range.
any_array pick_rows(const any_array& x, const any_array& positions, location where);

}  // namespace sinter::detail
