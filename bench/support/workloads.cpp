#include "bench/support/workloads.hpp"

#include <algorithm>
#include <cmath>

#include <sinter/sinter.hpp>

#include "bench/support/hand_written.hpp"

namespace bench {

namespace sn = sinter;
using floats = sn::array<float>;

namespace {

/// The same numbers on the device and, after the first request, in host memory.
class input {
 public:
  input(const sn::int_list& shape, std::uint64_t seed, double low = -3, double high = 3)
      : array_(sn::random::uniform<float>(shape, {.seed = seed, .low = low, .high = high})),
        host_(std::make_shared<host_floats>()) {
    sn::eval(array_);
  }
  const floats& operator*() const { return array_; }
  const float* data() const {
    if (host_->empty()) {
      const auto values = array_.to_host();
      host_->assign(values.begin(), values.end());
    }
    return host_->data();
  }

 private:
  floats array_;
  std::shared_ptr<host_floats> host_;
};

workload make_workload(std::string name, std::string ceiling, std::int64_t read,
                       std::int64_t written, std::function<floats()> make,
                       std::function<void(float*)> by_hand) {
  const auto expected = std::make_shared<host_floats>();
  const auto loops = [expected, written, by_hand = std::move(by_hand)] {
    expected->resize(static_cast<std::size_t>(written));
    by_hand(expected->data());
  };
  return {std::move(name), std::move(ceiling), 4 * (read + written), std::move(make), loops,
          expected};
}

floats phi(const floats& x) {
  return 0.5 * sn::erfc(x * -0.7071067811865475);
}

floats call_price(const floats& spot, const floats& strike, const floats& years, float rate,
                  float volatility) {
  const floats spread = volatility * sn::sqrt(years);
  const floats d1 =
      (sn::log(spot / strike) + (rate + 0.5f * volatility * volatility) * years) / spread;
  return spot * phi(d1) - strike * sn::exp(-rate * years) * phi(d1 - spread);
}

/// 1 4 6 4 1 along the first axis, without the borders.
floats blur_rows(const floats& x) {
  const auto n = x.shape(0);
  const auto at = [&](std::int64_t i) { return x(sn::slice(i, n - 4 + i)); };
  return (at(0) + 4 * at(1) + 6 * at(2) + 4 * at(3) + at(4)) / 16;
}

}  // namespace

workload saxpy(const sizes& s, std::uint64_t seed) {
  const auto n = s.elements;
  const input x(n, seed), y(n, seed + 1);
  return make_workload(
      "saxpy", "triad", 2 * n, n, [=]() -> floats { return 2.5 * *x + *y; },
      [=](float* to) { by_hand::saxpy(2.5f, x.data(), y.data(), to, n); });
}

workload chain(const sizes& s, std::uint64_t seed) {
  const auto n = s.elements;
  const input x(n, seed);
  return make_workload(
      "chain of 5", "copy", n, n,
      [=]() -> floats { return sn::minimum((*x * 2 + 1) * *x - 0.5, 4); },
      [=](float* to) { by_hand::chain(x.data(), to, n); });
}

workload chain_of_two(const sizes& s, std::uint64_t seed) {
  const auto n = s.elements;
  const input x(n, seed), y(n, seed + 1);
  return make_workload(
      "5, two arrays", "triad", 2 * n, n,
      [=]() -> floats { return sn::maximum((*x * 2 + *y) * *x - *y, 0); },
      [=](float* to) { by_hand::chain_of_two(x.data(), y.data(), to, n); });
}

workload long_chain(const sizes& s, std::uint64_t seed) {
  const auto n = s.elements;
  const input x(n, seed, -0.75, 0.25);
  const auto make = [=]() -> floats {
    auto a = *x * *x + *x;
    auto b = a * a + a;
    auto c = b * b + b;
    auto d = c * c + c;
    auto e = d * d + d;
    return e * e + e;
  };
  return make_workload("6 (x * x + x)", "copy", n, n, make,
                       [=](float* to) { by_hand::long_chain(x.data(), to, n); });
}

workload softplus(const sizes& s, std::uint64_t seed) {
  const auto n = s.elements;
  const input x(n, seed);
  return make_workload(
      "softplus", "copy", n, n,
      [=]() -> floats { return sn::maximum(*x, 0) + sn::log1p(sn::exp(-sn::abs(*x))); },
      [=](float* to) { by_hand::softplus(x.data(), to, n); });
}

workload black_scholes(const sizes& s, std::uint64_t seed) {
  const auto n = s.elements;
  const input spot(n, seed, 10, 50), strike(n, seed + 1, 10, 50), years(n, seed + 2, 0.25, 2);
  return make_workload(
      "black_scholes", "triad", 3 * n, n,
      [=] { return call_price(*spot, *strike, *years, 0.02f, 0.3f); },
      [=](float* to) {
        by_hand::black_scholes(spot.data(), strike.data(), years.data(), to, 0.02f, 0.3f, n);
      });
}

workload sum(const sizes& s, std::uint64_t seed) {
  const auto n = s.elements;
  const input x(n, seed, 0, 1);
  return make_workload(
      "sum", "sum", n, 1, [=] { return sn::sum(*x); },
      [=](float* to) { *to = static_cast<float>(by_hand::sum(x.data(), n)); });
}

workload row_softmax(const sizes& s, std::uint64_t seed) {
  const auto side = s.side, n = side * side;
  const input x({side, side}, seed);
  const auto make = [=]() -> floats {
    const auto e = sn::exp(*x - sn::max(*x, {.axis = 1, .keepdims = true}));
    return e / sn::sum(e, {.axis = 1, .keepdims = true});
  };
  return make_workload("row softmax", "copy", n, n, make,
                       [=](float* to) { by_hand::softmax(x.data(), to, side, side); });
}

workload row_variance(const sizes& s, std::uint64_t seed) {
  const auto side = s.side;
  const input x({side, side}, seed);
  return make_workload(
      "row variance", "sum", side * side, side, [=] { return sn::var(*x, {.axis = 1}); },
      [=](float* to) { by_hand::variance(x.data(), to, side, side); });
}

workload blur(const sizes& s, std::uint64_t seed) {
  const auto side = s.side;
  const input x({side, side}, seed);
  const auto make = [=]() -> floats {
    return sn::swapaxes(blur_rows(sn::swapaxes(blur_rows(*x), 0, 1)), 0, 1);
  };
  return make_workload("blur 5 x 5", "copy", side * side, (side - 4) * (side - 4), make,
                       [=](float* to) { by_hand::blur(x.data(), to, side, side); });
}

double difference(const workload& w) {
  if (w.expected->empty()) w.by_hand();
  const std::vector<float> got = w.make().to_host();
  double worst = 0;
  for (std::size_t i = 0; i < got.size(); ++i) {
    const double want = (*w.expected)[i];
    const double d = std::abs(got[i] - want) / std::max(1.0, std::abs(want));
    worst = d <= worst ? worst : d;  // propagates NaN
  }
  return worst;
}

}  // namespace bench
