#pragma once
// Building blocks of sorting: rows of keys through the routine "sort", and gathers through the
// positions it returns.

#include "engine/nodes/term.hpp"

namespace sinter::detail {

/// An array viewed with one of its axes last.
struct rows_view {
  any_array x;
  std::size_t axis = 0;  // the original position of the last axis
  location where;

  std::int64_t length() const { return x.extents().back(); }
  /// An array of x's shape with its last axis moved back.
  any_array restored(const any_array& y) const;
};

/// x along `axis`; flattened without one. Rank 0 counts as one element if `axis` is empty. Throws
/// axis_error.
rows_view rows_along(const any_array& x, std::optional<std::int64_t> axis, std::string_view op,
                     location where);

/// Keys (engine/sorting/sort_keys.hpp) sorted along the last axis, and their positions (int32 or
/// int64, as the length requires). What is not read is not computed.
struct sorted_keys {
  any_array keys, positions;
};
sorted_keys sort_rows(const any_array& keys, location where);

/// The positions of the first `count` of sort_rows. REQUIRES: count is not negative, and at most
/// their length.
any_array first_positions(const any_array& keys, std::int64_t count, location where);

/// For keys (rows..., n), along the last axis, those at some ranks of a sort, int64, (rows..., m).
/// REQUIRES: n > 0, and the ranks are below n.
any_array select_rows(const any_array& keys, const any_array& places, location where);

/// The positions that sort x, of any type, along the last axis; stable.
any_array argsort_rows(const any_array& x, bool descending, location where);
/// The first `count` of these.
any_array argsort_first(const any_array& x, std::int64_t count, bool descending, location where);
/// The positions of an argsort refined by `keys`: stable for equal keys.
any_array refined(const any_array& positions, const any_array& keys, location where);
/// x sorted along the last axis. `stable`: zeros of either sign stay in order, else -0 is before 0.
any_array sort_values(const any_array& x, bool descending, bool stable, location where);

/// x[..., positions]: along the last axis, which may be longer or shorter than x's. REQUIRES: they
/// are in range.
any_array pick_rows(const any_array& x, const any_array& positions, location where);

}  // namespace sinter::detail
