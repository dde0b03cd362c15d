#include "engine/control/loop_tables.hpp"

#include <algorithm>
#include <utility>

namespace sinter::detail {
namespace {

bool writes_into(const node& n) {
  return n.kind == ir::node_kind::update || n.kind == ir::node_kind::scatter;
}

bool is_known_good(const any_array& where, const any_array& bad) {
  const node& n = *where.get();
  return n.kind == ir::node_kind::map && n.program.code.size() == 1 &&
         n.program.code[0].code == ir::op::logical_not && n.inputs[0].get() == bad.get();
}

/// Does the view show a single element, whatever its rank?
bool is_single(shape_view shape) {
  return std::ranges::all_of(shape, [](std::int64_t e) { return e == 1; });
}

/// A value of one element as one of rank 0, if it was broadcast.
any_array as_number(const any_array& x) {
  const node& n = *x.get();
  const bool shown = !x.extents().empty() && n.kind == ir::node_kind::view;
  return shown && n.inputs[0].extents().empty() ? n.inputs[0] : x;
}

}  // namespace

loop_tables::loop_tables(const traced_loop& t, const region& r) {
  const auto has_shape = [](const any_array& x) { return !x.extents().empty(); };
  if (tracing_now().mapped || has_shape(t.condition)) return;
  if (std::ranges::any_of(t.emitted, has_shape)) return;
  bool written = false;
  for (std::size_t k = 0; k < t.carries.size(); ++k) {
    if (has_shape(t.carries[k])) written = written || t.next[k].get() != t.carries[k].get();
  }
  bool all = written;
  for (std::size_t k = 0; all && k < t.carries.size(); ++k) {
    if (has_shape(t.carries[k])) all = add(t, r, k);
  }
  if (!all) {
    carries_.clear();
    versions_.clear();
    return;
  }
  for (const any_array& x : r.nodes()) {
    const auto v = writes_into(*x.get()) ? version_of(x) : std::nullopt;
    if (v) writes_.push_back(*write_of(x, r, v->table));
  }
}

/// Follows the chain of writes down to the carry.
bool loop_tables::add(const traced_loop& t, const region& r, std::size_t k) {
  std::vector<const node*> chain;
  any_array x = t.next[k];
  const std::size_t table = carries_.size();
  while (x.get() != t.carries[k].get()) {
    if (!writes_into(*x.get()) || !r.depends(x) || !write_of(x, r, table)) return false;
    chain.push_back(x.get());
    x = r.inputs(x)[0];
  }
  carries_.push_back(k);
  versions_[x.get()] = {table, 0};
  for (std::size_t i = 0; i < chain.size(); ++i) {
    versions_[chain[chain.size() - 1 - i]] = {table, i + 1};
  }
  return true;
}

std::optional<loop_tables::write> loop_tables::write_of(const any_array& x, const region& r,
                                                        std::size_t table) {
  const node& n = *x.get();
  const auto& in = r.inputs(x);
  write w{table, {}, n.map.offset, {}, {}, ir::op::cast, in[0].get()};
  if (n.kind == ir::node_kind::update) {
    if (!is_single(in[1].extents())) return std::nullopt;
    w.value = as_number(in[1]);
  } else {
    if (in[1].size() != 1 || n.details->reduction.summed) return std::nullopt;
    w.index = as_number(in[1]);
    w.value = as_number(in[2]);
    w.code = n.details->reduction.code;
    const bool faults = in.size() > 4 && is_known_good(in[3], in[4]);
    if (in.size() > 3 && !faults) w.where = as_number(in[3]);
    if (!w.index.extents().empty()) return std::nullopt;
  }
  const bool masked = w.where.valid() && !w.where.extents().empty();
  if (masked || !w.value.extents().empty()) return std::nullopt;
  return w;
}

std::optional<loop_tables::version> loop_tables::version_of(const node* n) const {
  const auto it = versions_.find(n);
  return it == versions_.end() ? std::nullopt : std::optional(it->second);
}

}  // namespace sinter::detail
