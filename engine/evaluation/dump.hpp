#pragma once
// Prints the stages of a plan while it is made: SINTER_DUMP and sinter::dump.

#include <atomic>
#include <mutex>
#include <string>
#include <string_view>

#include <sinter/location.hpp>

#include "codegen/compiler.hpp"

namespace sinter::detail {

/// Thread-safe.
class dump_settings {
 public:
  dump_settings();  // from the environment
  /// Throws value_error for an unknown stage.
  void set(std::string_view stages, std::string_view folder, location where);
  bool wants(std::string_view stage) const;
  bool any() const { return any_; }
  /// The texts to request from the compiler of a target.
  codegen::stage_request request(ir::target) const;
  /// Prints one text, or writes <folder>/<number>_<name>.<stage>.
  void emit(std::string_view stage, std::string_view name, std::string_view text);

 private:
  mutable std::mutex mutex_;
  std::string stages_, folder_;  // stages_: ",graph,kernel,"
  std::atomic<bool> any_ = false;
  int count_ = 0;
};

}  // namespace sinter::detail
