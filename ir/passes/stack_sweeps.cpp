#include "ir/passes/stack_sweeps.hpp"

#include <algorithm>
#include <numeric>
#include <set>

#include "ir/passes/stack_build.hpp"
#include "ir/passes/stack_price.hpp"
#include "ir/passes/unused_kernels.hpp"

namespace sinter::ir {
namespace {

/// Sweeps that depend on nothing before them in a stack: so many are looked past, in the hope that
/// a later one does.
constexpr std::size_t most_apart_sweeps = 4;

/// The part of the largest gain that is enough: a larger stack compiles for longer.
constexpr double nearly = 0.94;

struct chosen_stack {
  std::vector<sweep> sweeps;
  stack_layout layout;
};

class stacker {
 public:
  stacker(plan& p, const machine& m) : p_(p), m_(m), stack_of_(p.steps.size(), -1) {}

  void run() {
    describe();
    for (std::size_t at = 0; at < p_.steps.size();) {
      const auto found = stack_from(at);
      if (found) take(*found);
      at = found ? found->sweeps.back().step + 1 : at + 1;
    }
    if (!stacks_.empty()) rewrite();
  }

 private:
  using chosen = std::optional<chosen_stack>;

  // ---- the steps
  void describe() {
    const std::vector<int> writers = writers_of(p_);
    families_.resize(p_.buffers.size());
    std::iota(families_.begin(), families_.end(), 0);
    for (const plan_step& s : p_.steps) {
      if (s.what == plan_step::kind::copy) {
        families_[static_cast<std::size_t>(s.outputs[0])] = family(s.inputs[0]);
      }
    }
    for (std::size_t i = 0; i < p_.steps.size(); ++i) {
      sweeps_.push_back(sweep_of(p_, i, writers));
      if (sweeps_[i] && is_dear(*sweeps_[i], m_)) sweeps_[i].reset();
    }
    std::map<std::int32_t, extent_list> widest;
    for (const auto& w : sweeps_) {
      if (!w) continue;
      const sweep_place& to = first_output(*w);
      extent_list& known = widest[family(to.buffer)];
      if (known.size() < to.strides.size()) known = to.strides;
    }
    for (auto& w : sweeps_) {
      if (!w) continue;
      const extent_list& strides = widest.at(family(first_output(*w).buffer));
      if (strides.size() > w->extents.size()) w = spread_over(*w, strides);
      if (w) updates(*w);
    }
  }

  /// Versions of one array have the same number.
  std::int32_t family(std::int32_t buffer) const {
    while (families_[static_cast<std::size_t>(buffer)] != buffer) {
      buffer = families_[static_cast<std::size_t>(buffer)];
    }
    return buffer;
  }

  static const sweep_place& first_output(const sweep& w) {
    std::size_t o = 0;
    while (w.code->operands[o].role != operand_role::output) ++o;
    return w.places[o];
  }

  void updates(const sweep& w) {
    for (std::size_t i = w.first; i < w.step; ++i) {
      const std::int32_t to = p_.steps[i].outputs[0], from = p_.steps[i].inputs[0];
      const auto own = std::ranges::find(w.places, to, &sweep_place::buffer);
      if (own == w.places.end()) continue;
      region r{w.extents, own->offset, own->strides};
      const auto before = regions_.find(from);
      const bool same = before != regions_.end() && before->second == r;
      bases_[to] = {from, same ? bases_.at(from).early : from};
      regions_[to] = std::move(r);
    }
  }

  // ---- the choice of stacks
  /// The fewest sweeps that save nearly as much each as any number of them.
  chosen stack_from(std::size_t at) {
    std::vector<std::pair<double, chosen_stack>> found;
    std::vector<sweep> all;
    double most = 0;
    for (std::size_t i = at; i < p_.steps.size(); ++i) {
      if (p_.steps[i].what == plan_step::kind::copy) continue;
      if (!goes_on(all, at, i)) break;
      all.push_back(*sweeps_[i]);
      chosen_stack c{joined_with_last(all), {}};
      const std::size_t count = c.sweeps.size();
      if (count < 2) {
        const std::size_t taken = found.empty() ? 0 : found.back().second.sweeps.size();
        if (all.size() - taken > most_apart_sweeps) break;
        continue;
      }
      if (count > static_cast<std::size_t>(m_.stack_limit)) break;
      if (points_of(largest_of(c.sweeps)) < fewest_points(c.sweeps)) continue;
      auto l = layout_of(c.sweeps);
      if (!l) break;
      const std::set<std::int32_t> kept = read_elsewhere(c.sweeps);
      const double gain =
          stack_gain(p_, c.sweeps, *l, kept, bases_, m_) / static_cast<double>(count);
      c.layout = std::move(*l);
      most = std::max(most, gain);
      found.push_back({gain, std::move(c)});
    }
    for (std::size_t i = 0; i < found.size(); ++i) {
      if (found[i].first <= 0 || found[i].first < nearly * most) continue;
      // One more sweep would be left alone.
      const bool next_is_last = i + 2 == found.size() && found[i + 1].first > 0;
      return std::move(found[i + (next_is_last ? 1 : 0)].second);
    }
    return std::nullopt;
  }

  std::int64_t fewest_points(const std::vector<sweep>& sweeps) const {
    const auto copies = [&](const sweep& w) { return copies_its_base(p_, w, bases_); };
    return std::ranges::any_of(sweeps, copies) ? m_.stack_points_copied() : m_.stack_points;
  }

  /// Holds staged elements in tiles if there is room and most boxes have a border: 1400^2 floats
  /// 4.2 us a sweep -> 3.6, but 3000^2 12.5 -> 12.7 (H200), because every point tests where it is.
  std::optional<stack_layout> layout_of(const std::vector<sweep>& sweeps) const {
    const bool few = points_of(largest_of(sweeps)) < m_.stack_held;
    for (const bool holds : {true, false}) {
      if (holds && (!few || m_.target == target::cpu)) continue;
      auto l = lay_out(p_, sweeps, bases_, holds, m_);
      // There must be room for it, whatever turns out to be kept.
      if (l && build_stack(p_, sweeps, *l, written_by(sweeps), m_)) return l;
    }
    return std::nullopt;
  }

  /// Is step i the sweep that follows those of a stack that begins at step `at`?
  bool goes_on(const std::vector<sweep>& before, std::size_t at, std::size_t i) const {
    if (!sweeps_[i]) return false;
    const sweep& w = *sweeps_[i];
    if (before.empty()) return w.first >= at;
    return w.first == before.back().step + 1 && w.rank() == before[0].rank();
  }

  bool reads(const sweep& b, const sweep& a) const {
    const std::vector<std::int32_t>& written = p_.steps[a.step].outputs;
    const auto is_written = [&](std::int32_t x) { return std::ranges::count(written, x) > 0; };
    if (std::ranges::any_of(p_.steps[b.step].inputs, is_written)) return true;
    return std::ranges::any_of(p_.steps[b.step].outputs, [&](std::int32_t o) {
      const auto base = bases_.find(o);
      return base != bases_.end() &&
             (is_written(base->second.base) || is_written(base->second.early));
    });
  }

  /// The last sweep and those connected with it, perhaps through others.
  std::vector<sweep> joined_with_last(const std::vector<sweep>& all) const {
    std::vector<bool> in(all.size());
    in.back() = true;
    for (bool grown = true; grown;) {
      grown = false;
      for (std::size_t b = 0; b < all.size(); ++b) {
        for (std::size_t a = 0; a < b; ++a) {
          if (in[a] == in[b] || !reads(all[b], all[a])) continue;
          in[a] = in[b] = grown = true;
        }
      }
    }
    std::vector<sweep> out;
    for (std::size_t i = 0; i < all.size(); ++i) {
      if (in[i]) out.push_back(all[i]);
    }
    return out;
  }

  std::set<std::int32_t> written_by(const std::vector<sweep>& sweeps) const {
    std::set<std::int32_t> all;
    for (const sweep& w : sweeps) {
      all.insert(p_.steps[w.step].outputs.begin(), p_.steps[w.step].outputs.end());
    }
    return all;
  }

  /// What the sweeps write that others may read. For an update that might be in another stack, its
  /// base counts instead.
  std::set<std::int32_t> read_elsewhere(const std::vector<sweep>& sweeps) const {
    const std::set<std::int32_t> own = written_by(sweeps);
    std::set<std::int32_t> kept;
    const auto member = [&](std::size_t i) {
      return std::ranges::any_of(
          sweeps, [&](const sweep& w) { return w.first <= i && i <= w.step; });
    };
    for (std::size_t i = sweeps[0].first; i < p_.steps.size(); ++i) {
      if (member(i)) continue;
      for (std::int32_t b : p_.steps[i].inputs) {
        const bool copied = p_.steps[i].what == plan_step::kind::copy;
        const auto base = copied ? bases_.find(p_.steps[i].outputs[0]) : bases_.end();
        const std::int32_t used = base == bases_.end() ? b : base->second.early;
        if (own.contains(used)) kept.insert(used);
      }
    }
    for (std::int32_t b : own) {
      if (p_.buffers[static_cast<std::size_t>(b)].what == plan_buffer::role::output) kept.insert(b);
    }
    return kept;
  }

  // ---- the plan with the stacks
  void take(const chosen_stack& c) {
    for (const sweep& w : c.sweeps) {
      for (std::size_t i = w.first; i <= w.step; ++i) {
        stack_of_[i] = static_cast<int>(stacks_.size());
      }
    }
    stacks_.push_back(c);
  }

  /// What a step reads, now that the stacked updates are known.
  std::int32_t read_by(std::size_t step, std::int32_t buffer) const {
    const plan_step& s = p_.steps[step];
    if (stack_of_[step] < 0 || s.what != plan_step::kind::copy) return buffer;
    return stacks_[static_cast<std::size_t>(stack_of_[step])].layout.arrays.at(s.outputs[0]).base;
  }

  std::set<std::int32_t> kept() const {
    std::map<std::int32_t, int> writer;
    for (std::size_t i = 0; i < p_.steps.size(); ++i) {
      for (std::int32_t b : p_.steps[i].outputs) writer[b] = stack_of_[i];
    }
    std::set<std::int32_t> kept;
    for (std::size_t i = 0; i < p_.steps.size(); ++i) {
      for (std::int32_t b : p_.steps[i].inputs) {
        const std::int32_t used = read_by(i, b);
        const auto by = writer.find(used);
        const bool outside = by != writer.end() && (by->second < 0 || by->second != stack_of_[i]);
        if (outside) kept.insert(used);
      }
    }
    kept.insert(p_.outputs.begin(), p_.outputs.end());
    return kept;
  }

  void rewrite() {
    const std::set<std::int32_t> all = kept();
    std::vector<built_stack> built;
    for (const chosen_stack& c : stacks_) {
      built.push_back(*build_stack(p_, c.sweeps, c.layout, all, m_));
    }
    std::vector<plan_step> steps;
    for (std::size_t i = 0; i < p_.steps.size(); ++i) {
      if (stack_of_[i] < 0) {
        steps.push_back(std::move(p_.steps[i]));
        continue;
      }
      const auto n = static_cast<std::size_t>(stack_of_[i]);
      if (stacks_[n].sweeps.back().step != i) continue;
      built_stack& b = built[n];
      b.step.kernel = static_cast<std::int32_t>(p_.kernels.size());
      p_.kernels.push_back(std::move(b.kernel));
      p_.reports.push_back(std::move(b.report));
      steps.push_back(std::move(b.step));
    }
    p_.steps = std::move(steps);
    drop_unused_kernels(p_);
  }

  /// The elements of an array that an update writes.
  struct region {
    extent_list extents;
    extent offset;
    extent_list strides;
    bool operator==(const region&) const = default;
  };

  plan& p_;
  const machine& m_;
  std::vector<std::optional<sweep>> sweeps_;  // per step
  std::vector<std::int32_t> families_;
  update_bases bases_;
  std::map<std::int32_t, region> regions_;
  std::vector<int> stack_of_;  // per step
  std::vector<chosen_stack> stacks_;
};

}  // namespace

void stack_sweeps(plan& p, const machine& m) {
  if (m.fuse && m.stack_limit > 1) stacker(p, m).run();
}

}  // namespace sinter::ir
