#include "engine/calls/kept_call.hpp"

namespace sinter::detail {

void kept_call::set(call_function run, const call_site& c) {
  run_ = run;
  device_ = &c.device;
  step_ = &c.step;
  said_ = &c.said;
  inputs_.assign(c.inputs.begin(), c.inputs.end());
  outputs_.assign(c.outputs.begin(), c.outputs.end());
  input_buffers_.assign(c.input_buffers.begin(), c.input_buffers.end());
  output_buffers_.assign(c.output_buffers.begin(), c.output_buffers.end());
  scalars_.assign(c.scalars.begin(), c.scalars.end());
  words_.assign(c.scalars.begin(), c.scalars.end());
  for (const auto& list : {c.inputs, c.outputs}) {
    for (void* p : list) words_.push_back(reinterpret_cast<std::uintptr_t>(p));
  }
  for (const ir::shape_t& shape : c.step.shapes) {
    for (const ir::extent n : shape) words_.push_back(static_cast<std::uint64_t>(n.peek()));
  }
  for (const ir::extent a : c.step.attributes) {
    words_.push_back(static_cast<std::uint64_t>(a.peek()));
  }
}

void kept_call::queue() const {
  run_({*device_, *step_, inputs_, outputs_, input_buffers_, output_buffers_, scalars_, *said_});
}

}  // namespace sinter::detail
