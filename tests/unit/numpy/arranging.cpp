// NumPy's results for joins, creation and alternative names, as written by
// tests/numpy/arranging.py: one row per function.

#include <sinter/sinter.hpp>

#include "tests/catch.hpp"
#include "tests/support/numpy_compare.hpp"

namespace arranging_test {

namespace sn = sinter;
namespace detail = sinter::detail;
using namespace sinter::test;
using sn::any_array;

namespace {

using line = oracle_line;
using table = oracle_table;

template <class A> std::vector<A> same_type(const arrays& x) {
  std::vector<A> list;
  for (const any_array& a : x) list.emplace_back(a);
  return list;
}
template <class F> oracle_call of_pieces(const F& f) {
  return [f](const arrays& x, const line& l) {
    return typed(x[0], [&](const auto& a) -> arrays {
      return {f(same_type<std::remove_cvref_t<decltype(a)>>(x), l)};
    });
  };
}
template <class F> oracle_call of_one(const F& f) {
  return [f](const arrays& x, const line& l) {
    return typed(x[0], [&](const auto& a) -> arrays { return {f(a, l)}; });
  };
}

sn::concatenate_options joined_along(const line& l) {
  if (!l.options.count("axis")) return {.axis = std::nullopt};
  return {.axis = l.number("axis", 0)};
}

sn::pad_mode mode_of(const line& l) {
  const char* names[] = {"constant", "edge", "reflect", "symmetric", "wrap"};
  const auto* at = std::ranges::find(names, l.text("mode"));
  return static_cast<sn::pad_mode>(at - names);
}
std::vector<sn::pad_width> widths_of(const line& l) {
  const auto w = integers_of(l.text("width"));
  std::vector<sn::pad_width> widths;
  for (std::size_t i = 0; i + 1 < w.size(); i += 2) widths.push_back({w[i], w[i + 1]});
  return widths;
}

template <class F> oracle_call split_by(const F& f) {
  return [f](const arrays& x, const line& l) {
    return typed(x[0], [&](const auto& a) { return untyped(f(a, l)); });
  };
}

const table joining = {
    {"concatenate",
     of_pieces([](const auto& x, auto& l) { return sn::concatenate(x, joined_along(l)); })},
    {"concat", of_pieces([](const auto& x, auto& l) { return sn::concat(x, joined_along(l)); })},
    {"append",
     of_pieces([](const auto& x, auto& l) { return sn::append(x[0], x[1], joined_along(l)); })},
    {"stack", of_pieces([](const auto& x, auto& l) { return sn::stack(x, l.number("axis", 0)); })},
    {"vstack", of_pieces([](const auto& x, auto&) { return sn::vstack(x); })},
    {"hstack", of_pieces([](const auto& x, auto&) { return sn::hstack(x); })},
    {"dstack", of_pieces([](const auto& x, auto&) { return sn::dstack(x); })},
    {"column_stack", of_pieces([](const auto& x, auto&) { return sn::column_stack(x); })},
    {"vsplit", split_by([](const auto& x, auto& l) { return sn::vsplit(x, l.number("n", 1)); })},
    {"hsplit", split_by([](const auto& x, auto& l) { return sn::hsplit(x, l.number("n", 1)); })},
    {"dsplit", split_by([](const auto& x, auto& l) { return sn::dsplit(x, l.number("n", 1)); })},
    {"vsplit:at", split_by([](const auto& x, auto&) { return sn::vsplit(x, {1, 3}); })},
    {"hsplit:at", split_by([](const auto& x, auto&) { return sn::hsplit(x, {1, 3}); })},
    {"dsplit:at", split_by([](const auto& x, auto&) { return sn::dsplit(x, {1, 3}); })},
    {"ravel", of_one([](const auto& x, auto&) { return sn::ravel(x); })},
    {"copy", of_one([](const auto& x, auto&) { return sn::copy(x); })},
    {"asarray", of_one([](const auto& x, auto&) { return sn::asarray(x); })},
    {"T", of_one([](const auto& x, auto&) { return x.T(); })},
    {"pad",
     of_one([](const auto& x, auto& l) { return sn::pad(x, widths_of(l), {.mode = mode_of(l)}); })},
    {"roll",
     of_one([](const auto& x, auto& l) {
       const bool all = !l.options.count("axis");
       return sn::roll(x, integers_of(l.text("shift")), all ? sn::axis_list() : axes_of(l));
     })},
};

/// An empty array of a dtype, from which f takes the type.
any_array like(const line& l) {
  return sn::astype(sn::zeros<float>({0}), type_named(l.text("dtype")));
}
template <class F> oracle_call of_type(const F& f) {
  return [f](const arrays&, const line& l) {
    return typed(like(l), [&](const auto& a) -> arrays {
      using T = typename std::remove_cvref_t<decltype(a)>::value_type;
      return {f.template operator()<T>(l)};
    });
  };
}
double number(const line& l, const std::string& key) {
  return std::stod(l.text(key));
}
sn::int_list shape_of(const line& l) {
  return integers_of(l.text("shape"));
}

template <class T>
inline constexpr bool counts = !std::same_as<T, bool> && !sn::is_complex(sn::dtype_of<T>);

const table creation = {
    {"arange", of_type([]<class T>(const line& l) -> any_array {
       if constexpr (counts<T>) {
         return sn::arange<T>(static_cast<T>(number(l, "start")), static_cast<T>(number(l, "stop")),
                              static_cast<T>(number(l, "step")));
       } else {
         return {};
       }
     })},
    {"linspace", of_type([]<class T>(const line& l) -> any_array {
       if constexpr (counts<T>) {
         return sn::linspace<T>(number(l, "start"), number(l, "stop"), l.number("count", 0),
                                {.endpoint = l.number("endpoint", 1) != 0});
       } else {
         return {};
       }
     })},
    {"zeros", of_type([]<class T>(const line& l) { return sn::zeros<T>(shape_of(l)); })},
    {"ones", of_type([]<class T>(const line& l) { return sn::ones<T>(shape_of(l)); })},
    {"empty", of_type([]<class T>(const line& l) { return sn::empty<T>(shape_of(l)); })},
    {"full", of_type([]<class T>(const line& l) { return sn::full(shape_of(l), T(3)); })},
    {"zeros_like", of_one([](const auto& x, auto&) { return sn::zeros_like(x); })},
    {"ones_like", of_one([](const auto& x, auto&) { return sn::ones_like(x); })},
    {"empty_like", of_one([](const auto& x, auto&) { return sn::empty_like(x); })},
    {"full_like", of_one([](const auto& x, auto&) { return sn::full_like(x, 3); })},
    {"eye", of_type([]<class T>(const line& l) {
       return sn::eye<T>(l.number("n", 0), l.number("m", 0), l.number("k", 0));
     })},
    {"identity", of_type([]<class T>(const line& l) { return sn::identity<T>(l.number("n", 0)); })},
    {"fromfunction",
     [](auto&, auto& l) -> arrays {
       const auto shape = integers_of(l.text("shape"));
       if (shape.size() == 1) return {sn::fromfunction([](auto i) { return i + 0; }, shape)};
       if (shape.size() == 2) {
         return {sn::fromfunction([](auto i, auto j) { return i + 10 * j; }, shape)};
       }
       return {sn::fromfunction([](auto i, auto j, auto k) { return i + 10 * j + 100 * k; },
                                shape)};
     }},
    {"broadcast_shapes",
     [](auto& x, auto&) -> arrays {
       std::vector<sn::int_list> shapes;
       for (const any_array& a : x) {
         shapes.emplace_back(a.shape());
       }
       return {sn::asarray(sn::broadcast_shapes(shapes))};
     }},
};

/// The types that a function supports; NumPy's script calls no others.
using predicate = bool (*)(sn::dtype);
constexpr predicate floats = sn::is_real;
constexpr bool real(sn::dtype t) {
  return !sn::is_complex(t);
}
constexpr bool numbers(sn::dtype t) {
  return !sn::is_bool(t);
}
constexpr bool whole(sn::dtype t) {
  return sn::is_integer(t) || sn::is_bool(t);
}
constexpr bool integers(sn::dtype t) {
  return sn::is_integer(t);
}
constexpr bool ordered(sn::dtype t) {
  return !sn::is_bool(t) && !sn::is_complex(t);
}
constexpr bool inexact(sn::dtype t) {
  return sn::is_inexact(t);
}

template <predicate Has, class F> oracle_call alias(const F& f) {
  return [f](const arrays& x, const line&) {
    return typed(x[0], [&](const auto& a) -> arrays {
      using A = std::remove_cvref_t<decltype(a)>;
      if constexpr (Has(sn::dtype_of<typename A::value_type>)) return {any_array(f(a).to_array())};
      else return {};
    });
  };
}
template <predicate Has, class F> oracle_call alias_of_two(const F& f) {
  return [f](const arrays& x, const line&) {
    return typed(x[0], [&](const auto& a) -> arrays {
      using A = std::remove_cvref_t<decltype(a)>;
      if constexpr (Has(sn::dtype_of<typename A::value_type>)) {
        return {any_array(f(a, A(x[1])).to_array())};
      } else {
        return {};
      }
    });
  };
}

const table aliases = {
    {"absolute", alias<numbers>(sn::absolute)},
    {"arccos", alias<floats>(sn::arccos)},
    {"arccosh", alias<floats>(sn::arccosh)},
    {"arcsin", alias<floats>(sn::arcsin)},
    {"arcsinh", alias<floats>(sn::arcsinh)},
    {"arctan", alias<floats>(sn::arctan)},
    {"arctan2", alias_of_two<floats>(sn::arctan2)},
    {"arctanh", alias<floats>(sn::arctanh)},
    {"bitwise_not", alias<whole>(sn::bitwise_not)},
    {"conjugate", alias<numbers>(sn::conjugate)},
    {"deg2rad", alias<floats>(sn::deg2rad)},
    {"expit", alias<floats>(sn::expit)},
    {"invert", alias<whole>(sn::invert)},
    {"left_shift", alias_of_two<integers>(sn::left_shift)},
    {"mod", alias_of_two<ordered>(sn::mod)},
    {"power", alias_of_two<inexact>(sn::power)},
    {"rad2deg", alias<floats>(sn::rad2deg)},
    {"right_shift", alias_of_two<integers>(sn::right_shift)},
    {"fix", alias<floats>(sn::fix)},
    {"rint", alias<real>(sn::rint)},
    {"true_divide", alias_of_two<numbers>(sn::true_divide)},
    {"amax",
     of_one([](const auto& x, auto&) -> any_array {
       using T = typename std::remove_cvref_t<decltype(x)>::value_type;
       if constexpr (sn::is_complex(sn::dtype_of<T>)) return {};
       else return sn::amax(x);
     })},
    {"amin",
     of_one([](const auto& x, auto&) -> any_array {
       using T = typename std::remove_cvref_t<decltype(x)>::value_type;
       if constexpr (sn::is_complex(sn::dtype_of<T>)) return {};
       else return sn::amin(x);
     })},
};

}  // namespace

TEST_CASE("arrays beside one another are NumPy's") {
  compare_calls("arranging.py", "joining", true, 500, joining);
}
TEST_CASE("arrays made of nothing are NumPy's") {
  compare_calls("arranging.py", "creation", false, 700, creation);
}
TEST_CASE("arrays of every type as every other are NumPy's") {
  const table rows = {
      {"astype",
       [](auto& x, auto& l) -> arrays { return {sn::astype(x[0], type_named(l.text("to")))}; }},
  };
  compare_calls("arranging.py", "casts", true, 250, rows);
}
TEST_CASE("other names for functions are NumPy's") {
  compare_calls("arranging.py", "aliases", false, 140, aliases);
}

}  // namespace arranging_test
