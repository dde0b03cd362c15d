// Arrays of unknown dtype, views of bits, and properties of types.

#include <cstdlib>
#include <set>
#include <sstream>

#include <sinter/sinter.hpp>

#include "tests/catch.hpp"
#include "tests/support/numpy_oracle.hpp"

namespace types_test {

namespace sn = sinter;
using namespace sinter::test;

namespace {

std::vector<sn::dtype> all_types() {
  std::vector<sn::dtype> list;
  for (int i = 0; i < sn::dtype_count; ++i) list.push_back(static_cast<sn::dtype>(i));
  return list;
}

sn::dtype type_named(const std::string& text) {
  for (sn::dtype t : all_types()) {
    if (sn::name(t) == text) return t;
  }
  throw std::runtime_error("no dtype " + text);
}

sn::any_array zeros_of(sn::dtype t, const sn::int_list& shape) {
  return sn::astype(sn::zeros<float>(shape), t);
}

std::string shape_text(const sn::any_array& x) {
  std::string text;
  for (auto e : x.shape()) text += (text.empty() ? "" : ",") + std::to_string(e);
  return text;
}

/// The error's text, without the location in this file.
template <class Call> std::string refusal(Call&& call) {
  try {
    call();
  } catch (const sn::error& e) {
    const std::string text = e.what();
    CHECK_THAT(text, says(" (types.cpp:"));
    return text.substr(0, text.rfind(" (types.cpp:"));
  }
  return "no error";
}

}  // namespace

TEST_CASE("visit gives the array of the type it has") {
  for (sn::dtype t : all_types()) {
    const sn::any_array x = zeros_of(t, {2, 3});
    int calls = 0;
    const std::int64_t size = sn::visit(x, [&](const auto& a) {
      using T = typename std::remove_cvref_t<decltype(a)>::value_type;
      ++calls;
      CHECK(sn::dtype_of<T> == t);
      CHECK(a.get() == x.get());  // a handle to the same node, nothing is copied
      return a.size();
    });
    CHECK(calls == 1);
    CHECK(size == 6);
  }
  CHECK_THROWS_AS(sn::visit(sn::any_array(), [](const auto& a) { return a.size(); }),
                  sn::value_error);
}

TEST_CASE("visit may change the type, and nothing needs to be returned") {
  const sn::any_array x = sn::arange(4);
  const sn::any_array y = sn::visit(x, [](const auto& a) -> sn::any_array {
    return (sn::astype<double>(a) / 2).to_array();
  });
  CHECK(sn::array<double>(y).to_host() == std::vector<double>{0, 0.5, 1, 1.5});
  std::string seen;
  sn::visit(y, [&](const auto& a) { seen = std::string(sn::name(a.dtype())); });
  CHECK(seen == "float64");
}

TEST_CASE("an array of one type is none of another, and the message says how to get it") {
  const sn::any_array x = sn::arange(4);
  CHECK(sn::array<int>(x).get() == x.get());
  CHECK_THAT(refusal([&] { sn::array<float> y(x); }), says("astype"));
  CHECK_THAT(refusal([&] { sn::array<float> y(x); }), says("int32"));
  CHECK_THAT(refusal([&] { sn::array<float> y(x); }), says("float32"));
}

TEST_CASE("complex numbers are pairs of real ones along the last axis, and back") {
  const sn::array<float> parts = sn::arange<float>(24).reshape({3, 8});
  const auto z = sn::view<std::complex<float>>(parts);
  CHECK(shape_text(z) == "3,4");
  CHECK(z(1, 2).item() == std::complex<float>(12, 13));
  CHECK(sn::array_equal(sn::view<float>(z), parts).item());
  const auto turned = sn::view<float>(z.T());  // pairs stay together, for any strides
  CHECK(shape_text(turned) == "4,6");
  CHECK(turned(2, sn::slice(2, 4)).to_host() == std::vector<float>{12, 13});
  CHECK(sn::array_equal(sn::view<std::complex<float>>(turned), z.T()).item());
  CHECK(sn::view<float>(z(1, 2)).to_host() == std::vector<float>{12, 13});
  CHECK(shape_text(sn::view<float>(z(sn::slice(0, 0)))) == "0,8");
  const float odd[] = {-0.0f, std::nanf(""), 0, -INFINITY};
  const auto w = sn::view<std::complex<float>>(sn::asarray(std::span<const float>(odd))).to_host();
  CHECK((std::signbit(w[0].real()) && std::isnan(w[0].imag()) && w[1].real() == 0 &&
         w[1].imag() == -INFINITY));
}

TEST_CASE("views that have no meaning name the way out") {
  CHECK(refusal([] { sn::view<std::complex<double>>(sn::zeros<double>({2, 3})); }) ==
        "[view] shape (2, 3) has no last axis of even extent");
  CHECK(refusal([] { sn::view<std::complex<double>>(sn::zeros<double>({})); }) ==
        "[view] shape () has no last axis of even extent");
  CHECK(refusal([] { sn::view<std::complex<double>>(sn::zeros<float>({2, 4})); }) ==
        "[view] float32 cannot be seen as complex128: use astype");
  CHECK(refusal([] { sn::view<float>(sn::zeros<std::complex<double>>({2})); }) ==
        "[view] complex128 cannot be seen as float32: use astype");
  CHECK(refusal([] { sn::view<std::uint8_t>(sn::zeros<bool>({2})); }) ==
        "[view] bool cannot be seen as uint8: use astype");
}

TEST_CASE("views of every type as every other have NumPy's shape, or are refused by name") {
  const auto folder = oracle_folder("dtypes.py");
  if (folder.empty()) return;
  std::istringstream in(read_text(folder / "views.txt"));
  int allowed = 0, pairs = 0;
  for (std::string a, b, shape; in >> a >> b >> shape; ++pairs) {
    const sn::dtype from = type_named(a), to = type_named(b);
    sn::any_array y;
    const std::string text = refusal([&] { y = sn::view(zeros_of(from, {3, 4}), to); });
    INFO(a << " as " << b);
    if (text == "no error") {
      ++allowed;
      CHECK(y.dtype() == to);
      CHECK(shape_text(y) == shape);
    } else {
      CHECK(text == "[view] " + a + " cannot be seen as " + b + ": use astype");
    }
  }
  CHECK(pairs == 14 * 14);
  // The same type, complex as real and back, types of equal width that are not halves.
  CHECK(allowed == 14 + 4 + 2 + 2 + 6 + 6);
}

TEST_CASE("facts about every type are NumPy's") {
  const auto folder = oracle_folder("dtypes.py");
  if (folder.empty()) return;
  std::istringstream in(read_text(folder / "facts.txt"));
  int types = 0;
  for (std::string kind, name; in >> kind >> name; ++types) {
    INFO(name);
    int bits = 0;
    in >> bits;
    if (kind == "iinfo") {
      std::string least, most;
      in >> least >> most;
      const auto i = sn::iinfo(type_named(name));
      CHECK(i.bits == bits);
      CHECK(std::to_string(i.min) == least);
      CHECK(std::to_string(i.max) == most);
      CHECK(i.dtype == type_named(name));
      continue;
    }
    const auto f = sn::finfo(type_named(name));
    CHECK(f.bits == bits);
    for (double ours : {f.eps, f.max, f.min, f.smallest_normal, f.smallest_subnormal}) {
      std::string hex;
      in >> hex;
      CHECK(ours == std::strtod(hex.c_str(), nullptr));
    }
  }
  CHECK(types == 13);
}

TEST_CASE("of which kinds a type is, is NumPy's") {
  const auto folder = oracle_folder("dtypes.py");
  if (folder.empty()) return;
  std::istringstream in(read_text(folder / "kinds.txt"));
  int types = 0;
  for (std::string name; in >> name; ++types) {
    for (int kind = 0; kind <= static_cast<int>(sn::dtype_class::numeric); ++kind) {
      int expected = 0;
      in >> expected;
      INFO(name << ' ' << kind);
      CHECK(sn::isdtype(type_named(name), static_cast<sn::dtype_class>(kind)) == (expected != 0));
    }
  }
  CHECK(types == 14);
}

TEST_CASE("bfloat16, which NumPy has not, has the facts of its format") {
  const auto f = sn::finfo<sn::bfloat16>();
  const auto next = [](float v) { return static_cast<float>(sn::bfloat16(v)); };
  CHECK(f.bits == 16);
  CHECK(next(1 + static_cast<float>(f.eps)) == 1 + f.eps);
  CHECK(next(1 + static_cast<float>(f.eps) / 2) == 1);
  CHECK(next(static_cast<float>(f.max)) == f.max);
  CHECK(std::isinf(next(static_cast<float>(f.max * (1 + f.eps / 2)))));
  CHECK(f.min == -f.max);
  CHECK(next(static_cast<float>(f.smallest_subnormal)) == f.smallest_subnormal);
  CHECK(next(static_cast<float>(f.smallest_subnormal) * 0.49f) == 0);
  CHECK(f.smallest_normal == f.smallest_subnormal / f.eps);
}

TEST_CASE("what can be cast is what loses nothing, and each rule allows what a stricter one does") {
  using sn::casting;
  for (sn::dtype a : all_types()) {
    for (sn::dtype b : all_types()) {
      INFO(sn::name(a) << " to " << sn::name(b));
      CHECK(sn::can_cast(a, b, casting::no) == (a == b));
      CHECK(sn::can_cast(a, b, casting::equiv) == (a == b));
      CHECK(sn::can_cast(a, b, casting::unsafe));
      CHECK(sn::can_cast(a, b) == sn::can_cast(a, b, casting::safe));
      CHECK(sn::can_cast(a, b, casting::safe) == (sn::promote(a, b) == b));
      if (sn::can_cast(a, b, casting::safe)) CHECK(sn::can_cast(a, b, casting::same_kind));
      CHECK(sn::result_type(a, b) == sn::promote(a, b));
      CHECK(sn::result_type(a, b) == sn::result_type(b, a));
      CHECK(sn::can_cast(a, sn::result_type(a, b), casting::safe));
    }
  }
  CHECK_FALSE(sn::can_cast(sn::dtype::bfloat16, sn::dtype::float16));
  CHECK(sn::can_cast(sn::dtype::bfloat16, sn::dtype::float16, casting::same_kind));
  CHECK(sn::promote(sn::dtype::bfloat16, sn::dtype::float16) == sn::dtype::float32);
}

TEST_CASE("astype follows the rule it is given, for every pair of types") {
  for (sn::dtype a : all_types()) {
    const sn::any_array x = zeros_of(a, {2});
    for (sn::dtype b : all_types()) {
      for (auto rule : {sn::casting::no, sn::casting::safe, sn::casting::same_kind}) {
        sn::any_array y;
        const std::string text = refusal([&] { y = sn::astype(x, b, rule); });
        INFO(text);
        CHECK((text == "no error") == sn::can_cast(a, b, rule));
        if (text == "no error") {
          CHECK(y.dtype() == b);
          continue;
        }
        CHECK_THAT(text, says("[astype] " + std::string(sn::name(a)) + " does not become " +
                              std::string(sn::name(b)) + " by casting::"));
        CHECK_THAT(text, says(" allows it"));
      }
    }
  }
}

}  // namespace types_test
