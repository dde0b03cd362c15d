// Writes by a mask become selects: nothing is scattered.

#include <sinter/operators.hpp>
#include <sinter/scans.hpp>

#include "engine/control/traced_loop.hpp"
#include "engine/evaluation/checks.hpp"
#include "engine/indexing/scatter.hpp"
#include "engine/indexing/select.hpp"
#include "engine/nodes/term.hpp"

namespace sinter::detail {
namespace {

using ir::op;
using index_array = array<std::int64_t>;

[[noreturn]] void raise_count(std::span<const std::int32_t>, const check& c) {
  fail<shape_error>(error_code::shape_mismatch, c.op,
                    "the mask chooses another number of elements than the " +
                        std::to_string(c.size) + " values",
                    c.where);
}

void check_axes(const any_array& x, const any_array& mask, std::string_view name, location where) {
  const bool rank = mask.ndim() <= x.ndim();
  if (rank && std::ranges::equal(mask.extents(), x.extents().first(mask.extents().size()))) return;
  fail<index_error>(error_code::index_out_of_range, name,
                    "a mask of shape " + text_of(mask.extents()) + " for an array of shape " +
                        text_of(x.extents()),
                    where);
}

/// For each element of x its row of `values`, which are assigned to the selected elements in order.
any_array in_order(const any_array& x, const any_array& mask, const any_array& values,
                   std::int64_t rows, std::string_view name, location where) {
  const std::int64_t n = mask.size();
  const extents flat{n};
  const array<bool> chosen(make_reshape(mask, flat, where));
  const index_array place = places_before(chosen, where), number(make_iota(flat, where));
  const array<bool> wrong = (chosen && place >= rows) || (number == n - 1 && place != rows - 1);
  const index_array row = sinter::where(chosen && place < rows, place, std::int64_t{0});
  const auto [base, map] = base_of(values);
  const auto rank = mask.extents().size();
  extents shape = extents_of(x);
  shape.erase(shape.begin(), shape.begin() + static_cast<std::ptrdiff_t>(rank));
  shape.insert(shape.begin(), n);
  element_map from{map.offset, {0}}, spread{0, {1}};
  for (std::size_t d = 1; d < shape.size(); ++d) {
    const bool repeated = values.extents()[d] == 1;
    from.strides.push_back(repeated ? std::int64_t{0} : map.strides[d]);
    spread.strides.push_back(0);
  }
  const index_array linear = row * map.strides[0];
  const index_faults faults{where_live(make_view(wrong, shape, spread, where), where), {}};
  const any_array picked =
      make_gather(base, make_view(linear, shape, spread, where), faults, from, where);
  const auto c = std::make_shared<check>();
  c->raise = raise_count;
  c->op = name;
  c->where = where;
  c->size = rows;
  picked.get()->details->in_range = c;
  attach(picked, c);
  return make_reshape(picked, x.extents(), where);
}

/// The values, broadcast or gathered to the shape of x.
any_array fitted(const any_array& x, const any_array& mask, const any_array& values,
                 std::string_view name, location where) {
  const auto shape = x.extents(), given = values.extents();
  const std::size_t rest = shape.size() - mask.extents().size();
  if (given.size() <= rest) return make_broadcast(values, shape, name, where);
  if (given.size() > rest + 1) {
    fail<shape_error>(error_code::shape_mismatch, name,
                      "values of shape " + text_of(given) + " for what a mask of shape " +
                          text_of(mask.extents()) + " chooses of shape " + text_of(shape),
                      where);
  }
  const shape_view inside = shape.last(rest);
  if (given[0] == 1) {
    return make_broadcast(make_reshape(values, given.subspan(1), where), shape, name, where);
  }
  extents rows(inside.begin(), inside.end());
  rows.insert(rows.begin(), given[0]);
  make_broadcast(values, rows, name, where);  // only for its error
  if (given[0] > 0) return in_order(x, mask, values, given[0], name, where);
  const any_array none = make_scalar({}, values.dtype(), where);
  const extents one(rest + 1, 1);
  return in_order(x, mask, make_broadcast(none, one, name, where), 0, name, where);
}

/// The depth of nodes that are compared.
constexpr int most_alike = 8;

bool same_value(const any_array& a, const any_array& b, int below) {
  if (a.get() == b.get()) return true;
  const node &x = *a.get(), &y = *b.get();
  const bool compared = x.kind == ir::node_kind::map || x.kind == ir::node_kind::view ||
                        x.kind == ir::node_kind::scalar;
  if (!compared || below == 0 || x.kind != y.kind || x.type != y.type) return false;
  const auto same_word = [](const scalar_word& v, const scalar_word& w) {
    return std::ranges::equal(v.bits, w.bits);
  };
  if (!(x.shape == y.shape) || !std::ranges::equal(x.scalars, y.scalars, same_word)) return false;
  if (x.kind == ir::node_kind::scalar) return true;
  if (!std::ranges::equal(x.program.code, y.program.code)) return false;
  const auto same_map = [](const element_map& m, const element_map& n) {
    return m.offset == n.offset && m.along == n.along && m.strides == n.strides;
  };
  if (!same_map(x.map, y.map)) return false;
  const std::vector<any_array> of = inputs_of(a), with = inputs_of(b);  // empty if evaluated
  return !of.empty() && std::ranges::equal(of, with, [&](const any_array& v, const any_array& w) {
    return same_value(v, w, below - 1);
  });
}

/// where(mask, code(x, values), x); the values have x's shape.
any_array chosen_from(const any_array& x, const any_array& mask, op code, const any_array& values,
                      std::string_view name, location where) {
  element_map map{0, dense_strides(mask.extents())};
  map.strides.resize(x.extents().size(), 0);
  const term here{make_view(mask, x.extents(), map, where), where};
  const term old = as_term(x, name, where), v = as_term(values, name, where);
  const term made = code == op::cast ? v : as_term(rounded(apply(code, {old, v}), x.dtype()), name,
                                                   where);
  return rounded(select(here, made, old), x.dtype());
}

/// Does a slice separate the mask from an integer? Then the selected axis comes first, which no
/// view expresses: `x(1, _, m)` is y(m, _) with y = x(1).T().
bool stand_apart(index_list items) {
  using kind = index_item::kind;
  bool met = false, left = false;
  for (const index_item* i : items) {
    const bool picks = i->what == kind::integer || i->what == kind::indices;
    if (picks && left) return true;
    met = met || picks;
    left = met && !picks;
  }
  return false;
}

}  // namespace

void check_mask(const any_array& x, const any_array& mask, location where) {
  checked(x, "index", where);
  check_axes(x, mask, "index", where);
}

any_array put_where(const any_array& x, const any_array& mask, op code, const any_array& values,
                    location where) {
  check_axes(x, mask, "assign", where);
  return x.size() == 0 ? x : chosen_from(x, mask, code, values, "assign", where);
}

index_array places_before(const array<bool>& mask, location where) {
  const dtype counted = mask.size() < (std::int64_t{1} << 31) ? dtype::int32 : dtype::int64;
  const any_array count = make_scan(make_cast(mask, counted, where), op::add, 0, where);
  return index_array(index_array(make_cast(count, dtype::int64, where)) - 1);
}

any_array put_by_mask(const any_array& x, const any_array& mask, op code, const any_array& values,
                      std::string_view name, location where) {
  check_axes(x, mask, name, where);
  if (x.size() == 0) return x;
  return chosen_from(x, mask, code, fitted(x, mask, values, name, where), name, where);
}

mask_view mask_view_of(const any_array& x, index_list items, location where) {
  using kind = index_item::kind;
  checked(x, "index", where);
  const auto mask = std::ranges::find(items, kind::indices, &index_item::what);
  const auto arrays = std::ranges::count(items, kind::indices, &index_item::what);
  if (arrays != 1 || !is_bool(checked((*mask)->indices, "index", where).type)) return {};
  const any_array& holds = (*mask)->indices;
  const std::size_t rank = holds.extents().size(), whole = x.extents().size();
  std::size_t axis = 0, used = rank, rests = 0;
  for (const index_item* i : items) {
    used += i->what == kind::integer || i->what == kind::range;
    rests += i->what == kind::rest;
  }
  if (rank == 0 || used > whole || rests > 1 || stand_apart(items)) return {};
  const index_item all(_);
  std::vector<const index_item*> shown(items.begin(), mask);
  for (const index_item* i : shown) {
    axis += i->what == kind::range || i->what == kind::new_axis;
    axis += i->what == kind::rest ? whole - used : 0;
  }
  shown.insert(shown.end(), rank, &all);
  shown.insert(shown.end(), mask + 1, items.end());
  any_array view = index(x, shown);
  if (!std::ranges::equal(view.extents().subspan(axis, rank), holds.extents())) return {};
  element_map map;
  map.strides.resize(axis, 0);
  for (const std::int64_t s : dense_strides(holds.extents())) map.strides.push_back(s);
  map.strides.resize(view.extents().size(), 0);
  any_array over = make_view(holds, view.extents(), std::move(map), where);
  return {std::move(view), std::move(over)};
}

mask_view mask_view_of(const any_array& x, std::span<const index_item> items, location where) {
  return mask_view_of(x, pointers_to(items), where);
}


std::optional<any_array> put_one_by_mask(const any_array& x, index_list items, op code,
                                         const any_array& value, std::string_view name,
                                         location where) {
  if (value.size() != 1 || value.ndim() > 1) return std::nullopt;
  const mask_view from = mask_view_of(x, items, where);
  if (!from.view.valid()) return std::nullopt;
  if (from.view.size() == 0) return x;
  const any_array over = make_broadcast(value, from.view.extents(), name, where);
  return assign(x, from.view, chosen_from(from.view, from.mask, code, over, name, where), where);
}

namespace {

/// A mask of rank 0 chooses all elements or none.
any_array mask_over(const any_array& x, any_array mask, location where) {
  if (!mask.valid() || mask.ndim() > 0 || x.ndim() == 0) return mask;
  return make_broadcast(mask, extents(x.extents().begin(), x.extents().end()), "index", where);
}

}  // namespace

choice::choice(any_array a, any_array mask, location w)
    : x(std::move(a)), from{x, mask_over(x, std::move(mask), w)}, items{index_item(from.mask, w)},
      where(w), memo_(std::make_shared<operand_memo>()) {}

choice::choice(any_array a, std::initializer_list<index_item> i, location w)
    : x(std::move(a)), from(mask_view_of(x, std::span(i.begin(), i.size()), w)), items(i),
      where(w), memo_(std::make_shared<operand_memo>()) {}

any_array choice::elements() const {
  const auto& memo = *static_cast<const operand_memo*>(memo_.get());
  any_array known = memo.get();
  if (known.valid()) return known;
  const bool alone = items.size() == 1;
  return memo.keep(alone ? chosen_by(x, from.mask, where) : index(x, items));
}

/// Compares by how both were recorded.
bool choice::same(const any_array& other, const any_array& mask) const {
  return from.view.valid() && std::ranges::equal(from.view.extents(), other.extents()) &&
         same_value(from.mask, mask, most_alike);
}

any_array choice::with_whole(ir::op code, const any_array& values) const {
  any_array made = put_where(from.view, from.mask, code, values, where);
  return items.size() > 1 ? assign(x, from.view, made, where) : made;
}

any_array choice::with(ir::op code, const any_array& values) const {
  // One number for all needs no selection, which traced functions cannot make.
  const bool scatters = code == ir::op::cast || code == ir::op::add || code == ir::op::multiply ||
                        code == ir::op::minimum || code == ir::op::maximum;
  if (!scatters && values.ndim() == 0 && from.view.valid()) return with_whole(code, values);
  return write_at(x, items, code, false, values, where);
}

any_array chosen_by(const any_array& x, const any_array& mask, location where) {
  const index_item item(mask, where);
  return index(x, {&item, 1});
}

}  // namespace sinter::detail
