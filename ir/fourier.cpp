#include "ir/fourier.hpp"

#include <cmath>
#include <complex>
#include <cstring>
#include <numbers>

#include "ir/reference.hpp"

namespace sinter::ir {
namespace {

using value = std::complex<double>;

/// Elements as complex doubles, whatever their stored type.
struct reader {
  const tensor_view& t;

  double one(extent i) const {
    scalar_value v;
    const std::size_t width = size_of(t.type);
    const auto* from = static_cast<const std::byte*>(t.data);
    std::memcpy(v.bits, from + static_cast<std::size_t>(i) * width, width);
    return std::bit_cast<double>(convert(v, t.type, dtype::float64).bits[0]);
  }
  value operator()(extent i) const {
    if (!is_complex(t.type)) return one(i);
    const auto* from = static_cast<const std::byte*>(t.data);
    if (t.type == dtype::complex64) {
      std::complex<float> v;
      std::memcpy(&v, from + static_cast<std::size_t>(i) * sizeof v, sizeof v);
      return v;
    }
    value v;
    std::memcpy(&v, from + static_cast<std::size_t>(i) * sizeof v, sizeof v);
    return v;
  }
};

void write(tensor& t, extent i, double x) {
  scalar_value v;
  v.bits[0] = std::bit_cast<std::uint64_t>(x);
  const std::size_t width = size_of(t.type);
  const scalar_value narrow = convert(v, dtype::float64, t.type);
  std::memcpy(t.data.data() + static_cast<std::size_t>(i) * width, narrow.bits, width);
}

void write(tensor& t, extent i, value x) {
  if (!is_complex(t.type)) return write(t, i, x.real());
  std::byte* to = t.data.data() + static_cast<std::size_t>(i) * size_of(t.type);
  if (t.type == dtype::complex64) {
    const std::complex<float> narrow(x);
    std::memcpy(to, &narrow, sizeof narrow);
  } else {
    std::memcpy(to, &x, sizeof x);
  }
}

/// Transforms one axis of a dense [before, n, behind], by the definition.
void transform(std::vector<value>& x, extent n, extent behind, bool inverse) {
  std::vector<value> line(static_cast<std::size_t>(n));
  const auto size = static_cast<extent>(x.size());
  for (extent start = 0; start < size; ++start) {
    if (start / behind % n != 0) continue;
    for (extent k = 0; k < n; ++k) {
      value sum = 0;
      for (extent j = 0; j < n; ++j) {
        const double turn = static_cast<double>(k * j % n) / static_cast<double>(n);
        const value root = std::polar(1.0, (inverse ? 2 : -2) * std::numbers::pi * turn);
        sum += x[static_cast<std::size_t>(start + j * behind)] * root;
      }
      line[static_cast<std::size_t>(k)] = sum;
    }
    for (extent k = 0; k < n; ++k) {
      x[static_cast<std::size_t>(start + k * behind)] = line[static_cast<std::size_t>(k)];
    }
  }
}

}  // namespace

void fourier_routine(const routine_call& call) {
  const tensor_view& in = call.inputs.at(0);
  tensor& out = *call.outputs.at(0);
  const auto a = fourier_attributes::unpack(call.attributes);
  shape_t shape = a.merged(in.shape);
  const std::size_t axes = shape.size() - 2;
  const extent stored = shape[axes], behind = shape.back(), half = a.length / 2 + 1;
  shape[axes] = a.length;
  std::vector<value> x(static_cast<std::size_t>(size_of(shape)));
  const reader read{in};
  for (extent i = 0; i < static_cast<extent>(x.size()); ++i) {
    const extent row = i / behind / a.length, k = i / behind % a.length, b = i % behind;
    const auto at = [&](extent j) { return read((row * stored + j) * behind + b); };
    const bool alone = k == 0 || 2 * k == a.length;
    x[static_cast<std::size_t>(i)] = !a.to_real() ? at(k)
                                     : alone      ? value(at(k).real())
                                     : k < half   ? at(k)
                                                  : std::conj(at(a.length - k));
  }
  extent step = behind;
  for (std::size_t d = axes; d > 0; step *= shape[d--]) {
    transform(x, shape[d], step, a.inverse || a.to_real());
  }
  const extent kept = a.from_real() ? half : a.length;
  for (extent i = 0; i < static_cast<extent>(x.size()); ++i) {
    const extent row = i / behind / a.length, k = i / behind % a.length, b = i % behind;
    if (k >= kept) continue;
    write(out, (row * kept + k) * behind + b, x[static_cast<std::size_t>(i)]);
  }
}

}  // namespace sinter::ir
