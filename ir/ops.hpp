#pragma once
// The enumerators and per-op facts that ir/ops.def expands to.
//
// Public header: standard library only.

#include <cstdint>
#include <string_view>

#include "dtype.hpp"

namespace sinter::ir {

/// Every op of the table, then the two conversions that carry a second type.
enum class op : std::uint8_t {
#define SINTER_OP(name, ...) name,
#include "ops.def"
#undef SINTER_OP
  cast,     // value conversion; saturates from float to integer, NaN gives 0
  bitcast,  // same bits, another type of the same size
};

inline constexpr int op_count = static_cast<int>(op::cast);

/// Which operand types an op accepts, after promotion.
enum class op_domain : std::uint8_t {
  any,
  numeric,          // all but bool
  not_bool,         // the same, but without bool counting as int8: NumPy refuses it
  real,             // integers and real floats
  real_or_bool,     // anything ordered
  inexact,          // floats and complex; integers are converted first
  real_inexact,     // floats; integers are converted first
  integer,          // integers
  integer_or_bool,  //
  boolean,          // bool; anything else is compared with 0 first
};

/// The result type as a function of the operand type.
enum class op_result : std::uint8_t { same, boolean, real_part };

enum op_traits : std::uint8_t {
  none = 0,
  commutative = 1,
  associative = 2,
  idempotent = 4,
  first_bool = 8,     // operand 0 is bool, the others have the operand type
  second_int32 = 16,  // operand 1 is int32
  internal = 32,      // no public function
  wide = 128,         // integers become float64, of any width
  approximate = 64,   // on floats accurate to a few ulp, and not bit-identical on every device
};

/// The neutral element of a reduction.
enum class op_identity : std::uint8_t { none, zero, one, lowest, highest, all_ones };

struct op_info {
  std::string_view name;
  std::uint8_t arity;
  op_domain domain;
  op_result result;
  std::uint8_t traits;
  op_identity identity;
  std::uint8_t cost;
};


inline constexpr op_info op_table[] = {
#define SINTER_OP(name, arity, domain, result, traits, identity, cost, ...)               \
  {#name, arity, op_domain::domain, op_result::result, static_cast<std::uint8_t>(traits), \
   op_identity::identity, cost},
#include "ops.def"
#undef SINTER_OP
    {"cast", 1, op_domain::any, op_result::same, none, op_identity::none, 1},
    {"bitcast", 1, op_domain::any, op_result::same, none, op_identity::none, 0},
};

constexpr const op_info& info(op o) { return op_table[static_cast<int>(o)]; }
constexpr std::string_view name(op o) { return info(o).name; }

/// The inexact type that an op without an integer form converts `t` to.
constexpr dtype inexact_operand(op o, dtype t) {
  return (info(o).traits & wide) && !is_inexact(t) ? dtype::float64 : inexact_of(t);
}

/// The type an op computes in when its promoted operands have type `t`: integers become floats
/// where the op has no integer form, half types compute in float32.
constexpr dtype operand_type(op o, dtype t) {
  const op_domain d = info(o).domain;
  if (d == op_domain::boolean) return dtype::bool_;
  if (d == op_domain::inexact || d == op_domain::real_inexact) t = inexact_operand(o, t);
  return compute_of(t);
}

/// The type of operand `i` of an op that computes in `t`.
constexpr dtype argument_type(op o, dtype t, int i) {
  if ((info(o).traits & first_bool) && i == 0) return dtype::bool_;
  if ((info(o).traits & second_int32) && i == 1) return dtype::int32;
  return t;
}

/// The type of the result of an op that computes in `t`.
constexpr dtype result_type(op o, dtype t) {
  switch (info(o).result) {
    case op_result::boolean: return dtype::bool_;
    case op_result::real_part: return real_of(t);
    case op_result::same: break;
  }
  return t;
}

/// Does the op have a meaning for operands of type `t` (after `operand_type`)?
constexpr bool accepts(op o, dtype t) {
  switch (info(o).domain) {
    case op_domain::any: return true;
    case op_domain::numeric:
    case op_domain::not_bool: return !is_bool(t);
    case op_domain::real: return is_integer(t) || is_real(t);
    case op_domain::real_or_bool: return !is_complex(t);
    case op_domain::inexact: return is_inexact(t);
    case op_domain::real_inexact: return is_real(t);
    case op_domain::integer: return is_integer(t);
    case op_domain::integer_or_bool: return is_integer(t) || is_bool(t);
    case op_domain::boolean: return is_bool(t);
  }
  return false;
}

}  // namespace sinter::ir
