#include "engine/run_plan.hpp"

#include "runtime/blas.hpp"

namespace sinter::detail {

namespace {

runtime::element element_type(dtype t) {
  switch (t) {
    case dtype::float16:
      return runtime::element::float16;
    case dtype::bfloat16:
      return runtime::element::bfloat16;
    case dtype::float64:
      return runtime::element::float64;
    case dtype::complex64:
      return runtime::element::complex64;
    case dtype::complex128:
      return runtime::element::complex128;
    default:
      return runtime::element::float32;
  }
}

class runner {
 public:
  runner(const ready_plan& p, const snapshot& s, runtime::device& d)
      : ready_(p), plan_(p.plan), snap_(s), device_(d), buffers_(p.plan.buffers.size()) {}

  std::vector<std::shared_ptr<runtime::buffer>> run() {
    for (std::size_t i = 0; i < plan_.buffers.size(); ++i) memory(i);
    for (std::size_t i = 0; i < plan_.buffers.size(); ++i) {
      if (plan_.buffers[i].shares >= 0) buffers_[i] = at(plan_.buffers[i].shares);
    }
    for (const ir::plan_step& s : plan_.steps) {
      switch (s.what) {
        case ir::plan_step::kind::kernel:
          launch(s);
          break;
        case ir::plan_step::kind::copy:
          copy(s);
          break;
        case ir::plan_step::kind::call:
          matmul(s);
          break;
      }
    }
    std::vector<std::shared_ptr<runtime::buffer>> out;
    for (std::int32_t o : plan_.outputs) out.push_back(at(o));
    return out;
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
    const auto &to = at(s.output), &from = at(s.inputs[0]);
    const auto& b = plan_.buffers[static_cast<std::size_t>(s.output)];
    if (to != from) {
      device_.copy(*to, 0, *from, 0, static_cast<std::size_t>(b.count) * size_of(b.type));
    }
  }

  /// [batch..., m, k] @ [batch..., k, n], all dense.
  void matmul(const ir::plan_step& s) {
    const ir::shape_t &a = s.shapes[0], &b = s.shapes[1];
    runtime::gemm_call g;
    g.type = element_type(s.type);
    g.m = a[a.size() - 2];
    g.k = a[a.size() - 1];
    g.n = b[b.size() - 1];
    for (std::size_t i = 0; i + 2 < a.size(); ++i) g.batch *= a[i];
    g.a = {at(s.inputs[0])->data(), std::max<std::int64_t>(g.k, 1), g.m * g.k};
    g.b = {at(s.inputs[1])->data(), std::max<std::int64_t>(g.n, 1), g.k * g.n};
    g.c = at(s.output)->data();
    g.c_leading = std::max<std::int64_t>(g.n, 1);
    g.c_batch_stride = g.m * g.n;
    device_.linear_algebra().gemm(g);
  }

  const ready_plan& ready_;
  const ir::plan& plan_;
  const snapshot& snap_;
  runtime::device& device_;
  std::vector<std::shared_ptr<runtime::buffer>> buffers_;
  std::vector<std::uint64_t> slots_;
};

}  // namespace

std::vector<std::shared_ptr<runtime::buffer>> run_plan(const ready_plan& p, const snapshot& s,
                                                       runtime::device& d) {
  return runner(p, s, d).run();
}

}  // namespace sinter::detail
