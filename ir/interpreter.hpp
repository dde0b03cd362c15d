#pragma once
// The interpreter: executes graphs and kernels slowly and obviously. The oracle of the tests, and
// the device of last resort.
//
// Reductions. Sums of float32 and float64 (and of complex parts) are accumulated in double with
// Neumaier's compensation (ZAMM 54, 1974) and rounded once at the end; products of float32 in
// double. Everything else folds from the left in row-major order, starting with the op's identity.
// maximum and minimum return NaN if there is one. An arg reduction returns the position of the
// first NaN, else of the first extremum, and 0 for an empty range. An element of a scan is the
// reduction of the elements up to it, except that scans of zeros keep their sign.

#include <cstddef>
#include <cstdint>
#include <vector>

#include "ir/graph.hpp"
#include "ir/kernel.hpp"

namespace sinter::ir {

/// A dense row-major array.
struct tensor {
  dtype type = dtype::float32;
  shape_t shape;
  std::vector<std::byte> data;
};

/// A dense row-major array owned elsewhere.
struct tensor_view {
  dtype type = dtype::float32;
  shape_t shape;
  const void* data = nullptr;
  tensor_view() = default;
  tensor_view(dtype t, shape_t s, const void* d) : type(t), shape(std::move(s)), data(d) {}
  tensor_view(const tensor& t) : type(t.type), shape(t.shape), data(t.data.data()) {}
};

/// The outputs of a graph. `sources` stand in the order of the graph's source nodes and have their
/// types and shapes.
/// Throws std::invalid_argument when they do not, and for a call of an unknown routine.
/// REQUIRES: the graph verifies.
std::vector<tensor> interpret(const graph&, const std::vector<tensor_view>& sources);

/// A call: what a routine reads, and what it fills in. An output that is not needed is null.
struct routine_call {
  std::vector<tensor_view> inputs;
  std::vector<std::int64_t> attributes;
  std::vector<tensor*> outputs;
};

/// A library routine on dense operands, as plain loops. Null for an unknown name.
///   matmul   a[..., m, k] and b[..., k, n] of one type, equal leading axes: [..., m, n]; floats
///            accumulate as sums do; epilogues as ir/product.hpp says
///   syrk     the same of one array twice; zeros above the diagonal
///   fft      see ir/fourier.hpp
///   sort     unsigned keys along the last axis: sorted, and their positions in their rows (int32
///            or int64); stable; of shorter rows only the first elements
using routine_function = void (*)(const routine_call&);
routine_function find_routine(std::string_view name);

/// Runs the blocks [block_begin, block_end) of a kernel on host memory; `slots` is what `slots_of`
/// lists. Blocks are independent: several threads may each run some.
/// REQUIRES: the kernel verifies.
void run_kernel(const kernel&, const std::uint64_t* slots, std::int64_t block_begin,
                std::int64_t block_end);

/// How many blocks a kernel has with these slots.
std::int64_t block_count(const kernel&, const std::uint64_t* slots);

/// How many threads a block of a GPU's launch has with these slots.
int thread_count(const kernel&, const std::uint64_t* slots);

}  // namespace sinter::ir
