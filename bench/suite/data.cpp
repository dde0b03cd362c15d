#include "bench/suite/data.hpp"

#include <cmath>
#include <stdexcept>

namespace suite {

namespace {

tensor host_numbers(const input& in, std::mt19937_64& generator) {
  tensor t(in.shape);
  std::uniform_real_distribution<double> uniform(in.a, in.b);
  std::normal_distribution<double> normal;
  for (index i = 0; i < t.size(); ++i) {
    double& x = t.v[static_cast<std::size_t>(i)];
    switch (in.what) {
      case input::kind::uniform:
        x = uniform(generator);
        break;
      case input::kind::normal:
        x = normal(generator);
        break;
      case input::kind::integers:
        x = std::floor(uniform(generator));
        break;
      case input::kind::made:
        x = in.element(generator, i);
        break;
    }
  }
  return t;
}

/// Rounds the numbers to T, so that the reference sees the device's inputs.
template <class T> sn::any_array rounded(tensor& t) {
  std::vector<T> typed(t.v.size());
  for (std::size_t i = 0; i < typed.size(); ++i) {
    typed[i] = static_cast<T>(t.v[i]);
    t.v[i] = static_cast<double>(typed[i]);
  }
  return sn::array<T>(std::span<const T>(typed), t.shape);
}

sn::any_array rounded(tensor& t, sn::dtype type) {
  switch (type) {
    case sn::dtype::float32:
      return rounded<float>(t);
    case sn::dtype::float64:
      return rounded<double>(t);
    case sn::dtype::int64:
      return rounded<index>(t);
    case sn::dtype::bfloat16:
      return rounded<sn::bfloat16>(t);
    default:
      throw std::logic_error("no workload has inputs of this type");
  }
}

template <class T> sn::any_array random_numbers(const input& in, std::uint64_t seed) {
  if constexpr (std::is_integral_v<T>) {
    return sn::random::integers<T>(
        in.shape, {.seed = seed, .low = static_cast<T>(in.a), .high = static_cast<T>(in.b)});
  } else if (in.what == input::kind::uniform) {
    return sn::random::uniform<T>(in.shape, {.seed = seed, .low = in.a, .high = in.b});
  } else {
    return sn::random::normal<T>(in.shape, {.seed = seed, .mean = in.a, .stddev = in.b});
  }
}

sn::any_array random_numbers(const input& in, std::uint64_t seed) {
  switch (in.type) {
    case sn::dtype::float32:
      return random_numbers<float>(in, seed);
    case sn::dtype::float64:
      return random_numbers<double>(in, seed);
    case sn::dtype::int64:
      return random_numbers<index>(in, seed);
    case sn::dtype::bfloat16:
      return random_numbers<sn::bfloat16>(in, seed);
    default:
      throw std::logic_error("no workload has inputs of this type");
  }
}

}  // namespace

data make_data(const std::vector<input>& inputs, bool host, std::mt19937_64& generator) {
  data d;
  for (const input& in : inputs) {
    if (host || in.what == input::kind::made) {
      tensor numbers = host_numbers(in, generator);
      d.arrays.push_back(rounded(numbers, in.type));
      if (host) d.host.push_back(std::move(numbers));
    } else {
      d.arrays.push_back(random_numbers(in, generator()));
    }
    sn::visit(d.arrays.back(), [](const auto& x) { sn::eval(x); });
  }
  return d;
}

}  // namespace suite
