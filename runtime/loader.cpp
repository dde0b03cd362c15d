#include "runtime/loader.hpp"

#include <cstdlib>

#include <dlfcn.h>

#include "runtime/device.hpp"

namespace sinter::runtime {

namespace {

/// The folder of the library or program that contains this code.
std::string own_folder() {
  Dl_info about{};
  if (dladdr(reinterpret_cast<const void*>(&own_folder), &about) == 0 || !about.dli_fname) {
    return ".";
  }
  const std::string path = about.dli_fname;
  const auto slash = path.rfind('/');
  return slash == std::string::npos ? "." : path.substr(0, slash);
}

}  // namespace

module_library module_library::open(std::string_view name) {
  module_library module;
  const char* chosen = std::getenv("SINTER_BACKEND_DIR");
  const std::string folder = chosen && *chosen ? chosen : own_folder();
  const std::string path = folder + "/libsinter_" + std::string(name) + ".so";
  module.library_ = dynamic_library::open({path});
  module.status_ =
      module ? path : "no " + std::string(name) + " module: " + module.library_.problem();
  return module;
}

void* module_library::find(const char* symbol) const {
  if (!library_) throw device_error(status_);
  if (void* found = library_.symbol(symbol)) return found;
  throw device_error(status_ + " has no " + symbol + ": it is of another version of sinter");
}

}  // namespace sinter::runtime
