#include <sinter/sets.hpp>

#include "engine/indexing/select.hpp"
#include "engine/shape/join.hpp"
#include "engine/sorting/search.hpp"
#include "engine/sorting/sorted.hpp"

namespace sinter::detail {
namespace {

struct pair_of_sets {
  any_array a, b;
};

pair_of_sets as_sets(const any_array& a, const any_array& b, bool unique_already,
                     std::string_view op, location where) {
  const dtype type = common_type(a, b, op, where);
  const auto one = [&](const any_array& x) {
    const any_array all = flattened(make_cast(x, type, where), where);
    return unique_already ? all : unique(all, {}, {}, op, where).values;
  };
  return {one(a), one(b)};
}

/// The elements of x that are in y, or are not.
any_array shared(const any_array& x, const any_array& y, bool wanted, std::string_view op,
                 location where) {
  const any_array sorted = sort_values(y, false, false, where);
  const any_array found = found_in(sorted, x, where);
  const any_array mask = wanted ? found : make_op(ir::op::logical_not, {found}, where);
  return choose_by(x, mask, op, where);
}

}  // namespace

any_array union1d(const any_array& a, const any_array& b, location where) {
  const pair_of_sets s = as_sets(a, b, true, "union1d", where);
  return unique(join({s.a, s.b}, 0, "union1d", where), {}, {}, "union1d", where).values;
}

any_array intersect1d(const any_array& a, const any_array& b, const set_options& o,
                      location where) {
  const pair_of_sets s = as_sets(a, b, o.assume_unique, "intersect1d", where);
  const any_array both = shared(s.a, s.b, true, "intersect1d", where);
  return o.assume_unique ? sort_values(both, false, false, where) : both;
}

std::vector<any_array> intersect1d_indices(const any_array& a, const any_array& b,
                                           const set_options& o, location where) {
  constexpr std::string_view op = "intersect1d_indices";
  const dtype type = common_type(a, b, op, where);
  const auto ordered = [&](const any_array& x) -> unique_parts {
    const any_array all = flattened(make_cast(x, type, where), where);
    if (!o.assume_unique) return unique(all, {}, {.indices = true}, op, where);
    const any_array positions = argsort_rows(all, false, where);
    return {pick_rows(all, positions, where), make_cast(positions, dtype::int64, where), {}, {}};
  };
  const unique_parts p = ordered(a), q = ordered(b);
  const any_array found = found_in(q.values, p.values, where);
  const auto chosen = [&](const any_array& x) { return choose_by(x, found, op, where); };
  const any_array values = chosen(p.values);
  const any_array places = places_in(q.values, values, false, where);
  return {values, chosen(p.indices), pick_rows(q.indices, places, where)};
}

any_array setdiff1d(const any_array& a, const any_array& b, const set_options& o, location where) {
  const pair_of_sets s = as_sets(a, b, o.assume_unique, "setdiff1d", where);
  return make_cast(shared(s.a, s.b, false, "setdiff1d", where), a.dtype(), where);
}

any_array setxor1d(const any_array& a, const any_array& b, const set_options& o, location where) {
  const pair_of_sets s = as_sets(a, b, o.assume_unique, "setxor1d", where);
  const any_array rest =
      join({shared(s.a, s.b, false, "setxor1d", where), shared(s.b, s.a, false, "setxor1d", where)},
           0, "setxor1d", where);
  return sort_values(rest, false, false, where);
}

}  // namespace sinter::detail
