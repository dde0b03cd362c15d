#include "tests/fuzz/execute.hpp"

#include <algorithm>
#include <mutex>

#include "engine/evaluation/run_graph.hpp"
#include "engine/evaluation/session.hpp"
#include "ir/passes/pipeline.hpp"
#include "tests/fuzz/choices.hpp"
#include "tests/fuzz/compare.hpp"
#include "tests/fuzz/host_plan.hpp"
#include "tests/fuzz/record.hpp"
#include "tests/support/verified.hpp"

namespace sinter::fuzz {
namespace {

constexpr std::string_view names[way_count] = {
    "interpreted",  "interpreted unfused", "gpu interpreted", "gpu interpreted unfused",
    "gpu simulated", "compiled",           "compiled unfused", "recorded",
    "vmapped",      "cuda",                "cuda unfused",    "cuda recorded",
    "cuda vmapped"};

bool is_fused(way w) {
  return w != way::interpreted_unfused && w != way::gpu_interpreted_unfused &&
         w != way::compiled_unfused && w != way::cuda_unfused;
}
bool is_cuda(way w) {
  return w >= way::cuda;
}
/// Needs no device.
bool is_on_host(way w) {
  return w <= way::gpu_simulated;
}
bool is_gpu(way w) {
  return is_cuda(w) || (w >= way::gpu_interpreted && w <= way::gpu_simulated);
}

void count(strictness& k, const estimate& e) {
  k.exact += e.error.empty() ? std::int64_t{ir::size_of(e.value.shape)}
                             : std::ranges::count(e.error, 0);
  for (double x : e.error) {
    if (x > 0) ++(x < anything ? k.bounded : k.unknown);
  }
}

}  // namespace

std::string_view name(way w) {
  return names[static_cast<int>(w)];
}

struct executor::devices {
  detail::dump_settings dumps;
  runtime::kernel_cache nowhere{runtime::kernel_cache_options{}};
  detail::target* cpu = nullptr;
  detail::target* cuda = nullptr;
  std::unique_ptr<detail::kernel_store> cpu_kernels, cuda_kernels;
  std::int64_t forgotten = 0;

  void renew() {
    if (cpu_kernels) forgotten += cpu_kernels->statistics().compiles;
    if (cuda_kernels) forgotten += cuda_kernels->statistics().compiles;
    const auto store = [&](detail::target* t) {
      return t ? std::make_unique<detail::kernel_store>(*t->device, t->compiler, nowhere, dumps)
               : nullptr;
    };
    cpu_kernels = store(cpu);
    cuda_kernels = store(cuda);
  }
};

executor::executor() : devices_(std::make_unique<devices>()) {
  detail::session& s = detail::the_session();
  devices_->cpu = &s.target_of(device{device::kind::cpu}, location::current());
  for (device d : sinter::devices()) {
    if (d.what == device::kind::cuda && !devices_->cuda) {
      devices_->cuda = &s.target_of(d, location::current());
    }
  }
  devices_->renew();
}

executor::~executor() = default;

bool executor::available(way w) const {
  return !is_cuda(w) || devices_->cuda;
}

std::int64_t executor::compiled() const {
  std::int64_t n = devices_->forgotten + devices_->cpu_kernels->statistics().compiles;
  if (devices_->cuda) n += devices_->cuda_kernels->statistics().compiles;
  return n;
}

void executor::forget() {
  devices_->renew();
}

ir::machine executor::machine_for(const trial& t, way w) const {
  ir::machine m = t.machine;
  if (!is_on_host(w)) m = (is_cuda(w) ? devices_->cuda : devices_->cpu)->machine;
  m.units = t.machine.units;
  m.split_length = t.machine.split_length;
  m.split_grain = t.machine.split_grain;
  m.launch_limit = t.machine.launch_limit;
  m.half_side = t.machine.half_side;
  m.sorted_sums = t.machine.sorted_sums;
  m.target = is_gpu(w) ? ir::target::gpu : ir::target::cpu;
  if (is_on_host(w) && is_gpu(w)) m.vector_bytes = 16;
  m.fuse = is_fused(w);
  return m;
}

std::vector<ir::tensor> executor::run(const trial& t, const std::vector<ir::tensor>& sources,
                                      way w) {
  const ir::graph g = first_pass ? first_pass(t.graph) : t.graph;
  if (w == way::recorded || w == way::cuda_recorded) {
    const auto kind = w == way::recorded ? device::kind::cpu : device::kind::cuda;
    return run_recorded(g, sources, device{kind}, sources.size() + g.nodes.size());
  }
  const ir::machine m = machine_for(t, w);
  if (is_on_host(w)) {
    const ir::plan p = ir::verified(ir::make_plan(g, m));
    const bool donate = g.nodes.size() % 2 == 0;
    return w == way::gpu_simulated ? run_simulated(g, p, sources, donate)
                                   : run_interpreted(g, p, sources, donate);
  }
  runtime::device& d = *(is_cuda(w) ? devices_->cuda : devices_->cpu)->device;
  std::vector<std::shared_ptr<runtime::buffer>> buffers;
  for (const ir::tensor& s : sources) {
    buffers.push_back(d.allocate(s.data.size()));
    d.copy_from_host(*buffers.back(), 0, s.data.data(), s.data.size());
  }
  const std::scoped_lock lock(detail::the_session().evaluation);
  detail::kernel_store& kernels = is_cuda(w) ? *devices_->cuda_kernels : *devices_->cpu_kernels;
  const auto results = detail::run_graph(g, std::move(buffers), d, kernels, m);
  std::vector<ir::tensor> out;
  for (std::size_t i = 0; i < results.size(); ++i) {
    const ir::node& n = g[g.outputs[i]];
    ir::tensor x{n.type, n.shape, {}};
    x.data.resize(static_cast<std::size_t>(ir::size_of(n.shape)) * size_of(n.type));
    d.copy_to_host(x.data.data(), *results[i], 0, x.data.size());
    out.push_back(std::move(x));
  }
  return out;
}

/// The slices of `vmap`, each compared with the graph on its own sources.
std::optional<failure> executor::check_slices(const trial& t, way w) {
  if (!has_vmap(t.graph)) return std::nullopt;
  random_bits random(t.graph.nodes.size() + t.sources.size());
  std::vector<bool> same;
  for (std::size_t k = 0; k < t.sources.size(); ++k) same.push_back(random.next() % 4 == 0);
  const auto tables = [](const ir::node& n) { return n.loop.tables > 0; };
  if (std::ranges::any_of(t.graph.nodes, tables)) return std::nullopt;  // vmap refuses them
  same[random.next() % same.size()] = false;
  std::vector<std::vector<ir::tensor>> slices;
  for (std::uint64_t j = 0, count = 1 + random.next() % 3; j < count; ++j) {
    trial slice = t;
    for (std::size_t k = 0; k < same.size(); ++k) {
      if (!same[k]) slice.sources[k].seed += 1000 * j;
    }
    slices.push_back(tensors_of(slice));
  }
  const auto kind = w == way::vmapped ? device::kind::cpu : device::kind::cuda;
  try {
    const auto got = run_vmapped(t.graph, slices, same, device{kind}, random.next());
    for (std::size_t j = 0; j < slices.size(); ++j) {
      const auto expected = estimate_outputs(t.graph, slices[j]);
      for (std::size_t o = 0; o < expected.size(); ++o) {
        const auto d = difference(expected[o], got[j].at(o));
        if (!d) continue;
        return failure{w, "slice " + std::to_string(j) + " of output " + std::to_string(o) + ": " +
                              *d};
      }
    }
  } catch (const std::exception& e) {
    return failure{w, e.what()};
  }
  return std::nullopt;
}

std::optional<failure> executor::check(const trial& t, const std::vector<way>& ways) {
  return check(t, tensors_of(t), ways);
}

std::optional<failure> executor::check(const trial& t, const std::vector<ir::tensor>& sources,
                                       const std::vector<way>& ways) {
  std::vector<estimate> expected = estimate_outputs(t.graph, sources);
  for (const estimate& e : expected) count(known_, e);
  const std::vector<bool> same = reproducible(t.graph);
  std::vector<std::vector<ir::tensor>> results;
  for (std::size_t w = 0; w < ways.size(); ++w) {
    if (ways[w] == way::vmapped || ways[w] == way::cuda_vmapped) {
      if (auto f = check_slices(t, ways[w])) return f;
      results.emplace_back();
      continue;
    }
    try {
      results.push_back(run(t, sources, ways[w]));
    } catch (const std::exception& e) {
      return failure{ways[w], e.what()};
    }
    for (std::size_t o = 0; o < expected.size(); ++o) {
      const std::string where = "output " + std::to_string(o) + ": ";
      const ir::tensor& got = results[w].at(o);
      if (const auto d = difference(expected[o], got)) return failure{ways[w], where + *d};
      // A device gives the same bits fused and unfused, even for approximate functions. But a GPU's
      // compiler folds functions of constants, with other roundings.
      if (w == 0 || is_fused(ways[w]) || !same[o] || is_gpu(ways[w]) != is_gpu(ways[w - 1]))
        continue;
      if (is_on_host(ways[w]) != is_on_host(ways[w - 1])) continue;
      std::vector<double> bounds;
      if (is_cuda(ways[w])) bounds = expected[o].error;
      for (double& b : bounds) b *= 2;  // both may be off
      if (const auto d = difference({results[w - 1].at(o), bounds}, got)) {
        return failure{ways[w], where + "unlike fused: " + *d};
      }
    }
  }
  return std::nullopt;
}

}  // namespace sinter::fuzz
