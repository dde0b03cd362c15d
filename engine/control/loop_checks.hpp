#pragma once
// Checks on indices that a loop's body gathers by.
//
// Why: a kernel that runs a loop cannot stop midway, and a separate check for every round would be
// a kernel per round. So each element carries its first wrong index, which is checked after the
// loop.

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "engine/control/traced_loop.hpp"
#include "engine/evaluation/checks.hpp"

namespace sinter::detail {

/// A loop with one more carry for each such index.
struct checked_loop {
  traced_loop loop;
  std::size_t carries = 0;             // the number of original carries
  std::vector<const check*> checks = {};  // per further carry: its check

  void add(const check*, const any_array& bad, const any_array& word, shape_view own, location);

  /// Removes these words from the loop's outputs: the others carry the checks.
  void take_words(std::vector<any_array>& outputs, location where) const;
};

/// Nothing if an index has a shape that no carry can hold; `why` then explains.
std::optional<checked_loop> with_fault_words(const traced_loop&, std::string& why, location where);

/// Does the condition gather elements? These may be read only in a round that takes place.
bool condition_picks(const traced_loop&);
/// So the last carry tells whether there is another round: `first` is the condition on the initial
/// carries, `next` that on the results of a round.
traced_loop turned(const traced_loop&, const any_array& first, const any_array& next,
                   location where);

}  // namespace sinter::detail
