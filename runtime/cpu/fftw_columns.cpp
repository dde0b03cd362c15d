#include "runtime/cpu/fftw_columns.hpp"

#include <algorithm>
#include <complex>
#include <numeric>

namespace sinter::runtime {

namespace {

// The rows of a block stay in the L2, unless they are very long; fewer columns would not fill a
// cache line.
constexpr std::int64_t scratch_bytes = 1 << 18;
constexpr std::int64_t most_columns = 16, fewest_columns = 4;

// Rows start in different cache sets, each aligned for vector units.
constexpr std::int64_t row_step = 16, row_gap = 8;

constexpr std::int64_t line_bytes = 64;

// Columns this short are read as fast in place: through rows, a volume of 128^3 took 6.7 ms.
constexpr std::int64_t short_column = 128;

// The smallest L2: lines this far apart share a set, which has this many ways.
constexpr std::int64_t cache_bytes = 1 << 20, cache_period = 1 << 16, cache_ways = 8;

std::int64_t pitch_of(std::int64_t count) {
  return (count + row_step - 1) / row_step * row_step + row_gap;
}

template <typename Element>
void transpose_in(char* rows, const char* from, std::int64_t count, std::int64_t step,
                  std::int64_t pitch, std::int64_t columns) {
  auto* to = reinterpret_cast<Element*>(rows);
  const auto* in = reinterpret_cast<const Element*>(from);
  for (std::int64_t i = 0; i < count; ++i) {
    for (std::int64_t c = 0; c < columns; ++c) to[c * pitch + i] = in[i * step + c];
  }
}

template <typename Element>
void transpose_out(char* to, const char* rows, std::int64_t count, std::int64_t step,
                   std::int64_t pitch, std::int64_t columns) {
  auto* out = reinterpret_cast<Element*>(to);
  const auto* in = reinterpret_cast<const Element*>(rows);
  for (std::int64_t i = 0; i < count; ++i) {
    for (std::int64_t c = 0; c < columns; ++c) out[i * step + c] = in[c * pitch + i];
  }
}

}  // namespace

column_block::column_block(std::int64_t in_count, std::int64_t out_count, std::int64_t in_step,
                           std::int64_t out_step, int in_size, int out_size)
    : in_count(in_count),
      out_count(out_count),
      in_step(in_step),
      out_step(out_step),
      in_size(in_size),
      out_size(out_size),
      in_pitch(pitch_of(in_count)),
      out_pitch(pitch_of(out_count)),
      width(std::clamp(scratch_bytes / (in_pitch * in_size + out_pitch * out_size), fewest_columns,
                       most_columns)) {}

bool column_block::pays(std::int64_t count, std::int64_t bytes_apart) {
  const std::int64_t lines = cache_period / std::gcd(bytes_apart, cache_period) * cache_ways;
  const bool meet = 2 * count > lines;  // for the lines read and the lines written
  if (count <= short_column || bytes_apart < line_bytes) return false;
  return meet || count * bytes_apart > cache_bytes;
}

void column_block::gather(char* rows, const char* from, std::int64_t columns) const {
  const auto copy = in_size == 4   ? transpose_in<float>
                    : in_size == 8 ? transpose_in<double>
                                   : transpose_in<std::complex<double>>;
  copy(rows, from, in_count, in_step, in_pitch, columns);
}

void column_block::scatter(char* to, const char* rows, std::int64_t columns) const {
  const auto copy = out_size == 4   ? transpose_out<float>
                    : out_size == 8 ? transpose_out<double>
                                    : transpose_out<std::complex<double>>;
  copy(to, rows, out_count, out_step, out_pitch, columns);
}

}  // namespace sinter::runtime
