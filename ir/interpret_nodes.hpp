#pragma once
// Evaluates one node of the graph interpreter from its inputs: one function per kind that makes one
// array. The lifetime of values is the caller's.

#include <vector>

#include "ir/graph.hpp"
#include "ir/interpreter.hpp"

namespace sinter::ir::detail {

/// Filled with zeros.
tensor make_tensor(dtype type, const shape_t& shape);

tensor run_map(const node& n, std::vector<const tensor*> inputs);
/// A rank-0 result is one row; the reduced axes of a row are walked in order.
tensor run_reduce(const node& n, const tensor& in);
/// Scans each row along the axis.
tensor run_scan(const node& n, const tensor& in);
tensor run_view(const node& n, const tensor& in);
tensor run_gather(const node& n, const tensor& base, const tensor& index);
tensor run_pad(const node& n, const tensor& in, const tensor& inside);
tensor run_update(const node& n, const tensor& base, const tensor& value);
/// Throws if the order of values is observable: the result would depend on the device.
tensor run_scatter(const node& n, const tensor& base, const tensor& index, const tensor& value,
                   const tensor* where);
tensor run_random(const node& n);
tensor run_iota(const node& n);
/// The elements that a mask selects, and (in `count`) their number. Throws if their places are not
/// their ranks.
tensor run_compress(const node& n, const tensor& x, const tensor& mask, const tensor& place,
                    tensor& count);

}  // namespace sinter::ir::detail
