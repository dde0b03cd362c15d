#include <sinter/sorting.hpp>

#include "engine/sorting/sorted.hpp"

namespace sinter::detail {
namespace {

/// Throws value_error for a place outside the axis.
void check_places(const int_list& kth, std::int64_t length, std::string_view op, location where) {
  for (std::int64_t k : kth) {
    if (k >= -length && k < length) continue;
    fail<value_error>(
        error_code::bad_argument, op,
        "there is no place " + std::to_string(k) + " among " + std::to_string(length) + " elements",
        where);
  }
}

any_array sorted_along(const any_array& x, const sort_options& o, std::string_view op,
                       location where) {
  const rows_view r = rows_along(x, o.axis, op, where);
  return r.restored(sort_values(r.x, o.descending, o.stable, where));
}

any_array positions_along(const any_array& x, const sort_options& o, std::string_view op,
                          location where) {
  const rows_view r = rows_along(x, o.axis, op, where);
  return r.restored(make_cast(argsort_rows(r.x, o.descending, where), dtype::int64, where));
}

}  // namespace

any_array sort(const any_array& x, const sort_options& o, location where) {
  return sorted_along(x, o, "sort", where);
}

any_array argsort(const any_array& x, const sort_options& o, location where) {
  return positions_along(x, o, "argsort", where);
}

any_array lexsort_keys(const std::vector<any_array>& keys, std::int64_t axis, location where) {
  if (keys.empty()) {
    fail<value_error>(error_code::bad_argument, "lexsort", "there are no keys", where);
  }
  const rows_view first = rows_along(keys[0], axis, "lexsort", where);
  any_array positions = argsort_rows(first.x, false, where);
  for (std::size_t i = 1; i < keys.size(); ++i) {
    checked(keys[i], "lexsort", where);
    if (!std::ranges::equal(keys[i].extents(), keys[0].extents())) {
      fail<shape_error>(error_code::shape_mismatch, "lexsort",
                        "keys of shapes " + text_of(keys[0].extents()) + " and " +
                            text_of(keys[i].extents()) + ": they have one shape",
                        where);
    }
    const any_array key = rows_along(keys[i], axis, "lexsort", where).x;
    const any_array order = argsort_rows(pick_rows(key, positions, where), false, where);
    positions = pick_rows(positions, order, where);
  }
  return first.restored(make_cast(positions, dtype::int64, where));
}

any_array lexsort_rows(const any_array& keys, std::int64_t axis, location where) {
  if (checked(keys, "lexsort", where).shape.size() == 0) {
    fail<shape_error>(error_code::shape_mismatch, "lexsort", "rank 0 has no rows", where);
  }
  std::vector<any_array> rows;
  const extents shape(keys.extents().begin() + 1, keys.extents().end());
  for (std::int64_t i = 0; i < keys.extents()[0]; ++i) {
    rows.push_back(make_reshape(cut(keys, 0, i, 1, where), shape, where));
  }
  return lexsort_keys(rows, axis, where);
}

any_array partition(const any_array& x, const int_list& kth, const partition_options& o,
                    location where) {
  check_places(kth, rows_along(x, o.axis, "partition", where).length(), "partition", where);
  return sorted_along(x, {.axis = o.axis}, "partition", where);
}

any_array argpartition(const any_array& x, const int_list& kth, const partition_options& o,
                       location where) {
  check_places(kth, rows_along(x, o.axis, "argpartition", where).length(), "argpartition", where);
  return positions_along(x, {.axis = o.axis}, "argpartition", where);
}

std::pair<any_array, any_array> topk(const any_array& x, std::int64_t k, const topk_options& o,
                                     location where) {
  const rows_view r = rows_along(x, o.axis, "topk", where);
  if (k < 0 || k > r.length()) {
    fail<value_error>(error_code::bad_argument, "topk",
                      std::to_string(k) + " of " + std::to_string(r.length()) + " elements", where);
  }
  const any_array places = argsort_first(r.x, k, o.largest, where);
  return {r.restored(pick_rows(r.x, places, where)),
          r.restored(make_cast(places, dtype::int64, where))};
}

}  // namespace sinter::detail
