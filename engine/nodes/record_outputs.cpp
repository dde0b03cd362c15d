// Records nodes with several outputs, and placeholders.
#include "engine/nodes/node.hpp"
#include "engine/nodes/recording.hpp"

namespace sinter::detail {

std::pair<any_array, any_array> make_compress(const any_array& x, const any_array& mask,
                                              const any_array& place, const any_array& last,
                                              location where) {
  auto c = start(ir::node_kind::compress, x.dtype(), x.extents(), where);
  for (const any_array& input : {x, mask, place, last}) c->inputs.push_back(input);
  c->details = std::make_unique<node_details>();
  const any_array chosen = finish(std::move(c));
  auto n = start(ir::node_kind::result, dtype::int64, {}, where);
  n->inputs.push_back(chosen);
  n->details = std::make_unique<node_details>();
  n->details->output = 1;
  n->depth.store(chosen.get()->depth.load() + 1, std::memory_order_relaxed);
  const any_array count = any_array::take(n.release());
  chosen.get()->details->results.push_back(count.get());
  return {chosen, count};
}

namespace {

/// Output k of a new node.
any_array result_of(const any_array& from, std::size_t k, const call_output& what,
                    location where) {
  auto n = start(ir::node_kind::result, what.type, what.shape, where);
  n->inputs.push_back(from);
  n->details = std::make_unique<node_details>();
  n->details->output = k;
  n->depth.store(from.get()->depth.load() + 1, std::memory_order_relaxed);
  any_array result = any_array::take(n.release());
  from.get()->details->results.push_back(result.get());
  return result;
}

}  // namespace

std::vector<any_array> make_call(std::string routine, std::vector<any_array> inputs,
                                 std::vector<std::int64_t> attributes,
                                 std::vector<call_output> outputs, location where) {
  std::vector<any_array> all;
  all.push_back(make_call(std::move(routine), std::move(inputs), outputs[0].type, outputs[0].shape,
                          where, std::move(attributes)));
  for (std::size_t k = 1; k < outputs.size(); ++k) {
    all.push_back(result_of(all[0], k, outputs[k], where));
  }
  return all;
}

std::vector<any_array> make_call_with(const std::string& routine, std::vector<any_array> inputs,
                                      std::vector<std::int64_t> attributes,
                                      const call_output& first,
                                      const std::vector<loop_output>& further, location where) {
  std::vector<any_array> all{make_call(routine, std::move(inputs), first.type, first.shape, where,
                                       std::move(attributes))};
  for (const loop_output& o : further) {
    all.push_back(result_of(all[0], static_cast<std::size_t>(o.which), o.what, where));
  }
  return all;
}

std::vector<any_array> make_loop(ir::program program, ir::loop loop,
                                 std::vector<any_array> inputs, shape_view shape,
                                 const std::vector<loop_output>& wanted, location where) {
  auto n = start(ir::node_kind::loop, dtype::bool_, shape, where);
  n->inputs.assign(inputs);
  n->details = std::make_unique<node_details>();
  n->details->program = std::move(program);
  n->details->loop = std::move(loop);
  n->program = n->details->program.view();
  const any_array made = finish(std::move(n));
  std::vector<any_array> outputs;
  for (const loop_output& o : wanted) {
    outputs.push_back(result_of(made, static_cast<std::size_t>(o.which), o.what, where));
  }
  return outputs;
}

any_array make_placeholder(dtype type, shape_view shape, location where) {
  return finish(start(ir::node_kind::source, type, shape, where));
}

any_array make_call(std::string routine, std::vector<any_array> inputs, dtype type,
                    shape_view shape, location where, std::vector<std::int64_t> attributes) {
  auto n = start(ir::node_kind::call, type, shape, where);
  n->inputs.assign(inputs);
  n->details = std::make_unique<node_details>();
  n->details->routine = std::move(routine);
  n->details->attributes = std::move(attributes);
  return finish(std::move(n));
}

}  // namespace sinter::detail
