// numpy.fft, as written by tests/numpy/fourier.py; and properties of transforms by any library.

#include "ir/fourier.hpp"

#include <cmath>
#include <complex>
#include <cstring>
#include <set>
#include <sstream>

#include <sinter/sinter.hpp>

#include "engine/evaluation/session.hpp"
#include "runtime/fft.hpp"
#include "tests/catch.hpp"
#include "tests/support/numpy_compare.hpp"

namespace fourier_test {

namespace sn = sinter;
using namespace sinter::test;
using sn::any_array;

namespace {

sn::fft::norm_mode norm_of(const oracle_line& l) {
  const std::string text = l.text("norm");
  return text == "ortho"     ? sn::fft::ortho
         : text == "forward" ? sn::fft::forward
                             : sn::fft::backward;
}

any_array viewed(const any_array& x, const std::string& view) {
  if (view.empty()) return x;
  if (view == "reversed") return sn::transpose(x);
  if (view == "flipped") return sn::flip(x, -1);
  const sn::index_item items[] = {sn::ellipsis, sn::slice(sn::slice::unset, sn::slice::unset, 2)};
  return sn::detail::index(x, items);
}

template <class T> double distance(const any_array& got, const any_array& expected) {
  const auto a = sn::array<T>(got).to_host(), b = sn::array<T>(expected).to_host();
  double apart = 0, size = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    apart += std::norm(std::complex<double>(a[i]) - std::complex<double>(b[i]));
    size += std::norm(std::complex<double>(b[i]));
  }
  using real = decltype(std::abs(T{}));
  const double one = static_cast<double>(std::numeric_limits<real>::epsilon());
  return apart == 0 ? 0 : std::sqrt(apart) / (one * std::sqrt(size));
}

bool same_bytes(const any_array& a, const any_array& b) {
  std::vector<char> x(static_cast<std::size_t>(a.nbytes())), y(x.size());
  sn::detail::read(a, x.data(), {});
  sn::detail::read(b, y.data(), {});
  return x == y;
}

/// The norm of the difference in roundings of the result's norm; infinite if integers differ.
double distance(const any_array& got, const any_array& expected) {
  const auto as = [](const any_array& x, sn::dtype t) { return sn::detail::astype(x, t, {}); };
  switch (expected.dtype()) {
    case sn::dtype::float32:
      return distance<float>(got, expected);
    case sn::dtype::float64:
      return distance<double>(got, expected);
    case sn::dtype::complex64:
      return distance<std::complex<float>>(got, expected);
    case sn::dtype::complex128:
      return distance<std::complex<double>>(got, expected);
    case sn::dtype::float16:
      return 0x1p-13 *
             distance<float>(as(got, sn::dtype::float32), as(expected, sn::dtype::float32));
    default:
      return same_bytes(got, expected) ? 0 : std::numeric_limits<double>::infinity();
  }
}

using call = std::function<any_array(const any_array&, const oracle_line&)>;
using table = std::map<std::string, call>;

/// Compares every line of a script's group within `bound` roundings; each row must have one.
void compare(const std::string& group, std::size_t least, double bound, const table& rows) {
  const auto root = oracle_folder("fourier.py");
  if (root.empty()) return;
  const auto lines = oracle_lines(root / group / "calls.txt");
  CHECK(lines.size() >= least);
  oracle_arrays files(root / group);
  std::set<std::string> seen;
  for (const oracle_line& l : lines) {
    INFO(l.fields[0] << " " << l.fields[1] << " " << l.fields[2]);
    const any_array expected = files[l.fields[3]];
    const any_array got = rows.at(l.fields[0])(viewed(files[l.fields[1]], l.text("view")), l);
    REQUIRE(std::ranges::equal(got.shape(), expected.shape()));
    REQUIRE(got.dtype() == expected.dtype());
    CHECK(distance(got, expected) <= bound);
    seen.insert(l.fields[0]);
  }
  CHECK(seen.size() == rows.size());
}

sn::fft::options one_axis(const oracle_line& l) {
  sn::fft::options o;
  if (const std::string n = l.text("n"); !n.empty()) o.n = std::stoll(n);
  o.axis = l.number("axis", -1);
  o.norm = norm_of(l);
  return o;
}
const table along_one = {
    {"fft.fft", [](auto& x, auto& l) { return sn::fft::fft(x, one_axis(l)); }},
    {"fft.ifft", [](auto& x, auto& l) { return sn::fft::ifft(x, one_axis(l)); }},
    {"fft.rfft", [](auto& x, auto& l) { return sn::fft::rfft(x, one_axis(l)); }},
    {"fft.irfft", [](auto& x, auto& l) { return sn::fft::irfft(x, one_axis(l)); }},
    {"fft.hfft", [](auto& x, auto& l) { return sn::fft::hfft(x, one_axis(l)); }},
    {"fft.ihfft", [](auto& x, auto& l) { return sn::fft::ihfft(x, one_axis(l)); }},
};

sn::fft::options_nd axes_and_lengths(const oracle_line& l) {
  sn::fft::options_nd o;
  o.s = integers_of(l.text("s"));
  if (l.options.count("axes")) o.axes = axes_of(l);
  o.norm = norm_of(l);
  return o;
}
sn::fft::options_2d plane(const oracle_line& l) {
  const auto o = axes_and_lengths(l);
  return {o.s, o.axes, o.norm};
}
const table along_several = {
    {"fft.fftn", [](auto& x, auto& l) { return sn::fft::fftn(x, axes_and_lengths(l)); }},
    {"fft.ifftn", [](auto& x, auto& l) { return sn::fft::ifftn(x, axes_and_lengths(l)); }},
    {"fft.rfftn", [](auto& x, auto& l) { return sn::fft::rfftn(x, axes_and_lengths(l)); }},
    {"fft.irfftn", [](auto& x, auto& l) { return sn::fft::irfftn(x, axes_and_lengths(l)); }},
    {"fft.fft2", [](auto& x, auto& l) { return sn::fft::fft2(x, plane(l)); }},
    {"fft.ifft2", [](auto& x, auto& l) { return sn::fft::ifft2(x, plane(l)); }},
    {"fft.rfft2", [](auto& x, auto& l) { return sn::fft::rfft2(x, plane(l)); }},
    {"fft.irfft2", [](auto& x, auto& l) { return sn::fft::irfft2(x, plane(l)); }},
};

double step_of(const oracle_line& l) {
  return std::stod(l.text("d", "1"));
}
const table shifts = {
    {"fft.fftshift", [](auto& x, auto& l) { return sn::fft::fftshift(x, axes_of(l)); }},
    {"fft.ifftshift", [](auto& x, auto& l) { return sn::fft::ifftshift(x, axes_of(l)); }},
    {"fft.fftfreq", [](auto&, auto& l) { return sn::fft::fftfreq(l.number("n", 0), step_of(l)); }},
    {"fft.rfftfreq",
     [](auto&, auto& l) { return sn::fft::rfftfreq(l.number("n", 0), step_of(l)); }},
};

template <class T> sn::array<T> noise(const sn::int_list& shape, std::uint64_t seed) {
  if constexpr (std::is_floating_point_v<T>) {
    return sn::random::normal<T>(shape, {.seed = seed});
  } else {
    using real = typename T::value_type;
    const T i{0, 1};
    return sn::random::normal<real>(shape, {.seed = seed}) +
           sn::random::normal<real>(shape, {.seed = seed + 1}) * i;
  }
}

}  // namespace

TEST_CASE("transforms of many lengths are NumPy's") {
  compare("lengths", 300, 12, along_one);
}
TEST_CASE("transforms along any axis of any layout are NumPy's") {
  compare("layouts", 900, 6, along_one);
}
TEST_CASE("transforms over several axes are NumPy's") {
  compare("several", 600, 8, along_several);
}
TEST_CASE("shifts and frequencies are NumPy's") {
  compare("shifts", 60, 0, shifts);
}

namespace {

template <class T> void check_round_trips() {
  const sn::int_list shapes[] = {{1}, {2}, {37}, {1000}, {4, 9}, {6, 1, 10}, {3, 4, 5, 6}};
  for (const sn::int_list& shape : shapes) {
    const sn::array<T> x = noise<T>(shape, 7);
    for (const auto norm : {sn::fft::backward, sn::fft::ortho, sn::fft::forward}) {
      for (std::int64_t axis = 0; axis < static_cast<std::int64_t>(shape.size()); ++axis) {
        const auto y = sn::fft::fft(x, {.axis = axis, .norm = norm});
        CHECK(distance<T>(sn::fft::ifft(y, {.axis = axis, .norm = norm}), x) < 8);
      }
      const auto y = sn::fft::fftn(x, {.norm = norm});
      CHECK(distance<T>(sn::fft::ifftn(y, {.norm = norm}), x) < 8);
    }
  }
}

template <class T> double energy(const sn::array<T>& x) {
  return static_cast<double>(
      sn::sum(sn::square(sn::abs(sn::astype<std::complex<double>>(x)))).item());
}

}  // namespace

TEST_CASE("inverses give back what was transformed") {
  check_round_trips<std::complex<float>>();
  check_round_trips<std::complex<double>>();
}

TEST_CASE("inverses of transforms from real numbers") {
  for (const std::int64_t n : {1, 2, 5, 16, 63, 1000}) {
    const auto x = noise<double>({3, n}, 3);
    CHECK(distance<double>(sn::fft::irfft(sn::fft::rfft(x), {.n = n}), x) < 8);
    CHECK(distance<double>(sn::fft::hfft(sn::fft::ihfft(x), {.n = n}), x) < 8);
    CHECK(distance<double>(sn::fft::irfftn(sn::fft::rfftn(x), {.s = {3, n}}), x) < 8);
  }
}

TEST_CASE("a transform keeps the energy (Parseval)") {
  for (const std::int64_t n : {1, 12, 97, 4096}) {
    const auto x = noise<std::complex<double>>({n}, 1);
    CHECK(energy(sn::fft::fft(x, {.norm = sn::fft::ortho})) == Approx(energy(x)).epsilon(1e-12));
    CHECK(energy(sn::fft::fft(x)) / static_cast<double>(n) == Approx(energy(x)).epsilon(1e-12));
  }
}

TEST_CASE("infinity and NaN stay in their row") {
  using T = std::complex<float>;
  for (const float bad : {std::numeric_limits<float>::infinity(), std::nanf("")}) {
    sn::array<T> x = noise<T>({3, 20}, 1);
    x(1, 4) = T(bad, 0);
    for (const auto& y : {sn::fft::fft(x), sn::fft::ifft(x)}) {
      const auto finite = sn::array<bool>(sn::isfinite(y)).to_host();
      for (std::size_t i = 0; i < finite.size(); ++i) CHECK(finite[i] == (i / 20 != 1));
    }
  }
}

TEST_CASE("what is pointwise before and after a transform is one kernel each") {
  const auto x = noise<float>({64, 128}, 5), window = noise<float>({128}, 6);
  sn::eval(x, window);
  const auto before = sn::session_statistics().launches;
  const sn::array<float> power =
      sn::square(sn::abs(sn::fft::fft((x - 1) * window, {.norm = sn::fft::ortho}))) + 1;
  sn::eval(power);
  CHECK(sn::session_statistics().launches - before == 3);  // including the library's
  CHECK(sn::explain(power).find("2 kernels and 1 library call") == 0);
  const auto middle = sn::session_statistics().launches;
  sn::eval(sn::fft::rfft(x));
  CHECK(sn::session_statistics().launches - middle == 1);
}

TEST_CASE("a transform that nobody reads computes nothing") {
  const auto before = sn::session_statistics().launches;
  const auto y = sn::fft::fft(noise<float>({1000}, 1));
  CHECK(y.shape(0) == 1000);
  CHECK(sn::session_statistics().launches == before);
}

TEST_CASE("ten thousand transforms leave nothing behind") {
  const auto x = noise<float>({4, 50}, 1);
  sn::eval(x);
  const auto transform = [&](int i) {
    sn::eval(sn::fft::irfft(sn::fft::rfft(x, {.n = 16 + i % 40}) * 2.0f));
  };
  for (int i = 0; i < 200; ++i) transform(i);
  sn::synchronize();
  const auto used = sn::memory().used;
  for (int i = 0; i < 10'000; ++i) transform(i);
  sn::synchronize();
  CHECK(sn::memory().used == used);
  CHECK(sn::detail::current_device().fourier().statistics().plans <= 512);
}

TEST_CASE("one graph, interpreted and by the library") {
  // The interpreter's definition is the fuzzer's reference for the library.
  sn::ir::routine_call c;
  const std::vector<float> in = {1, 2, 3, 4, 5, 6};
  sn::ir::tensor out{sn::dtype::complex64, {1, 4, 1}, std::vector<std::byte>(32)};
  c.inputs = {{sn::dtype::float32, {1, 6, 1}, in.data()}};
  c.outputs = {&out};
  sn::ir::fourier_attributes a;
  a.kind = sn::ir::fourier_kind::real_to_complex;
  a.first = 1;
  a.last = 2;
  a.length = 6;
  c.attributes = a.pack();
  sn::ir::find_routine("fft")(c);
  const auto y = sn::fft::rfft(sn::asarray(in)).to_host();
  for (std::size_t i = 0; i < 4; ++i) {
    std::complex<float> v;
    std::memcpy(&v, out.data.data() + 8 * i, 8);
    CHECK(std::abs(v - y[i]) < 1e-5f);
  }
}

namespace {

sn::convolve_mode mode_of(const oracle_line& l) {
  const std::string text = l.text("mode");
  return text == "same"    ? sn::convolve_mode::same
         : text == "valid" ? sn::convolve_mode::valid
                           : sn::convolve_mode::full;
}

any_array other_of(const std::string& group, const oracle_line& l) {
  return oracle_arrays(oracle_folder("fourier.py") / group)[l.text("other")];
}

table convolutions(sn::convolve_method wanted) {
  const auto method = [wanted](const any_array& x) {
    return sn::is_inexact(x.dtype()) ? wanted : sn::convolve_method::automatic;
  };
  return {
      {"convolve",
       [=](auto& x, auto& l) {
         return sn::convolve(x, other_of("convolutions", l), {mode_of(l), method(x)});
       }},
      {"correlate",
       [=](auto& x, auto& l) {
         return sn::correlate(x, other_of("convolutions", l), {mode_of(l), method(x)});
       }},
  };
}

}  // namespace

TEST_CASE("convolutions by sums are NumPy's") {
  compare("convolutions", 600, 12, convolutions(sn::convolve_method::direct));
}
TEST_CASE("convolutions by transforms are NumPy's") {
  compare("convolutions", 600, 12, convolutions(sn::convolve_method::fft));
}
TEST_CASE("convolutions over several axes are SciPy's") {
  const table rows = {
      {"fftconvolve",
       [](auto& x, auto& l) {
         return sn::fftconvolve(x, other_of("fftconvolve", l), {mode_of(l), axes_of(l)});
       }},
  };
  compare("fftconvolve", 100, 12, rows);
}

TEST_CASE("the faster method is taken, and the caller's if he names one") {
  const auto kernels = [](std::int64_t n, std::int64_t m, sn::convolve_method method) {
    const auto a = noise<float>({n}, 1), v = noise<float>({m}, 2);
    sn::eval(a, v);
    const std::string text = sn::explain(sn::convolve(a, v, {.method = method}));
    return text.find("library call") == std::string::npos ? "sums" : "transforms";
  };
  using enum sn::convolve_method;
  CHECK(kernels(1000, 3, automatic) == std::string("sums"));
  CHECK(kernels(200'000, 100'000, automatic) == std::string("transforms"));
  CHECK(kernels(1000, 3, fft) == std::string("transforms"));
  CHECK(kernels(2000, 1000, direct) == std::string("sums"));
}

TEST_CASE("frequencies are of doubles, or of what is asked") {
  CHECK(sn::fft::fftfreq<float>(5, 0.5).to_host() ==
        std::vector<float>{0, 0.4f, 0.8f, -0.8f, -0.4f});
  CHECK(sn::fft::rfftfreq<float>(4).to_host() == std::vector<float>{0, 0.25f, 0.5f});
  static_assert(std::is_same_v<decltype(sn::fft::fftfreq(5)), sn::array<double>>);
}

TEST_CASE("-1 points are those that the axis has, of real transforms too") {
  const sn::array<float> x = sn::ones<float>({4, 5});
  const auto back = sn::fft::irfftn(x, {.s = {3, -1}, .axes = {0, 1}});
  CHECK(back.shape() == std::vector<std::int64_t>{3, 5});
  CHECK(sn::fft::rfftn(x, {.s = {3, -1}}).shape() == std::vector<std::int64_t>{3, 3});
}

TEST_CASE("NaN reaches the windows it is in by sums, and everything by transforms") {
  sn::array<float> a = noise<float>({100}, 1);
  a(50) = std::nanf("");
  const sn::array<float> v{1, 2, 3};
  const auto bad = [&](sn::convolve_method method) {
    return sn::count_nonzero(sn::isnan(sn::convolve(a, v, {.method = method}))).item();
  };
  CHECK(bad(sn::convolve_method::direct) == 3);
  CHECK(bad(sn::convolve_method::fft) == 102);
}

}  // namespace fourier_test
