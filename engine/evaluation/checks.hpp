#pragma once
// Deferred checks: what is only known once work has run (a matrix is singular) and must not stall
// anybody before. An array carries the checks of everything it was computed from; who makes its
// value visible on the host verifies them first.
//
// The status a check reads is an array like any other. It must not be computed from an array that
// carries the check; a call's status is its output 0, and its other outputs carry the check.

#include <atomic>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "engine/nodes/node.hpp"

namespace sinter::detail {

struct check {
  any_array status;  // int32, or int64 as two words; any shape; all zero: nothing is wrong. Of a
                     // gather: no array until its indices have been seen; changes under the
                     // evaluation lock
  /// Throws what the words mean; called when one is not zero.
  void (*raise)(std::span<const std::int32_t> words, const check&);
  std::string op;         // "cholesky"
  location where;         // of the call that is wrong
  std::int64_t size = 0;  // whatever `raise` wants to know
  std::vector<std::int64_t> shape = {};
  std::atomic<bool> good{false};
  std::int32_t number = -1;  // while sets of checks are made: its bit; under the evaluation lock
};

using check_list = std::vector<std::shared_ptr<check>>;

/// REQUIRES: x has been recorded by the caller, and nobody else has it yet.
void attach(const any_array& x, const std::shared_ptr<check>&);

/// Throws what a check of x found, every time it is asked. A check that holds is forgotten. Waits
/// for the statuses: call it after x itself has been waited for.
void verify_checks(const any_array& x);

/// A gather's indices have been seen by a kernel. REQUIRES: the evaluation lock.
void found_status(node& gather, std::shared_ptr<runtime::buffer> word, runtime::device&);

struct snapshot;

/// Gathers of a snapshot, by number, and those whose status is theirs, too (ir::plan::same_checks).
using same_checks = std::span<const std::pair<std::int32_t, std::int32_t>>;

/// What each output of a snapshot will carry, in order; empty when there is nothing to carry. Of
/// checks that are the same one is carried. REQUIRES: the evaluation lock.
std::vector<check_list> inherited_checks(const snapshot&, same_checks);

/// Adds those that are not known to hold, each once.
void add_checks(check_list& to, const check_list& from);

/// Looks at the statuses of an array that has very many checks (a loop adds some each round, and
/// all that a value was computed from go with it): what holds is forgotten, and of what does not
/// hold one is enough. Waits for the device then, throws nothing that a check found.
void shorten_checks(const any_array& x);

/// `to` carries what `from` carries, too.
void inherit_checks(const any_array& to, const any_array& from);

/// Gives a node its checks, in place of those it had. REQUIRES: the evaluation lock.
void carry(node&, check_list);

}  // namespace sinter::detail
