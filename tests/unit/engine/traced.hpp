#pragma once
// Shared by the tests of functions that trace functions.

#include <cstdint>
#include <exception>
#include <initializer_list>
#include <string>
#include <vector>

#include <sinter/sinter.hpp>

#include "engine/evaluation/snapshot.hpp"
#include "ir/passes/pipeline.hpp"

namespace traced_tests {

/// Normal random numbers, evaluated.
inline sinter::array<double> numbers(std::initializer_list<std::int64_t> shape, int seed = 1) {
  const auto x = sinter::random::normal<double>(std::vector<std::int64_t>(shape),
                                                {.seed = static_cast<std::uint64_t>(seed)});
  const sinter::array<double> made = x;
  sinter::eval(made);
  return made;
}

/// The text of an error of this type, without its location.
template <class E, class Program>
std::string text_of(Program&& program) {
  try {
    program();
  } catch (const E& e) {
    const std::string text = e.what();
    return text.substr(0, text.rfind(" ("));
  } catch (const std::exception& e) {
    return std::string("another error: ") + e.what();
  }
  return "no error";
}

/// The number of kernels of the roots together.
inline std::size_t kernels(std::initializer_list<sinter::any_array> roots) {
  sinter::detail::snapshot snapshot;
  sinter::detail::take_snapshot({roots.begin(), roots.size()}, snapshot);
  sinter::ir::trace trace;
  return sinter::ir::make_plan(sinter::detail::graph_of(snapshot, trace), sinter::ir::machine{})
      .kernels.size();
}

}  // namespace traced_tests
