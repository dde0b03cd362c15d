// Chains of simple arithmetic: bound by memory bandwidth.

#include <algorithm>
#include <cmath>

#include "bench/suite/workload.hpp"

namespace suite {

namespace {

template <class T>
sn::array<T> multiply_add(const sn::array<T>& x, const sn::array<T>& y, const sn::array<T>& z) {
  return x * y + z;
}

template <class T>
workload saxpy(std::string name, std::string type, input (*make)(index), double tolerance) {
  return {
      .name = std::move(name),
      .group = 'A',
      .type = std::move(type),
      .sizes = ladder({1e6, 1e8}),
      .inputs = [=](const dims& d) { return std::vector(3, make(d.n)); },
      .run = program_of(multiply_add<T>),
      .error = elementwise<3>([](double x, double y, double z) { return x * y + z; }),
      .tolerance = tolerance,
      .bytes = per_element(4 * sizeof(T)),
      .flops = per_element(2),
  };
}

doubles add(const doubles& x, const doubles& y) {
  return x + y;
}

workload vecadd() {
  return {
      .name = "vecadd_f64",
      .group = 'A',
      .type = "f64",
      .sizes = ladder({5e7}),
      .inputs = [](const dims& d) { return std::vector(2, uniform<double>({d.n})); },
      .run = program_of(add),
      .error = elementwise<2>([](double x, double y) { return x + y; }),
      .tolerance = 1e-15,
      .bytes = per_element(24),
      .flops = per_element(1),
  };
}

void cube(doubles& x) {
  x *= 3;
  x *= x;
}

workload cube_inplace() {
  return {
      .name = "cube_inplace",
      .group = 'A',
      .type = "f64",
      .sizes = {{"64^3", {.n = 64}, checked | timed},
                {"256^3", {.n = 256}, timed | cpu_only},
                {"1024^3", {.n = 1024}, timed | large}},
      .inputs =
          [](const dims& d) {
            return std::vector{uniform<double>({d.n, d.n, d.n}, .1, 1)};
          },
      .run = program_of(cube),
      .error = elementwise<1>([](double x) { return (x * 3) * (x * 3); }),
      .tolerance = 1e-14,
      .bytes = [](const dims& d) { return 16 * cubed(d); },
      .flops = [](const dims& d) { return 2 * cubed(d); },
  };
}

longs add_column(const longs& column, const longs& c) {
  return column + c;
}

workload broadcast_add() {
  const auto square = [](const dims& d) { return static_cast<double>(d.n * d.n); };
  return {
      .name = "bcast_add_i64",
      .group = 'A',
      .type = "i64",
      .sizes = {{"4x4", {.n = 4}, checked | timed},
                {"2048^2", {.n = 2048}, timed | cpu_only},
                {"8192^2", {.n = 8192}, timed | large}},
      .inputs =
          [](const dims& d) {
            return std::vector{integers({d.n, 1}, 0, 99), integers({d.n, d.n}, 0, 99)};
          },
      .run = program_of(add_column),
      .error = against([](const dims& d, const tensors& in) {
        tensor out({d.n, d.n});
        for (index i = 0; i < d.n; ++i)
          for (index j = 0; j < d.n; ++j) out(i, j) = in[0](i, 0) + in[1](i, j);
        return tensors{out};
      }),
      .tolerance = 0,
      .bytes = [=](const dims& d) { return 16 * square(d) + 8 * static_cast<double>(d.n); },
      .flops = square,
  };
}

longs clipped(const longs& x, const longs& y) {
  return sn::clip(x, 2, 10) * 4 + y * 3 + 9;
}

workload integer_chain() {
  const auto square = [](const dims& d) { return static_cast<double>(d.n * d.n); };
  return {
      .name = "npb_compute",
      .group = 'D',
      .type = "i64",
      .sizes = {{"200^2", {.n = 200}, checked | timed},
                {"2500^2", {.n = 2500}, timed | cpu_only},
                {"12500^2", {.n = 12500}, timed | large}},
      .inputs =
          [](const dims& d) {
            return std::vector(2, integers({d.n, d.n}, 0, 1000));
          },
      .run = program_of(clipped),
      .error = elementwise<2>(
          [](double x, double y) { return std::min(std::max(x, 2.0), 10.0) * 4 + y * 3 + 9; }),
      .tolerance = 0,
      .bytes = [=](const dims& d) { return 24 * square(d); },
      .flops = [=](const dims& d) { return 5 * square(d); },
  };
}

/// `length` operations, of ten kinds in turn.
floats chain_of(const floats& x, const floats& y, int length) {
  floats v = x;
  for (int j = 0; j < length; ++j) {
    switch (j % 10) {
      case 0:
        v = v * y;
        break;
      case 1:
        v = v + 0.37;
        break;
      case 2:
        v = sn::abs(v);
        break;
      case 3:
        v = sn::sqrt(v);
        break;
      case 4:
        v = v + y;
        break;
      case 5:
        v = sn::maximum(v, 0.2);
        break;
      case 6:
        v = v * 0.83;
        break;
      case 7:
        v = sn::minimum(v, 2.5);
        break;
      case 8:
        v = sn::exp(-v);
        break;
      case 9:
        v = v / y;
        break;
    }
  }
  return v;
}
template <int Length> floats chain(const floats& x, const floats& y) {
  return chain_of(x, y, Length);
}

template <int Length> double chain_by_hand(double x, double y) {
  double v = x;
  for (int j = 0; j < Length; ++j) {
    switch (j % 10) {
      case 0:
        v *= y;
        break;
      case 1:
        v += 0.37;
        break;
      case 2:
        v = std::abs(v);
        break;
      case 3:
        v = std::sqrt(v);
        break;
      case 4:
        v += y;
        break;
      case 5:
        v = std::max(v, 0.2);
        break;
      case 6:
        v *= 0.83;
        break;
      case 7:
        v = std::min(v, 2.5);
        break;
      case 8:
        v = std::exp(-v);
        break;
      case 9:
        v /= y;
        break;
    }
  }
  return v;
}

template <int Length> workload chain_workload() {
  return {
      .name = "chain" + std::to_string(Length),
      .group = 'B',
      .type = "f32",
      .sizes = Length == 20 ? ladder({1e6, 1e8}) : ladder({1e8}),
      .inputs =
          [](const dims& d) {
            return std::vector{uniform<float>({d.n}, .1, 1), uniform<float>({d.n}, .5, 1.5)};
          },
      .run = traced_program_of(chain<Length>),
      .error = elementwise<2>(chain_by_hand<Length>),
      .bytes = per_element(12),
      .flops = per_element(Length),
  };
}

}  // namespace

std::vector<workload> elementwise_maps() {
  return {saxpy<float>(
              "saxpy_f32", "f32", [](index n) { return uniform<float>({n}, .5, 2); }, 1e-6),
          saxpy<std::int64_t>(
              "saxpy_i64", "i64", [](index n) { return integers({n}, 1, 1000); }, 0),
          cube_inplace(),
          vecadd(),
          broadcast_add(),
          chain_workload<5>(),
          chain_workload<20>(),
          chain_workload<50>(),
          integer_chain()};
}

}  // namespace suite
