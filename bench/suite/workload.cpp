#include "bench/suite/workload.hpp"

#include <cmath>
#include <limits>

namespace suite {

tensor::tensor(std::vector<index> s, double value) : shape(std::move(s)) {
  std::size_t count = 1;
  for (const index n : shape) count *= static_cast<std::size_t>(n);
  v.assign(count, value);
}

namespace {

double error_of(const tensor& got, const tensor& want) {
  if (got.shape != want.shape) return std::numeric_limits<double>::infinity();
  double off = 0, all = 0;
  for (std::size_t i = 0; i < got.v.size(); ++i) {
    off += (got.v[i] - want.v[i]) * (got.v[i] - want.v[i]);
    all += want.v[i] * want.v[i];
  }
  const double e = std::sqrt(off) / std::max(std::sqrt(all), 1e-300);
  return std::isnan(e) ? std::numeric_limits<double>::infinity() : e;
}

/// 1e4 as "1e4", 5e7 as "5e7".
std::string label_of(double n) {
  const int power = static_cast<int>(std::floor(std::log10(n) + 1e-9));
  return std::to_string(std::lround(n / std::pow(10, power))) + "e" + std::to_string(power);
}

}  // namespace

double relative_error(const tensors& got, const tensors& want) {
  if (got.size() != want.size()) return std::numeric_limits<double>::infinity();
  double worst = 0;
  for (std::size_t i = 0; i < got.size(); ++i) worst = std::max(worst, error_of(got[i], want[i]));
  return worst;
}

tensor to_tensor(const sn::any_array& x) {
  return sn::visit(x, [](const auto& typed) {
    tensor t(typed.to_array().shape());
    using T = typename std::remove_cvref_t<decltype(typed)>::value_type;
    if constexpr (!sn::is_complex(sn::dtype_of<T>)) {
      const auto host = typed.to_host();
      for (std::size_t i = 0; i < host.size(); ++i) {
        t.v[i] = static_cast<double>(
            static_cast<std::conditional_t<sizeof(T) == 2 && !std::is_integral_v<T>, float, T>>(
                host[i]));
      }
    }
    return t;
  });
}

std::vector<size> ladder(std::initializer_list<double> elements) {
  std::vector<size> sizes{{"1e4", {.n = 10'000}, checked | timed}};
  for (const double n : elements) {
    const unsigned what = n > 2e7 ? timed | large : timed;
    if ((what & large) && sizes.back().label != "1e7") {
      sizes.push_back({"1e7", {.n = 10'000'000}, timed | cpu_only});
    }
    sizes.push_back({label_of(n), {.n = static_cast<index>(n)}, what});
  }
  return sizes;
}

std::vector<workload> all_workloads() {
  std::vector<workload> all;
  for (const auto& family : {elementwise_maps, special_functions, creations, full_reductions,
                             axis_reductions, normalisations, scans, stencils, selections, products,
                             factorisations, ocean, simulations}) {
    for (workload& w : family()) all.push_back(std::move(w));
  }
  return all;
}

}  // namespace suite
