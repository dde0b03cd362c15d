#include "engine/random/rejection.hpp"

#include <cmath>

#include "engine/control/traced_loop.hpp"

namespace sinter::detail {
namespace {

term narrowed(const term& word) {
  return {make_cast(word.x, dtype::uint32, word.where), word.where};
}

}  // namespace

term attempt::uniform(const term& word) const {
  const bool wide = compute == dtype::float64;
  const int width = wide ? 64 : 32;
  const term bits = wide ? word : narrowed(word);
  const term real{make_cast(bits.x, compute, word.where), word.where};
  // A value that rounds up to 1 becomes the largest number below.
  const double last = wide ? 0x1.fffffffffffffp-1 : 0x1.fffffep-1;
  return least(real * std::ldexp(1.0, -width) + std::ldexp(1.0, -width - 1),
               number(last, compute, word.where));
}

term attempt::normal(const term& word) const {
  return normal_of(compute == dtype::float64 ? word : narrowed(word), compute);
}

std::vector<term> while_true(
    const draws& d, std::vector<term> first,
    const std::function<term(const std::vector<term>&)>& more,
    const std::function<std::vector<term>(const std::vector<term>&, const term& round)>& next) {
  const location where = d.where();
  traced_loop loop;
  std::vector<term> carries;
  for (const term& t : first) {
    loop.first.push_back(make_broadcast(t.x, d.shape(), "random", where));
    loop.carries.push_back(make_placeholder(t.type(), d.shape(), where));
    carries.push_back({loop.carries.back(), where});
  }
  loop.round = make_placeholder(dtype::int64, {}, where);
  {
    const tracing_scope scope;
    loop.condition = more(carries).x;
    for (const term& t : next(carries, {loop.round, where})) loop.next.push_back(t.x);
  }
  std::string why;
  const auto results = in_one_kernel(loop, why, where);
  if (!results) throw internal_error(error_code::internal, error_text("random", why, where));
  std::vector<term> out;
  for (const any_array& x : *results) out.push_back({x, where});
  return out;
}

term first_accepted(draws& d, const term& wanted, const term& otherwise,
                    const std::function<candidate(const attempt&)>& round) {
  const location where = d.where();
  const auto words = [&](const any_array& x) {
    return term{make_cast(x, dtype::uint64, where), where};
  };
  const term element = words(make_iota(d.shape(), where));
  const term key{make_scalar({{d.key(), 0}}, dtype::uint64, where), where};
  const auto results = while_true(
      d, {otherwise, wanted}, [](const std::vector<term>& carry) { return carry[1]; },
      [&](const std::vector<term>& carry, const term& number) {
        // Rounds count from 1: the blocks at 0 belong to other draws with this key.
        const term count = words(number.x) + 1;
        const attempt bits{apply(ir::op::philox_low, {element, count, key}),
                           apply(ir::op::philox_high, {element, count, key}), d.compute()};
        const candidate c = round(bits);
        return std::vector<term>{select(c.accepted, c.value, carry[0]), !c.accepted};
      });
  return results[0];
}

}  // namespace sinter::detail
