#pragma once
// Where and how things are computed: devices, evaluation, and what can be seen of it.

#include <string>
#include <string_view>
#include <vector>

#include <sinter/array.hpp>
#include <sinter/device.hpp>

namespace sinter {
/// A device's name, "cpu" or "cuda:1". Throws nothing. `to_string(current_device())`
std::string to_string(device);

/// The devices of this machine, the default one first. Throws value_error where SINTER_DEVICE is
/// no device's name. `devices().size()`
std::vector<device> devices();
/// One line each of why a device or a compiler is missing, and where kernels are kept. Throws
/// nothing. `status()`
std::string status();

/// While it lives, the calling thread makes and computes arrays on another device.
class [[nodiscard]] device_scope {
 public:
  explicit device_scope(device d, location where = location::current());
  ~device_scope();
  device_scope(const device_scope&) = delete;
  device_scope& operator=(const device_scope&) = delete;

 private:
  void* previous_;
};

/// `auto scope = sn::use("cpu");` Throws device_error if there is no such device.
inline device_scope use(device d, location where = location::current()) {
  return device_scope(d, where);
}

/// The device that the calling thread uses. The first call of a program throws value_error where
/// SINTER_DEVICE is no device's name, device_error where there is no such device.
/// `if (current_device() == device("cpu"))`
device current_device();

/// Where the elements are, or will be computed. Throws value_error for no array. `device_of(x)`
device device_of(const any_array& x, location where = location::current());

struct explain_options {
  bool source = true;  // the generated code too, not the summary alone
};

namespace detail {
void evaluate_all(const any_array* first, std::size_t count, location where);
std::string explain_all(const any_array* first, std::size_t count, const explain_options& options,
                        location where);

/// An array of a list that has no room for a location after it: the first brings the caller's.
struct evaluated {
  any_array array;
  location where;
  template <expression X>
  evaluated(const X& x, location where = location::current()) : array(x), where(where) {
    static_assert(std::is_base_of_v<any_array, X>,
                  "eval is of arrays: an expression is computed by whoever reads it, so store it "
                  "first, `sn::array<float> y = x + 1; sn::eval(y)`");
  }
};
}  // namespace detail

/// x on another device, a copy if need be. Evaluates. Throws device_error. `to(x, "cpu")`
template <detail::expression X>
auto to(X&& x, device d, location where = location::current()) {
  using T = typename std::remove_cvref_t<X>::value_type;
  return array<T>(detail::to_device(x.to_array(where), d, where), where);
}

/// Computes arrays together: what they share is computed once. On a GPU it returns when the work is
/// queued. Throws memory_error or device_error. `eval(y, z)`
template <class... X>
void eval(const detail::evaluated& x, const X&... others) {
  const any_array list[] = {x.array, detail::evaluated(others, x.where).array...};
  detail::evaluate_all(list, 1 + sizeof...(X), x.where);
}

/// Waits for the calling thread's device. Throws device_error for failed work. `synchronize()`
void synchronize(location where = location::current());

/// The kernels that compute x: the ops in each, why neighbours were not merged, bytes read and
/// written, where the compiled code came from, the generated source. Evaluates x if it is pending.
/// Throws memory_error or device_error. `explain(x, {.source = false})`
template <detail::expression X>
std::string explain(const X& x, const explain_options& options = {},
                    location where = location::current()) {
  const any_array a = x.to_array(where);
  return detail::explain_all(&a, 1, options, where);
}

/// What to print while planning and compiling, as a list:
/// "graph,fusion,kernel,cuda,llvm,ptx,sass,asm"; "" for nothing. Also SINTER_DUMP. To stderr, or
/// one file a text in `folder` (SINTER_DUMP_DIR). On the CPU, cuda, ptx and sass are what an sm_90
/// would run. Throws value_error for an unknown word.
void dump(std::string_view stages, std::string_view folder = "",
          location where = location::current());

/// Fusion for what is planned from now on, or a kernel an op; as SINTER_FUSION. Throws nothing.
/// `fusion(false)`
void fusion(bool on);

/// Whether plans made from now on are tuned: kernels that run often and long are timed with other
/// schedules, which give the same bits, and the fastest stays, on disk too. As SINTER_TUNE. Throws
/// nothing. `tuning(false)`
void tuning(bool on);

/// What the session has done so far. Throws as `current_device`. `session_statistics().compiles`
struct statistics {
  std::int64_t plans = 0;      // made by the optimizer
  std::int64_t plan_hits = 0;  // found in the plan cache
  std::int64_t compiles = 0;   // kernels compiled by NVRTC or LLVM
  std::int64_t disk_hits = 0;  // kernels loaded from the disk cache
  std::int64_t variants = 0;   // other schedules of hot kernels, made in the background
  std::int64_t plan_sizes = 0;  // plans that were fitted to further sizes, without planning
  std::int64_t launches = 0;    // kernels, library calls and copies
  std::int64_t copies = 0;      // of them, copies of whole arrays that an update could not avoid
  double plan_seconds = 0, compile_seconds = 0, load_seconds = 0;
};
statistics session_statistics();

/// Memory of a device's pool, in bytes. This and the next two throw device_error if there is no
/// such device. `memory().used`, `trim()`, `limit_memory(1 << 30)`
struct memory_info {
  std::int64_t used = 0, reserved = 0, peak = 0;
};
memory_info memory(device d = current_device(), location where = location::current());
/// Gives cached memory back to the system; returns the bytes.
std::int64_t trim(device d = current_device(), location where = location::current());
/// The most the pool may reserve; 0: no limit but the device's. Also throws value_error for less.
void limit_memory(std::int64_t bytes, device d = current_device(),
                  location where = location::current());

}  // namespace sinter
