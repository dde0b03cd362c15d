// Reductions that skip NaN.

#include <cmath>
#include <limits>

#include <sinter/scans.hpp>
#include <sinter/statistics.hpp>

#include "engine/nodes/term.hpp"
#include "engine/statistics/masked.hpp"

namespace sinter::detail {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

/// x with NaN replaced by another value; x itself if its dtype has no NaN.
any_array without_nan(const any_array& x, double value, std::string_view op, location where) {
  if (!is_inexact(checked(x, op, where).type)) return x;
  const term t = as_term(x, op, where);
  const term kept = select(apply(ir::op::isnan, {t}), number(value, t.type(), where), t);
  return rounded(kept, x.dtype());
}

term is_number(const term& t) {
  return !apply(ir::op::isnan, {t});
}

/// The elements that are no NaN and, if a mask is given, where it holds.
term counted(const term& t, const array<bool>& mask, std::string_view op) {
  const term numbers = is_number(t);
  return mask.valid() ? numbers && spread_mask(t.x, mask, op, t.where) : numbers;
}

any_array extremum(const any_array& x, const fold_options& o, bool largest, location where) {
  const std::string_view op = largest ? "nanmax" : "nanmin";
  const auto axes = folded_axes(x, o.axis, op, where);
  // The plain reduction checks the dtype, the number of elements and the mask.
  const auto plain = [&](const any_array& from) {
    fold_options kept = o;
    kept.keepdims = true;
    return largest ? max(from, kept, where) : min(from, kept, where);
  };
  if (!is_real(x.dtype())) return without_axes(plain(x), axes, o.keepdims, where);
  const term t = as_term(x, op, where);
  const any_array filled = without_nan(t.x, largest ? -infinity : infinity, op, where);
  term best{plain(filled), where};
  if (!o.initial) {
    const term some = reduce_kept(is_number(t), ir::op::logical_or, axes);
    best = select(some, best, number(std::nan(""), best.type(), where));
  }
  return without_axes(rounded(best, x.dtype()), axes, o.keepdims, where);
}

any_array arg_extremum(const any_array& x, const arg_options& o, bool largest, location where) {
  const std::string_view op = largest ? "nanargmax" : "nanargmin";
  const auto axes = folded_axes(x, o.axis ? axis_list(*o.axis) : axis_list(), op, where);
  const auto plain = [&](const any_array& from) {
    return largest ? argmax(from, {o.axis, true}, where) : argmin(from, {o.axis, true}, where);
  };
  if (!is_real(x.dtype())) return without_axes(plain(x), axes, o.keepdims, where);
  const term t = as_term(x, op, where);
  any_array best = plain(without_nan(t.x, largest ? -infinity : infinity, op, where));
  const term some = reduce_kept(is_number(t), ir::op::logical_or, axes);
  best = make_reshape(best, some.x.extents(), where);
  const term result = select(some, {best, where}, number(-1, dtype::int64, where));
  return without_axes(result.x, axes, o.keepdims, where);
}

/// Sum of |x - mean|^2 over count - correction, NaN if that is not positive.
term raw_variance(const any_array& x, const variance_options& o, const std::vector<int>& axes,
                  std::string_view op, location where) {
  const term t{make_cast(x, compute_of(mean_type(checked(x, op, where).type)), where), where};
  const spread s = spread_where(t, counted(t, o.where, op), axes);
  const term divisor = s.count - o.removed(), zero = number(0, divisor.type(), where);
  const term v = s.squares / divisor;
  return select(zero < divisor, v, number(std::nan(""), v.type(), where));
}

}  // namespace

any_array nansum(const any_array& x, const fold_options& o, location where) {
  folded_axes(x, o.axis, "nansum", where);
  return sum(without_nan(x, 0, "nansum", where), o, where);
}

any_array nanprod(const any_array& x, const fold_options& o, location where) {
  folded_axes(x, o.axis, "nanprod", where);
  return prod(without_nan(x, 1, "nanprod", where), o, where);
}

any_array nanmax(const any_array& x, const fold_options& o, location where) {
  return extremum(x, o, true, where);
}

any_array nanmin(const any_array& x, const fold_options& o, location where) {
  return extremum(x, o, false, where);
}

any_array nanmean(const any_array& x, const masked_options& o, location where) {
  const auto axes = folded_axes(x, o.axis, "nanmean", where);
  const dtype type = mean_type(x.dtype());
  const term t{make_cast(x, compute_of(type), where), where};
  const term mean = mean_where(t, counted(t, o.where, "nanmean"), axes);
  return without_axes(rounded(mean, type), axes, o.keepdims, where);
}

any_array nanvar(const any_array& x, const variance_options& o, location where) {
  const auto axes = folded_axes(x, o.axis, "nanvar", where);
  const term v = raw_variance(x, o, axes, "nanvar", where);
  return without_axes(rounded(v, variance_type(x.dtype())), axes, o.keepdims, where);
}

any_array nanstd(const any_array& x, const variance_options& o, location where) {
  const auto axes = folded_axes(x, o.axis, "nanstd", where);
  const term v = apply(ir::op::sqrt, {raw_variance(x, o, axes, "nanstd", where)});
  return without_axes(rounded(v, variance_type(x.dtype())), axes, o.keepdims, where);
}

any_array nanargmax(const any_array& x, const arg_options& o, location where) {
  return arg_extremum(x, o, true, where);
}

any_array nanargmin(const any_array& x, const arg_options& o, location where) {
  return arg_extremum(x, o, false, where);
}

any_array nancumsum(const any_array& x, const scan_options& o, location where) {
  return cumsum(without_nan(x, 0, "nancumsum", where), o, where);
}

any_array nancumprod(const any_array& x, const scan_options& o, location where) {
  return cumprod(without_nan(x, 1, "nancumprod", where), o, where);
}

}  // namespace sinter::detail
