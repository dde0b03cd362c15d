#pragma once
// What a recorded evaluation has to check each time it is run again: its index arrays are others
// then, and so are the matrices of its calls.

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "engine/evaluation/checks.hpp"

namespace sinter::detail {

/// The checks of an evaluation, by where their statuses come from.
struct replayed_checks {
  struct one {
    std::shared_ptr<const check> like;  // but for the status,
    std::int32_t gather = -1;           // which is the word of this gather
    std::int32_t output = -1;           // or this output
  };
  /// Of an output: what it carries of the sources, and of the evaluation itself.
  struct carried {
    std::vector<std::int32_t> sources, checks;
  };
  std::vector<one> checks;
  std::vector<carried> outputs;  // of the snapshot, in order
};

/// What it says, without a status: a recording keeps no memory of the run it was made of.
std::shared_ptr<check> copy_of(const check&);

/// Nothing if a check of the snapshot has its status from elsewhere. REQUIRES: the evaluation lock;
/// the snapshot has not run yet.
std::optional<replayed_checks> checks_to_replay(const snapshot&, same_checks);

/// Another run of the evaluation.
struct replayed_run {
  std::span<node* const> sources;
  std::span<const std::pair<std::int32_t, std::shared_ptr<runtime::buffer>>> words;  // by gather
  std::span<const std::shared_ptr<runtime::buffer>> outputs;
  std::span<const any_array> like;  // by output: its dtype and shape
};

/// What each output of that run carries. REQUIRES: the evaluation lock.
std::vector<check_list> replay_checks(const replayed_checks&, const replayed_run&,
                                      runtime::device&);

}  // namespace sinter::detail
