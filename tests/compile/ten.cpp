#include <sinter/sinter.hpp>

namespace sn = sinter;
using floats = sn::array<float>;

floats ten(const floats& a, const floats& b) {
  const floats c = a * b + sn::sin(a);
  const floats d = sn::sqrt(sn::abs(c)) - b / 2;
  const floats e = sn::where(c > d, c, -d);
  const floats f = sn::exp(-e * e) + sn::cos(d);
  const floats g = sn::maximum(f, 0) + sn::log1p(sn::exp(-sn::abs(f)));
  const floats h = (g - sn::mean(g)) / sn::stddev(g);
  const floats i = sn::tanh(h) * sn::minimum(g, 1) + 3;
  const floats j = sn::pow(i, 2) + sn::floor(h) - sn::atan2(i, g);
  const floats k = sn::hypot(j, i) + sn::sum(j, {.axis = 0});
  return k * k - sn::clip(j, 0, 1) + sn::square(h);
}
