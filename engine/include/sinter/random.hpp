#pragma once
// Random arrays: Philox 4x32-10 with the element's index as its counter. The values depend on the
// seed, the shape's size and the type alone: not on the device, nor on what is computed beside
// them. They are made inside the kernels that use them.

#include <limits>
#include <optional>

#include <sinter/arguments.hpp>

namespace sinter::random {

struct uniform_options {
  std::optional<std::uint64_t> seed = {};  // none: another one for every call
  double low = 0, high = 1;
};

struct normal_options {
  std::optional<std::uint64_t> seed = {};  // none: another one for every call
  double mean = 0, stddev = 1;
};

template <element T>
struct integer_options {
  std::optional<std::uint64_t> seed = {};  // none: another one for every call
  T low = 0, high = std::numeric_limits<T>::max();
  bool endpoint = false;  // may `high` itself appear
};

}  // namespace sinter::random

namespace sinter::detail {

any_array uniform(dtype type, shape_view shape, const random::uniform_options& o, location where);
any_array normal(dtype type, shape_view shape, const random::normal_options& o, location where);
/// low, low + 1, ... low + range - 1; a range of 0 stands for 2^64.
any_array integers(dtype type, shape_view shape, std::optional<std::uint64_t> seed,
                   std::uint64_t low, std::uint64_t range, location where);
[[noreturn]] void throw_empty_range(location where);

template <element T>
inline constexpr bool is_real_float = is_real(dtype_of<T>);

}  // namespace sinter::detail

namespace sinter::random {

/// Uniform in [low, high). dtype: T, a real float. Throws shape_error, and value_error unless low <
/// high and both are finite. `random::uniform<float>({3, 4}, {.seed = 42, .low = -1})`
template <element T = double>
  requires(detail::is_real_float<T>)
array<T> uniform(const int_list& shape, const uniform_options& options = {},
                 location where = location::current()) {
  return array<T>(detail::uniform(dtype_of<T>, shape, options, where));
}

/// Normal: mean + stddev * z. dtype: T, a real float. Throws shape_error, and value_error for a
/// negative stddev. `random::normal<float>({1000, 1000}, {.seed = 42})`
template <element T = double>
  requires(detail::is_real_float<T>)
array<T> normal(const int_list& shape, const normal_options& options = {},
                location where = location::current()) {
  return array<T>(detail::normal(dtype_of<T>, shape, options, where));
}

/// Uniform integers in [low, high), or up to and with high. dtype: T. Throws shape_error, and
/// value_error for an empty range.
/// `random::integers<int>({10}, {.seed = 1, .low = 1, .high = 6, .endpoint = true})`
template <element T = std::int64_t>
  requires(std::integral<T> && !std::same_as<T, bool>)
array<T> integers(const int_list& shape, const integer_options<T>& options = {},
                  location where = location::current()) {
  const auto low = static_cast<std::uint64_t>(options.low);
  const auto range = static_cast<std::uint64_t>(options.high) - low + (options.endpoint ? 1 : 0);
  if (options.high < options.low || (options.high == options.low && !options.endpoint)) {
    detail::throw_empty_range(where);
  }
  return array<T>(detail::integers(dtype_of<T>, shape, options.seed, low, range, where));
}

}  // namespace sinter::random
