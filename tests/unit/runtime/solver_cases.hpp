#pragma once
// Requirements for every device's solver: small column-major batches, checked with plain loops in
// double. Written against a device, so that CPU and GPU run the same cases.

#include <algorithm>
#include <cmath>
#include <complex>
#include <cstdint>
#include <vector>

#include "gemm_cases.hpp"
#include "host_batch.hpp"
#include "on_device.hpp"
#include "runtime/device.hpp"
#include "runtime/solver.hpp"
#include "tests/catch.hpp"

namespace sinter::runtime {

template <class T> T conjugate(const T& x) {
  if constexpr (std::is_floating_point_v<T>) {
    return x;
  } else {
    return std::conj(x);
  }
}

template <class T> class solver_contract {
 public:
  using real = decltype(std::real(T{}));
  using wide = typename wide_of<T>::type;

  /// `inverted`: the most rows that `invert` supports there; more than 32 also in place.
  explicit solver_contract(device& d, std::int64_t inverted = 1000)
      : device_(d), solver_(d.factorisations()), inverted_(inverted) {}

  void run() {
    for (const std::int64_t batch : {1, 3}) {
      for (const std::int64_t n : {1, 2, 5, 40}) {
        INFO("batch " << batch << ", n " << n);
        cholesky(n, batch);
        lu(n, batch);
        triangles(n, batch);
        hermitian(n, batch);
        general(n, batch);
        for (const std::int64_t m : {n, n + 3, 4 * n}) {
          qr(m, n, batch);
          svd(m, n, batch, svd_vectors::thin);
          svd(m, n, batch, svd_vectors::full);
        }
      }
    }
    for (const std::int64_t batch : {1, 3, 1000}) {
      for (const std::int64_t n : {1, 2, 4, 7, 32, 120}) {
        if (n <= inverted_ && n * batch <= 32'000) inverses(n, batch);
      }
    }
    failures();
  }

 private:
  void inverses(std::int64_t n, std::int64_t batch) {
    INFO("batch " << batch << ", inverses of " << n << " rows");
    auto a = host_batch<T>::random(n, n, batch, 51);
    for (std::int64_t b = 0; b < batch; ++b) {
      for (std::int64_t i = 0; i < n; ++i) a(b, i, n - 1 - i) += T(static_cast<real>(2 * n + 1));
    }
    if (n > 1 && batch > 2) std::fill_n(a.data.begin() + 2 * n * n, n, T(0));  // a column of one
    const on_device<T> memory(device_, a.data), made(device_, batch * n * n);
    const on_device<std::int32_t> info(device_, batch);
    solver_.invert(place(a, memory), made.data(), info.data());
    CHECK(memory.read() == a.data);
    auto x = a;
    x.data = made.read();
    const auto status = info.read();
    if (inverted_ > 32) {
      solver_.invert(place(a, memory), memory.data(), info.data());
      CHECK(memory.read() == x.data);
    }
    for (std::int64_t b = 0; b < batch; ++b) {
      const bool singular = n > 1 && b == 2;
      CHECK((status[static_cast<std::size_t>(b)] != 0) == singular);
      if (!singular) CHECK(off_identity(a, x, b) < tolerance(n));
    }
  }

  static element type() { return element_of<T>(); }
  double tolerance(std::int64_t n) const {
    return 60.0 * static_cast<double>(n + 1) *
           static_cast<double>(std::numeric_limits<real>::epsilon());
  }
  matrices place(const host_batch<T>& x, const on_device<T>& memory) const {
    return {type(), x.rows, x.columns, x.batch, memory.data()};
  }
  static void check_info(const on_device<std::int32_t>& info) {
    for (const std::int32_t i : info.read()) CHECK(i == 0);
  }
  static host_batch<T> hermitian_sample(std::int64_t n, std::int64_t batch, double shift) {
    auto x = host_batch<T>::random(n, n, batch, 11);
    for (std::int64_t b = 0; b < batch; ++b) {
      for (std::int64_t i = 0; i < n; ++i) {
        for (std::int64_t j = 0; j < i; ++j) x(b, i, j) = conjugate(x(b, j, i));
        x(b, i, i) = static_cast<real>(std::real(x(b, i, i)) + shift);
      }
    }
    return x;
  }

  /// largest |sum - expected| over all elements
  template <class Sum, class Expected>
  static double worst(std::int64_t batch, std::int64_t m, std::int64_t n, Sum sum,
                      Expected expected) {
    double most = 0;
    for (std::int64_t b = 0; b < batch; ++b) {
      for (std::int64_t i = 0; i < m; ++i) {
        for (std::int64_t j = 0; j < n; ++j) {
          most = std::max(most, std::abs(sum(b, i, j) - expected(b, i, j)));
        }
      }
    }
    return most;
  }

  void cholesky(std::int64_t n, std::int64_t batch) {
    const auto a = hermitian_sample(n, batch, 2.0 * static_cast<double>(n));
    for (const triangle t : {triangle::lower, triangle::upper}) {
      const on_device<T> memory(device_, a.data);
      const on_device<std::int32_t> info(device_, batch);
      solver_.cholesky(place(a, memory), t, info.data());
      check_info(info);
      host_batch<T> f = a;
      f.data = memory.read();
      const auto holds = [&](auto i, auto j) { return t == triangle::lower ? i >= j : i <= j; };
      const auto entry = [&](std::int64_t b, std::int64_t i, std::int64_t j) {
        return holds(i, j) ? f.at(b, i, j) : wide(0);
      };
      if (batch == 1) {  // batched routines may overwrite the other triangle
        const double moved = worst(
            batch, n, n, [&](auto b, auto i, auto j) { return holds(i, j) ? 0.0 : f.at(b, i, j); },
            [&](auto b, auto i, auto j) { return holds(i, j) ? 0.0 : a.at(b, i, j); });
        CHECK(moved == 0);
      }
      const double off = worst(
          batch, n, n,
          [&](auto b, auto i, auto j) {
            wide s = 0;
            for (std::int64_t k = 0; k < n; ++k) {
              s += t == triangle::lower ? entry(b, i, k) * conjugate(entry(b, j, k))
                                        : conjugate(entry(b, k, i)) * entry(b, k, j);
            }
            return s;
          },
          [&](auto b, auto i, auto j) { return a.at(b, i, j); });
      CHECK(off < tolerance(n) * 3 * static_cast<double>(n));
    }
  }

  void lu(std::int64_t n, std::int64_t batch) {
    auto a = host_batch<T>::random(n, n, batch, 5);
    for (std::int64_t b = 0; b < batch; ++b) {
      for (std::int64_t i = 0; i < n; ++i) a(b, i, i) += static_cast<real>(n);
    }
    const auto right = host_batch<T>::random(n, 3, batch, 6);
    const on_device<T> memory(device_, a.data);
    const on_device<std::int32_t> info(device_, batch), pivots(device_, batch * n);
    solver_.lu(place(a, memory), pivots.data(), info.data());
    check_info(info);
    for (const std::int32_t p : pivots.read()) CHECK((p >= 1 && p <= n));
    for (const transposition op :
         {transposition::none, transposition::transpose, transposition::adjoint}) {
      const on_device<T> solved(device_, right.data);
      solver_.lu_solve(place(a, memory), pivots.data(), place(right, solved), op);
      host_batch<T> x = right;
      x.data = solved.read();
      const double off = worst(
          batch, n, 3,
          [&](auto b, auto i, auto j) {
            wide s = 0;
            for (std::int64_t k = 0; k < n; ++k) s += entry_of(a, op, b, i, k) * x.at(b, k, j);
            return s;
          },
          [&](auto b, auto i, auto j) { return right.at(b, i, j); });
      CHECK(off < tolerance(n));
    }
    // With its rows exchanged, a is L U.
    host_batch<T> f = a, permuted = a;
    f.data = memory.read();
    permuted.swap_rows(pivots.read());
    const double off = worst(
        batch, n, n,
        [&](auto b, auto i, auto j) {
          wide s = 0;
          for (std::int64_t k = 0; k <= std::min(i, j); ++k) {
            s += (k == i ? wide(1) : f.at(b, i, k)) * f.at(b, k, j);
          }
          return s;
        },
        [&](auto b, auto i, auto j) { return permuted.at(b, i, j); });
    CHECK(off < tolerance(n) * static_cast<double>(n));
  }

  static wide entry_of(const host_batch<T>& a, transposition op, std::int64_t b, std::int64_t i,
                       std::int64_t k) {
    if (op == transposition::none) return a.at(b, i, k);
    const wide x = a.at(b, k, i);
    return op == transposition::adjoint ? conjugate(x) : x;
  }

  void triangles(std::int64_t n, std::int64_t batch) {
    auto a = host_batch<T>::random(n, n, batch, 8);
    for (std::int64_t b = 0; b < batch; ++b) {
      for (std::int64_t i = 0; i < n; ++i) a(b, i, i) += static_cast<real>(n + 1);
    }
    const auto right = host_batch<T>::random(n, 2, batch, 9);
    const on_device<T> memory(device_, a.data), solved(device_, right.data);
    solver_.triangular_solve(place(a, memory), place(right, solved), triangle::lower,
                             transposition::adjoint, false);
    host_batch<T> x = right;
    x.data = solved.read();
    const double off = worst(
        batch, n, 2,
        [&](auto b, auto i, auto j) {
          wide s = 0;
          for (std::int64_t k = i; k < n; ++k) s += conjugate(a.at(b, k, i)) * x.at(b, k, j);
          return s;
        },
        [&](auto b, auto i, auto j) { return right.at(b, i, j); });
    CHECK(off < tolerance(n));
  }

  void qr(std::int64_t m, std::int64_t n, std::int64_t batch) {
    const auto a = host_batch<T>::random(m, n, batch, 21);
    const on_device<T> memory(device_, a.data), tau(device_, batch * n);
    const on_device<std::int32_t> info(device_, batch);
    solver_.qr(place(a, memory), tau.data(), info.data());
    check_info(info);
    host_batch<T> r = a, q = a;
    r.data = memory.read();
    solver_.form_q(place(a, memory), n, tau.data(), info.data());
    check_info(info);
    q.data = memory.read();
    const double off = worst(
        batch, m, n,
        [&](auto b, auto i, auto j) {
          wide s = 0;
          for (std::int64_t k = 0; k <= j; ++k) s += q.at(b, i, k) * r.at(b, k, j);
          return s;
        },
        [&](auto b, auto i, auto j) { return a.at(b, i, j); });
    CHECK(off < tolerance(m));
    check_orthonormal(q, m);
  }

  void check_orthonormal(const host_batch<T>& q, std::int64_t m) {
    const double off = worst(
        q.batch, q.columns, q.columns,
        [&](auto b, auto i, auto j) {
          wide s = 0;
          for (std::int64_t k = 0; k < q.rows; ++k) s += conjugate(q.at(b, k, i)) * q.at(b, k, j);
          return s;
        },
        [](auto, auto i, auto j) { return wide(i == j ? 1 : 0); });
    CHECK(off < tolerance(m));
  }

  void svd(std::int64_t m, std::int64_t n, std::int64_t batch, svd_vectors vectors) {
    const std::int64_t width = vectors == svd_vectors::full ? m : n;
    const auto a = host_batch<T>::random(m, n, batch, 31);
    const on_device<T> memory(device_, a.data), left(device_, batch * m * width),
        right(device_, batch * n * n);
    const on_device<real> values(device_, batch * n), alone(device_, batch * n);
    const on_device<std::int32_t> info(device_, batch);
    solver_.svd(place(a, memory), values.data(), left.data(), right.data(), vectors, info.data());
    check_info(info);
    host_batch<T> u(m, width, batch), vh(n, n, batch);
    u.data = left.read();
    vh.data = right.read();
    const auto s = values.read();
    const double off = worst(
        batch, m, n,
        [&](auto b, auto i, auto j) {
          wide sum = 0;
          for (std::int64_t k = 0; k < n; ++k) {
            sum += u.at(b, i, k) * static_cast<double>(s[static_cast<std::size_t>(b * n + k)]) *
                   vh.at(b, k, j);
          }
          return sum;
        },
        [&](auto b, auto i, auto j) { return a.at(b, i, j); });
    CHECK(off < tolerance(m) * 2);
    check_orthonormal(u, m);
    const on_device<T> again(device_, a.data);
    solver_.svd(place(a, again), alone.data(), nullptr, nullptr, svd_vectors::none, info.data());
    const auto t = alone.read();
    for (std::size_t i = 0; i < s.size(); ++i) {
      CHECK(std::abs(static_cast<double>(s[i] - t[i])) < tolerance(m) * 2);
      if (i % static_cast<std::size_t>(n)) CHECK(s[i] <= s[i - 1]);
    }
  }

  void hermitian(std::int64_t n, std::int64_t batch) {
    const auto a = hermitian_sample(n, batch, 0);
    const on_device<T> memory(device_, a.data);
    const on_device<real> values(device_, batch * n);
    const on_device<std::int32_t> info(device_, batch);
    solver_.eigh(place(a, memory), values.data(), true, triangle::upper, info.data());
    check_info(info);
    host_batch<T> v = a;
    v.data = memory.read();
    const auto w = values.read();
    const double off = worst(
        batch, n, n,
        [&](auto b, auto i, auto j) {
          wide s = 0;
          for (std::int64_t k = 0; k < n; ++k) s += a.at(b, i, k) * v.at(b, k, j);
          return s;
        },
        [&](auto b, auto i, auto j) {
          return v.at(b, i, j) * static_cast<double>(w[static_cast<std::size_t>(b * n + j)]);
        });
    CHECK(off < tolerance(n) * 2);
    check_orthonormal(v, n);
  }

  void general(std::int64_t n, std::int64_t batch) {
    const auto a = host_batch<T>::random(n, n, batch, 41);
    const on_device<T> memory(device_, a.data), right(device_, batch * n * n);
    const on_device<std::complex<real>> values(device_, batch * n);
    const on_device<std::int32_t> info(device_, batch);
    solver_.eig(place(a, memory), values.data(), right.data(), info.data());
    check_info(info);
    host_batch<T> packed = a;
    packed.data = right.read();
    const auto w = values.read();
    using number = std::complex<double>;
    const auto value = [&](std::int64_t b, std::int64_t j) {
      return number(w[static_cast<std::size_t>(b * n + j)]);
    };
    const auto entry = [&](std::int64_t b, std::int64_t i, std::int64_t j) -> number {
      if constexpr (std::is_floating_point_v<T>) {
        if (value(b, j).imag() > 0) return {packed.at(b, i, j), packed.at(b, i, j + 1)};
        if (value(b, j).imag() < 0) return {packed.at(b, i, j - 1), -packed.at(b, i, j)};
      }
      return number(packed.at(b, i, j));
    };
    const double off = worst(
        batch, n, n,
        [&](auto b, auto i, auto j) {
          number s = 0;
          for (std::int64_t k = 0; k < n; ++k) s += number(a.at(b, i, k)) * entry(b, k, j);
          return s;
        },
        [&](auto b, auto i, auto j) { return entry(b, i, j) * value(b, j); });
    CHECK(off < tolerance(n) * 4);
  }

  void failures() {
    host_batch<T> a(3, 3, 2);
    for (std::int64_t b = 0; b < 2; ++b) {
      for (std::int64_t i = 0; i < 3; ++i) a(b, i, i) = T(1);
    }
    a(1, 1, 1) = T(-1);
    const on_device<T> memory(device_, a.data);
    const on_device<std::int32_t> info(device_, 2), pivots(device_, 6);
    solver_.cholesky(place(a, memory), triangle::lower, info.data());
    CHECK(info.read() == std::vector<std::int32_t>{0, 2});
    a(1, 1, 1) = T(0);
    const on_device<T> again(device_, a.data);
    solver_.lu(place(a, again), pivots.data(), info.data());
    CHECK(info.read() == std::vector<std::int32_t>{0, 2});
  }

  device& device_;
  solver& solver_;
  std::int64_t inverted_;
};

}  // namespace sinter::runtime
