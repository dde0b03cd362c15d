#pragma once
// What is asked for on the command line, and what that means.

#include "bench/suite/workload.hpp"
#include "bench/support/bench.hpp"

namespace suite {

struct settings {
  bench::options o;
  std::vector<std::string> only, exclude;
  bool list = false;
  bool check = false;  // results alone, nothing is timed
  double budget = 0;   // seconds; 0: no limit
  bool gpu = false;
};

/// Exits with a message for words it does not know.
settings parse(int count, char** arguments);

/// The workloads that are asked for.
std::vector<workload> chosen(const settings& s);

struct job {
  const workload* w;
  const size* at;
};

/// Pointers into `all`.
std::vector<job> jobs_of(const std::vector<workload>& all, const settings& s);

/// Prints what would run, for programs that measure others on the same.
void list(const std::vector<job>& jobs);

}  // namespace suite
