#include "bench/suite/results.hpp"

#include <cstdio>
#include <exception>

#include "bench/support/kernels.hpp"

namespace suite {

sn::statistics since(const sn::statistics& before) {
  sn::statistics s = sn::session_statistics();
  s.plans -= before.plans;
  s.plan_hits -= before.plan_hits;
  s.compiles -= before.compiles;
  s.launches -= before.launches;
  return s;
}

std::optional<planned> plan_of(const sn::any_array& x) try {
  const auto ready = bench::plan_of(x);
  planned p;
  for (const auto n : ready->read) p.bytes += static_cast<double>(n);
  for (const auto n : ready->written) p.bytes += static_cast<double>(n);
  for (const auto& s : ready->of->plan.steps) {
    const bool copies = s.what == sinter::ir::plan_step::kind::copy;
    const bool in_place =
        copies && ready->of->plan.buffers[static_cast<std::size_t>(s.outputs[0])].shares >= 0;
    p.kernels += in_place ? 0 : 1;
  }
  return p;
} catch (const std::exception&) {
  return {};  // of several plans, or of none
}

row::row(const workload& w, const size& at, const std::string& peer)
    : w_(w), at_(at), peer_(peer), record_("suite") {
  record_.text("workload", w.name)
      .text("group", std::string(1, w.group))
      .text("size", at.label)
      .text("dtype", w.type)
      .text("peer", peer)
      .number("bytes_min", w.bytes(at.d))
      .number("flops", w.flops(at.d));
  if (w.sweeps) record_.number("bytes_sweep", w.sweeps(at.d));
}

void row::first(double seconds, const sn::statistics& s) {
  first_ = 1e3 * seconds;
  record_.number("first_call_ms", first_).number("compiles", static_cast<double>(s.compiles));
}

void row::counted(const sn::statistics& s, std::optional<planned> p) {
  const bool one = p && s.plans + s.plan_hits <= 1;
  kernels_ = one ? p->kernels : static_cast<double>(s.launches);
  record_.number("kernels", kernels_);
  if (one) record_.number("bytes", p->bytes);
}

void row::judged(double error) {
  ok_ = error <= w_.tolerance;
  record_.number("check_rel_err", error).flag("check_ok", *ok_);
}

void row::peaked(double over_live) {
  record_.number("peak_over_live", over_live);
}

void row::took(const timing& t, const sn::statistics& s) {
  const double moved = w_.sweeps ? w_.sweeps(at_.d) : w_.bytes(at_.d);
  timing_ = t;
  record_.number("gpu_us", t.device)
      .number("min_us", t.least)
      .number("host_us", t.host)
      .number("batches", t.batches)
      .number("calls", t.calls)
      .number("plans", static_cast<double>(s.plans))
      .number("gbps_effective", moved / t.device * 1e-3)
      .number("tflops", w_.flops(at_.d) / t.device * 1e-6);
}

void row::failed(const std::string& why) {
  record_.text("status", "error").text("error", why);
  std::printf("%-18s %-15s %-15s %s\n", w_.name.c_str(), at_.label.c_str(), peer_.c_str(),
              why.c_str());
}

void row::print() const {
  std::printf("%-18s %-15s %-15s %12.2f %9.2f %9.1f %7.0f  %s\n", w_.name.c_str(),
              at_.label.c_str(), peer_.c_str(), timing_.device, timing_.host, first_, kernels_,
              ok_ ? *ok_ ? "ok" : "WRONG" : "");
  std::fflush(stdout);
}

}  // namespace suite
