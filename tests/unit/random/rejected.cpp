// Rejected calls.

#include <sinter/sinter.hpp>

#include "tests/unit/engine/refusal.hpp"

namespace rejected_test {

using namespace sinter::test;
namespace sn = sinter;
namespace rnd = sinter::random;

TEST_CASE("numbers that are no parameters are refused") {
  CHECK(value_refusal([] { rnd::exponential({3}, {.scale = -1}); }) ==
        "[exponential] scale is -1, not at least 0");
  CHECK(value_refusal([] { rnd::exponential({3}, {.scale = NAN}); }) ==
        "[exponential] scale is nan, not at least 0");
  CHECK(value_refusal([] { rnd::laplace({3}, {.scale = -2.5}); }) ==
        "[laplace] scale is -2.5, not at least 0");
  CHECK(value_refusal([] { rnd::lognormal({3}, {.sigma = -1}); }) ==
        "[lognormal] sigma is -1, not at least 0");
  CHECK(value_refusal([] { rnd::weibull({3}, {}); }) == "[weibull] a is nan, not at least 0");
  CHECK(value_refusal([] { rnd::pareto({3}, {.a = 0}); }) == "[pareto] a is 0, not above 0");
  CHECK(value_refusal([] { rnd::power({3}, {.a = -1}); }) == "[power] a is -1, not above 0");
  CHECK(value_refusal([] { rnd::wald({3}, {.mean = 0}); }) == "[wald] mean is 0, not above 0");
  CHECK(value_refusal([] { rnd::triangular({3}, {.left = 2}); }) ==
        "[triangular] left is not below right");
  CHECK(value_refusal([] { rnd::triangular({3}, {.mode = 2}); }) ==
        "[triangular] mode is above right");
  CHECK(value_refusal([] { rnd::triangular({3}, {.mode = -1}); }) ==
        "[triangular] left is above mode");
  CHECK(value_refusal([] { rnd::truncated_normal({3}, {.low = 2, .high = 2}); }) ==
        "[truncated_normal] low is not below high");
  CHECK(value_refusal([] { rnd::truncated_normal({3}, {.stddev = 0}); }) ==
        "[truncated_normal] stddev is 0, not above 0");
  CHECK(value_refusal([] { rnd::bernoulli({3}, {.p = 1.5}); }) ==
        "[bernoulli] p is 1.5, not between 0 and 1");
  CHECK(value_refusal([] { rnd::gamma({3}, {}); }) == "[gamma] shape is nan, not at least 0");
  CHECK(value_refusal([] { rnd::gamma({3}, {.shape = 1, .scale = -1}); }) ==
        "[gamma] scale is -1, not at least 0");
  CHECK(value_refusal([] { rnd::beta({3}, {.a = 1, .b = 0}); }) == "[beta] b is 0, not above 0");
  CHECK(value_refusal([] { rnd::chisquare({3}, {.df = 0}); }) ==
        "[chisquare] df is 0, not above 0");
  CHECK(value_refusal([] { rnd::standard_t({3}, {.df = -1}); }) ==
        "[standard_t] df is -1, not above 0");
  CHECK(value_refusal([] { rnd::f({3}, {.dfnum = 1}); }) == "[f] dfden is nan, not above 0");
  CHECK(value_refusal([] { rnd::noncentral_chisquare({3}, {.df = 1, .nonc = -1}); }) ==
        "[noncentral_chisquare] nonc is -1, not at least 0");
  CHECK(value_refusal([] { rnd::poisson({3}, {.lam = -1}); }) ==
        "[poisson] lam is -1, not between 0 and 2305843009213693952");
  CHECK(value_refusal([] { rnd::binomial({3}, {.n = -1}); }) ==
        "[binomial] n is -1, not between 0 and 9007199254740992");
  CHECK(value_refusal([] { rnd::binomial({3}, {.n = 1.5}); }) == "[binomial] n is no whole number");
  CHECK(value_refusal([] { rnd::binomial({3}, {.p = 2}); }) ==
        "[binomial] p is 2, not between 0 and 1");
  CHECK(value_refusal([] { rnd::negative_binomial({3}, {.p = 0}); }) ==
        "[negative_binomial] p is 0, not above 0");
  CHECK(value_refusal([] { rnd::logseries({3}, {.p = 1}); }) ==
        "[logseries] p is not between 0 and 1");
  CHECK(value_refusal([] {
          rnd::multinomial(3, {0.75, 0.5, 0.0});
        }) == "[multinomial] probabilities sum to 1.250000, more than 1");
  CHECK(value_refusal([] { rnd::multinomial(3, {-1.0}); }) ==
        "[multinomial] a probability is -1.000000");
  CHECK(shape_refusal([] {
          rnd::multinomial(3, sn::zeros({3, 0}));
        }) == "[multinomial] there are no probabilities");
  CHECK(shape_refusal([] {
          rnd::dirichlet(sn::zeros({2, 3}), {.shape = 5});
        }).starts_with("[dirichlet]"));
  CHECK(value_refusal([] { rnd::geometric({3}, {.p = 0}); }) == "[geometric] p is 0, not above 0");
  CHECK(value_refusal([] { rnd::geometric({3}, {.p = -1}); }) ==
        "[geometric] p is -1, not between 0 and 1");
}

TEST_CASE("parameters that do not fit are refused") {
  const auto three = sn::zeros({3});
  CHECK(shape_refusal([&] { rnd::exponential({2}, {.scale = three}); }) ==
        "[exponential] shape (3,) does not broadcast to (2,): axis 0 is 3 against 2");
  CHECK(shape_refusal([&] { rnd::normal({}, {.mean = three}); }).starts_with("[normal]"));
  CHECK(shape_refusal([&] { rnd::exponential({-1}); }).starts_with("[exponential]"));
  CHECK(dtype_refusal([&] {
          rnd::laplace({3}, {.loc = sn::astype<std::complex<float>>(three)});
        }) == "[laplace] a parameter is complex64, not real");
}

TEST_CASE("choices among nothing or by what are no probabilities are refused") {
  CHECK(value_refusal([] { rnd::choice(0, {3}); }) ==
        "[choice] there is nothing to choose from: n is 0");
  CHECK(rnd::choice(0, {0}).size() == 0);
  CHECK(value_refusal([] {
          rnd::choice(3, {2, 2}, {.replace = false});
        }) == "[choice] 4 of 3 without replacement");
  CHECK(value_refusal([] {
          rnd::choice(3, {2}, {.p = {0.0, 1.0, 0.0}, .replace = false});
        }) == "[choice] 2 of 1 without replacement");
  CHECK(value_refusal([] { rnd::permutation(-1); }) == "[permutation] n is -1, and negative");
  CHECK(axis_refusal([] { rnd::permutation(sn::zeros({3}), {.axis = 1}); }) ==
        "[permutation] axis 1 is out of range for 1 dimension");
  CHECK(axis_refusal([] { rnd::permuted(sn::zeros({3}), {.axis = -2}); }) ==
        "[permuted] axis -2 is out of range for 1 dimension");
  CHECK(shape_refusal([] { rnd::choice(2, {3}, {.p = {1}}); }) ==
        "[choice] probabilities of shape (1,) for 2 to choose from");
  CHECK(value_refusal([] {
          rnd::choice(2, {3}, {.p = {0.5, 0.4}});
        }) == "[choice] probabilities sum to 0.900000, not 1");
  CHECK(value_refusal([] {
          rnd::choice(2, {3}, {.p = {1.5, -0.5}});
        }) == "[choice] a probability is -0.500000");
  CHECK(axis_refusal([] {
          rnd::choice(sn::zeros({2, 2}), {3}, {.axis = 2});
        }) == "[choice] axis 2 is out of range for 2 dimensions");
  CHECK(value_refusal([] {
          rnd::categorical(sn::zeros({3, 0}));
        }) == "[categorical] shape (3, 0) leaves nothing to choose");
  CHECK(axis_refusal([] { rnd::categorical(sn::zeros({3}), {.axis = 1}); }) ==
        "[categorical] axis 1 is out of range for 1 dimension");
  CHECK(shape_refusal([] { rnd::multivariate_normal(sn::zeros({3}), sn::eye(2)); }) ==
        "[multivariate_normal] a mean of shape (3,) and a covariance of shape (2, 2): "
        "(..., n) and (..., n, n) fit");
}

TEST_CASE("generators refuse other seeds and other texts") {
  rnd::generator rng(1);
  CHECK(value_refusal([&] { rng.normal({3}, {.seed = 1}); }) ==
        "[generator] it has a seed of its own: leave .seed out");
  CHECK(value_refusal([&] { rng.split(-1); }) == "[split] a count of -1 is negative");
  for (const char* text :
       {"", "mt19937 1 2", "philox4x32-10", "philox4x32-10 1", "philox4x32-10 1 x",
        "philox4x32-10 1 2 3", "philox4x32-10 11111111111111111 2"}) {
    CHECK(value_refusal([&] { rnd::generator::from_string(text); }) ==
          "[generator] \"" + std::string(text) + "\" is no state of a generator");
  }
}

}  // namespace rejected_test
