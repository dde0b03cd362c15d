#include <sinter/random.hpp>

#include <cmath>

#include <sinter/operators.hpp>

#include "engine/evaluate.hpp"
#include "engine/node.hpp"
#include "engine/report.hpp"
#include "engine/session.hpp"

namespace sinter::detail {
namespace {

std::uint64_t seed_of(std::optional<std::uint64_t> seed) {
  if (seed) return *seed;
  ++unrepeatable();
  return the_session().seeds.next();
}

template <element Word>
array<Word> random_bits(shape_view shape, std::optional<std::uint64_t> seed, std::string_view op,
                        location where) {
  check_shape(shape, dtype_of<Word>, op, where);
  return array<Word>(make_random(dtype_of<Word>, shape, seed_of(seed), where));
}

[[noreturn]] void refuse(std::string_view op, const std::string& why, location where) {
  fail<value_error>(error_code::bad_argument, op, why, where);
}

/// The largest value below `high` that T has.
template <class T>
double largest_below(double high) {
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

/// The highest `Digits` bits of each word times 2^-width: every value of [0, 1) is exact, and none
/// of low + value * (high - low) rounds up to high.
template <class T, class Compute, class Word, int Digits>
any_array scaled(shape_view shape, const random::uniform_options& o, location where) {
  constexpr int width = 8 * sizeof(Word);
  const auto range = static_cast<Compute>(o.high - o.low);
  if (!std::isfinite(o.low) || !std::isfinite(range) || !(o.low < o.high)) {
    refuse("uniform", "[" + std::to_string(o.low) + ", " + std::to_string(o.high) +
                          ") is not a range", where);
  }
  const Word mask = static_cast<Word>(~Word(0) << (width - Digits));
  const auto bits = random_bits<Word>(shape, o.seed, "uniform", where);
  const auto unit = astype<Compute>(bits & mask) * std::ldexp(1.0, -width);
  return record_expression(
      sinter::minimum(unit * (o.high - o.low) + o.low, largest_below<T>(o.high)), where);
}

/// One bit is the sign, the others an open interval (0, 1/2) that is fine near 0: both tails reach
/// as far.
template <class Compute, class Word>
any_array symmetric_normal(shape_view shape, const random::normal_options& o, location where) {
  constexpr int width = 8 * sizeof(Word);
  constexpr Word half = Word(1) << (width - 1);
  const auto bits = random_bits<Word>(shape, o.seed, "normal", where);
  const auto magnitude = astype<Compute>(bits & static_cast<Word>(half - 1));
  const array<Compute> z(sinter::ndtri(magnitude * std::ldexp(1.0, -width) +
                                       std::ldexp(1.0, -width - 1)), where);
  return record_expression(sinter::where(bits < half, z, -z) * o.stddev + o.mean, where);
}

/// The high 64 bits of word * range: unbiased to 2^-64 of the range, without a division.
array<std::uint64_t> high_product(const array<std::uint64_t>& word, std::uint64_t range,
                                  location where) {
  using words = array<std::uint64_t>;
  const std::uint64_t mask = 0xffffffffu, range_low = range & mask, range_high = range >> 32;
  const words low(word & mask, where), high(word >> 32, where);
  const words cross(high * range_low + ((low * range_low) >> 32), where);
  if (range_high == 0) return words(cross >> 32, where);
  return words(high * range_high + (cross >> 32) + ((low * range_high + (cross & mask)) >> 32),
               where);
}

}  // namespace

any_array uniform(dtype type, shape_view shape, const random::uniform_options& o, location where) {
  switch (type) {
    case dtype::float16:
      return make_cast(scaled<float16, float, std::uint32_t, 11>(shape, o, where), type, where);
    case dtype::bfloat16:
      return make_cast(scaled<bfloat16, float, std::uint32_t, 8>(shape, o, where), type, where);
    case dtype::float32: return scaled<float, float, std::uint32_t, 24>(shape, o, where);
    default: return scaled<double, double, std::uint64_t, 53>(shape, o, where);
  }
}

any_array normal(dtype type, shape_view shape, const random::normal_options& o, location where) {
  if (!(o.stddev >= 0)) refuse("normal", "a stddev of " + std::to_string(o.stddev), where);
  if (type == dtype::float64) return symmetric_normal<double, std::uint64_t>(shape, o, where);
  return make_cast(symmetric_normal<float, std::uint32_t>(shape, o, where), type, where);
}

any_array integers(dtype type, shape_view shape, std::optional<std::uint64_t> seed,
                   std::uint64_t low, std::uint64_t range, location where) {
  auto value = random_bits<std::uint64_t>(shape, seed, "integers", where);
  if (range != 0) value = high_product(value, range, where);
  return make_cast(record_expression(value + low, where), type, where);
}

void throw_empty_range(location where) { refuse("integers", "the range is empty", where); }

}  // namespace sinter::detail
