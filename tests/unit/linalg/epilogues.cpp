// Epilogues of products, applied by a GPU's library at the store and by a CPU's kernel after it.
#include "samples.hpp"

namespace epilogues_test {

using namespace linalg_tests;

namespace {

bool on_gpu() {
  return sn::current_device().what == sn::device::kind::cuda;
}

// On a GPU, products of few multiplications, or of sums up to 1,024, are kernels without epilogues.

/// One call and no kernel on a GPU, which reports what was folded. Must run before any read of x,
/// which may leave the product in memory and the rest to a kernel.
void check_folded(const sn::any_array& x, const std::string& what) {
  const std::string text =
      sn::detail::explain_all(&x, 1, {.source = false}, sn::location::current());
  if (!on_gpu()) return;
  CHECK(text.find("0 kernels and 1 library call") == 0);
  CHECK(text.find("folded into it: " + what) != std::string::npos);
}

/// max |a - b| relative to the error allowed for one rounding to T and a float sum of k terms.
template <class T> double off(const sn::array<T>& a, const sn::array<double>& b, double k) {
  const double half = std::is_same_v<T, float>         ? 0x1p-24
                      : std::is_same_v<T, sn::float16> ? 0x1p-11
                                                       : 0x1p-8;
  const sn::array<double> size = sn::maximum(sn::abs(b), 1.0);
  const sn::array<double> error = sn::abs(sn::astype<double>(a) - b) / size;
  return sn::max(error).item() / (2 * half + k * 0x1p-22);
}

sn::array<double> gelu(const sn::array<double>& h) {
  return 0.5 * h * (1 + sn::tanh(0.7978845608028654 * (h + 0.044715 * h * h * h)));
}

}  // namespace

TEMPLATE_TEST_CASE("epilogues of products", "", float, sn::float16, sn::bfloat16) {
  using T = TestType;
  for (const extents& s : {extents{64, 1032, 48}, extents{33, 1027, 65}, extents{128, 2048, 8}}) {
    const std::int64_t m = s[0], k = s[1], n = s[2];
    const double scale = 1 / std::sqrt(static_cast<double>(k));
    const sn::array<T> a = sn::astype<T>(sample<float>({m, k}, 1)),
                       b = sn::astype<T>(sample<float>({k, n}, 2) * static_cast<float>(scale)),
                       bias = sn::astype<T>(sample<float>({n}, 3)),
                       c = sn::astype<T>(sample<float>({m, n}, 4));
    sn::eval(a, b, bias, c);
    const auto wide = [](const auto& x) { return sn::array<double>(sn::astype<double>(x)); };
    const sn::array<double> product = sn::matmul(wide(a), wide(b));
    const double terms = static_cast<double>(k);
    INFO(m << "x" << k << "x" << n);
    {
      const sn::array<T> y = sn::matmul(a, b) + bias;
      check_folded(y, "a bias");
      CHECK(off<T>(y, product + wide(bias), terms) < 2);
    }
    {
      const sn::array<T> y = sn::maximum(sn::matmul(a, b) + bias, 0);
      check_folded(y, "a bias, relu");
      CHECK(off<T>(y, sn::maximum(product + wide(bias), 0.0), terms) < 2);
    }
    {
      const sn::array<T> y = sn::maximum(sn::matmul(a, b), 0);
      check_folded(y, "relu");
      CHECK(off<T>(y, sn::maximum(product, 0.0), terms) < 2);
    }
    {
      const sn::array<T> y = 0.5 * sn::matmul(a, b) + 2.0 * c;
      check_folded(y, "a scale, a scaled addend");
      CHECK(off<T>(y, 0.5 * product + 2.0 * wide(c), terms) < 3);
    }
    {
      const sn::array<T> y = sn::maximum(sn::matmul(a, b) + c + bias, 0);
      check_folded(y, "an addend, a bias, relu");
      CHECK(off<T>(y, sn::maximum(product + wide(c) + wide(bias), 0.0), terms) < 3);
    }
    {
      const auto h = sn::astype<float>(sn::matmul(a, b)) + sn::astype<float>(bias);
      const sn::array<float> f = h;
      const sn::array<T> y =
          sn::astype<T>(0.5 * f * (1 + sn::tanh(0.7978845608028654 * (f + 0.044715 * f * f * f))));
      CHECK(off<T>(y, gelu(product + wide(bias)), terms) < 3);
    }
  }
}

TEST_CASE("gelu is folded where its value is stored in halves") {
  const sn::array<sn::bfloat16> a = sn::astype<sn::bfloat16>(sample<float>({64, 1032}, 1)),
                                b = sn::astype<sn::bfloat16>(sample<float>({1032, 64}, 2));
  sn::eval(a, b);
  const auto layer = [&] {
    const sn::array<float> h = sn::astype<float>(sn::matmul(a, b));
    return sn::array<sn::bfloat16>(sn::astype<sn::bfloat16>(
        0.5 * h * (1 + sn::tanh(0.7978845608028654 * (h + 0.044715 * h * h * h)))));
  };
  check_folded(layer(), "gelu");
}

TEMPLATE_TEST_CASE("scales and addends of doubles and complex numbers", "", double,
                   std::complex<float>, std::complex<double>) {
  using T = TestType;
  const sn::array<T> a = sample<T>({40, 1030}, 1), b = sample<T>({1030, 20}, 2),
                     c = sample<T>({40, 20}, 3);
  sn::eval(a, b, c);
  const sn::array<T> product = sn::matmul(a, b);
  sn::eval(product);
  const sn::array<T> expected = T(0.25) * product + T(3) * c;
  const sn::array<T> y = T(0.25) * sn::matmul(a, b) + T(3) * c;
  check_folded(y, "a scale, a scaled addend");
  CHECK(error<T>(y, expected, 1030) < bound);
  const sn::array<T> left = sn::matmul(sn::transpose(sn::conj(a)), a) + sn::matmul(b, adjoint(b));
  CHECK(error<T>(left, sn::matmul(adjoint(a), a) + sn::matmul(b, adjoint(b)), 40) < bound);
}

TEST_CASE("NaN goes through relu, as through maximum") {
  sn::array<float> a = sn::ones<float>({8, 1032});
  a(2, 3) = std::nanf("");
  const sn::array<float> b = sn::eye<float>(1032, 8);
  sn::eval(a, b);
  const std::vector<float> y = sn::array<float>(sn::maximum(sn::matmul(a, b), 0)).to_host();
  // Every element of the row is a sum that includes a NaN.
  for (int i = 0; i < 8; ++i) {
    for (int j = 0; j < 8; ++j)
      CHECK(std::isnan(y[static_cast<std::size_t>(8 * i + j)]) == (i == 2));
  }
}

TEST_CASE("batches of products have epilogues too") {
  const sn::array<float> a = sample<float>({5, 16, 1032}, 1), b = sample<float>({5, 1032, 32}, 2),
                         bias = sample<float>({32}, 3), w = sample<float>({1032, 32}, 4);
  sn::eval(a, b, bias, w);
  const sn::array<float> product = sn::matmul(a, b), tall = sn::matmul(a, w);
  sn::eval(product, tall);
  const sn::array<float> y = sn::matmul(a, b) + bias, z = sn::matmul(a, w) + bias;
  check_folded(y, "a bias");
  check_folded(z, "a bias");
  CHECK(error<float>(y, product + bias, 1032) < bound);
  CHECK(error<float>(z, tall + bias, 1032) < bound);
}

TEST_CASE("a plan with another limit is another plan") {
  const sn::array<float> a = sample<float>({16, 1032}, 1), b = sample<float>({1032, 16}, 2);
  sn::eval(a, b);
  const sn::array<float> product = sn::matmul(a, b);
  sn::eval(product);
  for (const float limit : {0.0f, 1.0f, 0.0f, -2.0f}) {
    const sn::array<float> y = sn::maximum(sn::matmul(a, b), limit);
    CHECK(error<float>(y, sn::maximum(product, limit), 1032) < bound);
  }
}

}  // namespace epilogues_test
