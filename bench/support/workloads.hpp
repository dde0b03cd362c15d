#pragma once
// The computations that are compared: in sinter, and as hand-written loops.

#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include <sinter/array.hpp>

#include "bench/support/host_floats.hpp"

namespace bench {

struct workload {
  std::string name;
  std::string ceiling;                         // moves as many arrays: copy, triad or sum
  std::int64_t bytes = 0;                      // of the inputs and the result, each moved once
  std::function<sinter::array<float>()> make;  // a lazy result, recorded anew in every call
  std::function<void()> by_hand;               // fills `expected`
  std::shared_ptr<host_floats> expected;
};

struct sizes {
  std::int64_t elements;  // of the elementwise workloads
  std::int64_t side;      // of the matrices
};

/// Makes a workload over new random numbers on the current device; the first call of `by_hand`
/// makes host copies.
using workload_maker = std::function<workload(const sizes&, std::uint64_t seed)>;

workload saxpy(const sizes&, std::uint64_t seed);
workload chain(const sizes&, std::uint64_t seed);
workload chain_of_two(const sizes&, std::uint64_t seed);
workload long_chain(const sizes&, std::uint64_t seed);
workload softplus(const sizes&, std::uint64_t seed);
workload black_scholes(const sizes&, std::uint64_t seed);
workload sum(const sizes&, std::uint64_t seed);
workload row_softmax(const sizes&, std::uint64_t seed);
workload row_variance(const sizes&, std::uint64_t seed);
workload blur(const sizes&, std::uint64_t seed);

/// The largest difference from the result of `by_hand`, relative for values above 1. Evaluates.
double difference(const workload& w);

}  // namespace bench
