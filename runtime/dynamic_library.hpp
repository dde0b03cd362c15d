#pragma once
// A shared library opened at run time.

#include <string>
#include <vector>

namespace sinter::runtime {

/// Owns nothing: libraries stay open until the process ends, since their threads and exit handlers
/// may outlive this object.
class dynamic_library {
 public:
  dynamic_library() = default;
  /// Opens the first available of `names`; each is searched for as the system does, then in
  /// `folders`.
  static dynamic_library open(const std::vector<std::string>& names,
                              const std::vector<std::string>& folders = {});

  explicit operator bool() const { return handle_ != nullptr; }
  /// Why it is not open, in one line.
  const std::string& problem() const { return problem_; }
  /// Null when the library has no such symbol.
  void* symbol(const char* name) const;
  template <typename Function> Function* function(const char* name) const {
    return reinterpret_cast<Function*>(symbol(name));
  }

 private:
  void* handle_ = nullptr;
  std::string problem_;
};

}  // namespace sinter::runtime
