#pragma once
// Random programs of the public language, for what no node of a graph stands for: histograms, sets,
// nests of loops, functions over slices. What their operations give is the same bits fused and
// unfused; what is still pending at the end is a graph, which is run in every way there is.

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include <sinter/sinter.hpp>

#include "tests/fuzz/choices.hpp"
#include "tests/fuzz/execute.hpp"

namespace sinter::fuzz {

struct program_result {
  std::vector<std::string> steps;  // one each, for people
  std::vector<any_array> values;   // pending, unless a step had to look
  std::vector<std::pair<std::size_t, std::size_t>> same;  // values that have to be the same
};

/// Records a program, and evaluates what of it does not wait. The same tape gives the same.
program_result make_program(choices&);

struct program_report {
  std::int64_t programs = 0, steps = 0, refused = 0;
  std::int64_t looped = 0;  // functions over slices that were compared with loops
  double seconds = 0;
  std::string first_failure;  // with the steps of a small program; empty: none
  std::int64_t failed = 0;    // its number
};

/// What is wrong with the program of a tape; counts it.
std::optional<std::string> check_program(executor&, const tape&, program_report&);

/// Programs first, first + 1, ...; stops at one that fails, and shrinks it.
program_report run_programs(executor&, std::uint64_t seed, std::int64_t first, std::int64_t count,
                            double seconds);

}  // namespace sinter::fuzz
