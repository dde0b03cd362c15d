#pragma once
// Devices, evaluation, and diagnostics.

#include <string>
#include <string_view>
#include <vector>

#include <sinter/array.hpp>
#include <sinter/device.hpp>

namespace sinter {
/// The name of a device, "cpu" or "cuda:1". Throws nothing. `to_string(current_device())`
std::string to_string(device);

/// The devices of this machine, the default one first. Throws value_error if SINTER_DEVICE is not
/// the name of a device. `devices().size()`
std::vector<device> devices();
/// One line for each missing device or compiler, with the reason, and the directory of the kernel
/// cache. Throws nothing. `status()`
std::string status();

/// While it lives, the calling thread creates and computes arrays on another device.
class [[nodiscard]] device_scope {
 public:
  explicit device_scope(device d, location where = location::current());
  ~device_scope();
  device_scope(const device_scope&) = delete;
  device_scope& operator=(const device_scope&) = delete;

 private:
  void* previous_;
};

/// Switches devices for a scope: `auto scope = sn::use("cpu");` Throws device_error if there is no
/// such device.
inline device_scope use(device d, location where = location::current()) {
  return device_scope(d, where);
}

/// The calling thread's device. A program's first call throws value_error if SINTER_DEVICE is not
/// the name of a device, device_error if there is no such device.
/// `if (current_device() == device("cpu"))`
device current_device();

/// The device where the elements are, or will be computed. Throws value_error for no array.
/// `device_of(x)`
device device_of(const any_array& x, location where = location::current());

struct explain_options {
  bool source = true;  // whether to show the generated code beside the summary
};

namespace detail {
void evaluate_all(const any_array* first, std::size_t count, location where);
std::string explain_all(const any_array* first, std::size_t count, const explain_options& options,
                        location where);

/// One array of a variadic list, after which no location fits: the first carries the caller's.
struct evaluated {
  any_array array;
  location where;
  template <expression X>
  evaluated(const X& x, location call = location::current()) : array(x), where(call) {
    static_assert(std::is_base_of_v<any_array, X>,
                  "eval is of arrays: an expression is computed by whoever reads it, so store it "
                  "first, `sn::array<float> y = x + 1; sn::eval(y)`");
  }
};
}  // namespace detail

/// x on another device, copied if necessary. Evaluates. Throws device_error. `to(x, "cpu")`
template <detail::expression X>
auto to(X&& x, device d, location where = location::current()) {
  using T = typename std::remove_cvref_t<X>::value_type;
  return array<T>(detail::to_device(x.to_array(where), d, where), where);
}

/// Computes arrays together, so that shared subexpressions are computed once. On a GPU it returns
/// when the work is queued. Throws memory_error or device_error, and value_error for operands on
/// different devices. `eval(y, z)`
template <class... X>
void eval(const detail::evaluated& x, const X&... others) {
  const any_array list[] = {x.array, detail::evaluated(others, x.where).array...};
  detail::evaluate_all(list, 1 + sizeof...(X), x.where);
}

/// Waits for the calling thread's device. Throws device_error for work that failed. `synchronize()`
void synchronize(location where = location::current());

/// Describes the kernels that compute x: their ops, why neighbours were not merged, the bytes read
/// and written, where the compiled code came from, and the generated source. Evaluates x if it is
/// pending. Throws memory_error or device_error. `explain(x, {.source = false})`
template <detail::expression X>
std::string explain(const X& x, const explain_options& options = {},
                    location where = location::current()) {
  const any_array a = x.to_array(where);
  return detail::explain_all(&a, 1, options, where);
}

/// Selects what is printed during planning and compiling, as a list:
/// "graph,fusion,kernel,cuda,llvm,ptx,sass,asm"; "" prints nothing. Also set by SINTER_DUMP. Prints
/// to stderr, or to one file per text in `folder` (SINTER_DUMP_DIR). On the CPU, cuda, ptx and sass
/// show the code for an sm_90. Throws value_error for an unknown word.
void dump(std::string_view stages, std::string_view folder = "",
          location where = location::current());

/// Enables fusion for plans made from now on; without it each op has a kernel of its own. Also set
/// by SINTER_FUSION. Throws nothing. `fusion(false)`
void fusion(bool on);

/// Enables tuning of plans made from now on: hot kernels are timed with other schedules, which give
/// the same bits, and the fastest is kept, also on disk. Also set by SINTER_TUNE. Throws nothing.
/// `tuning(false)`
void tuning(bool on);

/// Counters of the session so far. Throws as `current_device`. `session_statistics().compiles`
struct statistics {
  std::int64_t plans = 0;      // made by the optimizer
  std::int64_t plan_hits = 0;  // found in the plan cache
  std::int64_t compiles = 0;   // kernels compiled by NVRTC or LLVM
  std::int64_t disk_hits = 0;  // kernels loaded from the disk cache
  std::int64_t variants = 0;   // other schedules of hot kernels, compiled in the background
  std::int64_t plan_sizes = 0;  // plans adapted to further sizes without planning
  std::int64_t launches = 0;    // kernels, library calls and copies
  std::int64_t copies = 0;      // of them, whole-array copies that an update could not avoid
  double plan_seconds = 0, compile_seconds = 0, load_seconds = 0;
};
statistics session_statistics();

/// The memory of a device's pool, in bytes. This function and the next two throw device_error if
/// there is no such device. `memory().used`, `trim()`, `limit_memory(1 << 30)`
struct memory_info {
  std::int64_t used = 0, reserved = 0, peak = 0;
};
memory_info memory(device d = current_device(), location where = location::current());
/// Returns cached memory to the system; the result is the number of bytes.
std::int64_t trim(device d = current_device(), location where = location::current());
/// Limits the memory the pool may reserve; 0: no limit but the device's. Throws value_error for a
/// negative limit.
void limit_memory(std::int64_t bytes, device d = current_device(),
                  location where = location::current());

}  // namespace sinter
