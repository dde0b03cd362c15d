#include "ir/passes/plan_memory.hpp"

#include <algorithm>
#include <limits>

namespace sinter::ir {

namespace {

constexpr std::int32_t for_ever = std::numeric_limits<std::int32_t>::max();

/// Memory that one or more buffers use, one after another.
struct storage {
  std::int32_t owner;  // the buffer it is allocated for
  extent bytes;
  std::int32_t last;  // the step after which it is free
};

class planner {
 public:
  explicit planner(plan& p)
      : p_(p), place_(p.buffers.size(), -1), given_(p.buffers.size(), false) {}

  void run() {
    uses();
    for (std::size_t i = 0; i < p_.buffers.size(); ++i) {
      const plan_buffer::role what = p_.buffers[i].what;
      const bool given = what == plan_buffer::role::source || what == plan_buffer::role::status;
      if (given) place_[i] = fresh(index(i), for_ever);
    }
    for (std::size_t i = 0; i < p_.steps.size(); ++i) step(static_cast<std::int32_t>(i));
  }

 private:
  static std::int32_t index(std::size_t i) { return static_cast<std::int32_t>(i); }
  plan_buffer& buffer(std::int32_t b) { return p_.buffers[static_cast<std::size_t>(b)]; }
  static extent bytes_of(const plan_buffer& b) {
    return b.count * size_of(b.type);
  }

  void uses() {
    for (std::size_t i = 0; i < p_.steps.size(); ++i) {
      const plan_step& s = p_.steps[i];
      for (std::int32_t b : s.inputs) buffer(b).last_use = index(i);
      for (std::int32_t b : s.outputs) {
        if (b >= 0) buffer(b).last_use = index(i);
      }
    }
    for (std::int32_t o : p_.outputs) buffer(o).last_use = for_ever;
  }

  void step(std::int32_t i) {
    const plan_step& s = p_.steps[static_cast<std::size_t>(i)];
    for (std::int32_t b : s.outputs) {
      // An update is first written by the copy of its base; its donors are those of the kernel that
      // writes it next.
      if (b >= 0) define(b, i, s.what == plan_step::kind::copy ? writer_of(b, i) : s);
    }
  }

  /// The first step after `i` that writes b and is no copy to it.
  const plan_step& writer_of(std::int32_t b, std::int32_t i) const {
    const auto own = p_.steps.begin() + i;
    const auto next = std::find_if(own + 1, p_.steps.end(), [&](const plan_step& s) {
      return s.what != plan_step::kind::copy && std::ranges::count(s.outputs, b) > 0;
    });
    return next == p_.steps.end() ? *own : *next;
  }

  void define(std::int32_t b, std::int32_t at, const plan_step& kernel) {
    std::int32_t& place = place_[static_cast<std::size_t>(b)];
    if (place >= 0) return;
    plan_buffer& t = buffer(b);
    const auto last_step = static_cast<std::int32_t>(&kernel - p_.steps.data());
    for (const auto& [to, from] : kernel.donors) {
      const plan_buffer& f = buffer(from);
      if (to != b || f.last_use > last_step || bytes_of(f) != bytes_of(t)) continue;
      const std::int32_t taken = place_[static_cast<std::size_t>(from)];
      if (taken < 0 || given_[static_cast<std::size_t>(from)]) continue;
      given_[static_cast<std::size_t>(from)] = true;
      if (f.what == plan_buffer::role::source) {
        t.donor = from;
        break;  // it may be refused when the plan runs, so memory of its own is planned too
      }
      storage& s = storages_[static_cast<std::size_t>(taken)];
      t.shares = s.owner;
      place = taken;
      s.last = t.last_use;
      return;
    }
    if (t.what == plan_buffer::role::temporary && t.donor < 0 && reuse(b, at)) return;
    place = fresh(b, t.last_use);
  }

  /// The smallest free memory that fits and is not wasteful.
  bool reuse(std::int32_t b, std::int32_t at) {
    const extent need = bytes_of(buffer(b));
    std::int32_t best = -1;
    for (std::size_t i = 0; i < storages_.size(); ++i) {
      const storage& s = storages_[i];
      if (s.last >= at || s.bytes < need || s.bytes > 2 * need + 4096) continue;
      if (best < 0 || s.bytes < storages_[static_cast<std::size_t>(best)].bytes) best = index(i);
    }
    if (best < 0) return false;
    storage& s = storages_[static_cast<std::size_t>(best)];
    s.last = buffer(b).last_use;
    buffer(b).shares = s.owner;
    place_[static_cast<std::size_t>(b)] = best;
    return true;
  }

  std::int32_t fresh(std::int32_t owner, std::int32_t last) {
    storages_.push_back({owner, bytes_of(buffer(owner)), last});
    return index(storages_.size()) - 1;
  }

  plan& p_;
  std::vector<storage> storages_;
  std::vector<std::int32_t> place_;  // per buffer: its storage
  std::vector<bool> given_;          // per buffer: another one has its memory, or may have it
};

}  // namespace

void plan_memory(plan& p) {
  planner(p).run();
}

}  // namespace sinter::ir
