#include "ir/passes/share_launches.hpp"

#include <algorithm>

#include "ir/passes/unused_kernels.hpp"
#include "ir/text.hpp"

namespace sinter::ir {
namespace {

/// The most a launch may have in all: 4 KB of arguments, and instructions that NVRTC, which
/// compiles one part after the other, takes the time of two small kernels for.
constexpr std::size_t most_parts = 8, most_slots = 256, most_together = 128;

bool meet(const std::vector<std::int32_t>& a, const std::vector<std::int32_t>& b) {
  return std::any_of(a.begin(), a.end(), [&](std::int32_t x) {
    return x >= 0 && std::find(b.begin(), b.end(), x) != b.end();
  });
}

/// Steps that are launched together, in order.
using launch = std::vector<std::size_t>;

class sharer {
 public:
  sharer(plan& p, const machine& m) : p_(p), m_(m) {}

  void run() {
    std::vector<launch> launches;
    for (std::size_t i = 0; i < p_.steps.size(); ++i) {
      launch* const home = is_small(i) ? home_of(i, launches) : nullptr;
      if (home) home->push_back(i);
      else launches.push_back({i});
    }
    if (launches.size() == p_.steps.size()) return;
    std::vector<plan_step> steps;
    for (const auto& l : launches) {
      steps.push_back(l.size() == 1 ? std::move(p_.steps[l[0]]) : together(l));
    }
    p_.steps = std::move(steps);
    drop_unused_kernels(p_);
  }

 private:
  const kernel& kernel_of(const plan_step& s) const {
    return p_.kernels[static_cast<std::size_t>(s.kernel)];
  }

  /// Not if another step, or a copy, writes part of its output.
  bool is_small(std::size_t i) const {
    const plan_step& s = p_.steps[i];
    if (s.what != plan_step::kind::kernel) return false;
    const kernel& k = kernel_of(s);
    const bool map = k.parts.empty() && k.reduced == 0 && k.schedule.tile_rows == 0 &&
                     k.schedule.held == 0 && k.loops.empty() && !brings_rows(k);
    if (!map || k.body.size() > most_together / 2 || s.slots.size() > most_slots / 2) return false;
    for (std::size_t j = 0; j < p_.steps.size(); ++j) {
      if (j != i && meet(p_.steps[j].outputs, s.outputs)) return false;
    }
    extent elements = 1;
    for (int axis = 0; axis < k.kept; ++axis) {
      elements = elements * s.slots[static_cast<std::size_t>(axis)].bits;
    }
    return elements <= extent(m_.share_limit);
  }

  /// The first launch of small maps that step i may join: from there on nothing writes what it
  /// reads, or reads what it writes.
  launch* home_of(std::size_t i, std::vector<launch>& launches) {
    const plan_step& s = p_.steps[i];
    launch* found = nullptr;
    for (std::size_t l = launches.size(); l-- > 0;) {
      for (std::size_t j : launches[l]) {
        const plan_step& before = p_.steps[j];
        if (meet(before.outputs, s.inputs) || meet(before.inputs, s.outputs)) return found;
      }
      if (has_room(launches[l], s)) found = &launches[l];
    }
    return found;
  }

  bool has_room(const launch& l, const plan_step& s) const {
    std::size_t slots = s.slots.size() + 1, code = kernel_of(s).body.size();
    for (std::size_t j : l) {
      if (!is_small(j)) return false;
      slots += p_.steps[j].slots.size() + 1;
      code += kernel_of(p_.steps[j]).body.size();
    }
    return l.size() < most_parts && slots <= most_slots && code <= most_together;
  }

  plan_step together(const launch& l) {
    plan_step all;
    kernel shared;
    kernel_report report;
    shared.schedule.target = target::gpu;
    for (std::size_t i : l) {
      const plan_step& s = p_.steps[i];
      const kernel& k = kernel_of(s);
      shared.parts.push_back(k);
      shared.schedule.threads = std::max(shared.schedule.threads, k.schedule.threads);
      merge(report, p_.reports[static_cast<std::size_t>(s.kernel)]);
      add(all, s, l);
    }
    shared.name = detail::cat(shared.parts[0].name, "_with_", l.size() - 1);
    all.kernel = static_cast<std::int32_t>(p_.kernels.size());
    p_.kernels.push_back(std::move(shared));
    p_.reports.push_back(std::move(report));
    return all;
  }

  void add(plan_step& all, const plan_step& s, const launch& l) const {
    slot_value blocks;
    blocks.bits = s.blocks;
    all.slots.insert(all.slots.end(), s.slots.begin(), s.slots.end());
    all.slots.push_back(blocks);
    all.blocks = all.blocks + s.blocks;
    all.inputs.insert(all.inputs.end(), s.inputs.begin(), s.inputs.end());
    all.outputs.insert(all.outputs.end(), s.outputs.begin(), s.outputs.end());
    if (all.origin < 0) all.origin = s.origin;
    // What another part reads may not be overwritten: parts run at the same time.
    for (const auto& donor : s.donors) {
      const bool read = std::any_of(l.begin(), l.end(), [&](std::size_t j) {
        return &p_.steps[j] != &s && meet({donor.second}, p_.steps[j].inputs);
      });
      if (!read) all.donors.push_back(donor);
    }
  }

  static void merge(kernel_report& all, const kernel_report& one) {
    all.ops.insert(all.ops.end(), one.ops.begin(), one.ops.end());
    all.refusals.insert(all.refusals.end(), one.refusals.begin(), one.refusals.end());
    all.bytes_read = all.bytes_read + one.bytes_read;
    all.bytes_written = all.bytes_written + one.bytes_written;
  }

  plan& p_;
  const machine& m_;
};

}  // namespace

void share_launches(plan& p, const machine& m) {
  if (m.target == target::gpu && m.fuse && m.share_limit > 0) sharer(p, m).run();
}

}  // namespace sinter::ir
