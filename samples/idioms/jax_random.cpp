// JAX's random numbers: keys that are split, never shared. A generator is a key that counts.

#include <sinter/sinter.hpp>

#include "samples/idioms/expect.hpp"

namespace sn = sinter;
using floats = sn::array<float>;

int main() {
  expectations expect;

  // key = random.key(42)
  // random.normal(key, (3,)) is the same however often it is called.
  const floats a = sn::random::normal<float>({3}, {.seed = 42});
  const floats b = sn::random::normal<float>({3}, {.seed = 42});
  expect("the same key, the same numbers", sn::array_equal(a, b).item());

  // key, subkey = random.split(key)
  sn::random::generator key(42);
  auto [left, right] = key.split<2>();
  const floats l = left.normal<float>({10'000}), r = right.normal<float>({10'000});
  expect("children of a split draw apart", !sn::array_equal(l, r).item());
  expect("and have nothing in common", sn::corrcoef(sn::stack({l, r}))(0, 1).item(), 0, 0.04);

  // A generator remembers how often it was drawn from, so no number comes twice; JAX splits.
  const floats first = left.normal<float>({3}), second = left.normal<float>({3});
  expect("draws of one generator differ", !sn::array_equal(first, second).item());
  auto again = sn::random::generator::from_string(left.to_string());
  expect("its state can be saved",
         sn::array_equal(again.normal<float>({3}), left.normal<float>({3})).item());

  // vmap(random.normal)(random.split(key, 4)): draw those of all slices at once.
  const floats noise = key.normal<float>({4, 10'000});
  const floats spread = sn::vmap([](auto row) { return sn::stddev(row); })(noise);
  expect("deviation of every slice", sn::max(sn::abs(spread - 1)).item(), 0, 0.04);

  // random.permutation(key, 5), random.categorical(key, logits), random.bernoulli(key, p)
  const auto order = sn::sort(key.permutation(5));
  expect("a permutation of 5", sn::array_equal(order, sn::arange(5)).item());
  const floats logits = sn::log(floats{0.2f, 0.3f, 0.5f});
  const auto drawn = sn::random::categorical(logits, {.seed = 1, .shape = sn::int_list{100'000}});
  expect("categorical draws its last", sn::mean(sn::astype<double>(drawn == 2)).item(), 0.5, 0.01);
  return expect.result();
}
