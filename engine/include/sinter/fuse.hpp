#pragma once
// Functions that are traced once and then replayed: `auto step = sn::fuse(f); x = step(x, y);`

#include <memory>
#include <span>
#include <tuple>

#include <sinter/session.hpp>

namespace sinter {

struct fuse_options {
  /// Also runs the function at every call, and throws value_error if it then records something
  /// other than the replayed trace. This finds captured values that have changed.
  bool check = false;
};

namespace detail {

class fused_traces;
std::shared_ptr<fused_traces> make_traces(const fuse_options& options);

struct typed_word {
  scalar_word value;
  sinter::dtype type = sinter::dtype::bool_;
};

/// One call. Its signature is the arrays' dtypes, shapes and devices, and the scalars' values.
class fused_call {
 public:
  fused_call(fused_traces&, std::span<any_array> arrays, std::span<const typed_word> scalars,
             location where);
  ~fused_call();
  fused_call(const fused_call&) = delete;

  /// Computes the results from a trace. Returns false if there is none; the caller then calls the
  /// function on the arrays as they now are, and passes its results to `finish`.
  bool replay(std::span<any_array> results);
  void finish(std::span<any_array> results);

 private:
  struct state;
  std::unique_ptr<state> state_;
};

template <class T> typed_word word_of(const T& value) {
  static_assert(scalar<T>, "arguments of a fused function are arrays and scalars");
  typed_word w{{}, dtype_of<T>};
  std::memcpy(w.value.bits, &value, sizeof value);
  return w;
}

/// Converts a result to arrays and back; both directions advance the list by its number of arrays.
template <class R> struct fused_result {
  static_assert(expression<R>,
                "a fused function returns an array, an expression, or a std::tuple or std::pair of "
                "them; what is joined in braces has no type yet: stack<float>({a, b})");
  using type = R;
  static constexpr std::size_t count = 1;
  static void list(R&&, any_array*&, location) {}
  static type make(any_array*&, location);
};

template <expression R> struct fused_result<R> {
  using type = sinter::array<typename R::value_type>;
  static constexpr std::size_t count = 1;
  static void list(R&& r, any_array*& to, location where) {
    *to++ = std::move(r).to_array(where);
  }
  static type make(any_array*& from, location where) { return type(std::move(*from++), where); }
};

/// One of several results. A result that is a reference is copied, because others may use its
/// target.
template <class R> struct fused_part : fused_result<std::remove_cvref_t<R>> {
  using value = std::remove_cvref_t<R>;
  static void list(auto& part, any_array*& to, location where) {
    fused_result<value>::list(value(static_cast<R&&>(part)), to, where);
  }
};

template <class... R> struct fused_result<std::tuple<R...>> {
  using type = std::tuple<typename fused_part<R>::type...>;
  static constexpr std::size_t count = (fused_part<R>::count + ... + 0);
  static void list(std::tuple<R...>&& r, any_array*& to, location where) {
    std::apply([&](auto&... x) { (fused_part<R>::list(x, to, where), ...); }, r);
  }
  static type make(any_array*& from, location where) {
    return type{fused_part<R>::make(from, where)...};
  }
};

template <class A, class B> struct fused_result<std::pair<A, B>> {
  using type = std::pair<typename fused_part<A>::type, typename fused_part<B>::type>;
  static constexpr std::size_t count = fused_part<A>::count + fused_part<B>::count;
  static void list(std::pair<A, B>&& r, any_array*& to, location where) {
    fused_part<A>::list(r.first, to, where);
    fused_part<B>::list(r.second, to, where);
  }
  static type make(any_array*& from, location where) {
    return type{fused_part<A>::make(from, where), fused_part<B>::make(from, where)};
  }
};

/// The argument that f receives: array<T> for an array, an unchanged scalar for a scalar.
template <class X> decltype(auto) fused_argument(X& x, any_array*& arrays, location where) {
  using V = std::remove_cvref_t<X>;
  if constexpr (expression<V>) {
    return sinter::array<typename V::value_type>(*arrays++, where);
  } else {
    return V(x);
  }
}

}  // namespace detail

/// The return type of `fuse`.
template <class F> class fused {
 public:
  explicit fused(F f, const fuse_options& options = {}, location where = location::current())
      : f_(std::move(f)), traces_(detail::make_traces(options)), where_(where) {}

  /// Takes arrays (or expressions) and C++ scalars. Throws what f throws, memory_error and
  /// device_error; the library's own errors name the location of the `fuse` call.
  template <class... A> auto operator()(A&&... a) const {
    constexpr std::size_t arrays = (std::size_t{detail::expression<A>} + ... + 0);
    any_array list[arrays + 1];
    detail::typed_word words[sizeof...(A) - arrays + 1];
    any_array* next = list;
    detail::typed_word* word = words;
    (put(std::forward<A>(a), next, word), ...);
    detail::fused_call one(*traces_, {list, arrays}, {words, sizeof...(A) - arrays}, where_);
    using R = std::remove_cvref_t<decltype(run(list, a...))>;
    using result = detail::fused_result<R>;
    any_array results[result::count];
    any_array *to = results, *from = results;
    if (!one.replay(results)) {
      result::list(run(list, a...), to, where_);
      one.finish(results);
    }
    return result::make(from, where_);
  }

 private:
  template <class X> void put(X&& x, any_array*& arrays, detail::typed_word*& words) const {
    if constexpr (std::derived_from<std::remove_cvref_t<X>, any_array>) {
      *arrays++ = std::forward<X>(x);
    } else if constexpr (detail::expression<X>) {
      *arrays++ = x.to_array(where_);
    } else {
      *words++ = detail::word_of(x);
    }
  }
  /// Braces evaluate in the order of the arguments, which a function call does not guarantee.
  template <class... A> auto run(any_array* next, A&... a) const {
    std::tuple values{detail::fused_argument(a, next, where_)...};
    return std::apply(f_, std::move(values));
  }

  F f_;
  std::shared_ptr<detail::fused_traces> traces_;
  location where_;
};

/// Returns f as a function that is traced at the first call with a signature and replayed after
/// that. A replay records nothing and does no structural lookup: it launches a single kernel
/// directly, and several as a CUDA graph. f takes arrays and C++ scalars and returns an array, an
/// expression, or a std::tuple or std::pair of them.
///
/// The signature is the dtypes and shapes of the array arguments and the values of the scalar
/// arguments, because f may branch on any of these. A new signature costs one recording of f and
/// usually neither a plan nor a compilation. Pass a value that changes at every call as an array of
/// rank 0. Captured arrays and scalars keep the value they had when f was traced (`{.check = true}`
/// finds those that change). An f that reads a value or draws unseeded random numbers is called
/// every time. Arguments that are moved in may be updated in place. Throws nothing; calls throw
/// what f throws, and value_error if `.check` finds another recording.
/// `auto step = fuse([](auto x, auto y) { return x + 0.1f * y; });`
template <class F>
fused<std::decay_t<F>> fuse(F&& f, const fuse_options& options = {},
                            location where = location::current()) {
  return fused<std::decay_t<F>>(std::forward<F>(f), options, where);
}

}  // namespace sinter
