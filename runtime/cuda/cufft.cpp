#include "runtime/cuda/cufft.hpp"

#include <algorithm>
#include <bit>
#include <compare>
#include <mutex>
#include <string>

#include <cuda.h>
#include <cufft.h>
#include <cufftXt.h>

#include "runtime/cuda/driver_functions.hpp"
#include "runtime/cuda/scratch.hpp"
#include "runtime/cuda/toolkit.hpp"
#include "runtime/library_table.hpp"
#include "runtime/recent_cache.hpp"

#define SINTER_CUFFT_FUNCTIONS(X) \
  X(cufftCreate)                  \
  X(cufftDestroy)                 \
  X(cufftSetStream)               \
  X(cufftSetAutoAllocation)       \
  X(cufftSetWorkArea)             \
  X(cufftXtMakePlanMany)          \
  X(cufftXtExec)

namespace sinter::runtime {

namespace {

struct cufft_functions {
  SINTER_LIBRARY_TABLE(SINTER_CUFFT_FUNCTIONS)
};

/// Throws device_error if it is missing or too old.
cufft_functions open_cufft() {
  cufft_functions found;
  const std::string problem =
      find_functions(open_toolkit_library({"libcufft.so.12", "libcufft.so.11"}), found);
  if (problem.empty()) return found;
  throw device_error("[fft] Fourier transforms on the GPU need cuFFT of CUDA 12 or later (" +
                     problem + "): install the CUDA toolkit's libcufft");
}

struct status_text {
  cufftResult status;
  const char* text;
};
constexpr status_text status_texts[] = {
    {CUFFT_INVALID_PLAN, "CUFFT_INVALID_PLAN: the plan is not one"},
    {CUFFT_ALLOC_FAILED, "CUFFT_ALLOC_FAILED: no memory for the plan"},
    {CUFFT_INVALID_TYPE, "CUFFT_INVALID_TYPE: not for these elements"},
    {CUFFT_INVALID_VALUE, "CUFFT_INVALID_VALUE: an argument is not valid"},
    {CUFFT_INTERNAL_ERROR, "CUFFT_INTERNAL_ERROR: the driver or the library failed"},
    {CUFFT_EXEC_FAILED, "CUFFT_EXEC_FAILED: the transform was not run"},
    {CUFFT_SETUP_FAILED, "CUFFT_SETUP_FAILED: the library did not start"},
    {CUFFT_INVALID_SIZE, "CUFFT_INVALID_SIZE: a length is not supported"},
    {CUFFT_INVALID_DEVICE, "CUFFT_INVALID_DEVICE: not the plan's device"},
    {CUFFT_NO_WORKSPACE, "CUFFT_NO_WORKSPACE: no work area"},
    {CUFFT_NOT_IMPLEMENTED, "CUFFT_NOT_IMPLEMENTED: not implemented"},
    {CUFFT_NOT_SUPPORTED, "CUFFT_NOT_SUPPORTED: not supported"},
};

std::string text_of(cufftResult status) {
  for (const status_text& s : status_texts) {
    if (s.status == status) return s.text;
  }
  return "status " + std::to_string(static_cast<int>(status));
}

struct part_types {
  cudaDataType real;
  cudaDataType complex;
};

part_types parts_of(element type) {
  switch (type) {
    case element::float16:
      return {CUDA_R_16F, CUDA_C_16F};
    case element::bfloat16:
      return {CUDA_R_16BF, CUDA_C_16BF};
    case element::float32:
      return {CUDA_R_32F, CUDA_C_32F};
    default:
      return {CUDA_R_64F, CUDA_C_64F};
  }
}

bool is_half(element type) {
  return type == element::float16 || type == element::bfloat16;
}

/// The key of a plan, including the stream, since a plan has one work area and runs one transform
/// at a time.
struct plan_key {
  stream_id stream;
  element type;
  fft_kind kind;
  int rank;
  std::array<std::int64_t, 3> length;
  std::int64_t batch;
  std::array<std::int64_t, 3> in_embed;
  std::array<std::int64_t, 2> in_steps;
  std::array<std::int64_t, 3> out_embed;
  std::array<std::int64_t, 2> out_steps;
  auto operator<=>(const plan_key&) const = default;
};

class cufft_plan {
 public:
  cufft_plan(const cufft_functions& functions, const cuda_context& context, cuda_stream& on)
      : functions_(functions), context_(context), stream_(on) {}

  cufft_plan(const cufft_plan&) = delete;
  cufft_plan& operator=(const cufft_plan&) = delete;

  // Its device memory must stay while it is used.
  ~cufft_plan() {
    if (!made_) return;
    context_.bind();
    the_driver().cuStreamSynchronize(stream_.own_handle());
    functions_.cufftDestroy(handle_);
  }

  cufftResult make(const plan_key& key) {
    cufftResult status = functions_.cufftCreate(&handle_);
    if (status != CUFFT_SUCCESS) return status;
    made_ = true;
    status = functions_.cufftSetAutoAllocation(handle_, 0);
    if (status != CUFFT_SUCCESS) return status;
    const part_types types = parts_of(key.type);
    const bool from_real = key.kind == fft_kind::real_to_complex;
    const bool to_real = key.kind == fft_kind::complex_to_real;
    long long length[3], in_embed[3], out_embed[3];
    for (std::size_t d = 0; d < 3; ++d) {
      length[d] = key.length[d];
      in_embed[d] = key.in_embed[d];
      out_embed[d] = key.out_embed[d];
    }
    status = functions_.cufftXtMakePlanMany(
        handle_, key.rank, length, in_embed, key.in_steps[0], key.in_steps[1],
        from_real ? types.real : types.complex, out_embed, key.out_steps[0], key.out_steps[1],
        to_real ? types.real : types.complex, key.batch, &work_, types.complex);
    if (status != CUFFT_SUCCESS) return status;
    return CUFFT_SUCCESS;
  }

  /// Sets the stream of the next transform, and its work area.
  cufftResult bind(CUstream_st* to, void* work) {
    if (work) {
      const cufftResult status = functions_.cufftSetWorkArea(handle_, work);
      if (status != CUFFT_SUCCESS) return status;
    }
    if (bound_ == to) return CUFFT_SUCCESS;
    bound_ = to;
    return functions_.cufftSetStream(handle_, to);
  }

  std::size_t work() const { return work_; }
  cufftHandle handle() const { return handle_; }

 private:
  const cufft_functions& functions_;
  const cuda_context& context_;
  cuda_stream& stream_;
  cufftHandle handle_ = 0;
  bool made_ = false;
  CUstream_st* bound_ = nullptr;
  std::size_t work_ = 0;
};

constexpr std::size_t most_plans = 128;

/// The memory that plans may hold: enough for a transform and its inverse, unless they need most of
/// the device's memory.
std::size_t most_plan_bytes(const cuda_context& context) {
  std::size_t memory = 0;
  the_driver().cuDeviceTotalMem(&memory, context.device());
  return std::max(std::size_t{256} << 20, memory / 32);
}

/// Does the length have a prime factor that the library has no kernel for?
bool needs_longer_transform(std::int64_t length) {
  for (std::int64_t factor = 2; factor <= 127 && length > 1; ++factor) {
    while (length % factor == 0) length /= factor;
  }
  return length > 1;
}

class cufft final : public fft {
 public:
  cufft(const cuda_context& context, cuda_streams& streams, memory_pool& pool)
      : context_(context), streams_(streams), pool_(pool) {}

  ~cufft() override { context_.bind(); }

  bool supports(element type, std::int64_t length) const override {
    if (!is_half(type)) return type == element::float32 || type == element::float64;
    return length > 1 && std::has_single_bit(static_cast<std::uint64_t>(length));
  }

  void transform(const fft_call& call) override {
    for (int d = 0; d < call.rank; ++d) {
      if (supports(call.type, call.length[static_cast<std::size_t>(d)])) continue;
      throw device_error(
          "[fft] cuFFT takes float32 and float64, and halves of lengths that are powers of two: "
          "convert the others first");
    }
    if (call.kind == fft_kind::complex_to_real && call.rank != 1) {
      throw device_error("[fft] transforms to real numbers are over one axis at a time");
    }
    if (call.batch <= 0 || call.outer <= 0) return;
    cuda_stream& on = streams_.current();
    const auto plan = plan_of(call, on);
    const scratch work(pool_, plan->work(), on);
    require(plan->bind(on.handle(), work.data()), on);
    if (on.recording()) on.needs(plan);  // its tables
    const bool to_real = call.kind == fft_kind::complex_to_real;
    const scratch copy(pool_, to_real ? input_bytes(call) : 0, on);
    const char* in = static_cast<const char*>(call.in);
    if (to_real) in = hermitian_copy(call, static_cast<char*>(copy.data()), on);
    auto* out = static_cast<char*>(call.out);
    const auto part = static_cast<std::int64_t>(bytes_of(call.type));
    const std::int64_t in_step =
        call.in_layout.outer_distance * (call.kind == fft_kind::real_to_complex ? part : 2 * part);
    const std::int64_t out_step = call.out_layout.outer_distance * (to_real ? part : 2 * part);
    const bool inverse = call.inverse || to_real;
    for (std::int64_t i = 0; i < call.outer; ++i) {
      require(functions_.cufftXtExec(plan->handle(), const_cast<char*>(in + i * in_step),
                                     out + i * out_step, inverse ? CUFFT_INVERSE : CUFFT_FORWARD),
              on);
    }
    on.queued();
  }

  fft_statistics statistics() const override {
    std::lock_guard one(mutex_);
    return {plans_.size(), plans_.bytes()};
  }

 private:
  static std::size_t input_bytes(const fft_call& call) {
    const fft_layout& of = call.in_layout;
    const std::int64_t last = (call.outer - 1) * of.outer_distance +
                              (call.batch - 1) * of.distance + call.length[0] / 2 * of.stride;
    return static_cast<std::size_t>(last + 1) * 2 * bytes_of(call.type);
  }

  /// The library overwrites the input of a transform to real numbers, and does not define the
  /// effect of imaginary parts that should be zero. So it gets a copy with zeros there.
  static const char* hermitian_copy(const fft_call& call, char* to, cuda_stream& on) {
    const auto require = [&](CUresult result) {
      if (result != CUDA_SUCCESS) on.fail(result, "copying what is to be transformed");
    };
    const auto at = reinterpret_cast<CUdeviceptr>(to);
    require(the_driver().cuMemcpyDtoDAsync(at, reinterpret_cast<CUdeviceptr>(call.in),
                                           input_bytes(call), on.handle()));
    const fft_layout& of = call.in_layout;
    const std::size_t part = bytes_of(call.type);
    const auto bytes = [&](std::int64_t elements) {
      return static_cast<std::size_t>(elements) * 2 * part;
    };
    const bool even = call.length[0] % 2 == 0;
    for (std::int64_t block = 0; block < call.outer; ++block) {
      for (std::int64_t k = 0; k <= (even ? 1 : 0); ++k) {
        const std::int64_t element = block * of.outer_distance + k * call.length[0] / 2 * of.stride;
        require(the_driver().cuMemsetD2D8Async(at + bytes(element) + part, bytes(of.distance), 0,
                                               part, static_cast<std::size_t>(call.batch),
                                               on.handle()));
      }
    }
    on.queued();
    return to;
  }

  // The first extent of a layout has no meaning, but the library requires a consistent one.
  static plan_key key_of(const fft_call& call, const cuda_stream& on) {
    plan_key key{on.id(),
                 call.type,
                 call.kind,
                 call.rank,
                 call.length,
                 call.batch,
                 call.in_layout.embed,
                 {call.in_layout.stride, call.in_layout.distance},
                 call.out_layout.embed,
                 {call.out_layout.stride, call.out_layout.distance}};
    key.in_embed[0] = std::max(call.length[0], key.in_embed[0]);
    key.out_embed[0] = std::max(call.length[0], key.out_embed[0]);
    return key;
  }

  // An estimate: roots of unity, four times as many for lengths that need a longer transform.
  static std::size_t plan_bytes(const fft_call& call) {
    std::int64_t roots = 0;
    for (int d = 0; d < call.rank; ++d) {
      const std::int64_t n = call.length[static_cast<std::size_t>(d)];
      roots += needs_longer_transform(n) ? 4 * n : n;
    }
    return (64u << 10) + static_cast<std::size_t>(roots) * 2 * bytes_of(call.type);
  }

  std::shared_ptr<cufft_plan> plan_of(const fft_call& call, cuda_stream& on) {
    std::lock_guard one(mutex_);
    if (!functions_.cufftCreate) functions_ = open_cufft();
    const plan_key key = key_of(call, on);
    if (auto found = plans_.find(key)) return found;
    on.not_recorded("making a plan");
    auto made = std::make_shared<cufft_plan>(functions_, context_, on);
    cufftResult status = made->make(key);
    if (status == CUFFT_ALLOC_FAILED) {
      // Its tables come from outside the pool, which may hold all free memory.
      pool_.trim();
      made = std::make_shared<cufft_plan>(functions_, context_, on);
      status = made->make(key);
    }
    require(status, on);
    plans_.add(key, made, plan_bytes(call));
    return made;
  }

  void require(cufftResult status, const cuda_stream& on) const {
    if (status == CUFFT_SUCCESS) return;
    const std::string text = "[fft] cuFFT failed: " + text_of(status);
    if (status == CUFFT_ALLOC_FAILED) throw out_of_memory(text, 0);
    throw device_error(text + on.recent());
  }

  const cuda_context& context_;
  cuda_streams& streams_;
  memory_pool& pool_;
  mutable std::mutex mutex_;
  cufft_functions functions_;
  recent_cache<plan_key, cufft_plan> plans_{most_plans, most_plan_bytes(context_)};
};

}  // namespace

std::unique_ptr<fft> make_cufft(const cuda_context& context, cuda_streams& streams,
                                memory_pool& pool) {
  return std::make_unique<cufft>(context, streams, pool);
}

}  // namespace sinter::runtime
