#include "engine/sorting/sort_keys.hpp"

#include <limits>

#include "engine/nodes/term.hpp"

namespace sinter::detail {
namespace {

/// Arithmetic on bits: terms of one unsigned type.
struct bits {
  term t;

  dtype type() const { return t.type(); }
  int width() const { return 8 * static_cast<int>(size_of(type())); }
  bits constant(std::uint64_t value) const {
    return {{make_scalar({{value, 0}}, type(), t.where), t.where}};
  }
  bits top() const { return constant(std::uint64_t{1} << (width() - 1)); }
  bits ones() const { return constant(~std::uint64_t{0} >> (64 - width())); }
};

bits combine(ir::op code, const bits& a, const bits& b) {
  return {detail::apply(code, {a.t, b.t})};
}
bits operator^(const bits& a, const bits& b) {
  return combine(ir::op::bitwise_xor, a, b);
}
bits operator&(const bits& a, const bits& b) {
  return combine(ir::op::bitwise_and, a, b);
}
bits operator|(const bits& a, const bits& b) {
  return combine(ir::op::bitwise_or, a, b);
}
bits operator+(const bits& a, const bits& b) {
  return combine(ir::op::add, a, b);
}
bits operator-(const bits& a, const bits& b) {
  return combine(ir::op::subtract, a, b);
}
bits operator>>(const bits& a, int by) {
  return combine(ir::op::shift_right, a, a.constant(static_cast<std::uint64_t>(by)));
}
bits operator<<(const bits& a, int by) {
  return combine(ir::op::shift_left, a, a.constant(static_cast<std::uint64_t>(by)));
}
term operator<(const bits& a, const bits& b) {
  return a.t < b.t;
}
bits select(const term& condition, const bits& yes, const bits& no) {
  return {detail::select(condition, yes.t, no.t)};
}

dtype unsigned_of(dtype t) {
  return integer_of(false, size_of(t));
}

bits cast(const term& t, dtype to) {
  return {{make_cast(t.x, to, t.where), t.where}};
}
bits bits_of(const term& t) {
  return {{make_bitcast(t.x, unsigned_of(t.type()), t.where), t.where}};
}
term value_of_bits(const bits& b, dtype type) {
  return {make_bitcast(b.t.x, type, b.t.where), b.t.where};
}

// Half types are computed in float, so their bits are derived from a float's.

constexpr int float16_shift = 13;                // extra mantissa bits of a float
constexpr std::uint64_t float16_bias = 0x1c000;  // difference of the exponent biases, shifted
constexpr std::uint64_t float16_infinity = 0x7c00;
constexpr double float16_unit = 0x1p-24;  // the smallest positive number
constexpr double float16_normal = 0x1p-14;

/// The 16 bits of a half, in uint32. `f`: the half as a float, and not NaN.
bits half_bits(const term& f, dtype half) {
  const bits all = bits_of(f);
  if (half == dtype::bfloat16) return all >> 16;
  const term size = detail::apply(ir::op::abs, {f});
  const bits normal = (bits_of(size) >> float16_shift) - all.constant(float16_bias);
  const bits limit = all.constant(float16_infinity);
  const bits limited = select(normal < limit, normal, limit);
  const bits small = cast(size / float16_unit, dtype::uint32);
  const bits magnitude =
      select(size < number(float16_normal, dtype::float32, f.where), small, limited);
  return magnitude | ((all >> 16) & all.constant(0x8000));
}

/// The float whose half has these 16 bits, which are not those of a NaN.
term half_value(const bits& b, dtype half) {
  if (half == dtype::bfloat16) return value_of_bits(b << 16, dtype::float32);
  const bits magnitude = b & b.constant(0x7fff);
  const term normal =
      value_of_bits((magnitude + b.constant(float16_bias)) << float16_shift, dtype::float32);
  const term small =
      term{make_cast(magnitude.t.x, dtype::float32, b.t.where), b.t.where} * float16_unit;
  const term infinity = number(std::numeric_limits<double>::infinity(), dtype::float32, b.t.where);
  const term finite = detail::select(magnitude < b.constant(0x400), small, normal);
  const term size = detail::select(magnitude < b.constant(float16_infinity), finite, infinity);
  const bits sign = (b & b.constant(0x8000)) << 16;
  return value_of_bits(bits_of(size) | sign, dtype::float32);
}

/// Negative numbers have the top bit set: all their bits are inverted; others get the top bit.
bits ordered(const bits& b, int width) {
  const bits top = b.constant(std::uint64_t{1} << (width - 1));
  const bits mask = (b.constant(0) - (b >> (width - 1))) | top;
  return b ^ mask;
}

bits unordered(const bits& key, int width) {
  const bits top = key.constant(std::uint64_t{1} << (width - 1));
  const bits mask = ((key >> (width - 1)) - key.constant(1)) | top;
  return key ^ mask;
}

int width_of(dtype t) {
  return 8 * static_cast<int>(size_of(t));
}

any_array float_key(const any_array& x, bool descending, zero_signs zeros, location where) {
  const dtype type = x.dtype();
  term t{make_cast(x, compute_of(type), where), where};
  const term nan = detail::apply(ir::op::isnan, {t});
  if (zeros == zero_signs::equal) t = t + 0.0;  // -0 + 0 is 0
  const bits b = is_half(type) ? half_bits(t, type) : bits_of(t);
  const bits mask = b.constant(~std::uint64_t{0} >> (64 - width_of(type)));
  const bits up = ordered(b, width_of(type)) & mask;
  const bits key = select(nan, mask, descending ? up ^ mask : up);
  return make_cast(key.t.x, unsigned_of(type), where);
}

any_array float_of(const any_array& key, dtype type, bool descending, location where) {
  const dtype inside = unsigned_of(compute_of(type));
  const bits k = cast({key, where}, inside);
  const bits mask = k.constant(~std::uint64_t{0} >> (64 - width_of(type)));
  const bits b = unordered(descending ? k ^ mask : k, width_of(type)) & mask;
  const term value = is_half(type) ? half_value(b, type) : value_of_bits(b, type);
  const term nan = number(std::numeric_limits<double>::quiet_NaN(), value.type(), where);
  return make_cast(detail::select(k.t == mask.t, nan, value).x, type, where);
}

/// Maps an integer to an unsigned one of the same width, and back.
bits integer_bits(const any_array& x, location where) {
  if (is_bool(x.dtype())) return cast({x, where}, dtype::uint8);
  if (is_unsigned(x.dtype())) return {{x, where}};
  return bits_of({x, where});
}

any_array integer_of_bits(const bits& b, dtype type) {
  if (is_bool(type)) return make_cast(b.t.x, dtype::bool_, b.t.where);
  return is_unsigned(type) ? b.t.x : value_of_bits(b, type).x;
}

}  // namespace

any_array sort_key(const any_array& x, bool descending, zero_signs zeros, location where) {
  if (is_real(x.dtype())) return float_key(x, descending, zeros, where);
  bits b = integer_bits(x, where);
  if (is_signed(x.dtype())) b = b ^ b.top();
  return (descending ? b ^ b.ones() : b).t.x;
}

any_array from_sort_key(const any_array& key, dtype type, bool descending, location where) {
  if (is_real(type)) return float_of(key, type, descending, where);
  bits b{{key, where}};
  if (descending) b = b ^ b.ones();
  return integer_of_bits(is_signed(type) ? b ^ b.top() : b, type);
}

}  // namespace sinter::detail
