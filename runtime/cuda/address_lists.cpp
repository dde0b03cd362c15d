#include "runtime/cuda/address_lists.hpp"

#include <cassert>
#include <cstring>

#include <cuda.h>

#include "runtime/cuda/buffers.hpp"
#include "runtime/cuda/driver_functions.hpp"

namespace sinter::runtime {
namespace {

// PTX for the oldest architecture, which every driver compiles for its GPU: this layer has no
// compiler. A first address of 0 ends the rows.
constexpr char text[] = R"(
.version 6.0
.target sm_50
.address_size 64
.visible .entry sinter_addresses(
    .param .u64 to, .param .u64 count,
    .param .u64 first_0, .param .u64 step_0, .param .u64 first_1, .param .u64 step_1)
{
  .reg .pred %p<3>;
  .reg .b32 %r<4>;
  .reg .b64 %d<10>;
  mov.u32 %r1, %ctaid.x;
  mov.u32 %r2, %ntid.x;
  mov.u32 %r3, %tid.x;
  cvt.u64.u32 %d1, %r3;
  mad.wide.u32 %d1, %r1, %r2, %d1;
  ld.param.u64 %d2, [count];
  setp.ge.u64 %p1, %d1, %d2;
  @%p1 ret;
  ld.param.u64 %d3, [to];
  shl.b64 %d4, %d1, 3;
  add.s64 %d3, %d3, %d4;
  ld.param.u64 %d5, [first_0];
  ld.param.u64 %d6, [step_0];
  mad.lo.s64 %d5, %d1, %d6, %d5;
  st.global.u64 [%d3], %d5;
  ld.param.u64 %d7, [first_1];
  setp.eq.s64 %p2, %d7, 0;
  @%p2 ret;
  ld.param.u64 %d8, [step_1];
  mad.lo.s64 %d7, %d1, %d8, %d7;
  shl.b64 %d9, %d2, 3;
  add.s64 %d3, %d3, %d9;
  st.global.u64 [%d3], %d7;
  ret;
}
)";

constexpr unsigned threads = 256;

}  // namespace

address_lists::address_lists(const cuda_context& context) : context_(context) {}
address_lists::~address_lists() = default;

const cuda_kernel* address_lists::kernel() {
  std::call_once(asked_, [&] {
    try {
      kernel_ = std::make_unique<cuda_kernel>(
          context_, std::as_bytes(std::span(text, sizeof text - 1)), "sinter_addresses");
    } catch (const device_error&) {  // a driver without its compiler
    }
  });
  return kernel_.get();
}

bool address_lists::write(void* to, std::span<const address_row> rows, std::int64_t count,
                          cuda_stream& on) {
  assert(rows.size() <= most_rows);
  if (count == 0) return true;
  const cuda_kernel* run = kernel();
  if (!run) return false;
  std::uint64_t slots[2 + 2 * most_rows] = {reinterpret_cast<std::uintptr_t>(to),
                                            static_cast<std::uint64_t>(count)};
  for (std::size_t i = 0; i < rows.size(); ++i) {
    slots[2 + 2 * i] = reinterpret_cast<std::uintptr_t>(rows[i].first);
    slots[3 + 2 * i] = static_cast<std::uint64_t>(rows[i].step);
  }
  void* parameters[2 + 2 * most_rows];
  for (std::size_t i = 0; i < std::size(slots); ++i) parameters[i] = &slots[i];
  const auto blocks = (static_cast<std::uint64_t>(count) + threads - 1) / threads;
  on.note({.blocks = static_cast<std::int64_t>(blocks),
           .threads = static_cast<int>(threads),
           .label = "addresses of a batch"});
  CUlaunchConfig c{};
  c.gridDimX = static_cast<unsigned>(blocks);
  c.blockDimX = threads;
  c.gridDimY = c.gridDimZ = c.blockDimY = c.blockDimZ = 1;
  c.hStream = on.handle();
  const CUresult result = the_driver().cuLaunchKernelEx(&c, run->function(), parameters, nullptr);
  if (result != CUDA_SUCCESS) on.fail(result, "listing addresses");
  on.queued();
  return true;
}

}  // namespace sinter::runtime
