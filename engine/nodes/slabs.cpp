#include "engine/nodes/slabs.hpp"

#include <optional>

#include "ir/passes/unroll_axes.hpp"

namespace sinter::detail {
namespace {

/// An axis, and the stride between its places in memory.
struct axis_step {
  std::size_t axis;
  std::int64_t apart;
};

/// The axis of which a view shows one place, with all of the other axes.
std::optional<axis_step> slab_axis(shape_view shape, const element_map& map, shape_view whole) {
  if (shape.size() + 1 != whole.size()) return std::nullopt;
  std::optional<axis_step> found;
  std::int64_t apart = 1;
  for (std::size_t d = whole.size(), v = shape.size(); d-- > 0;) {
    const bool here = v > 0 && shape[v - 1] == whole[d] && map.strides[v - 1] == apart;
    if (!here && found) return std::nullopt;
    if (here) --v;
    else found = axis_step{d, apart};
    apart *= whole[d];
  }
  return found;
}

/// The place on the axis that contains everything a view shows; nullopt if it spans several.
std::optional<std::int64_t> place_along(const axis_step& a, shape_view shape,
                                        const element_map& map, shape_view whole) {
  const std::int64_t far = a.apart * whole[a.axis];
  std::int64_t low = map.offset % a.apart, high = low;
  for (std::size_t v = 0; v < shape.size(); ++v) {
    const std::int64_t s = map.strides[v];
    if (shape[v] < 2 || s % far == 0) continue;
    if (s <= -a.apart || s >= a.apart) return std::nullopt;
    (s < 0 ? low : high) += s * (shape[v] - 1);
  }
  if (low < 0 || high >= a.apart) return std::nullopt;
  return map.offset / a.apart % whole[a.axis];
}

/// The slab axis of what an update assigns, if that axis is short.
std::optional<axis_step> assigned_axis(const node& update, const any_array& value) {
  if (update.size() > value.size() * ir::most_shared_places || update.size() == 0) {
    return std::nullopt;
  }
  return slab_axis(value.extents(), update.map, update.shape);
}

}  // namespace

std::uint16_t slabs_of(const node& update) {
  const any_array& base = update.inputs[0];
  const auto axis = assigned_axis(update, update.inputs[1]);
  if (!axis) return 0;
  const std::int64_t place = update.map.offset / axis->apart;
  const auto here = static_cast<std::uint16_t>(1u << place);
  const auto before = updated(base);
  if (!before || base.get()->slabs == 0) return here;
  const auto other = assigned_axis(*base.get(), before->second);
  const std::uint16_t places = base.get()->slabs;
  const bool again = (places & here) != 0 && base.get()->map.offset / axis->apart != place;
  return other && other->axis == axis->axis && !again ? places | here : here;
}

bool leaves_slabs(const any_array& x) {
  const auto made = updated(x);
  const auto axis = made ? assigned_axis(*x.get(), made->second) : std::nullopt;
  return axis && x.get()->slabs != (1u << x.get()->shape[axis->axis]) - 1;
}

any_array shown_by(any_array x, shape_view shape, const element_map& map) {
  for (int k = 0; k < most_slabs; ++k) {
    auto made = updated(x);
    if (!made) break;
    auto& [base, value] = *made;
    const node& update = *x.get();
    const auto axis = assigned_axis(update, value);
    const auto seen = axis ? place_along(*axis, shape, map, update.shape) : std::nullopt;
    if (!seen) break;
    const bool beside = *seen != update.map.offset / axis->apart;
    x = std::move(beside ? base : value);
    if (!beside) break;
  }
  return x;
}

node* assigned_by_slabs(node& update) {
  node* base = &update;
  const auto goes_on = [&] {
    return base->kind == ir::node_kind::update && base->inputs.size() == 2 &&
           assigned_axis(*base, base->inputs[1]).has_value();
  };
  while (goes_on()) base = base->inputs[0].get();
  return base == &update ? nullptr : base;
}

}  // namespace sinter::detail
