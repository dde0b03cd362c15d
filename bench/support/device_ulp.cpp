#include "bench/support/device_ulp.hpp"

#include <algorithm>
#include <functional>
#include <limits>

#include <sinter/sinter.hpp>

namespace bench {

namespace {

namespace sn = sinter;
using floats = sn::array<float>;
using doubles = sn::array<double>;

constexpr std::int64_t finite = 0x7f800000;  // bit patterns of the non-negative finite floats
constexpr std::int64_t part = std::int64_t{1} << 27;

/// The floats with bit patterns first, first + step, ..., times a sign.
floats floats_from(std::int64_t first, std::int64_t count, std::int64_t step, float sign) {
  const sn::array<std::int64_t> bits = sn::arange<std::int64_t>(count) * step + first;
  const sn::array<std::int32_t> exponent = sn::astype<std::int32_t>(bits >> 23);
  const sn::array<std::int64_t> hidden = sn::astype<std::int64_t>(exponent > 0) << 23;
  const floats significand = sn::astype<float>((bits & 0x7fffff) + hidden);
  return sign * sn::ldexp(significand, sn::maximum(exponent, 1) - 150);
}

/// Is one NaN and the other not, or do zeros differ in sign?
sn::array<bool> differs(const floats& got, const doubles& exact) {
  const sn::array<bool> zeros = (got == 0.f) & (exact == 0.0);
  return (sn::isnan(got) != sn::isnan(exact)) | (zeros & (sn::signbit(got) != sn::signbit(exact)));
}

/// An overflow counts as 2^128.
doubles bounded(const doubles& x) {
  return sn::clip(x, -0x1p128, 0x1p128);
}

/// |got - exact| in units of the last place of a float at `exact`; 0 for NaN.
doubles ulps_between(const floats& got, const doubles& exact) {
  constexpr float most = std::numeric_limits<float>::max();
  constexpr float infinity = std::numeric_limits<float>::infinity();
  const floats near = sn::abs(sn::astype<float>(exact));
  const doubles near_as_double = sn::astype<double>(near);
  const doubles above = sn::astype<double>(sn::nextafter(near, infinity)) - near_as_double;
  const doubles below = near_as_double - sn::astype<double>(sn::nextafter(near, 0.f));
  // Below a power of two a unit is half as large.
  const doubles unit =
      sn::where(near >= most, 0x1p104, sn::where(sn::abs(exact) < near_as_double, below, above));
  const doubles error = sn::abs(bounded(sn::astype<double>(got)) - bounded(exact)) / unit;
  return sn::where(sn::isnan(got) | sn::isnan(exact), 0.0, error);
}

struct judged {
  doubles ulps;
  sn::array<bool> wrong;
  floats got;
};

judged judge(function_of<float> f, function_of<double> exact, const floats& a, const floats& b) {
  const floats got = f(a, b);
  const doubles expected = exact(sn::astype<double>(a), sn::astype<double>(b));
  return {ulps_between(got, expected), differs(got, expected), got};
}

struct arguments {
  floats a, b;
  judged j;
};

/// Part of the arguments, recorded anew each time, so that they are never stored.
using part_maker = std::function<arguments()>;

/// Finds the worst part, then its worst place: one kernel per part, and a second pass over the
/// worst.
class search {
 public:
  void look_at(const part_maker& make) {
    constexpr double mark = 1e30;
    const judged j = make().j;
    double most = sn::max(sn::where(j.wrong, mark, j.ulps)).item();
    if (most == mark) {
      found_.wrong += sn::count_nonzero(j.wrong).item();
      most = sn::max(j.ulps).item();
    }
    if (most <= found_.ulps) return;
    found_.ulps = most;
    worst_ = make;
  }

  device_worst result() {
    if (!worst_) return found_;
    const auto [a, b, j] = worst_();
    const std::int64_t at = sn::argmax(j.ulps).item();
    found_.a = a(at).item();
    found_.b = b.ndim() == 0 ? 0 : b(at).item();
    found_.got = j.got(at).item();
    return found_;
  }

 private:
  device_worst found_;
  part_maker worst_;
};

}  // namespace

device_worst worst_of_every(function_of<float> f, function_of<double> exact, std::int64_t nth,
                            const hole& left_out) {
  search all;
  const auto from = static_cast<float>(left_out.from), to = static_cast<float>(left_out.to);
  for (const float sign : {1.f, -1.f}) {
    for (std::int64_t first = 0; first < finite; first += part * nth) {
      const std::int64_t count = std::min(part, (finite - first + nth - 1) / nth);
      all.look_at([=]() -> arguments {
        const floats whole = floats_from(first, count, nth, sign), none = sn::zeros<float>({});
        const floats a = sn::where((whole >= from) & (whole <= to), 1.f, whole);
        return {a, none, judge(f, exact, a, none)};
      });
    }
  }
  return all.result();
}

device_worst worst_of_pairs(function_of<float> f, function_of<double> exact,
                            const std::vector<float>& a, const std::vector<float>& b) {
  const floats x(a), y(b);
  search all;
  all.look_at([=]() -> arguments { return {x, y, judge(f, exact, x, y)}; });
  return all.result();
}

}  // namespace bench
