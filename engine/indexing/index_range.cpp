#include "engine/indexing/index_range.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <optional>
#include <utility>
#include <vector>

#include "ir/ops.hpp"

namespace sinter::detail {
namespace {

using ir::op;
using limits = std::numeric_limits<std::int64_t>;

constexpr value_range anything{limits::min(), limits::max()};

/// The nodes examined, and the depth.
constexpr int most_nodes = 48, most_below = 12;

value_range type_range(dtype t) {
  if (is_bool(t)) return {0, 1};
  if (!is_integer(t) || size_of(t) == 8) return anything;
  const int bits = 8 * static_cast<int>(size_of(t));
  if (is_unsigned(t)) return {0, (std::int64_t{1} << bits) - 1};
  return {-(std::int64_t{1} << (bits - 1)), (std::int64_t{1} << (bits - 1)) - 1};
}

value_range hull(value_range a, value_range b) {
  return {std::min(a.lo, b.lo), std::max(a.hi, b.hi)};
}

/// Up to this a float type represents every integer: a sum or product between two such integers is
/// still between them after rounding.
std::int64_t most_exact(dtype t) {
  if (is_half(t)) return std::int64_t{1} << 8;
  return std::int64_t{1} << (t == dtype::float32 ? 24 : 53);
}

/// The range after conversion to a type: the same, or, if a value would wrap around, the type's
/// full range.
value_range kept_in(value_range r, dtype t) {
  if (is_real(t)) {
    const std::int64_t most = most_exact(t);
    return {r.lo < -most ? anything.lo : r.lo, r.hi > most ? anything.hi : r.hi};
  }
  if (!is_integer(t) && !is_bool(t)) return anything;
  const value_range all = type_range(t);
  const bool wraps = t == dtype::uint64 ? r.lo < 0 : !r.within(all.lo, all.hi);
  return wraps ? all : r;
}

/// The integers on both sides of a float.
value_range around(const scalar_word& w, dtype t) {
  double v = 0;
  float narrow = 0;
  std::memcpy(&v, w.bits, sizeof v);
  std::memcpy(&narrow, w.bits, sizeof narrow);
  if (t == dtype::float32) v = narrow;
  if (!(std::abs(v) <= static_cast<double>(most_exact(t)))) return anything;
  return {static_cast<std::int64_t>(std::floor(v)), static_cast<std::int64_t>(std::ceil(v))};
}

value_range scalar_range(const scalar_word& w, dtype t) {
  std::int64_t v = 0;
  if (is_bool(t) || is_unsigned(t)) std::memcpy(&v, w.bits, size_of(t));
  else if (t == dtype::int8) v = static_cast<std::int8_t>(w.bits[0]);
  else if (t == dtype::int16) v = static_cast<std::int16_t>(w.bits[0]);
  else if (t == dtype::int32) v = static_cast<std::int32_t>(w.bits[0]);
  else if (t == dtype::int64) v = static_cast<std::int64_t>(w.bits[0]);
  else return t == dtype::float32 || t == dtype::float64 ? around(w, t) : anything;
  return t == dtype::uint64 && v < 0 ? anything : value_range{v, v};
}

/// The range of an operation that is monotonic in both operands; unbounded if a corner overflows.
template <class Overflows> value_range corners(value_range a, value_range b, Overflows f) {
  value_range out{limits::max(), limits::min()};
  for (const std::int64_t x : {a.lo, a.hi}) {
    for (const std::int64_t y : {b.lo, b.hi}) {
      std::int64_t v = 0;
      if (f(x, y, &v)) return anything;
      out = hull(out, {v, v});
    }
  }
  return out;
}

value_range remainder(value_range a, value_range b, dtype t) {
  if (b.lo <= 0) return anything;  // x % 0 is 0; by a negative number the sign is negative
  if (is_real(t)) return {0, b.hi};
  const std::int64_t most = b.hi - 1;
  return {0, a.lo >= 0 ? std::min(a.hi, most) : most};
}

value_range quotient(value_range a, value_range b) {
  if (b.lo <= 0 || a.lo < 0) return anything;
  return {a.lo / b.hi, a.hi / b.lo};
}

value_range ratio(value_range a, value_range b) {
  if (b.lo <= 0 || a.lo < 0) return anything;
  return {a.lo / b.hi, a.hi / b.lo + (a.hi % b.lo != 0)};
}

value_range cast_range(value_range a, dtype from, dtype to) {
  if (!is_real(from)) return is_integer(from) || is_bool(from) ? a : anything;
  if (is_real(to)) return a;
  const value_range all = type_range(to);  // values beyond it saturate, NaN becomes 0
  if (!is_integer(to) || to == dtype::uint64) return anything;
  const value_range cut{std::clamp(a.lo, all.lo, all.hi), std::clamp(a.hi, all.lo, all.hi)};
  return hull(cut, {0, 0});
}

value_range shifted_right(value_range a, value_range b, dtype t) {
  if (b.lo < 0) return anything;
  const auto by = std::min<std::int64_t>(b.lo, 63);
  if (a.lo >= 0) return {0, a.hi >> by};
  if (t == dtype::uint64 && by > 0) return {0, limits::max() >> (by - 1)};
  return anything;
}

value_range bits_of_both(value_range a, value_range b) {
  if (a.lo < 0 && b.lo < 0) return anything;
  return {0, a.lo < 0 ? b.hi : b.lo < 0 ? a.hi : std::min(a.hi, b.hi)};
}

/// The range of the ops that indices are usually made with; for others the type's range.
value_range result_range(const ir::instruction& i, value_range a, value_range b, value_range c) {
  const bool far = i.type == dtype::uint64 && (a.lo < 0 || b.lo < 0);  // may be 2^63 or more
  switch (i.code) {
    case op::cast: return cast_range(a, i.type, i.result);
    case op::positive:
    case op::floor:
    case op::ceil:
    case op::trunc:
    case op::round: return a;
    case op::divide: return is_real(i.type) ? ratio(a, b) : anything;
    case op::negative:
      return corners({0, 0}, a,
                     [](auto x, auto y, auto v) { return __builtin_sub_overflow(x, y, v); });
    case op::add:
      return corners(a, b, [](auto x, auto y, auto v) { return __builtin_add_overflow(x, y, v); });
    case op::subtract:
      return corners(a, b, [](auto x, auto y, auto v) { return __builtin_sub_overflow(x, y, v); });
    case op::multiply:
      return corners(a, b, [](auto x, auto y, auto v) { return __builtin_mul_overflow(x, y, v); });
    case op::minimum:
      return far ? anything : value_range{std::min(a.lo, b.lo), std::min(a.hi, b.hi)};
    case op::maximum:
      return far ? anything : value_range{std::max(a.lo, b.lo), std::max(a.hi, b.hi)};
    case op::clip: {
      const value_range least{std::max(a.lo, b.lo), std::max(a.hi, b.hi)};
      if (far || (i.type == dtype::uint64 && c.lo < 0)) return anything;
      return {std::min(least.lo, c.lo), std::min(least.hi, c.hi)};
    }
    case op::where: return hull(b, c);
    case op::bitwise_and: return bits_of_both(a, b);
    case op::bitwise_right_shift: return shifted_right(a, b, i.type);
    case op::remainder: return remainder(a, b, i.type);
    case op::floor_divide: return quotient(a, b);
    default: return is_bool(i.result) ? value_range{0, 1} : anything;
  }
}

thread_local const known_range* innermost = nullptr;

class finder {
 public:
  value_range of(const any_array& x, int below) {
    const node& n = *x.get();
    if (++seen_ > most_nodes || below > most_below) return type_range(n.type);
    return kept_in(found(x, below + 1), n.type);
  }

 private:
  value_range found(const any_array& x, int below) {
    const node& n = *x.get();
    switch (n.kind) {
      case ir::node_kind::source: return known_range::of(n).value_or(anything);
      case ir::node_kind::scalar: return scalar_range(n.scalars[0], n.type);
      case ir::node_kind::iota: return {0, std::max<std::int64_t>(n.size() - 1, 0)};
      case ir::node_kind::view:
      case ir::node_kind::gather:
      case ir::node_kind::reduce:
      case ir::node_kind::map: break;
      default: return anything;
    }
    const std::vector<any_array> in = inputs_of(x);  // empty if it has been evaluated
    if (n.kind == ir::node_kind::map) return computed(n, in, below);
    if (in.empty()) return anything;
    return n.kind == ir::node_kind::reduce ? reduced(n, in[0], below) : of(in[0], below);
  }

  value_range reduced(const node& n, const any_array& in, int below) {
    const ir::reduction& r = n.details->reduction;
    if (r.arg) {
      std::int64_t places = 1;
      for (const int a : r.axes) places *= in.extents()[static_cast<std::size_t>(a)];
      return {0, std::max<std::int64_t>(places - 1, 0)};
    }
    const bool one_of_them = (r.code == op::maximum || r.code == op::minimum) && in.size() > 0;
    return one_of_them ? of(in, below) : anything;
  }

  value_range computed(const node& n, const std::vector<any_array>& in, int below) {
    if (in.size() + n.scalars.size() != n.program.inputs.size()) return anything;
    std::vector<value_range> values;
    for (const any_array& x : in) values.push_back(of(x, below));
    for (std::size_t i = 0; i < n.scalars.size(); ++i) {
      values.push_back(scalar_range(n.scalars[i], n.program.inputs[in.size() + i]));
    }
    for (const ir::instruction& i : n.program.code) {
      value_range args[3] = {anything, anything, anything};
      for (int k = 0; k < ir::arity(i); ++k) args[k] = values[static_cast<std::size_t>(i.args[k])];
      values.push_back(kept_in(result_range(i, args[0], args[1], args[2]), i.result));
    }
    return values.empty() ? anything : values.back();
  }

  int seen_ = 0;
};

}  // namespace

value_range range_of(const any_array& x) {
  return finder().of(x, 0);
}

known_range::known_range(const any_array& x, value_range r)
    : of_(x.get()), range_(r), outer_(std::exchange(innermost, this)) {}

known_range::~known_range() {
  innermost = outer_;
}

std::optional<value_range> known_range::of(const node& n) {
  for (const known_range* k = innermost; k; k = k->outer_) {
    if (k->of_ == &n) return k->range_;
  }
  return std::nullopt;
}

}  // namespace sinter::detail
