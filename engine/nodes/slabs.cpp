#include "engine/nodes/slabs.hpp"

#include <optional>

#include "ir/passes/unroll_axes.hpp"

namespace sinter::detail {
namespace {

/// The axis at one place of which a view shows the array, and all of the others.
std::optional<std::size_t> slab_axis(shape_view shape, const element_map& map, shape_view whole) {
  if (shape.size() + 1 != whole.size()) return std::nullopt;
  const auto apart = dense_strides(whole);
  std::optional<std::size_t> axis;
  for (std::size_t d = 0, v = 0; d < whole.size(); ++d) {
    const bool here = v < shape.size() && shape[v] == whole[d] && map.strides[v] == apart[d];
    if (!here && axis) return std::nullopt;
    if (here) ++v;
    else axis = d;
  }
  return axis;
}

/// At which place of an axis all that a view shows stands.
std::optional<std::int64_t> place_along(std::size_t axis, shape_view shape, const element_map& map,
                                        shape_view whole) {
  const std::int64_t apart = dense_strides(whole)[axis], far = apart * whole[axis];
  std::int64_t low = map.offset % apart, high = low;
  for (std::size_t v = 0; v < shape.size(); ++v) {
    const std::int64_t s = map.strides[v];
    if (shape[v] < 2 || s % far == 0) continue;
    if (s <= -apart || s >= apart) return std::nullopt;
    (s < 0 ? low : high) += s * (shape[v] - 1);
  }
  if (low < 0 || high >= apart) return std::nullopt;
  return map.offset / apart % whole[axis];
}

/// The same of what an update assigns, if it is a slab of a short axis.
std::optional<std::size_t> assigned_axis(const node& update, const any_array& value) {
  if (update.size() > value.size() * ir::most_shared_places) return std::nullopt;
  return slab_axis(value.shape(), update.map, update.shape);
}

}  // namespace

bool assigns_a_slab(const any_array& x) {
  if (x.get()->kind != ir::node_kind::update) return false;
  const std::vector<any_array> inputs = inputs_of(x);
  return !inputs.empty() && assigned_axis(*x.get(), inputs[1]).has_value();
}

any_array shown_by(any_array x, shape_view shape, const element_map& map) {
  for (int k = 0; k < most_slabs && x.get()->kind == ir::node_kind::update; ++k) {
    const std::vector<any_array> inputs = inputs_of(x);
    if (inputs.empty()) break;  // it has been evaluated
    const node& update = *x.get();
    const auto axis = assigned_axis(update, inputs[1]);
    if (!axis) break;
    const auto seen = place_along(*axis, shape, map, update.shape);
    if (!seen) break;
    const bool beside = *seen != place_along(*axis, inputs[1].shape(), update.map, update.shape);
    x = inputs[beside ? 0 : 1];
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
