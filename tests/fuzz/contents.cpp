// The contents of sources.
#include <array>
#include <cmath>
#include <cstring>
#include <limits>
#include <type_traits>

#include "tests/fuzz/choices.hpp"
#include "tests/fuzz/trial.hpp"

namespace sinter::fuzz {
namespace {

template <class T>
constexpr bool is_half_type = std::is_same_v<T, float16> || std::is_same_v<T, bfloat16>;

template <class T> T special_real(std::uint64_t word) {
  using limits = std::numeric_limits<std::conditional_t<is_half_type<T>, float, T>>;
  const double values[] = {0.0,
                           -0.0,
                           1,
                           -1,
                           0.5,
                           2,
                           -2,
                           1.0 / 3,
                           100.5,
                           -1e-3,
                           3.141592653589793,
                           16777217,
                           65504,
                           1e30,
                           -1e-30,
                           static_cast<double>(limits::max()),
                           static_cast<double>(limits::lowest()),
                           static_cast<double>(limits::min()),
                           static_cast<double>(limits::denorm_min()),
                           -static_cast<double>(limits::denorm_min()),
                           5.9604644775390625e-8,
                           std::numeric_limits<double>::infinity(),
                           -std::numeric_limits<double>::infinity(),
                           std::numeric_limits<double>::quiet_NaN()};
  return T(values[word % std::size(values)]);
}

template <class T> T special_integer(std::uint64_t word) {
  using limits = std::numeric_limits<T>;
  const T values[] = {0,
                      1,
                      2,
                      3,
                      7,
                      static_cast<T>(-1),
                      static_cast<T>(-2),
                      limits::min(),
                      limits::max(),
                      static_cast<T>(limits::min() + 1),
                      static_cast<T>(limits::max() - 1),
                      static_cast<T>(8 * sizeof(T) - 1),
                      static_cast<T>(8 * sizeof(T)),
                      static_cast<T>(limits::max() / 2)};
  return values[word % std::size(values)];
}

/// In [0, 1).
double unit(std::uint64_t word) {
  return static_cast<double>(word >> 11) * 0x1p-53;
}

template <class T> T make_real(fill what, std::uint64_t i, random_bits& r) {
  const std::uint64_t word = r.next();
  switch (what) {
    case fill::ones:
      return T(1.0);
    case fill::ascending:
      return T(static_cast<double>(i % 1000));
    case fill::small:
      return T((static_cast<double>(word % 17) - 8) / 2);
    case fill::edges:
      if (word % 4 == 0) return special_real<T>(word >> 2);
      return T((unit(r.next()) - 0.5) * std::ldexp(1.0, static_cast<int>(word >> 2) % 8));
    case fill::bits:
      break;
  }
  T value;
  std::memcpy(static_cast<void*>(&value), &word, sizeof(T));
  return value;
}

template <class T> T make_integer(fill what, std::uint64_t i, random_bits& r) {
  const std::uint64_t word = r.next();
  switch (what) {
    case fill::ones:
      return 1;
    case fill::ascending:
      return static_cast<T>(i);
    case fill::small:
      return static_cast<T>(word % 9 - (std::is_signed_v<T> ? 4 : 0));
    case fill::edges:
      if (word % 4 == 0) return special_integer<T>(word >> 2);
      return static_cast<T>(word % 2 ? word >> 2 : (word >> 2) % 201 - 100);
    case fill::bits:
      break;
  }
  return static_cast<T>(word);
}

template <class T> T make_element(fill what, std::uint64_t i, random_bits& r) {
  if constexpr (std::is_same_v<T, bool>) {
    return what == fill::ones || (what == fill::ascending ? i % 2 : r.next() % 2) != 0;
  } else if constexpr (std::is_integral_v<T>) {
    return make_integer<T>(what, i, r);
  } else if constexpr (std::is_same_v<T, std::complex<float>> ||
                       std::is_same_v<T, std::complex<double>>) {
    const auto re = make_real<typename T::value_type>(what, i, r);
    return {re, make_real<typename T::value_type>(what, i + 1, r)};
  } else {
    return make_real<T>(what, i, r);
  }
}

}  // namespace

ir::tensor make_tensor(dtype type, const ir::shape_t& shape, const contents& c) {
  const auto n = static_cast<std::size_t>(ir::size_of(shape));
  ir::tensor t{type, shape, std::vector<std::byte>(n * size_of(type))};
  random_bits r(c.seed);
  with_type(type, [&]<class T>(std::type_identity<T>) {
    for (std::size_t i = 0; i < n; ++i) {
      const T value = make_element<T>(c.what, i, r);
      std::memcpy(t.data.data() + i * sizeof(T), &value, sizeof(T));
    }
  });
  return t;
}

std::vector<ir::tensor> tensors_of(const trial& t) {
  std::vector<ir::tensor> out;
  for (const ir::node& n : t.graph.nodes) {
    if (n.kind == ir::node_kind::source) {
      out.push_back(make_tensor(n.type, n.shape, t.sources.at(out.size())));
    }
  }
  return out;
}

}  // namespace sinter::fuzz
