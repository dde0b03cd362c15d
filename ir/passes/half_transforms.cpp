#include "ir/passes/half_transforms.hpp"

#include <bit>
#include <utility>

#include "ir/fourier.hpp"
#include "ir/graph_builder.hpp"

namespace sinter::ir {
namespace {

bool asks(const graph& g, const node& n) {
  return n.kind == node_kind::call && n.routine == "fft" && is_half(g[n.inputs[0]].type);
}

/// Are the lengths powers of two, and the real numbers contiguous?
bool has_halves(const fourier_attributes& a, const shape_t& in) {
  const shape_t merged = a.merged(in);
  for (std::size_t d = 1; d + 1 < merged.size(); ++d) {
    const std::int64_t n = merged[d];
    if (n < 2 || !std::has_single_bit(static_cast<std::uint64_t>(n))) return false;
  }
  return a.from_real() && merged.back() == 1;
}

/// Transforms to pairs of halves, which are widened where they are read.
node_id in_halves(graph_builder& b, const node& n, fourier_attributes a) {
  const dtype half = b.out[n.inputs[0]].type;
  shape_t pairs = n.shape;
  pairs.push_back(2);
  a.halves = half_transform::done;
  const node_id made = b.call("fft", half, std::move(pairs), n.inputs, a.pack());
  extent_list strides(n.shape.size(), extent(2));
  for (std::size_t d = n.shape.size(); d-- > 1;) strides[d - 1] = strides[d] * n.shape[d];
  const auto part = [&](std::int64_t which) {
    return b.cast(b.cast(b.view(made, n.shape, strides, which), dtype::float32), n.type);
  };
  const node_id re = part(0);
  return b.apply(op::join, {re, part(1)});
}

}  // namespace

graph half_transforms(const graph& g, const machine& m) {
  const auto wanted = [&](const node& n) { return asks(g, n); };
  return replaced(g, wanted, [&](graph_builder& b, const node& n, node copy) {
    const auto a = fourier_attributes::unpack(n.attributes);
    if (m.target == target::gpu && has_halves(a, g[n.inputs[0]].shape)) {
      return in_halves(b, copy, a);
    }
    copy.inputs[0] = b.cast(copy.inputs[0], dtype::float32);
    return b.out.add(std::move(copy));
  });
}

}  // namespace sinter::ir
