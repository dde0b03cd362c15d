#pragma once
// What a C++ programmer writes without a library: one loop over everything that fits in one,
// distributed over threads. Compiled with -O3 -march=native -ffast-math, so the compiler may
// vectorise sums and call libm's vector functions: freedoms that sinter does not take.

#include <cstdint>
#include <functional>

namespace bench {

/// Calls body(begin, end) on parts of [0, count), in as many threads as sinter uses, which stay
/// ready like sinter's own.
void in_threads(std::int64_t count, const std::function<void(std::int64_t, std::int64_t)>& body);

namespace by_hand {

using size = std::int64_t;

void softplus(const float* x, float* y, size n);
/// y = (x * 2 + 1) * x - 0.5, clipped at 4 from above: five operations
void chain(const float* x, float* y, size n);
/// out = (x * 2 + y) * x - y, clipped at 0 from below: five operations
void chain_of_two(const float* x, const float* y, float* out, size n);
/// x = x * x + x, six times
void long_chain(const float* x, float* y, size n);
/// out = a * x + y
void saxpy(float a, const float* x, const float* y, float* out, size n);
/// The price of a call option for each spot, strike and years to expiry.
void black_scholes(const float* spot, const float* strike, const float* years, float* call,
                   float rate, float volatility, size n);
/// Per row.
void softmax(const float* x, float* y, size rows, size columns);
void variance(const float* x, float* y, size rows, size columns);
/// Binomial, 5 x 5, without the borders: (rows - 4) x (columns - 4) results.
void blur(const float* x, float* y, size rows, size columns);

// Memory bandwidth. Streaming stores bypass the caches, which is faster for large arrays; they need
// a result aligned to 64 bytes.
void copy(const float* x, float* y, size n, bool streaming);
void triad(float a, const float* x, const float* y, float* out, size n, bool streaming);
double sum(const float* x, size n);

}  // namespace by_hand
}  // namespace bench
