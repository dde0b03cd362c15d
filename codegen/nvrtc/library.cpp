#include "codegen/nvrtc/library.hpp"

#include <cstdlib>

#include <dlfcn.h>
#include <nvrtc.h>

#include "codegen/compiler.hpp"

namespace sinter::codegen {
namespace {

std::vector<std::string> folders() {
  std::vector<std::string> list = {""};
#ifdef SINTER_CUDA_LIBDIR
  if (*SINTER_CUDA_LIBDIR) list.push_back(SINTER_CUDA_LIBDIR "/");
#endif
  list.push_back("/usr/local/cuda/lib64/");
  for (const char* variable : {"CUDA_HOME", "CUDA_PATH"}) {
    const char* root = std::getenv(variable);
    if (!root || !*root) continue;
    list.push_back(std::string(root) + "/lib64/");
    list.push_back(std::string(root) + "/lib/");
  }
  return list;
}

/// Never closed: NVRTC leaves threads and handlers behind that outlive its users.
void* open_handle() {
  std::string tried;
  for (const std::string& folder : folders()) {
    for (const char* name : {"libnvrtc.so.13", "libnvrtc.so.12", "libnvrtc.so"}) {
      const std::string path = folder + name;
      if (void* handle = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE)) return handle;
      tried += (tried.empty() ? "" : ", ") + path;
    }
  }
  throw compile_error("NVRTC, the CUDA compiler library, cannot be opened (tried " + tried + ")");
}

class loaded_library final : public nvrtc_library {
 public:
  explicit loaded_library(void* handle) {
    const auto find = [&](auto& function, const char* name) {
      function = reinterpret_cast<std::remove_reference_t<decltype(function)>>(dlsym(handle, name));
      if (!function) throw compile_error(std::string("NVRTC has no function ") + name);
    };
    find(version_, "nvrtcVersion");
    find(error_, "nvrtcGetErrorString");
    find(create_, "nvrtcCreateProgram");
    find(destroy_, "nvrtcDestroyProgram");
    find(compile_, "nvrtcCompileProgram");
    find(log_size_, "nvrtcGetProgramLogSize");
    find(log_, "nvrtcGetProgramLog");
    find(cubin_size_, "nvrtcGetCUBINSize");
    find(cubin_, "nvrtcGetCUBIN");
    find(ptx_size_, "nvrtcGetPTXSize");
    find(ptx_, "nvrtcGetPTX");
  }

  std::pair<int, int> version() const override {
    int major = 0, minor = 0;
    check(version_(&major, &minor), "nvrtcVersion");
    return {major, minor};
  }

  built build(const std::string& text, const std::vector<std::string>& options,
              image_kind kind) const override {
    const program p(*this, text);
    std::vector<const char*> arguments;
    for (const std::string& o : options) arguments.push_back(o.c_str());
    const nvrtcResult status =
        compile_(p.handle, static_cast<int>(arguments.size()), arguments.data());
    built result{log_of(p.handle), {}};
    if (status == NVRTC_ERROR_COMPILATION) return result;
    check(status, "nvrtcCompileProgram", result.log);
    const bool cubin = kind == image_kind::cubin;
    std::size_t size = 0;
    check((cubin ? cubin_size_ : ptx_size_)(p.handle, &size), "nvrtcGetCUBINSize");
    result.image.resize(size);
    check((cubin ? cubin_ : ptx_)(p.handle, reinterpret_cast<char*>(result.image.data())),
          "nvrtcGetCUBIN");
    return result;
  }

 private:
  struct program {
    program(const loaded_library& owner, const std::string& text) : owner(owner) {
      owner.check(owner.create_(&handle, text.c_str(), "kernel.cu", 0, nullptr, nullptr),
                  "nvrtcCreateProgram");
    }
    program(const program&) = delete;
    program& operator=(const program&) = delete;
    ~program() { owner.destroy_(&handle); }

    const loaded_library& owner;
    nvrtcProgram handle = nullptr;
  };

  void check(nvrtcResult status, const char* call, const std::string& log = {}) const {
    if (status == NVRTC_SUCCESS) return;
    throw compile_error(std::string(call) + ": " + error_(status) +
                        (log.empty() ? "" : "\n" + log));
  }

  std::string log_of(nvrtcProgram p) const {
    std::size_t size = 0;
    check(log_size_(p, &size), "nvrtcGetProgramLogSize");
    std::string log(size, '\0');
    check(log_(p, log.data()), "nvrtcGetProgramLog");
    while (!log.empty() && (log.back() == '\0' || log.back() == '\n')) log.pop_back();
    return log;
  }

  decltype(&nvrtcVersion) version_;
  decltype(&nvrtcGetErrorString) error_;
  decltype(&nvrtcCreateProgram) create_;
  decltype(&nvrtcDestroyProgram) destroy_;
  decltype(&nvrtcCompileProgram) compile_;
  decltype(&nvrtcGetProgramLogSize) log_size_;
  decltype(&nvrtcGetProgramLog) log_;
  decltype(&nvrtcGetCUBINSize) cubin_size_;
  decltype(&nvrtcGetCUBIN) cubin_;
  decltype(&nvrtcGetPTXSize) ptx_size_;
  decltype(&nvrtcGetPTX) ptx_;
};

}  // namespace

std::shared_ptr<const nvrtc_library> nvrtc_library::open() {
  return std::make_shared<loaded_library>(open_handle());
}

}  // namespace sinter::codegen
