#include "engine/sorting/search.hpp"

#include <bit>

#include <sinter/indexing.hpp>
#include <sinter/operators.hpp>
#include <sinter/searching.hpp>
#include <sinter/visit.hpp>

#include "engine/control/traced_loop.hpp"
#include "engine/indexing/gather.hpp"
#include "engine/nodes/report.hpp"
#include "engine/shape/join.hpp"
#include "engine/sorting/sorted.hpp"

namespace sinter::detail {
namespace {

using index_array = array<std::int64_t>;

/// Does a sort order a before b? NaN comes after all numbers.
template <element T> array<bool> before(const array<T>& a, const array<T>& b) {
  if constexpr (is_real(dtype_of<T>)) {
    return a < b || (b != b && a == a);
  } else if constexpr (is_complex(dtype_of<T>)) {
    using part = array<element_of<real_of(dtype_of<T>)>>;
    const part ar = sinter::real(a), ai = sinter::imag(a), br = sinter::real(b),
               bi = sinter::imag(b);
    // A NaN imaginary part comes after all complete numbers.
    const array<bool> whole = ai == ai && bi != bi;
    const array<bool> imaginary = ai < bi || whole;
    const array<bool> real = (ar < br && (ai == ai || bi != bi)) || (ar > br && whole);
    const array<bool> lost = ar == ar && br != br;
    return lost || real || ((ar == br || (ar != ar && br != br)) && imaginary);
  } else {
    return a < b;
  }
}

/// Elements of a one-dimensional view.
struct elements {
  any_array base;
  element_map map;
  std::int64_t step;

  explicit elements(const any_array& x) {
    std::tie(base, map) = base_of(x);
    step = map.strides[0];
  }
  template <element T> array<T> at(const index_array& places, location where) const {
    const index_array linear = places * step;
    element_map from{map.offset, extents(places.extents().size(), 0)};
    return array<T>(make_gather(base, linear, {}, std::move(from), where));
  }
};

template <element T>
index_array bisect(const elements& sorted, std::int64_t n, const array<T>& values, bool behind,
                   location where) {
  index_array place(
      make_broadcast(make_scalar({}, dtype::int64, where), values.extents(), "search", where));
  // Each step determines one binary digit of the place.
  for (auto step = static_cast<std::int64_t>(std::bit_floor(static_cast<std::uint64_t>(n)));
       step > 0; step /= 2) {
    const index_array last = sinter::minimum(place + step, n) - 1;
    const array<T> there = sorted.template at<T>(last, where);
    const array<bool> beyond = behind ? array<bool>(!before(values, there)) : before(there, values);
    place = sinter::where(beyond && place + step <= n, place + step, place);
  }
  return place;
}

/// Whether bins rise or fall is known only on the device, so it selects one of two views there.
struct ordered_bins {
  any_array bins;       // ascending
  array<bool> falling;  // rank 0
};

ordered_bins ascending(const any_array& bins, location where) {
  const std::int64_t n = bins.size();
  const term first{cut(bins, 0, 0, 1, where), where}, last{cut(bins, 0, n - 1, 1, where), where};
  const any_array falling = make_reshape((last < first).x, extents{}, where);
  const any_array turned = section(bins, 0, n - 1, n, -1, where);
  const any_array spread = make_broadcast(falling, bins.extents(), "digitize", where);
  return {choose(spread, turned, bins, where), array<bool>(falling)};
}

[[noreturn]] void raise_unordered(std::span<const std::int32_t>, const check& c) {
  fail<value_error>(error_code::bad_argument, c.op, "the bins are neither rising nor falling",
                    c.where);
}

void require_vector(const any_array& x, std::string_view op, std::string_view what,
                    location where) {
  if (checked(x, op, where).shape.size() == 1) return;
  fail<shape_error>(
      error_code::shape_mismatch, op,
      std::string(what) + " of shape " + text_of(x.extents()) + ": one dimension is wanted", where);
}

}  // namespace

void refuse_if(const any_array& x, const any_array& wrong, std::string_view op,
               void (*raise)(std::span<const std::int32_t>, const check&), location where,
               std::int64_t size) {
  std::vector<int> axes;
  for (int d = 0; d < wrong.ndim(); ++d) axes.push_back(d);
  const any_array any =
      axes.empty() ? wrong : make_reduce(wrong, ir::op::logical_or, false, axes, where);
  const auto c = std::make_shared<check>();
  c->status = where_live(make_cast(any, dtype::int32, where), where);
  c->raise = raise;
  c->op = op;
  c->where = where;
  c->size = size;
  attach(x, c);
}

any_array places_in(const any_array& sorted, const any_array& values, bool behind, location where) {
  const elements from(sorted);
  return visit(values, [&](const auto& v) -> any_array {
    return bisect(from, sorted.size(), v, behind, where);
  });
}

any_array found_in(const any_array& sorted, const any_array& values, location where) {
  const std::int64_t n = sorted.size();
  if (n == 0 || values.size() == 0) {
    return make_broadcast(make_scalar({}, dtype::bool_, where), values.extents(), "isin", where);
  }
  const elements from(sorted);
  return visit(values, [&](const auto& v) -> any_array {
    using T = typename std::remove_cvref_t<decltype(v)>::value_type;
    const index_array place = bisect(from, n, v, false, where);
    const index_array at = sinter::minimum(place, n - 1);
    return array<bool>(from.at<T>(at, where) == v);
  });
}

any_array searchsorted(const any_array& sorted, const any_array& values, const search_options& o,
                       location where) {
  require_vector(sorted, "searchsorted", "an array", where);
  any_array from = sorted;
  if (o.sorter.valid()) {
    require_vector(o.sorter, "searchsorted", "a sorter", where);
    if (o.sorter.size() != sorted.size()) {
      fail<shape_error>(error_code::shape_mismatch, "searchsorted",
                        "a sorter of " + std::to_string(o.sorter.size()) + " elements for " +
                            std::to_string(sorted.size()),
                        where);
    }
    from = take(sorted, o.sorter, {}, where);
  }
  const dtype type = promote(sorted.dtype(), checked(values, "searchsorted", where).type);
  return places_in(make_cast(from, type, where), make_cast(values, type, where),
                   o.side == search_side::right, where);
}

any_array digitize(const any_array& x, const any_array& bins, const digitize_options& o,
                   location where) {
  require_vector(bins, "digitize", "bins", where);
  const dtype type = promote(checked(x, "digitize", where).type, bins.dtype());
  if (is_complex(type)) {
    fail<dtype_error>(error_code::bad_dtype, "digitize",
                      std::string(name(type)) + " numbers have no order", where);
  }
  const std::int64_t n = bins.size();
  const any_array values = make_cast(x, type, where);
  if (n == 0) return places_in(make_cast(bins, type, where), values, false, where);
  const ordered_bins b = ascending(make_cast(bins, type, where), where);
  const index_array place(places_in(b.bins, values, !o.right, where));
  const array<bool> falling(make_broadcast(b.falling, x.extents(), "digitize", where));
  const any_array result = index_array(sinter::where(falling, n - place, place));
  if (n > 1) {
    const term after{cut(b.bins, 0, 1, n - 1, where), where};
    const term front{cut(b.bins, 0, 0, n - 1, where), where};
    refuse_if(result, (!(front <= after)).x, "digitize", raise_unordered, where);
  }
  return result;
}

any_array isin(const any_array& x, const any_array& test, const isin_options& o, location where) {
  const dtype type = common_type(x, test, "isin", where);
  const any_array all = flattened(make_cast(test, type, where), where);
  const any_array sorted = sort_values(all, false, false, where);
  const any_array found = found_in(sorted, make_cast(x, type, where), where);
  return o.invert ? make_op(ir::op::logical_not, {found}, where) : found;
}

}  // namespace sinter::detail
