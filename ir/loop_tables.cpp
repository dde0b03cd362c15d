#include "ir/loop_tables.hpp"

#include <algorithm>

namespace sinter::ir {

std::vector<int> writes_before(const node& n) {
  const std::size_t inputs = n.program.inputs.size(), first_read = inputs - n.loop.reads.size();
  const std::size_t first_slice = inputs - n.loop.by.size();
  std::vector<int> before(inputs + n.program.code.size());
  // Indices and values depend on each other: each iteration reaches one slice further.
  for (std::size_t turn = 0; turn <= n.loop.reads.size(); ++turn) {
    const std::vector<int> last = before;
    for (std::size_t v = first_slice; v < inputs; ++v) {
      const int least = v < first_read ? 0 : n.loop.reads[v - first_read].after;
      before[v] = std::max(least, before[static_cast<std::size_t>(n.loop.by[v - first_slice])]);
    }
    for (std::size_t i = 0; i < n.program.code.size(); ++i) {
      const instruction& x = n.program.code[i];
      for (int k = 0; k < arity(x); ++k) {
        int& at = before[inputs + i];
        at = std::max(at, before[static_cast<std::size_t>(x.args[k])]);
      }
    }
    if (before == last) break;
  }
  return before;
}

}  // namespace sinter::ir
