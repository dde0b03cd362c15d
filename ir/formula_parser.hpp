#pragma once
// The formulas of ops.def as trees. The language is described in ir/formula.hpp.

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "ir/ops.hpp"

namespace sinter::ir::detail {

enum class term_kind : std::uint8_t {
  number,
  constant,  // name: inf, width, ...
  operand,   // index: a b c are 0 1 2, ar ai br bi cr ci are 3 .. 8
  local,     // index: into formula::locals
  call,      // code over args; operators are calls too
  convert,   // to `target`
  as_int,
  as_float,
  poly,
  fpoly,
  pick,
};

/// What a conversion names: T, I or a type.
enum class convert_target : std::uint8_t { formula_type, integer_type, named };

struct term {
  term_kind kind = term_kind::number;
  op code = op::add;
  convert_target target = convert_target::named;
  dtype type = dtype::float32;
  int index = 0;
  double number = 0;
  std::string name;
  std::vector<int> args;  // indices into formula::terms
};

struct formula {
  std::vector<term> terms;
  std::vector<int> locals;   // the terms assigned to names
  std::vector<int> results;  // one, or the real and the imaginary part
};

inline constexpr int first_part_operand = 3;

/// Throws syntax_error; the message names `owner` and the column.
formula parse_formula(std::string_view text, std::string_view owner);

}  // namespace sinter::ir::detail
