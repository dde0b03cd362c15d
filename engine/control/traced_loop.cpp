#include "engine/control/traced_loop.hpp"

#include <algorithm>
#include <unordered_map>
#include <utility>

#include "engine/control/loop_checks.hpp"
#include "engine/control/loop_recorder.hpp"
#include "engine/control/nested_loops.hpp"
#include "engine/nodes/report.hpp"
#include "engine/nodes/traced_region.hpp"

namespace sinter::detail {

namespace {

/// The loop over the carries of rank 0 alone: they depend on no array.
traced_loop without_arrays(const traced_loop& t) {
  traced_loop alone;
  alone.round = t.round;
  alone.condition = t.condition;
  for (std::size_t k = 0; k < t.carries.size(); ++k) {
    if (!t.carries[k].extents().empty()) continue;
    alone.carries.push_back(t.carries[k]);
    alone.first.push_back(t.first[k]);
    alone.next.push_back(t.next[k]);
  }
  return alone;
}

}  // namespace

bool is_of_sweeps(const traced_loop& t, std::int64_t points) {
  constexpr std::size_t most_nodes = 100;
  const bool planes = std::ranges::any_of(t.carries, [&](const any_array& x) {
    return x.size() >= points && x.ndim() <= 2;
  });
  if (!planes) return false;
  region r;
  for (const any_array& x : t.carries) r.stand_in(x);
  for (const any_array& x : t.next) r.add(x);
  bool updates = false;
  for (const any_array& x : r.nodes()) {
    const ir::node_kind k = x.get()->kind;
    updates = updates || k == ir::node_kind::update;
    if (k != ir::node_kind::map && k != ir::node_kind::view && k != ir::node_kind::update) {
      return false;
    }
  }
  return updates && r.nodes().size() <= most_nodes;
}

namespace {

std::optional<std::vector<any_array>> one_loop(const traced_loop& t, std::string& why,
                                               location where) {
  why.clear();
  const auto flat = flattened(t, why, where);
  if (!flat && !why.empty()) return std::nullopt;
  if (!flat) return recorded_loop(t, why, where);
  auto all = recorded_loop(*flat, why, where);
  if (!all) return std::nullopt;
  all->resize(t.carries.size());
  const auto has_shape = [](const any_array& x) { return !x.extents().empty(); };
  const auto ranked = std::ranges::count_if(flat->carries, has_shape);
  const bool tables = ranked > 0 && ranked < std::ssize(flat->carries);
  if (tables) return all;
  const traced_loop alone = without_arrays(t);
  if (alone.carries.empty() || alone.carries.size() == t.carries.size()) return all;
  if (!t.condition.extents().empty()) {
    why = "its condition has another shape than what it carries";
    return std::nullopt;
  }
  const auto single = one_loop(alone, why, where);
  if (!single) return std::nullopt;
  for (std::size_t k = 0, next = 0; k < all->size(); ++k) {
    if (t.carries[k].extents().empty()) (*all)[k] = (*single)[next++];
  }
  return all;
}

}  // namespace

namespace {

bool writes(const node& n) {
  const bool kind = n.kind == ir::node_kind::update || n.kind == ir::node_kind::scatter;
  return kind && !n.inputs.empty();
}

/// Does a round consist only of node kinds that an elementwise loop supports? Reductions are not.
bool is_of_elements(const traced_loop& t) {
  region r;
  for (const any_array& x : t.carries) r.stand_in(x);
  for (const any_array& x : t.slices) r.stand_in(x);
  if (t.round.valid()) r.stand_in(t.round);
  for (const any_array& x : t.next) r.add(x);
  return std::ranges::all_of(r.nodes(), [](const any_array& x) {
    switch (x.get()->kind) {
      case ir::node_kind::map:
      case ir::node_kind::view:
      case ir::node_kind::gather:
      case ir::node_kind::update:
      case ir::node_kind::scatter:
      case ir::node_kind::loop:
      case ir::node_kind::result: return true;
      default: return false;
    }
  });
}

/// Does the loop write to a part of a carry that is more than one element, or depends on more than
/// one? No elementwise loop does. Decided before anything is built, and without an exception: a
/// nested loop is called again and again, and in a process that has opened CUDA a thrown refusal
/// took 0.1 ms.
bool writes_parts_of_what_it_carries(const traced_loop& t) {
  bool written = false;
  for (const any_array& x : t.next) {
    const node* n = x.get();
    bool elements = tracing_now().mapped == nullptr;
    for (; writes(*n); n = n->inputs[0].get()) elements = elements && n->inputs[1].size() == 1;
    const bool carried =
        writes(*x.get()) &&
        std::ranges::any_of(t.carries, [&](const any_array& c) { return c.get() == n; });
    if (carried && !elements) return true;
    written = written || carried;
  }
  return written && !is_of_elements(t);
}

}  // namespace

std::optional<std::vector<any_array>> in_one_kernel(const traced_loop& t, std::string& why,
                                                    location where) {
  if (writes_parts_of_what_it_carries(t)) {
    why = "it writes to parts of what it carries";
    return std::nullopt;
  }
  const auto checked = with_fault_words(t, why, where);
  if (!checked) return std::nullopt;
  auto all = one_loop(checked->loop, why, where);
  if (all) checked->take_words(*all, where);
  return all;
}

}  // namespace sinter::detail
