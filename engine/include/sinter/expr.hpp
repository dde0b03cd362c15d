#pragma once
// Expressions: the return types of operators. An expression owns its operands; its scalar program
// is a constant of its type. Converting it to an array<T> records one map node for the whole
// statement.

#include <complex>
#include <cstring>
#include <memory>
#include <string>
#include <tuple>

#include <sinter/any_array.hpp>
#include <sinter/casting.hpp>
#include <sinter/ir/program.hpp>
#include <sinter/operand_memo.hpp>

namespace sinter {

template <class T>
concept scalar = std::is_arithmetic_v<T> || std::same_as<T, std::complex<float>> ||
                 std::same_as<T, std::complex<double>> || std::same_as<T, float16> ||
                 std::same_as<T, bfloat16>;

template <ir::op O, class... A>
struct expr;

namespace detail {

using ir::op;

/// The operands of an expression with more ops than this are recorded first, to keep types small.
inline constexpr int max_ops = 32;

/// What a statement's C++ type determines, and the slot of its launch record.
struct statement {
  ir::program_view program;  // inputs: arrays, then scalars
  int arrays = 0;
  int scalars = 0;
  dtype result = dtype::float32;
  void* record = nullptr;  // owned by the session; read and written under its lock
};

struct scalar_word {
  std::uint64_t bits[2] = {0, 0};
};

/// Records a map node over `arrays` (moved from). Throws shape_error if they do not broadcast.
any_array record(statement&, any_array* arrays, const scalar_word* scalars, location where);

[[noreturn]] void throw_scalar_range(long long value, dtype type, location where);
[[noreturn]] void throw_negative_power(std::int64_t exponent, location where);

template <dtype D, class V>
scalar_word scalar_of(const V& value, location where = {}) {
  using T = element_of<D>;
  check_assigned<dtype_of<V>, D>();
  scalar_word w;
  T t;
  if constexpr (is_complex(D)) {
    t = T(value);
  } else if constexpr (!is_complex(dtype_of<V>)) {
    t = static_cast<T>(value);
    if constexpr (is_integer(D) && std::is_integral_v<V>) {
      if (static_cast<V>(t) != value || (value < V(0)) != (t < T(0))) {
        throw_scalar_range(static_cast<long long>(value), D, where);
      }
    }
  }
  std::memcpy(w.bits, &t, sizeof t);
  return w;
}

/// Number types that an element of V may be converted to in C++: fractions are not dropped, and
/// bool converts only from and to bool.
template <class U, class V>
concept made_from = std::same_as<U, V> ||
                    (std::is_arithmetic_v<U> && !std::same_as<U, bool> &&
                     !is_complex(dtype_of<V>) && (std::floating_point<U> || std::integral<V>));

template <class U, class V>
U made(V value) {
  if constexpr (std::integral<U>) scalar_of<dtype_of<U>>(value);  // throws if out of range
  return static_cast<U>(value);
}

/// Builds the program of an expression type at compile time.
template <int Arrays, int Scalars, int Capacity>
struct program_builder {
  ir::fixed_program<Arrays + Scalars, Capacity> p;
  int next_array = 0, next_scalar = 0, size = 0;

  constexpr int array(dtype t) {
    p.inputs[next_array] = t;
    return next_array++;
  }
  constexpr int scalar(dtype t) {
    p.inputs[Arrays + next_scalar] = t;
    return Arrays + next_scalar++;
  }
  constexpr int push(ir::instruction i) {
    p.code[size] = i;
    return Arrays + Scalars + size++;
  }
  constexpr int convert(int v, dtype from, dtype to) {
    if (from == to) return v;
    return push({op::cast, from, to, {static_cast<std::int16_t>(v), -1, -1}});
  }
};

/// Collects a statement's operands when it is recorded.
struct operand_sink {
  any_array* arrays;
  scalar_word* scalars;
  location where = {};
  bool unchosen = false;  // a mask's selection is given as the whole array
};

/// The operands of expressions. `value` is the NumPy dtype, `compute` the dtype of the value inside
/// the statement: half types stay in float until they become an array.
template <element T>
struct leaf {
  static constexpr int arrays = 1, scalars = 0, ops = 0, code = 1;
  static constexpr bool weak = false;
  static constexpr dtype value = dtype_of<T>, compute = compute_of(value);
  sinter::array<T> x;
  template <dtype>
  static constexpr int emit(auto& b) { return b.convert(b.array(value), value, compute); }
  template <dtype>
  void collect(operand_sink& s) { *s.arrays++ = std::move(x); }
};

/// An expression recorded before the statement it is an operand of. Recording does not round a half
/// type: the array has the compute dtype.
template <dtype Value>
struct recorded {
  static constexpr int arrays = 1, scalars = 0, ops = 0, code = 0;
  static constexpr bool weak = false;
  static constexpr dtype value = Value, compute = compute_of(Value);
  any_array x;
  std::shared_ptr<const unrecorded> failed = nullptr;
  template <dtype>
  static constexpr int emit(auto& b) { return b.array(compute); }
  template <dtype>
  void collect(operand_sink& s) { *s.arrays++ = failed ? failed->record(s.where) : std::move(x); }
};

/// A C++ scalar: it has a kind but no width.
template <class V>
struct weak_scalar {
  static constexpr int arrays = 0, scalars = 1, ops = 0, code = 0;
  static constexpr bool weak = true;
  static constexpr dtype value = dtype_of<V>, compute = value;
  V x;
  template <dtype As>
  static constexpr int emit(auto& b) { return b.scalar(As); }
  template <dtype As>
  void collect(operand_sink& s) { *s.scalars++ = scalar_of<As>(x, s.where); }
  /// Beside halves a number is rounded to a half, as in NumPy, though the computation is in float.
  template <dtype Half>
  void collect_half(operand_sink& s) {
    const auto rounded = static_cast<element_of<Half>>(static_cast<double>(x));
    *s.scalars++ = scalar_of<compute_of(Half)>(static_cast<float>(rounded), s.where);
  }
};

template <class A>
inline constexpr bool is_signed_number = std::same_as<A, weak_scalar<std::int64_t>>;

/// A C++ scalar among scalars only: it has the width of their C++ common type.
template <class V, dtype Common>
struct typed_scalar : weak_scalar<V> {
  static constexpr dtype value = Common, compute = compute_of(value);
};

/// The promoted type of the operands of op `O`, before the op's own rule.
template <op O, class... A>
constexpr dtype promoted() {
  constexpr auto traits = ir::info(O).traits;
  constexpr bool skip_first = (traits & ir::first_bool) != 0;
  constexpr bool skip_second = (traits & ir::second_int32) != 0;
  const dtype values[] = {A::value...};
  const bool weak[] = {A::weak...};
  bool any = false;
  dtype t = dtype::bool_;
  for (std::size_t i = skip_first ? 1 : 0; i < sizeof...(A); ++i) {
    if (weak[i] || (skip_second && i == 1)) continue;
    t = any ? promote(t, values[i]) : values[i];
    any = true;
  }
  for (std::size_t i = skip_first ? 1 : 0; i < sizeof...(A); ++i) {
    if (!weak[i] || (skip_second && i == 1)) continue;
    t = any ? promote_weak(t, kind_of(values[i])) : values[i];
    any = true;
  }
  return t;
}

/// The NumPy operand type of op `O`: integers become floats if the op has no integer form; bool
/// becomes int8 if the op has no form for bool.
template <op O, class... A>
constexpr dtype operand_value() {
  constexpr auto domain = ir::info(O).domain;
  dtype t = promoted<O, A...>();
  if (domain == ir::op_domain::boolean) return dtype::bool_;
  if (domain == ir::op_domain::inexact || domain == ir::op_domain::real_inexact) {
    return ir::inexact_operand(O, t);
  }
  const bool no_bool = domain == ir::op_domain::numeric || domain == ir::op_domain::real ||
                       domain == ir::op_domain::integer;
  return is_bool(t) && no_bool ? dtype::int8 : t;
}

template <class E>
struct statement_of;

template <class E, int Arrays>
using memo_for = std::conditional_t<(Arrays > copied_arrays), operand_memo, no_memo<E>>;

/// The common interface of arrays and expressions; `Self` converts to array<T>.
template <class Self, element T>
struct readable;

constexpr bool is_order(op o) {
  return o == op::less || o == op::less_equal || o == op::greater || o == op::greater_equal;
}
template <class A>
inline constexpr bool orders = false;
template <op O, class... A>
inline constexpr bool orders<expr<O, A...>> = is_order(O);
/// Whether a comparison with a number has an operand that is itself a comparison, a < b < c.
template <op O, class A, class B = A, class...>
inline constexpr bool chained = is_order(O) && ((orders<A> && B::weak) || (orders<B> && A::weak));

}  // namespace detail

/// Op `O` applied to operands. In this namespace, so that lookup finds the operators.
template <ir::op O, class... A>
struct expr : detail::readable<
                  expr<O, A...>, element_of<ir::result_type(O, detail::operand_value<O, A...>())>> {
  using sinter_expression = void;
  static constexpr int arrays = (A::arrays + ...), scalars = (A::scalars + ...),
                       ops = (A::ops + ...) + 1, code = (A::code + ...) + 1 + sizeof...(A) + 1;
  static constexpr bool weak = false;
  static constexpr dtype operand = detail::operand_value<O, A...>(), inside = compute_of(operand);
  static constexpr dtype value = ir::result_type(O, operand);
  static constexpr dtype compute = ir::result_type(O, inside);
  static_assert(!(is_bool(inside) && ir::info(O).domain == ir::op_domain::not_bool),
                "bool has no difference, negative or sign: use ^, != or !, or astype<int> first");
  static_assert(!(is_complex(inside) && ir::accepts(O, real_of(inside)) &&
                  !ir::accepts(O, inside)),
                "complex numbers have no order, no rounding and not every function: use real(x), "
                "imag(x) or abs(x)");
  static_assert(!(is_real(inside) && ir::accepts(O, dtype::int32) && !ir::accepts(O, inside)),
                "bits and shifts are for integers and bool: use astype<int>(x) first");
  static_assert(ir::accepts(O, inside), "this operation has no meaning for operands of this type");
  static_assert(!detail::chained<O, A...>,
                "a < x < b compares the truth of a < x with b: write (a < x) && (x < b)");

  std::tuple<A...> args;
  [[no_unique_address]] detail::memo_for<expr, arrays> memo;
  explicit expr(A&&... a) : args(std::move(a)...) {}

  template <dtype>
  static constexpr int emit(auto& b) {
    return emit_all(b, std::index_sequence_for<A...>());
  }
  template <dtype>
  void collect(detail::operand_sink& s) {
    collect_all(s, std::index_sequence_for<A...>());
  }

 private:
  template <std::size_t I>
  using arg = std::tuple_element_t<I, std::tuple<A...>>;
  template <std::size_t... I>
  static constexpr int emit_all(auto& b, std::index_sequence<I...>) {
    const int v[] = {emit_one<arg<I>, ir::argument_type(O, inside, I)>(b)...};
    ir::instruction i{O, inside, compute, {-1, -1, -1}};
    ((i.args[I] = static_cast<std::int16_t>(v[I])), ...);
    return b.push(i);
  }
  template <class X, dtype As>
  static constexpr int emit_one(auto& b) {
    const int v = X::template emit<As>(b);
    return X::weak ? v : b.convert(v, X::compute, As);
  }
  template <std::size_t... I>
  void collect_all(detail::operand_sink& s, std::index_sequence<I...>) {
    (collect_one<I>(s), ...);
  }
  template <std::size_t I>
  void collect_one(detail::operand_sink& s) {
    constexpr dtype as = ir::argument_type(O, inside, I);
    if constexpr (O == ir::op::pow && I == 1 && is_integer(inside) &&
                  detail::is_signed_number<arg<I>>) {
      const std::int64_t exponent = std::get<I>(args).x;
      if (exponent < 0) detail::throw_negative_power(exponent, s.where);
    }
    if constexpr (arg<I>::weak && is_half(operand) && as == inside) {
      std::get<I>(args).template collect_half<operand>(s);
    } else {
      std::get<I>(args).template collect<as>(s);
    }
  }
};

/// A conversion to dtype `To`; a conversion to a half type rounds immediately.
template <dtype To, class A>
struct cast_expr : detail::readable<cast_expr<To, A>, element_of<To>> {
  using sinter_expression = void;
  static constexpr int arrays = A::arrays, scalars = A::scalars, ops = A::ops + 1,
                       code = A::code + 3;
  static constexpr bool weak = false;
  static constexpr dtype value = To, compute = compute_of(To);
  A a;
  [[no_unique_address]] detail::memo_for<cast_expr, arrays> memo;
  explicit cast_expr(A&& x) : a(std::move(x)) {}
  template <dtype>
  static constexpr int emit(auto& b) {
    const int v = b.convert(A::template emit<A::compute>(b), A::compute, To);
    return b.convert(v, To, compute);
  }
  template <dtype>
  void collect(detail::operand_sink& s) { a.template collect<A::compute>(s); }
};

namespace detail {

template <class E>
constexpr auto program_of() {
  program_builder<E::arrays, E::scalars, E::code + 1> b;
  const int v = E::template emit<E::compute>(b);
  b.convert(v, E::compute, E::value);
  return b;
}

/// The one statement object of an expression type.
template <class E>
struct statement_of {
  static constexpr auto built = program_of<E>();
  static constexpr int inputs = E::arrays + E::scalars;
  static constexpr auto program = [] {
    ir::fixed_program<inputs, built.size> p;
    for (int i = 0; i < inputs; ++i) p.inputs[i] = built.p.inputs[i];
    for (int i = 0; i < built.size; ++i) p.code[i] = built.p.code[i];
    const auto v = p.view();
    p.hash = ir::hash_of(v.inputs, v.code);
    return p;
  }();
  static inline statement info{program.view(), E::arrays, E::scalars, E::value, nullptr};
};

template <class E>
any_array record_expression(E&& e, location where) {
  any_array arrays[E::arrays > 0 ? E::arrays : 1];
  scalar_word scalars[E::scalars > 0 ? E::scalars : 1];
  operand_sink sink{arrays, scalars, where};
  e.template collect<E::compute>(sink);
  return record(statement_of<E>::info, arrays, scalars, where);
}

}  // namespace detail
}  // namespace sinter
