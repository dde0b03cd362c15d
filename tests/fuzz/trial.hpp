#pragma once
// A trial: a graph, the contents of its sources, and the planner's machine.

#include <string>
#include <string_view>
#include <vector>

#include "ir/graph.hpp"
#include "ir/interpreter.hpp"
#include "ir/machine.hpp"

namespace sinter::fuzz {

/// Ways to fill a source, the simplest first.
enum class fill : std::uint8_t { ones, ascending, small, edges, bits };

struct contents {
  fill what = fill::ones;
  std::uint64_t seed = 0;
};

struct trial {
  ir::graph graph;
  std::vector<contents> sources;  // per source node of the graph
  ir::machine machine;            // the executor sets target and fuse
};

/// Text: the graph, preceded by comments with everything else.
std::string print(const trial&);
/// Throws ir::syntax_error. Sources without a description hold edge values.
trial parse_trial(std::string_view text);

ir::tensor make_tensor(dtype, const ir::shape_t&, const contents&);

/// Per source node of the graph.
std::vector<ir::tensor> tensors_of(const trial&);

/// Calls f with an element type as std::type_identity.
template <class F>
decltype(auto) with_type(dtype t, F f) {
  switch (t) {
    case dtype::bool_: return f(std::type_identity<bool>());
    case dtype::int8: return f(std::type_identity<std::int8_t>());
    case dtype::int16: return f(std::type_identity<std::int16_t>());
    case dtype::int32: return f(std::type_identity<std::int32_t>());
    case dtype::int64: return f(std::type_identity<std::int64_t>());
    case dtype::uint8: return f(std::type_identity<std::uint8_t>());
    case dtype::uint16: return f(std::type_identity<std::uint16_t>());
    case dtype::uint32: return f(std::type_identity<std::uint32_t>());
    case dtype::uint64: return f(std::type_identity<std::uint64_t>());
    case dtype::float16: return f(std::type_identity<float16>());
    case dtype::bfloat16: return f(std::type_identity<bfloat16>());
    case dtype::float32: return f(std::type_identity<float>());
    case dtype::float64: return f(std::type_identity<double>());
    case dtype::complex64: return f(std::type_identity<std::complex<float>>());
    default: return f(std::type_identity<std::complex<double>>());
  }
}

}  // namespace sinter::fuzz
