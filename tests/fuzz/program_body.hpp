#pragma once
// The body of a random loop, or of a random function over slices: operations on values of one dtype
// and shape, drawn once and repeated at every call.

#include <string>
#include <vector>

#include <sinter/sinter.hpp>

#include "tests/fuzz/choices.hpp"

namespace sinter::fuzz {

/// The types that bodies compute in.
template <class T>
concept body_type =
    std::same_as<T, std::int64_t> || std::same_as<T, float> || std::same_as<T, double>;

struct body {
  struct operation {
    int code = 0;
    std::size_t a = 0, b = 0;  // indices of values: the carry, a constant, earlier results
    int rounds = 0;            // for loops
    std::vector<body> inside;  // the loops' bodies
  };
  std::vector<operation> code;
  bool elementwise = true;  // does not read neighbours
};

body draw_body(choices&, bool elementwise, int depth);

/// The last value; its shape is that of the carry and the constant.
template <body_type T>
array<T> run_body(const body&, const array<T>& carried, const array<T>& constant);
extern template array<std::int64_t> run_body(const body&, const array<std::int64_t>&,
                                             const array<std::int64_t>&);
extern template array<float> run_body(const body&, const array<float>&, const array<float>&);
extern template array<double> run_body(const body&, const array<double>&, const array<double>&);

std::string text_of(const body&);

}  // namespace sinter::fuzz
