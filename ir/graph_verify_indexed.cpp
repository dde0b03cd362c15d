// Nodes that read or write elements selected by an index or a condition.
#include "ir/graph_verifier.hpp"
#include "ir/index_expr.hpp"

namespace sinter::ir::detail {

void graph_verifier::alongside(const node& n, std::size_t k, dtype type,
                               std::string_view rule) const {
  const node& in = input(n, k);
  require(in.type == type, rule, "an input has the wrong type");
  require(in.shape.empty() || in.shape == n.shape, rule,
          "an input has neither the node's shape nor rank 0");
}

void graph_verifier::gather_rules(const node& n) const {
  require(n.inputs.size() >= 2 && n.inputs.size() <= 4, "gather-inputs",
          "an array, an index, and perhaps what is out of range and words for it");
  require(n.type == input(n, 0).type, "gather-type", "an element has the type of its array");
  alongside(n, 1, dtype::int64, "gather-index");
  if (n.inputs.size() > 2) alongside(n, 2, dtype::bool_, "gather-range");
  if (n.inputs.size() > 3) alongside(n, 3, dtype::int64, "gather-word");
  require(n.map.strides.size() == n.shape.size(), "strides", "one stride an axis is wanted");
  require(n.map.along < std::ssize(input(n, 0).shape), "gather-along", "the array has the axis");
  require(size_of(input(n, 0).shape) > 0 || size_of(n.shape) == 0, "gather-empty",
          "nothing to read from");
}

void graph_verifier::pad_rules(const node& n) const {
  require(n.type == input(n, 0).type, "pad-type", "an element has the type of its array");
  alongside(n, 1, dtype::bool_, "pad-inside");
  require(n.map.strides.size() == n.shape.size(), "strides", "one stride an axis is wanted");
  if (n.map.along < 0) return;
  shape_t moved = input(n, 0).shape;
  const auto axis = static_cast<std::size_t>(n.map.along);
  require(moved.size() == n.shape.size() && axis < moved.size(), "pad-along", "it has the axis");
  std::vector<extent> apart = dense_strides(moved);
  const extent step = apart[axis];
  require(step != 0 && n.map.strides[axis] % step == 0 && n.map.offset % step == 0, "pad-along",
          "along the axis it goes by whole steps");
  apart[axis] = n.map.strides[axis];
  require(n.map.strides == apart, "pad-along", "along the others it is walked in order");
  moved[axis] = n.shape[axis];
  require(moved == n.shape, "pad-along", "the other axes have the array's extents");
}

void graph_verifier::compress_rules(const node& n) const {
  require(n.shape.size() == 1 && input(n, 0).shape == n.shape, "compress-shape",
          "a row of elements, as long as what they are chosen from");
  require(n.type == input(n, 0).type, "compress-type", "an element has the type of its array");
  alongside(n, 1, dtype::bool_, "compress-mask");
  alongside(n, 2, dtype::int32, "compress-place");
  alongside(n, 3, dtype::bool_, "compress-last");
}

void graph_verifier::scatter_rules(const node& n) const {
  require(n.inputs.size() >= 3 && n.inputs.size() <= 6, "scatter-inputs",
          "an array, an index, values, and perhaps which count, what is out of range and words");
  const node &base = input(n, 0), &index = input(n, 1), &value = input(n, 2);
  require(n.type == base.type && n.type == value.type, "scatter-type",
          "base and values have the type of the result");
  require(n.shape == base.shape, "scatter-shape", "the result has the shape of the base");
  require(index.type == dtype::int64, "scatter-index", "an index is int64");
  walked(index, value, "scatter-value");
  for (std::size_t k = 3; k < n.inputs.size(); ++k) {
    const dtype wanted = k < 5 ? dtype::bool_ : dtype::int64;
    require(input(n, k).type == wanted, "scatter-where", "conditions are bool, words int64");
    walked(index, input(n, k), "scatter-where");
  }
  require(n.map.strides.size() == index.shape.size(), "strides", "one stride an axis is wanted");
  require(size_of(n.shape) > 0 || size_of(index.shape) == 0, "scatter-empty",
          "nothing to write to");
  combine_rules(n);
}

void graph_verifier::walked(const node& index, const node& in, std::string_view rule) const {
  require(in.shape.empty() || in.shape == index.shape, rule,
          "an input has neither the shape of the index nor rank 0");
}

void graph_verifier::combine_rules(const node& n) const {
  const op code = n.reduction.code;
  require(!n.reduction.summed || (code == op::add && is_real(n.type) && !is_half(n.type)),
          "scatter-sums", "sums are of float32 or float64");
  if (code == op::cast) return;
  const bool parts = code == op::add || code == op::subtract;
  require(info(code).arity == 2 && accepts(code, n.type) && !is_half(n.type) &&
              !is_bool(n.type) && result_type(code, n.type) == n.type &&
              (!is_complex(n.type) || parts),
          "scatter-op", "the op cannot combine values of this type");
}

}  // namespace sinter::ir::detail
