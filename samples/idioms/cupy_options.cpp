// European options by formula and by simulation, after the finance examples in CuPy's repository.

#include <numbers>
#include <utility>

#include <sinter/sinter.hpp>

#include "samples/idioms/expect.hpp"

namespace sn = sinter;
using doubles = sn::array<double>;

namespace {

// A cp.ElementwiseKernel of 30 lines there.
doubles cumulative_normal(const doubles& d) { return 0.5 * sn::erfc(-d / std::numbers::sqrt2); }

// sqrt_t = xp.sqrt(t)
// d1 = (xp.log(s / x) + (r + v * v / 2) * t) / (v * sqrt_t)
// d2 = d1 - v * sqrt_t
// exp_rt = xp.exp(-r * t)
// call = s * cnd(d1) - x * exp_rt * cnd(d2); put = x * exp_rt * cnd(-d2) - s * cnd(-d1)
std::pair<doubles, doubles> black_scholes(const doubles& s, const doubles& x, const doubles& t,
                                          double r, double v) {
  const doubles root = v * sn::sqrt(t);
  const doubles d1 = (sn::log(s / x) + (r + v * v / 2) * t) / root, d2 = d1 - root;
  const doubles paid = x * sn::exp(-r * t);
  return {s * cumulative_normal(d1) - paid * cumulative_normal(d2),
          paid * cumulative_normal(-d2) - s * cumulative_normal(-d1)};
}

// One option by n final prices: exp, payoff, mean and deviation in one kernel, the random numbers
// drawn where they are used.
// z = cp.random.standard_normal(n)
// payoff = cp.maximum(s * cp.exp((r - v * v / 2) * t + v * cp.sqrt(t) * z) - x, 0)
// price = cp.exp(-r * t) * payoff.mean()
std::pair<double, double> simulated(double s, double x, double t, double r, double v,
                                    std::int64_t n) {
  const auto z = sn::random::normal<double>({n}, {.seed = 1});
  const doubles payoff =
      sn::maximum(s * sn::exp((r - v * v / 2) * t + v * std::sqrt(t) * z) - x, 0) *
      std::exp(-r * t);
  const auto mean = sn::mean(payoff), deviation = sn::stddev(payoff);
  sn::eval(mean, deviation);
  return {mean.item(), deviation.item() / std::sqrt(static_cast<double>(n))};
}

}  // namespace

int main() {
  expectations expect;
  // Hull, "Options, Futures, and Other Derivatives": 4.76 and 0.81.
  const auto [call, put] = black_scholes({42, 42}, {40, 50}, {0.5, 0.5}, 0.1, 0.2);
  expect("call of Hull's example", call(0).item(), 4.759422);
  expect("put of Hull's example", put(0).item(), 0.808599);
  const auto [price, error] = simulated(42, 40, 0.5, 0.1, 0.2, 1'000'000);
  expect("the call by a million paths", price, 4.759422, 4 * error);
  const auto before = sn::session_statistics();
  expect("twice the same: the seed decides", simulated(42, 40, 0.5, 0.1, 0.2, 1'000'000).first,
         price, 0);
  expect("nothing is compiled for it",
         static_cast<double>(sn::session_statistics().compiles - before.compiles), 0);
  return expect.result();
}
