#include <sinter/control.hpp>

#include <algorithm>
#include <limits>
#include <unordered_set>

#include "engine/control/batcher.hpp"
#include "engine/control/control_host.hpp"
#include "engine/control/traced_loop.hpp"
#include "engine/evaluation/session.hpp"
#include "engine/nodes/report.hpp"
#include "engine/nodes/traced_region.hpp"

namespace sinter::detail {

namespace {

const scalar_word* known(const any_array& x) {
  const node& n = *x.get();
  return n.kind == ir::node_kind::scalar ? &n.scalars[0] : nullptr;
}

std::optional<std::int64_t> known_integer(const any_array& x) {
  const scalar_word* w = known(x);
  if (!w) return std::nullopt;
  return static_cast<std::int64_t>(w->bits[0]);
}

any_array integer(std::int64_t v, location where) {
  return make_scalar({{static_cast<std::uint64_t>(v), 0}}, dtype::int64, where);
}

any_array stand_in(const any_array& x, location where) {
  return make_placeholder(x.dtype(), x.shape(), where);
}

std::vector<any_array> stand_ins(const std::vector<any_array>& list, location where) {
  std::vector<any_array> out;
  for (const any_array& x : list) out.push_back(stand_in(x, where));
  return out;
}

/// f on stand-ins; false if it needs values.
bool trace(array_function f, std::vector<any_array> in, std::span<any_array> out,
           location where) {
  // What does not depend on the loop stays outside of it: wanted where the loop is.
  const tracing_scope scope({true, true, nullptr, tracing_now().live});
  try {
    f.call(f.f, in.data(), out.data(), where);
  } catch (const untraceable&) {
    return false;
  }
  return true;
}

void keep_rank_0(const any_array& x, std::string_view op, const char* what, location where) {
  if (x.shape().empty()) return;
  fail<shape_error>(error_code::shape_mismatch, op,
                    std::string(what) + " has shape " + text_of(x.shape()) + ", not ()", where);
}

/// Rounds in one plan, where a GPU does several in one kernel.
constexpr std::int64_t stacked_rounds = 4;

/// Counts: lo as the first i, and how many rounds there are.
struct bounds {
  any_array lo, count;
};

bounds bounds_of(const any_array& lo, const any_array& hi, location where) {
  keep_rank_0(lo, "fori_loop", "lo", where);
  keep_rank_0(hi, "fori_loop", "hi", where);
  const auto from = known_integer(lo), to = known_integer(hi);
  if (!from || !to) return {lo, make_op(ir::op::subtract, {hi, lo}, where)};
  std::int64_t n = 0;
  if (*to <= *from) return {lo, integer(0, where)};
  if (__builtin_sub_overflow(*to, *from, &n)) {
    fail<value_error>(error_code::bad_argument, "fori_loop", "more rounds than an int64 counts",
                      where);
  }
  return {lo, integer(n, where)};
}

any_array index_of(const any_array& lo, const any_array& round, location where) {
  return known_integer(lo) == 0 ? round : make_op(ir::op::add, {round, lo}, where);
}

std::vector<any_array> joined(any_array first, const std::vector<any_array>& rest) {
  std::vector<any_array> all{std::move(first)};
  all.insert(all.end(), rest.begin(), rest.end());
  return all;
}

void checked_all(const std::vector<any_array>& list, std::string_view op, location where) {
  for (const any_array& x : list) checked(x, op, where);
}

}  // namespace

void keep_carries(std::string_view op, std::span<const any_array> first,
                  std::span<const any_array> next, location where) {
  for (std::size_t k = 0; k < first.size(); ++k) {
    const any_array &a = first[k], &b = next[k];
    checked(b, op, where);
    const std::string carry = "carry " + std::to_string(k);
    if (a.dtype() != b.dtype()) {
      fail<dtype_error>(error_code::bad_dtype, op,
                        carry + " is " + std::string(name(a.dtype())) + ", but the body returns " +
                            std::string(name(b.dtype())) +
                            ": what is carried keeps its type. Convert what is returned with "
                            "astype, or begin with that type",
                        where);
    }
    if (!std::ranges::equal(a.shape(), b.shape())) {
      fail<shape_error>(error_code::shape_mismatch, op,
                        carry + " has shape " + text_of(a.shape()) +
                            ", but the body returns shape " + text_of(b.shape()) +
                            ": what is carried keeps its shape",
                        where);
    }
  }
}

std::vector<any_array> fori_loop(const any_array& lo, const any_array& hi, array_function body,
                                 std::vector<any_array> first, location where) {
  checked_all(first, "fori_loop", where);
  const bounds b = bounds_of(lo, hi, where);
  traced_loop t;
  t.carries = stand_ins(first, where);
  t.round = make_placeholder(dtype::int64, {}, where);
  t.next.resize(first.size());
  const bool traced = trace(body, joined(index_of(lo, t.round, where), t.carries), t.next, where);
  if (traced) {
    keep_carries("fori_loop", first, t.next, where);
    t.condition = while_live(make_op(ir::op::less, {t.round, b.count}, where), where);
    t.first = first;
    std::string why;
    if (auto all = in_one_kernel(t, why, where)) return std::move(*all);
  }
  if (batcher* slices = tracing_now().mapped) {
    return fori_over_slices(*slices, {lo, hi}, body, first, where);
  }
  const std::int64_t points = the_session().current().machine.stack_points;
  const bool stacks = on_gpu() && traced && is_of_sweeps(t, points);
  return fori_by_rounds(b.lo, b.count, body, std::move(first), stacks ? stacked_rounds : 1, where);
}

std::vector<any_array> while_loop(array_function condition, array_function body,
                                  std::vector<any_array> first, location where) {
  checked_all(first, "while_loop", where);
  traced_loop t;
  t.carries = stand_ins(first, where);
  t.next.resize(first.size());
  any_array holds;
  std::string why = "its body cannot be traced";
  const bool traced = trace(condition, t.carries, {&holds, 1}, where);
  if (traced && trace(body, t.carries, t.next, where)) {
    keep_carries("while_loop", first, t.next, where);
    t.condition = while_live(holds, where);
    t.first = first;
    if (auto all = in_one_kernel(t, why, where)) return std::move(*all);
  }
  if (traced && !holds.shape().empty()) {
    fail<shape_error>(error_code::shape_mismatch, "while_loop",
                      "the condition has shape " + text_of(holds.shape()) +
                          ", and the loop is not elementwise (" + why +
                          "): it wants a condition of shape ()",
                      where);
  }
  if (batcher* slices = tracing_now().mapped) {
    return while_over_slices(*slices, condition, body, first, where);
  }
  return while_by_rounds(condition, body, std::move(first), where);
}

namespace {

/// How many rounds xs makes.
std::int64_t rounds_of(const std::vector<any_array>& xs, std::int64_t length, location where) {
  for (const any_array& x : xs) {
    if (x.shape().empty()) {
      fail<shape_error>(error_code::shape_mismatch, "scan", "xs has shape (): it has no first axis",
                        where);
    }
    if (length < 0) length = x.shape()[0];
    if (length == x.shape()[0]) continue;
    fail<shape_error>(error_code::shape_mismatch, "scan",
                      "xs has shape " + text_of(x.shape()) + " where there are " +
                          std::to_string(length) + " rounds",
                      where);
  }
  if (length >= 0) return length;
  fail<shape_error>(error_code::shape_mismatch, "scan", "without xs it needs .length", where);
}

/// Sets what the loop emits; returns, at their places, those that no round changes: `0.0` beside a
/// new state, where only the last state is wanted, took every round a kernel of its own.
std::vector<any_array> take_still(traced_loop& t, const std::vector<any_array>& kept) {
  region seen;
  for (const auto* list : {&t.carries, &t.slices}) {
    for (const any_array& x : *list) seen.stand_in(x.get());
  }
  seen.stand_in(t.round.get());
  for (const any_array& y : kept) seen.add(y);
  std::vector<any_array> still(kept.size());
  for (std::size_t i = 0; i < kept.size(); ++i) {
    if (seen.depends(kept[i]))
      t.emitted.push_back(kept[i]);
    else
      still[i] = kept[i];
  }
  return still;
}

any_array every_round(const any_array& y, std::int64_t rounds, location where) {
  std::vector<std::int64_t> shape{rounds};
  shape.insert(shape.end(), y.shape().begin(), y.shape().end());
  element_map map{0, dense_strides(y.shape())};
  map.strides.insert(map.strides.begin(), 0);
  return make_view(y, shape, std::move(map), where);
}

any_array flipped(const any_array& x, location where) {
  element_map map{0, dense_strides(x.shape())};
  const std::int64_t step = map.strides[0];
  map.offset = step * std::max<std::int64_t>(x.shape()[0] - 1, 0);
  map.strides[0] = -step;
  return make_view(x, x.shape(), std::move(map), where);
}

}  // namespace

std::vector<any_array> scan(array_function body, std::vector<any_array> first,
                            std::vector<any_array> xs, std::int64_t length, bool reverse,
                            location where) {
  checked_all(first, "scan", where);
  checked_all(xs, "scan", where);
  const std::int64_t rounds = rounds_of(xs, length, where);
  if (reverse) {
    for (any_array& x : xs) x = flipped(x, where);
  }
  traced_loop t;
  t.carries = stand_ins(first, where);
  t.round = make_placeholder(dtype::int64, {}, where);
  t.condition = make_op(ir::op::less, {t.round, integer(rounds, where)}, where);
  for (const any_array& x : xs) {
    t.slices.push_back(make_placeholder(x.dtype(), x.shape().subspan(1), where));
  }
  t.first = first;
  t.sliced = xs;
  t.rounds = rounds;
  std::vector<any_array> in = t.carries, out(first.size() + body.outputs);
  in.insert(in.end(), t.slices.begin(), t.slices.end());
  const auto carried = static_cast<std::ptrdiff_t>(first.size());
  std::vector<any_array> all;
  if (trace(body, in, out, where)) {
    keep_carries("scan", first, out, where);
    t.next.assign(out.begin(), out.begin() + carried);
    const std::vector<any_array> kept(out.begin() + carried, out.end());
    const std::vector<any_array> still = take_still(t, kept);
    std::string why;
    if (auto made = in_one_kernel(t, why, where)) {
      all = std::move(*made);
      for (std::size_t i = 0; i < still.size(); ++i) {
        if (!still[i].valid()) continue;
        const auto at = carried + static_cast<std::ptrdiff_t>(i);
        all.insert(all.begin() + at, every_round(still[i], rounds, where));
      }
    }
  }
  if (all.empty()) {
    batcher* slices = tracing_now().mapped;
    all = slices ? scan_over_slices(*slices, body, first, xs, rounds, where)
                 : scan_by_rounds(body, std::move(first), xs, rounds, out, where);
  }
  if (reverse) {
    for (auto y = all.begin() + carried; y != all.end(); ++y) *y = flipped(*y, where);
  }
  return all;
}

namespace {

/// What both branches may cost, in float additions an element, to be computed whichever is chosen.
constexpr int cheap = 32;

/// Is it of a loop at a point? Those of scans are not elementwise: they keep every round.
bool of_loop(const node& n) {
  if (n.kind == ir::node_kind::result) return of_loop(*n.inputs[0].get());
  if (n.kind != ir::node_kind::loop) return false;
  const ir::loop& l = n.details->loop;
  return l.maps.empty() && l.results.size() == static_cast<std::size_t>(l.carries);
}

/// The cost of what a branch records beyond what is there already; nothing for one that is not
/// elementwise or costs more than `most`. Loops are priced only where they are `guarded`: unguarded
/// ones need not end where their branch is not chosen.
std::optional<int> price(const std::vector<any_array>& results, int most, bool guarded) {
  int cost = 0;
  std::vector<any_array> todo = results;
  std::unordered_set<const node*> seen;
  while (!todo.empty()) {
    const any_array x = std::move(todo.back());
    todo.pop_back();
    const node& n = *x.get();
    const bool there = n.depth.load(std::memory_order_acquire) == 0 ||
                       n.kind == ir::node_kind::scalar || n.kind == ir::node_kind::source;
    if (there || !seen.insert(x.get()).second) continue;
    const bool elementwise = n.kind == ir::node_kind::map || n.kind == ir::node_kind::view ||
                             (guarded && of_loop(n));
    if (!elementwise) return std::nullopt;
    for (const ir::instruction& i : n.program.code) cost += ir::info(i.code).cost;
    if (cost > most) return std::nullopt;
    for (any_array& in : inputs_of(x)) todo.push_back(std::move(in));
  }
  return cost;
}

/// Both are computed: where they are cheap, and where no value can be looked at and both are
/// elementwise, or each slice of a vmap has its own choice.
bool computes_both(const std::vector<any_array>& yes, const std::vector<any_array>& no) {
  const tracing_state now = tracing_now();
  if (now.mapped) return true;
  const int most = now.tracing ? std::numeric_limits<int>::max() / 4 : cheap;
  const auto a = price(yes, most, now.tracing), b = price(no, most, now.tracing);
  return a && b && *a + *b <= most;
}

bool holds(const any_array& pred, location where) {
  if (const scalar_word* w = known(pred)) return (w->bits[0] & 1) != 0;
  unsigned char value = 0;
  read(pred, &value, where, "cond");
  return value != 0;
}

}  // namespace

any_array chosen(const any_array& pred, const any_array& yes, const any_array& no,
                 location where) {
  const dtype t = yes.dtype();
  if (!is_half(t)) return make_op(ir::op::where, {pred, yes, no}, where);
  const auto wide = [&](const any_array& x) { return make_cast(x, dtype::float32, where); };
  return make_cast(make_op(ir::op::where, {pred, wide(yes), wide(no)}, where), t, where);
}

branch_scope::branch_scope(const any_array& pred, bool side, location where) {
  const tracing_state now = tracing_now();
  before_ = now.live;
  if (!now.tracing || !pred.valid() || pred.dtype() != dtype::bool_ || pred.ndim() != 0) return;
  live_ = while_live(side ? pred : make_op(ir::op::logical_not, {pred}, where), where);
  set_live(&live_);
}

branch_scope::~branch_scope() {
  if (live_.valid()) set_live(before_);
}

std::vector<any_array> cond(const any_array& pred, std::vector<any_array> yes,
                            std::vector<any_array> no, location where) {
  checked(pred, "cond", where);
  keep_rank_0(pred, "cond", "pred", where);
  if (pred.dtype() != dtype::bool_) {
    fail<dtype_error>(error_code::bad_dtype, "cond",
                      "pred is " + std::string(name(pred.dtype())) + ", not bool", where);
  }
  for (std::size_t k = 0; k < yes.size(); ++k) {
    checked(yes[k], "cond", where);
    checked(no[k], "cond", where);
    if (yes[k].dtype() != no[k].dtype()) {
      fail<dtype_error>(error_code::bad_dtype, "cond",
                        "one branch gives " + std::string(name(yes[k].dtype())) +
                            ", the other " + std::string(name(no[k].dtype())) +
                            ": convert one of them with astype",
                        where);
    }
    if (!std::ranges::equal(yes[k].shape(), no[k].shape())) {
      fail<shape_error>(error_code::shape_mismatch, "cond",
                        "one branch gives shape " + text_of(yes[k].shape()) + ", the other " +
                            text_of(no[k].shape()),
                        where);
    }
  }
  if (known(pred)) return holds(pred, where) ? yes : no;
  if (!computes_both(yes, no)) {
    if (tracing()) throw untraceable();
    return holds(pred, where) ? yes : no;
  }
  std::vector<any_array> all;
  for (std::size_t k = 0; k < yes.size(); ++k) all.push_back(chosen(pred, yes[k], no[k], where));
  return all;
}

}  // namespace sinter::detail
