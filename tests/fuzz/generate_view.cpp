// Views, and nodes that need a place: slices, transposes, windows, updates, products.
#include <algorithm>
#include <numeric>

#include "ir/index_expr.hpp"
#include "tests/fuzz/generator.hpp"

namespace sinter::fuzz {
namespace {

using ir::extent;
using ir::shape_t;

bool broadcasts(const shape_t& from, const shape_t& to) {
  if (from.size() > to.size()) return false;
  const std::size_t extra = to.size() - from.size();
  for (std::size_t d = 0; d < from.size(); ++d) {
    if (from[d] != 1 && from[d] != to[d + extra]) return false;
  }
  return true;
}

}  // namespace

ir::node_id generator::view_of(ir::node_id x, shape_t shape, ir::index_map map) {
  ir::node n;
  n.kind = ir::node_kind::view;
  n.type = at(x).type;
  n.inputs = {x};
  n.shape = std::move(shape);
  n.map = std::move(map);
  if (ir::size_of(n.shape) == 0) n.map.offset = 0;
  return add(std::move(n), approximate(x));
}

ir::node_id generator::view(ir::node_id x) {
  switch (c_.below(7)) {
    case 0: return transpose(x);
    case 1: return slice(x);
    case 2: return reshape(x);
    case 3: return flip(x);
    case 4: return broadcast(x);
    case 5: return window(x);
    default: return slice(transpose(x));
  }
}

std::pair<shape_t, ir::index_map> generator::section(const shape_t& shape) {
  const auto strides = ir::dense_strides(shape);
  shape_t out;
  ir::index_map map;
  for (std::size_t d = 0; d < shape.size(); ++d) {
    const extent n = shape[d];
    if (n < 2 || c_.chance(30)) {
      out.push_back(n);
      map.strides.push_back(strides[d]);
      continue;
    }
    const extent first = c_.below(static_cast<std::uint32_t>(n));
    if (c_.chance(15)) {  // an index: drops the axis
      map.offset += first * strides[d];
      continue;
    }
    const bool back = c_.chance(30);
    const extent step = 1 + c_.below(3), reach = back ? first : n - 1 - first;
    const extent count = 1 + c_.below(static_cast<std::uint32_t>(reach / step + 1));
    out.push_back(c_.chance(2) ? extent(0) : count);
    map.strides.push_back(back ? -step * strides[d] : step * strides[d]);
    map.offset += first * strides[d];
  }
  return {std::move(out), std::move(map)};
}

ir::node_id generator::slice(ir::node_id x) {
  auto [shape, map] = section(at(x).shape);
  return view_of(x, std::move(shape), std::move(map));
}

ir::node_id generator::transpose(ir::node_id x) {
  const shape_t from = at(x).shape;
  const auto strides = ir::dense_strides(from);
  std::vector<std::size_t> axes(from.size());
  for (std::size_t i = 0; i < axes.size(); ++i) axes[i] = axes.size() - 1 - i;
  for (std::size_t i = axes.size(); i > 2; --i) {
    std::swap(axes[i - 1], axes[c_.below(static_cast<std::uint32_t>(i))]);
  }
  shape_t shape;
  ir::index_map map;
  for (std::size_t a : axes) {
    shape.push_back(from[a]);
    map.strides.push_back(strides[a]);
  }
  return view_of(x, std::move(shape), std::move(map));
}

ir::node_id generator::reshape(ir::node_id x) {
  extent left = ir::size_of(at(x).shape);
  shape_t shape;
  if (left == 0) {
    shape = {0, pick_extent(limit_)};
  } else {
    for (std::uint32_t axes = c_.below(3); axes > 0; --axes) {
      std::vector<extent> divisors;
      for (extent d = 1; d * d <= left; ++d) {
        if (left % d == 0) divisors.insert(divisors.end(), {d, left / d});
      }
      shape.push_back(divisors[c_.below(static_cast<std::uint32_t>(divisors.size()))]);
      left /= shape.back();
    }
    shape.push_back(left);
  }
  ir::index_map map{0, ir::dense_strides(shape)};
  return view_of(x, std::move(shape), std::move(map));
}

ir::node_id generator::flip(ir::node_id x) {
  const shape_t shape = at(x).shape;
  ir::index_map map{0, ir::dense_strides(shape)};
  for (std::size_t d = 0; d < shape.size(); ++d) {
    if (shape[d] == 0 || c_.chance(40)) continue;
    map.offset += map.strides[d] * (shape[d] - 1);
    map.strides[d] = -map.strides[d];
  }
  return view_of(x, shape, std::move(map));
}

/// New axes, in front or anywhere, and broadcast unit axes.
ir::node_id generator::broadcast(ir::node_id x) {
  const shape_t from = at(x).shape;
  const auto strides = ir::dense_strides(from);
  extent size = reach_of(from);
  shape_t shape;
  ir::index_map map;
  const auto grow = [&] {
    shape.push_back(pick_extent(std::max<extent>(1, std::min<extent>(limit_ / size, 300))));
    map.strides.push_back(0);
    size *= std::max<extent>(1, shape.back());
  };
  if (!c_.chance(30)) grow();
  for (std::size_t d = 0; d < from.size(); ++d) {
    if (from[d] == 1 && c_.chance(70)) {
      grow();
      continue;
    }
    shape.push_back(from[d]);
    map.strides.push_back(strides[d]);
    if (shape.size() < 8 && c_.chance(20)) grow();
  }
  return view_of(x, std::move(shape), std::move(map));
}

/// Any affine map: windows that overlap, diagonals.
ir::node_id generator::window(ir::node_id x) {
  const extent size = ir::size_of(at(x).shape);
  if (size == 0) return flip(x);
  extent room = size - 1, elements = limit_;
  shape_t shape;
  ir::index_map map;
  for (std::uint32_t axes = 1 + c_.below(3); axes > 0; --axes) {
    const extent stride = c_.below(static_cast<std::uint32_t>(std::min<extent>(room, 40)) + 1);
    const extent most = stride == 0 ? extent(20) : room / stride + 1;
    const extent count = pick_extent(std::max<extent>(1, std::min(most, elements)));
    const bool back = c_.chance(25);
    shape.push_back(count);
    map.strides.push_back(back ? -stride : stride);
    if (back) map.offset += (count - 1) * stride;
    room -= (count - 1) * stride;
    elements /= count;
  }
  map.offset += c_.below(static_cast<std::uint32_t>(room) + 1);
  return view_of(x, std::move(shape), std::move(map));
}

ir::node_id generator::conform(ir::node_id x, dtype type, const shape_t& shape) {
  if (at(x).type != type) {
    const bool jumps = approximate(x) && !is_inexact(type);
    x = jumps ? source(type, at(x).shape) : cast(x, type);
  }
  const shape_t from = at(x).shape;
  if (from == shape) return x;
  const auto strides = ir::dense_strides(from);
  ir::index_map map{0, std::vector<extent>(shape.size(), 0)};
  const extent size = ir::size_of(from);
  if (broadcasts(from, shape)) {
    const std::size_t extra = shape.size() - from.size();
    for (std::size_t d = 0; d < from.size(); ++d) {
      if (from[d] != 1) map.strides[d + extra] = strides[d];
    }
  } else if (size == ir::size_of(shape)) {
    map.strides = ir::dense_strides(shape);
  } else if (size == 0) {
    return source(type, shape);
  } else {  // as many elements as fit, repeated
    extent left = size - 1;
    for (std::size_t d = shape.size(); d-- > 0;) {
      const extent stride = shape[d] > 1 ? std::min(left / (shape[d] - 1), extent{7}) : extent(0);
      map.strides[d] = stride;
      left -= stride * std::max<extent>(0, shape[d] - 1);
    }
  }
  return view_of(x, shape, std::move(map));
}

ir::node_id generator::update(ir::node_id base) {
  auto [shape, map] = section(at(base).shape);
  if (shape.size() > 1 && c_.chance(30)) {
    std::ranges::reverse(shape);
    std::ranges::reverse(map.strides);
  }
  if (ir::size_of(shape) == 0) map = {0, std::vector<extent>(shape.size(), 1)};
  ir::node n;
  n.kind = ir::node_kind::update;
  n.type = at(base).type;
  n.shape = at(base).shape;
  const ir::node_id value = conform(pick_array(), n.type, shape);
  n.inputs = {base, value};
  n.map = std::move(map);
  return add(std::move(n), approximate(base) || approximate(value));
}

}  // namespace sinter::fuzz
