#include <sinter/put.hpp>

#include <sinter/operators.hpp>

#include "engine/indexing/scatter.hpp"
#include "engine/nodes/term.hpp"

namespace sinter::detail {
namespace {

using ir::op;
using index_array = array<std::int64_t>;

/// Element number `number` of the values, cycling through them.
any_array cyclic(const any_array& values, const index_array& number, location where) {
  const std::int64_t count = values.size();
  if (count == 1) return make_reshape(values, {}, where);
  const auto [base, map] = base_of(flattened(values, where));
  const index_array at = number % count * map.strides[0];
  const element_map from{map.offset, extents(number.extents().size(), 0)};
  return make_gather(base, at, {}, from, where);
}

void check_mask(const any_array& x, const any_array& mask, const any_array& values,
                std::string_view name, location where) {
  checked(values, name, where);
  if (!std::ranges::equal(checked(mask, name, where).shape, checked(x, name, where).shape)) {
    fail<shape_error>(error_code::shape_mismatch, name,
                      "a mask of shape " + text_of(mask.extents()) + " for an array of shape " +
                          text_of(x.extents()),
                      where);
  }
  if (values.size() == 0 && x.size() > 0) {
    fail<value_error>(error_code::bad_argument, name, "there are no values", where);
  }
}

any_array chosen_or(const any_array& mask, const any_array& values, const any_array& x,
                    std::string_view name, location where) {
  const term here{make_cast(mask, dtype::bool_, where), where};
  return rounded(select(here, as_term(values, name, where), as_term(x, name, where)), x.dtype());
}

/// Positions in the flat array, each a place of its own.
places direct(positions&& p) {
  places out;
  static_cast<positions&>(out) = std::move(p);
  out.shape = extents_of(out.linear);
  out.spread.strides = dense_strides(out.shape);
  out.map.strides.assign(out.shape.size(), 0);
  return out;
}

}  // namespace

any_array put(const any_array& x, const any_array& indices, const any_array& values,
              index_mode mode, location where) {
  const std::int64_t size = checked(x, "put", where).size();
  checked(values, "put", where);
  if (checked(indices, "put", where).size() == 0 || values.size() == 0) return x;
  const picked_axis pick[] = {{0, in_range(flattened(indices, where), size, mode, "put", where)}};
  const std::int64_t whole[] = {size}, strides[] = {1}, shape[] = {indices.size()};
  const any_array v = cyclic(values, index_array(make_iota(shape, where)), where);
  return put_at(x, direct(positions_of(pick, whole, strides, "put", where)), v, "put", where);
}

any_array put_along_axis(const any_array& x, const any_array& indices, const any_array& values,
                         std::int64_t axis, location where) {
  constexpr std::string_view name = "put_along_axis";
  checked(values, name, where);
  const shape_view whole = checked(x, name, where).shape;
  const shape_view to = checked(indices, name, where).shape;
  const auto at =
      static_cast<std::size_t>(normalize_axis(axis, static_cast<int>(whole.size()), name, where));
  if (to.size() != whole.size()) {
    fail<shape_error>(error_code::shape_mismatch, name,
                      "indices of shape " + text_of(to) + " for an array of shape " +
                          text_of(whole) + ": they have as many dimensions",
                      where);
  }
  extents shape(whole.begin(), whole.end());
  shape[at] = to[at];
  const picked_axis pick[] = {{at, make_broadcast(indices, shape, name, where)}};
  const auto strides = dense_strides(whole);
  positions p = positions_of(pick, whole, strides, name, where);
  term linear{p.linear, where};
  for (std::size_t d = 0; d < shape.size(); ++d) {
    if (d == at) continue;
    const index_array along(coordinates(shape, d, where));
    linear = linear + term{index_array(along * strides[d]), where};
  }
  p.linear = linear.x;
  const any_array all = make_broadcast(values, shape, name, where);
  if (all.size() == 0) return x;
  return put_at(x, direct(std::move(p)),
                values.size() == 1 ? make_reshape(values, {}, where) : all, name, where);
}

any_array place(const any_array& x, const any_array& mask, const any_array& values,
                location where) {
  check_mask(x, mask, values, "place", where);
  if (x.size() == 0) return x;
  const array<bool> chosen(make_cast(flattened(mask, where), dtype::bool_, where));
  const index_array before = places_before(chosen, where);
  const any_array v = cyclic(values, sinter::maximum(before, std::int64_t{0}), where);
  const any_array all = make_broadcast(v, extents{x.size()}, "place", where);
  return chosen_or(mask, make_reshape(all, x.extents(), where), x, "place", where);
}

any_array putmask(const any_array& x, const any_array& mask, const any_array& values,
                  location where) {
  check_mask(x, mask, values, "putmask", where);
  if (x.size() == 0) return x;
  if (std::ranges::equal(values.extents(), x.extents())) {
    return chosen_or(mask, values, x, "putmask", where);
  }
  const any_array v = cyclic(values, index_array(make_iota(x.extents(), where)), where);
  return chosen_or(mask, make_broadcast(v, x.extents(), "putmask", where), x, "putmask", where);
}

any_array fill_diagonal(const any_array& x, const any_array& values, bool wrap, location where) {
  const shape_view shape = checked(x, "fill_diagonal", where).shape;
  const bool cube = std::ranges::adjacent_find(shape, std::not_equal_to()) == shape.end();
  if (shape.size() < 2 || (shape.size() > 2 && !cube)) {
    fail<shape_error>(error_code::shape_mismatch, "fill_diagonal",
                      "shape " + text_of(shape) +
                          " has no diagonal: two axes, or more of one extent",
                      where);
  }
  if (checked(values, "fill_diagonal", where).size() == 0 && x.size() > 0) {
    fail<value_error>(error_code::bad_argument, "fill_diagonal", "there are no values", where);
  }
  if (x.size() == 0) return x;
  const auto strides = dense_strides(shape);
  const std::int64_t step = std::accumulate(strides.begin(), strides.end(), std::int64_t{0});
  const bool square = shape.size() == 2 && !wrap;
  const std::int64_t end = square ? std::min(x.size(), shape[1] * shape[1]) : x.size();
  const std::int64_t count[] = {(end + step - 1) / step};
  const any_array v = cyclic(values, index_array(make_iota(count, where)), where);
  return make_update(x, {0, {step}}, make_broadcast(v, count, "fill_diagonal", where), where);
}

}  // namespace sinter::detail
