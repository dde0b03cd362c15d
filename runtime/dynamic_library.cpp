#include "runtime/dynamic_library.hpp"

#include <dlfcn.h>

namespace sinter::runtime {

dynamic_library dynamic_library::open(const std::vector<std::string>& names,
                                      const std::vector<std::string>& folders) {
  dynamic_library library;
  bool problem_is_absence = false;
  const auto attempt = [&](const std::string& path) {
    library.handle_ = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
    if (library.handle_) {
      library.problem_.clear();
      return true;
    }
    const char* words = dlerror();
    const std::string message = words ? words : path + ": cannot be opened";
    // A library that is present but lacks a dependency is more informative than an absent one.
    const bool absent = message.starts_with(path + ":");
    if (library.problem_.empty() || (problem_is_absence && !absent)) {
      library.problem_ = message;
      problem_is_absence = absent;
    }
    return false;
  };
  for (const std::string& name : names) {
    if (attempt(name)) break;
    for (const std::string& folder : folders) {
      if (!folder.empty() && attempt(folder + "/" + name)) return library;
    }
  }
  return library;
}

void* dynamic_library::symbol(const char* name) const {
  return handle_ ? dlsym(handle_, name) : nullptr;
}

}  // namespace sinter::runtime
