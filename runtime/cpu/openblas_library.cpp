#include "runtime/cpu/openblas_library.hpp"

#include <dlfcn.h>

#include <algorithm>
#include <cstdlib>
#include <string_view>

namespace sinter::runtime {
namespace {

constexpr const char* names[] = {"libopenblas.so.0", "libopenblas.so"};
constexpr const char* variable = "OPENBLAS_CORETYPE";

using core_name = char*();

bool is_older_than_avx2(std::string_view core) {
  constexpr std::string_view old[] = {"Prescott", "Core2",   "Penryn",     "Dunnington",
                                      "Nehalem",  "Generic", "Sandybridge"};
  return std::ranges::find(old, core) != std::ranges::end(old);
}

#if defined(__x86_64__)
const char* best_core() {
  if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
      __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl")) {
    return "SKYLAKEX";
  }
  return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") ? "HASWELL" : nullptr;
}
#else
const char* best_core() {
  return nullptr;
}
#endif

/// A temporary handle to the library, which unloads it if no one else uses it.
class probe {
 public:
  probe() {
    for (const char* name : names) {
      if (!handle_) handle_ = dlopen(name, RTLD_NOW | RTLD_LOCAL);
    }
  }
  probe(const probe&) = delete;
  probe& operator=(const probe&) = delete;
  ~probe() {
    if (handle_) dlclose(handle_);
  }

  bool is_old() const {
    void* const found = handle_ ? dlsym(handle_, "openblas_get_corename") : nullptr;
    return found && is_older_than_avx2(reinterpret_cast<core_name*>(found)());
  }

 private:
  void* handle_ = nullptr;
};

dynamic_library open_as_it_is() {
  return dynamic_library::open({names[0], names[1]});
}

}  // namespace

dynamic_library open_openblas() {
  const char* const better = std::getenv(variable) ? nullptr : best_core();
  if (!better) return open_as_it_is();
  {
    const probe first;
    if (!first.is_old()) return open_as_it_is();
  }
  setenv(variable, better, 0);
  dynamic_library again = open_as_it_is();
  unsetenv(variable);
  return again;
}

const char* openblas_core(const dynamic_library& library) {
  core_name* const get = library.function<core_name>("openblas_get_corename");
  return get ? get() : "";
}

}  // namespace sinter::runtime
