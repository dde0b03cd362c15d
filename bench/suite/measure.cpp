#include "bench/suite/measure.hpp"

#include <algorithm>
#include <cmath>

#include "bench/support/bench.hpp"

namespace suite {

double device_seconds(const std::function<void()>& f, int calls) {
  sn::synchronize();
  const sn::timer timer;
  for (int i = 0; i < calls; ++i) f();
  return timer.seconds();
}

namespace {

double one_call(const program& p) {
  if (p.prepare) p.prepare();
  return device_seconds(p.call, 1);
}

/// Seconds to queue a call. With few enough calls that the device's queue does not fill up;
/// otherwise the host would wait for the device.
double queueing(const program& p, double device) {
  const int calls = device < 2e-4 ? 200 : std::clamp(static_cast<int>(2e-2 / device), 3, 20);
  double least = 1e30;
  for (int round = 0; round < 3; ++round) {
    sn::synchronize();
    const double start = bench::now();
    for (int i = 0; i < calls; ++i) p.call();
    least = std::min(least, (bench::now() - start) / calls);
  }
  sn::synchronize();
  return least;
}

}  // namespace

timing measure(const program& p, const patience& limits) {
  double about = one_call(p);
  if (about < 0.1) {
    for (int i = 0; i < 3; ++i) one_call(p);  // allocations and plans settle
    about = one_call(p);
  }
  timing t;
  t.calls = p.prepare ? 1 : std::clamp(static_cast<int>(limits.batch / about), 1, 1000);
  t.batches = std::clamp(static_cast<int>(limits.total / (t.calls * about)), 3, limits.batches);
  if (about > 0.25) t.batches = about > 1 ? 1 : 2;
  if (limits.most_runs && about > 1e-3) t.batches = std::min(t.batches, limits.most_runs);
  std::vector<double> seconds;
  for (int i = 0; i < t.batches; ++i) {
    if (p.prepare) p.prepare();
    seconds.push_back(device_seconds(p.call, t.calls) / t.calls);
  }
  t.device = 1e6 * bench::median(seconds);
  t.least = 1e6 * *std::min_element(seconds.begin(), seconds.end());
  const bool long_or_changing = p.prepare || t.device > 2e4;
  t.host = long_or_changing ? t.device : 1e6 * queueing(p, 1e-6 * t.device);
  return t;
}

}  // namespace suite
