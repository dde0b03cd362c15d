#pragma once
// Formulas over arrays whose dtype is known at run time: C++'s operators and the ops of the table.
// They are recorded op by op and planned as one statement; half types stay in float until
// `rounded`.

#include <algorithm>
#include <numeric>

#include <sinter/reductions.hpp>
#include <sinter/views.hpp>

#include "engine/nodes/axes.hpp"
#include "engine/nodes/node.hpp"
#include "engine/nodes/report.hpp"

namespace sinter::detail {

using extents = std::vector<std::int64_t>;

inline extents extents_of(const any_array& x) {
  const auto s = x.extents();
  return {s.begin(), s.end()};
}

inline std::int64_t product_of(shape_view s) {
  return std::accumulate(s.begin(), s.end(), std::int64_t{1}, std::multiplies<>());
}

/// An array in a type that ops compute in.
struct term {
  any_array x;
  location where;

  dtype type() const { return x.dtype(); }
};

/// x, checked, with half types widened.
term as_term(const any_array& x, std::string_view op, location where);
/// A rank-0 term of `type`; the value is converted.
term number(double value, dtype type, location where);
/// One op with NumPy's promotion of its operands. Throws shape_error, and dtype_error if the op has
/// no meaning for the type.
term apply(ir::op code, std::initializer_list<term> operands);
/// The value in its final type.
any_array rounded(const term& t, dtype type);

term operator+(const term& a, const term& b);
term operator-(const term& a, const term& b);
term operator*(const term& a, const term& b);
term operator/(const term& a, const term& b);
term operator==(const term& a, const term& b);
term operator<(const term& a, const term& b);
term operator<=(const term& a, const term& b);
term operator&&(const term& a, const term& b);
term operator||(const term& a, const term& b);
term operator!(const term& a);
// A number takes the type of the other operand.
term operator+(const term& a, double b);
term operator-(const term& a, double b);
term operator-(double a, const term& b);
term operator*(const term& a, double b);
term operator/(const term& a, double b);
term operator==(const term& a, double b);
term select(const term& condition, const term& yes, const term& no);

/// The complex array of two real ones, of the same dtype and broadcastable shapes: exact, unlike re
/// + i im. Half types give complex64.
any_array make_complex(const any_array& re, const any_array& im, location where);

/// Reduces over `axes`, which stay as axes of extent 1. `code` as in make_reduce.
term reduce_kept(const term& t, ir::op code, const std::vector<int>& axes);
/// The axes, ascending; all of them if the list says so. Throws axis_error.
std::vector<int> reduced_axes(const any_array& x, const axis_list& axis, std::string_view op,
                              location where);
/// The same for functions that combine elements pairwise, where a scalar accepts axis 0 or -1.
std::vector<int> folded_axes(const any_array& x, const axis_list& axis, std::string_view op,
                             location where);
/// The number of elements along `axes`.
std::int64_t count_along(const any_array& x, const std::vector<int>& axes);
/// x, whose `axes` have extent 1, without them unless `keepdims`.
any_array without_axes(const any_array& x, const std::vector<int>& axes, bool keepdims,
                       location where);
/// 0, 1, ... along `axis` of `shape`, int64.
any_array coordinates(shape_view shape, std::size_t axis, location where);
/// Elements first, first + step, ... of an axis. REQUIRES: they exist.
any_array cut(const any_array& x, std::size_t axis, std::int64_t first, std::int64_t count,
              location where, std::int64_t step = 1);

}  // namespace sinter::detail
