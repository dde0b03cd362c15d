#include "engine/control/written_out.hpp"

#include <string>
#include <utility>

#include "engine/control/control_host.hpp"
#include "engine/evaluation/evaluate.hpp"
#include "engine/nodes/traced_region.hpp"
#include "ir/graph.hpp"

namespace sinter::detail {

namespace {

/// Rounds of small kernels become one kernel where they are many (played_rounds.hpp), and a plan of
/// a thousand nodes takes a third of a second.
constexpr std::int64_t most_rounds = 64, most_statements = 3000;

bool is_constant(const any_array& x) {
  const node& n = *x.get();
  return n.kind == ir::node_kind::scalar ||
         (n.kind == ir::node_kind::view && n.inputs[0].get()->kind == ir::node_kind::scalar);
}

/// Rounds are planned each by itself, and alike: what passes see of the round before makes its
/// slices kernels of their own.
any_array behind_barrier(const any_array& x, location where) {
  if (x.shape().empty() || is_constant(x)) return x;
  return make_call(std::string(ir::barrier), {x}, x.dtype(), x.shape(), where);
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
    keep_carries("fori_loop", carries, next, where);
    for (std::size_t i = 0; i < next.size(); ++i) {
      if (next[i].get() != carries[i].get()) carries[i] = behind_barrier(next[i], where);
    }
  }
  return carries;
}

}  // namespace sinter::detail
