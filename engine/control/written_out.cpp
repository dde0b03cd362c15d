#include "engine/control/written_out.hpp"

#include <string>
#include <utility>

#include <sinter/joining.hpp>

#include "engine/control/control_host.hpp"
#include "engine/evaluation/evaluate.hpp"
#include "engine/nodes/report.hpp"
#include "engine/nodes/traced_region.hpp"
#include "ir/graph.hpp"

namespace sinter::detail {

namespace {

/// Many rounds of small kernels become one kernel (played_rounds.hpp), while a plan of a thousand
/// nodes takes a third of a second to make.
constexpr std::int64_t most_rounds = 64, most_statements = 3000;

/// Emitted values of up to this many elements are stored by their round and copied to their place
/// at the end.
constexpr std::int64_t few_kept = 4096;

bool is_constant(const any_array& x) {
  const ir::node_kind kind = x.get()->kind;
  if (kind != ir::node_kind::view) return kind == ir::node_kind::scalar;
  const std::vector<any_array> inputs = inputs_of(x);  // empty once it is evaluated
  return !inputs.empty() && inputs[0].get()->kind == ir::node_kind::scalar;
}

/// Each round is planned by itself, and like the others: if passes saw the previous round, they
/// would make kernels of its slices. An evaluated carry needs no barrier: passes see nothing behind
/// it, and a returned barrier would be that memory itself, which may be lent out.
any_array behind_barrier(const any_array& x, location where) {
  const bool has_value = x.get()->depth.load(std::memory_order_acquire) == 0;
  if (has_value || x.extents().empty() || is_constant(x)) return x;
  return make_call(std::string(ir::barrier), {x}, x.dtype(), x.extents(), where);
}

/// Replaces the carries that changed.
void carry_on(std::vector<any_array>& carries, std::span<any_array> next, const char* op,
              location where) {
  keep_carries(op, carries, next, where);
  for (std::size_t i = 0; i < next.size(); ++i) {
    if (next[i].get() != carries[i].get()) carries[i] = behind_barrier(next[i], where);
  }
}

/// y, checked against the type and shape of the values emitted before.
const any_array& checked_kept(const std::vector<any_array>& before, const any_array& y,
                              location where) {
  checked(y, "scan", where);
  if (!before.empty()) keep_emitted(before[0], y, where);
  return y;
}

any_array slice_of(const any_array& x, std::int64_t k, location where) {
  element_map map{0, dense_strides(x.extents())};
  map.offset = map.strides[0] * k;
  map.strides.erase(map.strides.begin());
  return make_view(x, x.extents().subspan(1), std::move(map), where);
}

}  // namespace

bool is_written_out(const traced_loop& t, std::int64_t rounds) {
  const tracing_state now = tracing_now();
  if (!now.recording || now.mapped || now.live || rounds < 1 || rounds > most_rounds) return false;
  region r;
  for (const auto* list : {&t.carries, &t.slices}) {
    for (const any_array& x : *list) r.stand_in(x);
  }
  if (t.round.valid()) r.stand_in(t.round);
  for (const auto* list : {&t.next, &t.emitted}) {
    for (const any_array& x : *list) r.add(x);
  }
  return std::ssize(r.nodes()) * rounds <= most_statements;
}

std::vector<any_array> fori_written_out(std::int64_t lo, std::int64_t rounds, array_function body,
                                        std::vector<any_array> first, location where) {
  std::vector<any_array> carries = std::move(first);
  for (any_array& x : carries) x = behind_barrier(x, where);
  for (std::int64_t k = 0; k < rounds; ++k) {
    const scalar_word number{{static_cast<std::uint64_t>(lo + k), 0}};
    std::vector<any_array> given{make_scalar(number, dtype::int64, where)};
    given.insert(given.end(), carries.begin(), carries.end());
    std::vector<any_array> next(carries.size());
    body.call(body.f, given.data(), next.data(), where);
    carry_on(carries, next, "fori_loop", where);
  }
  return carries;
}

std::vector<any_array> scan_written_out(array_function body, std::vector<any_array> first,
                                        const std::vector<any_array>& xs, std::int64_t rounds,
                                        location where) {
  std::vector<any_array> carries = std::move(first);
  for (any_array& x : carries) x = behind_barrier(x, where);
  std::vector<std::vector<any_array>> kept(body.outputs);
  for (std::int64_t k = 0; k < rounds; ++k) {
    std::vector<any_array> given = carries, out(carries.size() + body.outputs);
    for (const any_array& x : xs) given.push_back(slice_of(x, k, where));
    body.call(body.f, given.data(), out.data(), where);
    for (std::size_t y = 0; y < kept.size(); ++y) {
      const any_array& made = checked_kept(kept[y], out[carries.size() + y], where);
      kept[y].push_back(made.size() > few_kept ? made : behind_barrier(made, where));
    }
    carry_on(carries, {out.data(), carries.size()}, "scan", where);
  }
  for (const auto& list : kept) carries.push_back(stack(list, 0, where));
  return carries;
}

}  // namespace sinter::detail
