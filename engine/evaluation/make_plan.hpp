#pragma once
// From a snapshot to a plan with compiled kernels.

#include <memory>

#include "engine/evaluation/plan_cache.hpp"

namespace sinter::detail {

class session;
struct snapshot;
struct target;

/// The snapshot's graph, planned for the target. Dumps show its passes. Throws
/// codegen::compile_error, runtime::device_error.
std::shared_ptr<const planned> make_plan(session&, target&, const snapshot&);

}  // namespace sinter::detail
