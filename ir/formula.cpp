#include "ir/formula.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <optional>
#include <stdexcept>
#include <string>

#include "ir/append.hpp"
#include "ir/cat.hpp"
#include "ir/formula_parser.hpp"
#include "ir/reference.hpp"

namespace sinter::ir {
namespace {

using detail::convert_target;
using detail::formula;
using detail::term;
using detail::term_kind;

struct columns {
  std::string_view name, expand, complex;
};
constexpr columns text_table[] = {
#define SINTER_OP(name, arity, domain, result, traits, identity, cost, expand, complex, ...) \
  {#name, expand, complex},
#include "ir/ops.def"
#undef SINTER_OP
};

constexpr dtype class_examples[] = {dtype::float32, dtype::int32, dtype::bool_, dtype::complex64};

constexpr std::size_t class_of(dtype t) {
  if (is_complex(t)) return 3;
  if (is_bool(t)) return 2;
  return is_integer(t) ? 1 : 0;
}

using formula_table = std::array<std::array<std::optional<formula>, 4>, op_count>;

formula_table parse_table() {
  formula_table table;
  for (std::size_t i = 0; i < op_count; ++i) {
    const columns& row = text_table[i];
    for (dtype type : class_examples) {
      const auto text = alternative_of(is_complex(type) ? row.complex : row.expand, type);
      if (!text.empty()) table[i][class_of(type)] = detail::parse_formula(text, row.name);
    }
  }
  return table;
}

const std::optional<formula>& formula_of(op code, dtype type) {
  static const formula_table table = parse_table();
  return table[static_cast<std::size_t>(code)][class_of(type)];
}

[[noreturn]] void refuse(op code, dtype type, std::string_view why) {
  throw std::invalid_argument(detail::cat("[", name(code), "] ", name(type), ": ", why));
}

constexpr dtype integer_like(dtype t) { return sinter::detail::integer_of(true, size_of(t)); }
constexpr dtype float_like(dtype t) { return size_of(t) == 8 ? dtype::float64 : dtype::float32; }

// ---- constants

std::uint64_t number_bits(dtype type, double number) {
  if (is_real(type)) return convert(scalar_of(number), dtype::float64, type).bits[0];
  if (number != std::floor(number)) throw std::logic_error("a fraction met an integer");
  return convert(scalar_of(static_cast<std::int64_t>(number)), dtype::int64, type).bits[0];
}

template <class F>
F named_float(std::string_view name) {
  using limits = std::numeric_limits<F>;
  if (name == "inf") return limits::infinity();
  if (name == "nan") return limits::quiet_NaN();
  if (name == "tiny") return limits::denorm_min();
  return name == "normal" ? limits::min() : limits::max();
}

/// The value of a named constant as `type`, in a formula over `formula_type`.
std::uint64_t constant_bits(std::string_view name, dtype type, dtype formula_type) {
  const bool is_double = formula_type == dtype::float64;
  if (name == "width") return number_bits(type, 8.0 * static_cast<double>(size_of(formula_type)));
  if (name == "ebias") return number_bits(type, is_double ? 1023 : 127);
  if (name == "digits") return number_bits(type, is_double ? 53 : 24);
  if (name == "all_ones") return number_bits(type, -1);
  if (type == dtype::float64) return scalar_of(named_float<double>(name)).bits[0];
  if (type == dtype::float32) return scalar_of(named_float<float>(name)).bits[0];
  throw std::logic_error(detail::cat(name, " met an integer"));
}

// ---- emitting a formula

std::int32_t write(std::vector<inst>& body, op code, dtype type, const std::int32_t* args);

class writer {
 public:
  writer(std::vector<inst>& body, const formula& f, op code, dtype type, const std::int32_t* args)
      : body_(body), f_(f), code_(code), complex_(is_complex(type)), type_(real_of(type)),
        args_(args), locals_(f.locals.size(), -1) {}

  std::int32_t result(std::size_t i) {
    const dtype expected =
        info(code_).result == op_result::boolean ? dtype::bool_ : type_;
    return value(f_.results[i], expected);
  }

 private:
  const term& at(int t) const { return f_.terms[static_cast<std::size_t>(t)]; }
  dtype result_of(std::int32_t v) const { return body_[static_cast<std::size_t>(v)].result; }
  [[noreturn]] void fail(std::string_view why) const { refuse(code_, type_, why); }

  std::int32_t operand(int index) const {
    const bool part = index >= detail::first_part_operand;
    const int n = part ? (index - detail::first_part_operand) / 2 : index;
    const bool by_parts = complex_ && is_complex(argument_type(code_, dtype::complex64, n));
    if (part != by_parts) fail("the formula takes a complex operand for a real one, or inversely");
    if (n >= info(code_).arity) fail("the formula names an operand that the op has not");
    return args_[part ? index - detail::first_part_operand : complex_ ? 2 * n : n];
  }

  int picked(const term& t) const { return t.args[type_ == dtype::float32 ? 0 : 1]; }

  /// The type of a term; none if it consists of numbers and constants alone.
  std::optional<dtype> type_of(int index) const {
    const term& t = at(index);
    switch (t.kind) {
      case term_kind::number:
      case term_kind::constant: return std::nullopt;
      case term_kind::operand: return result_of(operand(t.index));
      case term_kind::local: return type_of(f_.locals[static_cast<std::size_t>(t.index)]);
      case term_kind::convert: return target_of(t);
      case term_kind::as_int: return integer_like(type_of(t.args[0]).value_or(type_));
      case term_kind::as_float: return float_like(type_of(t.args[0]).value_or(type_));
      case term_kind::pick: return type_of(picked(t));
      case term_kind::poly:
      case term_kind::fpoly: return first_type(t.args);
      case term_kind::call: break;
    }
    return info(t.code).result == op_result::boolean ? dtype::bool_ : operand_type_of(t);
  }

  std::optional<dtype> first_type(const std::vector<int>& terms) const {
    for (int t : terms) {
      if (auto type = type_of(t)) return type;
    }
    return std::nullopt;
  }

  /// The type a call computes in: that of the first operand that has a type and decides it.
  std::optional<dtype> operand_type_of(const term& call) const {
    if (info(call.code).domain == op_domain::boolean) return dtype::bool_;
    const auto traits = info(call.code).traits;
    for (std::size_t i = 0; i < call.args.size(); ++i) {
      if ((i == 0 && (traits & first_bool)) || (i == 1 && (traits & second_int32))) continue;
      if (auto type = type_of(call.args[i])) return type;
    }
    return std::nullopt;
  }

  dtype target_of(const term& t) const {
    if (t.target == convert_target::named) return t.type;
    return t.target == convert_target::formula_type ? type_ : integer_like(type_);
  }

  /// The value of a term that must have type `expected`.
  std::int32_t value(int index, dtype expected) {
    const std::int32_t v = any_value(index, expected);
    if (result_of(v) != expected) fail("the formula mixes types");
    return v;
  }

  /// The value of a term, in its own type, or in `expected` if it has none.
  std::int32_t any_value(int index, dtype expected) {
    const term& t = at(index);
    switch (t.kind) {
      case term_kind::number:
        return emit_constant(body_, expected, number_bits(expected, t.number));
      case term_kind::constant:
        return emit_constant(body_, expected, constant_bits(t.name, expected, type_));
      case term_kind::operand: return operand(t.index);
      case term_kind::local: return local(t.index, expected);
      case term_kind::convert:
        return emit_cast(body_, any_value(t.args[0], target_of(t)), target_of(t));
      case term_kind::as_int: return reinterpret(t, type_, integer_like);
      case term_kind::as_float: return reinterpret(t, integer_like(type_), float_like);
      case term_kind::pick: return any_value(picked(t), expected);
      case term_kind::poly:
      case term_kind::fpoly: return horner(t, expected);
      case term_kind::call: break;
    }
    return call(t, expected);
  }

  std::int32_t local(int index, dtype expected) {
    const int t = f_.locals[static_cast<std::size_t>(index)];
    const auto type = type_of(t);
    if (!type) return any_value(t, expected);
    std::int32_t& known = locals_[static_cast<std::size_t>(index)];
    if (known < 0) known = value(t, *type);
    return known;
  }

  template <class To>
  std::int32_t reinterpret(const term& t, dtype untyped, To to) {
    const std::int32_t v = any_value(t.args[0], type_of(t.args[0]).value_or(untyped));
    inst i{.code = op::bitcast, .type = result_of(v), .result = to(result_of(v))};
    i.args[0] = v;
    return append(body_, i);
  }

  std::int32_t horner(const term& t, dtype expected) {
    const dtype type = first_type(t.args).value_or(expected);
    const std::int32_t x = value(t.args[0], type);
    std::int32_t sum = value(t.args.back(), type);
    for (std::size_t i = t.args.size() - 2; i > 0; --i) {
      if (t.kind == term_kind::fpoly) {
        const std::int32_t all[] = {x, sum, value(t.args[i], type)};
        sum = write(body_, op::fma, type, all);
        continue;
      }
      const std::int32_t product[] = {x, sum};
      const std::int32_t scaled = write(body_, op::multiply, type, product);
      const std::int32_t terms[] = {value(t.args[i], type), scaled};
      sum = write(body_, op::add, type, terms);
    }
    return sum;
  }

  std::int32_t call(const term& t, dtype expected) {
    const bool free = info(t.code).result == op_result::boolean;
    const dtype type = operand_type_of(t).value_or(free ? type_ : expected);
    std::int32_t args[3] = {-1, -1, -1};
    for (std::size_t i = 0; i < t.args.size(); ++i) {
      args[i] = value(t.args[i], argument_type(t.code, type, static_cast<int>(i)));
    }
    return write(body_, t.code, type, args);
  }

  std::vector<inst>& body_;
  const formula& f_;
  op code_;
  bool complex_;
  dtype type_;
  const std::int32_t* args_;
  std::vector<std::int32_t> locals_;
};

std::int32_t write(std::vector<inst>& body, op code, dtype type, const std::int32_t* args) {
  if (static_cast<int>(code) >= op_count || is_complex(type) || is_half(type) ||
      !accepts(code, type)) {
    refuse(code, type, "no such operation on single values");
  }
  if (const auto& f = formula_of(code, type)) return writer(body, *f, code, type, args).result(0);
  inst i{.code = code, .type = type, .result = result_type(code, type)};
  std::copy_n(args, info(code).arity, i.args);
  return append(body, i);
}

}  // namespace

std::string_view alternative_of(std::string_view column, dtype type) {
  const auto trim = [](std::string_view s) {
    while (s.starts_with(' ')) s.remove_prefix(1);
    while (s.ends_with(' ')) s.remove_suffix(1);
    return s;
  };
  if (is_complex(type)) return trim(column);
  std::size_t skip = class_of(type), begin = 0;
  int depth = 0;
  for (std::size_t i = 0; i < column.size(); ++i) {
    if (column[i] == '(') ++depth;
    if (column[i] == ')') --depth;
    if (depth != 0 || column[i] != '|') continue;
    if (column.substr(i).starts_with("||")) {
      ++i;
    } else if (skip == 0) {
      return trim(column.substr(begin, i - begin));
    } else {
      --skip;
      begin = i + 1;
    }
  }
  return trim(column.substr(begin));
}

std::int32_t emit(std::vector<inst>& body, op code, dtype type, const std::int32_t* args) {
  const std::size_t start = body.size();
  std::int32_t result = write(body, code, type, args);
  detail::drop_unused(body, start, {&result, 1});
  return result;
}

std::pair<std::int32_t, std::int32_t> emit_complex(std::vector<inst>& body, op code, dtype type,
                                                   const std::int32_t* args) {
  const int arity = info(code).arity;
  if (!is_complex(type)) {
    const std::int32_t first[] = {args[0], arity > 1 ? args[2] : -1, arity > 2 ? args[4] : -1};
    return {emit(body, code, type, first), -1};
  }
  if (static_cast<int>(code) >= op_count || !accepts(code, type)) {
    refuse(code, type, "no such operation on complex values");
  }
  const auto& f = formula_of(code, type);
  if (!f) refuse(code, type, "no formula for complex values");
  const std::size_t start = body.size();
  writer w(body, *f, code, type, args);
  std::int32_t parts[] = {w.result(0), f->results.size() > 1 ? w.result(1) : -1};
  detail::drop_unused(body, start, parts);
  return {parts[0], parts[1]};
}

bool is_primitive(op code, dtype type) {
  if (static_cast<int>(code) >= op_count) return !is_complex(type);
  return !is_complex(type) && accepts(code, type) && !formula_of(code, type);
}

bool is_exact(op code, dtype type) {
  if (static_cast<int>(code) >= op_count) return true;
  std::vector<inst> body;
  std::int32_t args[6];
  for (int k = 0; k < 6; ++k) {
    const dtype t = real_of(argument_type(code, type, k / 2));
    args[k] = append(body, {.kind = inst_kind::load, .type = t, .result = t, .which = k});
  }
  emit_complex(body, code, type, args);
  return std::none_of(body.begin(), body.end(), detail::is_approximate);
}

}  // namespace sinter::ir
