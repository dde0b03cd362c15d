#include <sinter/sets.hpp>

#include "engine/join.hpp"
#include "engine/search.hpp"
#include "engine/select.hpp"
#include "engine/sorted.hpp"

namespace sinter::detail {
namespace {

/// Of an array in order: is each element another one than that before it?
any_array starts_of_runs(const any_array& sorted, bool equal_nan, location where) {
  const std::int64_t n = sorted.size();
  const any_array yes = make_scalar({{1, 0}}, dtype::bool_, where);
  if (n < 2) return make_broadcast(yes, extents{n}, "unique", where);
  const term all{make_cast(sorted, compute_of(sorted.dtype()), where), where};
  const term after{cut(all.x, 0, 1, n - 1, where), where};
  const term before{cut(all.x, 0, 0, n - 1, where), where};
  term differs = apply(ir::op::not_equal, {after, before});
  if (equal_nan && is_inexact(all.type())) {
    differs = differs && !(apply(ir::op::isnan, {after}) && apply(ir::op::isnan, {before}));
  }
  return surround(differs.x, {1}, {n}, yes, where);
}

/// Zeros without their signs: which of equal ones stands for them must not show.
any_array plain_zeros(const any_array& x, location where) {
  if (!is_real(x.dtype())) return x;
  const term t{make_cast(x, compute_of(x.dtype()), where), where};
  return make_cast((t + 0.0).x, x.dtype(), where);
}

any_array differences(const any_array& starts, std::int64_t end, location where) {
  const std::int64_t n = starts.size();
  if (n == 0) return starts;
  const any_array last = make_scalar({{static_cast<std::uint64_t>(end), 0}}, dtype::int64, where);
  const any_array next = n == 1 ? make_broadcast(last, extents{1}, "unique", where)
                                : surround(cut(starts, 0, 1, n - 1, where), {0}, {n}, last, where);
  return (term{next, where} - term{starts, where}).x;
}

/// Where in the order of runs each element of what was sorted is.
any_array run_of_each(const any_array& first, const any_array& positions, location where) {
  const any_array ones = make_cast(first, dtype::int64, where);
  const term run = term{make_scan(ones, ir::op::add, 0, where), where} - 1;
  // The inverse of a permutation is what sorts it.
  const any_array back = argsort_rows(positions, false, where);
  return pick_rows(run.x, back, where);
}

struct pair_of_sets {
  any_array a, b;
};

pair_of_sets as_sets(const any_array& a, const any_array& b, bool unique_already,
                     std::string_view op, location where) {
  const dtype type = promote(checked(a, op, where).type, checked(b, op, where).type);
  const auto one = [&](const any_array& x) {
    const any_array all = flattened(make_cast(x, type, where), where);
    return unique_already ? all : unique(all, {}, {}, op, where).values;
  };
  return {one(a), one(b)};
}

/// The elements of x that are, or are not, in y.
any_array shared(const any_array& x, const any_array& y, bool wanted, std::string_view op,
                 location where) {
  const any_array sorted = sort_values(y, false, false, where);
  const any_array found = found_in(sorted, x, where);
  const any_array mask = wanted ? found : make_op(ir::op::logical_not, {found}, where);
  return choose_by(x, mask, op, where);
}

}  // namespace

unique_parts unique(const any_array& x, const unique_options& o, unique_wanted wanted,
                    std::string_view op, location where) {
  checked(x, op, where);
  const any_array all = flattened(x, where);
  const std::int64_t n = all.size();
  any_array positions, sorted;
  if (wanted.indices || wanted.inverse_indices) {
    positions = argsort_rows(all, false, where);
    sorted = plain_zeros(pick_rows(all, positions, where), where);
  } else {
    sorted = plain_zeros(sort_values(all, false, false, where), where);
  }
  const any_array first = starts_of_runs(sorted, o.equal_nan, where);
  unique_parts out;
  out.values = choose_by(sorted, first, op, where);
  if (wanted.indices) {
    out.indices = choose_by(make_cast(positions, dtype::int64, where), first, op, where);
  }
  if (wanted.inverse_indices) {
    const any_array run =
        n > 0 ? run_of_each(first, positions, where) : make_iota(extents{0}, where);
    out.inverse_indices = make_reshape(run, x.shape(), where);
  }
  if (wanted.counts) {
    const any_array starts = choose_by(make_iota(extents{n}, where), first, op, where);
    out.counts = differences(starts, n, where);
  }
  return out;
}

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
