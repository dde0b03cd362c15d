#include "engine/control/inner_round.hpp"

#include <utility>

#include "engine/control/traced_loop.hpp"
#include "engine/evaluation/session.hpp"
#include "engine/nodes/recording.hpp"

namespace sinter::detail {

using ir::op;

inner_round::inner_round(const node& loop, std::vector<any_array> given,
                         std::vector<any_array> sliced, const std::vector<any_array>& tables,
                         location where)
    : n_(loop),
      l_(loop.details->loop),
      where_(where),
      first_slice_(given.size()),
      known_(std::move(given)),
      sliced_(std::move(sliced)) {
  known_.resize(n_.program.inputs.size() + n_.program.code.size());
  for (const any_array& t : tables) tables_.push_back({t});
  goes_ = value(l_.condition);
}

any_array inner_round::value(int v) {
  const auto at = static_cast<std::size_t>(v);
  const std::size_t inputs = n_.program.inputs.size();
  if (known_[at].valid()) return known_[at];
  const any_array made =
      at < inputs ? read(at - first_slice_) : computed(n_.program.code[at - inputs]);
  known_[at] = made;
  return made;
}

std::vector<any_array> inner_round::write() {
  for (const ir::table_write& w : l_.writes) {
    const any_array at = place(w.by, 1), v = value(w.value);
    for (auto& versions : tables_) versions.push_back(versions.back());
    any_array& to = tables_[static_cast<std::size_t>(w.table)].back();
    to = make_scatter(to, {at, v, goes_, {}}, {w.offset.peek(), {}}, op::cast, where_);
  }
  std::vector<any_array> last;
  for (const auto& versions : tables_) last.push_back(versions.back());
  return last;
}

any_array inner_round::read(std::size_t k) {
  const std::size_t own = ir::sliced_inputs(l_);
  const any_array at = place(l_.by[k], l_.along[k].peek());
  const element_map map{l_.maps[k].offset.peek(), {}};
  if (k < own) return make_gather(sliced_[k], at, {}, map, where_);
  const ir::table_read& r = l_.reads[k - own];
  const auto& versions = tables_[static_cast<std::size_t>(r.table)];
  return make_gather(versions[static_cast<std::size_t>(r.after)], at, {}, map, where_);
}

any_array inner_round::computed(const ir::instruction& i) {
  ir::program p;
  std::vector<any_array> args;
  p.code = {i};
  for (int a = 0; a < arity(i); ++a) {
    args.push_back(value(i.args[a]));
    p.inputs.push_back(args.back().dtype());
    p.code[0].args[a] = static_cast<std::int16_t>(a);
  }
  return make_program(std::move(p), args, where_);
}

any_array inner_round::place(int by, std::int64_t along) {
  const any_array at = make_cast(value(by), dtype::int64, where_);
  const any_array there = make_op(op::where, {goes_, at, integer(0)}, where_);
  return along == 1 ? there : make_op(op::multiply, {there, integer(along)}, where_);
}

any_array inner_round::integer(std::int64_t v) const {
  return make_scalar({{static_cast<std::uint64_t>(v), 0}}, dtype::int64, where_);
}

bool stands_alone(const node& n, const std::vector<any_array>& in) {
  if (tracing_now().tracing) return false;
  const ir::loop& l = n.details->loop;
  const std::size_t at = static_cast<std::size_t>(l.condition) - n.program.inputs.size();
  if (at >= n.program.code.size()) return true;
  const ir::instruction& c = n.program.code[at];
  const auto limit = static_cast<std::size_t>(c.args[1]) - 1;
  const bool counts = c.code == op::less && c.args[0] == l.carries &&
                      c.args[1] > l.carries && limit < in.size();
  if (!counts || in[limit].get()->kind != ir::node_kind::scalar) return true;
  const bool cpu = the_session().current().machine.target == ir::target::cpu;
  return static_cast<std::int64_t>(in[limit].get()->scalars[0].bits[0]) > (cpu ? 32 : 4);
}

}  // namespace sinter::detail
