#include "tests/fuzz/estimate.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <numeric>

#include "ir/index_expr.hpp"
#include "ir/reference.hpp"
#include "tests/fuzz/generator.hpp"

namespace sinter::fuzz {
namespace {

using ir::extent;
using errors = std::vector<double>;

/// Calls f(i, offset) for the elements of a shape in row-major order.
template <class F> void for_each_mapped(const ir::shape_t& shape, const ir::index_map& map, F f) {
  std::vector<extent> at(shape.size(), 0);
  const extent n = ir::size_of(shape);
  for (extent i = 0; i < n; ++i) {
    extent offset = map.offset;
    for (std::size_t d = 0; d < at.size(); ++d) offset += at[d] * map.strides[d];
    f(static_cast<std::size_t>(i), static_cast<std::size_t>(offset));
    for (std::size_t d = shape.size(); d-- > 0 && ++at[d] == shape[d];) at[d] = 0;
  }
}

/// A value of a program: an array of n, or a single element for all.
struct program_value {
  dtype type;
  std::vector<std::byte> bytes;
  errors error;
};

class estimator {
 public:
  estimator(const ir::graph& g, const std::vector<ir::tensor>& sources) : g_(g) {
    ir::graph all = g;
    all.outputs.resize(g.nodes.size());
    std::iota(all.outputs.begin(), all.outputs.end(), 0);
    values_ = ir::interpret(all, {sources.begin(), sources.end()});
    for (std::size_t i = 0; i < g.nodes.size(); ++i) errors_.push_back(errors_of(i));
  }

  std::vector<estimate> outputs() {
    std::vector<estimate> out;
    for (ir::node_id o : g_.outputs) {
      out.push_back({values_[static_cast<std::size_t>(o)], errors_[static_cast<std::size_t>(o)]});
    }
    return out;
  }

 private:
  const ir::tensor& value(ir::node_id n) const { return values_[static_cast<std::size_t>(n)]; }
  const errors& error(ir::node_id n) const { return errors_[static_cast<std::size_t>(n)]; }
  double error(ir::node_id n, std::size_t i) const { return error(n).empty() ? 0 : error(n)[i]; }
  static std::size_t count(const ir::tensor& t) {
    return static_cast<std::size_t>(ir::size_of(t.shape));
  }
  numbers numbers_of(ir::node_id n) const {
    return {value(n).type, value(n).data.data(), count(value(n))};
  }

  errors errors_of(std::size_t i) const {
    const ir::node& n = g_.nodes[i];
    switch (n.kind) {
      case ir::node_kind::map:
        return map(n);
      case ir::node_kind::view:
        return view(n);
      case ir::node_kind::update:
        return update(n);
      case ir::node_kind::gather:
        return gather(n);
      case ir::node_kind::scatter:
        return n.reduction.summed ? sums(n, static_cast<ir::node_id>(i)) : scatter(n);
      case ir::node_kind::pad:
        return pad(n);
      case ir::node_kind::reduce:
        return reduce(n, static_cast<ir::node_id>(i));
      case ir::node_kind::scan:
        return scan(n, static_cast<ir::node_id>(i));
      case ir::node_kind::call:
        if (ir::is_barrier(n)) return error(n.inputs[0]);
        if (n.routine == "sort" || n.routine == "select") return {};  // keys are exact
        return product(n, static_cast<ir::node_id>(i));
      default:
        return {};
    }
  }

  errors view(const ir::node& n) const {
    const errors& from = error(n.inputs[0]);
    if (from.empty()) return {};
    errors out(static_cast<std::size_t>(ir::size_of(n.shape)));
    for_each_mapped(n.shape, n.map, [&](std::size_t i, std::size_t o) { out[i] = from[o]; });
    return out;
  }

  errors gather(const ir::node& n) const {
    const errors& from = error(n.inputs[0]);
    if (from.empty()) return {};
    const numbers index = numbers_of(n.inputs[1]);
    errors out(static_cast<std::size_t>(ir::size_of(n.shape)));
    for_each_mapped(n.shape, n.map, [&](std::size_t i, std::size_t o) {
      const double dynamic = index.re[index.re.size() == 1 ? 0 : i];
      out[i] = from[o + static_cast<std::size_t>(dynamic)];
    });
    return out;
  }

  /// Stored values keep their errors; only exact values are combined.
  errors scatter(const ir::node& n) const {
    if (error(n.inputs[0]).empty() && error(n.inputs[2]).empty()) return {};
    errors out = error(n.inputs[0]);
    out.resize(static_cast<std::size_t>(ir::size_of(n.shape)));
    const numbers index = numbers_of(n.inputs[1]);
    const ir::tensor* const where = n.inputs.size() > 3 ? &value(n.inputs[3]) : nullptr;
    for_each_mapped(value(n.inputs[1]).shape, n.map, [&](std::size_t i, std::size_t o) {
      if (where && where->data[where->shape.empty() ? 0 : i] == std::byte{0}) return;
      const auto& from = error(n.inputs[2]);
      const double moved = from.empty() ? 0 : from[from.size() == 1 ? 0 : i];
      out[o + static_cast<std::size_t>(index.re[i])] = moved;
    });
    return out;
  }

  /// Each element is the sum of its old value and the values for its place, in any order.
  errors sums(const ir::node& n, ir::node_id id) const {
    std::vector<row_bound> bounds(count(value(id)), row_bound(ir::op::add, n.type));
    const numbers base = numbers_of(n.inputs[0]), values = numbers_of(n.inputs[2]),
                  index = numbers_of(n.inputs[1]), results = numbers_of(id);
    for (std::size_t o = 0; o < bounds.size(); ++o) {
      bounds[o].add(base.at(o, error(n.inputs[0], o)));
    }
    const ir::tensor* const where = n.inputs.size() > 3 ? &value(n.inputs[3]) : nullptr;
    for_each_mapped(value(n.inputs[1]).shape, n.map, [&](std::size_t i, std::size_t o) {
      if (where && where->data[where->shape.empty() ? 0 : i] == std::byte{0}) return;
      const std::size_t from = values.re.size() == 1 ? 0 : i;
      const auto moved = static_cast<std::size_t>(index.re[index.re.size() == 1 ? 0 : i]);
      bounds[o + moved].add(values.at(from, error(n.inputs[2], from)));
    });
    errors out(bounds.size());
    for (std::size_t o = 0; o < out.size(); ++o) out[o] = bounds[o].error(results.at(o, 0));
    return out;
  }

  errors pad(const ir::node& n) const {
    const errors& from = error(n.inputs[0]);
    if (from.empty()) return {};
    const numbers inside = numbers_of(n.inputs[1]);
    errors out(static_cast<std::size_t>(ir::size_of(n.shape)));
    for_each_mapped(n.shape, n.map, [&](std::size_t i, std::size_t o) {
      if (inside.re[inside.re.size() == 1 ? 0 : i] != 0) out[i] = from[o];
    });
    return out;
  }

  errors update(const ir::node& n) const {
    if (error(n.inputs[0]).empty() && error(n.inputs[1]).empty()) return {};
    errors out = error(n.inputs[0]);
    out.resize(static_cast<std::size_t>(ir::size_of(n.shape)));
    for_each_mapped(value(n.inputs[1]).shape, n.map,
                    [&](std::size_t i, std::size_t o) { out[o] = error(n.inputs[1], i); });
    return out;
  }

  // ---- maps
  static bool exact(const ir::program& p) {
    return std::ranges::all_of(p.code, [](const ir::instruction& i) {
      const bool shows = i.code == ir::op::signbit || i.code == ir::op::copysign;
      return exact_op(i.code, i.type) && !shows && i.code != ir::op::bitcast;
    });
  }

  errors map(const ir::node& n) const {
    const bool moved = std::ranges::any_of(n.inputs, [&](auto i) { return !error(i).empty(); });
    if (!moved && exact(n.program)) return {};
    const auto size = static_cast<std::size_t>(ir::size_of(n.shape));
    std::vector<program_value> values;
    for (ir::node_id i : n.inputs) {
      program_value v{value(i).type, value(i).data, error(i)};
      if (value(i).shape.empty()) spread(v, size);
      values.push_back(std::move(v));
    }
    for (const ir::instruction& i : n.program.code) values.push_back(run(i, values, size));
    return std::move(values.back().error);
  }

  static void spread(program_value& v, std::size_t n) {
    const std::size_t width = size_of(v.type);
    const std::vector<std::byte> one(v.bytes.begin(),
                                     v.bytes.begin() + static_cast<std::ptrdiff_t>(width));
    v.bytes.clear();
    for (std::size_t i = 0; i < n; ++i) v.bytes.insert(v.bytes.end(), one.begin(), one.end());
    if (!v.error.empty()) v.error.assign(n, v.error[0]);
  }

  static program_value run(const ir::instruction& i, const std::vector<program_value>& values,
                           std::size_t n) {
    program_value out{i.result, std::vector<std::byte>(n * size_of(i.result)), {}};
    const void* args[3] = {};
    std::vector<numbers> operands;
    bool moved = false;
    for (int k = 0; k < ir::arity(i); ++k) {
      const program_value& v = values[static_cast<std::size_t>(i.args[k])];
      args[k] = v.bytes.data();
      moved |= !v.error.empty();
    }
    const auto length = static_cast<std::int64_t>(n);
    if (i.code == ir::op::bitcast)
      std::memcpy(out.bytes.data(), args[0], out.bytes.size());
    else if (i.code == ir::op::cast)
      ir::convert_strip_of(i.type, i.result)(out.bytes.data(), args, length);
    else
      ir::strip_of(i.code, i.type)(out.bytes.data(), args, length);
    if (!moved && exact({{}, {i}})) return out;
    for (int k = 0; k < ir::arity(i); ++k) {
      operands.emplace_back(values[static_cast<std::size_t>(i.args[k])].type, args[k], n);
    }
    const numbers results(i.result, out.bytes.data(), n);
    out.error.resize(n);
    for (std::size_t e = 0; e < n; ++e) {
      point points[3];
      for (std::size_t k = 0; k < operands.size(); ++k) {
        const errors& x = values[static_cast<std::size_t>(i.args[k])].error;
        points[k] = operands[k].at(e, x.empty() ? 0 : x[e]);
      }
      out.error[e] = error_of(i, points, results.at(e, 0));
    }
    return out;
  }

  // ---- reductions
  errors reduce(const ir::node& n, ir::node_id id) const {
    const ir::node_id in = n.inputs[0];
    const ir::tensor& from = value(in);
    if (error(in).empty() && (n.reduction.arg || !is_inexact(n.type))) return {};
    const dtype type = from.type;
    const auto rows = static_cast<std::size_t>(ir::size_of(n.shape));
    std::vector<row_bound> bounds(rows,
                                  row_bound(n.reduction.arg ? ir::op::bitwise_or : n.reduction.code,
                                            n.reduction.arg ? dtype::int64 : type));
    ir::index_map row{0, std::vector<extent>(from.shape.size(), 0)};
    const auto strides = ir::dense_strides(n.shape);
    std::size_t k = 0;
    for (std::size_t d = 0; d < from.shape.size(); ++d) {
      const auto& axes = n.reduction.axes;
      if (std::ranges::find(axes, static_cast<int>(d)) == axes.end()) row.strides[d] = strides[k++];
    }
    const numbers x = numbers_of(in);
    for_each_mapped(from.shape, row,
                    [&](std::size_t i, std::size_t r) { bounds[r].add(x.at(i, error(in, i))); });
    const numbers results = numbers_of(id);
    errors out(rows);
    for (std::size_t r = 0; r < rows; ++r) out[r] = bounds[r].error(results.at(r, 0));
    return out;
  }

  /// Each element is the reduction of the elements up to it.
  errors scan(const ir::node& n, ir::node_id id) const {
    const ir::node_id in = n.inputs[0];
    if (error(in).empty() && !is_inexact(n.type)) return {};
    const auto axis = static_cast<std::size_t>(n.reduction.axes[0]);
    ir::shape_t rows = n.shape;
    rows[axis] = 1;
    std::vector<row_bound> bounds(static_cast<std::size_t>(ir::size_of(rows)),
                                  row_bound(n.reduction.code, n.type));
    ir::index_map row{0, ir::dense_strides(rows)};
    row.strides[axis] = 0;
    const numbers x = numbers_of(in), results = numbers_of(id);
    errors out(count(value(id)));
    for_each_mapped(n.shape, row, [&](std::size_t i, std::size_t r) {
      bounds[r].add(x.at(i, error(in, i)));
      out[i] = bounds[r].error(results.at(i, 0));
    });
    return out;
  }

  /// The largest and the smallest factor applied to the product or to values derived from it: a
  /// library may apply it to an operand instead.
  std::pair<double, double> factors_of(ir::node_id product) const {
    double most = 1, least = 1;
    std::vector<bool> is_product(g_.nodes.size());
    is_product[static_cast<std::size_t>(product)] = true;
    for (std::size_t i = static_cast<std::size_t>(product) + 1; i < g_.nodes.size(); ++i) {
      const ir::node& n = g_.nodes[i];
      if (n.kind != ir::node_kind::map) continue;
      double factor = 1;
      for (const ir::node_id in : n.inputs) {
        is_product[i] = is_product[i] || is_product[static_cast<std::size_t>(in)];
        if (g_[in].kind != ir::node_kind::scalar) continue;
        const numbers x = numbers_of(in);
        factor = std::hypot(x.re[0], x.im.empty() ? 0 : x.im[0]);
      }
      if (!is_product[i] || factor == 0 || !std::isfinite(factor)) continue;
      most = std::max(most, factor);
      least = std::min(least, factor);
    }
    return {most, least};
  }

  errors product(const ir::node& n, ir::node_id id) const {
    const ir::node_id l = n.inputs[0], r = n.inputs[1];
    const numbers a = numbers_of(l), b = numbers_of(r), c = numbers_of(id);
    const std::size_t rank = n.shape.size();
    const auto columns = static_cast<std::size_t>(n.shape[rank - 1]);
    const auto rows = static_cast<std::size_t>(n.shape[rank - 2]);
    const auto depth = static_cast<std::size_t>(value(l).shape[rank - 1]);
    const dtype inside = compute_of(n.type);
    const auto [most, least] = factors_of(id);
    const double room = largest(real_of(inside)) / most;
    const double lost = least < 1 ? spacing(real_of(inside), 0) / least : 0;
    errors out(c.re.size());
    for (std::size_t e = 0; e < out.size(); ++e) {
      const std::size_t row = e / columns, batch = row / rows;
      row_bound bound(ir::op::add, inside);
      bool wild = false;
      for (std::size_t k = 0; k < depth; ++k) {
        const std::size_t i = row * depth + k, j = (batch * depth + k) * columns + e % columns;
        const point x = a.at(i, error(l, i)), y = b.at(j, error(r, j));
        const double sx = std::hypot(x.re, x.im), sy = std::hypot(y.re, y.im);
        const double eps = 2 * spacing(real_of(inside), sx * sy);
        const double moved =
            sx * y.error + sy * x.error + x.error * y.error + 2 * eps + lost * (sx + sy);
        wild |= most > 1 && std::max(sx, sy) >= room;
        wild |= !std::isfinite(sx) || !std::isfinite(sy) || !std::isfinite(moved);
        bound.add({sx * sy, 0, moved});
      }
      const double error = wild ? anything : bound.error(c.at(e, 0));
      const double size = std::hypot(c.re[e], c.im.empty() ? 0 : c.im[e]);
      const bool edge = !(size < 0.9 * largest(real_of(n.type)));
      out[e] = edge ? anything : depth == 0 ? 0 : error + spacing(real_of(n.type), size);
    }
    return out;
  }

  const ir::graph& g_;
  std::vector<ir::tensor> values_;
  std::vector<errors> errors_;
};

}  // namespace

numbers::numbers(dtype type, const void* data, std::size_t count) : re(count) {
  if (is_complex(type)) im.resize(count);
  with_type(type, [&]<class T>(std::type_identity<T>) {
    for (std::size_t i = 0; i < count; ++i) {
      T v;
      std::memcpy(static_cast<void*>(&v), static_cast<const std::byte*>(data) + i * sizeof(T),
                  sizeof(T));
      if constexpr (requires { v.imag(); }) {
        re[i] = v.real();
        im[i] = v.imag();
      } else {
        re[i] = static_cast<double>(v);
      }
    }
  });
}

std::vector<estimate> estimate_outputs(const ir::graph& g, const std::vector<ir::tensor>& sources) {
  return estimator(g, sources).outputs();
}

}  // namespace sinter::fuzz
