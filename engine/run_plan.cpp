#include "engine/run_plan.hpp"

#include "engine/calls.hpp"

namespace sinter::detail {

namespace {

class runner {
 public:
  runner(const ready_plan& p, const snapshot& s, runtime::device& d, status_words& words)
      : ready_(p),
        plan_(p.plan),
        snap_(s),
        device_(d),
        words_(words),
        buffers_(p.plan.buffers.size()) {}

  run_result run() {
    for (std::size_t i = 0; i < plan_.buffers.size(); ++i) memory(i);
    for (std::size_t i = 0; i < plan_.buffers.size(); ++i) {
      if (plan_.buffers[i].shares >= 0) buffers_[i] = at(plan_.buffers[i].shares);
    }
    for (std::size_t i = 0; i < plan_.steps.size(); ++i) {
      const ir::plan_step& s = plan_.steps[i];
      switch (s.what) {
        case ir::plan_step::kind::kernel:
          launch(s);
          break;
        case ir::plan_step::kind::copy:
          copy(s);
          break;
        case ir::plan_step::kind::call:
          call(s, ready_.calls[i]);
          break;
      }
    }
    for (std::int32_t o : plan_.outputs) result_.outputs.push_back(at(o));
    return std::move(result_);
  }

 private:
  const std::shared_ptr<runtime::buffer>& at(std::int32_t b) const {
    return buffers_[static_cast<std::size_t>(b)];
  }

  void memory(std::size_t i) {
    const ir::plan_buffer& b = plan_.buffers[i];
    if (b.shares >= 0) return;
    if (b.what == ir::plan_buffer::role::source) {
      buffers_[i] = snap_.sources[static_cast<std::size_t>(b.index)]->buffer;
      if (buffers_[i]->home() != device_.current_stream()) device_.use(*buffers_[i]);
    } else if (b.what == ir::plan_buffer::role::status) {
      buffers_[i] = words_.take(device_);
      result_.statuses.push_back({b.index, buffers_[i]});
    } else if (b.donor >= 0 && donated(b.donor)) {
      buffers_[i] = at(b.donor);
      device_.claim(*buffers_[i]);
    } else {
      buffers_[i] = device_.allocate(static_cast<std::size_t>(b.count) * size_of(b.type));
    }
  }

  bool donated(std::int32_t source) const {
    const auto& b = plan_.buffers[static_cast<std::size_t>(source)];
    return snap_.may_donate[static_cast<std::size_t>(b.index)];
  }

  void launch(const ir::plan_step& s) {
    slots_.clear();
    for (const ir::slot_value& v : s.slots) {
      switch (v.what) {
        case ir::slot_value::from::constant:
          slots_.push_back(v.bits);
          break;
        case ir::slot_value::from::scalar:
          slots_.push_back(scalar(v));
          break;
        case ir::slot_value::from::pointer:
          slots_.push_back(reinterpret_cast<std::uintptr_t>(at(v.index)->data()) + v.bits);
          break;
      }
    }
    const auto& k = *ready_.kernels[static_cast<std::size_t>(s.kernel)];
    const auto& ir = plan_.kernels[static_cast<std::size_t>(s.kernel)];
    const char* origin =
        s.origin >= 0 ? plan_.origins[static_cast<std::size_t>(s.origin)].c_str() : "";
    device_.launch(*k.code, {s.blocks, k.threads, ir.name.c_str(), origin}, slots_);
  }

  std::uint64_t scalar(const ir::slot_value& v) const {
    const std::uint64_t w =
        snap_.scalars[static_cast<std::size_t>(v.index)].bits[v.word] >> v.shift;
    return v.narrow ? w & 0xffffffffu : w;
  }

  void copy(const ir::plan_step& s) {
    const auto &to = at(s.outputs[0]), &from = at(s.inputs[0]);
    const auto& b = plan_.buffers[static_cast<std::size_t>(s.outputs[0])];
    if (to != from) {
      device_.copy(*to, 0, *from, 0, static_cast<std::size_t>(b.count) * size_of(b.type));
    }
  }

  void call(const ir::plan_step& s, call_function run) {
    inputs_.clear();
    outputs_.clear();
    input_buffers_.clear();
    output_buffers_.clear();
    for (std::int32_t b : s.inputs) {
      input_buffers_.push_back(at(b).get());
      inputs_.push_back(at(b)->data());
    }
    for (std::int32_t b : s.outputs) {
      output_buffers_.push_back(b < 0 ? nullptr : at(b).get());
      outputs_.push_back(b < 0 ? nullptr : at(b)->data());
    }
    run({device_, s, inputs_, outputs_, input_buffers_, output_buffers_});
  }

  const ready_plan& ready_;
  const ir::plan& plan_;
  const snapshot& snap_;
  runtime::device& device_;
  status_words& words_;
  run_result result_;
  std::vector<std::shared_ptr<runtime::buffer>> buffers_;
  std::vector<std::uint64_t> slots_;
  std::vector<void*> inputs_, outputs_;  // of a call
  std::vector<runtime::buffer*> input_buffers_, output_buffers_;
};

}  // namespace

void find_calls(ready_plan& p) {
  for (const ir::plan_step& s : p.plan.steps) {
    const bool is_call = s.what == ir::plan_step::kind::call;
    p.calls.push_back(is_call ? find_call(s.routine) : nullptr);
  }
}

run_result run_plan(const ready_plan& p, const snapshot& s, runtime::device& d,
                    status_words& words) {
  return runner(p, s, d, words).run();
}

}  // namespace sinter::detail
