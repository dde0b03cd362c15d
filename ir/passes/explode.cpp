#include "ir/passes/explode.hpp"

#include <bit>

namespace sinter::ir {

namespace {

double as_double(dtype t, std::uint64_t bits) {
  switch (t) {
    case dtype::float32:
      return std::bit_cast<float>(static_cast<std::uint32_t>(bits));
    case dtype::float64:
      return std::bit_cast<double>(bits);
    case dtype::int8:
      return static_cast<std::int8_t>(bits);
    case dtype::int16:
      return static_cast<std::int16_t>(bits);
    case dtype::int32:
      return static_cast<std::int32_t>(bits);
    case dtype::int64:
      return static_cast<double>(static_cast<std::int64_t>(bits));
    default:
      return static_cast<double>(bits);
  }
}

/// Rewrites one map node into `out`, op by op.
class exploder {
 public:
  exploder(graph& out, const node& n, std::vector<node_id> inputs)
      : out_(out), n_(n), values_(std::move(inputs)) {}

  node_id run() {
    for (const instruction& i : n_.program.code) values_.push_back(one(i));
    const node_id last = values_.back();
    return out_[last].shape == n_.shape ? last : spread(last);
  }

 private:
  node_id map(op code, dtype type, dtype result, std::vector<node_id> args) {
    node m;
    m.kind = node_kind::map;
    m.type = result;
    m.origin = n_.origin;
    instruction i{code, type, result, {-1, -1, -1}};
    for (std::size_t k = 0; k < args.size(); ++k) {
      i.args[k] = static_cast<std::int16_t>(k);
      m.program.inputs.push_back(out_[args[k]].type);
      if (!out_[args[k]].shape.empty()) m.shape = out_[args[k]].shape;
    }
    m.program.code = {i};
    m.inputs = std::move(args);
    return out_.add(std::move(m));
  }

  node_id one(const instruction& i) {
    std::vector<node_id> args;
    for (int k = 0; k < arity(i); ++k) args.push_back(values_[static_cast<std::size_t>(i.args[k])]);
    if (i.code == op::pow) {
      if (const node_id p = power(i, args); p >= 0) return p;
    }
    return map(i.code, i.type, i.result, std::move(args));
  }

  node_id power(const instruction& i, const std::vector<node_id>& args) {
    const node& e = out_[args[1]];
    if (e.kind != node_kind::scalar || is_complex(i.type)) return -1;
    const dtype t = i.type;
    const node_id x = args[0];
    switch (exponent_class(t, e.value[0])) {
      case 1:
        return x;
      case 2:
        return map(op::square, t, t, {x});
      case 3:
        return map(op::multiply, t, t, {map(op::square, t, t, {x}), x});
      case 4:
        return root(t, x);
      case 5:
        return map(op::reciprocal, t, t, {x});
      default:
        return -1;
    }
  }

  /// The square root but for two values: that power of -0 is 0, and of -inf it is inf.
  node_id root(dtype t, node_id x) {
    const node_id positive = map(op::abs, t, t, {map(op::sqrt, t, t, {x})});
    const node_id infinite = map(op::isinf, t, dtype::bool_, {x});
    return map(op::where, t, t, {infinite, map(op::abs, t, t, {x}), positive});
  }

  node_id spread(node_id scalar) {
    node v;
    v.kind = node_kind::view;
    v.type = out_[scalar].type;
    v.shape = n_.shape;
    v.inputs = {scalar};
    v.map.strides.assign(n_.shape.size(), 0);
    v.origin = n_.origin;
    return out_.add(std::move(v));
  }

  graph& out_;
  const node& n_;
  std::vector<node_id> values_;
};

}  // namespace

int exponent_class(dtype type, std::uint64_t bits) {
  if (is_complex(type) || is_half(type) || is_bool(type)) return 0;
  const double e = as_double(type, bits);
  if (e == 1) return 1;
  if (e == 2) return 2;
  if (e == 3) return 3;
  if (is_real(type) && e == 0.5) return 4;
  if (is_real(type) && e == -1) return 5;
  return 0;
}

graph explode(const graph& g) {
  graph out;
  out.origins = g.origins;
  std::vector<node_id> id;
  for (const node& n : g.nodes) {
    std::vector<node_id> inputs;
    for (node_id i : n.inputs) inputs.push_back(id[static_cast<std::size_t>(i)]);
    if (n.kind == node_kind::map) {
      id.push_back(exploder(out, n, std::move(inputs)).run());
      continue;
    }
    node copy = n;
    copy.inputs = std::move(inputs);
    id.push_back(out.add(std::move(copy)));
  }
  for (node_id o : g.outputs) out.outputs.push_back(id[static_cast<std::size_t>(o)]);
  return out;
}

}  // namespace sinter::ir
