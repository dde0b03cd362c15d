// NumPy's results for tools beyond its core that programs use, as written by tests/numpy/tools.py:
// one row per function.

#include <sinter/sinter.hpp>

#include "tests/catch.hpp"
#include "tests/support/numpy_compare.hpp"

namespace numpy_tools_test {

namespace sn = sinter;
namespace detail = sinter::detail;
using namespace sinter::test;
using sn::any_array;

namespace {

using line = oracle_line;
using table = oracle_table;

template <class Options>
Options along(const line& l) {
  Options o;
  if (l.options.count("axis")) o.axis = l.number("axis", 0);
  return o;
}
sn::triangle_options triangle(const line& l) {
  return {l.number("k", 0), l.number("m", 0)};
}

arrays pair_of(const std::array<sn::array<std::int64_t>, 2>& x) {
  return {x[0], x[1]};
}

const table editing = {
    {"delete_",
     [](auto& x, auto& l) -> arrays {
       const std::string at = l.text("at");
       const sn::int_list indices = at == "none" ? sn::int_list{} : integers_of(at);
       return {sn::delete_(x[0], indices, along<sn::edit_options>(l))};
     }},
    {"delete_:slice",
     [](auto& x, auto& l) -> arrays {
       const auto s = integers_of(l.text("slice"));
       return {sn::delete_(x[0], sn::slice(s[0], s[1], s[2]), along<sn::edit_options>(l))};
     }},
    {"insert:several",
     [](auto& x, auto& l) -> arrays {
       return {sn::insert(x[0], sn::int_list(integers_of(l.text("at"))), x[1],
                          along<sn::edit_options>(l))};
     }},
    {"insert",
     [](auto& x, auto& l) -> arrays {
       return {sn::insert(x[0], l.number("at", 0), x[1], along<sn::edit_options>(l))};
     }},
    {"resize",
     [](auto& x, auto& l) -> arrays {
       const std::string to = l.text("shape");
       return {sn::resize(x[0], to == "none" ? sn::int_list{} : integers_of(to))};
     }},
};

sn::bit_order order_of(const line& l) {
  return l.text("order") == "big" ? sn::bit_order::big : sn::bit_order::little;
}

const table bits = {
    {"packbits",
     [](auto& x, auto& l) -> arrays {
       auto o = along<sn::packbits_options>(l);
       o.bitorder = order_of(l);
       return {sn::packbits(x[0], o)};
     }},
    {"unpackbits",
     [](auto& x, auto& l) -> arrays {
       auto o = along<sn::unpackbits_options>(l);
       if (l.options.count("count")) o.count = l.number("count", 0);
       o.bitorder = order_of(l);
       return {sn::unpackbits(x[0], o)};
     }},
    {"bitwise_count",
     [](auto& x, auto&) -> arrays {
       return sn::visit(x[0], [](const auto& a) -> arrays {
         using T = typename std::remove_cvref_t<decltype(a)>::value_type;
         if constexpr (std::integral<T>) return {sn::any_array(sn::bitwise_count(a).to_array())};
         else return {};
       });
     }},
    {"frexp",
     [](auto& x, auto&) -> arrays {
       auto [fraction, exponent] = sn::frexp(x[0]);
       return {fraction, exponent};
     }},
};

/// f of an array of real numbers, typed by its dtype.
template <class F> arrays of_real(const any_array& x, const F& f) {
  return sn::visit(x, [&](const auto& a) -> arrays {
    using T = typename std::remove_cvref_t<decltype(a)>::value_type;
    if constexpr (sn::is_complex(sn::dtype_of<T>) || std::same_as<T, bool>) return {};
    else return f(a);
  });
}
/// f of two arrays, for the pairs of types that the driver writes.
template <class F> arrays of_pair(const arrays& x, const F& f) {
  const auto as = [&]<class A, class B>() -> arrays {
    return {f(sn::array<A>(x[0]), sn::array<B>(x[1]))};
  };
  switch (x[0].dtype()) {
    case sn::dtype::int32: return as.template operator()<int, std::int8_t>();
    case sn::dtype::float32: return as.template operator()<float, sn::float16>();
    case sn::dtype::complex64: return as.template operator()<std::complex<float>, float>();
    default: return as.template operator()<bool, std::int64_t>();
  }
}
/// f of a matrix and a diagonal's number.
template <class F> oracle_call of_diagonal(const F& f) {
  return [f](const arrays& x, const line& l) -> arrays {
    return {f(sn::array<float>(x[0]), l.number("k", 0))};
  };
}

const table pieces = {
    {"piecewise",
     [](auto& x, auto&) {
       return of_real(x[0], [](const auto& a) -> arrays {
         return {sn::piecewise(a, {a < 0, a >= 0}, {-1, 1})};
       });
     }},
    {"piecewise:default",
     [](auto& x, auto&) {
       return of_real(x[0], [](const auto& a) -> arrays {
         return {sn::piecewise(a, {a < -1, a > 1, a > 2},
                               {[](auto v) { return v * v; }, 3, [](auto v) { return -v; }, 7})};
       });
     }},
    {"float_power",
     [](auto& x, auto&) {
       return of_pair(x, [](const auto& a, const auto& b) { return sn::float_power(a, b); });
     }},
    {"float_power:number",
     [](auto& x, auto&) {
       return of_pair(x, [](const auto& a, const auto&) { return sn::float_power(2, a); });
     }},
    {"sort_complex",
     [](auto& x, auto&) -> arrays {
       return sn::visit(x[0], [](const auto& a) -> arrays { return {sn::sort_complex(a)}; });
     }},
    {"divmod:number",
     [](auto& x, auto&) {
       return of_real(x[0], [](const auto& a) -> arrays {
         const auto [quotient, rest] = sn::divmod(a, 3);
         return {quotient, rest};
       });
     }},
    {"heaviside:number",
     [](auto& x, auto&) {
       return of_real(x[0], [](const auto& a) -> arrays { return {sn::heaviside(a, 0.5)}; });
     }},
    {"tril:k", of_diagonal([](const auto& a, auto k) { return sn::tril(a, k); })},
    {"triu:k", of_diagonal([](const auto& a, auto k) { return sn::triu(a, k); })},
    {"diag:k", of_diagonal([](const auto& a, auto k) { return sn::diag(a, k); })},
    {"diagonal:k", of_diagonal([](const auto& a, auto k) { return sn::diagonal(a, k); })},
    {"diagflat:k", of_diagonal([](const auto& a, auto k) { return sn::diagflat(a, k); })},
    {"trace:k", of_diagonal([](const auto& a, auto k) { return sn::trace(a, k); })},
};

const table places = {
    {"tril_indices",
     [](auto&, auto& l) { return pair_of(sn::tril_indices(l.number("n", 0), triangle(l))); }},
    {"triu_indices",
     [](auto&, auto& l) { return pair_of(sn::triu_indices(l.number("n", 0), triangle(l))); }},
    {"flatnonzero",
     [](auto& x, auto&) -> arrays {
       return {sn::visit(x[0], [](auto a) { return sn::flatnonzero(a); })};
     }},
    {"where:one",
     [](auto& x, auto&) { return sn::visit(x[0], [](auto a) { return untyped(sn::where(a)); }); }},
    {"ix_", [](auto& x, auto&) { return detail::open_mesh(x, {}); }},
};

const table curves = {
    {"interp",
     [](auto& x, auto& l) -> arrays {
       sn::interp_options o;
       if (l.options.count("left")) o = {l.real("left", 0), l.real("right", 0)};
       return {sn::interp(x[0], x[1], x[2], o)};
     }},
    {"polyfit",
     [](auto& x, auto& l) -> arrays { return {sn::polyfit(x[0], x[1], l.number("degree", 0))}; }},
    {"roots", [](auto& x, auto&) -> arrays { return {sn::sort(sn::roots(x[0]))}; }},
    {"unwrap",
     [](auto& x, auto& l) -> arrays {
       sn::unwrap_options o{{}, l.number("axis", -1), l.real("period", 2 * sn::pi)};
       if (l.options.count("discont")) o.discont = l.real("discont", 0);
       return {sn::unwrap(x[0], o)};
     }},
};

int decimals(const line& l) {
  return static_cast<int>(l.number("decimals", 0));
}

const table numbers = {
    {"gcd", [](auto& x, auto&) -> arrays { return {detail::gcd(x[0], x[1], {})}; }},
    {"lcm", [](auto& x, auto&) -> arrays { return {detail::lcm(x[0], x[1], {})}; }},
    {"around",
     [](auto& x, auto& l) -> arrays {
       return {sn::visit(x[0], [&](auto a) -> any_array { return sn::around(a, decimals(l)); })};
     }},
    {"round:to",
     [](auto& x, auto& l) -> arrays { return {detail::round_to(x[0], decimals(l), {})}; }},
    {"i0", [](auto& x, auto&) -> arrays { return {sn::i0(sn::array<double>(x[0]))}; }},
    {"kaiser",
     [](auto&, auto& l) -> arrays {
       return {detail::kaiser(type_named(l.text("dtype")), l.number("count", 0),
                              l.real("beta", 0), {})};
     }},
    {"angle:degrees",
     [](auto& x, auto&) -> arrays {
       return {sn::angle(sn::array<std::complex<double>>(x[0]), {.deg = true})};
     }},
};

const table halves = {
    {"nextafter:halves",
     [](auto& x, auto&) -> arrays {
       using half = sn::array<sn::float16>;
       return {sn::nextafter(half(x[0]), half(x[1])).to_array()};
     }},
};

const table tensors = {
    {"linalg.tensorsolve",
     [](auto& x, auto&) -> arrays {
       using doubles = sn::array<double>;
       return {sn::linalg::tensorsolve(doubles(x[0]), doubles(x[1]))};
     }},
    {"linalg.tensorinv",
     [](auto& x, auto& l) -> arrays {
       return {sn::linalg::tensorinv(sn::array<double>(x[0]), l.number("ind", 2))};
     }},
    {"linalg.diagonal",
     [](auto& x, auto& l) -> arrays {
       return {sn::linalg::diagonal(sn::array<float>(x[0]), {.offset = l.number("k", 0)})};
     }},
};

/// f of a tuple of two arrays of different types, the second wrapped in an expression.
template <class F>
arrays of_tuple(const arrays& x, const F& f) {
  const sn::array<float> a(x[0]);
  const auto with = [&](const auto& b) -> arrays { return {f(std::tuple(a, b + 1))}; };
  return x[1].dtype() == sn::dtype::int32 ? with(sn::array<int>(x[1]))
                                          : with(sn::array<std::complex<float>>(x[1]));
}

const table joins = {
    {"concatenate:tuple",
     [](auto& x, auto&) { return of_tuple(x, [](auto t) { return sn::concatenate(t); }); }},
    {"stack:tuple",
     [](auto& x, auto&) { return of_tuple(x, [](auto t) { return sn::stack(t); }); }},
    {"vstack:tuple",
     [](auto& x, auto&) { return of_tuple(x, [](auto t) { return sn::vstack(t); }); }},
    {"hstack:tuple",
     [](auto& x, auto&) { return of_tuple(x, [](auto t) { return sn::hstack(t); }); }},
    {"dstack:tuple",
     [](auto& x, auto&) { return of_tuple(x, [](auto t) { return sn::dstack(t); }); }},
    {"column_stack:tuple",
     [](auto& x, auto&) { return of_tuple(x, [](auto t) { return sn::column_stack(t); }); }},
};

}  // namespace

TEST_CASE("edited arrays are NumPy's") { compare_calls("tools.py", "editing", true, 600, editing); }
TEST_CASE("numbers taken apart are NumPy's") { compare_calls("tools.py", "bits", true, 90, bits); }
TEST_CASE("functions in pieces, and numbers in place of arrays, are NumPy's") {
  compare_calls("tools.py", "pieces", false, 35, pieces);
}
TEST_CASE("lists of places are NumPy's") { compare_calls("tools.py", "places", true, 40, places); }
TEST_CASE("curves through points are NumPy's") {
  compare_calls("tools.py", "curves", false, 40, curves);
}
TEST_CASE("divisors, decimals and windows are NumPy's") {
  compare_calls("tools.py", "numbers", false, 80, numbers);
}
TEST_CASE("the half after each half is NumPy's") {
  compare_calls("tools.py", "halves", true, 8, halves);
}
TEST_CASE("equations between tensors are NumPy's") {
  compare_calls("tools.py", "tensors", false, 7, tensors);
}
TEST_CASE("what a tuple lists meets in NumPy's type") {
  compare_calls("tools.py", "joins", true, 12, joins);
}

}  // namespace numpy_tools_test
