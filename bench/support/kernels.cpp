#include "bench/support/kernels.hpp"

#include <stdexcept>

#include "engine/nodes/node.hpp"

namespace bench {

namespace detail = sinter::detail;
namespace ir = sinter::ir;

std::shared_ptr<const detail::ready_plan> plan_of(const sinter::any_array& x) {
  detail::evaluate_all(&x, 1, sinter::location::current());
  if (!x.get()->plan) throw std::logic_error("an array that no plan computed");
  return x.get()->plan;
}

bare_launch launch_of(const sinter::any_array& x, std::vector<sinter::any_array> buffers) {
  const auto ready = plan_of(x);
  const ir::plan& plan = ready->of->plan;
  if (plan.steps.size() != 1 || plan.kernels.size() != 1) {
    throw std::logic_error("a statement of more than one kernel");
  }
  const ir::plan_step& step = plan.steps[0];
  const detail::ready_kernel& kernel = *ready->of->kernels[0];
  std::vector<std::uint64_t> slots;
  std::size_t next = 0;
  for (std::size_t i = 0; i < step.slots.size(); ++i) {
    if (step.slots[i].what != ir::slot_value::from::pointer) {
      slots.push_back(ready->slots[i]);  // scalars are 0, at the same cost
      continue;
    }
    const detail::node& buffer = *buffers.at(next++).get();
    slots.push_back(reinterpret_cast<std::uintptr_t>(buffer.buffer->data()));
  }
  return {*x.get()->device,
          kernel.code,
          {ready->blocks[0], kernel.threads, "bare", ""},
          std::move(slots),
          std::move(buffers)};
}

}  // namespace bench
