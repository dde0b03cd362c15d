#include "engine/evaluation/finish_product.hpp"

#include <stdexcept>

#include "engine/evaluation/session.hpp"
#include "ir/passes/pipeline.hpp"

namespace sinter::detail {
namespace {

constexpr std::size_t most_kept = 64;

finishing_plan make(const call_site& c, const ir::matmul_form& f, target& t) {
  const ir::trace::pause unseen;
  const ir::graph g = ir::epilogue_graph(f, c.input_type(0), c.output_type(0));
  finishing_plan out;
  for (const ir::node& n : g.nodes) {
    if (n.kind == ir::node_kind::scalar) out.scalars.push_back({n.value[0], n.value[1]});
  }
  ir::plan plan = ir::make_plan(g, t.machine);
  for (const ir::plan_buffer& b : plan.buffers) {
    if (b.what != ir::plan_buffer::role::source && b.what != ir::plan_buffer::role::output) {
      throw std::logic_error("an epilogue is one kernel, and needs no room");
    }
  }
  auto kernels = t.kernels->get(plan.kernels);
  std::vector<std::int64_t> values;
  out.plan =
      size_plan(std::make_shared<const planned>(std::move(plan), ir::recipe{}, std::move(kernels)),
                {}, values);
  return out;
}

/// Plans are kept by form, types and device.
const finishing_plan& plan_of(const call_site& c, const ir::matmul_form& f) {
  session& s = the_session();
  const auto id = c.device.id();
  std::vector<std::int64_t> key = ir::dense_attributes_of(f);
  for (const ir::extent e : {f.m, f.n, f.batch}) key.push_back(e.peek());
  for (const auto e :
       {static_cast<std::int64_t>(c.input_type(0)), static_cast<std::int64_t>(c.output_type(0)),
        static_cast<std::int64_t>(id.kind), std::int64_t{id.index}}) {
    key.push_back(e);
  }
  auto& kept = s.room.finishing;
  if (kept.size() >= most_kept && !kept.contains(key)) kept.clear();
  finishing_plan& ready = kept[std::move(key)];
  if (!ready.plan) ready = make(c, f, s.target_of(c.device));
  return ready;
}

/// The address of a plan's buffer: the sums, the result, or one of the call's inputs after its
/// operands.
void* address(const call_site& c, const ir::plan_buffer& b, void* sums) {
  if (b.what == ir::plan_buffer::role::output) return c.outputs[0];
  return b.index == 0 ? sums : c.inputs[static_cast<std::size_t>(b.index) + 1];
}

}  // namespace

void finish_product(const call_site& c, const ir::matmul_form& f, void* sums) {
  const finishing_plan& ready = plan_of(c, f);
  const planned& of = *ready.plan->of;
  std::vector<std::uint64_t> slots = ready.plan->slots;
  const std::size_t given = c.scalars.size() / 2;  // the others are constants
  fill_slots(
      slots, of.patches,
      [&](std::int32_t b) {
        const ir::plan_buffer& buffer = of.plan.buffers[static_cast<std::size_t>(b)];
        return reinterpret_cast<std::uintptr_t>(address(c, buffer, sums));
      },
      [&](std::int32_t s) {
        const auto index = static_cast<std::size_t>(s);
        return index < given ? &c.scalars[2 * index] : ready.scalars[index].data();
      });
  for (std::size_t i = 0; i < of.plan.steps.size(); ++i) {
    const ir::plan_step& s = of.plan.steps[i];
    const auto& k = *of.kernels[static_cast<std::size_t>(s.kernel)];
    const ir::kernel& text = of.plan.kernels[static_cast<std::size_t>(s.kernel)];
    const auto blocks = ready.plan->blocks[i], grain = ready.plan->grains[i];
    const int threads = ready.plan->threads_of(i, k);
    c.device.launch(*k.code, {blocks, threads, text.name.c_str(), "", grain},
                    {slots.data() + of.first_slot[i], s.slots.size()});
  }
}

}  // namespace sinter::detail
