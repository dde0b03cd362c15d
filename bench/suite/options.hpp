#pragma once
// The command-line options, and the workloads they select.

#include "bench/suite/workload.hpp"
#include "bench/support/bench.hpp"

namespace suite {

struct settings {
  bench::options o;
  std::vector<std::string> only, exclude;
  bool list = false;
  bool check = false;  // compare results, time nothing
  double budget = 0;   // seconds; 0: no limit
  bool gpu = false;
};

/// Exits with a message for unknown words.
settings parse(int count, char** arguments);

/// The selected workloads.
std::vector<workload> chosen(const settings& s);

struct job {
  const workload* w;
  const size* at;
};

/// Pointers into `all`.
std::vector<job> jobs_of(const std::vector<workload>& all, const settings& s);

/// Prints what would run, for programs that measure peers on the same workloads.
void list(const std::vector<job>& jobs);

}  // namespace suite
