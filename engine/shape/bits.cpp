#include <limits>

#include <sinter/bits.hpp>
#include <sinter/creation.hpp>
#include <sinter/joining.hpp>
#include <sinter/operators.hpp>
#include <sinter/types.hpp>

#include "engine/nodes/term.hpp"

namespace sinter::detail {
namespace {

/// x and the axis to use; flattened if none is given.
std::pair<any_array, std::size_t> along(const any_array& x, std::optional<std::int64_t> axis,
                                        std::string_view op, location where) {
  if (!axis) return {make_reshape(x, extents{x.size()}, where), 0};
  return {x, static_cast<std::size_t>(normalize_axis(*axis, x.ndim(), op, where))};
}

[[noreturn]] void refuse_type(const any_array& x, std::string_view wanted, std::string_view op,
                              location where) {
  fail<dtype_error>(error_code::bad_dtype, op,
                    std::string(name(x.dtype())) + " has no bits to take: " + std::string(wanted),
                    where);
}

/// Pads with zeros or cuts to another extent along an axis.
any_array of_extent(const any_array& x, std::size_t axis, std::int64_t count, location where) {
  const std::int64_t n = x.extents()[axis];
  if (count <= n) return count == n ? x : cut(x, axis, 0, count, where);
  std::vector<pad_width> widths(x.extents().size());
  widths[axis].after = count - n;
  return pad(x, widths, {}, where);
}

template <class F, class U>
std::pair<any_array, any_array> taken_apart(const any_array& given, location where) {
  constexpr int digits = std::numeric_limits<F>::digits - 1;
  constexpr U mask = (U{1} << (8 * sizeof(F) - 1 - digits)) - 1, half = (mask >> 1) - 1;
  const array<F> x(given);
  const array<bool> counts = isfinite(x) && x != 0;
  const array<bool> tiny = counts && abs(x) < std::numeric_limits<F>::min();
  const array<F> normal = sinter::where(tiny, x * (F(2) / std::numeric_limits<F>::epsilon()), x);
  const array<U> bits = sinter::view<U>(normal, where);
  const array<U> places = (bits >> U{digits}) & mask;
  const array<U> of_half = (bits & U(~(mask << digits))) | U(half << digits);
  const array<std::int32_t> shifted = sinter::astype<std::int32_t>(tiny) * (digits + 1);
  const array<std::int32_t> exponent = sinter::where(
      counts, sinter::astype<std::int32_t>(places) - static_cast<std::int32_t>(half) - shifted, 0);
  const array<F> fraction = sinter::where(counts, sinter::view<F>(of_half, where), x);
  return {fraction, exponent};
}

}  // namespace

any_array packbits(const any_array& given, const packbits_options& o, location where) {
  const dtype type = checked(given, "packbits", where).type;
  if (is_inexact(type)) refuse_type(given, "integers or bool are wanted", "packbits", where);
  const auto [x, axis] = along(given, o.axis, "packbits", where);
  const std::int64_t bytes = (x.extents()[axis] + 7) / 8;
  const any_array set =
      type == dtype::bool_ ? x
                           : make_op(ir::op::not_equal, {x, make_scalar({}, type, where)}, where);
  const any_array whole = of_extent(set, axis, 8 * bytes, where);
  extents shape = extents_of(x);
  shape[axis] = bytes;
  if (bytes == 0) return full(shape, dtype::uint8, {}, "packbits", where);
  array<std::uint8_t> result;
  for (int k = 0; k < 8; ++k) {
    const array<std::uint8_t> bit(
        make_cast(cut(whole, axis, k, bytes, where, 8), dtype::uint8, where));
    const auto at = static_cast<std::uint8_t>(o.bitorder == bit_order::big ? 7 - k : k);
    const array<std::uint8_t> moved = bit << at;
    result = k == 0 ? moved : array<std::uint8_t>(result | moved);
  }
  return result;
}

any_array unpackbits(const any_array& given, const unpackbits_options& o, location where) {
  if (checked(given, "unpackbits", where).type != dtype::uint8) {
    refuse_type(given, "uint8 is wanted", "unpackbits", where);
  }
  const auto [x, axis] = along(given, o.axis, "unpackbits", where);
  extents shape = extents_of(x);
  const std::int64_t all = 8 * shape[axis];
  shape.insert(shape.begin() + static_cast<std::ptrdiff_t>(axis) + 1, 1);
  const any_array bytes = make_reshape(x, shape, where);
  shape[axis + 1] = 8;
  const array<std::int64_t> place(coordinates(shape, axis + 1, where));
  const array<std::int64_t> at =
      o.bitorder == bit_order::big ? array<std::int64_t>(7 - place) : place;
  const array<std::uint8_t> wide(make_broadcast(bytes, shape, "unpackbits", where));
  const array<std::uint8_t> bits = (wide >> sinter::astype<std::uint8_t>(at)) & std::uint8_t{1};
  extents flat = extents_of(x);
  flat[axis] = all;
  const std::int64_t asked = o.count.value_or(all);
  const std::int64_t count = asked < 0 ? std::max<std::int64_t>(0, all + asked) : asked;
  return of_extent(make_reshape(bits, flat, where), axis, count, where);
}

std::pair<any_array, any_array> frexp(const any_array& x, location where) {
  const dtype type = inexact_of(checked(x, "frexp", where).type);
  if (is_complex(type)) refuse_type(x, "real numbers are wanted", "frexp", where);
  if (type == dtype::float64) {
    return taken_apart<double, std::uint64_t>(make_cast(x, type, where), where);
  }
  auto [fraction, exponent] =
      taken_apart<float, std::uint32_t>(make_cast(x, dtype::float32, where), where);
  return {make_cast(fraction, type, where), exponent};
}

}  // namespace sinter::detail
