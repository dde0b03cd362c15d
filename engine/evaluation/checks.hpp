#pragma once
// Deferred checks: conditions that are known only after work has run (a matrix is singular) and
// must not stall anything before. An array carries the checks of everything it was computed from;
// they are verified before its value becomes visible on the host.
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
  any_array status;  // int32, or int64 as two words; any shape; all zero: nothing is wrong. For a
                     // gather: no array until its indices have been checked; changes under the
                     // evaluation lock
  /// Throws the error the words describe; called if one is not zero.
  void (*raise)(std::span<const std::int32_t> words, const check&);
  std::string op;         // "cholesky"
  location where;         // of the call that failed
  std::int64_t size = 0;  // data for `raise`
  std::vector<std::int64_t> shape = {};
  std::atomic<bool> good{false};
  std::int32_t number = -1;  // its bit while sets of checks are made; under the evaluation lock
};

using check_list = std::vector<std::shared_ptr<check>>;

/// REQUIRES: the caller has just recorded x, and nothing else holds it yet.
void attach(const any_array& x, const std::shared_ptr<check>&);

/// Throws what a check of x found, every time it is called. A check that holds is dropped. Waits
/// for the statuses: call it after x itself has been waited for.
void verify_checks(const any_array& x);

/// A kernel has checked a gather's indices. REQUIRES: the evaluation lock.
void found_status(node& gather, std::shared_ptr<runtime::buffer> word, runtime::device&);

struct snapshot;

/// Gathers of a snapshot, by number, and the ones whose status they share (ir::plan::same_checks).
using same_checks = std::span<const std::pair<std::int32_t, std::int32_t>>;

/// The checks each output of a snapshot will carry, in order; empty if there are none. Of
/// equivalent checks one is carried. REQUIRES: the evaluation lock.
std::vector<check_list> inherited_checks(const snapshot&, same_checks);

/// Adds those not known to hold, each once.
void add_checks(check_list& to, const check_list& from);

/// Reads the statuses of an array with very many checks (a loop adds some each round, and a value
/// carries those of everything it was computed from): checks that hold are dropped, and of those
/// that fail one is enough. May wait for the device; throws nothing that a check found.
void shorten_checks(const any_array& x);

/// `to` also carries the checks of `from`.
void inherit_checks(const any_array& to, const any_array& from);

/// Replaces a node's checks. REQUIRES: the evaluation lock.
void carry(node&, check_list);

}  // namespace sinter::detail
