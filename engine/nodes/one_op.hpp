#pragma once
// Scalar programs of one op, for functions over any_arrays: built at compile time, so that
// recording one neither allocates nor hashes.

#include <array>

#include "ir/ops.hpp"
#include "ir/program.hpp"

namespace sinter::detail {

struct one_op {
  ir::fixed_program<3, 1> program;
  int arity = 0;

  constexpr one_op() = default;
  constexpr one_op(ir::op code, dtype type) : arity(ir::info(code).arity) {
    ir::instruction& i = program.code[0];
    i = {code, type, ir::result_type(code, type), {-1, -1, -1}};
    for (int k = 0; k < arity; ++k) {
      program.inputs[k] = ir::argument_type(code, type, k);
      i.args[k] = static_cast<std::int16_t>(k);
    }
    program.hash = ir::hash_of(view().inputs, view().code);
  }

  constexpr ir::program_view view() const {
    return {{program.inputs, static_cast<std::size_t>(arity)}, {program.code, 1}, program.hash};
  }
};

/// The program of an op in a type. REQUIRES: neither a cast nor a bitcast, which have two types.
const one_op& program_of(ir::op code, dtype type);

}  // namespace sinter::detail
