// Random programs of the public language: determined by the tape, and reports of broken ones.
#include "tests/fuzz/program.hpp"

#include "tests/catch.hpp"

namespace programs_test {

using namespace sinter;
using namespace sinter::fuzz;

TEST_CASE("a tape gives the program that it was recorded from") {
  for (std::uint64_t seed = 0; seed < 40; ++seed) {
    choices fresh(seed);
    const program_result made = make_program(fresh);
    choices again(fresh.taken());
    CHECK(make_program(again).steps == made.steps);
    CHECK(again.taken() == fresh.taken());
  }
}

TEST_CASE("programs of histograms, sets, loops and slices do what they do a kernel an op") {
  executor everywhere;
  const program_report r = run_programs(everywhere, 20240229, 0, 40, 300);
  INFO(r.first_failure);
  CHECK(r.first_failure == "");
  CHECK(r.programs == 40);
  CHECK(r.steps > 200);
  CHECK(r.looped > 10);
  CHECK(r.refused < r.steps / 10);
}

TEST_CASE("every kind of step turns up") {
  std::string all;
  for (std::uint64_t seed = 0; seed < 120; ++seed) {
    choices c(seed);
    for (const std::string& s : make_program(c).steps) all += s + "\n";
  }
  for (const char* what :
       {"histogram ->", "histogram at", "histogram weights", "histogram2d", "bincount",
        "unique_all", "union1d", "intersect1d ->", "intersect1d_indices", "setdiff1d",
        "setxor1d", "isin", "searchsorted", "digitize", "nonzero", "median", "topk", "vmap {",
        "run {", "fori", "while", "cond", "scan", "sort"}) {
    INFO(what);
    CHECK(all.find(what) != all.npos);
  }
}

}  // namespace programs_test
