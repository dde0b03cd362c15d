#pragma once
// Indices that a loop's body picks elements by and that may be out of range.
//
// Why: a kernel that runs a loop cannot stop in its midst, and a check of its own for every round
// would be a kernel for every round. So the first wrong index of an element is carried along, and
// looked at when the loop has ended.

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "engine/control/traced_loop.hpp"
#include "engine/evaluation/checks.hpp"

namespace sinter::detail {

/// A loop with a carry more for each such index.
struct checked_loop {
  traced_loop loop;
  std::size_t carries = 0;             // those that were there before
  std::vector<const check*> checks = {};  // what each further one is for

  void add(const check*, const any_array& bad, const any_array& word, shape_view own, location);

  /// Takes the words out of what the loop gave: the rest carries the checks.
  void take_words(std::vector<any_array>& outputs, location where) const;
};

/// Nothing if an index has a shape that the carries have no room for; then `why` says so.
std::optional<checked_loop> with_fault_words(const traced_loop&, std::string& why, location where);

/// Does the condition pick elements? Such are read only in a round that takes place.
bool condition_picks(const traced_loop&);
/// So a last carry tells whether there is another round: `first` is the condition of what the loop
/// begins with, `next` that of what a round gives.
traced_loop turned(const traced_loop&, const any_array& first, const any_array& next,
                   location where);

}  // namespace sinter::detail
