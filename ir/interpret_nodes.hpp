#pragma once
// What a node makes of its inputs: a function a kind, for those that make one array of arrays. Who
// keeps the values, and for how long, is not theirs.

#include <vector>

#include "ir/graph.hpp"
#include "ir/interpreter.hpp"

namespace sinter::ir::detail {

/// Zeros.
tensor make_tensor(dtype type, const shape_t& shape);

tensor run_map(const node& n, std::vector<const tensor*> inputs);
/// A rank-0 result is one row; the reduced axes of a row are walked in their order.
tensor run_reduce(const node& n, const tensor& in);
/// Each row along the axis from its first element on.
tensor run_scan(const node& n, const tensor& in);
tensor run_view(const node& n, const tensor& in);
tensor run_gather(const node& n, const tensor& base, const tensor& index);
tensor run_pad(const node& n, const tensor& in, const tensor& inside);
tensor run_update(const node& n, const tensor& base, const tensor& value);
/// Throws where the order of values shows: what such a graph means depends on who runs it.
tensor run_scatter(const node& n, const tensor& base, const tensor& index, const tensor& value,
                   const tensor* where);
tensor run_random(const node& n);
tensor run_iota(const node& n);
/// The elements that a mask chooses, and (into `count`) how many. Their places have to be theirs.
tensor run_compress(const node& n, const tensor& x, const tensor& mask, const tensor& place,
                    tensor& count);

}  // namespace sinter::ir::detail
