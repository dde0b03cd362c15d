#pragma once
// What the body of a random loop, or a random function over slices, does: operations on values of
// one dtype and shape, drawn once and done whenever the body is called.

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
    std::size_t a = 0, b = 0;  // of the values so far: what is carried, a constant, the results
    int rounds = 0;            // of loops
    std::vector<body> inside;  // theirs
  };
  std::vector<operation> code;
  bool elementwise = true;  // nothing that looks at neighbours
};

body draw_body(choices&, bool elementwise, int depth);

/// The last value; of carried's shape, which the constant has too.
template <body_type T>
array<T> run_body(const body&, const array<T>& carried, const array<T>& constant);
extern template array<std::int64_t> run_body(const body&, const array<std::int64_t>&,
                                             const array<std::int64_t>&);
extern template array<float> run_body(const body&, const array<float>&, const array<float>&);
extern template array<double> run_body(const body&, const array<double>&, const array<double>&);

std::string text_of(const body&);

}  // namespace sinter::fuzz
