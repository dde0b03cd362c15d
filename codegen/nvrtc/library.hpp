#pragma once
// NVRTC, opened when it is first needed.

#include <cstddef>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace sinter::codegen {

class nvrtc_library {
 public:
  /// The result of a compilation. Without an image the log says why.
  struct built {
    std::string log;
    std::vector<std::byte> image;  // a cubin, or the text of PTX; empty when it failed
  };

  enum class image_kind { cubin, ptx };

  /// Throws compile_error, naming every place searched, if there is no NVRTC.
  static std::shared_ptr<const nvrtc_library> open();

  virtual ~nvrtc_library() = default;

  /// Major, minor.
  virtual std::pair<int, int> version() const = 0;

  /// Thread-safe. Throws compile_error when NVRTC itself fails, not when the text is wrong.
  virtual built build(const std::string& text, const std::vector<std::string>& options,
                      image_kind) const = 0;
};

}  // namespace sinter::codegen
