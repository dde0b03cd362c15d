#pragma once
// Converts the carry of control flow (arrays, expressions and scalars, alone or in tuples, pairs
// and std::arrays) to lists of arrays, and the user's functions to functions over such lists.

#include <array>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include <sinter/arguments.hpp>
#include <sinter/operators.hpp>

namespace sinter::detail {

/// A function over arrays by pointer. The loop determines the lengths of `in` and `out`.
struct array_function {
  void (*call)(void* f, any_array* in, any_array* out, location where);
  void* f;
  std::size_t outputs;  // beyond the carry: those of a scan's body
};

/// Converts arrays, expressions and scalars, alone or in tuples, to lists of arrays and back.
template <class X>
struct listed {
  static_assert(expression<X>,
                "loops, cond and vmap take and give arrays, expressions and scalars, and a "
                "std::tuple, std::pair or std::array of them; what is joined in braces has no type "
                "yet: stack<float>({a, b})");
  using type = X;
  static constexpr std::size_t count = 1;
  static void put(const X&, any_array*&, location) {}
  static type get(any_array*&, location);
};
template <expression X>
struct listed<X> {
  using value = typename X::value_type;
  using type = sinter::array<value>;
  static constexpr std::size_t count = 1;
  static void put(const X& x, any_array*& to, location where) { *to++ = x.to_array(where); }
  static type get(any_array*& from, location where) { return type(std::move(*from++), where); }
};
template <scalar X>
struct listed<X> {
  using type = sinter::array<X>;
  static constexpr std::size_t count = 1;
  static void put(const X& x, any_array*& to, location where) {
    *to++ = from_scalar(scalar_of<dtype_of<X>>(x), dtype_of<X>, where);
  }
  static type get(any_array*& from, location where) { return type(std::move(*from++), where); }
};
template <class... X>
struct listed<std::tuple<X...>> {
  using type = std::tuple<typename listed<X>::type...>;
  static constexpr std::size_t count = (listed<X>::count + ... + 0);
  static void put(const std::tuple<X...>& x, [[maybe_unused]] any_array*& to,
                  [[maybe_unused]] location where) {
    std::apply([&](const auto&... one) { (listed<X>::put(one, to, where), ...); }, x);
  }
  static type get(any_array*& from, [[maybe_unused]] location where) {
    return type{listed<X>::get(from, where)...};
  }
};

template <class A, class B>
struct listed<std::pair<A, B>> {
  using type = std::pair<typename listed<A>::type, typename listed<B>::type>;
  static constexpr std::size_t count = listed<A>::count + listed<B>::count;
  static void put(const std::pair<A, B>& x, any_array*& to, location where) {
    listed<A>::put(x.first, to, where);
    listed<B>::put(x.second, to, where);
  }
  static type get(any_array*& from, location where) {
    return type{listed<A>::get(from, where), listed<B>::get(from, where)};
  }
};
template <class X, std::size_t N>
struct listed<std::array<X, N>> {
  using type = std::array<typename listed<X>::type, N>;
  static constexpr std::size_t count = listed<X>::count * N;
  static void put(const std::array<X, N>& x, any_array*& to, location where) {
    for (const X& one : x) listed<X>::put(one, to, where);
  }
  static type get(any_array*& from, location where) {
    type all;
    for (auto& one : all) one = listed<X>::get(from, where);
    return all;
  }
};

/// The initial carry of a loop as a tuple: of one value, or of those in a tuple or pair.
template <class X>
auto carried(const X& x) {
  return std::tuple<X>(x);
}
template <class... X>
auto carried(const std::tuple<X...>& x) {
  return x;
}
template <class A, class B>
auto carried(const std::pair<A, B>& x) {
  return x;
}

template <class Tuple>
std::vector<any_array> list_of(const Tuple& x, location where) {
  std::vector<any_array> all(listed<Tuple>::count);
  any_array* to = all.data();
  listed<Tuple>::put(x, to, where);
  return all;
}

/// The result of a loop: an array, or a tuple of several.
template <class Tuple>
auto unlisted(std::vector<any_array> all, location where) {
  any_array* from = all.data();
  auto x = listed<Tuple>::get(from, where);
  if constexpr (std::tuple_size_v<decltype(x)> == 1) {
    return std::get<0>(std::move(x));
  } else {
    return x;
  }
}

/// A call of f with First... and then the elements of a tuple or pair as arguments.
template <class F, class Tuple, class First, class Last>
struct spread_call;
template <class F, class Tuple, class... First, class... Last>
struct spread_call<F, Tuple, std::tuple<First...>, std::tuple<Last...>> {
  template <std::size_t... I>
  static constexpr bool possible(std::index_sequence<I...>) {
    return std::is_invocable_v<F&, First..., std::tuple_element_t<I, Tuple>&..., Last...>;
  }
  static constexpr bool fits = possible(std::make_index_sequence<std::tuple_size_v<Tuple>>());
};

/// Whether f takes the round's number as an int but not as the array that it is.
template <class F, class... Carry>
constexpr bool counts_by_number() {
  if constexpr (std::is_invocable_v<F&, sinter::array<std::int64_t>, Carry&...>) return false;
  else return std::is_invocable_v<F&, int, Carry&...>;
}

/// Whether f takes First... and a whole tuple, not its elements. A generic function is tested only
/// with as many arguments as it has parameters, because the test instantiates its body.
template <class F, class Tuple, class... First>
constexpr bool takes_whole() {
  if constexpr (spread_call<F, Tuple, std::tuple<First...>, std::tuple<>>::fits) return false;
  else return std::is_invocable_v<F&, First..., Tuple&>;
}

/// Calls f(first..., carry...), or f(first..., carries) if f takes the whole tuple.
template <class F, class Carries, class... First>
auto call_with(F& f, Carries& carries, const First&... first) {
  if constexpr (takes_whole<F, Carries, const First&...>()) {
    return f(first..., carries);
  } else {
    const auto call = [&](auto&... carry) {
      if constexpr (sizeof...(First) > 0) {
        static_assert(!counts_by_number<F, decltype(carry)...>(),
                      "the number of a round is an array, as a body is traced once for all "
                      "rounds: take `auto i`, not `int i`");
      }
      return f(first..., carry...);
    };
    return std::apply(call, carries);
  }
}

/// f(carry...) or f(i, carry...) as a function over arrays with `Outputs` results.
template <class F, class Tuple, bool Counted, std::size_t Outputs>
array_function function_of(F& f, bool counts = false) {
  return {[](void* p, any_array* in, any_array* out, location where) {
            F& g = *static_cast<F*>(p);
            any_array* from = in + (Counted ? 1 : 0);
            auto carries = listed<Tuple>::get(from, where);
            const auto r = [&] {
              if constexpr (Counted) {
                return call_with(g, carries, sinter::array<std::int64_t>(*in, where));
              } else {
                return call_with(g, carries);
              }
            }();
            using R = listed<std::remove_cvref_t<decltype(r)>>;
            static_assert(R::count == Outputs,
                          "a body returns as many arrays as are carried, a condition one");
            R::put(r, out, where);
          },
          &f, counts ? Outputs : 0};
}

}  // namespace sinter::detail
