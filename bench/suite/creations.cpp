// Arrays created from nothing: ideally nothing is read.

#include <cmath>
#include <limits>

#include "bench/suite/workload.hpp"

namespace suite {

namespace {

longs doubled_transpose(const dims& d) {
  return sn::arange<std::int64_t>(d.n).reshape({1000, -1}).T() * 2;
}

tensors doubled_transpose_by_hand(const dims& d, const tensors&) {
  tensor out({d.n / 1000, 1000});
  for (index i = 0; i < d.n / 1000; ++i)
    for (index j = 0; j < 1000; ++j) out(i, j) = static_cast<double>(2 * (j * (d.n / 1000) + i));
  return {out};
}

workload arange_transposed() {
  return {
      .name = "arange_T2",
      .group = 'A',
      .type = "i64",
      .sizes = {{"1e4", {.n = 10'000}, checked | timed},
                {"1e5", {.n = 100'000}},
                {"1e6", {.n = 1'000'000}},
                {"1e7", {.n = 10'000'000}},
                {"1e8", {.n = 100'000'000}, timed | large}},
      .inputs = [](const dims&) { return std::vector<input>{}; },
      .run = program_of(doubled_transpose),
      .error = against(doubled_transpose_by_hand),
      .tolerance = 0,
      .bytes = per_element(8),
      .flops = per_element(1),
  };
}

doubles random_square(const dims& d) {
  return sn::random::uniform<double>({d.n, d.n});
}

/// 0 if the numbers may be uniform in [0, 1): their mean is about a half, and they are spread out.
double looks_uniform(const dims&, const tensors&, const tensors& got) {
  double sum = 0, squares = 0;
  for (const double x : got[0].v) {
    if (!(x >= 0 && x < 1)) return std::numeric_limits<double>::infinity();
    sum += x;
    squares += x * x;
  }
  const auto n = static_cast<double>(got[0].size());
  const double mean = sum / n, spread = std::sqrt(squares / n - mean * mean);
  return std::abs(mean - .5) < .2 && spread > .15 ? 0 : std::numeric_limits<double>::infinity();
}

workload random_create() {
  const auto square = [](const dims& d) { return static_cast<double>(d.n * d.n); };
  return {
      .name = "random_create",
      .group = 'A',
      .type = "f64",
      .sizes = {{"10", {.n = 10}, checked | timed},
                {"100", {.n = 100}},
                {"1000", {.n = 1000}},
                {"3162", {.n = 3162}},
                {"10000", {.n = 10'000}, timed | large}},
      .inputs = [](const dims&) { return std::vector<input>{}; },
      .run = program_of(random_square),
      .error = looks_uniform,
      .tolerance = 0,
      .bytes = [=](const dims& d) { return 8 * square(d); },
      .flops = [](const dims&) { return 0.0; },
  };
}

}  // namespace

std::vector<workload> creations() {
  return {arange_transposed(), random_create()};
}

}  // namespace suite
