// Branches: evaluates the chosen branch, or computes both and selects.
#include <limits>
#include <unordered_set>

#include <sinter/control.hpp>

#include "engine/control/control_host.hpp"
#include "engine/control/traced_loop.hpp"
#include "engine/evaluation/session.hpp"
#include "engine/nodes/report.hpp"

namespace sinter::detail {

namespace {

/// The most both branches may cost, in float additions per element, to be computed unconditionally.
constexpr int cheap = 32;

/// Does n belong to an elementwise loop? A scan's loop does not: it emits every round.
bool of_loop(const node& n) {
  if (n.kind == ir::node_kind::result) return of_loop(*n.inputs[0].get());
  if (n.kind != ir::node_kind::loop) return false;
  const ir::loop& l = n.details->loop;
  return l.maps.empty() && l.tables == 0 && l.results.size() == static_cast<std::size_t>(l.carries);
}

/// The cost of what a branch records on top of existing values; nullopt if the branch is not
/// elementwise or costs more than `most`. Loops are priced only if they are `guarded`: an unguarded
/// one need not terminate when its branch is not chosen.
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

/// Compute both branches? Yes if both are cheap; if values cannot be read (tracing) and both are
/// elementwise; or if each slice of a vmap chooses for itself.
bool computes_both(const std::vector<any_array>& yes, const std::vector<any_array>& no) {
  const tracing_state now = tracing_now();
  if (now.mapped) return true;
  const int most = now.tracing ? std::numeric_limits<int>::max() / 4 : cheap;
  const auto a = price(yes, most, now.tracing), b = price(no, most, now.tracing);
  return a && b && *a + *b <= most;
}

bool is_known(const any_array& x) { return x.get()->kind == ir::node_kind::scalar; }

bool holds(const any_array& pred, location where) {
  if (is_known(pred)) return (pred.get()->scalars[0].bits[0] & 1) != 0;
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
  if (!pred.extents().empty()) {
    fail<shape_error>(error_code::shape_mismatch, "cond",
                      "pred has shape " + text_of(pred.extents()) + ", not ()", where);
  }
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
    if (!std::ranges::equal(yes[k].extents(), no[k].extents())) {
      fail<shape_error>(error_code::shape_mismatch, "cond",
                        "one branch gives shape " + text_of(yes[k].extents()) + ", the other " +
                            text_of(no[k].extents()),
                        where);
    }
  }
  if (is_known(pred)) return holds(pred, where) ? yes : no;
  if (!computes_both(yes, no)) {
    if (tracing()) throw untraceable();
    return holds(pred, where) ? yes : no;
  }
  std::vector<any_array> all;
  for (std::size_t k = 0; k < yes.size(); ++k) all.push_back(chosen(pred, yes[k], no[k], where));
  return all;
}

}  // namespace sinter::detail
