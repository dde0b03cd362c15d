#pragma once
// Random programs of the public language, for features without a graph node: histograms, sets,
// nested loops, functions over slices. Operations give the same bits fused and unfused; what is
// pending at the end is a graph, which is run in every available way.

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include <sinter/sinter.hpp>

#include "tests/fuzz/choices.hpp"
#include "tests/fuzz/execute.hpp"

namespace sinter::fuzz {

struct program_result {
  std::vector<std::string> steps;  // one line each, to be printed
  std::vector<any_array> values;   // pending, unless a step read them
  std::vector<std::pair<std::size_t, std::size_t>> same;  // values that must be equal
};

/// Records a program, and evaluates what is not deferred. A tape determines the program.
program_result make_program(choices&);

struct program_report {
  std::int64_t programs = 0, steps = 0, refused = 0;
  std::int64_t looped = 0;  // functions over slices compared with loops
  double seconds = 0;
  std::string first_failure;  // with the steps of a small program; empty: none
  std::int64_t failed = 0;    // its number
};

/// The failure of a tape's program, if any; counts it.
std::optional<std::string> check_program(executor&, const tape&, program_report&);

/// Programs first, first + 1, ...; stops at the first failure, and shrinks it.
program_report run_programs(executor&, std::uint64_t seed, std::int64_t first, std::int64_t count,
                            double seconds);

}  // namespace sinter::fuzz
