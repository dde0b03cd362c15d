#pragma once
// Checks graph after graph, until the time is up.

#include <iosfwd>
#include <optional>
#include <string>

#include "tests/fuzz/execute.hpp"
#include "tests/fuzz/trial.hpp"

namespace sinter::fuzz {

struct campaign_options {
  double seconds = 10;
  std::int64_t graphs = 1'000'000'000;
  std::uint64_t seed = 1;
  std::int64_t first = 0;        // number of the first graph
  bool operations = false;       // single ops in turn instead of random graphs
  double compiled_share = 0.6;   // of the time, for the compiled ways
  double shrink_seconds = 60;
  bool interpreted = true, simulated = false, compiled = true, cuda = true;
  std::string last_graph;        // file with the graph being run; empty: none
};

struct finding {
  std::int64_t number = 0;  // of the graph
  failure wrong;
  trial found, small;
};

struct campaign_report {
  std::int64_t graphs = 0, nodes = 0, compiled_graphs = 0;
  double seconds = 0;
  std::int64_t slowest = 0;  // number of the graph that took longest
  double slowest_seconds = 0;
  std::optional<finding> first_failure;
};

/// Stops at the first failing graph, and shrinks it.
campaign_report run_campaign(executor&, const campaign_options&);

/// A full description of a failure, which the parser reads too.
std::string text_of(const finding&, std::uint64_t seed);

/// The trial with this number.
trial make_trial(std::uint64_t seed, std::int64_t number);

}  // namespace sinter::fuzz
