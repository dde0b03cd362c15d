#pragma once
// How long a program takes: on the device, and on the host that feeds it.

#include "bench/suite/workload.hpp"

namespace suite {

/// Microseconds for a call.
struct timing {
  double device = 0;  // the median over batches of calls back to back
  double least = 0;   // of the fastest batch
  double host = 0;    // to queue a call, without waiting
  int batches = 0, calls = 0;
};

struct patience {
  double batch = 4e-3, total = 0.08;  // seconds
  int most_runs = 0;                  // batches of one long call; 0: no limit
};

/// REQUIRES: the program has run before.
timing measure(const program& p, const patience& limits);

/// Device seconds from the first call to the last of `calls`.
double device_seconds(const std::function<void()>& f, int calls);

}  // namespace suite
