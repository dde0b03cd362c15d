// A million European options priced by Black and Scholes' formula: thirty-odd operations, one
// kernel.

#include <cstdio>
#include <iostream>
#include <utility>

#include <sinter/sinter.hpp>

namespace sn = sinter;
using floats = sn::array<float>;

/// The standard normal distribution function.
floats phi(const floats& x) {
  return 0.5 * sn::erfc(-x / 1.4142135623730951);
}

/// {calls, puts} on stocks at `spot`: strike, years to expiry, interest rate and volatility.
std::pair<floats, floats> price(const floats& spot, const floats& strike, const floats& years,
                                float rate, float volatility) {
  const floats spread = volatility * sn::sqrt(years);
  const floats d1 =
      (sn::log(spot / strike) + (rate + 0.5f * volatility * volatility) * years) / spread;
  const floats d2 = d1 - spread;
  const floats discounted = strike * sn::exp(-rate * years);
  return {spot * phi(d1) - discounted * phi(d2), discounted * phi(-d2) - spot * phi(-d1)};
}

int main() {
  // Hull, "Options, Futures, and Other Derivatives": the call is worth 4.76 and the put 0.81.
  const auto [call, put] = price({42}, {40}, {0.5f}, 0.10f, 0.20f);
  std::printf("Hull's example: call %.2f, put %.2f\n", call.item(), put.item());

  const sn::int_list million{1'000'000};
  const auto spot = sn::random::uniform<float>(million, {.seed = 1, .low = 10, .high = 50});
  const auto strike = sn::random::uniform<float>(million, {.seed = 2, .low = 10, .high = 50});
  const auto years = sn::random::uniform<float>(million, {.seed = 3, .low = 0.25, .high = 2});
  sn::eval(spot, strike, years);

  const auto before = sn::session_statistics();
  const auto [calls, puts] = price(spot, strike, years, 0.02f, 0.30f);
  sn::eval(calls, puts);
  const auto after = sn::session_statistics();
  std::printf("1,000,000 calls and puts: %lld launch\n",
              static_cast<long long>(after.launches - before.launches));
  std::cout << "calls " << calls << "\nputs  " << puts << '\n';

  // A call less its put is a forward contract, whatever the model.
  const auto parity = calls - puts - (spot - strike * sn::exp(-0.02f * years));
  std::printf("largest violation of put-call parity: %.2g\n", sn::max(sn::abs(parity)).item());
}
