#pragma once
// The time of a program on the device, and on the host that feeds it.

#include "bench/suite/workload.hpp"

namespace suite {

/// Microseconds per call.
struct timing {
  double device = 0;  // the median over batches of calls back to back
  double least = 0;   // of the fastest batch
  double host = 0;    // to queue a call, without waiting
  int batches = 0, calls = 0;
};

struct patience {
  double batch, total;  // seconds
  int batches;          // at most
  int most_runs = 0;    // of batches of one long call; 0: no limit

  void shorten() {
    batch /= 2;
    total /= 5;
  }
};

/// As long as its peers are measured: a GPU that reaches its power limit takes 12% longer for a
/// product than in its first tenth of a second.
inline constexpr patience on_gpu{4e-3, 0.06, 11}, on_cpu{4e-3, 0.15, 25};

/// REQUIRES: the program has run before.
timing measure(const program& p, const patience& limits);

/// Device seconds from the first to the last of `calls` calls.
double device_seconds(const std::function<void()>& f, int calls);

}  // namespace suite
