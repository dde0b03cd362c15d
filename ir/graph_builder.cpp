#include "ir/graph_builder.hpp"

#include <algorithm>
#include <cstring>
#include <utility>

#include "ir/index_expr.hpp"
#include "ir/reference.hpp"

namespace sinter::ir {

node graph_builder::make(node_kind kind, dtype type, shape_t shape) const {
  node n;
  n.kind = kind;
  n.type = type;
  n.shape = std::move(shape);
  n.origin = origin;
  return n;
}

node_id graph_builder::source(dtype type, shape_t shape) {
  return out.add(make(node_kind::source, type, std::move(shape)));
}

node_id graph_builder::scalar(dtype type, double value) {
  scalar_value wide;
  std::memcpy(wide.bits, &value, sizeof value);
  const scalar_value as_type = convert(wide, dtype::float64, type);
  node n = make(node_kind::scalar, type, {});
  n.value[0] = as_type.bits[0];
  n.value[1] = as_type.bits[1];
  return out.add(std::move(n));
}

node_id graph_builder::constant(dtype type, double value) {
  const node_id made = scalar(type, value);
  out[made].baked = true;
  return made;
}

node_id graph_builder::spread(node_id scalar, const shape_t& shape) {
  return view(scalar, shape, extent_list(shape.size(), extent(0)));
}

node_id graph_builder::count(extent n) {
  return out.add(make(node_kind::iota, dtype::int64, {n}));
}

node_id graph_builder::size(extent n) {
  return view(count(n + 1), {}, {}, n);
}

node_id graph_builder::view(node_id x, shape_t shape, extent_list strides, extent offset) {
  node n = make(node_kind::view, out[x].type, std::move(shape));
  n.inputs = {x};
  n.map = {offset, std::move(strides)};
  return out.add(std::move(n));
}

node_id graph_builder::pad(node_id x, node_id inside, index_map map) {
  node n = make(node_kind::pad, out[x].type, out[inside].shape);
  n.inputs = {x, inside};
  n.map = std::move(map);
  return out.add(std::move(n));
}

node_id graph_builder::choose(node_id condition, node_id a, node_id b) {
  const dtype type = out[a].type, wide = is_half(type) ? dtype::float32 : type;
  return cast(apply(op::where, {condition, cast(a, wide), cast(b, wide)}), type);
}

node_id graph_builder::only(node_id x, node_id inside) {
  const bool same_for_all = out[x].shape.empty();
  node n = make(node_kind::pad, out[x].type, same_for_all ? out[inside].shape : out[x].shape);
  n.inputs = {x, inside};
  n.map = {0, same_for_all ? std::vector<extent>(n.shape.size()) : dense_strides(n.shape)};
  return out.add(std::move(n));
}

node_id graph_builder::map(instruction i, std::vector<node_id> inputs) {
  node n = make(node_kind::map, i.result, {});
  for (std::size_t k = 0; k < inputs.size(); ++k) {
    const node& x = out[inputs[k]];
    if (n.shape.empty()) n.shape = x.shape;
    i.args[k] = static_cast<std::int16_t>(k);
    n.program.inputs.push_back(x.type);
  }
  n.program.code = {i};
  n.inputs = std::move(inputs);
  return out.add(std::move(n));
}

node_id graph_builder::apply(op code, std::vector<node_id> inputs) {
  const dtype type = out[inputs[(info(code).traits & first_bool) != 0 ? 1 : 0]].type;
  return map({code, type, result_type(code, type), {-1, -1, -1}}, std::move(inputs));
}

node_id graph_builder::reduce(node_id x, op code, std::vector<int> axes) {
  const shape_t& from = out[x].shape;
  shape_t shape;
  for (std::size_t d = 0; d < from.size(); ++d) {
    if (std::ranges::find(axes, static_cast<int>(d)) == axes.end()) shape.push_back(from[d]);
  }
  node n = make(node_kind::reduce, out[x].type, std::move(shape));
  n.inputs = {x};
  n.reduction = {code, false, std::move(axes)};
  return out.add(std::move(n));
}

node_id graph_builder::cast(node_id x, dtype to) {
  if (out[x].type == to) return x;
  return map({op::cast, out[x].type, to, {-1, -1, -1}}, {x});
}

node_id graph_builder::bitcast(node_id x, dtype to) {
  return map({op::bitcast, out[x].type, to, {-1, -1, -1}}, {x});
}

node_id graph_builder::gather(node_id base, node_id index, index_map map) {
  node n = make(node_kind::gather, out[base].type, out[index].shape);
  n.inputs = {base, index};
  n.map = std::move(map);
  return out.add(std::move(n));
}

node_id graph_builder::scatter(op code, node_id base, node_id index, node_id value, node_id where,
                               index_map map) {
  node n = make(node_kind::scatter, out[base].type, out[base].shape);
  n.inputs = {base, index, value};
  if (where >= 0) n.inputs.push_back(where);
  n.map = std::move(map);
  n.reduction.code = code;
  return out.add(std::move(n));
}

node_id graph_builder::call(std::string routine, dtype type, shape_t shape,
                            std::vector<node_id> inputs, std::vector<std::int64_t> attributes) {
  node n = make(node_kind::call, type, std::move(shape));
  n.routine = std::move(routine);
  n.inputs = std::move(inputs);
  n.attributes = std::move(attributes);
  return out.add(std::move(n));
}

node_id graph_builder::output(node_id of, int which, dtype type, shape_t shape) {
  node n = make(node_kind::result, type, std::move(shape));
  n.inputs = {of};
  n.value[0] = static_cast<std::uint64_t>(which);
  return out.add(std::move(n));
}

graph replaced(const graph& g, const std::function<bool(const node&)>& asks,
               const std::function<node_id(graph_builder&, const node&, node copy)>& make) {
  if (std::ranges::none_of(g.nodes, asks)) return g;
  graph_builder b;
  b.out.origins = g.origins;
  std::vector<node_id> id;
  for (const node& n : g.nodes) {
    node copy = n;
    for (node_id& i : copy.inputs) i = id[static_cast<std::size_t>(i)];
    b.origin = n.origin;
    id.push_back(asks(n) ? make(b, n, std::move(copy)) : b.out.add(std::move(copy)));
  }
  for (const node_id o : g.outputs) b.out.outputs.push_back(id[static_cast<std::size_t>(o)]);
  return std::move(b.out);
}

}  // namespace sinter::ir
