#pragma once
// Random arrays: Philox 4x32-10 with the element's index as the counter. The values depend only on
// the seed, the number of elements and the type, not on the device nor on other computations. They
// are generated inside the kernels that use them.
//
// Every function takes an optional seed; without one every call gives different numbers. Two
// functions with the same seed use the same random bits; `random::generator` supplies independent
// seeds.
//
// A parameter of a distribution is a number, or an array that broadcasts to the result's shape. An
// invalid number throws value_error immediately; an invalid array element gives NaN, or -1 for
// integer types.

#include <limits>

#include <sinter/random_continuous.hpp>
#include <sinter/random_counts.hpp>
#include <sinter/random_discrete.hpp>
#include <sinter/random_gamma.hpp>
#include <sinter/random_parameter.hpp>
#include <sinter/random_sampling.hpp>

namespace sinter::random {

struct uniform_options {
  std::optional<std::uint64_t> seed = {};  // none: a different one for every call
  parameter low = 0, high = 1;
};

struct normal_options {
  std::optional<std::uint64_t> seed = {};  // none: a different one for every call
  parameter mean = 0, stddev = 1;
};

template <element T> struct integer_options {
  std::optional<std::uint64_t> seed = {};  // none: a different one for every call
  integer_parameter<T> low = T(0), high = std::numeric_limits<T>::max();
  bool endpoint = false;  // whether `high` itself may occur
};

}  // namespace sinter::random

namespace sinter::detail {

any_array uniform(dtype type, shape_view shape, const random::uniform_options& o, location where);
any_array normal(dtype type, shape_view shape, const random::normal_options& o, location where);
/// Integers in [low, low + range); a range of 0 stands for 2^64.
any_array integers(dtype type, shape_view shape, std::optional<std::uint64_t> seed,
                   std::uint64_t low, std::uint64_t range, location where);
/// The same with arrays of `type` for the ends.
any_array integers_between(shape_view shape, std::optional<std::uint64_t> seed,
                           const any_array& low, const any_array& high, bool endpoint,
                           location where);
any_array from_scalar(const scalar_word& value, dtype type, location where);
[[noreturn]] void throw_empty_range(location where);

/// A parameter as an array.
template <element T> any_array values_of(const random::integer_parameter<T>& p, location where) {
  return p.is_number() ? from_scalar(scalar_of<dtype_of<T>>(p.number()), dtype_of<T>, where)
                       : p.values();
}

}  // namespace sinter::detail

namespace sinter::random {

/// Uniform floats in [low, high). dtype: T, a real float. Throws shape_error, and value_error
/// unless low < high and both are finite. `random::uniform<float>({3, 4}, {.seed = 42, .low = -1})`
template <element T = double>
  requires(detail::is_real_float<T>)
array<T> uniform(const int_list& shape, const uniform_options& options = {},
                 location where = location::current()) {
  return array<T>(detail::uniform(dtype_of<T>, shape, options, where));
}

/// Normal floats: mean + stddev * z. dtype: T, a real float. Throws shape_error, and value_error
/// for a negative stddev. `random::normal<float>({1000, 1000}, {.seed = 42})`
template <element T = double>
  requires(detail::is_real_float<T>)
array<T> normal(const int_list& shape, const normal_options& options = {},
                location where = location::current()) {
  return array<T>(detail::normal(dtype_of<T>, shape, options, where));
}

/// Uniform integers in [low, high), or in [low, high] with `.endpoint`. dtype: T. Throws
/// shape_error, and value_error for an empty range; where arrays give an empty range the result is
/// `low`. `random::integers<int>({10}, {.seed = 1, .low = 1, .high = 6, .endpoint = true})`
template <element T = std::int64_t>
  requires(std::integral<T> && !std::same_as<T, bool>)
array<T> integers(const int_list& shape, const integer_options<T>& options = {},
                  location where = location::current()) {
  if (!options.low.is_number() || !options.high.is_number()) {
    return array<T>(
        detail::integers_between(shape, options.seed, detail::values_of(options.low, where),
                                 detail::values_of(options.high, where), options.endpoint, where));
  }
  const T first = options.low.number(), last = options.high.number();
  const auto low = static_cast<std::uint64_t>(first);
  const auto range = static_cast<std::uint64_t>(last) - low + (options.endpoint ? 1 : 0);
  if (last < first || (last == first && !options.endpoint)) detail::throw_empty_range(where);
  return array<T>(detail::integers(dtype_of<T>, shape, options.seed, low, range, where));
}

}  // namespace sinter::random

#include <sinter/random_generator.hpp>
