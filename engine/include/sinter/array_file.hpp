#pragma once
// Files of several named arrays: NumPy's .npz and safetensors.

#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <sinter/npy.hpp>

namespace sinter {
namespace detail {

class array_archive;

}  // namespace detail

/// A metadata entry: a name and its text.
using named_text = std::pair<std::string, std::string>;

/// A name and an array to be saved: `{"weights", w}`. An expression is recorded.
struct named_array {
  std::string name;
  any_array value;

  named_array(std::string of, any_array x) : name(std::move(of)), value(std::move(x)) {}
  template <detail::expression X>
  named_array(std::string of, X&& x, location where = location::current())
      : name(std::move(of)), value(detail::to_any(std::forward<X>(x), where)) {}
};

/// An open file of named arrays. Opening it reads only the names; each access to an array reads
/// that array from the file. Copies share the open file, and any thread may use them.
class array_file {
 public:
  explicit array_file(std::shared_ptr<detail::array_archive> archive)
      : archive_(std::move(archive)) {}

  /// The names of the arrays, in file order.
  const std::vector<std::string>& names() const;
  std::size_t size() const { return names().size(); }
  bool contains(std::string_view name) const;

  /// Returns the array called `name`. Throws value_error, listing the names, if there is none;
  /// file_error if the array is damaged or of a dtype that sinter does not have; memory_error.
  /// `load_npz("a.npz").at("weights")`
  any_array at(std::string_view name, location where = location::current()) const;
  any_array operator[](std::string_view name) const { return at(name, location()); }
  /// The same with a static dtype. Throws dtype_error if the array has another.
  /// `load_npz("a.npz").get<float>("weights")`
  template <element T>
  array<T> get(std::string_view name, location where = location::current()) const {
    return array<T>(at(name, where), where);
  }
  /// The metadata of a safetensors file, by name; empty for a .npz file.
  const std::vector<named_text>& metadata() const;
  /// One metadata entry. Throws value_error if the file does not have it. `file.metadata("format")`
  const std::string& metadata(std::string_view name, location where = location::current()) const;

  /// Reads one array after the other: `for (const auto& [name, x] : load_npz("a.npz"))`.
  class iterator {
   public:
    iterator(const array_file& of, std::size_t at) : of_(&of), at_(at) {}
    std::pair<std::string, any_array> operator*() const {
      return {of_->names()[at_], (*of_)[of_->names()[at_]]};
    }
    iterator& operator++() {
      ++at_;
      return *this;
    }
    bool operator==(const iterator& other) const { return at_ == other.at_; }

   private:
    const array_file* of_;
    std::size_t at_;
  };
  iterator begin() const& { return {*this, 0}; }
  iterator end() const& { return {*this, size()}; }

 private:
  std::shared_ptr<detail::array_archive> archive_;
};

/// Opens a .npz file, stored or deflated, as written by `savez` or NumPy; the member "x.npy" is
/// named "x". Throws file_error if it is no such archive, device_error without libzip. Never
/// allocates more for an array than the archive can contain. `load_npz("a.npz")["weights"]`
array_file load_npz(const std::string& path, location where = location::current());

/// Writes named arrays to an uncompressed .npz file. The arrays are evaluated together. An existing
/// file is replaced once everything is written; equal arrays give equal bytes. Throws value_error
/// for an empty or duplicate name or for no arrays; file_error; device_error without libzip.
/// `savez("a.npz", {{"x", x}, {"y", y}})`
void savez(const std::string& path, const std::vector<named_array>& arrays,
           location where = location::current());
/// The same, deflated. `savez_compressed("a.npz", {{"x", x}, {"y", y}})`
void savez_compressed(const std::string& path, const std::vector<named_array>& arrays,
                      location where = location::current());

/// The same with the names "arr_0", "arr_1" and so on. `savez("a.npz", x, y)`
template <detail::expression... X>
void savez(const std::string& path, const X&... x) {
  std::vector<named_array> list;
  (list.emplace_back("arr_" + std::to_string(list.size()), x), ...);
  savez(path, list);
}
template <detail::expression... X>
void savez_compressed(const std::string& path, const X&... x) {
  std::vector<named_array> list;
  (list.emplace_back("arr_" + std::to_string(list.size()), x), ...);
  savez_compressed(path, list);
}

/// Opens a safetensors file; arrays are read, or mapped with `.mmap` (see `load_npy`). The whole
/// header is checked: arrays must neither overlap nor leave gaps, and their lengths must match
/// dtype and shape. Throws file_error; device_error if sinter was built without JSON.
/// `load_safetensors("model.safetensors", {.mmap = true})["layer.0"]`
array_file load_safetensors(const std::string& path, const load_options& options = {},
                            location where = location::current());

struct safetensors_options {
  std::vector<named_text> metadata = {};
};

/// Writes named arrays to a safetensors file. The arrays are evaluated together. Throws value_error
/// for a name that is empty or duplicate (also among the metadata), is "__metadata__" or is not
/// UTF-8; dtype_error for complex128, which the format lacks; file_error; device_error if sinter
/// was built without JSON.
/// `save_safetensors("m.safetensors", {{"w", w}}, {.metadata = {{"format", "pt"}}})`
void save_safetensors(const std::string& path, const std::vector<named_array>& arrays,
                      const safetensors_options& options = {},
                      location where = location::current());

}  // namespace sinter
