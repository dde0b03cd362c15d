#include "engine/sorting/sorted.hpp"

#include <limits>

#include "engine/evaluation/session.hpp"
#include "engine/indexing/gather.hpp"
#include "engine/sorting/first_by_minima.hpp"
#include "engine/sorting/first_of_chunks.hpp"
#include "engine/sorting/sort_keys.hpp"

namespace sinter::detail {
namespace {

bool fits_int32(std::int64_t length) {
  return length <= std::numeric_limits<std::int32_t>::max();
}

any_array zeros(shape_view shape, dtype type, location where) {
  return make_broadcast(make_scalar({}, type, where), shape, "sort", where);
}

/// NumPy's order of complex numbers: a NaN in the real part comes last, one in the imaginary part
/// after all numbers without NaN; then by real, then by imaginary parts.
any_array complex_positions(const any_array& x, bool descending, location where) {
  const term z{x, where};
  const term re = apply(ir::op::real, {z}), im = apply(ir::op::imag, {z});
  const term lost = !apply(ir::op::isnan, {re}) && apply(ir::op::isnan, {im});
  const any_array by_im = sort_key(im.x, descending, zero_signs::equal, where);
  const any_array by_re = sort_key(re.x, descending, zero_signs::equal, where);
  // 0: no NaN, 1: in the imaginary part, 2: in the real part.
  const term worst = apply(ir::op::isnan, {re});
  const term rank = term{make_cast(lost.x, dtype::uint8, where), where} +
                    term{make_cast(worst.x, dtype::uint8, where), where} * 2;
  const any_array p = refined(sort_rows(by_im, where).positions, by_re, where);
  return refined(p, rank.x, where);
}

}  // namespace

any_array rows_view::restored(const any_array& y) const {
  const std::int64_t from[] = {-1}, to[] = {static_cast<std::int64_t>(axis)};
  return move_axes(y, from, to, where);
}

rows_view rows_along(const any_array& x, std::optional<std::int64_t> axis, std::string_view op,
                     location where) {
  const int ndim = static_cast<int>(checked(x, op, where).shape.size());
  if (!axis) return {make_reshape(x, extents{x.size()}, where), 0, where};
  const auto d = normalize_axis(*axis, ndim, op, where);
  const std::int64_t from[] = {d}, to[] = {-1};
  return {move_axes(x, from, to, where), static_cast<std::size_t>(d), where};
}

sorted_keys sort_rows(const any_array& keys, location where) {
  const extents shape = extents_of(keys);
  const std::int64_t length = shape.back();
  const bool narrow = fits_int32(length);
  const dtype place = narrow ? dtype::int32 : dtype::int64;
  if (keys.size() == 0 || length == 1) return {keys, zeros(shape, place, where)};
  // 64-bit positions need 64-bit keys.
  const any_array k = narrow ? keys : make_cast(keys, dtype::uint64, where);
  auto out = make_call("sort", {k}, {}, {{k.dtype(), shape}, {place, shape}}, where);
  return {make_cast(out[0], keys.dtype(), where), std::move(out[1])};
}

any_array first_positions(const any_array& keys, std::int64_t count, location where) {
  extents shape = extents_of(keys);
  const std::int64_t length = shape.back();
  // CUB sorts whole rows; and if many elements are needed, a full sort costs no more.
  const bool few = count <= length / 4 && count > 0 && !on_gpu();
  if (!few || !fits_int32(length) || keys.size() == 0) {
    return cut(sort_rows(keys, where).positions, shape.size() - 1, 0, count, where);
  }
  shape.back() = count;
  return make_call("sort", {keys}, {}, {{keys.dtype(), shape}, {dtype::int32, shape}}, where)[1];
}

any_array select_rows(const any_array& keys, const any_array& places, location where) {
  if (places.size() == 0) return zeros(places.extents(), keys.dtype(), where);
  return make_call("select", {keys, places}, keys.dtype(), places.extents(), where, {});
}

any_array refined(const any_array& positions, const any_array& keys, location where) {
  const any_array order = sort_rows(pick_rows(keys, positions, where), where).positions;
  return pick_rows(positions, order, where);
}

any_array argsort_rows(const any_array& x, bool descending, location where) {
  if (is_complex(x.dtype())) return complex_positions(x, descending, where);
  return sort_rows(sort_key(x, descending, zero_signs::equal, where), where).positions;
}

any_array argsort_first(const any_array& x, std::int64_t count, bool descending, location where) {
  const bool few = is_first_by_minima(x.dtype(), x.extents().back(), count);
  if (few && x.size() > 0) return first_by_minima(x, count, descending, where);
  if (!is_complex(x.dtype())) {
    const std::int64_t chunk = on_gpu() ? chunk_of_first(x.extents().back(), count) : 0;
    if (chunk > 0 && x.size() > 0) return first_of_chunks(x, count, chunk, descending, where);
    return first_positions(sort_key(x, descending, zero_signs::equal, where), count, where);
  }
  const any_array all = complex_positions(x, descending, where);
  return cut(all, all.extents().size() - 1, 0, count, where);
}

any_array sort_values(const any_array& x, bool descending, bool stable, location where) {
  if (is_complex(x.dtype()) || (stable && is_inexact(x.dtype()))) {
    return pick_rows(x, argsort_rows(x, descending, where), where);
  }
  const any_array keys = sort_key(x, descending, zero_signs::apart, where);
  return from_sort_key(sort_rows(keys, where).keys, x.dtype(), descending, where);
}

any_array pick_rows(const any_array& x, const any_array& positions, location where) {
  const extents shape = extents_of(positions);
  if (product_of(shape) == 0) return zeros(shape, x.dtype(), where);
  const auto [base, map] = base_of(x);
  element_map rows = map;
  const std::int64_t step = rows.strides.back();
  rows.strides.back() = 0;
  const term places{make_cast(positions, dtype::int64, where), where};
  const any_array factor =
      make_scalar({{static_cast<std::uint64_t>(step), 0}}, dtype::int64, where);
  return make_gather(base, (places * term{factor, where}).x, {}, std::move(rows), where);
}

}  // namespace sinter::detail
