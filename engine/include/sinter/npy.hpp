#pragma once
// NumPy's .npy files.

#include <string>

#include <sinter/arguments.hpp>

namespace sinter {

struct load_options {
  /// On the CPU the file's pages become the array's memory, and are unmapped with the last array
  /// that needs them (the file must not be truncated before); on a GPU they are copied through
  /// pinned memory. Elements in the other byte order are swapped where they are read, halves
  /// immediately.
  bool mmap = false;
};

/// Loads a .npy file, version 1 to 3, with either byte order and either element order; '<V2' is
/// read as bfloat16, for which NumPy has no name. Throws file_error for a file that cannot be read
/// or does not contain what its header says (before anything is allocated for it), and with `.mmap`
/// for unaligned elements; memory_error. `load_npy("table.npy", {.mmap = true})`
any_array load_npy(const std::string& path, const load_options& options = {},
                   location where = location::current());

/// The same with a static dtype. Throws dtype_error if the file has another.
/// `load_npy<float>("table.npy")`
template <element T>
array<T> load_npy(const std::string& path, const load_options& options = {},
                  location where = location::current()) {
  return array<T>(load_npy(path, options, where), where);
}

/// Writes x as a .npy file, row-major and little-endian. Evaluates. Throws file_error,
/// memory_error, device_error. `save_npy("y.npy", y)`
void save_npy(const std::string& path, const any_array& x, location where = location::current());

template <detail::expression X>
void save_npy(const std::string& path, const X& x, location where = location::current()) {
  save_npy(path, static_cast<const any_array&>(x.to_array(where)), where);
}

}  // namespace sinter
