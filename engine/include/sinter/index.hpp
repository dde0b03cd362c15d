#pragma once
// Indices: x(2), x(sn::slice(0, 5)), x(sn::_, 3), x(sn::ellipsis, sn::newaxis), x(rows, columns),
// x({0, 2}), x(x > 0).

#include <concepts>
#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <vector>

#include <sinter/any_array.hpp>

namespace sinter {

struct slice;

/// The start or stop of a slice. `_`, `{}` and std::nullopt omit it; none of them means 0.
struct slice_end {
  static constexpr std::int64_t unset = std::numeric_limits<std::int64_t>::min();
  std::int64_t at = unset;
  constexpr slice_end() = default;
  constexpr slice_end(std::nullopt_t) {}
  constexpr slice_end(const slice& /*_*/) {}
  template <std::convertible_to<std::int64_t> I>
  constexpr slice_end(const I& index) : at(static_cast<std::int64_t>(index)) {}
};

/// Python's slice: start, stop and step, each optional; negative values count from the end. `_`
/// omits an end: slice(50, _) is 50:, slice(_, -1) is :-1, slice(_, _, -1) is ::-1.
struct slice {
  static constexpr std::int64_t unset = slice_end::unset;
  std::int64_t start = unset, stop = unset, step = 1;
  constexpr slice() = default;
  constexpr slice(std::int64_t end) : stop(end) {}
  constexpr slice(slice_end first, slice_end end, std::int64_t by = 1)
      : start(first.at), stop(end.at), step(by) {}
};

struct newaxis_t {};
struct ellipsis_t {};
/// Inserts a new axis of extent 1.
inline constexpr newaxis_t newaxis{};
/// Stands for as many full slices as there are axes left.
inline constexpr ellipsis_t ellipsis{};
/// A full slice: Python's `:`.
inline constexpr slice _{};

/// One index of x(...), with its source location.
struct index_item {
  enum class kind : std::uint8_t { absent, integer, range, new_axis, rest, indices };
  kind what = kind::absent;
  slice range;
  location where;
  any_array indices;  // integers, or a mask: bool

  constexpr index_item() = default;
  template <detail::expression I>
  index_item(const I& i, location w = location::current())
      : what(kind::indices), where(w), indices(i.to_array(w)) {}
  index_item(any_array i, location w = location::current())
      : what(kind::indices), where(w), indices(std::move(i)) {}
  /// NumPy's list of indices: `x({0, 2}, sn::_)`
  index_item(std::initializer_list<std::int64_t> i, location w = location::current())
      : what(kind::indices), where(w), indices(listed(i, w)) {}
  template <std::integral I>
  index_item(I i, location w = location::current())
      : what(kind::integer), range(static_cast<std::int64_t>(i), 0), where(w) {}
  index_item(slice s, location w = location::current())
      : what(kind::range), range(s), where(w) {}
  index_item(newaxis_t, location w = location::current())
      : what(kind::new_axis), where(w) {}
  index_item(ellipsis_t, location w = location::current())
      : what(kind::rest), where(w) {}

 private:
  static any_array listed(std::initializer_list<std::int64_t> i, location w);
};

/// An index of x(...), by reference: constructing and copying eight cost more than the view itself.
using index_arg = const index_item&;
/// An omitted index.
inline constinit const index_item no_index;

namespace detail {

[[noreturn]] void throw_too_many_indices(std::size_t count, location where);

/// Index k of a list of index arrays, or none behind its last. Throws index_error for more than 8.
template <class I>
index_item index_of(const std::vector<I>& list, std::size_t k, location where) {
  if (list.size() > 8) throw_too_many_indices(list.size(), where);
  return k < list.size() ? index_item(list[k], where) : no_index;
}

/// The indices of one x(...), up to the first that is omitted.
using index_list = std::span<const index_item* const>;

}  // namespace detail

}  // namespace sinter
