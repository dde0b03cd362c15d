#include <cuda.h>

#include "runtime/cuda/driver_functions.hpp"
#include "runtime/device.hpp"

namespace sinter::runtime {

namespace {

// In some containers its folder is not on the loader's path.
dynamic_library open_library() {
  return dynamic_library::open({"libcuda.so.1"}, {"/usr/local/nvidia/lib64", "/usr/lib/wsl/lib"});
}

cuda_driver open_driver() {
  cuda_driver driver;
  const dynamic_library library = open_library();
  if (!library) {
    driver.problem = "no NVIDIA driver: libcuda.so.1 not found";
    return driver;
  }
  const std::string missing = find_functions(library, driver);
  if (!missing.empty()) driver.problem = "the NVIDIA driver is too old: " + missing;
  driver.elapsed_time = library.function<CUresult(float*, CUevent, CUevent)>("cuEventElapsedTime");
  if (!driver.elapsed_time && driver.problem.empty()) {
    driver.problem = "the NVIDIA driver has no cuEventElapsedTime";
  }
#if CUDA_VERSION >= 12030
  driver.add_dependencies =
      library.function<CUresult(CUgraph, const CUgraphNode*, const CUgraphNode*,
                                const CUgraphEdgeData*, std::size_t)>("cuGraphAddDependencies_v2");
#endif
  if (!driver.problem.empty()) return driver;
  if (const CUresult result = driver.cuInit(0); result != CUDA_SUCCESS) {
    const char* words = nullptr;
    driver.cuGetErrorString(result, &words);
    driver.problem =
        std::string("the NVIDIA driver does not start: ") + (words ? words : "unknown error");
  }
  return driver;
}

}  // namespace

const cuda_driver& the_driver() {
  static const cuda_driver driver = open_driver();
  return driver;
}

std::string text_of(CUresult result) {
  const char* words = nullptr;
  const char* name = nullptr;
  the_driver().cuGetErrorString(result, &words);
  the_driver().cuGetErrorName(result, &name);
  return std::string(words ? words : "unknown error") + " (" +
         (name ? name : std::to_string(static_cast<int>(result))) + ")";
}

void check(CUresult result, const char* doing) {
  if (result == CUDA_SUCCESS) return;
  const std::string text = std::string("CUDA failed while ") + doing + ": " + text_of(result);
  if (result == CUDA_ERROR_OUT_OF_MEMORY) throw out_of_memory(text, 0);
  throw device_error(text);
}

}  // namespace sinter::runtime
