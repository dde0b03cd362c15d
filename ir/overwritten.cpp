#include "ir/graph.hpp"

namespace sinter::ir {
namespace {

struct row {
  std::string_view routine;
  int output, input;
};

// LAPACK works in place.
constexpr row rows[] = {
    {"potrf", 1, 0}, {"getrf", 1, 0}, {"geqrf", 1, 0}, {"orgqr", 1, 0},
    {"getri", 1, 0},
    {"syevd", 2, 0}, {"getrs", 0, 2}, {"trsm", 0, 1},
};

}  // namespace

node_id held_by(const graph& g, node_id n) {
  while (is_barrier(g[n])) n = g[n].inputs[0];
  return n;
}

int overwritten_input(std::string_view routine, int output) {
  for (const row& r : rows) {
    if (r.routine == routine && r.output == output) return r.input;
  }
  return -1;
}

}  // namespace sinter::ir
