// Options that are strings in NumPy, by these words.
#include <sinter/sinter.hpp>

#include "tests/catch.hpp"
#include "tests/unit/engine/refusal.hpp"

namespace option_words_test {

namespace sn = sinter;
using sinter::test::dtype_refusal;
using sinter::test::value_refusal;
using doubles = sn::array<double>;
using integers = sn::array<int>;

namespace {

template <class X> std::string text(const X& x) {
  return sn::to_string(x);
}

}  // namespace

TEST_CASE("convolutions take their mode and their method by a word") {
  const doubles a{1, 2, 3, 4}, v{1, 0, 2};
  CHECK(text(sn::convolve(a, v, "same")) == "[2. 5. 8. 6.]");
  CHECK(text(sn::convolve(a, v, {.mode = "valid"})) == "[5. 8.]");
  CHECK(text(sn::convolve(a, v, {.mode = "full", .method = "direct"})) == "[1. 2. 5. 8. 6. 8.]");
  CHECK(text(sn::convolve(a, v, sn::convolve_mode::same)) == "[2. 5. 8. 6.]");
  CHECK(text(sn::convolve(a, v, {})) == "[1. 2. 5. 8. 6. 8.]");
  CHECK(text(sn::correlate(a, v, "full")) == "[ 2.  4.  7. 10.  3.  4.]");
  CHECK(text(sn::correlate(a + 1, 2 * v, std::string("same"))) == "[12. 20. 26.  8.]");
  CHECK(text(sn::rint(sn::fftconvolve(a, v, "same"))) == "[2. 5. 8. 6.]");
}

TEST_CASE("pad takes its mode by a word, for every form of widths") {
  const integers x{1, 2, 3};
  CHECK(text(sn::pad(x, 2, "edge")) == "[1 1 1 2 3 3 3]");
  CHECK(text(sn::pad(x, {1, 2}, "wrap")) == "[3 1 2 3 1 2]");
  CHECK(text(sn::pad(x + 1, {{1, 2}}, "reflect")) == "[3 2 3 4 3 2]");
  CHECK(text(sn::pad(x, 2, {.mode = "symmetric"})) == "[2 1 1 2 3 3 2]");
  CHECK(text(sn::pad(x, 1, "constant", {.constant_values = 7})) == "[7 1 2 3 7]");
  CHECK(text(sn::pad(x, 1, sn::pad_mode::edge)) == "[1 1 2 3 3]");
}

TEST_CASE("meshgrid takes its indexing by a word") {
  const auto [x, y] = sn::meshgrid(integers{1, 2}, integers{3, 4, 5}, {.indexing = "ij"});
  CHECK(text(x) == "[[1 1 1]\n [2 2 2]]");
  CHECK(text(y) == "[[3 4 5]\n [3 4 5]]");
  const auto all = sn::meshgrid({integers{1, 2}, integers{3}}, {.indexing = "xy", .sparse = true});
  CHECK(text(all[0]) == "[[1 2]]");
}

TEST_CASE("searches, quantiles and bins take words") {
  const integers x{1, 2, 2, 3};
  CHECK(text(sn::searchsorted(x, 2, "right")) == "3");
  CHECK(text(sn::searchsorted(x, x + 1, "left")) == "[1 3 3 4]");
  CHECK(text(sn::searchsorted(x, x, {.side = "right"})) == "[1 3 3 4]");
  CHECK(text(sn::quantile(x, 0.4, {.method = "higher"})) == "2.0");
  CHECK(text(sn::percentile(x, {10, 90}, {.method = "nearest"})) == "[1. 3.]");
  CHECK(text(sn::histogram(x, "auto").hist) == "[1 3]");
  CHECK(text(sn::histogram(x, {.bins = "sqrt"}).hist) == "[1 3]");
}

TEST_CASE("indices out of range, bits, transforms, factors and printing take words") {
  const integers x{1, 2, 3};
  CHECK(text(sn::take(x, {4, -4}, {.mode = "wrap"})) == "[2 3]");
  CHECK(text(sn::ravel_multi_index({integers{5}, integers{1}}, {2, 3}, {.mode = "clip"})) == "[4]");
  integers y = x;
  sn::put(y, {7}, 9, {.mode = "clip"});
  CHECK(text(y) == "[1 2 9]");
  CHECK(text(sn::packbits(x > 2, {.bitorder = "little"})) == "[4]");
  CHECK(text(sn::fft::rfft(doubles{1, 2, 3, 2}, {.norm = "ortho"})) == "[ 4.+0.j -1.+0.j  0.+0.j]");
  const doubles a{{1, 2}, {3, 4}, {5, 6}};
  CHECK(sn::linalg::qr(a, "complete").q.shape(1) == 3);
  CHECK(!sn::linalg::qr(a, {.mode = "r"}).q.valid());
  CHECK(text(sn::linalg::solve_triangular(doubles{{1, 2}, {0, 1}}, doubles{1, 3},
                                          {.trans = "T"})) == "[1. 1.]");
  CHECK(sn::to_string(doubles{1, 2}, {.precision = 3, .floatmode = "fixed"}) == "[1.000 2.000]");
}

TEST_CASE("rules of casting are words") {
  CHECK(sn::astype<float>(doubles{1.5}, "same_kind").item() == 1.5f);
  CHECK(dtype_refusal([] { sn::astype<int>(doubles{1}, "safe"); }) ==
        "[astype] float64 does not become int32 by casting::safe; casting::unsafe allows it");
  CHECK(sn::can_cast(sn::dtype::int32, sn::dtype::int8, "same_kind"));
  CHECK(!sn::can_cast(sn::dtype::int32, sn::dtype::int8, "safe"));
}

TEST_CASE("a word that is none is refused with those that are") {
  const doubles x{1, 2, 3};
  CHECK(value_refusal([&] { sn::convolve(x, x, "some"); }) ==
        "[convolve_mode] 'some' is none of its words: full, same, valid");
  CHECK(value_refusal([&] { sn::pad(x, 1, {.mode = "edgy"}); }) ==
        "[pad_mode] 'edgy' is none of its words: constant, edge, reflect, symmetric, wrap");
  CHECK(value_refusal([&] { sn::pad(x, 1, "constant, edge"); }) ==
        "[pad_mode] 'constant, edge' is none of its words: constant, edge, reflect, symmetric, "
        "wrap");
  CHECK(value_refusal([&] { sn::pad(x, 1, ""); }) ==
        "[pad_mode] '' is none of its words: constant, edge, reflect, symmetric, wrap");
  CHECK(value_refusal([&] { sn::meshgrid(x, x, {.indexing = "ji"}); }) ==
        "[indexing] 'ji' is none of its words: xy, ij");
  CHECK(value_refusal([&] { sn::searchsorted(x, 2.0, "middle"); }) ==
        "[search_side] 'middle' is none of its words: left, right");
  CHECK(value_refusal([&] { sn::histogram(x, {.bins = "scot"}); }) ==
        "[bin_rule] 'scot' is none of its words: auto, doane, fd, rice, scott, sqrt, stone, "
        "sturges");
}

}  // namespace option_words_test
