#include "engine/indexing/gather.hpp"

#include <algorithm>
#include <cstring>

#include <sinter/operators.hpp>
#include <sinter/views.hpp>

#include "engine/control/traced_loop.hpp"
#include "engine/evaluation/checks.hpp"
#include "engine/indexing/index_range.hpp"
#include "engine/nodes/report.hpp"

namespace sinter::detail {
namespace {

using index_array = array<std::int64_t>;

/// Beyond this magnitude, indices of several axes cannot be told apart in one word.
constexpr std::int64_t farthest = std::int64_t{1} << 55;

index_array integers(const any_array& x, std::string_view op, location where) {
  const dtype t = checked(x, op, where).type;
  if (!is_integer(t)) {
    fail<dtype_error>(error_code::bad_dtype, op,
                      "indices are integers, not " + std::string(name(t)) +
                          (is_bool(t) ? "; use compress for a mask of one axis" : ""),
                      where);
  }
  return index_array(make_cast(x, dtype::int64, where));
}

}  // namespace

std::pair<any_array, element_map> base_of(const any_array& x) {
  if (auto below = viewed(x)) return std::move(*below);
  return {x, {0, dense_strides(x.extents())}};
}

any_array word_of(const any_array& index, std::size_t which, std::size_t axes, location where) {
  if (axes == 1) return index;
  const auto n = static_cast<std::int64_t>(axes), i = static_cast<std::int64_t>(which);
  const index_array k(index);
  return index_array(sinter::clip(k, -farthest, farthest) * n + i, where);
}

std::int64_t read_word(std::span<const std::int32_t> status) {
  std::int64_t word = 0;
  for (; word == 0 && status.size() >= 2; status = status.subspan(2)) {
    std::memcpy(&word, status.data(), sizeof word);
  }
  return word;
}

void raise_range(std::span<const std::int32_t> status, const check& c) {
  const std::int64_t word = read_word(status);
  const auto rank = static_cast<std::size_t>(c.size);
  const auto axes = static_cast<std::int64_t>(c.shape.size() - rank);
  const std::int64_t which = ((word % axes) + axes) % axes;
  const auto axis = static_cast<std::size_t>(c.shape[rank + static_cast<std::size_t>(which)]);
  fail_range(c.op, (word - which) / axes, axis, c.shape[axis], c.where);
}

void fail_range(std::string_view op, std::int64_t index, std::size_t axis, std::int64_t extent,
                location where) {
  fail<index_error>(error_code::index_out_of_range, op,
                    "index " + std::to_string(index) + " is out of range for axis " +
                        std::to_string(axis) + " of extent " + std::to_string(extent),
                    where);
}

namespace {

/// Known indices are folded here: written-out rounds gather at many, each of which would be a value
/// of the plan.
std::optional<std::int64_t> known_index(const any_array& x) {
  const node& n = *x.get();
  if (n.kind != ir::node_kind::scalar || n.type != dtype::int64) return std::nullopt;
  return static_cast<std::int64_t>(n.scalars[0].bits[0]);
}

index_array times(const index_array& x, std::int64_t by) {
  if (by == 1) return x;
  const auto k = known_index(x);
  return k ? index_array(*k * by) : index_array(x * by);
}

index_array plus(const index_array& x, const index_array& y) {
  const auto a = known_index(x), b = known_index(y);
  return a && b ? index_array(*a + *b) : index_array(x + y);
}

void require_elements(std::size_t axis, shape_view shape, std::string_view op, location where) {
  if (shape[axis] != 0) return;
  fail<index_error>(error_code::index_out_of_range, op,
                    "axis " + std::to_string(axis) + " of shape " + text_of(shape) +
                        " has nothing to pick from",
                    where);
}

/// Indices of one axis made valid: counted from the front, and 0 where they are out of range.
struct valid_indices {
  index_array place;
  array<bool> wrong;  // missing if none can be out of range
};
valid_indices validated(const index_array& k, value_range values, std::int64_t extent) {
  valid_indices out{k, {}};
  if (values.lo < 0) out.place = sinter::where(k < 0, k + extent, k);
  if (values.within(-extent, extent - 1)) return out;
  out.wrong = k < -extent || k >= extent;
  out.place = sinter::where(out.wrong, std::int64_t{0}, out.place);
  return out;
}

/// Of the faults at one position the first axis's is reported.
void add_faults(positions& out, const array<bool>& wrong, const index_array& word) {
  if (!out.bad.valid()) {
    out.bad = wrong;
    out.word = word;
    return;
  }
  const array<bool> before(out.bad);
  out.word = index_array(sinter::where(before, index_array(out.word), word));
  out.bad = array<bool>(before || wrong);
}

}  // namespace

positions positions_of(std::span<const picked_axis> picks, shape_view shape,
                       std::span<const std::int64_t> strides, std::string_view op, location where) {
  std::vector<any_array> all;
  for (const picked_axis& p : picks) all.push_back(integers(p.indices, op, where));
  const auto common = broadcast_shape(all, op, where);
  std::int64_t count = 1;
  for (std::int64_t e : common) count *= e;
  positions out;
  out.in_order = std::ranges::equal(strides, dense_strides(shape));
  for (std::size_t i = 0; i < picks.size(); ++i) {
    const std::size_t axis = picks[i].axis;
    if (count > 0) require_elements(axis, shape, op, where);
    const index_array k(all[i]);  // of its own shape, to compute fewer elements
    const valid_indices valid = validated(k, range_of(picks[i].indices), shape[axis]);
    const index_array linear = times(valid.place, strides[axis]);
    out.axes.push_back(static_cast<std::int64_t>(axis));
    out.linear = out.linear.valid() ? plus(index_array(out.linear), linear) : linear;
    if (!valid.wrong.valid()) continue;
    add_faults(out, valid.wrong, index_array(word_of(k, i, picks.size(), where)));
  }
  for (any_array* x : {&out.linear, &out.bad, &out.word}) {
    if (x->valid()) *x = make_broadcast(*x, common, op, where);
  }
  return out;
}

index_faults faults_of(const positions& p, location where) {
  if (!p.bad.valid()) return {};
  return {where_live(p.bad, where), p.word};
}

void check_range(const any_array& x, const positions& p, shape_view shape, std::string_view op,
                 location where) {
  if (!p.bad.valid()) return;
  const auto c = std::make_shared<check>();
  c->raise = raise_range;
  c->op = op;
  c->where = where;
  c->size = static_cast<std::int64_t>(shape.size());
  c->shape.assign(shape.begin(), shape.end());
  c->shape.insert(c->shape.end(), p.axes.begin(), p.axes.end());
  x.get()->details->in_range = c;
  attach(x, c);
}

any_array gather_checked(const any_array& base, const positions& p, element_map map,
                         shape_view shape, std::string_view op, location where) {
  if (p.in_order && p.axes.size() == 1 && std::ranges::equal(base.extents(), shape)) {
    map.along = static_cast<std::int8_t>(p.axes[0]);
  }
  const any_array picked =
      make_gather(base, p.linear, faults_of(p, where), std::move(map), where);
  check_range(picked, p, shape, op, where);
  return picked;
}

places places_by(indexed&& in, shape_view whole, dtype type, std::span<const std::int64_t> strides,
                 std::string_view op, location where) {
  places out;
  static_cast<positions&>(out) = positions_of(in.picks, whole, strides, op, where);
  const auto common = out.linear.extents();
  const auto at = static_cast<std::ptrdiff_t>(in.at);
  out.spread.strides.assign(in.shape.size(), 0);
  const auto dense = dense_strides(common);
  out.spread.strides.insert(out.spread.strides.begin() + at, dense.begin(), dense.end());
  out.map = std::move(in.map);
  out.map.strides.insert(out.map.strides.begin() + at, common.size(), 0);
  out.shape.assign(in.shape.begin(), in.shape.end());
  out.shape.insert(out.shape.begin() + at, common.begin(), common.end());
  check_shape(out.shape, type, op, where);
  out.picks = std::move(in.picks);
  out.at = in.at;
  return out;
}

}  // namespace sinter::detail
