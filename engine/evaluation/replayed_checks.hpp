#pragma once
// What a recorded evaluation must check every time it is replayed: its index arrays are then
// different, and so are the matrices of its calls.

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "engine/evaluation/checks.hpp"

namespace sinter::detail {

/// The checks of an evaluation, by the origin of their statuses.
struct replayed_checks {
  struct one {
    std::shared_ptr<const check> like;  // except for the status,
    std::int32_t gather = -1;           // which is the word of this gather
    std::int32_t output = -1;           // or this output
  };
  /// The checks an output carries from the sources, and from the evaluation itself.
  struct carried {
    std::vector<std::int32_t> sources, checks;
  };
  std::vector<one> checks;
  std::vector<carried> outputs;  // of the snapshot, in order
};

/// A copy without the status: a recording keeps no memory of the run it was made from.
std::shared_ptr<check> copy_of(const check&);

/// Nothing if a check of the snapshot has a status from outside. REQUIRES: the evaluation lock; the
/// snapshot has not run yet.
std::optional<replayed_checks> checks_to_replay(const snapshot&, same_checks);

/// Another run of the evaluation.
struct replayed_run {
  std::span<node* const> sources;
  std::span<const std::pair<std::int32_t, std::shared_ptr<runtime::buffer>>> words;  // per gather
  std::span<const std::shared_ptr<runtime::buffer>> outputs;
  std::span<const any_array> like;  // per output: its dtype and shape
};

/// The checks each output of that run carries. REQUIRES: the evaluation lock.
std::vector<check_list> replay_checks(const replayed_checks&, const replayed_run&,
                                      runtime::device&);

}  // namespace sinter::detail
