#pragma once
// How a node is recorded: started, filled in, finished.

#include <memory>

#include "engine/nodes/node.hpp"

namespace sinter::detail {

using new_node = std::unique_ptr<node>;

new_node start(ir::node_kind kind, dtype type, shape_view shape, location where);

/// A handle to the node. Evaluates its operands if the chain would become too long.
any_array finish(new_node);

/// The last value of a program, elementwise. Throws shape_error.
any_array make_program(ir::program, const std::vector<any_array>& inputs, location where);

/// The same with arrays, which broadcast, followed by numbers.
any_array make_formula(ir::program, std::initializer_list<any_array> arrays,
                       std::initializer_list<scalar_word> scalars, location where);

/// A call with its output 0 and the requested further ones.
std::vector<any_array> make_call_with(const std::string& routine, std::vector<any_array> inputs,
                                      std::vector<std::int64_t> attributes,
                                      const call_output& first,
                                      const std::vector<loop_output>& further, location where);

}  // namespace sinter::detail
