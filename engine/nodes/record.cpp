#include <algorithm>

#include "engine/evaluation/evaluate.hpp"
#include "engine/nodes/node.hpp"
#include "engine/nodes/one_op.hpp"
#include "engine/nodes/recording.hpp"
#include "engine/nodes/report.hpp"
#include "ir/reference.hpp"

namespace sinter::detail {

new_node start(ir::node_kind kind, dtype type, shape_view shape, location where) {
  auto n = std::make_unique_for_overwrite<node>();  // the members have initializers
  n->kind = kind;
  n->type = type;
  n->shape.assign(shape);
  // Field by field: g++ 12 copies the pair through the stack, 15 cycles for a load wider than its
  // stores.
  n->where = location::current(where.file_name(), where.line());
  return n;
}

namespace {

/// Throws the error of the first op whose operands do not broadcast.
[[noreturn]] void fail_broadcast(ir::program_view program, std::span<const any_array> arrays,
                                 location where) {
  std::vector<any_array> values(arrays.begin(), arrays.end());  // only their shapes matter
  const any_array scalar = make_scalar({}, dtype::bool_, where);
  values.resize(program.inputs.size(), scalar);
  for (const ir::instruction& i : program.code) {
    std::vector<any_array> operands;
    for (int k = 0; k < arity(i); ++k)
      operands.push_back(values[static_cast<std::size_t>(i.args[k])]);
    const auto shape = broadcast_shape(operands, name(i.code), where);
    values.push_back(make_iota(shape, where));
  }
  fail<internal_error>(error_code::internal, "record", "operands broadcast after all", where);
}

/// Gives a map whose operands differ in shape the broadcast shape, and broadcasts the operands to
/// it.
void fit(node& n, ir::program_view program, location where) {
  const std::span<const any_array> arrays = n.inputs;
  for (const any_array& x : arrays) checked(x, name(program.code.back().code), where);
  try {
    n.shape = broadcast_shape(arrays, "broadcast", where);
  } catch (const shape_error&) {
    fail_broadcast(program, arrays, where);
  }
  check_shape(n.shape, n.type, name(program.code.back().code), where);
  for (any_array& x : n.inputs) {
    if (x.get()->shape.size() > 0) x = make_broadcast(x, n.shape, "broadcast", where);
  }
}

bool same_shapes(std::span<const any_array> arrays) {
  const node* first = arrays[0].get();
  if (!first) return false;
  for (const any_array& x : arrays.subspan(1)) {
    if (!x.valid() || !std::ranges::equal(x.get()->shape, first->shape)) return false;
  }
  return true;
}

any_array finish_map(new_node n) {
  if (same_shapes(n->inputs)) {
    n->shape.assign(n->inputs[0].get()->shape);
  } else {
    fit(*n, n->program, n->where);
  }
  return finish(std::move(n));
}

any_array map_of(ir::program program, std::span<const any_array> arguments, dtype type,
                 location where) {
  auto n = start(ir::node_kind::map, type, {}, where);
  n->details = std::make_unique<node_details>();
  n->details->program = std::move(program);
  n->program = n->details->program.view();
  n->inputs.assign(arguments);
  return finish_map(std::move(n));
}

any_array view_of(const any_array& x, shape_view shape, element_map map, location where) {
  auto n = start(ir::node_kind::view, x.get()->type, shape, where);
  n->inputs.push_back(x);
  n->map = std::move(map);
  return finish(std::move(n));
}

bool is_identity(const any_array& x, shape_view shape, const element_map& map) {
  if (map.offset != 0 || !std::ranges::equal(x.get()->shape, shape)) return false;
  std::int64_t dense = 1;
  for (std::size_t d = shape.size(); d-- > 0;) {
    if (shape[d] > 1 && map.strides[d] != dense) return false;
    dense *= std::max<std::int64_t>(shape[d], 1);
  }
  return true;
}

}  // namespace

any_array record(statement& s, any_array* arrays, const scalar_word* scalars, location where) {
  auto n = start(ir::node_kind::map, s.result, {}, where);
  n->program = s.program;
  n->record = &s;
  n->inputs.fill(static_cast<std::size_t>(s.arrays),
                 [&](std::size_t i) { return std::move(arrays[i]); });
  n->scalars.assign({scalars, static_cast<std::size_t>(s.scalars)});
  return finish_map(std::move(n));
}

any_array make_source(std::shared_ptr<runtime::buffer> buffer, runtime::device& device, dtype type,
                      shape_view shape) {
  auto n = start(ir::node_kind::source, type, shape, {});
  n->buffer = std::move(buffer);
  n->device = &device;
  return any_array::take(n.release());
}

any_array make_scalar(const scalar_word& value, dtype type, location where) {
  auto n = start(ir::node_kind::scalar, type, {}, where);
  n->scalars.push_back(value);
  return finish(std::move(n));
}

any_array make_iota(shape_view shape, location where) {
  return finish(start(ir::node_kind::iota, dtype::int64, shape, where));
}

any_array make_place(std::int64_t n, location where) {
  const std::int64_t line[] = {n + 1};
  return make_view(make_iota(line, where), {}, element_map{n, {}}, where);
}

any_array make_random(dtype type, shape_view shape, std::uint64_t seed, location where) {
  auto n = start(ir::node_kind::random, type, shape, where);
  n->scalars.push_back({{seed, 0}});
  return finish(std::move(n));
}

any_array make_view(const any_array& x, shape_view shape, element_map map, location where) {
  if (is_identity(x, shape, map)) return x;
  if (auto inner = viewed(x)) {
    if (auto whole = compose(inner->second, x.extents(), map, shape)) {
      return make_view(inner->first, shape, std::move(*whole), where);
    }
  }
  return view_of(x, shape, std::move(map), where);
}

any_array make_part_view(const any_array& base, shape_view shape, element_map map,
                         element_map within, location where) {
  any_array view = view_of(base, shape, std::move(map), where);
  view.get()->details = std::make_unique<node_details>();
  view.get()->details->within = std::move(within);
  return view;
}

any_array make_index_view(const any_array& x, shape_view shape, element_map map,
                          location where) {
  if (is_identity(x, shape, map)) return x;
  if (auto inner = viewed(x)) {
    if (auto whole = compose(inner->second, x.extents(), map, shape)) {
      return make_part_view(inner->first, shape, std::move(*whole), std::move(map), where);
    }
  }
  return view_of(x, shape, std::move(map), where);
}

any_array make_reshape(const any_array& x, shape_view shape, location where) {
  if (std::ranges::equal(x.get()->shape, shape)) return x;
  return make_view(x, shape, {0, dense_strides(shape)}, where);
}

any_array flattened(const any_array& x, location where) {
  const std::int64_t shape[] = {x.size()};
  return make_reshape(x, shape, where);
}

any_array make_broadcast(const any_array& x, shape_view shape, std::string_view op,
                         location where) {
  const auto from = x.extents();
  if (std::ranges::equal(from, shape)) return x;
  const auto refuse = [&](const std::string& why) {
    fail<shape_error>(error_code::shape_mismatch, op,
                      "shape " + text_of(from) + " does not broadcast to " + text_of(shape) + ": " +
                          why,
                      where);
  };
  if (from.size() > shape.size()) refuse("it has more dimensions");
  const auto strides = dense_strides(from);
  element_map map;
  map.strides.assign(shape.size(), 0);
  const std::size_t added = shape.size() - from.size();
  for (std::size_t d = from.size(); d-- > 0;) {
    if (from[d] == shape[d + added]) {
      map.strides[d + added] = from[d] == 1 ? 0 : strides[d];
    } else if (from[d] != 1) {
      refuse("axis " + std::to_string(d + added) + " is " + std::to_string(from[d]) + " against " +
             std::to_string(shape[d + added]));
    }
  }
  return make_view(x, shape, std::move(map), where);
}

any_array make_reduce(const any_array& x, ir::op code, bool arg, std::vector<int> axes,
                      location where) {
  const auto from = x.extents();
  std::vector<std::int64_t> kept;
  for (std::size_t d = 0; d < from.size(); ++d) {
    if (std::ranges::find(axes, static_cast<int>(d)) == axes.end()) kept.push_back(from[d]);
  }
  // Nothing to reduce: the neutral element, or an empty result.
  if (x.size() == 0 && !arg) {
    const ir::scalar_value neutral = ir::identity_of(code, x.dtype());
    const any_array value =
        make_scalar({{neutral.bits[0], neutral.bits[1]}}, x.dtype(), where);
    return make_broadcast(value, kept, "reduce", where);
  }
  auto n = start(ir::node_kind::reduce, arg ? dtype::int64 : x.dtype(), kept, where);
  n->inputs.push_back(x);
  n->details = std::make_unique<node_details>();
  n->details->reduction = {code, arg, std::move(axes)};
  return finish(std::move(n));
}

any_array make_scan(const any_array& x, ir::op code, int axis, location where) {
  if (x.extents()[static_cast<std::size_t>(axis)] < 2) return x;
  auto n = start(ir::node_kind::scan, x.dtype(), x.extents(), where);
  n->inputs.push_back(x);
  n->details = std::make_unique<node_details>();
  n->details->reduction = {code, false, {axis}};
  return finish(std::move(n));
}

any_array make_op(ir::op code, std::initializer_list<any_array> arguments, location where) {
  const any_array* args = arguments.begin();
  const dtype type = args[ir::info(code).traits & ir::first_bool ? 1 : 0].dtype();
  const ir::program_view program = program_of(code, type).view();
  auto n = start(ir::node_kind::map, program.code[0].result, {}, where);
  n->program = program;
  n->inputs.assign({args, arguments.size()});
  return finish_map(std::move(n));
}

namespace {

any_array converted(ir::op code, const any_array& x, dtype to, location where) {
  ir::program program;
  program.inputs.push_back(x.dtype());
  program.code.push_back({code, x.dtype(), to, {0, -1, -1}});
  return map_of(std::move(program), {&x, 1}, to, where);
}

}  // namespace

any_array make_formula(ir::program program, std::initializer_list<any_array> arrays,
                       std::initializer_list<scalar_word> scalars, location where) {
  auto n = start(ir::node_kind::map, program.code.back().result, {}, where);
  n->details = std::make_unique<node_details>();
  n->details->program = std::move(program);
  n->program = n->details->program.view();
  n->inputs.assign({arrays.begin(), arrays.size()});
  n->scalars.assign({scalars.begin(), scalars.size()});
  return finish_map(std::move(n));
}

any_array make_program(ir::program program, const std::vector<any_array>& inputs,
                       location where) {
  const dtype type = program.code.back().result;
  return map_of(std::move(program), inputs, type, where);
}

any_array make_map_like(const node& map, const std::vector<any_array>& inputs, location where) {
  auto n = start(ir::node_kind::map, map.type, {}, where);
  if (map.details) {
    n->details = std::make_unique<node_details>();
    n->details->program = map.details->program;
  }
  n->program = n->details ? n->details->program.view() : map.program;
  n->record = map.record;
  n->inputs.assign(inputs);
  for (const scalar_word& w : map.scalars) n->scalars.push_back(w);
  return finish_map(std::move(n));
}

any_array make_cast(const any_array& x, dtype to, location where) {
  if (checked(x, "astype", where).type == to) return x;
  return converted(ir::op::cast, x, to, where);
}

any_array make_bitcast(const any_array& x, dtype to, location where) {
  return converted(ir::op::bitcast, x, to, where);
}

any_array make_gather(const any_array& base, const any_array& index, const index_faults& faults,
                      element_map map, location where) {
  auto n = start(ir::node_kind::gather, base.dtype(), index.extents(), where);
  for (const any_array& x : {base, index, faults.bad, faults.word}) {
    if (x.valid()) n->inputs.push_back(x);
  }
  n->details = std::make_unique<node_details>();
  n->map = std::move(map);
  return finish(std::move(n));
}

any_array make_pad(const any_array& x, const any_array& inside, element_map map,
                   location where) {
  auto n = start(ir::node_kind::pad, x.dtype(), inside.extents(), where);
  n->inputs.push_back(x);
  n->inputs.push_back(inside);
  n->map = std::move(map);
  return finish(std::move(n));
}

any_array make_join(std::span<const any_array> bases, std::vector<joined_piece> pieces,
                    std::size_t axis, shape_view shape, location where) {
  auto n = start(ir::node_kind::join, bases[0].dtype(), shape, where);
  n->inputs.assign(bases);
  n->details = std::make_unique<node_details>();
  n->details->axis = axis;
  n->details->pieces = std::move(pieces);
  return finish(std::move(n));
}

any_array make_update(const any_array& base, element_map map, const any_array& value,
                      location where) {
  auto n = start(ir::node_kind::update, base.dtype(), base.extents(), where);
  n->inputs.push_back(base);
  n->inputs.push_back(value);
  n->map = std::move(map);
  return finish(std::move(n));
}

any_array make_scatter(const any_array& base, const scatter_inputs& in, element_map map,
                       ir::op code, location where, bool summed) {
  auto n = start(ir::node_kind::scatter, base.dtype(), base.extents(), where);
  for (const any_array& x : {base, in.index, in.value, in.where, in.faults.bad, in.faults.word}) {
    if (x.valid()) n->inputs.push_back(x);
  }
  n->details = std::make_unique<node_details>();
  n->map = std::move(map);
  n->details->reduction.code = code;
  n->details->reduction.summed = summed;
  return finish(std::move(n));
}

}  // namespace sinter::detail
