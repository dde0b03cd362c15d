#pragma once
// The implementation behind an array_file.

#include <mutex>
#include <string>
#include <vector>

#include <sinter/array_file.hpp>

#include "engine/files/file.hpp"

namespace sinter::detail {

class array_archive {
 public:
  virtual ~array_archive() = default;
  /// Array i; errors name the call at `where`. Thread-safe.
  virtual any_array load(std::size_t i, location where) = 0;

  std::vector<std::string> names;
  std::vector<named_text> metadata;
  file_task task;  // the task that opened it
};

/// Throws value_error, naming `op`, for a duplicate name.
void check_names(const std::vector<named_array>& arrays, std::string_view op, location where);

/// The arrays without their names.
std::vector<any_array> values_of(const std::vector<named_array>& arrays);

}  // namespace sinter::detail
