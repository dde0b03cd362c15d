#pragma once
// The expected outputs of a graph, with an error bound per element.
//
// The interpreter's value is the reference. An element computed by exact ops from exact elements
// must have the same bits. Sums of floats and approximate functions may differ by a bound that is
// propagated through the graph to first order; where the bound is meaningless (a comparison too
// close to call), anything is accepted.

#include <limits>
#include <vector>

#include "ir/interpreter.hpp"

namespace sinter::fuzz {

inline constexpr double anything = std::numeric_limits<double>::infinity();

struct estimate {
  ir::tensor value;
  std::vector<double> error;  // per element; empty: all bits must be equal
};

/// One estimate per output of the graph.
std::vector<estimate> estimate_outputs(const ir::graph&, const std::vector<ir::tensor>& sources);

/// A number with its error bound, which applies to both parts.
struct point {
  double re = 0, im = 0, error = 0;
};

/// The bound on the result of an instruction.
double error_of(const ir::instruction&, const point* args, const point& result);

/// The distance between neighbours of x in a float type, or in the type of complex parts.
double spacing(dtype, double x);
double largest(dtype);

/// The elements of an array, as doubles.
struct numbers {
  std::vector<double> re, im;
  numbers(dtype, const void* data, std::size_t count);
  point at(std::size_t i, double error) const { return {re[i], im.empty() ? 0 : im[i], error}; }
};

/// Bounds on the sum or product of a row, updated element by element.
class row_bound {
 public:
  row_bound(ir::op code, dtype type) : code_(code), type_(type) {}
  void add(const point& x);
  double error(const point& result) const;

 private:
  double sum_error(const point& result) const;
  double product_error(const point& result) const;
  double extremum_error(const point& result) const;

  ir::op code_;
  dtype type_;
  double count_ = 0, magnitude_ = 0, error_ = 0, worst_ = 0, relative_ = 0;
  double highs_ = 1, lows_ = 1;  // products of factors above and below 1
  double unit_ = anything;       // a power of two that divides every element
  bool nan_ = false, plus_ = false, minus_ = false, zero_ = false;
};

}  // namespace sinter::fuzz
