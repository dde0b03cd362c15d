#pragma once
// Functions on the bits of bytes, and floats split into fraction and exponent. All are elementwise
// or views, so they fuse.

#include <cstdint>
#include <optional>
#include <type_traits>
#include <utility>

#include <sinter/operators.hpp>
#include <sinter/rearrange.hpp>

namespace sinter {

/// Whether the first of eight elements is the most (big) or the least significant bit of its byte.
enum class bit_order : std::uint8_t { big, little };
namespace detail {
template <> inline constexpr enum_words option_words<bit_order> = {"bit_order", "big, little"};
}

struct packbits_options {
  std::optional<std::int64_t> axis = {};  // none: over the flattened array
  detail::worded<bit_order> bitorder = bit_order::big;
};

struct unpackbits_options {
  std::optional<std::int64_t> axis = {};   // none: over the flattened array
  std::optional<std::int64_t> count = {};  // of bits; below 0: drops that many; none: all
  detail::worded<bit_order> bitorder = bit_order::big;
};

namespace detail {

any_array packbits(const any_array& x, const packbits_options& o = {},
                   location where = location::current());
any_array unpackbits(const any_array& x, const unpackbits_options& o = {},
                     location where = location::current());
std::pair<any_array, any_array> frexp(const any_array& x, location where = location::current());

}  // namespace detail

// Overloads for arrays whose dtype is known only at run time.
using detail::frexp;
using detail::packbits;
using detail::unpackbits;

/// Packs eight elements along an axis into the bits of a byte: 1 for nonzero elements, 0 for zeros
/// and for padding in the last byte. dtype: uint8. Throws axis_error, dtype_error for floats.
/// `packbits(mask)`, `packbits(mask, {.axis = -1, .bitorder = "little"})`
template <detail::expression X>
auto packbits(X&& x, const packbits_options& options = {}, location where = location::current()) {
  return array<std::uint8_t>(
      detail::packbits(detail::to_any(std::forward<X>(x), where), options, where));
}

/// Unpacks bytes into their bits, `count` of them, padded with zeros beyond the end. dtype: uint8.
/// Throws axis_error, dtype_error for types other than uint8. `unpackbits(bytes, {.count = 10})`
template <detail::expression X>
auto unpackbits(X&& x, const unpackbits_options& options = {},
                location where = location::current()) {
  return array<std::uint8_t>(
      detail::unpackbits(detail::to_any(std::forward<X>(x), where), options, where));
}

/// The number of 1 bits in |x|, for integers and bool. dtype: uint8. Throws nothing.
/// `bitwise_count(mask & word)`
template <detail::expression X>
  requires std::integral<detail::value_of<X>>
auto bitwise_count(X&& x) {
  using T = detail::value_of<X>;
  if constexpr (std::same_as<T, bool>) {
    return astype<std::uint8_t>(std::forward<X>(x));
  } else if constexpr (std::is_signed_v<T>) {
    return astype<std::uint8_t>(detail::apply<ir::op::popcount>(
        astype<std::make_unsigned_t<T>>(abs(std::forward<X>(x)))));
  } else {
    return astype<std::uint8_t>(detail::apply<ir::op::popcount>(std::forward<X>(x)));
  }
}

/// Splits x into fractions and int32 exponents with x = fraction * 2^exponent and |fraction| in
/// [1/2, 1); 0, infinities and NaN have exponent 0. dtype of the fractions: that of x, double for
/// integers. Throws dtype_error for complex numbers. `auto [fraction, exponent] = frexp(x)`
template <detail::ordered X> auto frexp(X&& x, location where = location::current()) {
  using T = element_of<inexact_of(detail::dtype_of_argument<X>)>;
  auto parts = detail::frexp(detail::to_any(std::forward<X>(x), where), where);
  return std::pair(array<T>(std::move(parts.first)), array<std::int32_t>(std::move(parts.second)));
}

}  // namespace sinter
