#include <algorithm>

#include <sinter/indexing.hpp>
#include <sinter/joining.hpp>
#include <sinter/views.hpp>

#include "engine/nodes/any_number.hpp"
#include "engine/nodes/axes.hpp"
#include "engine/nodes/report.hpp"
#include "engine/nodes/term.hpp"
#include "engine/shape/join.hpp"
#include "ir/reference.hpp"

namespace sinter::detail {
namespace {

[[noreturn]] void refuse(std::span<const any_array> pieces, const std::string& why,
                         std::string_view op, location where) {
  std::string shapes;
  for (const any_array& p : pieces) shapes += (shapes.empty() ? "" : ", ") + text_of(p.extents());
  fail<shape_error>(error_code::shape_mismatch, op, "shapes " + shapes + ": " + why, where);
}

/// The pieces, cast to the dtype they promote to.
std::vector<any_array> promoted(std::span<const any_array> pieces, std::string_view op,
                                location where) {
  if (pieces.empty()) {
    fail<value_error>(error_code::bad_argument, op, "no arrays", where);
  }
  dtype type = checked(pieces[0], op, where).type;
  for (const any_array& p : pieces) type = promote(type, checked(p, op, where).type);
  std::vector<any_array> out;
  for (const any_array& p : pieces) out.push_back(make_cast(p, type, where));
  return out;
}

/// x rotated by `shift` along an axis.
any_array turn(const any_array& x, std::int64_t shift, std::size_t axis, location where) {
  const std::int64_t n = x.extents()[axis];
  if (n == 0) return x;
  const std::int64_t s = ((shift % n) + n) % n;
  if (s == 0) return x;
  return turned(x, s, axis, where);
}

// ---- pad: the elements before and after x along one axis

/// Elements [from, from + count) of x repeated periodically, or alternated with its mirror image,
/// as sections of x. `period`: the length that repeats; `edge`: the mirror image repeats the
/// outermost elements.
std::vector<any_array> repeated(const any_array& x, std::size_t axis, std::int64_t from,
                                std::int64_t count, pad_mode mode, location where) {
  const std::int64_t n = x.extents()[axis];
  const bool mirrors = mode != pad_mode::wrap;
  const std::int64_t skipped = mode == pad_mode::reflect ? 1 : 0;
  const std::int64_t period = mirrors ? std::max<std::int64_t>(1, 2 * (n - skipped)) : n;
  std::vector<any_array> out;
  while (count > 0) {
    const std::int64_t at = ((from % period) + period) % period;
    const bool back = mirrors && at >= n;
    const std::int64_t run = std::min(count, (back ? period : n) - at);
    const std::int64_t first = back ? 2 * n - 1 - skipped - at : at;
    out.push_back(section(x, axis, first, run, back ? -1 : 1, where));
    from += run;
    count -= run;
  }
  return out;
}

any_array extend(const any_array& x, std::size_t axis, std::int64_t before, std::int64_t after,
                 pad_mode mode, location where) {
  const std::int64_t n = x.extents()[axis];
  if (before == 0 && after == 0) return x;
  if (n == 0) {
    fail<value_error>(error_code::bad_argument, "pad",
                      "axis " + std::to_string(axis) + " is empty: there is nothing to repeat",
                      where);
  }
  std::vector<any_array> pieces;
  if (mode == pad_mode::edge) {
    pieces = {section(x, axis, 0, before, 0, where), x, section(x, axis, n - 1, after, 0, where)};
  } else {
    pieces = repeated(x, axis, -before, before, mode, where);
    pieces.push_back(x);
    for (any_array& p : repeated(x, axis, n, after, mode, where)) pieces.push_back(std::move(p));
  }
  return join(pieces, axis, "pad", where);
}

/// {before, after} of every axis.
std::vector<pad_width> widths_of(const any_array& x, const std::vector<pad_width>& given,
                                 location where) {
  const auto rank = static_cast<std::size_t>(x.ndim());
  std::vector<pad_width> widths = given;
  if (given.size() == 1) widths.assign(rank, given[0]);
  if (widths.size() != rank) {
    fail<value_error>(
        error_code::bad_argument, "pad",
        std::to_string(given.size()) + " widths for an array of shape " + text_of(x.extents()),
        where);
  }
  for (const pad_width& w : widths) {
    if (w.before >= 0 && w.after >= 0) continue;
    fail<value_error>(error_code::bad_argument, "pad", "a width is negative", where);
  }
  return widths;
}

/// A constant as a value of x's dtype; invalid if all its bits are 0, as pads are zero anyway.
any_array filling(const any_array& x, const any_number& c, location where) {
  const ir::scalar_value value = converted(c, x.dtype(), "pad", where);
  if (value == ir::scalar_value{}) return {};
  return make_scalar({{value.bits[0], value.bits[1]}}, x.dtype(), where);
}

/// x inside an array of `shape`, with its first element at `low`.
any_array within(const any_array& x, const extents& low, const extents& shape,
                 const any_number& c, location where) {
  check_shape(shape, x.dtype(), "pad", where);
  return surround(x, low, shape, filling(x, c, where), where);
}

/// x surrounded by constants: in one step if they are all equal, else piece by piece.
any_array around(const any_array& x, const std::vector<pad_width>& widths, const pad_options& o,
                 location where) {
  const std::size_t rank = widths.size(), given = o.constant_values.pairs().size();
  if (given > 1 && given != rank) {
    fail<value_error>(
        error_code::bad_argument, "pad",
        std::to_string(given) + " constants for an array of shape " + text_of(x.extents()), where);
  }
  extents low(rank, 0), shape = extents_of(x);
  if (given == 0) {
    for (std::size_t d = 0; d < rank; ++d) {
      low[d] = widths[d].before;
      shape[d] += widths[d].before + widths[d].after;
    }
    return within(x, low, shape, o.constant_values.everywhere(), where);
  }
  any_array out = x;
  for (std::size_t d = 0; d < rank; ++d) {
    const auto& [before, after] = o.constant_values.pairs()[given == 1 ? 0 : d];
    low[d] = widths[d].before;
    shape[d] += low[d];
    out = within(out, low, shape, before, where);
    low[d] = 0;
    shape[d] += widths[d].after;
    out = within(out, low, shape, after, where);
  }
  return out;
}

}  // namespace

any_array concatenate(std::span<const any_array> pieces, std::optional<std::int64_t> axis,
                      std::string_view op, location where) {
  std::vector<any_array> parts = promoted(pieces, op, where);
  const std::int64_t flat[] = {-1};
  if (!axis) {
    for (any_array& p : parts) p = reshape(p, flat, where);
  }
  const auto first = parts[0].extents();
  if (first.empty()) refuse(pieces, "rank 0 has no axis to join along; see stack", op, where);
  const auto at = static_cast<std::size_t>(
      normalize_axis(axis.value_or(0), static_cast<int>(first.size()), op, where));
  for (const any_array& p : parts) {
    const auto s = p.extents();
    if (s.size() != first.size()) refuse(pieces, "they differ in rank", op, where);
    for (std::size_t d = 0; d < s.size(); ++d) {
      if (d == at || s[d] == first[d]) continue;
      refuse(pieces,
             "but for axis " + std::to_string(at) + " they must agree; axis " + std::to_string(d) +
                 " is " + std::to_string(first[d]) + " and " + std::to_string(s[d]),
             op, where);
    }
  }
  return join(parts, at, op, where);
}

any_array stack(std::span<const any_array> pieces, std::int64_t axis, location where) {
  std::vector<any_array> parts = promoted(pieces, "stack", where);
  const int rank = parts[0].ndim();
  const int at = normalize_axis(axis, rank + 1, "stack", where);
  const std::int64_t axes[] = {at};
  for (any_array& p : parts) {
    if (!std::ranges::equal(p.extents(), parts[0].extents())) {
      refuse(pieces, "they must be equal", "stack", where);
    }
  }
  for (any_array& p : parts) p = expand_dims(p, axes, where);
  return join(parts, static_cast<std::size_t>(at), "stack", where);
}

any_array stacked(std::initializer_list<any_array> parts) {
  return stack({parts.begin(), parts.size()}, 0, {});
}

any_array stack_rows(std::span<const any_array> pieces, stack_kind kind, location where) {
  constexpr std::string_view names[] = {"vstack", "hstack", "dstack", "column_stack"};
  const std::string_view op = names[static_cast<int>(kind)];
  std::vector<any_array> parts;
  for (const any_array& p : pieces) {
    checked(p, op, where);
    extents s(p.extents().begin(), p.extents().end());
    if (s.empty()) s.push_back(1);
    if (kind == stack_kind::rows && s.size() == 1) s.insert(s.begin(), 1);
    if (kind == stack_kind::columns && s.size() == 1) s.push_back(1);
    if (kind == stack_kind::depth && s.size() == 1) s.insert(s.begin(), 1);
    if (kind == stack_kind::depth && s.size() == 2) s.push_back(1);
    parts.push_back(make_reshape(p, s, where));
  }
  const bool flat = !parts.empty() && parts[0].ndim() == 1;
  const std::int64_t axis = kind == stack_kind::rows    ? 0
                            : kind == stack_kind::depth ? 2
                                                        : (flat ? 0 : 1);
  return concatenate(parts, axis, op, where);
}

any_array roll(const any_array& x, shape_view shifts, const axis_list& axes, location where) {
  checked(x, "roll", where);
  const auto from = x.extents();
  const std::int64_t flat[] = {-1};
  if (axes.all()) {
    if (shifts.size() != 1) {
      fail<value_error>(error_code::bad_argument, "roll", "several shifts need as many axes",
                        where);
    }
    return make_reshape(turn(reshape(x, flat, where), shifts[0], 0, where), from, where);
  }
  const auto at = axes.values();
  if (shifts.size() != at.size() && shifts.size() != 1 && at.size() != 1) {
    fail<value_error>(
        error_code::bad_argument, "roll",
        std::to_string(shifts.size()) + " shifts for " + std::to_string(at.size()) + " axes",
        where);
  }
  any_array out = x;
  for (std::size_t i = 0; i < std::max(shifts.size(), at.size()); ++i) {
    const int axis =
        normalize_axis(at[at.size() == 1 ? 0 : i], static_cast<int>(from.size()), "roll", where);
    out = turn(out, shifts[shifts.size() == 1 ? 0 : i], static_cast<std::size_t>(axis), where);
  }
  return out;
}

any_array roll_by(const any_array& x, const any_array& shift, const axis_list& axes,
                  location where) {
  checked(x, "roll", where);
  if (!is_integer(checked(shift, "roll", where).type)) {
    fail<dtype_error>(error_code::bad_dtype, "roll",
                      "a shift of " + std::string(name(shift.dtype())) + " is no integer",
                      where);
  }
  if (shift.ndim() != 0 || (!axes.all() && axes.values().size() != 1)) {
    fail<shape_error>(error_code::shape_mismatch, "roll",
                      "a shift that is an array has rank 0, and is for one axis", where);
  }
  const std::int64_t flat[] = {-1};
  const any_array from = axes.all() ? reshape(x, flat, where) : x;
  const int axis = axes.all() ? 0 : normalize_axis(axes.values()[0], from.ndim(), "roll", where);
  const std::int64_t length[] = {from.extents()[static_cast<std::size_t>(axis)]};
  const term places = term{make_iota(length, where), where} -
                      term{make_cast(shift, dtype::int64, where), where};
  const any_array out = take(from, places.x, {.axis = axis, .mode = index_mode::wrap}, where);
  return axes.all() ? make_reshape(out, x.extents(), where) : out;
}

any_array pad(const any_array& x, const std::vector<pad_width>& given, const pad_options& o,
              location where) {
  checked(x, "pad", where);
  const auto widths = widths_of(x, given, where);
  if (o.mode == pad_mode::constant) return around(x, widths, o, where);
  any_array out = x;
  for (std::size_t d = 0; d < widths.size(); ++d) {
    out = extend(out, d, widths[d].before, widths[d].after, o.mode, where);
  }
  return out;
}

}  // namespace sinter::detail
