// Consecutive sweeps over one grid: the input of stacks.
#include <algorithm>

#include "ir/index_expr.hpp"
#include "tests/fuzz/generator.hpp"

namespace sinter::fuzz {
namespace {

using ir::op;

/// Part of a grid: its origin and its size.
struct part {
  std::vector<ir::extent> begin;
  ir::shape_t shape;
};

ir::index_map map_of(const ir::shape_t& grid, const part& p) {
  ir::index_map map{0, ir::dense_strides(grid)};
  for (std::size_t d = 0; d < grid.size(); ++d) map.offset += p.begin[d] * map.strides[d];
  return map;
}

}  // namespace

/// Repeatedly combines neighbours in a part of x and another grid, and stores into either.
ir::node_id generator::sweeps(ir::node_id x) {
  const ir::shape_t grid = at(x).shape;
  if (ir::size_of(grid) == 0 || grid.size() > 4) return map(x);
  std::vector<ir::node_id> fields{x, source(at(x).type, grid)};
  for (std::uint32_t left = 2 + c_.below(6); left > 0; --left) {
    part inner;
    std::vector<ir::extent> edge;  // the largest offset of a neighbour
    for (ir::extent n : grid) {
      const ir::extent most = std::min<ir::extent>(2, (n - 1) / 2);
      edge.push_back(c_.below(static_cast<std::uint32_t>(most) + 1));
      const bool border = c_.chance(8);  // a single row
      inner.begin.push_back(border && c_.chance(50) ? n - 1 - edge.back() : edge.back());
      inner.shape.push_back(border ? ir::extent(1) : n - 2 * edge.back());
    }
    ir::node_id value = -1;
    for (std::uint32_t points = 1 + c_.below(4); points > 0; --points) {
      part moved = inner;
      for (std::size_t d = 0; d < grid.size(); ++d) {
        const auto places = static_cast<std::uint32_t>(2 * edge[d]) + 1;
        moved.begin[d] += ir::extent(c_.below(places)) - edge[d];
      }
      const ir::node_id from = fields[c_.below(2)];
      const ir::node_id seen = view_of(from, inner.shape, map_of(grid, moved));
      const op code = c_.chance(60) ? op::add : op::maximum;
      const bool ordered = code == op::maximum && is_complex(at(x).type);
      value = value < 0 ? seen : apply(ordered ? op::add : code, {value, seen});
    }
    if (at(value).type != at(x).type) value = cast(value, at(x).type);
    ir::node u;
    u.kind = ir::node_kind::update;
    u.type = at(x).type;
    u.shape = grid;
    u.map = map_of(grid, inner);
    ir::node_id& field = fields[c_.below(2)];
    u.inputs = {field, value};
    field = add(std::move(u), approximate(field) || approximate(value));
  }
  return fields[1];
}

}  // namespace sinter::fuzz
