#pragma once
// NumPy's .npy files.

#include <string>

#include <sinter/arguments.hpp>

namespace sinter {

struct load_options {
  /// On the CPU the file's pages become the array's memory, unmapped with the last array that needs
  /// them (the file must not get shorter before); on a GPU they are copied through pinned memory.
  /// Bytes in the other order are turned round where they are read, those of halves at once.
  bool mmap = false;
};

/// The array of a .npy file, versions 1 to 3, either byte order, either element order; '<V2' is
/// read as bfloat16, which NumPy has no name for. Throws file_error for a file that cannot be read
/// or does not hold what its header says, before anything is allocated for it, and with `.mmap` for
/// elements that are not aligned; memory_error. `load_npy("table.npy", {.mmap = true})`
any_array load_npy(const std::string& path, const load_options& options = {},
                   location where = location::current());

/// The same, of a dtype that is known. Throws dtype_error for another one.
/// `load_npy<float>("table.npy")`
template <element T>
array<T> load_npy(const std::string& path, const load_options& options = {},
                  location where = location::current()) {
  return array<T>(load_npy(path, options, where), where);
}

/// Writes x as a .npy file, row-major, little-endian. Evaluates. Throws file_error,
/// memory_error, device_error.
/// `save_npy("y.npy", y)`
void save_npy(const std::string& path, const any_array& x, location where = location::current());

template <detail::expression X>
void save_npy(const std::string& path, const X& x, location where = location::current()) {
  save_npy(path, static_cast<const any_array&>(x.to_array(where)), where);
}

}  // namespace sinter
