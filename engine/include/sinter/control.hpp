#pragma once
// Control flow over arrays, with JAX's names and meaning: fori_loop, while_loop, cond, scan.
//
// The functions given are traced: called once or twice on stand-ins that have a dtype and a shape
// and no value, to record what they do. They may capture arrays, whose values they keep, and call
// each other; reading a value inside one throws value_error. What is carried keeps its dtypes and
// shapes: dtype_error and shape_error name both otherwise. Half types round once a round, where
// the body's result becomes an array again.
//
// A loop whose body is elementwise over arrays of one shape (and of rank 0) is one node: it is
// lazy, and runs in one kernel, fused with what comes before and after it. How many rounds there
// are is passed to that kernel, never baked. Its results are computed once, whoever reads them, and
// together: those that are still held are stored when one is read. Such loops inside one another,
// and `cond` in them, are one kernel too, also with loops in its branches (a scan with a loop
// inside, or inside a loop, is not).
//
// Any other loop runs round by round when it is called: the body is recorded in the first round and
// replayed as one plan after that, as `fuse` does, and what is carried is updated in place where it
// can be. Bodies that draw unseeded random numbers, pick by checked indices or run such loops
// themselves are called every round. In a function that `fuse` records, or in the round of such a
// loop, up to 64 rounds of few statements are recorded as statements of it.

#include <array>
#include <optional>

#include <sinter/arguments.hpp>
#include <sinter/fuse.hpp>
#include <sinter/operators.hpp>

namespace sinter {
namespace detail {

/// A function over arrays by pointer. `in` and `out` are as long as the loop says.
struct array_function {
  void (*call)(void* f, any_array* in, any_array* out, location where);
  void* f;
  std::size_t outputs;  // beside what is carried: of the body of a scan
};

std::vector<any_array> fori_loop(const any_array& lo, const any_array& hi, array_function body,
                                 std::vector<any_array> first, location where);
std::vector<any_array> while_loop(array_function condition, array_function body,
                                  std::vector<any_array> first, location where);
std::vector<any_array> scan(array_function body, std::vector<any_array> first,
                            std::vector<any_array> xs, std::int64_t length, bool reverse,
                            location where);
/// While it lives, a branch of a cond is recorded: where it is not chosen its loops have no rounds
/// and its checks find nothing wrong.
class [[nodiscard]] branch_scope {
 public:
  branch_scope(const any_array& pred, bool side, location where);
  ~branch_scope();
  branch_scope(const branch_scope&) = delete;

 private:
  any_array live_;
  const any_array* before_;
};
/// True: the arrays of `yes`; both have been recorded.
std::vector<any_array> cond(const any_array& pred, std::vector<any_array> yes,
                            std::vector<any_array> no, location where);

/// Arrays, expressions and scalars, alone or in tuples, as lists of arrays and back.
template <class X>
struct listed {
  static_assert(expression<X>,
                "loops, cond and vmap take and give arrays, expressions and scalars, and a "
                "std::tuple, std::pair or std::array of them");
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

/// What a loop was given to carry: one value, or several in a tuple or pair.
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

/// Would f take the number of a round as an int, and does it not take the array that it is?
template <class F, class... Carry>
constexpr bool counts_by_number() {
  if constexpr (std::is_invocable_v<F&, sinter::array<std::int64_t>, Carry&...>) return false;
  else return std::is_invocable_v<F&, int, Carry&...>;
}

/// f(carry...) or f(i, carry...) as a function over arrays, which gives `Outputs` of them.
template <class F, class Tuple, bool Counted, std::size_t Outputs>
array_function function_of(F& f, bool counts = false) {
  return {[](void* p, any_array* in, any_array* out, location where) {
            F& g = *static_cast<F*>(p);
            const auto call = [&](auto&&... carry) {
              if constexpr (Counted) {
                static_assert(!counts_by_number<F, decltype(carry)...>(),
                              "the number of a round is an array, as a body is traced once for "
                              "all rounds: take `auto i`, not `int i`");
                return g(sinter::array<std::int64_t>(*in, where), carry...);
              } else {
                return g(carry...);
              }
            };
            any_array* from = in + (Counted ? 1 : 0);
            auto carries = listed<Tuple>::get(from, where);
            const auto r = std::apply(call, std::move(carries));
            using R = listed<std::remove_cvref_t<decltype(r)>>;
            static_assert(R::count == Outputs,
                          "a body returns as many arrays as are carried, a condition one");
            R::put(r, out, where);
          },
          &f, counts ? Outputs : 0};
}

template <class N>
any_array bound_of(const N& n, location where) {
  if constexpr (std::integral<N>) {
    return from_scalar(scalar_of<dtype::int64>(n), dtype::int64, where);
  } else {
    static_assert(is_integer(dtype_of<typename N::value_type>), "rounds are counted by integers");
    return detail::astype(n.to_array(where), dtype::int64, where);
  }
}

}  // namespace detail

/// JAX's `fori_loop`: carry = body(i, carry...) for i = lo, ..., hi - 1; i is an array<int64_t> of
/// rank 0. What is carried is one array (or scalar) or several: a std::tuple or std::pair, each of
/// which is a parameter of body, or a std::array, which is one; body returns as many. lo and hi are
/// integers or integer arrays of rank 0 (shape_error). The loop's own types are those of `init`:
/// `x + i` of floats is float64, so say `astype<float>(i)`.
/// Throws value_error for a body that reads a value; shape_error, dtype_error for one that gives
/// others than it takes. Elementwise over one shape it is one kernel, also where it picks elements
/// of other arrays (`x(i)`, `m(_, i)`, `next(k)`).
/// `fori_loop(0, 1000, [&](auto i, auto x) { return r * x * (1 - x); }, x0)`
template <class Lo, class Hi, class Body, class Init>
auto fori_loop(const Lo& lo, const Hi& hi, Body body, const Init& init,
               location where = location::current()) {
  using carry = decltype(detail::carried(init));
  return detail::unlisted<carry>(
      detail::fori_loop(detail::bound_of(lo, where), detail::bound_of(hi, where),
                        detail::function_of<Body, carry, true, detail::listed<carry>::count>(body),
                        detail::list_of(detail::carried(init), where), where),
      where);
}

/// JAX's `while_loop`: carry = body(carry...) while condition(carry...), an array<bool>, holds. Of
/// rank 0 it decides for all; of the shape of what is carried each element runs until its own
/// condition fails, and then stays as it is (JAX: vmap of the loop). Where the body is not
/// elementwise the condition has rank 0 (shape_error), and one value is read every round. Throws
/// value_error for a body or condition that reads a value; shape_error, dtype_error for a body that
/// gives others than it takes, or a condition of another shape.
/// `while_loop([](auto x) { return abs(x * x - 2) > 1e-6f; },
///             [](auto x) { return (x + 2 / x) / 2; }, x0)`
template <class Condition, class Body, class Init>
auto while_loop(Condition condition, Body body, const Init& init,
                location where = location::current()) {
  using carry = decltype(detail::carried(init));
  constexpr std::size_t count = detail::listed<carry>::count;
  return detail::unlisted<carry>(
      detail::while_loop(detail::function_of<Condition, carry, false, 1>(condition),
                         detail::function_of<Body, carry, false, count>(body),
                         detail::list_of(detail::carried(init), where), where),
      where);
}

struct scan_loop_options {
  std::optional<std::int64_t> length = {};  // rounds, where there is nothing to read
  bool reverse = false;                     // from the last slice to the first
};

namespace detail {

/// What a scan's body returns: (carry, y).
template <class R>
struct scanned {
  static constexpr bool known = false;
};
template <class Carry, class Y>
struct scanned<std::pair<Carry, Y>> {
  static constexpr bool known = true;
  using next = listed<std::remove_cvref_t<Carry>>;
  using kept = listed<std::remove_cvref_t<Y>>;
};
template <class Carry, class Y>
struct scanned<std::tuple<Carry, Y>> : scanned<std::pair<Carry, Y>> {};

template <class F, class Carry, class X>
using scanned_by = scanned<std::remove_cvref_t<decltype(std::declval<F&>()(
    std::declval<typename listed<Carry>::type>(), std::declval<typename listed<X>::type>()))>>;

/// f(carry, x) -> (carry, y) as a function over arrays.
template <class F, class Carry, class X>
array_function step_of(F& f) {
  using next = typename scanned_by<F, Carry, X>::next;
  using kept = typename scanned_by<F, Carry, X>::kept;
  static_assert(next::count == listed<Carry>::count, "a scan returns as much as it carries");
  return {[](void* p, any_array* in, any_array* out, location where) {
            auto carry = listed<Carry>::get(in, where);
            auto x = listed<X>::get(in, where);
            const auto r = (*static_cast<F*>(p))(std::move(carry), std::move(x));
            next::put(std::get<0>(r), out, where);
            kept::put(std::get<1>(r), out, where);
          },
          &f, kept::count};
}

}  // namespace detail

/// JAX's `scan`: (carry, y) = f(carry, x) for the slices x of xs along its first axis; the last
/// carry, and the y of all rounds stacked along a new first axis. f returns a std::pair or
/// std::tuple. carry, xs and y are arrays or std::tuples, pairs or arrays of them; without xs
/// (`std::tuple<>{}`) `.length` says how many rounds. Throws shape_error if there is no length, or
/// several. Where f is elementwise over one shape, to which slices may broadcast, it is one kernel
/// that walks the first axis, an element of the carry a thread; xs is read and ys written once.
/// `auto [last, all] = scan([](auto m, auto x) { return std::pair(0.9 * m + x, m); }, x0, xs)`
template <class F, class Init, class Xs>
auto scan(F f, const Init& init, const Xs& xs, const scan_loop_options& options = {},
          location where = location::current()) {
  using carry = detail::listed<Init>;
  using result = detail::scanned_by<F, Init, Xs>;
  static_assert(result::known,
                "the body of a scan returns std::pair(carry, y) or std::tuple(carry, y)");
  if constexpr (result::known) {
    auto all = detail::scan(detail::step_of<F, Init, Xs>(f), detail::list_of(init, where),
                            detail::list_of(xs, where), options.length.value_or(-1),
                            options.reverse, where);
    any_array* from = all.data();
    auto last = carry::get(from, where);
    return std::pair<typename carry::type, typename result::kept::type>(
        std::move(last), result::kept::get(from, where));
  }
}

/// JAX's `cond`: on_true(operands...) where pred (a bool, or an array<bool> of rank 0) holds, else
/// on_false(operands...), of the same dtypes and shapes. Both are recorded. Branches of a few
/// elementwise operations become one kernel that computes both and chooses, as all elementwise ones
/// do inside a loop and any inside vmap (where loops of a branch that is not chosen have no rounds,
/// and nothing is checked in it); of others only the one chosen is computed, for which pred is
/// read. Throws dtype_error and shape_error for another pred and for branches that differ.
/// `cond(sum(x) > 0, [](auto x) { return matmul(x, x); }, [](auto x) { return x; }, x)`
template <class P, class True, class False, class... X>
auto cond(const P& pred, True on_true, False on_false, const X&... operands) {
  const location where = location::current();
  any_array p;
  any_array* to = &p;
  detail::listed<P>::put(pred, to, where);
  const auto branch = [&](auto& f, bool side) {
    const detail::branch_scope scope(p, side, where);
    return f(typename detail::listed<X>::type(operands)...);
  };
  const auto yes = branch(on_true, true);
  const auto no = branch(on_false, false);
  using one = detail::listed<std::remove_cvref_t<decltype(yes)>>;
  static_assert(one::count == detail::listed<std::remove_cvref_t<decltype(no)>>::count,
                "both branches return as many arrays");
  auto all = detail::cond(p, detail::list_of(yes, where), detail::list_of(no, where), where);
  any_array* from = all.data();
  return one::get(from, where);
}

}  // namespace sinter
