#include <algorithm>

#include <sinter/creation.hpp>
#include <sinter/editing.hpp>
#include <sinter/indexing.hpp>
#include <sinter/rearrange.hpp>

#include "engine/indexing/gather.hpp"
#include "engine/indexing/slices.hpp"
#include "engine/nodes/term.hpp"
#include "engine/shape/join.hpp"

namespace sinter::detail {
namespace {

/// x and the axis to edit; flattened if none is given.
struct edited {
  any_array x;
  std::size_t axis;
  std::int64_t extent() const { return x.extents()[axis]; }
};

edited along(const any_array& x, const edit_options& o, std::string_view op, location where) {
  checked(x, op, where);
  if (!o.axis) return {make_reshape(x, extents{x.size()}, where), 0};
  return {x, static_cast<std::size_t>(normalize_axis(*o.axis, x.ndim(), op, where))};
}

/// An index counted from the front; `last` is the largest allowed.
std::int64_t place(std::int64_t i, const edited& e, std::int64_t last, std::string_view op,
                   location where) {
  const std::int64_t n = e.extent(), at = i < 0 ? i + n : i;
  if (at >= 0 && at <= last) return at;
  fail_range(op, i, e.axis, n, where);
}

/// Up to so many sections are joined; a longer edit picks its elements by a list of indices.
constexpr std::size_t most_sections = 16;

/// The elements that are not in `gone`, which ascends.
any_array without(const edited& e, const std::vector<std::int64_t>& gone, std::string_view op,
                  location where) {
  std::vector<any_array> sections;
  std::vector<std::int64_t> kept;
  const bool joins = gone.size() < most_sections;
  std::int64_t from = 0;
  const auto keep_to = [&](std::int64_t to) {
    if (joins && to > from) sections.push_back(section(e.x, e.axis, from, to - from, 1, where));
    while (!joins && from < to) kept.push_back(from++);
    from = to + 1;
  };
  for (const std::int64_t i : gone) keep_to(i);
  keep_to(e.extent());
  if (sections.size() > 1) return join(sections, e.axis, op, where);
  if (sections.size() == 1) return sections[0];
  const std::int64_t shape[] = {static_cast<std::int64_t>(kept.size())};
  const any_array places = from_host(kept.data(), dtype::int64, shape, where);
  // In range by construction: clip needs no check.
  return take(e.x, places, {static_cast<std::int64_t>(e.axis), index_mode::clip}, where);
}

}  // namespace

any_array delete_(const any_array& x, const int_list& indices, const edit_options& o,
                  location where) {
  const edited e = along(x, o, "delete_", where);
  std::vector<std::int64_t> gone;
  for (const std::int64_t i : indices) {
    gone.push_back(place(i, e, e.extent() - 1, "delete_", where));
  }
  std::ranges::sort(gone);
  gone.erase(std::unique(gone.begin(), gone.end()), gone.end());
  return without(e, gone, "delete_", where);
}

/// Of `count` indices, `step` apart from `first` on: which element each of the others is follows
/// from its number, so no list of them is made.
any_array delete_slice(const any_array& x, const slice& indices, const edit_options& o,
                       location where) {
  const edited e = along(x, o, "delete_", where);
  const auto [at, count] = places_of(indices, e.extent(), "delete_", where);
  if (count == 0) return e.x;
  const std::int64_t step = std::abs(indices.step);
  const std::int64_t first = indices.step < 0 ? at + (count - 1) * indices.step : at;
  if (step == 1 || count == 1) {
    const std::int64_t end = first + count;
    return join({section(e.x, e.axis, 0, first, 1, where),
                 section(e.x, e.axis, end, e.extent() - end, 1, where)},
                e.axis, "delete_", where);
  }
  const std::int64_t left[] = {e.extent() - count};
  const term j{make_iota(left, where), where};
  const auto known = [&](std::int64_t n) {
    return number(static_cast<double>(n), dtype::int64, where);
  };
  const term behind = j - known(first), zero = known(0);
  const term gaps = apply(ir::op::floor_divide, {behind, known(step - 1)}) + known(1);
  const term passed = apply(ir::op::minimum, {gaps, known(count)});
  const term places = j + select(behind < zero, zero, passed);
  return take(e.x, places.x, {static_cast<std::int64_t>(e.axis), index_mode::clip}, where);
}

any_array insert(const any_array& x, const int_list& indices, const any_array& values,
                 const edit_options& o, location where) {
  const edited e = along(x, o, "insert", where);
  const std::int64_t n = e.extent();
  std::vector<std::pair<std::int64_t, std::int64_t>> before;  // which element, which value
  for (const std::int64_t i : indices) {
    const auto number = static_cast<std::int64_t>(before.size());
    before.push_back({place(i, e, n, "insert", where), n + number});
  }
  std::ranges::stable_sort(before, {}, &std::pair<std::int64_t, std::int64_t>::first);
  extents wanted = extents_of(e.x);
  wanted[e.axis] = static_cast<std::int64_t>(before.size());
  const any_array fitted = make_broadcast(values, wanted, "insert", where);
  if (2 * before.size() < most_sections) {
    std::vector<any_array> sections;
    std::int64_t from = 0;
    const auto keep_to = [&](std::int64_t to) {
      if (to > from) sections.push_back(section(e.x, e.axis, from, to - from, 1, where));
      from = to;
    };
    for (const auto& [element, value] : before) {
      keep_to(element);
      sections.push_back(section(fitted, e.axis, value - n, 1, 1, where));
    }
    keep_to(n);
    return sections.empty() ? e.x : join(sections, e.axis, "insert", where);
  }
  std::vector<std::int64_t> order;
  auto next = before.begin();
  for (std::int64_t i = 0; i <= n; ++i) {
    for (; next != before.end() && next->first == i; ++next) order.push_back(next->second);
    if (i < n) order.push_back(i);
  }
  const std::int64_t shape[] = {static_cast<std::int64_t>(order.size())};
  return take(join({e.x, fitted}, e.axis, "insert", where),
              from_host(order.data(), dtype::int64, shape, where),
              {static_cast<std::int64_t>(e.axis), index_mode::clip}, where);
}

any_array insert(const any_array& x, std::int64_t index, const any_array& values,
                 const edit_options& o, location where) {
  const edited e = along(x, o, "insert", where);
  const std::int64_t at = place(index, e, e.extent(), "insert", where);
  extents shape = extents_of(values);
  const auto rank = static_cast<std::size_t>(e.x.ndim());
  if (shape.size() > rank) {
    fail<shape_error>(error_code::shape_mismatch, "insert",
                      "values of shape " + text_of(values.extents()) + " for an array of shape " +
                          text_of(e.x.extents()),
                      where);
  }
  shape.insert(shape.begin(), rank - shape.size(), 1);
  const std::int64_t from[] = {0}, to[] = {static_cast<std::int64_t>(e.axis)};
  const any_array turned = move_axes(make_reshape(values, shape, where), from, to, where);
  extents wanted = extents_of(e.x);
  wanted[e.axis] = turned.extents()[e.axis];
  std::vector<any_array> pieces;
  if (at > 0) pieces.push_back(section(e.x, e.axis, 0, at, 1, where));
  pieces.push_back(make_broadcast(turned, wanted, "insert", where));
  if (at < e.extent()) pieces.push_back(section(e.x, e.axis, at, e.extent() - at, 1, where));
  return join(pieces, e.axis, "insert", where);
}

any_array resize(const any_array& x, const int_list& shape, location where) {
  const dtype type = checked(x, "resize", where).type;
  const any_array zeros = full(shape, type, {}, "resize", where);
  const std::int64_t total = zeros.size(), n = x.size();
  if (total == 0 || n == 0) return zeros;
  const any_array flat = make_reshape(x, extents{n}, where);
  const any_array often = tile(flat, (total - 1) / n + 1, where);
  return make_reshape(cut(often, 0, 0, total, where), extents_of(zeros), where);
}

}  // namespace sinter::detail
