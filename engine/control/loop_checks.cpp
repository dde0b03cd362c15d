#include "engine/control/loop_checks.hpp"

#include <algorithm>
#include <set>

#include "engine/nodes/report.hpp"
#include "engine/nodes/traced_region.hpp"

namespace sinter::detail {
namespace {

using ir::op;

region region_of(const traced_loop& t) {
  region r;
  for (const auto* list : {&t.carries, &t.slices}) {
    for (const any_array& x : *list) r.stand_in(x);
  }
  if (t.round.valid()) r.stand_in(t.round);
  return r;
}

bool is_gather(const any_array& x) { return x.get()->kind == ir::node_kind::gather; }
bool has_index(const any_array& x) {
  return is_gather(x) || x.get()->kind == ir::node_kind::scatter;
}

any_array number(std::int64_t v, location where) {
  return make_scalar({{static_cast<std::uint64_t>(v), 0}}, dtype::int64, where);
}

/// The shape of all carried and emitted values that are not of rank 0; {} if there are none.
std::vector<std::int64_t> shape_of(const traced_loop& t) {
  for (const auto* list : {&t.carries, &t.emitted}) {
    for (const any_array& x : *list) {
      if (!x.extents().empty()) return {x.extents().begin(), x.extents().end()};
    }
  }
  return {};
}

bool reaches(shape_view from, shape_view to) {
  if (from.size() > to.size()) return false;
  const std::size_t more = to.size() - from.size();
  for (std::size_t d = 0; d < from.size(); ++d) {
    if (from[d] != 1 && from[d] != to[more + d]) return false;
  }
  return true;
}

/// One of the nonzero words, or zero.
any_array one_of(const any_array& words, location where) {
  if (words.extents().empty()) return words;
  if (words.size() == 0) return number(0, where);
  std::vector<int> axes;
  for (int d = 0; d < words.ndim(); ++d) axes.push_back(d);
  const any_array most = make_reduce(words, op::maximum, false, axes, where);
  const any_array least = make_reduce(words, op::minimum, false, axes, where);
  const any_array any = make_op(op::not_equal, {most, number(0, where)}, where);
  return make_op(op::where, {any, most, least}, where);
}

}  // namespace

std::optional<checked_loop> with_fault_words(const traced_loop& t, std::string& why,
                                             location where) {
  const tracing_scope on(tracing_on());
  checked_loop out{t, t.carries.size()};
  region r = region_of(t);
  r.add(t.condition);
  for (const auto* list : {&t.next, &t.emitted}) {
    for (const any_array& x : *list) r.add(x);
  }
  const auto shape = shape_of(t);
  for (const any_array& x : r.nodes()) {
    if (!has_index(x) || !x.get()->details || !x.get()->details->in_range) continue;
    const std::size_t faults = ir::inputs_before_range(x.get()->kind);
    const any_array& bad = r.inputs(x)[faults];
    if (!reaches(bad.extents(), shape)) {
      why = "an index in it has another shape than what it carries";
      return std::nullopt;
    }
    const bool single = bad.extents().empty() && t.condition.extents().empty();
    out.add(x.get()->details->in_range.get(), bad, r.inputs(x)[faults + 1],
            single ? shape_view() : shape_view(shape), where);
  }
  std::set<const check*> seen;
  for (const any_array& x : r.nodes()) {
    const node& n = *x.get();
    if (n.kind != ir::node_kind::result || n.inputs[0].get()->kind != ir::node_kind::loop) continue;
    for (const auto& c : n.checks) {  // the fault word of an inner loop
      if (c->good || !c->status.valid() || !seen.insert(c.get()).second) continue;
      if (!c->status.extents().empty() || c->status.dtype() != dtype::int64) {
        why = "what is looked at in a loop in it is no single index";
        return std::nullopt;
      }
      const any_array bad = make_op(op::not_equal, {c->status, number(0, where)}, where);
      out.add(c.get(), bad, c->status, {}, where);
    }
  }
  return out;
}

/// A carry that becomes the word of the first round in which `bad` holds.
void checked_loop::add(const check* c, const any_array& bad, const any_array& word, shape_view own,
                       location where) {
  const any_array carry = make_placeholder(dtype::int64, own, where);
  const any_array good = make_op(op::equal, {carry, number(0, where)}, where);
  const any_array wrong = make_op(op::logical_and, {good, bad}, where);
  loop.carries.push_back(carry);
  loop.first.push_back(make_broadcast(number(0, where), own, "loop", where));
  loop.next.push_back(make_op(op::where, {wrong, word, carry}, where));
  // The value read in place of an out-of-range element could keep the loop from terminating.
  const bool decides = !loop.round.valid() && carry.ndim() == loop.condition.ndim();
  if (decides) loop.condition = make_op(op::logical_and, {loop.condition, good}, where);
  checks.push_back(c);
}

void checked_loop::take_words(std::vector<any_array>& outputs, location where) const {
  const auto begin = outputs.begin() + static_cast<std::ptrdiff_t>(carries);
  const auto end = begin + static_cast<std::ptrdiff_t>(checks.size());
  const std::vector<any_array> words(begin, end);
  outputs.erase(begin, end);
  for (std::size_t k = 0; k < words.size(); ++k) {
    const auto c = std::make_shared<check>();
    c->status = one_of(words[k], where);
    c->raise = checks[k]->raise;
    c->op = checks[k]->op;
    c->where = checks[k]->where;
    c->size = checks[k]->size;
    c->shape = checks[k]->shape;
    for (const any_array& x : outputs) attach(x, c);
  }
}

bool condition_picks(const traced_loop& t) {
  region r = region_of(t);
  r.add(t.condition);
  return std::ranges::any_of(r.nodes(), is_gather);
}

traced_loop turned(const traced_loop& t, const any_array& first, const any_array& next,
                   location where) {
  traced_loop out = t;
  out.condition = make_placeholder(dtype::bool_, first.extents(), where);
  out.carries.push_back(out.condition);
  out.first.push_back(first);
  out.next.push_back(next);
  return out;
}

}  // namespace sinter::detail
