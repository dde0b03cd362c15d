#include "codegen/cuda_text/spelling.hpp"

#include <bit>
#include <charconv>
#include <cmath>
#include <limits>

#include "codegen/cuda_text/writer.hpp"
#include "ir/error.hpp"
#include "ir/formula.hpp"

namespace sinter::codegen::cuda_text {
namespace {

constexpr std::string_view storage_names[dtype_count] = {"unsigned char",
                                                         "signed char",
                                                         "short",
                                                         "int",
                                                         "long long",
                                                         "unsigned char",
                                                         "unsigned short",
                                                         "unsigned",
                                                         "unsigned long long",
                                                         "float16",
                                                         "bfloat16",
                                                         "float",
                                                         "double",
                                                         "complex64",
                                                         "complex128"};

/// The `cuda` column of the op table.
constexpr std::string_view templates[] = {
#define SINTER_OP(name, arity, domain, result, traits, identity, cost, expand, complex, cuda, ...) \
  cuda,
#include "ir/ops.def"
#undef SINTER_OP
};

std::string_view arithmetic_type(dtype type) {
  return size_of(type) == 8 ? "unsigned long long" : "unsigned";
}

/// The conversion of a result of arithmetic_type back to `type`.
std::string narrowing(dtype type) {
  if (size_of(type) == 2) return cat("sinter_narrowed<", storage_type(type), ">");
  return cat("(", storage_type(type), ")");
}

std::string hexadecimal(auto value) {
  char buffer[64];
  const auto end =
      std::to_chars(buffer, buffer + sizeof buffer, std::abs(value), std::chars_format::hex);
  return cat(std::signbit(value) ? "-0x" : "0x", std::string_view(buffer, end.ptr));
}

/// Is the number's decimal form so short that every reader and every compiler gets it right?
bool is_plain(double value) {
  return std::abs(value) < 1e6 && std::nearbyint(value * 1024) == value * 1024;
}

std::string shortest(auto value) {
  char buffer[64];
  const auto end = std::to_chars(buffer, buffer + sizeof buffer, value);
  return std::string(buffer, end.ptr);
}

std::string fixed(double value) {
  char buffer[64];
  const auto end = std::to_chars(buffer, buffer + sizeof buffer, value, std::chars_format::fixed);
  const std::string text(buffer, end.ptr);
  return text.find('.') == std::string::npos ? text + ".0" : text;
}

std::string tight(std::string text) {
  return text.front() == '-' ? cat("(", text, ")") : text;
}

template <class real, class bits_t>
std::string real_literal(bits_t bits, std::string_view suffix, std::string_view from_bits) {
  const auto value = std::bit_cast<real>(bits);
  if (!std::isfinite(value)) {
    char buffer[32];
    const auto end = std::to_chars(buffer, buffer + sizeof buffer, bits, 16);
    return cat(from_bits, "(0x", std::string_view(buffer, end.ptr), ")");
  }
  const bool plain = is_plain(value) && !(value == 0 && std::signbit(value));
  return tight(cat(plain ? fixed(value) : hexadecimal(value), suffix));
}

std::string integer_literal(dtype type, std::uint64_t bits) {
  const int width = 8 * static_cast<int>(size_of(type));
  const std::uint64_t low = width == 64 ? bits : bits & ((std::uint64_t{1} << width) - 1);
  std::string digits = std::to_string(low);
  if (is_signed(type)) {
    const auto value = static_cast<std::int64_t>(low << (64 - width)) >> (64 - width);
    // the most negative number has no literal of its own
    const bool lowest = value == std::numeric_limits<std::int64_t>::min() >> (64 - width);
    if (lowest && width >= 32) {
      const std::string_view suffix = width == 64 ? "ll" : "";
      return cat("(-", static_cast<std::uint64_t>(-(value + 1)), suffix, " - 1", suffix, ")");
    }
    digits = std::to_string(value);
  }
  switch (type) {
    case dtype::int32:
      return tight(digits);
    case dtype::int64:
      return tight(digits + "ll");
    case dtype::uint32:
      return digits + "u";
    case dtype::uint64:
      return digits + "ull";
    default:
      return cat("((", storage_type(type), ")", tight(digits), ")");
  }
}

std::string cast_from_float(dtype from, dtype to, const std::string& x) {
  if (is_bool(to)) return cat(x, " != 0");
  if (is_integer(to)) return cat("sinter_saturate<", value_type(to), ">(", x, ")");
  const std::string narrow =
      from == dtype::float64 && is_half(to) ? cat("sinter_round_to_odd(", x, ")") : x;
  if (to == dtype::float16) return cat("sinter_to_half(", narrow, ")");
  if (to == dtype::bfloat16) return cat("sinter_to_bfloat(", narrow, ")");
  return cat("(", value_type(to), ")", x);
}

std::string cast_text(dtype from, dtype to, const std::string& x) {
  if (from == to) return x;
  if (is_half(from)) {
    const std::string_view widen =
        from == dtype::float16 ? "sinter_from_half" : "sinter_from_bfloat";
    const std::string wide = cat(widen, "(", x, ")");
    return to == dtype::float32 ? wide : cast_from_float(dtype::float32, to, wide);
  }
  if (is_real(from)) return cast_from_float(from, to, x);
  if (is_bool(to)) return cat(x, " != 0");
  const bool byte = is_integer(from) && size_of(from) == 1;
  const std::string wide = byte ? cat("sinter_byte_float(", x, ")") : cat("(float)", x);
  if (is_half(to)) return cast_from_float(dtype::float32, to, wide);
  if (byte && to == dtype::float32) return wide;
  return cat("(", value_type(to), ")", x);
}

}  // namespace

std::string_view storage_type(dtype t) {
  return storage_names[static_cast<int>(t)];
}

std::string_view value_type(dtype t) {
  return is_bool(t) ? "bool" : storage_type(t);
}

std::string literal(dtype type, std::uint64_t bits) {
  switch (type) {
    case dtype::bool_:
      return bits & 1 ? "true" : "false";
    case dtype::float16:
    case dtype::bfloat16:
      return cat(storage_type(type), "{", bits & 0xffff, "}");
    case dtype::float32:
      return real_literal<float>(static_cast<std::uint32_t>(bits), "f", "__int_as_float");
    case dtype::float64:
      return real_literal<double>(bits, "", "__longlong_as_double");
    default:
      return integer_literal(type, bits);
  }
}

std::string decimal(dtype type, std::uint64_t bits) {
  const std::string text = literal(type, bits);
  if (is_half(type) || !is_real(type) || text.find("0x") == std::string::npos) return {};
  if (type == dtype::float64) return shortest(std::bit_cast<double>(bits));
  return shortest(std::bit_cast<float>(static_cast<std::uint32_t>(bits)));
}

std::string expression(const ir::inst& i, std::span<const std::string> args) {
  if (i.code == ir::op::cast) return cast_text(i.type, i.result, args[0]);
  if (i.code == ir::op::bitcast)
    return cat("sinter_bits<", value_type(i.result), ">(", args[0], ")");
  const std::string_view text = ir::alternative_of(templates[static_cast<int>(i.code)], i.type);
  if (text.empty()) {
    throw ir::verify_error(cat(ir::name(i.code), " in ", name(i.type), " has no CUDA text"));
  }
  std::string out;
  for (std::size_t at = 0; at < text.size(); ++at) {
    if (text[at] != '$') {
      out += text[at];
      continue;
    }
    const char hole = text[++at];
    if (hole == 't')
      out += value_type(i.type);
    else if (hole == 'u')
      out += arithmetic_type(i.type);
    else if (hole == 'n')
      out += narrowing(i.type);
    else if (hole == 'f')
      out += i.type == dtype::float32 ? "f" : "";
    else
      out += args[static_cast<std::size_t>(hole - 'a')];
  }
  return out;
}

}  // namespace sinter::codegen::cuda_text
