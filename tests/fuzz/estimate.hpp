#pragma once
// What a graph must give, and how far off each element may be.
//
// The interpreter's value is right. An element computed by exact ops from exact elements must be
// the same bits. Sums of floats and approximate functions may differ by a bound that is carried
// through the graph to first order; where the bound says nothing any more (a comparison too close
// to call), anything goes.

#include <limits>
#include <vector>

#include "ir/interpreter.hpp"

namespace sinter::fuzz {

inline constexpr double anything = std::numeric_limits<double>::infinity();

struct estimate {
  ir::tensor value;
  std::vector<double> error;  // per element; empty: all must be the same bits
};

/// Per output of the graph.
std::vector<estimate> estimate_outputs(const ir::graph&, const std::vector<ir::tensor>& sources);

/// A number with its bound; the bound is one of both parts.
struct point {
  double re = 0, im = 0, error = 0;
};

/// The bound on what an instruction gives.
double error_of(const ir::instruction&, const point* args, const point& result);

/// The distance of neighbours of x in a type of floats; the type of complex parts.
double spacing(dtype, double x);
double largest(dtype);

/// The elements of an array, as doubles.
struct numbers {
  std::vector<double> re, im;
  numbers(dtype, const void* data, std::size_t count);
  point at(std::size_t i, double error) const { return {re[i], im.empty() ? 0 : im[i], error}; }
};

/// Bounds on a sum or product of one row, as its elements come in.
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
  double highs_ = 1, lows_ = 1;  // products of what is above and below 1
  double unit_ = anything;       // a power of two that divides every element
  bool nan_ = false, plus_ = false, minus_ = false, zero_ = false;
};

}  // namespace sinter::fuzz
