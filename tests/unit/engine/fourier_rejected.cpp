// Errors of transforms and their texts. One test per rejected program.

#include <complex>

#include <sinter/sinter.hpp>

#include "tests/catch.hpp"

namespace fourier_rejected_test {

namespace sn = sinter;

namespace {

template <class Error, class Call> std::string refused(Call&& f) {
  try {
    (void)f();
  } catch (const Error& e) {
    const std::string text = e.what();
    return text.substr(0, text.rfind(" ("));
  }
  return "it was taken";
}

const sn::array<float>& x() {
  static const auto made = sn::ones<float>({2, 3});
  return made;
}

}  // namespace

TEST_CASE("an axis that is not there") {
  CHECK(refused<sn::axis_error>([] { return sn::fft::fft(x(), {.axis = 2}); }) ==
        "[fft] axis 2 is out of range for 2 dimensions");
}
TEST_CASE("no axis at all") {
  CHECK(refused<sn::axis_error>([] { return sn::fft::fft(sn::ones<float>({})); }) ==
        "[fft] axis -1 is out of range for 0 dimensions");
}
TEST_CASE("no points") {
  CHECK(refused<sn::value_error>([] { return sn::fft::rfft(x(), {.n = 0}); }) ==
        "[rfft] transforms at least 1 point, not 0, along axis 1 of shape (2, 3)");
}
TEST_CASE("an empty axis") {
  CHECK(
      refused<sn::value_error>([] {
        return sn::fft::ifft(sn::ones<float>({2, 0}));
      }) ==
      "[ifft] transforms at least 1 point, not 0, along axis 1 of shape (2, 0): say how many with "
      ".n or .s");
}
TEST_CASE("a single element has no points to come from") {
  CHECK(
      refused<sn::value_error>([] {
        return sn::fft::irfft(sn::ones<float>({2, 1}));
      }) ==
      "[irfft] transforms at least 1 point, not 0, along axis 1 of shape (2, 1): say how many with "
      ".n or .s");
}
TEST_CASE("complex numbers where real ones are transformed") {
  const sn::any_array c = sn::ones<std::complex<float>>({4});
  CHECK(refused<sn::dtype_error>([&] { return sn::fft::rfft(c); }) ==
        "[rfft] takes real numbers, not complex64: use fft, or real(x)");
  CHECK(refused<sn::dtype_error>([&] { return sn::fft::rfft2(c, {.axes = {0}}); }) ==
        "[rfft2] takes real numbers, not complex64: use fft, or real(x)");
}
TEST_CASE("as many axes as numbers of points") {
  CHECK(refused<sn::value_error>([] {
          return sn::fft::fftn(x(), {.s = {4}, .axes = {0, 1}});
        }) == "[fftn] 1 numbers of points for 2 axes");
}
TEST_CASE("more numbers of points than axes") {
  CHECK(refused<sn::value_error>([] {
          return sn::fft::fftn(x(), {.s = {4, 4, 4}});
        }) == "[fftn] 3 numbers of points for shape (2, 3)");
}
TEST_CASE("transforms from real numbers over no axes") {
  CHECK(refused<sn::axis_error>([] {
          return sn::fft::rfftn(x(), {.axes = sn::axis_list(sn::int_list())});
        }) == "[rfftn] needs at least one axis");
}
TEST_CASE("two axes of an array that has one") {
  CHECK(refused<sn::axis_error>([] { return sn::fft::fft2(sn::ones<float>({4})); }) ==
        "[fft2] axis -2 is out of range for 1 dimension");
}
TEST_CASE("a norm that is none") {
  const auto norm = static_cast<sn::fft::norm_mode>(7);
  CHECK(refused<sn::value_error>([&] { return sn::fft::fft(x(), {.norm = norm}); }) ==
        "[fft] norm mode 7 is none of backward, ortho and forward");
}
TEST_CASE("frequencies of nothing") {
  CHECK(refused<sn::value_error>([] { return sn::fft::fftfreq(0); }) ==
        "[fftfreq] needs at least 1 point, not 0");
  CHECK(refused<sn::value_error>([] { return sn::fft::rfftfreq(-3); }) ==
        "[rfftfreq] needs at least 1 point, not -3");
}
TEST_CASE("a shift of an axis that is not there") {
  CHECK(refused<sn::axis_error>([] { return sn::fft::fftshift(x(), {-3}); }) ==
        "[fftshift] axis -3 is out of range for 2 dimensions");
}
TEST_CASE("the caller's line is named") {
  try {
    sn::fft::fft(x(), {.axis = 5});
    FAIL("it was taken");
  } catch (const sn::axis_error& e) {
    CHECK(std::string(e.what()).find("(fourier_rejected.cpp:") != std::string::npos);
  }
}

TEST_CASE("a matrix is no vector") {
  CHECK(refused<sn::shape_error>([] { return sn::convolve(x(), sn::ones<float>({3})); }) ==
        "[convolve] takes vectors, not shape (2, 3): use fftconvolve");
}
TEST_CASE("nothing to convolve with") {
  CHECK(refused<sn::value_error>([] {
          return sn::correlate(sn::ones<float>({3}), sn::ones<float>({0}));
        }) == "[correlate] an operand is empty");
}
TEST_CASE("integers are not convolved by transforms") {
  const auto i = sn::ones<std::int32_t>({3});
  CHECK(refused<sn::dtype_error>(
            [&] { return sn::convolve(i, i, {.method = sn::convolve_method::fft}); }) ==
        "[convolve] int32 numbers would be rounded by transforms: convert them, or let them be "
        "summed");
}
TEST_CASE("axes that are not convolved must broadcast") {
  CHECK(refused<sn::shape_error>([] {
          return sn::fftconvolve(x(), sn::ones<float>({3, 3}), {.axes = {1}});
        }) ==
        "[fftconvolve] shapes (2, 3) and (3, 3) do not fit along the axes that are not convolved");
}
TEST_CASE("valid needs a larger operand") {
  CHECK(refused<sn::value_error>([] {
          return sn::fftconvolve(x(), sn::ones<float>({1, 4}), {.mode = sn::convolve_mode::valid});
        }) ==
        "[fftconvolve] neither of shapes (2, 3) and (1, 4) is the larger along every axis: valid "
        "has no meaning");
}

}  // namespace fourier_rejected_test
