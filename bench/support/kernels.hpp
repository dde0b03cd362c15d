#pragma once
// The kernels that the engine generated for an array, as seen by the lower layers.

#include <memory>
#include <vector>

#include <sinter/array.hpp>

#include "engine/evaluation/session.hpp"

namespace bench {

/// The plan that computed x, which is evaluated first.
std::shared_ptr<const sinter::detail::ready_plan> plan_of(const sinter::any_array& x);

/// The arguments of a bare launch of a plan's only kernel. The pointers are those of `buffers`, in
/// order.
struct bare_launch {
  sinter::runtime::device& device;
  std::shared_ptr<sinter::runtime::loaded_kernel> code;
  sinter::runtime::launch_config config;
  std::vector<std::uint64_t> slots;
  std::vector<sinter::any_array> buffers;  // kept alive

  void operator()() const { device.launch(*code, config, slots); }
};

/// REQUIRES: one kernel computes x, and `buffers` are as large as the arrays it reads and writes.
bare_launch launch_of(const sinter::any_array& x, std::vector<sinter::any_array> buffers);

}  // namespace bench
