// Reads at other places: gathers and pads.
#include <algorithm>

#include "ir/index_expr.hpp"
#include "tests/fuzz/generator.hpp"

namespace sinter::fuzz {
namespace {

using ir::extent;
using ir::shape_t;

}  // namespace

ir::node_id generator::integer(extent value) {
  ir::node n;
  n.kind = ir::node_kind::scalar;
  n.type = dtype::int64;
  n.value[0] = static_cast<std::uint64_t>(value);
  return add(std::move(n), false);
}

/// A few places along one axis of x, shared by all other coordinates or different for each.
ir::node_id generator::taken(ir::node_id x) {
  const shape_t from = at(x).shape;
  const auto axis = c_.below(static_cast<std::uint32_t>(from.size()));
  const std::vector<extent> strides = ir::dense_strides(from);
  ir::node n;
  n.kind = ir::node_kind::gather;
  n.type = at(x).type;
  n.shape = from;
  n.shape[axis] = 1 + c_.below(3);
  n.map.strides = strides;
  n.map.strides[axis] = 0;
  n.map.along = static_cast<int>(axis);
  const bool alike = c_.chance(50);
  const shape_t places = alike ? shape_t{n.shape[axis]} : n.shape;
  const ir::node_id picks = conform(source(dtype::int64, places), dtype::int64, places);
  ir::node_id index = apply(ir::op::remainder, {picks, integer(from[axis])});
  index = apply(ir::op::multiply, {index, integer(strides[axis])});
  if (alike) {
    ir::index_map spread{0, ir::extent_list(n.shape.size(), extent(0))};
    spread.strides[axis] = 1;
    index = view_of(index, n.shape, spread);
  }
  n.inputs = {x, index};
  return add(std::move(n), approximate(x));
}

/// Rows of x by index, or single elements.
ir::node_id generator::gather(ir::node_id x) {
  const shape_t from = at(x).shape;
  if (ir::size_of(from) == 0) return pad(x);
  if (!from.empty() && c_.chance(50)) return taken(x);
  const bool whole = !from.empty() && from.back() <= limit_ && c_.chance(50);
  const extent row = whole ? from.back() : extent(1);
  shape_t rows = pick_shape();
  if (rows.size() > 4) rows = {7};
  while (reach_of(rows) * row > limit_ && rows.size() > 0) rows.pop_back();
  return picked(x, rows, row);
}

/// A reduction of x's rows next to a column looked up for each row; or its reduction.
ir::node_id generator::looked_up(ir::node_id x) {
  const ir::node_id rows = reduce(x);
  const shape_t shape = at(rows).shape;
  const extent columns = shape.size() < 8 ? extent(1 + c_.below(4)) : extent(1);
  const ir::node_id table = source(at(rows).type, {1 + pick_extent(limit_), columns});
  ir::node_id found = picked(table, shape, columns);
  if (columns > 1) {
    ir::index_map column{extent(c_.below(static_cast<std::uint32_t>(columns.peek()))), {}};
    column.strides = ir::dense_strides(at(found).shape);
    column.strides.pop_back();
    found = view_of(found, shape, column);
  }
  const ir::op combine = is_bool(at(rows).type) ? ir::op::logical_or : ir::op::add;
  if (c_.chance(30)) return reduce(apply(combine, {found, found}));
  return apply(combine, {rows, found});
}

/// `row` elements of x for each point of `rows`. REQUIRES: x is not empty, and of whole rows.
ir::node_id generator::picked(ir::node_id x, shape_t rows, extent row) {
  const extent size = ir::size_of(at(x).shape);
  const ir::node_id picks = conform(source(dtype::int64, rows), dtype::int64, rows);
  ir::node_id index = apply(ir::op::remainder, {picks, integer(size / row)});
  const ir::node_id late = apply(ir::op::greater, {index, integer(size / row / 2)});
  ir::node_id word = c_.chance(50) ? apply(ir::op::add, {index, integer(1)}) : -1;
  index = apply(ir::op::multiply, {index, integer(row)});
  ir::node n;
  n.kind = ir::node_kind::gather;
  n.type = at(x).type;
  n.shape = rows;
  n.map.strides.assign(rows.size(), 0);
  ir::node_id bad = late;
  if (row > 1) {
    n.shape.push_back(row);
    n.map.strides.push_back(1);
    ir::index_map spread{0, ir::dense_strides(rows)};
    spread.strides.push_back(0);
    index = view_of(index, n.shape, spread);
    bad = view_of(late, n.shape, spread);
    if (word >= 0) word = view_of(word, n.shape, spread);
  }
  n.inputs = {x, index};
  if (at(x).shape.size() == (row > 1 ? 2 : 1) && c_.chance(50)) n.map.along = 0;
  if (c_.chance(50)) {
    n.inputs.push_back(bad);
    if (word >= 0) n.inputs.push_back(word);
    n.value[0] = g().nodes.size();
  }
  return add(std::move(n), approximate(x));
}

/// The elements that a mask selects, followed by other elements.
ir::node_id generator::compress() {
  const dtype type = compute_of(pick_type());  // a conversion would be an array of its own
  const shape_t shape{pick_extent(limit_)};
  const ir::node_id x = source(type, shape), chance = source(dtype::int8, shape);
  ir::node few;
  few.kind = ir::node_kind::scalar;
  few.type = dtype::int8;
  few.value[0] = c_.below(100);
  const ir::node_id mask = apply(ir::op::greater, {chance, add(std::move(few), false)});
  ir::node place;
  place.kind = ir::node_kind::scan;
  place.type = dtype::int32;
  place.shape = shape;
  place.reduction.axes = {0};
  place.inputs = {cast(mask, dtype::int32)};
  ir::node count;
  count.kind = ir::node_kind::iota;
  count.type = dtype::int64;
  count.shape = shape;
  const ir::node_id number = add(std::move(count), false);
  ir::node n, found;
  n.kind = ir::node_kind::compress;
  n.type = type;
  n.shape = shape;
  const ir::node_id last = apply(ir::op::equal, {number, integer(shape[0] - 1)});
  n.inputs = {x, mask, add(std::move(place), false), last};
  found.kind = ir::node_kind::result;
  found.type = dtype::int64;
  found.value[0] = 1;
  found.inputs = {add(std::move(n), false)};
  const ir::node_id chosen = found.inputs[0];
  const ir::node_id end = view_of(add(std::move(found), false), shape, {0, {0}});
  const ir::node_id live = apply(ir::op::less, {number, end});
  return apply(ir::op::where, {live, chosen, x});
}

/// Places in an array of `size` elements: all different (`apart`), or any.
ir::node_id generator::places(extent size, const shape_t& shape, bool apart) {
  ir::node_id number = -1;
  if (apart) {
    ir::node count;
    count.kind = ir::node_kind::iota;
    count.type = dtype::int64;
    count.shape = shape;
    number = add(std::move(count), false);
    const extent prime = 1000003;  // longer than any array, so coprime to its length
    number = apply(ir::op::multiply, {number, integer(prime)});
  } else {
    number = source(dtype::int64, shape);
  }
  return apply(ir::op::remainder, {number, integer(size)});
}

/// Values stored at places, or combined with the old elements.
ir::node_id generator::scatter(ir::node_id base) {
  constexpr ir::op ops[] = {ir::op::cast,    ir::op::add,     ir::op::maximum,
                            ir::op::minimum, ir::op::multiply, ir::op::subtract};
  const dtype type = at(base).type;
  const shape_t whole = at(base).shape;
  const extent size = ir::size_of(whole);
  if (size == 0) return update(base);
  ir::op code = c_.pick(ops);
  const bool parts = code == ir::op::add || code == ir::op::subtract;
  if (is_half(type) || is_bool(type) || (is_complex(type) && !parts)) code = ir::op::cast;
  const bool put = code == ir::op::cast;
  const bool extremum = code == ir::op::maximum || code == ir::op::minimum;
  const bool summed = code == ir::op::add && is_real(type) && c_.chance(60);
  const bool apart = put || (is_inexact(type) && !extremum && !summed) || c_.chance(20);
  if (!put) base = source(type, whole);
  shape_t shape = apart ? shape_t{1 + c_.below(static_cast<std::uint32_t>(size.peek()))}
                        : pick_shape();
  ir::node n;
  n.kind = ir::node_kind::scatter;
  n.type = type;
  n.shape = whole;
  n.reduction.code = code;
  n.reduction.summed = summed;
  n.map.strides.assign(shape.size(), 0);
  const ir::node_id index = places(size, shape, apart);
  ir::node_id value = put ? conform(pick_array(), type, shape) : source(type, shape);
  // Of zeros with different signs the first would stay.
  if (extremum && is_inexact(type)) value = apply(ir::op::add, {value, cast(integer(0), type)});
  n.inputs = {base, index, value};
  if (c_.chance(50)) {
    const ir::node_id late = apply(ir::op::greater, {index, integer(size / 2)});
    n.inputs.push_back(late);
    if (c_.chance(50)) {
      n.inputs.push_back(apply(ir::op::less, {index, integer(size / 3)}));
      n.value[0] = g().nodes.size();
    }
  }
  return add(std::move(n), summed || approximate(base) || approximate(value));
}

/// A matrix of this shape: gathered, stored, or one number per row or column.
ir::node_id generator::some_rows(ir::node_id from, const shape_t& all) {
  const dtype type = at(from).type;
  const std::uint32_t kind = c_.below(5);
  if (kind == 0) return source(type, all);
  if (kind == 1) return conform(from, type, all);
  if (kind == 2) return view_of(source(type, {all[1]}), all, {0, {0, 1}});
  if (kind == 3) return view_of(source(type, {all[0]}), all, {0, {1, 0}});
  const extent most = 1 + c_.below(40);
  return picked(source(type, {most, all[1]}), {all[0]}, all[1]);
}

/// Rows added at places, one place per row.
ir::node_id generator::scatter_rows(ir::node_id from) {
  const dtype type = at(from).type;
  if (!is_real(type) || is_half(type)) return scatter(from);
  const extent width = 2 + c_.below(11), rows = 1 + pick_extent(limit_ / width);
  const shape_t all{rows, width};
  const extent most = 1 + c_.below(60);
  ir::node n;
  n.kind = ir::node_kind::scatter;
  n.type = type;
  n.shape = {most, width};
  n.reduction.code = ir::op::add;
  n.reduction.summed = true;
  n.map.strides = {0, 1};
  const auto of_rows = [&](ir::node_id list) { return view_of(list, all, {0, {1, 0}}); };
  const ir::node_id place = places(most, {rows}, false);
  ir::node_id value = some_rows(from, all);
  for (int more = static_cast<int>(c_.below(3)); more > 0; --more) {
    value = apply(c_.chance(50) ? ir::op::add : ir::op::maximum, {value, some_rows(from, all)});
  }
  n.inputs = {source(type, n.shape), of_rows(apply(ir::op::multiply, {place, integer(width)})),
              cast(value, type)};
  if (c_.chance(50)) {
    n.inputs.push_back(of_rows(apply(ir::op::greater, {place, integer(most / 3)})));
    if (c_.chance(50)) {
      n.inputs.push_back(of_rows(apply(ir::op::less, {place, integer(most / 4)})));
      n.value[0] = g().nodes.size();
    }
  }
  return add(std::move(n), true);
}

/// Sorted keys, and their original positions.
ir::node_id generator::sort() {
  constexpr dtype types[] = {dtype::uint8, dtype::uint16, dtype::uint32, dtype::uint64};
  const dtype type = c_.pick(types);
  const ir::node_id from = pick_array();
  const bool taken = !approximate(from) && !at(from).shape.empty() && c_.chance(60);
  const shape_t shape = taken ? at(from).shape : shape_t{1 + c_.below(3), pick_extent(limit_)};
  ir::node n, places;
  n.kind = ir::node_kind::call;
  n.routine = "sort";
  n.type = type;
  n.shape = shape;
  if (c_.chance(20)) {  // only the first elements of rows
    n.shape.back() = c_.below(static_cast<std::uint32_t>(shape.back().peek()) + 1);
  }
  n.inputs = {taken ? conform(from, type, shape) : source(type, shape)};
  places.shape = n.shape;
  const ir::node_id keys = add(std::move(n), false);
  if (c_.chance(30)) return keys;
  places.kind = ir::node_kind::result;
  places.type = c_.chance(80) || type != dtype::uint64 ? dtype::int32 : dtype::int64;
  places.value[0] = 1;
  places.inputs = {keys};
  return add(std::move(places), false);
}

/// The elements at a few places of sorted rows.
ir::node_id generator::select() {
  constexpr dtype types[] = {dtype::uint8, dtype::uint16, dtype::uint32, dtype::uint64};
  const shape_t shape{1 + c_.below(3), std::max<extent>(1, pick_extent(limit_))};
  ir::node n;
  n.kind = ir::node_kind::call;
  n.routine = "select";
  n.type = c_.pick(types);
  n.shape = {shape[0], 1 + c_.below(3)};
  n.inputs = {source(n.type, shape), places(shape[1], n.shape, false)};
  return add(std::move(n), false);
}

/// x padded with zeros, or cropped.
ir::node_id generator::pad(ir::node_id x) {
  const shape_t from = at(x).shape;
  const auto strides = ir::dense_strides(from);
  ir::node n;
  n.kind = ir::node_kind::pad;
  n.type = at(x).type;
  std::vector<extent> low;
  extent size = 1;  // treats empty axes as 1: they may grow
  for (const extent e : from) size *= std::max<extent>(1, e);
  for (extent e : from) {
    // Short axes grow by a large factor: only some of them may.
    const bool room = size <= limit_ && size / std::max<extent>(1, e) * (e + 6) <= 4 * limit_;
    const extent before = !room || c_.chance(40) ? extent(0) : static_cast<extent>(c_.below(6)) - 2;
    const extent after = !room || c_.chance(40) ? extent(0) : static_cast<extent>(c_.below(6)) - 2;
    size = size / std::max<extent>(1, e) * std::max<extent>(1, e + before + after);
    low.push_back(before);
    n.shape.push_back(std::max<extent>(0, e + before + after));
    n.map.strides.push_back(strides[low.size() - 1]);
    n.map.offset -= before * n.map.strides.back();
  }
  if (from.empty()) return x;
  const auto moves = std::count_if(low.begin(), low.end(), [](extent e) { return e != 0; });
  const auto grows = [&](std::size_t d) { return n.shape[d] != from[d]; };
  const bool empty = ir::size_of(from) == 0;
  for (std::size_t d = 0; d < from.size() && moves <= 1 && !empty; ++d) {
    if (low[d] != 0 || grows(d)) n.map.along = n.map.along == -1 ? static_cast<int>(d) : -2;
  }
  n.map.along = std::max(n.map.along, -1);
  ir::node_id inside = -1;
  for (std::size_t d = 0; d < from.size(); ++d) {
    ir::node count;
    count.kind = ir::node_kind::iota;
    count.type = dtype::int64;
    count.shape = {n.shape[d]};
    ir::index_map along{0, std::vector<extent>(from.size(), 0)};
    along.strides[d] = 1;
    const ir::node_id at_axis = view_of(add(std::move(count), false), n.shape, along);
    const ir::node_id above = apply(ir::op::greater_equal, {at_axis, integer(low[d])});
    const ir::node_id below = apply(ir::op::less, {at_axis, integer(low[d] + from[d])});
    const ir::node_id both = apply(ir::op::logical_and, {above, below});
    inside = inside < 0 ? both : apply(ir::op::logical_and, {inside, both});
  }
  n.inputs = {x, inside};
  return add(std::move(n), approximate(x));
}

}  // namespace sinter::fuzz
