#include <sinter/control.hpp>

#include <algorithm>
#include <limits>

#include "engine/control/batcher.hpp"
#include "engine/control/control_host.hpp"
#include "engine/control/loop_checks.hpp"
#include "engine/control/traced_loop.hpp"
#include "engine/control/written_out.hpp"
#include "engine/evaluation/session.hpp"
#include "engine/indexing/index_range.hpp"
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
  return make_placeholder(x.dtype(), x.extents(), where);
}

std::vector<any_array> stand_ins(const std::vector<any_array>& list, location where) {
  std::vector<any_array> out;
  for (const any_array& x : list) out.push_back(stand_in(x, where));
  return out;
}

/// Calls f on placeholders; false if it needs values.
bool trace(array_function f, std::vector<any_array> in, std::span<any_array> out,
           location where) {
  // What does not depend on the loop stays outside of it, and is live whenever the loop is.
  const tracing_scope scope({true, true, nullptr, tracing_now().live});
  try {
    f.call(f.f, in.data(), out.data(), where);
  } catch (const untraceable&) {
    return false;
  }
  return true;
}

void keep_rank_0(const any_array& x, std::string_view op, const char* what, location where) {
  if (x.extents().empty()) return;
  fail<shape_error>(error_code::shape_mismatch, op,
                    std::string(what) + " has shape " + text_of(x.extents()) + ", not ()", where);
}

/// Rounds per plan on GPUs that compute several in one kernel.
constexpr std::int64_t stacked_rounds = 4;

/// The first value of i, and the number of rounds.
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
    if (!std::ranges::equal(a.extents(), b.extents())) {
      fail<shape_error>(error_code::shape_mismatch, op,
                        carry + " has shape " + text_of(a.extents()) +
                            ", but the body returns shape " + text_of(b.extents()) +
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
  const auto count = known_integer(b.count);
  const value_range rounds = {0, count ? std::max<std::int64_t>(*count - 1, 0)
                                       : std::numeric_limits<std::int64_t>::max()};
  const known_range numbers(t.round, rounds);
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
  const std::int64_t points = the_session().current().machine.stack_points_copied();
  const bool stacks = traced && is_of_sweeps(t, points);
  const auto from = known_integer(b.lo);
  if (traced && !stacks && from && count && is_written_out(t, *count)) {
    return fori_written_out(*from, *count, body, std::move(first), where);
  }
  return fori_by_rounds(b.lo, b.count, body, std::move(first), stacks ? stacked_rounds : 1, where);
}

namespace {

/// Records a loop whose condition gathers as one kernel: the condition becomes a carry.
std::optional<std::vector<any_array>> told_by_a_carry(const traced_loop& t,
                                                      array_function condition, std::string& why,
                                                      location where) {
  any_array first, next;
  if (!trace(condition, t.first, {&first, 1}, where)) return std::nullopt;
  if (!trace(condition, t.next, {&next, 1}, where)) return std::nullopt;
  auto all = in_one_kernel(turned(t, while_live(first, where), next, where), why, where);
  if (all) all->pop_back();
  return all;
}

}  // namespace

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
    auto all = condition_picks(t) ? told_by_a_carry(t, condition, why, where)
                                  : in_one_kernel(t, why, where);
    if (all) return std::move(*all);
  }
  if (traced && !holds.extents().empty()) {
    fail<shape_error>(error_code::shape_mismatch, "while_loop",
                      "the condition has shape " + text_of(holds.extents()) +
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

/// The number of rounds that xs gives.
std::int64_t rounds_of(const std::vector<any_array>& xs, std::int64_t length, location where) {
  for (const any_array& x : xs) {
    if (x.extents().empty()) {
      fail<shape_error>(error_code::shape_mismatch, "scan", "xs has shape (): it has no first axis",
                        where);
    }
    if (length < 0) length = x.extents()[0];
    if (length == x.extents()[0]) continue;
    fail<shape_error>(error_code::shape_mismatch, "scan",
                      "xs has shape " + text_of(x.extents()) + " where there are " +
                          std::to_string(length) + " rounds",
                      where);
  }
  if (length >= 0) return length;
  fail<shape_error>(error_code::shape_mismatch, "scan", "without xs it needs .length", where);
}

/// Sets what the loop emits; returns, at their places, the outputs that no round changes. An output
/// of `0.0` next to a new state, where only the last state is used, cost a kernel per round.
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
  shape.insert(shape.end(), y.extents().begin(), y.extents().end());
  element_map map{0, dense_strides(y.extents())};
  map.strides.insert(map.strides.begin(), 0);
  return make_view(y, shape, std::move(map), where);
}

any_array flipped(const any_array& x, location where) {
  element_map map{0, dense_strides(x.extents())};
  const std::int64_t step = map.strides[0];
  map.offset = step * std::max<std::int64_t>(x.extents()[0] - 1, 0);
  map.strides[0] = -step;
  return make_view(x, x.extents(), std::move(map), where);
}

/// The loop of a scan whose body is not traced yet.
traced_loop loop_of_scan(const std::vector<any_array>& first, const std::vector<any_array>& xs,
                         std::int64_t rounds, location where) {
  traced_loop t;
  t.carries = stand_ins(first, where);
  t.round = make_placeholder(dtype::int64, {}, where);
  t.condition = make_op(ir::op::less, {t.round, integer(rounds, where)}, where);
  for (const any_array& x : xs) {
    t.slices.push_back(make_placeholder(x.dtype(), x.extents().subspan(1), where));
  }
  t.first = first;
  t.sliced = xs;
  t.rounds = rounds;
  return t;
}

/// The scan as one kernel, and the outputs that no round changes; nothing if it cannot be one.
/// `out`: what a round gives, the carries first.
std::optional<std::vector<any_array>> scan_in_one_kernel(traced_loop& t,
                                                         const std::vector<any_array>& out,
                                                         location where) {
  const auto carried = static_cast<std::ptrdiff_t>(t.first.size());
  t.next.assign(out.begin(), out.begin() + carried);
  const std::vector<any_array> still = take_still(t, {out.begin() + carried, out.end()});
  std::string why;
  auto all = in_one_kernel(t, why, where);
  for (std::size_t i = 0; all && i < still.size(); ++i) {
    if (!still[i].valid()) continue;
    const auto at = carried + static_cast<std::ptrdiff_t>(i);
    all->insert(all->begin() + at, every_round(still[i], t.rounds, where));
  }
  return all;
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
  traced_loop t = loop_of_scan(first, xs, rounds, where);
  const auto carried = static_cast<std::ptrdiff_t>(first.size());
  std::vector<any_array> in = t.carries, out(first.size() + body.outputs);
  in.insert(in.end(), t.slices.begin(), t.slices.end());
  std::optional<std::vector<any_array>> all;
  const bool traced = trace(body, in, out, where);
  if (traced) {
    keep_carries("scan", first, out, where);
    all = scan_in_one_kernel(t, out, where);
  }
  batcher* const slices = tracing_now().mapped;
  if (!all && traced && is_written_out(t, rounds)) {
    all = scan_written_out(body, std::move(first), xs, rounds, where);
  } else if (!all && slices) {
    all = scan_over_slices(*slices, body, first, xs, rounds, where);
  } else if (!all) {
    all = scan_by_rounds(body, std::move(first), xs, rounds, out, where);
  }
  if (reverse) {
    for (auto y = all->begin() + carried; y != all->end(); ++y) *y = flipped(*y, where);
  }
  return std::move(*all);
}

}  // namespace sinter::detail
