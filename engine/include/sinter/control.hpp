#pragma once
// Control flow over arrays, with JAX's names and meaning: fori_loop, while_loop, cond, scan.
//
// The given functions are traced: they are called once or twice on stand-ins that have a dtype and
// a shape but no value, to record their operations. They may capture arrays, whose values are kept,
// and call each other; reading a value inside one throws value_error. The carry keeps its dtypes
// and shapes; a change throws dtype_error or shape_error, which name both. Half types round once
// per round, where the body's result becomes an array again.
//
// A loop whose body is elementwise over arrays of one shape (and of rank 0) is one node: it is lazy
// and runs in one kernel, fused with its producers and consumers. The number of rounds is passed to
// the kernel and never compiled in. The results are computed once and together: reading one stores
// all that are still held. Nested loops of this kind, and `cond` inside them, are also one kernel,
// even with loops in the branches of the `cond` (except a scan that contains a loop or is inside
// one).
//
// Any other loop runs round by round when it is called. The first round records the body; later
// rounds replay it as one plan, as `fuse` does, and update the carry in place where possible.
// Bodies that draw unseeded random numbers, index with range checks or run such loops themselves
// are called in every round. In a function that `fuse` records, or in a round of such a loop, up to
// 64 rounds of few statements are recorded as statements of it.

#include <optional>

#include <sinter/carried.hpp>
#include <sinter/fuse.hpp>

namespace sinter {
namespace detail {

std::vector<any_array> fori_loop(const any_array& lo, const any_array& hi, array_function body,
                                 std::vector<any_array> first, location where);
std::vector<any_array> while_loop(array_function condition, array_function body,
                                  std::vector<any_array> first, location where);
std::vector<any_array> scan(array_function body, std::vector<any_array> first,
                            std::vector<any_array> xs, std::int64_t length, bool reverse,
                            location where);
/// The predicate of a cond with its source location: no location can follow the variadic operands.
struct predicate {
  any_array array;
  location where;
  template <class P>
    requires(expression<P> || scalar<P>)
  predicate(const P& p, location call = location::current()) : where(call) {
    any_array* to = &array;
    listed<P>::put(p, to, where);
  }
};

/// Active while a branch of a cond is recorded: where the branch is not chosen, its loops run no
/// rounds and its checks pass.
class [[nodiscard]] branch_scope {
 public:
  branch_scope(const any_array& pred, bool side, location where);
  ~branch_scope();
  branch_scope(const branch_scope&) = delete;

 private:
  any_array live_;
  const any_array* before_;
};
/// Selects the arrays of `yes` where pred is true; both branches have been recorded.
std::vector<any_array> cond(const any_array& pred, std::vector<any_array> yes,
                            std::vector<any_array> no, location where);

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

/// JAX's `fori_loop`: carry = body(i, carry...) for i = lo, ..., hi - 1, where i is an
/// array<int64_t> of rank 0. Returns the last carry. The carry is one array (or scalar), a
/// std::array (one parameter of body), or a std::tuple or std::pair, whose elements are separate
/// parameters of body (or one parameter, as in JAX). body returns as many values. lo and hi are
/// integers or integer arrays of rank 0 (else shape_error). The types of the carry are those of
/// `init`: `x + i` with float x is float64, so write `astype<float>(i)`. Throws value_error if body
/// reads a value; shape_error or dtype_error if it returns other shapes or dtypes than it takes. A
/// body that is elementwise over one shape gives one kernel, also if it reads elements of other
/// arrays (`x(i)`, `m(_, i)`, `next(k)`).
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

/// JAX's `while_loop`: carry = body(carry...) while condition(carry...), an array<bool>, holds.
/// Returns the last carry. A condition of rank 0 decides for all elements. A condition of the shape
/// of the carry lets each element run until its own condition fails and then keeps it (JAX: vmap of
/// the loop). If the body is not elementwise, the condition must have rank 0 (else shape_error),
/// and one value is read every round. Throws value_error if body or condition reads a value;
/// shape_error or dtype_error if body returns other shapes or dtypes than it takes, or for a
/// condition of another shape.
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

/// Only for the error message: several arrays are carried in a tuple.
template <class Lo, class Hi, class Body, class A, class B, class... More>
  requires(!std::same_as<B, location>)
void fori_loop(const Lo&, const Hi&, Body, const A&, const B&, const More&...) {
  static_assert(sizeof(A) == 0, "several are carried in a std::tuple: fori_loop(lo, hi, body, "
                                "std::tuple(x, y)), body(i, x, y)");
}
template <class Condition, class Body, class A, class B, class... More>
  requires(!std::same_as<B, location>)
void while_loop(Condition, Body, const A&, const B&, const More&...) {
  static_assert(sizeof(A) == 0, "several are carried in a std::tuple: while_loop(condition, body, "
                                "std::tuple(x, y)), body(x, y)");
}

struct scan_loop_options {
  std::optional<std::int64_t> length = {};  // the number of rounds, without xs
  bool reverse = false;                     // from the last slice to the first
};

namespace detail {

/// The return type of a scan's body: (carry, y).
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

/// Calls f(carry, x), or f(carry..., x) if f takes the elements of a tuple but not the tuple.
template <class F, class Carry, class X>
auto step_with(F& f, Carry carry, X x) {
  if constexpr (!std::is_invocable_v<F&, Carry, X> && requires { std::tuple_size<Carry>::value; }) {
    if constexpr (spread_call<F, Carry, std::tuple<>, std::tuple<X>>::fits) {
      return std::apply([&](auto&... one) { return f(one..., std::move(x)); }, carry);
    } else {
      return f(std::move(carry), std::move(x));
    }
  } else {
    return f(std::move(carry), std::move(x));
  }
}

template <class F, class Carry, class X>
using scanned_by = scanned<decltype(step_with(std::declval<F&>(),
                                              std::declval<typename listed<Carry>::type>(),
                                              std::declval<typename listed<X>::type>()))>;

/// f(carry, x) -> (carry, y) as a function over arrays.
template <class F, class Carry, class X>
array_function step_of(F& f) {
  using next = typename scanned_by<F, Carry, X>::next;
  using kept = typename scanned_by<F, Carry, X>::kept;
  static_assert(next::count == listed<Carry>::count, "a scan returns as much as it carries");
  return {[](void* p, any_array* in, any_array* out, location where) {
            auto carry = listed<Carry>::get(in, where);
            auto x = listed<X>::get(in, where);
            const auto r = step_with(*static_cast<F*>(p), std::move(carry), std::move(x));
            next::put(std::get<0>(r), out, where);
            kept::put(std::get<1>(r), out, where);
          },
          &f, kept::count};
}

}  // namespace detail

/// JAX's `scan`: (carry, y) = f(carry, x) for the slices x of xs along their first axis, or f(a, b,
/// x) for a carry (a, b) if f takes it so. Returns the last carry, and the y of all rounds stacked
/// along a new first axis. f returns a std::pair or std::tuple. carry, xs and y are arrays or
/// std::tuples, pairs or arrays of them; without xs (`std::tuple<>{}`) `.length` gives the number
/// of rounds. Throws shape_error if there is no length, or several. If f is elementwise over one
/// shape, to which slices may broadcast, the scan is one kernel with one thread per element of the
/// carry, which walks the first axis: xs is read once and ys is written once.
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

/// JAX's `cond`: returns on_true(operands...) if pred (a bool, or an array<bool> of rank 0) holds,
/// else on_false(operands...), which has the same dtypes and shapes. Both branches are recorded.
/// Branches of a few elementwise operations become one kernel that computes both and selects; so do
/// all elementwise branches inside a loop and all branches inside vmap (where the loops of an
/// unchosen branch run no rounds and its checks pass). Otherwise pred is read and only the chosen
/// branch is computed. Throws dtype_error and shape_error for another pred and for branches that
/// differ. `cond(sum(x) > 0, [](auto x) { return matmul(x, x); }, [](auto x) { return x; }, x)`
template <class True, class False, class... X>
auto cond(const detail::predicate& pred, True on_true, False on_false, const X&... operands) {
  const location where = pred.where;
  const auto branch = [&](auto& f, bool side) {
    const detail::branch_scope scope(pred.array, side, where);
    return f(typename detail::listed<X>::type(operands)...);
  };
  const auto yes = branch(on_true, true);
  const auto no = branch(on_false, false);
  using one = detail::listed<std::remove_cvref_t<decltype(yes)>>;
  static_assert(one::count == detail::listed<std::remove_cvref_t<decltype(no)>>::count,
                "both branches return as many arrays");
  auto all =
      detail::cond(pred.array, detail::list_of(yes, where), detail::list_of(no, where), where);
  any_array* from = all.data();
  return one::get(from, where);
}

}  // namespace sinter
