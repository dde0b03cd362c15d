// The schedules to try for hot kernels: how many, which, and never with another reduction tree.
#include "ir/passes/neighbours.hpp"

#include <set>

#include "engine/evaluation/nominal_gpu.hpp"
#include "tests/catch.hpp"
#include "tests/support/tuned_programs.hpp"
#include "tests/unit/passes/texts.hpp"

namespace neighbours_test {

using namespace sinter::tests;
using namespace passes_tests;

namespace {

std::string names_of(const ir::kernel& k) {
  std::string text;
  for (const ir::neighbour& n : ir::neighbours(k)) text += (text.empty() ? "" : "; ") + n.name;
  return text;
}

std::string names_of(const std::string& graph, const ir::machine& m = gpu()) {
  const ir::plan p = plan_of(graph, m);
  REQUIRE(p.kernels.size() == 1);
  return names_of(p.kernels[0]);
}

std::string sum_of(const std::string& shape, const std::string& axis, const std::string& left) {
  return "%0 = source float32 " + shape + "\n%1 = reduce float32 [" + left + "] (%0) add over [" +
         axis + "]\nreturn %1\n";
}

void check_all(const std::vector<tuned_program>& programs, const ir::machine& m) {
  for (const tuned_program& p : programs) {
    for (const ir::kernel& k : planned_program(p, m).plan.kernels) {
      INFO(p.name << "\n" << ir::print(k));
      const auto list = ir::neighbours(k);
      CHECK(list.size() <= ir::most_neighbours);
      std::set<std::string> names;
      for (const ir::neighbour& n : list) {
        CHECK(names.insert(n.name).second);
        CHECK(n.name.find('\n') == std::string::npos);
        CHECK(ir::same_trees(k, n.schedule));
        CHECK_FALSE(n.schedule == k.schedule);
        ir::kernel changed = k;
        changed.schedule = n.schedule;
        CHECK_NOTHROW(ir::verify(changed));
        CHECK(ir::slots_of(changed) == ir::slots_of(k));
      }
    }
  }
}

}  // namespace

TEST_CASE("neighbours verify, have the kernel's slots and trees, and are few") {
  const auto cpu = sinter::use("cpu");
  const ir::machine gpu = sinter::detail::nominal_machine();
  ir::machine host;
  host.vector_bytes = 32;
  for (const ir::machine& m : {gpu, host}) {
    check_all(tuned_maps(), m);
    check_all(tuned_reductions(), m);
    check_all(tuned_scans(), m);
  }
}

TEST_CASE("neighbours of a map are blocks, vectors and vectors in flight") {
  const std::string map =
      "%0 = source float32 [100000]\n%1 = map float32 [100000] (%0) { v1 = exp float32 v0 }\n"
      "return %1\n";
  CHECK(names_of(map) == "threads 64; unroll 4; vector 2; threads 256; unroll 1");
  CHECK(names_of(map, {}) == "unroll 8; unroll 2; tile 16384; tile 1024");
}

TEST_CASE("neighbours of walked rows and of columns keep their walkers") {
  CHECK(names_of(sum_of("[5000, 1000]", "1", "5000")) ==
        "unroll 2; unroll 4; threads 256; crowd 8; crowd 12; crowd 16");
  CHECK(names_of(sum_of("[1000, 200000]", "0", "200000")) ==
        "unroll 8; unroll 2; unroll 1; vector 2; vector 2, unroll 8; crowd 4");
  CHECK(names_of(sum_of("[1000, 5000]", "1", "1000"), {}).empty());
}

TEST_CASE("trees are told apart") {
  ir::kernel rows = plan_of(sum_of("[5000, 1000]", "1", "5000"), gpu()).kernels[0];
  const auto moved = [](const ir::kernel& k, auto change) {
    ir::schedule s = k.schedule;
    change(s);
    return !ir::same_trees(k, s);
  };
  CHECK(moved(rows, [](ir::schedule& s) { s.row_threads *= 2; }));
  CHECK(moved(rows, [](ir::schedule& s) { s.vector /= 2; }));
  CHECK(moved(rows, [](ir::schedule& s) { s.resident = true; }));
  CHECK(moved(rows, [](ir::schedule& s) { s.split = true; }));
  CHECK(moved(rows, [](ir::schedule& s) { s.cluster = 2; }));
  CHECK_FALSE(moved(rows, [](ir::schedule& s) { s.unroll *= 2; }));
  rows.schedule.resident = true;
  CHECK(moved(rows, [](ir::schedule& s) { s.unroll *= 2; }));
  const ir::kernel columns = plan_of(sum_of("[1000, 200000]", "0", "200000"), gpu()).kernels[0];
  CHECK(moved(columns, [](ir::schedule& s) { s.row_threads /= 2; }));
  CHECK(moved(columns, [](ir::schedule& s) { s.threads *= 2; }));
  CHECK_FALSE(moved(columns, [](ir::schedule& s) { s.vector /= 2; }));
  const ir::kernel host = plan_of(sum_of("[1000, 5000]", "1", "1000")).kernels[0];
  CHECK(moved(host, [](ir::schedule& s) { s.unroll = 1; }));
}

}  // namespace neighbours_test
