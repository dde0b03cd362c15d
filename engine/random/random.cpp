#include <cmath>

#include <sinter/operators.hpp>
#include <sinter/random.hpp>

#include "engine/random/draws.hpp"

namespace sinter::detail {
namespace {

template <element Word>
array<Word> random_bits(shape_view shape, std::optional<std::uint64_t> seed, std::string_view op,
                        location where) {
  check_shape(shape, dtype_of<Word>, op, where);
  return array<Word>(make_random(dtype_of<Word>, shape, seed_of(seed), where));
}

[[noreturn]] void refuse(std::string_view op, const std::string& why, location where) {
  fail<value_error>(error_code::bad_argument, op, why, where);
}

/// The largest value of T below `high`.
template <class T> double largest_below(double high) {
  const T nearest(high);
  if (static_cast<double>(nearest) < high) return static_cast<double>(nearest);
  if constexpr (std::is_floating_point_v<T>) {
    return std::nextafter(nearest, -std::numeric_limits<T>::infinity());
  } else {
    T next;
    const bool negative = nearest.bits & 0x8000u, zero = (nearest.bits & 0x7fffu) == 0;
    next.bits = static_cast<std::uint16_t>(zero       ? 0x8001u
                                           : negative ? nearest.bits + 1u
                                                      : nearest.bits - 1u);
    return static_cast<double>(next);
  }
}

/// The highest `Digits` bits of each word times 2^-width: every value of [0, 1) is exact.
template <class Compute, class Word, int Digits>
auto unit_interval(shape_view shape, std::optional<std::uint64_t> seed, location where) {
  constexpr int width = 8 * sizeof(Word);
  const Word mask = static_cast<Word>(~Word(0) << (width - Digits));
  const auto bits = random_bits<Word>(shape, seed, "uniform", where);
  return astype<Compute>(bits & mask) * std::ldexp(1.0, -width);
}

/// With arrays as bounds. A result that rounds up to high becomes the largest number below.
template <class T>
any_array between(const any_array& unit, shape_view shape, const random::uniform_options& o,
                  location where) {
  const draws d("uniform", dtype_of<T>, shape, 0, where);
  const term u{unit, where}, low = d.any(o.low), high = d.any(o.high);
  const term below = apply(ir::op::nextafter, {high, low});
  const term range = high - low;
  const term some = low < high && apply(ir::op::isfinite, {range});
  const term x = least(u * range + low, below);
  return d.result(select(some, x, d.constant(std::numeric_limits<double>::quiet_NaN())));
}

/// No low + value * (high - low) rounds up to high.
template <class T, class Compute, class Word, int Digits>
any_array scaled(shape_view shape, const random::uniform_options& o, location where) {
  auto unit = unit_interval<Compute, Word, Digits>(shape, o.seed, where);
  if (!o.low.is_number() || !o.high.is_number()) {
    return between<T>(record_expression(std::move(unit), where), shape, o, where);
  }
  const double low = o.low.number(), high = o.high.number();
  if (!std::isfinite(low) || !std::isfinite(static_cast<Compute>(high - low)) || !(low < high)) {
    refuse("uniform", "[" + std::to_string(low) + ", " + std::to_string(high) + ") is not a range",
           where);
  }
  if (low == 0 && high == 1) return record_expression(std::move(unit), where);  // the same bits
  return record_expression(sinter::minimum(unit * (high - low) + low, largest_below<T>(high)),
                           where);
}

/// One bit is the sign, the others a value in the open interval (0, 1/2), which is finest near 0:
/// both tails reach equally far.
template <class Compute, class Word>
any_array symmetric_normal(shape_view shape, const random::normal_options& o, location where) {
  constexpr int width = 8 * sizeof(Word);
  constexpr Word half = Word(1) << (width - 1);
  const auto bits = random_bits<Word>(shape, o.seed, "normal", where);
  const auto magnitude = astype<Compute>(bits & static_cast<Word>(half - 1));
  const array<Compute> z(
      sinter::ndtri(magnitude * std::ldexp(1.0, -width) + std::ldexp(1.0, -width - 1)), where);
  if (o.mean.is_number() && o.stddev.is_number()) {
    return record_expression(
        sinter::where(bits < half, z, -z) * o.stddev.number() + o.mean.number(), where);
  }
  const draws d("normal", dtype_of<Compute>, shape, 0, where);
  const term signed_z{record_expression(sinter::where(bits < half, z, -z), where), where};
  return d.result(signed_z * d.at_least(o.stddev, 0, "stddev") + d.any(o.mean));
}

/// The high 64 bits of word * range: unbiased to 2^-64 of the range, without a division.
array<std::uint64_t> high_product(const array<std::uint64_t>& word, std::uint64_t range,
                                  location where) {
  using words = array<std::uint64_t>;
  const std::uint64_t mask = 0xffffffffu;
  if (range > mask) {
    const term wide{make_scalar({{range, 0}}, dtype::uint64, where), where};
    return words(high_product({word, where}, wide).x);
  }
  const words low(word & mask, where), high(word >> 32, where);
  return words((high * range + ((low * range) >> 32)) >> 32, where);
}

}  // namespace

any_array uniform(dtype type, shape_view shape, const random::uniform_options& o, location where) {
  switch (type) {
    case dtype::float16:
      return make_cast(scaled<float16, float, std::uint32_t, 11>(shape, o, where), type, where);
    case dtype::bfloat16:
      return make_cast(scaled<bfloat16, float, std::uint32_t, 8>(shape, o, where), type, where);
    case dtype::float32:
      return scaled<float, float, std::uint32_t, 24>(shape, o, where);
    default:
      return scaled<double, double, std::uint64_t, 53>(shape, o, where);
  }
}

any_array normal(dtype type, shape_view shape, const random::normal_options& o, location where) {
  if (o.stddev.is_number() && !(o.stddev.number() >= 0)) {
    refuse("normal", "a stddev of " + std::to_string(o.stddev.number()), where);
  }
  if (type == dtype::float64) return symmetric_normal<double, std::uint64_t>(shape, o, where);
  return make_cast(symmetric_normal<float, std::uint32_t>(shape, o, where), type, where);
}

any_array integers(dtype type, shape_view shape, std::optional<std::uint64_t> seed,
                   std::uint64_t low, std::uint64_t range, location where) {
  auto value = random_bits<std::uint64_t>(shape, seed, "integers", where);
  if (range != 0) value = high_product(value, range, where);
  return make_cast(record_expression(value + low, where), type, where);
}

any_array integers_between(shape_view shape, std::optional<std::uint64_t> seed,
                           const any_array& low, const any_array& high, bool endpoint,
                           location where) {
  const dtype type = checked(low, "integers", where).type;
  const auto fitted = [&](const any_array& x) {
    checked(x, "integers", where);
    return make_broadcast(x, shape, "integers", where);
  };
  const auto words = random_bits<std::uint64_t>(shape, seed, "integers", where);
  const any_array first = fitted(low), last = fitted(high);
  const auto as_words = [&](const any_array& x) {
    return array<std::uint64_t>(make_cast(x, dtype::uint64, where));
  };
  const term none =
      endpoint ? term{last, where} < term{first, where} : term{last, where} <= term{first, where};
  const array<std::uint64_t> from = as_words(first);
  const array<std::uint64_t> range(as_words(last) - from + std::uint64_t(endpoint ? 1 : 0), where);
  const array<bool> empty(none.x);
  // A range of 2^64 wraps to 0, and means every word.
  const array<std::uint64_t> product(high_product({words, where}, {range, where}).x);
  const array<std::uint64_t> inside(sinter::where(range == 0, words, product), where);
  return make_cast(record_expression(sinter::where(empty, from, from + inside), where), type,
                   where);
}

void throw_empty_range(location where) {
  refuse("integers", "the range is empty", where);
}

}  // namespace sinter::detail
