#include "bench/support/hand_written.hpp"

#include <algorithm>
#include <cmath>
#include <mutex>
#include <vector>
#if defined(__SSE2__)
#include <immintrin.h>
#endif

#include "runtime/thread_pool.hpp"

namespace bench {

void in_threads(std::int64_t count, const std::function<void(std::int64_t, std::int64_t)>& body) {
  static sinter::runtime::thread_pool threads;
  // Parts consist of whole cache lines and vectors.
  constexpr std::int64_t unit = 1024;
  threads.parallel_for((count + unit - 1) / unit, [&](std::int64_t begin, std::int64_t end) {
    body(begin * unit, std::min(end * unit, count));
  });
}

namespace by_hand {

namespace {

/// Rows are few and long, so they are distributed one by one.
void rows_in_threads(size rows, const std::function<void(size, size)>& body) {
  in_threads(rows * 1024, [&](size begin, size end) { body(begin / 1024, end / 1024); });
}

/// Sixteen floats at any address.
using vector = float __attribute__((vector_size(64), aligned(4), may_alias));

inline vector load(const float* from) {
  return *reinterpret_cast<const vector*>(from);
}

/// A streaming store: a cache line that is written in full is not read first. REQUIRES: aligned to
/// 64.
inline void stream(float* to, vector v) {
  alignas(64) float parts[16];
  *reinterpret_cast<vector*>(parts) = v;
#if defined(__AVX512F__)
  _mm512_stream_ps(to, _mm512_load_ps(parts));
#elif defined(__AVX__)
  for (int k = 0; k < 16; k += 8) _mm256_stream_ps(to + k, _mm256_load_ps(parts + k));
#elif defined(__SSE2__)
  for (int k = 0; k < 16; k += 4) _mm_stream_ps(to + k, _mm_load_ps(parts + k));
#else
  *reinterpret_cast<vector*>(to) = v;
#endif
}

float phi(float x) {
  return 0.5f * std::erfc(x * -0.70710678f);
}

}  // namespace

void softplus(const float* x, float* y, size n) {
  in_threads(n, [=](size begin, size end) {
    for (size i = begin; i < end; ++i) {
      y[i] = std::max(x[i], 0.0f) + std::log1p(std::exp(-std::abs(x[i])));
    }
  });
}

void chain(const float* x, float* y, size n) {
  in_threads(n, [=](size begin, size end) {
    for (size i = begin; i < end; ++i) y[i] = std::min((x[i] * 2 + 1) * x[i] - 0.5f, 4.0f);
  });
}

void chain_of_two(const float* x, const float* y, float* out, size n) {
  in_threads(n, [=](size begin, size end) {
    for (size i = begin; i < end; ++i) {
      out[i] = std::max((x[i] * 2 + y[i]) * x[i] - y[i], 0.0f);
    }
  });
}

void long_chain(const float* x, float* y, size n) {
  in_threads(n, [=](size begin, size end) {
    for (size i = begin; i < end; ++i) {
      float v = x[i];
      for (int k = 0; k < 6; ++k) v = v * v + v;
      y[i] = v;
    }
  });
}

void saxpy(float a, const float* x, const float* y, float* out, size n) {
  in_threads(n, [=](size begin, size end) {
    for (size i = begin; i < end; ++i) out[i] = a * x[i] + y[i];
  });
}

void black_scholes(const float* spot, const float* strike, const float* years, float* call,
                   float rate, float volatility, size n) {
  const float drift = rate + 0.5f * volatility * volatility;
  in_threads(n, [=](size begin, size end) {
    for (size i = begin; i < end; ++i) {
      const float spread = volatility * std::sqrt(years[i]);
      const float d1 = (std::log(spot[i] / strike[i]) + drift * years[i]) / spread;
      call[i] = spot[i] * phi(d1) - strike[i] * std::exp(-rate * years[i]) * phi(d1 - spread);
    }
  });
}

void softmax(const float* x, float* y, size rows, size columns) {
  rows_in_threads(rows, [=](size begin, size end) {
    for (size r = begin; r < end; ++r) {
      const float* in = x + r * columns;
      float* out = y + r * columns;
      float largest = in[0], total = 0;
      for (size i = 1; i < columns; ++i) largest = std::max(largest, in[i]);
      for (size i = 0; i < columns; ++i) {
        out[i] = std::exp(in[i] - largest);
        total += out[i];
      }
      for (size i = 0; i < columns; ++i) out[i] /= total;
    }
  });
}

void variance(const float* x, float* y, size rows, size columns) {
  rows_in_threads(rows, [=](size begin, size end) {
    for (size r = begin; r < end; ++r) {
      const float* in = x + r * columns;
      float total = 0, squares = 0;
      for (size i = 0; i < columns; ++i) total += in[i];
      const float mean = total / static_cast<float>(columns);
      for (size i = 0; i < columns; ++i) squares += (in[i] - mean) * (in[i] - mean);
      y[r] = squares / static_cast<float>(columns);
    }
  });
}

void blur(const float* x, float* y, size rows, size columns) {
  const auto weigh = [](float a, float b, float c, float d, float e) {
    return (a + 4 * b + 6 * c + 4 * d + e) / 16;
  };
  rows_in_threads(rows - 4, [=](size begin, size end) {
    std::vector<float> row(static_cast<std::size_t>(columns));
    for (size r = begin; r < end; ++r) {
      const float* in = x + r * columns;
      for (size i = 0; i < columns; ++i) {
        row[i] = weigh(in[i], in[i + columns], in[i + 2 * columns], in[i + 3 * columns],
                       in[i + 4 * columns]);
      }
      float* out = y + r * (columns - 4);
      for (size i = 0; i < columns - 4; ++i) {
        out[i] = weigh(row[i], row[i + 1], row[i + 2], row[i + 3], row[i + 4]);
      }
    }
  });
}

void copy(const float* x, float* y, size n, bool streaming) {
  in_threads(n, [=](size begin, size end) {
    size i = begin;
    if (streaming) {
      for (; i + 16 <= end; i += 16) stream(y + i, load(x + i));
    }
    for (; i < end; ++i) y[i] = x[i];
  });
}

void triad(float a, const float* x, const float* y, float* out, size n, bool streaming) {
  in_threads(n, [=](size begin, size end) {
    size i = begin;
    if (streaming) {
      for (; i + 16 <= end; i += 16) stream(out + i, load(x + i) + a * load(y + i));
    }
    for (; i < end; ++i) out[i] = x[i] + a * y[i];
  });
}

double sum(const float* x, size n) {
  std::mutex mutex;
  double all = 0;
  in_threads(n, [&](size begin, size end) {
    // Enough accumulators to hide the latency of an addition.
    vector sums[4] = {};
    size i = begin;
    for (; i + 64 <= end; i += 64) {
      for (int k = 0; k < 4; ++k) sums[k] += load(x + i + 16 * k);
    }
    const vector four = (sums[0] + sums[1]) + (sums[2] + sums[3]);
    float part = 0;
    for (int k = 0; k < 16; ++k) part += four[k];
    for (; i < end; ++i) part += x[i];
    const std::scoped_lock lock(mutex);
    all += part;
  });
  return all;
}

}  // namespace by_hand
}  // namespace bench
