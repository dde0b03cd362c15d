// What several values come to that go to one place.
//
// Sums of floats depend on the order of their terms, and nobody knows in which order threads come.
// So they are sums of integers: each value in units of a power of two so small that what is cut off
// the least of them is far below a rounding of the largest, which is found first (as in Demmel and
// Nguyen, Fast Reproducible Floating-Point Summation, 2013, with one bin). Integers add up to the
// same in any order, on any device.

#include <bit>

#include <sinter/operators.hpp>

#include "engine/indexing/scatter.hpp"
#include "engine/nodes/term.hpp"

namespace sinter::detail {
namespace {

using ir::op;
using whole = std::int64_t;

/// A shape with another extent in place of the axes of the indices.
extents with_indices(const places& p, const extents& instead) {
  const auto rank = static_cast<std::ptrdiff_t>(p.linear.shape().size());
  const auto at = p.shape.begin() + static_cast<std::ptrdiff_t>(p.at);
  extents out(p.shape.begin(), at);
  out.insert(out.end(), instead.begin(), instead.end());
  out.insert(out.end(), at + rank, p.shape.end());
  return out;
}

/// A view of a list of n along one of two axes of (n, n), with the axes of the rest around them.
any_array along(const any_array& x, const places& p, bool first, location where) {
  const std::int64_t n = p.linear.size();
  const extents shape = with_indices(p, {n, n});
  element_map map{0, extents(shape.size(), 0)};
  if (x.ndim() == 1) {
    map.strides[p.at + (first ? 0 : 1)] = 1;
  } else {
    const auto dense = dense_strides(x.shape());
    for (std::size_t d = 0, to = 0; d < dense.size(); ++d, ++to) {
      if (d == p.at) to += first ? 0 : 1;
      map.strides[to] = dense[d];
      if (d == p.at && first) ++to;
    }
  }
  return make_view(x, shape, std::move(map), where);
}

/// For each value, what those with the same place come to.
any_array combined_in_pairs(const places& p, op code, const any_array& values, location where) {
  const std::int64_t n = p.linear.size();
  const any_array linear = make_reshape(p.linear, extents{n}, where);
  const term same = term{along(linear, p, true, where), where} ==
                    term{along(linear, p, false, where), where};
  const any_array v = make_reshape(values, with_indices(p, {n}), where);
  const double neutral = code == op::multiply ? 1 : 0;  // what is compared is not negative
  const term others{along(v, p, false, where), where};
  const term met = select(same, others, number(neutral, v.dtype(), where));
  const int axis = static_cast<int>(p.at) + 1;
  const any_array all = code == op::multiply ? prod(met.x, {.axis = axis}, where)
                                             : make_reduce(met.x, code, false, {axis}, where);
  return make_reshape(all, p.shape, where);
}

/// Is that less work than clearing memory as large as x?
bool compares_pairs(const places& p, const any_array& x) {
  const std::int64_t n = p.linear.size(), all = product_of(p.shape);
  return n <= few_indices && n * all <= x.size();
}

/// How a type writes its numbers: |x| < 2^(exponent - bias), and what stands for infinities.
template <class T> struct format;
template <> struct format<float> {
  using bits = std::uint32_t;
  static constexpr int digits = 23, special = 255, bias = 126;
};
template <> struct format<double> {
  using bits = std::uint64_t;
  static constexpr int digits = 52, special = 2047, bias = 1022;
};

/// Infinities are counted: positive ones low, negative ones high, and a NaN is both.
constexpr whole counter = whole{1} << 31;

/// 2^n for n that a double's exponent takes.
array<double> power_of_two(const array<int>& n, location where) {
  const array<whole> bits = astype<whole>(n + 1023) << 52;
  return array<double>(make_bitcast(bits, dtype::float64, where));
}

template <class T> class summation {
  using of = format<T>;

 public:
  summation(const places& p, const any_array& x, const any_array& values, location where)
      : p_(p),
        x_(x),
        index_(p.over(p.linear, where)),
        where_(where),
        v_(values),
        room_(61 - std::bit_width(static_cast<std::uint64_t>(p.linear.size()))) {}

  any_array run() {
    const array<typename of::bits> bits(make_bitcast(v_, dtype_of<typename of::bits>, where_));
    const array<int> exponent = astype<int>((bits >> of::digits) & of::special);
    largest_ = array<int>(combined(op::maximum, exponent));
    wild_ = largest_ == of::special;
    const array<int> up = room_ + of::bias - largest_;  // sums stay below 2^61
    const array<double> scaled = scale(array<double>(astype<double>(v_)), up);
    const array<double> high = round(scaled);
    const array<whole> sum(
        combined(op::add, array<whole>(where(wild_, counted(), astype<whole>(high)))));
    array<double> total = astype<double>(sum);
    if constexpr (std::same_as<T, double>) total = with_rest(sum, total, scaled - high);
    const array<double> finite = scale(total, array<int>(-up));
    return make_cast(array<double>(where(wild_, special(sum), finite)), dtype_of<T>, where_);
  }

 private:
  template <class... X> static auto where(X&&... x) { return sinter::where(std::forward<X>(x)...); }

  /// For each value what all that go to its place come to, nothing being there at first.
  any_array combined(op code, const any_array& values) const {
    if (compares_pairs(p_, x_)) return combined_in_pairs(p_, code, values, where_);
    const any_array zero = make_scalar({}, values.dtype(), where_);
    const any_array base = make_broadcast(zero, x_.shape(), "at", where_);
    const any_array all = make_scatter(base, {index_, values, {}}, p_.map, code, where_);
    return make_gather(all, index_, {}, p_.map, where_);
  }

  /// x * 2^n in two steps, where one might be out of range.
  array<double> scale(const array<double>& x, const array<int>& n) const {
    if constexpr (std::same_as<T, float>) return x * power_of_two(n, where_);
    const array<int> half = n >> 1;
    return x * power_of_two(half, where_) * power_of_two(array<int>(n - half), where_);
  }

  /// What the units of the first sum leave over is summed in smaller ones.
  array<double> with_rest(const array<whole>& sum, const array<double>& total,
                          const array<double>& rest) const {
    const double finer = static_cast<double>(whole{1} << room_);
    const array<whole> low(
        combined(op::add,
                 array<whole>(where(wild_, whole{0}, astype<whole>(round(rest * finer))))));
    const array<double> cut = astype<double>(sum - astype<whole>(total));
    return total + (cut + astype<double>(low) / finer);
  }

  array<whole> counted() const {
    const T infinite = std::numeric_limits<T>::infinity();
    return where(v_ != v_, counter + 1,
                 where(v_ == infinite, whole{1}, where(v_ == -infinite, counter, whole{0})));
  }
  array<double> special(const array<whole>& sum) const {
    const double infinite = std::numeric_limits<double>::infinity();
    const array<double> one = where(sum < counter, infinite, -infinite);
    const array<bool> both = sum > counter && (sum & (counter - 1)) != 0;
    return where(both, std::numeric_limits<double>::quiet_NaN(), one);
  }

  const places& p_;
  const any_array& x_;
  any_array index_;
  location where_;
  array<T> v_;
  int room_;
  array<int> largest_;
  array<bool> wild_;
};

}  // namespace

any_array sums_by_place(const places& p, const any_array& x, const any_array& values,
                        location where) {
  if (values.dtype() == dtype::float32) return summation<float>(p, x, values, where).run();
  return summation<double>(p, x, values, where).run();
}

any_array products_by_place(const places& p, const any_array& values, location where) {
  const any_array v = as_term(values, "at", where).x;
  return make_cast(combined_in_pairs(p, op::multiply, v, where), values.dtype(), where);
}

std::pair<places, any_array> some_of(const places& p, const any_array& values, std::int64_t first,
                                     std::int64_t count, shape_view whole, location where) {
  const extents common = extents_of(p.linear);
  const extents around = with_indices(p, {});
  indexed in{std::span(around), {p.map.offset, {}}, {}, p.at};
  for (std::size_t d = 0; d < p.shape.size(); ++d) {
    const bool of_indices = d >= p.at && d < p.at + common.size();
    if (!of_indices) in.map.strides.push_back(p.map.strides[d]);
  }
  const extents flat{p.linear.size()};
  for (const picked_axis& pick : p.picks) {
    const any_array all = make_broadcast(pick.indices, common, "at", where);
    in.picks.push_back({pick.axis, cut(make_reshape(all, flat, where), 0, first, count, where)});
  }
  const auto strides = dense_strides(whole);
  const any_array list = make_reshape(values, with_indices(p, flat), where);
  return {places_by(std::move(in), whole, values.dtype(), strides, "at", where),
          cut(list, p.at, first, count, where)};
}

}  // namespace sinter::detail
