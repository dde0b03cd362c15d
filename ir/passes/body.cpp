#include "ir/passes/body.hpp"

#include <algorithm>
#include <utility>

#include "ir/passes/body_builder.hpp"

namespace sinter::ir {

body_builder::body_builder(const graph& g, const fusion& f, std::int32_t id, body_part part)
    : g_(g), f_(f), id_(id), group_(f.groups[static_cast<std::size_t>(id)]), part_(part) {
  if (part == body_part::combine) {
    group_.domain = group_.kept_shape();
    group_.reduced.assign(group_.domain.size(), false);
    group_.domain.push_back(1);  // the splits: the caller sets their number
    group_.reduced.push_back(true);
  }
}

body body_builder::run() {
  std::vector<node_id> roots = group_.roots;
  std::sort(roots.begin(), roots.end());
  if (part_ == body_part::partial) return partials(roots);
  for (node_id r : roots) {
    if (part_ == body_part::combine && inner(r)) continue;
    store(r);
  }
  flags();
  return std::move(out_);
}

bool body_builder::inner(node_id n) const {
  const group& whole = f_.groups[static_cast<std::size_t>(id_)];
  const node& x = g_[n];
  const node_id value = x.kind == node_kind::update ? x.inputs[1] : n;  // n has a part of it
  return x.kind != node_kind::reduce && whole.domain == g_[value].shape && has_reduced(whole);
}

bool body_builder::has_reduced(const group& g) {
  return std::find(g.reduced.begin(), g.reduced.end(), true) != g.reduced.end();
}

body body_builder::partials(const std::vector<node_id>& roots) {
  for (node_id r : roots) {
    if (inner(r)) {
      store(r);
    } else {
      visit_reductions(r);
    }
  }
  for (node_id n : group_.flags) {
    if (!is_told_last(n)) continue;
    for (std::size_t k = inputs_before_range(g_[n].kind); k < g_[n].inputs.size(); ++k) {
      visit_reductions(g_[n].inputs[k]);
    }
  }
  flags();
  return std::move(out_);
}

void body_builder::visit_reductions(node_id n) {
  if (seen_[n]++) return;
  const node& x = g_[n];
  if (x.kind == node_kind::reduce && mine(n)) {
    const parts v = value(x.inputs[0], input_index(n));
    for (int p = 0; p < 2; ++p) {
      const std::int32_t in = p ? v.second : v.first;
      if (in < 0) continue;
      const std::int32_t sum = reduce(x, in);
      push_store(sum,
                 operand_of({operand_role::output, real_of(x.type), n, p, group_.kept_index()}),
                 0, n);
    }
    note_reduction(n);
    return;
  }
  if (!mine(n)) return;
  for (node_id i : x.inputs) visit_reductions(i);
}

bool body_builder::mine(node_id n) const {
  const std::int32_t s = f_.stored[static_cast<std::size_t>(n)];
  return g_[n].kind != node_kind::source && (s == not_stored || s == id_);
}

parts body_builder::value(node_id n, const index_expr& at) {
  if (g_[n].kind == node_kind::reduce && mine(n) && !at.strides.empty()) return value(n, {});
  if (g_[n].kind == node_kind::scan && mine(n) && !(at == dense(group_.domain))) {
    return value(n, dense(group_.domain));
  }
  const std::int32_t guard = guardable(n) ? guard_ : -1;
  for (const known& k : memo_[n]) {
    if (k.at == at && k.guard == guard) return k.value;
  }
  const std::int32_t outside = std::exchange(guard_, guard);
  const parts v = make(n, at);
  guard_ = outside;
  memo_[n].push_back({at, guard, v});
  return v;
}

bool body_builder::guardable(node_id n) const {
  const node_kind k = g_[n].kind;
  if (k == node_kind::scalar) return false;
  return !mine(n) || (k != node_kind::iota && k != node_kind::random &&
                      k != node_kind::reduce && k != node_kind::scan);
}

parts body_builder::make(node_id n, const index_expr& at) {
  const node& x = g_[n];
  if (x.kind == node_kind::scalar) return scalar(n);
  if (!mine(n)) return load(n, at);
  switch (x.kind) {
    case node_kind::iota:
      return {index(at), -1};
    case node_kind::random:
      return {random(n, at), -1};
    case node_kind::view: {
      return value(x.inputs[0], through(n, at));
    }
    case node_kind::reduce:
      return reduction(n);
    case node_kind::scan:
      return scan(n, at);
    case node_kind::gather:
      return gather(n, at);
    case node_kind::pad:
      return pad(n, at);
    case node_kind::result:
      return came_to(n, at);
    default:
      return map(n, at);
  }
}

index_expr body_builder::through(node_id n, const index_expr& at) const {
  return *compose(at, group_.domain, g_, g_[n]);
}

std::int32_t body_builder::alongside(node_id n, std::size_t k, const index_expr& at) {
  const node_id i = g_[n].inputs[k];
  return value(i, g_[i].shape.empty() ? index_expr{} : at).first;
}

std::int32_t body_builder::operand_of(body_operand o) {
  o.at.start.clear();  // other forms of the same index
  o.at.pace.clear();
  o.at.axes.clear();
  if (o.buffer >= 0) o.buffer = held_by(g_, o.buffer);  // an index has no buffer
  for (std::size_t i = 0; i < out_.operands.size(); ++i) {
    const body_operand& x = out_.operands[i];
    if (x.role == o.role && x.buffer == o.buffer && x.partial == o.partial && x.at == o.at &&
        x.gathered == o.gathered) {
      return static_cast<std::int32_t>(i);
    }
  }
  out_.operands.push_back(std::move(o));
  return static_cast<std::int32_t>(out_.operands.size()) - 1;
}

std::int32_t body_builder::push(const inst& i) {
  out_.code.push_back(i);
  return static_cast<std::int32_t>(out_.code.size()) - 1;
}

std::vector<bool> differing(std::span<const inst> code,
                            const std::function<bool(std::size_t operand)>& moves) {
  std::vector<bool> all;
  for (const inst& i : code) {
    const bool reads = i.kind == inst_kind::load || i.kind == inst_kind::gather ||
                       i.kind == inst_kind::index;
    const auto args = arguments_of(i);
    all.push_back(
        (reads && moves(static_cast<std::size_t>(i.which))) ||
        std::ranges::any_of(args, [&](int a) { return all[static_cast<std::size_t>(a)]; }));
  }
  return all;
}

body build_body(const graph& g, const fusion& f, std::int32_t id, body_part part) {
  return body_builder(g, f, id, part).run();
}

}  // namespace sinter::ir
