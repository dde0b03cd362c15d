#include <sinter/session.hpp>
#include <sinter/splitting.hpp>

#include "engine/control/traced_loop.hpp"
#include "engine/nodes/term.hpp"

namespace sinter::detail {
namespace {

std::size_t split_axis(const any_array& x, std::int64_t axis, std::string_view op,
                       location where) {
  checked(x, op, where);
  return static_cast<std::size_t>(normalize_axis(axis, x.ndim(), op, where));
}

/// The start of each part, and the end of the last.
extents even_cuts(std::int64_t extent, std::int64_t parts) {
  extents cuts = {0};
  for (std::int64_t i = 0; i < parts; ++i) {
    cuts.push_back(cuts.back() + extent / parts + (i < extent % parts ? 1 : 0));
  }
  return cuts;
}

extents cuts_at(std::int64_t extent, const int_list& indices) {
  extents cuts = {0};
  for (std::int64_t i : indices) {
    cuts.push_back(std::clamp<std::int64_t>(i < 0 ? i + extent : i, 0, extent));
  }
  cuts.push_back(extent);
  return cuts;
}

}  // namespace

list split(const any_array& x, const split_points& at, std::int64_t axis, std::string_view op,
           location where) {
  const std::size_t d = split_axis(x, axis, op, where);
  const std::int64_t extent = x.extents()[d];
  if (at.even && at.values[0] < 1) {
    fail<value_error>(error_code::bad_argument, op,
                      std::to_string(at.values[0]) + " parts are fewer than one", where);
  }
  if (at.even && op == "split" && extent % at.values[0] != 0) {
    fail<shape_error>(error_code::shape_mismatch, op,
                      "axis " + std::to_string(d) + " of extent " + std::to_string(extent) +
                          " has no " + std::to_string(at.values[0]) +
                          " equal parts (array_split makes unequal ones)",
                      where);
  }
  const extents cuts = at.even ? even_cuts(extent, at.values[0]) : cuts_at(extent, at.values);
  list parts;
  for (std::size_t i = 0; i + 1 < cuts.size(); ++i) {
    parts.push_back(cut(x, d, cuts[i], std::max<std::int64_t>(cuts[i + 1] - cuts[i], 0), where));
  }
  return parts;
}

list unstack(const any_array& x, std::int64_t axis, location where) {
  const std::size_t d = split_axis(x, axis, "unstack", where);
  extents shape = extents_of(x);
  const std::int64_t count = shape[d];
  shape.erase(shape.begin() + static_cast<std::ptrdiff_t>(d));
  list parts;
  for (std::int64_t i = 0; i < count; ++i) {
    parts.push_back(make_reshape(cut(x, d, i, 1, where), shape, where));
  }
  return parts;
}

any_array iterated(const any_array& x, location where) {
  if (checked(x, "iteration", where).shape.empty()) {
    fail<shape_error>(error_code::shape_mismatch, "iteration",
                      "an array of rank 0 has no axis to go over", where);
  }
  if (!tracing()) evaluate_all(&x, 1, where);
  return x;
}

void throw_other_count(std::size_t expected, std::size_t count, std::string_view op,
                       location where) {
  fail<shape_error>(error_code::shape_mismatch, op,
                    "gives " + std::to_string(count) + " arrays here, not " +
                        std::to_string(expected),
                    where);
}

}  // namespace sinter::detail
