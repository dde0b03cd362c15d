#include "engine/indexing/scatter.hpp"

#include <sinter/operators.hpp>
#include <sinter/reductions.hpp>

#include "engine/control/traced_loop.hpp"
#include "engine/indexing/select.hpp"
#include "engine/nodes/term.hpp"

namespace sinter::detail {
namespace {

using ir::op;
using index_array = array<std::int64_t>;

any_array zeros(shape_view shape, dtype type, location where) {
  return make_broadcast(make_scalar({}, type, where), shape, "at", where);
}

/// Marks the last element of each place: no later one has the same place. By comparing all pairs.
any_array last_of_few(const any_array& linear, std::int64_t n, location where) {
  const std::int64_t pairs[] = {n, n};
  const index_array one(make_view(linear, pairs, {0, {1, 0}}, where)),
      other(make_view(linear, pairs, {0, {0, 1}}, where)),
      before(coordinates(pairs, 0, where)), after(coordinates(pairs, 1, where));
  const array<bool> replaced = one == other && before < after;
  return array<bool>(!array<bool>(detail::any(replaced, {.axis = 1}, where)));
}

/// Marks the last element of each place: the one with the greatest number, by a scatter.
any_array last_of_many(const any_array& linear, std::int64_t n, std::int64_t space,
                       location where) {
  const std::int64_t shape[] = {n}, all[] = {space};
  const dtype counted = n < (std::int64_t{1} << 31) ? dtype::int32 : dtype::int64;
  const any_array number = make_cast(make_iota(shape, where), counted, where);
  const any_array last = make_scatter(zeros(all, counted, where), {linear, number, {}},
                                      {0, {0}}, op::maximum, where);
  const any_array found = make_gather(last, linear, {}, {0, {0}}, where);
  return make_op(op::equal, {found, number}, where);
}

/// A write to places: their positions, and which values count.
struct writing {
  const any_array& x;
  places p;
  bool alike;  // equal values: any of those that meet will do
  std::string_view op_name;
  location where;

  /// May several different values have the same place?
  bool several() const { return !alike && p.linear.size() > 1; }

  /// The mask of the values that count; invalid if all do.
  any_array counted(bool every) const {
    any_array which = p.bad.valid() ? array<bool>(!array<bool>(p.bad)) : any_array();
    if (!every && several()) {
      const array<bool> last(last_of_each(p, x.extents(), where));
      which = which.valid() ? array<bool>(array<bool>(which) && last) : last;
    }
    return which.valid() ? p.over(which, where) : which;
  }

  any_array put(op code, const any_array& values, const any_array& which,
                bool summed = false) const {
    const positions all = p.over(p, where);
    const scatter_inputs in{all.linear, values, which, faults_of(all, where)};
    const any_array made = make_scatter(x, in, p.map, code, where, summed);
    check_range(made, p, x.extents(), op_name, where);
    return made;
  }
  any_array put(op code, const any_array& values, bool every = false) const {
    return put(code, values, counted(every));
  }

  /// The same places in another array of the same shape.
  writing of(const any_array& other) const { return {other, p, alike, op_name, where}; }

  /// Adds every value, in any order. REQUIRES: float32 or float64.
  any_array summed(const any_array& values) const {
    return put(op::add, values, counted(true), true);
  }

  /// The elements now at the places.
  any_array now() const {
    return make_gather(x, p.over(p.linear, where), {}, p.map, where);
  }
};

/// Can kernels combine values of type t in place (complex ones by parts)? Half types are combined
/// in float.
bool combines_in_place(op code, dtype t) {
  if (is_half(t) || is_bool(t)) return false;
  return !is_complex(t) || code == op::add || code == op::subtract;
}

/// code(element, value) at every place, once per place.
any_array combine_once(const writing& w, op code, const any_array& values) {
  const dtype t = w.x.dtype();
  if (combines_in_place(code, t)) return w.put(code, values);
  const term both = apply(code, {as_term(w.now(), w.op_name, w.where),
                                 as_term(values, w.op_name, w.where)});
  return w.put(op::cast, rounded(both, t));
}

/// For each element of x the sum of its values in double; -0 if there are none.
any_array sums_beside(const writing& w, const any_array& values) {
  const any_array nothing = number(-0.0, dtype::float64, w.where).x;
  const any_array base = make_broadcast(nothing, w.x.extents(), "at", w.where);
  return w.of(base).summed(make_cast(values, dtype::float64, w.where));
}

/// x + f(values), with f applied to real and imaginary parts separately.
template <class F> any_array with_sums(const writing& w, const any_array& values, F f) {
  const dtype t = values.dtype();
  if (!is_complex(t)) return f(values);
  const any_array re = f(make_op(op::real, {values}, w.where));
  return make_complex(re, f(make_op(op::imag, {values}, w.where)), w.where);
}

/// Sums floats and halves in double and rounds once, unless that needs a temporary larger than the
/// values.
any_array add_all(const writing& w, op code, const any_array& given) {
  if (!w.several()) return combine_once(w, code, given);
  const dtype t = w.x.dtype();
  const any_array wide = is_half(t) ? make_cast(given, compute_of(t), w.where) : given;
  const any_array values =
      code == op::subtract ? make_op(op::negative, {wide}, w.where) : wide;
  if (compares_pairs(w.p, w.x)) {
    const any_array sums = with_sums(w, values, [&](const any_array& part) {
      return sums_by_place(w.p, make_cast(part, dtype::float64, w.where), w.where);
    });
    return combine_once(w, op::add, make_cast(sums, t, w.where));
  }
  const bool sparse = t == dtype::float32 && w.x.size() / 4 > values.size();
  if (t == dtype::float64 || sparse) return w.summed(values);
  const any_array sums = with_sums(
      w, values, [&](const any_array& part) { return sums_beside(w, part); });
  const any_array x = make_cast(w.x, sums.dtype(), w.where);
  return make_cast(make_op(op::add, {x, sums}, w.where), t, w.where);
}

/// Converts -0 to 0, and halves to float: kernels tell 0 from -0 only by order, so just one of them
/// may occur.
any_array extremum(const writing& w, op code, const any_array& values) {
  const dtype t = w.x.dtype();
  if (is_integer(t)) return w.put(code, values, true);
  const term v = as_term(values, w.op_name, w.where);
  const term normal = v + number(0, v.type(), w.where);
  if (!is_half(t)) return w.put(code, normal.x, true);
  const any_array x = as_term(w.x, w.op_name, w.where).x;
  return make_cast(w.of(x).put(code, normal.x, true), t, w.where);
}

/// On bool every reduction is an or or an and: all values that are written are equal.
any_array combine_bools(const writing& w, op code, const any_array& values) {
  const bool all = code == op::multiply || code == op::minimum;
  const array<bool> v(values), decides = all ? array<bool>(!v) : v;
  const any_array good = w.counted(true);
  const array<bool> counts = good.valid() ? array<bool>(array<bool>(good) && decides) : decides;
  return w.put(op::cast, make_scalar({{all ? 0u : 1u, 0}}, dtype::bool_, w.where), counts);
}

/// No exact accumulator fits products. With few indices each value finds the others of its place by
/// comparing all pairs; more are processed in chunks, one after another.
any_array multiply_all(const writing& w, op code, const any_array& values) {
  if (!w.several()) return combine_once(w, code, values);
  if (w.p.linear.size() <= few_indices) {
    return combine_once(w, code, products_by_place(w.p, values, w.where));
  }
  any_array x = w.x;
  for (std::int64_t at = 0; at < w.p.linear.size(); at += few_indices) {
    const std::int64_t count = std::min(few_indices, w.p.linear.size() - at);
    const auto [p, part] = some_of(w.p, values, at, count, x.extents(), w.where);
    x = multiply_all(writing{x, p, false, w.op_name, w.where}, code, part);
  }
  return x;
}

any_array combine_all(const writing& w, op code, const any_array& values) {
  const dtype t = w.x.dtype();
  if (is_bool(t)) return combine_bools(w, code, values);
  if (code == op::minimum || code == op::maximum) return extremum(w, code, values);
  if (is_integer(t)) {
    if (code != op::subtract) return w.put(code, values, true);
    return w.put(op::add, make_op(op::negative, {values}, w.where), true);
  }
  if (code == op::add || code == op::subtract) return add_all(w, code, values);
  return multiply_all(w, code, values);
}

/// Slices reach every element at most once.
any_array write_slices(const any_array& x, index_list items, op code,
                       const any_array& values, location where) {
  const any_array view = index(x, items);
  if (code == op::cast) return assign(x, view, values, where);
  const any_array fitted = make_broadcast(values, view.extents(), "at", where);
  const term both = apply(code, {as_term(view, "at", where), as_term(fitted, "at", where)});
  return assign(x, view, rounded(both, x.dtype()), where);
}

}  // namespace

any_array last_of_each(const places& p, shape_view whole, location where) {
  const std::int64_t n = p.linear.size();
  if (n < 2) return {};
  const extents common = extents_of(p.linear);
  const std::int64_t flat[] = {n};
  if (n <= few_indices) {
    return make_reshape(last_of_few(make_reshape(p.linear, flat, where), n, where), common, where);
  }
  std::int64_t space = product_of(whole);
  any_array linear = p.linear;
  if (!p.picks.empty()) {  // sliced axes do not matter
    extents strides(whole.size(), 0);
    space = 1;
    for (std::size_t i = p.picks.size(); i-- > 0;) {
      strides[p.picks[i].axis] = space;
      space *= whole[p.picks[i].axis];
    }
    linear = positions_of(p.picks, whole, strides, "at", where).linear;
  }
  return make_reshape(last_of_many(make_reshape(linear, flat, where), n, space, where), common,
                      where);
}

any_array put_at(const any_array& x, places p, const any_array& values, std::string_view name,
                 location where) {
  return writing{x, std::move(p), values.size() <= 1, name, where}.put(op::cast, values);
}

any_array write_at(const any_array& x, std::span<const index_item> given, ir::op code, bool every,
                   const any_array& values, location where) {
  const std::string_view name = every ? "at" : "assign";
  checked(x, name, where);
  checked(values, name, where);
  const auto listed = pointers_to(given);
  const index_list items = present(listed);
  if (!picks_elements(items)) return write_slices(x, items, code, values, where);
  if (const any_array* mask = only_mask(x, items)) {
    return put_by_mask(x, *mask, code, values, name, where);
  }
  if (auto made = put_one_by_mask(x, items, code, values, name, where)) return std::move(*made);
  const auto strides = dense_strides(x.extents());
  const bool alike = code == op::cast && values.size() == 1;
  const writing w{x,
                  places_by(read_indices(x, items, strides, where), x.extents(), x.dtype(), strides,
                            name, where),
                  alike, name, where};
  const any_array fitted = make_broadcast(values, w.p.shape, name, where);
  if (fitted.size() == 0) return x;
  if (code == op::cast) return w.put(op::cast, alike ? make_reshape(values, {}, where) : fitted);
  return every ? combine_all(w, code, fitted) : combine_once(w, code, fitted);
}

}  // namespace sinter::detail
