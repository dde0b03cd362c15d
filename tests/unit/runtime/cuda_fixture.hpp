#pragma once
// A GPU for tests, if there is one, and kernels for it as PTX, which the driver compiles.

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "runtime/cuda/module.hpp"
#include "runtime/loader.hpp"
#include "tests/catch.hpp"

namespace sinter::runtime {

/// Null if there is no GPU with this index, after a warning.
inline std::unique_ptr<device> cuda_device_to_test(int index = 0) {
  const auto module = module_library::open("cuda");
  if (!module) {
    WARN("left out: " << module.status());
    return nullptr;
  }
  if (module.function<decltype(sinter_cuda_device_count)>("sinter_cuda_device_count")() <= index) {
    WARN("left out: " << module.function<decltype(sinter_cuda_status)>("sinter_cuda_status")());
    return nullptr;
  }
  return std::unique_ptr<device>(
      module.function<decltype(sinter_cuda_device)>("sinter_cuda_device")(index));
}

// fill(p, n, v):        p[i] = v for the i < n of the grid, 64-bit words
// slow_copy(to, from, n, cycles): waits, then copies n words
// wild(p):              writes to any address p
// All wait for preceding kernels at `//wait`, as a device requires.
inline constexpr std::string_view test_kernels = R"(
.address_size 64
.visible .entry fill(.param .u64 p, .param .u64 n, .param .u64 v)
{
  .reg .pred %q;
  .reg .b32 %r<4>;
  .reg .b64 %d<6>;
  //wait
  ld.param.u64 %d0, [p];
  ld.param.u64 %d1, [n];
  ld.param.u64 %d2, [v];
  mov.u32 %r0, %ctaid.x;
  mov.u32 %r1, %ntid.x;
  mov.u32 %r2, %tid.x;
  mad.wide.u32 %d3, %r0, %r1, 0;
  cvt.u64.u32 %d4, %r2;
  add.u64 %d3, %d3, %d4;
  setp.ge.u64 %q, %d3, %d1;
  @%q ret;
  shl.b64 %d4, %d3, 3;
  add.u64 %d5, %d0, %d4;
  st.global.u64 [%d5], %d2;
  ret;
}
.visible .entry slow_copy(.param .u64 to, .param .u64 from, .param .u64 n, .param .u64 cycles)
{
  .reg .pred %q;
  .reg .b32 %r<4>;
  .reg .b64 %d<10>;
  //wait
  ld.param.u64 %d0, [to];
  ld.param.u64 %d1, [from];
  ld.param.u64 %d2, [n];
  ld.param.u64 %d3, [cycles];
  mov.u64 %d4, %clock64;
WAITING:
  mov.u64 %d5, %clock64;
  sub.u64 %d5, %d5, %d4;
  setp.lt.u64 %q, %d5, %d3;
  @%q bra WAITING;
  mov.u32 %r0, %ctaid.x;
  mov.u32 %r1, %ntid.x;
  mov.u32 %r2, %tid.x;
  mad.wide.u32 %d6, %r0, %r1, 0;
  cvt.u64.u32 %d7, %r2;
  add.u64 %d6, %d6, %d7;
  setp.ge.u64 %q, %d6, %d2;
  @%q ret;
  shl.b64 %d7, %d6, 3;
  add.u64 %d8, %d1, %d7;
  ld.global.u64 %d9, [%d8];
  add.u64 %d8, %d0, %d7;
  st.global.u64 [%d8], %d9;
  ret;
}
.visible .entry wild(.param .u64 p)
{
  .reg .b64 %d<2>;
  //wait
  ld.param.u64 %d0, [p];
  st.global.u64 [%d0], %d0;
  ret;
}
)";

/// For GPUs with early launches, and for older ones.
inline std::string test_kernels_for(const std::string& architecture) {
  const bool early = std::stoi(architecture.substr(3)) >= 90;  // "sm_90"
  std::string text = early ? ".version 7.8\n.target sm_90" : ".version 7.0\n.target sm_70";
  text += test_kernels;
  const std::string_view mark = "//wait";
  for (auto at = text.find(mark); early && at != text.npos; at = text.find(mark, at)) {
    text.replace(at, mark.size(), "griddepcontrol.wait;");
  }
  return text;
}

inline std::shared_ptr<loaded_kernel> test_kernel(device& on, std::string_view entry) {
  const std::string text = test_kernels_for(on.properties().architecture);
  const std::span image(text.c_str(), text.size() + 1);
  return on.load(std::as_bytes(image), entry);
}

inline std::uint64_t address_of(const buffer& of) {
  return reinterpret_cast<std::uint64_t>(of.data());
}

inline constexpr std::uint64_t long_time = 200'000'000;  // cycles, a tenth of a second

}  // namespace sinter::runtime
