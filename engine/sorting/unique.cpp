// Distinct elements, and distinct slices: both are the columns of a matrix, sorted.

#include <sinter/sets.hpp>

#include <bit>
#include <cmath>

#include "engine/indexing/select.hpp"
#include "engine/shape/join.hpp"
#include "engine/sorting/search.hpp"
#include "engine/sorting/sort_keys.hpp"
#include "engine/sorting/sorted.hpp"

namespace sinter::detail {
namespace {

/// Is each sorted column different from the one before it? `sorted`: (height, columns).
any_array starts_of_runs(const any_array& sorted, bool equal_nan, location where) {
  const std::int64_t n = sorted.extents()[1];
  const any_array yes = make_scalar({{1, 0}}, dtype::bool_, where);
  if (n < 2) return make_broadcast(yes, extents{n}, "unique", where);
  if (sorted.size() == 0) return (term{make_iota(extents{n}, where), where} == 0).x;
  const term all{make_cast(sorted, compute_of(sorted.dtype()), where), where};
  const term after{cut(all.x, 1, 1, n - 1, where), where};
  const term before{cut(all.x, 1, 0, n - 1, where), where};
  term differs = apply(ir::op::not_equal, {after, before});
  if (equal_nan && is_inexact(all.type())) {
    differs = differs && !(apply(ir::op::isnan, {after}) && apply(ir::op::isnan, {before}));
  }
  const any_array any = sorted.extents()[0] == 1
                            ? make_reshape(differs.x, extents{n - 1}, where)
                            : make_reduce(differs.x, ir::op::logical_or, false, {0}, where);
  return surround(any, {1}, {n}, yes, where);
}

/// Removes the sign of zeros: it must not show which of several equal ones was kept.
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

/// The number of the run that each original element is in.
any_array run_of_each(const any_array& first, const any_array& positions, location where) {
  const any_array ones = make_cast(first, dtype::int64, where);
  const term run = term{make_scan(ones, ir::op::add, 0, where), where} - 1;
  // The inverse of a permutation is the order that sorts it.
  const any_array back = argsort_rows(positions, false, where);
  return pick_rows(run.x, back, where);
}

/// x as a matrix whose columns are compared, and the way back to arrays like x.
struct columns {
  any_array x;      // (height, columns)
  extents others;   // the axes merged into the height
  rows_view along;  // of x with the axis last

  /// Some of the columns, by position.
  any_array at(const any_array& places, location where) const {
    const extents shape{x.extents()[0], places.size()};
    return pick_rows(x, make_broadcast(places, shape, "unique", where), where);
  }
  any_array restored(const any_array& some, location where) const {
    extents shape = others;
    shape.push_back(some.extents()[1]);
    return along.restored(make_reshape(some, shape, where));
  }
};

columns columns_of(const any_array& x, std::optional<std::int64_t> axis, std::string_view op,
                   location where) {
  const rows_view r = rows_along(x, axis, op, where);
  extents others = extents_of(r.x);
  others.pop_back();
  const extents shape{product_of(others), r.length()};
  return {make_reshape(r.x, shape, where), others, r};
}

/// A sort key word per column, from as many of the elements before `end` as fit. `end` becomes the
/// first of them.
any_array key_before(const any_array& x, std::int64_t& end, location where) {
  const auto bits = static_cast<std::uint64_t>(8 * size_of(x.dtype()));
  const std::int64_t first = std::max<std::int64_t>(0, end - static_cast<std::int64_t>(64 / bits));
  const any_array by = make_scalar({{bits, 0}}, dtype::uint64, where);
  const extents shape{x.extents()[1]};
  any_array key;
  for (std::int64_t i = first; i < end; ++i) {
    const any_array one = make_reshape(cut(x, 0, i, 1, where), shape, where);
    const any_array part =
        make_cast(sort_key(one, false, zero_signs::equal, where), dtype::uint64, where);
    key = key.valid() ? make_op(ir::op::bitwise_or,
                                {make_op(ir::op::shift_left, {key, by}, where), part}, where)
                      : part;
  }
  end = first;
  return key;
}

/// The positions of the columns in lexicographic order; equal ones keep their order. `equal_nan`:
/// all NaNs are equal.
any_array order_of(const any_array& x, bool equal_nan, location where) {
  const std::int64_t height = x.extents()[0];
  const extents shape{x.extents()[1]};
  if (height == 1) return argsort_rows(make_reshape(x, shape, where), false, where);
  any_array positions = make_iota(shape, where);
  if (is_complex(x.dtype())) {
    // Keys of real numbers have a single NaN; the parts of complex NaNs would differ.
    const any_array nan = make_cast(
        make_scalar({{std::bit_cast<std::uint64_t>(std::nan("")), 0}}, dtype::float64, where),
        x.dtype(), where);
    for (std::int64_t i = height; i-- > 0;) {
      any_array key = make_reshape(cut(x, 0, i, 1, where), shape, where);
      if (equal_nan) {
        key = make_op(ir::op::where, {make_op(ir::op::isnan, {key}, where), nan, key}, where);
      }
      const any_array order = argsort_rows(pick_rows(key, positions, where), false, where);
      positions = pick_rows(positions, order, where);
    }
    return positions;
  }
  for (std::int64_t end = height; end > 0;) {
    positions = refined(positions, key_before(x, end, where), where);
  }
  return positions;
}

}  // namespace

unique_parts unique(const any_array& x, const unique_options& o, unique_wanted wanted,
                    std::string_view op, location where) {
  checked(x, op, where);
  const columns all = columns_of(x, o.axis, op, where);
  const std::int64_t n = all.x.extents()[1];
  any_array positions, sorted;
  if (wanted.indices || wanted.inverse_indices || o.axis) {
    positions = order_of(all.x, o.equal_nan, where);
    sorted = all.at(positions, where);
  } else {
    sorted = sort_values(all.x, false, false, where);
  }
  const any_array first = starts_of_runs(plain_zeros(sorted, where), o.equal_nan, where);
  unique_parts out;
  if (o.axis) {
    const any_array places = choose_by(positions, first, op, where);
    out.values = plain_zeros(all.restored(all.at(places, where), where), where);
  } else {
    const any_array flat = make_reshape(plain_zeros(sorted, where), extents{n}, where);
    out.values = choose_by(flat, first, op, where);
  }
  if (wanted.indices) {
    out.indices = choose_by(make_cast(positions, dtype::int64, where), first, op, where);
  }
  if (wanted.inverse_indices) {
    const any_array run =
        n > 0 ? run_of_each(first, positions, where) : make_iota(extents{0}, where);
    out.inverse_indices = o.axis ? run : make_reshape(run, x.extents(), where);
  }
  if (wanted.counts) {
    const any_array starts = choose_by(make_iota(extents{n}, where), first, op, where);
    out.counts = differences(starts, n, where);
  }
  return out;
}

}  // namespace sinter::detail
