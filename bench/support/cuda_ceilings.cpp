#include "bench/support/cuda_ceilings.hpp"

#include <functional>
#include <memory>
#include <utility>
#include <vector>

#include "codegen/nvrtc/compiler.hpp"
#include "engine/evaluation/session.hpp"

namespace bench {

namespace {

// Launches may begin early, so every kernel waits first (see runtime/device.hpp).
constexpr const char* copy_text = R"(
extern "C" __global__ void __launch_bounds__(256) kernel(long long n, const float4* x, float4* y) {
  asm volatile("griddepcontrol.wait;" ::: "memory");
  const long long i = blockIdx.x * 256ll + threadIdx.x;
  if (i < n) y[i] = x[i];
}
)";

constexpr const char* triad_text = R"(
extern "C" __global__ void __launch_bounds__(256)
kernel(long long n, const float4* x, const float4* y, float4* z) {
  asm volatile("griddepcontrol.wait;" ::: "memory");
  const long long i = blockIdx.x * 256ll + threadIdx.x;
  if (i >= n) return;
  const float4 a = x[i], b = y[i];
  z[i] = make_float4(a.x + 0.5f * b.x, a.y + 0.5f * b.y, a.z + 0.5f * b.z, a.w + 0.5f * b.w);
}
)";

/// Each block leaves one number; four vectors are in flight. A second launch of one block adds
/// them.
constexpr const char* sum_text = R"(
extern "C" __global__ void __launch_bounds__(256) kernel(long long n, const float4* x, float* out) {
  asm volatile("griddepcontrol.wait;" ::: "memory");
  const long long stride = gridDim.x * 256ll;
  float sums[4] = {0, 0, 0, 0};
  long long i = blockIdx.x * 256ll + threadIdx.x;
  for (; i + 3 * stride < n; i += 4 * stride) {
    float4 v[4];
    #pragma unroll
    for (int k = 0; k < 4; ++k) v[k] = x[i + k * stride];
    #pragma unroll
    for (int k = 0; k < 4; ++k) sums[k] += (v[k].x + v[k].y) + (v[k].z + v[k].w);
  }
  for (; i < n; i += stride) sums[0] += (x[i].x + x[i].y) + (x[i].z + x[i].w);
  float sum = (sums[0] + sums[1]) + (sums[2] + sums[3]);
  for (int d = 16; d > 0; d /= 2) sum += __shfl_down_sync(0xffffffffu, sum, d);
  __shared__ float warps[8];
  if (threadIdx.x % 32 == 0) warps[threadIdx.x / 32] = sum;
  __syncthreads();
  if (threadIdx.x > 0) return;
  sum = 0;
  for (int w = 0; w < 8; ++w) sum += warps[w];
  out[blockIdx.x] = sum;
}
)";

class gpu {
 public:
  gpu()
      : target_(sinter::detail::the_session().current()),
        compiler_(target_.device->properties().architecture) {}

  std::shared_ptr<sinter::runtime::buffer> floats(std::int64_t n) const {
    return target_.device->allocate(static_cast<std::size_t>(n) * sizeof(float));
  }
  int units() const { return target_.device->properties().units; }

  /// A kernel with blocks of 256 threads; each slot is a parameter.
  std::function<void()> kernel(const char* text, std::int64_t blocks,
                               std::vector<std::uint64_t> slots) const {
    const auto image =
        compiler_.compile_text(text, sinter::codegen::nvrtc_library::image_kind::cubin);
    return [device = target_.device.get(), code = target_.device->load(image, "kernel"), blocks,
            slots = std::move(slots)] {
      device->launch(*code, {blocks, 256, "ceiling", ""}, slots);
    };
  }

 private:
  sinter::detail::target& target_;
  sinter::codegen::nvrtc_compiler compiler_;
};

std::uint64_t address(const std::shared_ptr<sinter::runtime::buffer>& b) {
  return reinterpret_cast<std::uintptr_t>(b->data());
}

}  // namespace

std::map<std::string, ceiling> cuda_ceilings(std::int64_t n) {
  const gpu device;
  const auto x = device.floats(n), y = device.floats(n), z = device.floats(n);
  const std::int64_t vectors = n / 4, blocks = (vectors + 255) / 256, resident = 4 * device.units();
  const auto count = static_cast<std::uint64_t>(vectors);
  const auto parts_count = static_cast<std::uint64_t>(resident / 4);
  const auto copy = device.kernel(copy_text, blocks, {count, address(x), address(z)});
  const auto triad = device.kernel(triad_text, blocks, {count, address(x), address(y), address(z)});
  const auto parts = device.kernel(sum_text, resident, {count, address(x), address(z)});
  const auto total = device.kernel(sum_text, 1, {parts_count, address(z), address(y)});
  const auto kept = [buffers = std::vector{x, y, z}](std::function<void()> f) {
    return [buffers, f = std::move(f)] { f(); };
  };
  const auto sum = [=] {
    parts();
    total();
  };
  const auto bytes = 16.0 * static_cast<double>(vectors);
  return {{"copy", {2 * bytes, {kept(copy)}}},
          {"triad", {3 * bytes, {kept(triad)}}},
          {"sum", {bytes, {kept(sum)}}}};
}

}  // namespace bench
