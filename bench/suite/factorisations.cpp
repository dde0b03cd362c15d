// Factorisations by a library, judged by how well the factors multiply to the input.

#include <algorithm>

#include "bench/suite/workload.hpp"

namespace suite {

namespace {

/// The 2-norm of (a b - c), relative to c.
double product_error(const tensor& a, const tensor& b, const tensor& c) {
  tensor product(c.shape);
  for (index i = 0; i < a.shape[0]; ++i)
    for (index k = 0; k < a.shape[1]; ++k)
      for (index j = 0; j < b.shape[1]; ++j) product(i, j) += a(i, k) * b(k, j);
  return relative_error({product}, {c});
}

tensor identity(index n) {
  tensor one({n, n});
  for (index i = 0; i < n; ++i) one(i, i) = 1;
  return one;
}

tensor transposed(const tensor& a) {
  tensor t({a.shape[1], a.shape[0]});
  for (index i = 0; i < a.shape[0]; ++i)
    for (index j = 0; j < a.shape[1]; ++j) t(j, i) = a(i, j);
  return t;
}

doubles inverse(const doubles& a) {
  return sn::linalg::inv(a);
}

workload inv_check() {
  return {
      .name = "inv_check",
      .group = 'A',
      .type = "f64",
      .sizes = {{"100", {.n = 100}, checked}},
      .inputs =
          [](const dims& d) {
            return std::vector{normal<double>({d.n, d.n})};
          },
      .run = program_of(inverse),
      .error = [](const dims& d, const tensors& in,
                  const tensors& got) { return product_error(in[0], got[0], identity(d.n)); },
      .tolerance = 1e-8,
      .bytes = [](const dims& d) { return 16 * squared(d); },
      .flops = [](const dims& d) { return 2 * cubed(d); },
  };
}

doubles inverse_of_random(const dims& d) {
  return sn::linalg::inv(sn::random::uniform<double>({d.n, d.n}));
}

workload random_inv() {
  return {
      .name = "random_inv",
      .group = 'A',
      .type = "f64",
      .sizes = {{"1", {.n = 1}},
                {"3", {.n = 3}},
                {"10", {.n = 10}},
                {"31", {.n = 31}},
                {"100", {.n = 100}},
                {"316", {.n = 316}},
                {"1000", {.n = 1000}},
                {"3162", {.n = 3162}, timed | large},
                {"10000", {.n = 10'000}, timed | large}},
      .inputs = [](const dims&) { return std::vector<input>{}; },
      .run = program_of(inverse_of_random),
      .error = {},
      .bytes = [](const dims& d) { return 8 * squared(d); },
      .flops = [](const dims& d) { return 2 * cubed(d); },
      .most_runs = 3,
  };
}

std::tuple<doubles, doubles, doubles> singular_values(const doubles& a) {
  const auto [u, s, vh] = sn::linalg::svd(a);
  return {u, s, vh};
}

/// u and vh orthogonal, s descending, and u s vh the matrix.
double svd_error(const dims& d, const tensors& in, const tensors& got) {
  const tensor &u = got[0], &s = got[1], &vh = got[2], one = identity(d.n);
  if (!std::is_sorted(s.v.rbegin(), s.v.rend())) return 1;
  tensor scaled = vh;
  for (index i = 0; i < d.n; ++i)
    for (index j = 0; j < d.n; ++j) scaled(i, j) *= s(i);
  return std::max({product_error(u, scaled, in[0]), product_error(transposed(u), u, one),
                   product_error(vh, transposed(vh), one)});
}

workload svd() {
  return {
      .name = "svd",
      .group = 'A',
      .type = "f64",
      .sizes = {{"100", {.n = 100}, checked | timed},
                {"400", {.n = 400}, timed | cpu_only},
                {"1000", {.n = 1000}, timed | large}},
      .inputs =
          [](const dims& d) {
            return std::vector{normal<double>({d.n, d.n})};
          },
      .run = program_of(singular_values),
      .error = svd_error,
      .tolerance = 1e-9,
      .bytes = [](const dims& d) { return 24 * squared(d) + 8 * static_cast<double>(d.n); },
      .flops = [](const dims& d) { return 22 * cubed(d); },
      .most_runs = 3,
  };
}

}  // namespace

std::vector<workload> factorisations() {
  return {random_inv(), inv_check(), svd()};
}

}  // namespace suite
