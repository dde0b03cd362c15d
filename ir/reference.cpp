#include "ir/reference.hpp"

#include <array>
#include <bit>
#include <limits>
#include <stdexcept>
#include <type_traits>
#include <utility>

#include "ir/cat.hpp"
#include "ir/meaning.hpp"

namespace sinter::ir {
namespace {

// One struct per row of the table: `run` is its meaning.
#define SINTER_OP(name, arity, domain, result, traits, identity, cost, expand, complex, cuda, \
                  llvm, reference, doc)                                                       \
  struct name##_row {                                                                         \
    template <class T, class A, class B>                                                      \
    static auto run([[maybe_unused]] A a, [[maybe_unused]] B b, [[maybe_unused]] T c) {       \
      return reference;                                                                       \
    }                                                                                         \
  };
#include "ir/ops.def"
#undef SINTER_OP

/// C libraries treat a signalling NaN differently; hardware makes it quiet first.
template <class T>
T quiet(T x) {
  if constexpr (std::is_floating_point_v<T>) return x != x ? x + x : x;
  else return x;
}

/// The memory after elements selected by a mask is uninitialised, and may hold no valid bool: it
/// may be read as long as something else is selected.
template <class T> T element_at(const T* from, std::int64_t i) {
  if constexpr (std::is_same_v<T, bool>) {
    return reinterpret_cast<const unsigned char*>(from)[i] != 0;
  } else {
    return from[i];
  }
}

template <op Code, class Row, dtype Type>
void strip(void* out, const void* const* args, std::int64_t n) {
  using t = element_of<Type>;
  using first = element_of<argument_type(Code, Type, 0)>;
  using second = element_of<argument_type(Code, Type, 1)>;
  using result = element_of<result_type(Code, Type)>;
  constexpr int arity = info(Code).arity;
  const first* a = static_cast<const first*>(args[0]);
  [[maybe_unused]] const second* b = arity > 1 ? static_cast<const second*>(args[1]) : nullptr;
  [[maybe_unused]] const t* c = arity > 2 ? static_cast<const t*>(args[2]) : nullptr;
  result* to = static_cast<result*>(out);
  for (std::int64_t i = 0; i < n; ++i) {
    second second_operand{};
    t third_operand{};
    const first first_operand = element_at(a, i);
    if constexpr (arity > 1) second_operand = element_at(b, i);
    if constexpr (arity > 2) third_operand = element_at(c, i);
    if constexpr ((info(Code).traits & approximate) != 0) {
      to[i] = static_cast<result>(Row::template run<t>(quiet(first_operand), quiet(second_operand),
                                                       quiet(third_operand)));
    } else {
      to[i] = static_cast<result>(
          Row::template run<t>(first_operand, second_operand, third_operand));
    }
  }
}

template <op Code, class Row, dtype Type>
constexpr strip_function strip_or_null() {
  if constexpr (accepts(Code, Type) && !is_half(Type)) return &strip<Code, Row, Type>;
  else return nullptr;
}

using strip_row = std::array<strip_function, dtype_count>;

template <op Code, class Row>
constexpr strip_row make_row() {
  return []<std::size_t... I>(std::index_sequence<I...>) {
    return strip_row{strip_or_null<Code, Row, static_cast<dtype>(I)>()...};
  }(std::make_index_sequence<dtype_count>());
}

constexpr strip_row strips[] = {
#define SINTER_OP(name, ...) make_row<op::name, name##_row>(),
#include "ir/ops.def"
#undef SINTER_OP
};

// ---- conversion

template <class T>
constexpr bool is_complex_type = is_complex(dtype_of<T>);

/// Truncates, saturates; NaN gives 0.
template <class To, class From>
To integer_from(From a) {
  using limits = std::numeric_limits<To>;
  if (!(a == a)) return 0;
  // 2^digits is exact in every float type, while the largest integer may not be.
  const From bound = std::ldexp(From(1), limits::digits);
  if (a >= bound) return limits::max();
  if (a <= (std::is_signed_v<To> ? -bound : From(0))) return limits::min();
  return static_cast<To>(a);
}

template <class To, class From>
To real_from(From a) {
  constexpr bool half = is_half(dtype_of<To>);
  if constexpr (is_half(dtype_of<From>)) return real_from<To>(static_cast<float>(a));
  else if constexpr (half && !std::is_floating_point_v<From>) return To(static_cast<float>(a));
  else return static_cast<To>(a);
}

template <class To, class From>
To value_from(From a) {
  if constexpr (std::is_same_v<To, From>) return a;
  else if constexpr (is_half(dtype_of<From>)) return value_from<To>(static_cast<float>(a));
  else if constexpr (std::is_same_v<To, bool>) return a != From(0);
  else if constexpr (is_complex_type<From>) {
    if constexpr (is_complex_type<To>) return static_cast<To>(a);
    else return value_from<To>(a.real());
  } else if constexpr (is_complex_type<To>) {
    return To(value_from<typename To::value_type>(a));
  } else if constexpr (is_real(dtype_of<To>)) return real_from<To>(a);
  else if constexpr (std::is_floating_point_v<From>) return integer_from<To>(a);
  else return static_cast<To>(a);
}

template <dtype From, dtype To>
void convert_strip(void* out, const void* const* args, std::int64_t n) {
  const auto* a = static_cast<const element_of<From>*>(args[0]);
  auto* to = static_cast<element_of<To>*>(out);
  for (std::int64_t i = 0; i < n; ++i) to[i] = value_from<element_of<To>>(a[i]);
}

template <dtype From>
constexpr strip_row make_convert_row() {
  return []<std::size_t... I>(std::index_sequence<I...>) {
    return strip_row{&convert_strip<From, static_cast<dtype>(I)>...};
  }(std::make_index_sequence<dtype_count>());
}

constexpr auto convert_strips = []<std::size_t... I>(std::index_sequence<I...>) {
  return std::array<strip_row, dtype_count>{make_convert_row<static_cast<dtype>(I)>()...};
}(std::make_index_sequence<dtype_count>());

template <class T>
T identity_value(op_identity kind) {
  using limits = std::numeric_limits<T>;
  constexpr bool real = std::is_floating_point_v<T>;
  switch (kind) {
    case op_identity::one: return T(1);
    case op_identity::lowest: return real ? static_cast<T>(-limits::infinity()) : limits::lowest();
    case op_identity::highest: return real ? limits::infinity() : limits::max();
    case op_identity::all_ones:
      if constexpr (std::is_integral_v<T>) return static_cast<T>(-1);
      break;
    case op_identity::zero:
    case op_identity::none: break;
  }
  return T(0);
}

template <std::size_t... I>
scalar_value identity_for(op_identity kind, dtype type, std::index_sequence<I...>) {
  scalar_value v;
  const auto set = [&]<class T>(T value) { v = scalar_of(value); };
  ((static_cast<std::size_t>(type) == I
        ? set(identity_value<element_of<static_cast<dtype>(I)>>(kind))
        : void()),
   ...);
  return v;
}

}  // namespace

strip_function strip_of(op code, dtype type) {
  if (static_cast<int>(code) >= op_count) return nullptr;
  return strips[static_cast<std::size_t>(code)][static_cast<std::size_t>(type)];
}

strip_function convert_strip_of(dtype from, dtype to) {
  return convert_strips[static_cast<std::size_t>(from)][static_cast<std::size_t>(to)];
}

scalar_value apply(op code, dtype type, const scalar_value* args) {
  const strip_function f = strip_of(code, type);
  if (!f) {
    throw std::invalid_argument(detail::cat("[", name(code), "] has no meaning for ", name(type)));
  }
  const void* pointers[3] = {};
  for (int i = 0; i < info(code).arity; ++i) pointers[i] = args[i].bits;
  scalar_value out;
  f(out.bits, pointers, 1);
  return out;
}

scalar_value convert(const scalar_value& value, dtype from, dtype to) {
  const void* pointer = value.bits;
  scalar_value out;
  convert_strip_of(from, to)(out.bits, &pointer, 1);
  return out;
}

scalar_value identity_of(op code, dtype type) {
  const op_identity kind = info(code).identity;
  if (kind == op_identity::none || is_half(type)) {
    throw std::invalid_argument(
        detail::cat("[", name(code), "] has no identity for ", name(type)));
  }
  return identity_for(kind, type, std::make_index_sequence<dtype_count>());
}

scalar_value neutral_of(op code, dtype type) {
  if (code != op::add || !is_real(type)) return identity_of(code, type);
  return convert(scalar_of(-0.0), dtype::float64, type);
}

}  // namespace sinter::ir
