#pragma once
// Contraction on request: `a * b + c` with one rounding.

#include <sinter/operators.hpp>

namespace sinter {
namespace detail {

/// The program of an expression, with its products contracted into the sums they are operands of.
template <class E>
class contraction {
 public:
  /// Appends the program to the one being built; returns the index of its value.
  static constexpr int emit(auto& b) {
    constexpr auto from = program_in_place();
    int values[inputs + from.size] = {};
    for (int i = 0; i < inputs; ++i) {
      values[i] = i < E::arrays ? b.array(from.p.inputs[i]) : b.scalar(from.p.inputs[i]);
    }
    for (int i = 0; i < from.size; ++i) {
      if (goes_into_sum(from, i)) continue;
      ir::instruction next = from.p.code[i];
      const int at = product_of(from, next);
      next = at < 0 ? renamed(next, values) : fused(b, next, at, from.p.code, values);
      values[inputs + i] = b.push(next);
    }
    return values[inputs + from.size - 1];
  }

 private:
  static constexpr int inputs = E::arrays + E::scalars;

  static constexpr auto program_in_place() {
    program_builder<E::arrays, E::scalars, E::code + 1> b;
    E::template emit<E::compute>(b);
    return b;
  }

  static constexpr bool is_sum(const ir::instruction& i) {
    return (i.code == op::add || i.code == op::subtract) && is_real(i.type);
  }
  /// Which argument of a sum is the product to contract; -1 if none is.
  static constexpr int product_of(const auto& p, const ir::instruction& i) {
    if (!is_sum(i)) return -1;
    for (int k = 0; k < 2; ++k) {
      if (i.args[k] < inputs) continue;
      if (p.p.code[i.args[k] - inputs].code == op::multiply) return k;
    }
    return -1;
  }
  /// Whether the sum that has this product as an operand contracts it. An expression is a tree, so
  /// there is at most one.
  static constexpr bool goes_into_sum(const auto& p, int product) {
    for (int i = product + 1; i < p.size; ++i) {
      const int k = product_of(p, p.p.code[i]);
      if (k >= 0 && p.p.code[i].args[k] == inputs + product) return true;
    }
    return false;
  }
  static constexpr ir::instruction renamed(ir::instruction i, const int* values) {
    for (auto& v : i.args) v = static_cast<std::int16_t>(v < 0 ? -1 : values[v]);
    return i;
  }
  static constexpr ir::instruction fused(auto& b, const ir::instruction& sum, int at,
                                         const ir::instruction* code, const int* values) {
    const ir::instruction& product = code[sum.args[at] - inputs];
    int x = values[product.args[0]], c = values[sum.args[1 - at]];
    const auto negated = [&](int v) {
      return b.push({op::negative, sum.type, sum.type, {static_cast<std::int16_t>(v), -1, -1}});
    };
    if (sum.code == op::subtract) (at == 0 ? c : x) = negated(at == 0 ? c : x);
    const auto word = [](int v) { return static_cast<std::int16_t>(v); };
    return {op::fma, sum.type, sum.type, {word(x), word(values[product.args[1]]), word(c)}};
  }
};

/// The return type of `fast`.
template <class E>
struct fast_expr : readable<fast_expr<E>, element_of<E::value>> {
  using sinter_expression = void;
  static constexpr int arrays = E::arrays, scalars = E::scalars, ops = E::ops, code = E::code + 1;
  static constexpr bool weak = false;
  static constexpr dtype value = E::value, compute = E::compute;
  E e;
  explicit fast_expr(E&& x) : e(std::move(x)) {}
  template <dtype>
  static constexpr int emit(auto& b) { return contraction<E>::emit(b); }
  template <dtype>
  void collect(operand_sink& s) { e.template collect<E::compute>(s); }
};

}  // namespace detail

/// Returns the expression x with its products contracted: an addition or subtraction of floats with
/// a product among its operands becomes one `fma`, which rounds once. Everything else is unchanged.
/// Contraction does not reach into operands that already are arrays, nor into named expressions
/// that read five arrays or more. x alone determines which products are contracted, so the result
/// has the same bits fused and unfused and on every device; without `fast` nothing is ever
/// contracted. Slow on a CPU without the instruction. Any shape and dtype (integers, bool and
/// complex numbers are left alone); throws nothing. `y = sn::fast(c0 + x * (c1 + x * c2));`
template <detail::expression X>
auto fast(X&& x) {
  using U = std::remove_cvref_t<X>;  // a copy, so that a named expression is contracted too
  using E = decltype(detail::as_operand(U(std::forward<X>(x))));
  return detail::fast_expr<E>(detail::as_operand(U(std::forward<X>(x))));
}

}  // namespace sinter
