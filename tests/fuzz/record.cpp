#include "tests/fuzz/record.hpp"

#include <algorithm>
#include <map>
#include <span>

#include <sinter/views.hpp>
#include <sinter/vmap.hpp>

#include "engine/evaluation/evaluate.hpp"
#include "engine/evaluation/session.hpp"
#include "engine/nodes/node.hpp"
#include "tests/fuzz/choices.hpp"

namespace sinter::fuzz {
namespace {


class recorder {
 public:
  /// The arrays correspond to the graph's sources, in order.
  recorder(const ir::graph& g, std::span<const any_array> sources) : g_(g), sources_(sources) {}

  std::vector<any_array> run() {
    for (const ir::node& n : g_.nodes) arrays_.push_back(record(n));
    return std::move(arrays_);
  }

 private:
  const any_array& input(const ir::node& n, std::size_t k) const {
    return arrays_[static_cast<std::size_t>(n.inputs[k])];
  }

  any_array record(const ir::node& n) {
    const location where = location::current();
    const detail::element_map map = detail::plain(n.map);
    switch (n.kind) {
      case ir::node_kind::source: return sources_[next_++];
      case ir::node_kind::scalar:
        return detail::make_scalar({{n.value[0], n.value[1]}}, n.type, where);
      case ir::node_kind::map: return this->map(n, where);
      case ir::node_kind::view:
        return detail::make_view(input(n, 0), ir::plain(n.shape), map, where);
      case ir::node_kind::reduce:
        return detail::make_reduce(input(n, 0), n.reduction.code, n.reduction.arg,
                                   n.reduction.axes, where);
      case ir::node_kind::scan:
        return detail::make_scan(input(n, 0), n.reduction.code, n.reduction.axes[0], where);
      case ir::node_kind::random:
        return detail::make_random(n.type, ir::plain(n.shape), n.value[0], where);
      case ir::node_kind::iota: return detail::make_iota(ir::plain(n.shape), where);
      case ir::node_kind::update:
        return detail::make_update(input(n, 0), map, input(n, 1), where);
      case ir::node_kind::gather:  // out-of-range indices affect errors, not values
        return detail::make_gather(input(n, 0), input(n, 1), {}, map, where);
      case ir::node_kind::scatter:
        return detail::make_scatter(
            input(n, 0),
            {input(n, 1), input(n, 2), n.inputs.size() > 3 ? input(n, 3) : any_array(), {}}, map,
            n.reduction.code, where, n.reduction.summed);
      case ir::node_kind::compress: {
        auto [chosen, count] =
            detail::make_compress(input(n, 0), input(n, 1), input(n, 2), input(n, 3), where);
        results_[static_cast<ir::node_id>(arrays_.size())] = {{1, std::move(count)}};
        return chosen;
      }
      case ir::node_kind::pad: return detail::make_pad(input(n, 0), input(n, 1), map, where);
      case ir::node_kind::loop:
        loop(n, where);
        return {};
      case ir::node_kind::call: return call(n, where);
      case ir::node_kind::result:
        if (const auto of = loops_.find({n.inputs[0], n.value[0]}); of != loops_.end()) {
          return of->second;
        }
        return results_.at(n.inputs[0]).at(n.value[0]);
      case ir::node_kind::join: break;  // graphs have pads instead
    }
    throw std::runtime_error("a node of a kind that is not recorded");
  }

  /// The call, with those of its further outputs that the graph uses.
  any_array call(const ir::node& n, location where) {
    const auto id = static_cast<ir::node_id>(arrays_.size());
    std::vector<any_array> inputs;
    for (std::size_t k = 0; k < n.inputs.size(); ++k) inputs.push_back(input(n, k));
    std::vector<detail::call_output> outputs{{n.type, ir::plain(n.shape)}};
    for (const ir::node& r : g_.nodes) {
      if (r.kind != ir::node_kind::result || r.inputs[0] != id) continue;
      outputs.resize(std::max<std::size_t>(outputs.size(), r.value[0] + 1));
      outputs[r.value[0]] = {r.type, ir::plain(r.shape)};
    }
    auto made = detail::make_call(n.routine, inputs, ir::plain(n.attributes), outputs, where);
    for (std::size_t k = 1; k < made.size(); ++k) results_[id][k] = std::move(made[k]);
    return made[0];
  }

  void loop(const ir::node& n, location where) {
    std::vector<any_array> inputs;
    const std::size_t whole = ir::whole_inputs(n);
    for (std::size_t k = 0; k < n.inputs.size(); ++k) {
      const any_array& x = input(n, k);
      const bool fits = k >= whole || x.shape().empty();
      inputs.push_back(fits ? x : detail::make_broadcast(x, ir::plain(n.shape), "loop", where));
    }
    const auto id = static_cast<ir::node_id>(arrays_.size());
    std::vector<detail::loop_output> wanted;
    for (const ir::node& r : g_.nodes) {
      if (r.kind != ir::node_kind::result || r.inputs[0] != id) continue;
      wanted.push_back({static_cast<int>(r.value[0]), {r.type, ir::plain(r.shape)}});
    }
    const auto made =
        detail::make_loop(n.program, n.loop, std::move(inputs), ir::plain(n.shape), wanted, where);
    for (std::size_t k = 0; k < made.size(); ++k) {
      loops_[{id, static_cast<std::uint64_t>(wanted[k].which)}] = made[k];
    }
  }

  any_array map(const ir::node& n, location where) {
    std::vector<any_array> values;
    for (std::size_t k = 0; k < n.inputs.size(); ++k) values.push_back(input(n, k));
    for (const ir::instruction& i : n.program.code) {
      const auto arg = [&](int k) { return values[static_cast<std::size_t>(i.args[k])]; };
      if (i.code == ir::op::cast) {
        values.push_back(detail::make_cast(arg(0), i.result, where));
      } else if (i.code == ir::op::bitcast) {
        values.push_back(detail::make_bitcast(arg(0), i.result, where));
      } else if (ir::arity(i) == 1) {
        values.push_back(detail::make_op(i.code, {arg(0)}, where));
      } else if (ir::arity(i) == 2) {
        values.push_back(detail::make_op(i.code, {arg(0), arg(1)}, where));
      } else {
        values.push_back(detail::make_op(i.code, {arg(0), arg(1), arg(2)}, where));
      }
    }
    return detail::make_broadcast(values.back(), ir::plain(n.shape), "map", where);
  }

  const ir::graph& g_;
  std::span<const any_array> sources_;
  std::size_t next_ = 0;
  std::vector<any_array> arrays_;
  std::map<std::pair<ir::node_id, std::uint64_t>, any_array> loops_;  // outputs of each loop
  std::map<ir::node_id, std::map<std::uint64_t, any_array>> results_;  // of calls and compress
};

any_array array_of(const ir::tensor& t) {
  runtime::device& d = detail::current_device();
  auto buffer = d.allocate(t.data.size());
  d.copy_from_host(*buffer, 0, t.data.data(), t.data.size());
  return detail::make_source(std::move(buffer), d, t.type, ir::plain(t.shape));
}

}  // namespace

ir::tensor tensor_of(const any_array& x) {
  const auto shape = x.shape();
  ir::tensor t{x.dtype(), {shape.begin(), shape.end()}, {}};
  t.data.resize(static_cast<std::size_t>(x.nbytes()));
  detail::read(x, t.data.data(), location::current());
  return t;
}

std::vector<ir::tensor> run_recorded(const ir::graph& g, const std::vector<ir::tensor>& sources,
                                     sinter::device device, std::uint64_t seed) {
  const device_scope scope(device);
  random_bits random(seed);
  std::vector<any_array> given, outputs, held;
  for (const ir::tensor& t : sources) given.push_back(array_of(t));
  std::vector<any_array> arrays = recorder(g, given).run();
  given.clear();
  for (ir::node_id o : g.outputs) outputs.push_back(arrays[static_cast<std::size_t>(o)]);
  for (const any_array& a : arrays) {
    if (random.next() % 4 == 0 && a.valid()) held.push_back(a);
  }
  arrays.clear();
  if (random.next() % 2 == 0) detail::evaluate(outputs);
  if (random.next() % 2 == 0) held.clear();
  std::vector<ir::tensor> out;
  for (const any_array& o : outputs) out.push_back(tensor_of(o));
  // Arrays still held must be unchanged, whatever was overwritten or stored since.
  for (const any_array& h : held) tensor_of(h);
  for (std::size_t i = 0; i < outputs.size(); ++i) {
    if (tensor_of(outputs[i]).data != out[i].data) {
      throw std::runtime_error("output " + std::to_string(i) + " changed after it was read");
    }
  }
  return out;
}

namespace {

/// One array of all slices, stacked along `axis`.
any_array all_slices(const std::vector<std::vector<ir::tensor>>& slices, std::size_t k, int axis) {
  ir::tensor all = slices[0][k];
  all.shape.insert(all.shape.begin(), static_cast<std::int64_t>(slices.size()));
  for (std::size_t j = 1; j < slices.size(); ++j) {
    all.data.insert(all.data.end(), slices[j][k].data.begin(), slices[j][k].data.end());
  }
  return moveaxis(array_of(all), {0}, {axis});
}

/// The function for `vmap`: the graph's outputs, recorded over its arguments as sources.
struct recording {
  const ir::graph& g;
  std::size_t sources;

  static void call(void* self, any_array* in, any_array* out, location) {
    const auto& [g, count] = *static_cast<const recording*>(self);
    const std::vector<any_array> arrays = recorder(g, {in, count}).run();
    for (ir::node_id o : g.outputs) *out++ = arrays[static_cast<std::size_t>(o)];
  }
};

}  // namespace

bool has_vmap(const ir::graph& g) {
  // The number of selected elements determines a shape, and all slices have the same shape.
  return std::ranges::none_of(g.nodes, [](const ir::node& n) {
    return n.kind == ir::node_kind::compress;
  }) && std::ranges::any_of(g.nodes, [](const ir::node& n) {
    return n.kind == ir::node_kind::source;
  });
}

std::vector<std::vector<ir::tensor>> run_vmapped(
    const ir::graph& g, const std::vector<std::vector<ir::tensor>>& slices,
    const std::vector<bool>& same, sinter::device device, std::uint64_t seed) {
  const device_scope scope(device);
  random_bits random(seed);
  const auto below = [&](std::size_t n) { return static_cast<std::int64_t>(random.next() % n); };
  std::vector<any_array> arguments;
  vmap_options options{{}, {}};
  for (std::size_t k = 0; k < same.size(); ++k) {
    const std::int64_t axis = below(slices[0][k].shape.size() + 1);
    options.in_axes.push_back(same[k] ? std::optional<std::int64_t>() : axis);
    arguments.push_back(same[k] ? array_of(slices[0][k])
                                : all_slices(slices, k, static_cast<int>(axis)));
  }
  for (ir::node_id o : g.outputs) options.out_axes.push_back(below(g[o].shape.size() + 1));
  recording what{g, arguments.size()};
  const auto results = detail::vmap({recording::call, &what, g.outputs.size()}, arguments, options,
                                    location::current());
  if (random.next() % 2 == 0) detail::evaluate(results);
  std::vector<std::vector<ir::tensor>> out(slices.size());
  for (std::size_t o = 0; o < results.size(); ++o) {
    const ir::tensor all = tensor_of(moveaxis(results[o], {options.out_axes[o]}, {0}));
    const std::size_t each = all.data.size() / slices.size();
    for (std::size_t j = 0; j < slices.size(); ++j) {
      const auto begin = all.data.begin() + static_cast<std::ptrdiff_t>(j * each);
      out[j].push_back({all.type, {all.shape.begin() + 1, all.shape.end()},
                        {begin, begin + static_cast<std::ptrdiff_t>(each)}});
    }
  }
  return out;
}

}  // namespace sinter::fuzz
