#include "runtime/cuda/cuda_device.hpp"

#include <algorithm>
#include <cassert>
#include <limits>
#include <string>
#include <utility>

#include <cuda.h>

#include "runtime/cuda/buffers.hpp"
#include "runtime/cuda/cub.hpp"
#include "runtime/cuda/cublas.hpp"
#include "runtime/cuda/cufft.hpp"
#include "runtime/cuda/cusolver.hpp"
#include "runtime/cuda/driver_functions.hpp"

namespace sinter::runtime {

namespace {

// Measured on an H200: copies and sums reach 88 to 93 % of what clock and bus width promise.
constexpr double reachable_bandwidth = 0.9;

// A cluster size that every device with clusters supports.
constexpr int portable_cluster = 8;

CUdeviceptr address(const void* data, std::size_t offset) {
  return reinterpret_cast<CUdeviceptr>(data) + offset;
}

/// FP32 units per SM, by compute capability.
int lanes_of(int major, int minor) {
  const bool half = (major == 7) || (major == 8 && minor == 0) || (major == 6 && minor == 0);
  return half ? 64 : 128;
}

device_properties describe(int device) {
  const auto ask = [&](CUdevice_attribute attribute) {
    int value = 0;
    the_driver().cuDeviceGetAttribute(&value, attribute, device);
    return value;
  };
  device_properties about;
  char name[256] = {};
  the_driver().cuDeviceGetName(name, sizeof name - 1, device);
  about.name = name;
  const int major = ask(CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR);
  const int minor = ask(CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR);
  about.architecture = "sm_" + std::to_string(major) + std::to_string(minor);
  about.units = ask(CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT);
  if (major >= 9) about.cluster = portable_cluster;
  the_driver().cuDeviceTotalMem(&about.memory, device);
  about.cache = static_cast<std::size_t>(ask(CU_DEVICE_ATTRIBUTE_L2_CACHE_SIZE));
  // In kHz and bits; two transfers per cycle. Some virtual GPUs report 0.
  const double clock = 1e3 * ask(CU_DEVICE_ATTRIBUTE_MEMORY_CLOCK_RATE);
  const double width = ask(CU_DEVICE_ATTRIBUTE_GLOBAL_MEMORY_BUS_WIDTH) / 8.0;
  about.bandwidth = clock * width > 0 ? 2 * clock * width * reachable_bandwidth : 1e12;
  const double core_clock = 1e3 * ask(CU_DEVICE_ATTRIBUTE_CLOCK_RATE);
  about.arithmetic =
      2.0 * about.units * lanes_of(major, minor) * (core_clock > 0 ? core_clock : 1.5e9);
  about.launch = 3e-6;
  about.sorts = cub_is_built();
  return about;
}

/// Blocks per SM of a kernel that finishes before the host has queued the next one.
constexpr std::int64_t blocks_a_unit = 4;

/// With programmatic launch where possible: a fifth less host time (H200: 3.8 us for 4.6), and 0.25
/// us less device time between kernels.
CUresult launch_on(const cuda_stream& on, const cuda_context& context, const cuda_kernel& kernel,
                   const launch_config& config, void** parameters) {
  CUlaunchAttribute early{};
  early.id = CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_STREAM_SERIALIZATION;
  early.value.programmaticStreamSerializationAllowed = 1;
  CUlaunchConfig c{};
  c.gridDimX = static_cast<unsigned>(config.blocks);
  c.blockDimX = static_cast<unsigned>(config.threads);
  c.gridDimY = c.gridDimZ = c.blockDimY = c.blockDimZ = 1;
  c.hStream = on.handle();
  c.attrs = &early;
  c.numAttrs = context.launches_early() ? 1 : 0;
  return the_driver().cuLaunchKernelEx(&c, kernel.function(), parameters, nullptr);
}

}  // namespace

cuda_device::cuda_device(int index)
    : index_(index),
      context_(index),
      streams_(context_),
      graphs_(context_),
      source_(context_),
      events_(context_, streams_),
      pool_(source_, &events_),
      staging_(context_),
      properties_(describe(context_.device())),
      blas_(make_cublas(context_, streams_, pool_)),
      fft_(make_cufft(context_, streams_, pool_)),
      solver_(make_cusolver(context_, streams_, pool_, staging_)),
      sorter_(make_cub(streams_, pool_)) {}

// Work may be queued on any stream; nothing it uses may be freed before it is done.
cuda_device::~cuda_device() {
  context_.bind();
  the_driver().cuCtxSynchronize();
}

std::shared_ptr<buffer> cuda_device::allocate(std::size_t bytes) {
  cuda_stream& on = streams_.current();
  on.not_recorded("what takes memory of the pool");
  return std::make_shared<pooled_cuda_buffer>(pool_, streams_, on, bytes);
}

std::shared_ptr<buffer> cuda_device::adopt(void* data, std::size_t bytes,
                                           std::shared_ptr<void> owner) {
  return std::make_shared<adopted_cuda_buffer>(data, bytes, std::move(owner), streams_,
                                               streams_.current());
}

std::shared_ptr<buffer> cuda_device::part(std::shared_ptr<buffer> whole, std::size_t offset,
                                          std::size_t bytes) {
  return std::make_shared<cuda_buffer_part>(std::move(whole), offset, bytes, streams_,
                                            streams_.current());
}

std::shared_ptr<loaded_kernel> cuda_device::load(std::span<const std::byte> image,
                                                 std::string_view entry) {
  context_.bind();
  return std::make_shared<cuda_kernel>(context_, image, entry);
}

void cuda_device::use(buffer& of) {
  cuda_stream& mine = streams_.current();
  if (of.home() == &mine) return;
  auto& shared = static_cast<cuda_buffer&>(of);
  mine.wait_for(shared.home_stream());
  shared.add_user(mine);
}

void cuda_device::claim(buffer& of) {
  cuda_stream& mine = streams_.current();
  auto& claimed = static_cast<cuda_buffer&>(of);
  if (of.home() == &mine && !claimed.shared()) return;
  claimed.claim(mine);
}

void cuda_device::follow(std::uintptr_t theirs) {
  streams_.current().follow(reinterpret_cast<CUstream>(theirs));
}

void cuda_device::lead(std::uintptr_t theirs) {
  streams_.current().lead(reinterpret_cast<CUstream>(theirs));
}

// Memory unknown to CUDA is host memory.
bool cuda_device::reaches(const void* data) {
  context_.bind();
  CUpointer_attribute wanted[] = {CU_POINTER_ATTRIBUTE_MEMORY_TYPE,
                                  CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL,
                                  CU_POINTER_ATTRIBUTE_IS_MANAGED};
  unsigned kind = 0, managed = 0;
  int ordinal = index_;
  void* answers[] = {&kind, &ordinal, &managed};
  const CUresult asked = the_driver().cuPointerGetAttributes(
      3, wanted, answers, reinterpret_cast<CUdeviceptr>(data));
  if (asked == CUDA_ERROR_NOT_SUPPORTED) return true;
  if (asked != CUDA_SUCCESS) return false;
  return managed != 0 || (kind == CU_MEMORYTYPE_DEVICE && ordinal == index_);
}

void cuda_device::launch(const loaded_kernel& kernel, const launch_config& config,
                         std::span<const std::uint64_t> slots) {
  assert(config.blocks > 0 && config.threads > 0);
  if (config.blocks > std::numeric_limits<int>::max() || slots.size() > most_slots) {
    throw device_error(std::string("kernel ") + config.label +
                       ": too many blocks or arguments for one launch");
  }
  cuda_stream& on = streams_.current();
  void* parameters[most_slots];
  for (std::size_t i = 0; i < slots.size(); ++i) {
    parameters[i] = const_cast<std::uint64_t*>(&slots[i]);
  }
  on.note(config);
  const CUresult result = launch_on(on, context_, static_cast<const cuda_kernel&>(kernel), config,
                                    parameters);
  if (result != CUDA_SUCCESS) on.fail(result, "launching a kernel");
  on.queued();
}

void cuda_device::launch_all(std::span<const launch_record> list,
                             std::unique_ptr<launch_memory>& memory) {
  cuda_stream& on = streams_.current();
  const bool fits = std::ranges::all_of(list, [](const launch_record& r) {
    return r.config.blocks <= std::numeric_limits<int>::max() && r.slots.size() <= most_slots;
  });
  if (!memory) {
    memory = std::make_unique<cuda_sequence>(graphs_, blocks_a_unit * properties_.units);
  }
  auto& known = static_cast<cuda_sequence&>(*memory);
  if (fits && known.launch(list, on)) return;
  if (std::ranges::none_of(list, &launch_record::is_call)) {
    for (const launch_record& r : list) queue(r);
    return;
  }
  // The kernels between calls may repeat even if the calls' operands do not.
  for (std::size_t piece = 0; !list.empty(); ++piece) {
    const auto next = std::ranges::find_if(list, &launch_record::is_call);
    const auto kernels = list.first(static_cast<std::size_t>(next - list.begin()));
    if (!kernels.empty()) launch_all(kernels, known.piece(piece));
    if (next != list.end()) queue(*next);
    list = list.subspan(std::min(list.size(), kernels.size() + 1));
  }
}

void cuda_device::copy_from_host(buffer& to, std::size_t offset, const void* from,
                                 std::size_t bytes) {
  assert(offset + bytes <= to.bytes());
  staging_.to_device(streams_.current(), static_cast<char*>(to.data()) + offset, from, bytes);
}

void cuda_device::copy_to_host(void* to, const buffer& from, std::size_t offset,
                               std::size_t bytes) {
  assert(offset + bytes <= from.bytes());
  staging_.to_host(streams_.current(), to, static_cast<const char*>(from.data()) + offset, bytes);
}

void cuda_device::copy(buffer& to, std::size_t to_offset, const buffer& from,
                       std::size_t from_offset, std::size_t bytes) {
  assert(to_offset + bytes <= to.bytes() && from_offset + bytes <= from.bytes());
  if (bytes == 0) return;
  cuda_stream& on = streams_.current();
  const CUresult result = the_driver().cuMemcpyDtoDAsync(
      address(to.data(), to_offset), address(from.data(), from_offset), bytes, on.handle());
  if (result != CUDA_SUCCESS) on.fail(result, "copying on the device");
  on.queued();
}

std::unique_ptr<time_mark> cuda_device::mark_time() {
  const cuda_stream& on = streams_.current();
  auto mark = std::make_unique<cuda_time_mark>(context_);
  const CUresult result = the_driver().cuEventRecord(mark->event(), on.handle());
  if (result != CUDA_SUCCESS) on.fail(result, "marking a time");
  return mark;
}

double cuda_device::seconds_between(const time_mark& begin, const time_mark& end) {
  const cuda_stream& on = streams_.current();
  const CUevent from = static_cast<const cuda_time_mark&>(begin).event();
  const CUevent to = static_cast<const cuda_time_mark&>(end).event();
  float milliseconds = 0;
  CUresult result = the_driver().cuEventSynchronize(from);
  if (result == CUDA_SUCCESS) result = the_driver().cuEventSynchronize(to);
  if (result == CUDA_SUCCESS) result = the_driver().elapsed_time(&milliseconds, from, to);
  if (result != CUDA_SUCCESS) on.fail(result, "measuring a time");
  return milliseconds * 1e-3;
}

bool cuda_device::passed(const time_mark& mark) {
  const cuda_stream& on = streams_.current();
  const CUresult result =
      the_driver().cuEventQuery(static_cast<const cuda_time_mark&>(mark).event());
  if (result == CUDA_ERROR_NOT_READY) return false;
  if (result != CUDA_SUCCESS) on.fail(result, "asking for a time");
  return true;
}

void cuda_device::synchronize() {
  streams_.current().synchronize("waiting for its work");
}

}  // namespace sinter::runtime
