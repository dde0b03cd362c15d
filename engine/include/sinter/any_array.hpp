#pragma once
// Arrays: pointer-sized handles to immutable lazy values.

#include <array>
#include <concepts>
#include <cstdint>
#include <initializer_list>
#include <span>
#include <utility>
#include <vector>

#include <sinter/error.hpp>
#include <sinter/ir/dtype.hpp>
#include <sinter/location.hpp>

namespace sinter {

using shape_view = std::span<const std::int64_t>;

namespace detail {
bool same_extents(shape_view a, shape_view b);
template <class L>
concept list_of_integers =
    std::integral<typename L::value_type> && !std::same_as<typename L::value_type, char> &&
    !std::same_as<typename L::value_type, bool> &&
    requires(const L& v) { v.begin() + v.size() == v.end(); };
}

/// The extents of an array, a copy of its own. Compares with any list of extents: `x.shape() ==
/// y.shape()`, `x.shape() == std::vector<std::int64_t>{3, 4}`
class array_shape : public std::vector<std::int64_t> {
 public:
  explicit array_shape(shape_view extents)
      : std::vector<std::int64_t>(extents.begin(), extents.end()) {}
  auto begin() const& { return std::vector<std::int64_t>::begin(); }
  auto end() const& { return std::vector<std::int64_t>::end(); }
  auto data() const& { return std::vector<std::int64_t>::data(); }
  // Name the shape first: x.shape().begin() and x.shape().end() are of two copies.
  void begin() const&& = delete;
  void end() const&& = delete;
  void data() const&& = delete;
  friend bool operator==(const array_shape& a, const array_shape& b) {
    return detail::same_extents(a, b);
  }
  friend bool operator==(const array_shape& a, const std::vector<std::int64_t>& b) {
    return detail::same_extents(a, b);
  }
  friend bool operator==(const array_shape& a, shape_view b) { return detail::same_extents(a, b); }
};

/// A list of integers as an argument: a shape, axes or repeats. Rank up to 32.
class int_list {
 public:
  int_list() = default;
  int_list(std::initializer_list<std::int64_t> v) : values_(v) {}
  int_list(std::vector<std::int64_t> v) : values_(std::move(v)) {}
  int_list(shape_view v) : values_(v.begin(), v.end()) {}
  template <std::integral I>
  int_list(I v) : values_(1, static_cast<std::int64_t>(v)) {}
  /// A std::vector or std::array of any integers.
  template <detail::list_of_integers L>
  int_list(const L& v) : values_(v.begin(), v.end()) {}
  operator shape_view() const { return values_; }
  bool empty() const { return values_.empty(); }
  std::size_t size() const { return values_.size(); }
  std::int64_t operator[](std::size_t i) const { return values_[i]; }
  auto begin() const { return values_.begin(); }
  auto end() const { return values_.end(); }

 private:
  std::vector<std::int64_t> values_;
};

class any_array;

namespace detail {

/// One of several extents given without braces, with its source location: `zeros<float>(3, 4)`.
struct extent {
  template <std::integral I>
    requires(!std::same_as<I, bool>)
  extent(I v, location w = location::current()) : value(static_cast<std::int64_t>(v)), where(w) {}
  std::int64_t value;
  location where;
};

struct node;
void retain(node*) noexcept;
void release(node*) noexcept;
void copy_shape(const any_array& x, std::span<std::int64_t> extents, location where);
void check_rank(shape_view shape, std::size_t rank, const char* op, location where);

}  // namespace detail

/// An array whose element type is known at run time. Copying it copies a pointer. A
/// default-constructed handle holds no array; using it throws value_error.
class any_array {
 public:
  any_array() = default;
  any_array(const any_array& other) noexcept : node_(other.node_) {
    if (node_) detail::retain(node_);
  }
  any_array(any_array&& other) noexcept : node_(std::exchange(other.node_, nullptr)) {}
  any_array& operator=(any_array other) noexcept {
    std::swap(node_, other.node_);
    return *this;
  }
  ~any_array() {
    if (node_) detail::release(node_);
  }

  sinter::dtype dtype() const;
  array_shape shape() const { return array_shape(extents()); }
  /// The same without a copy: valid while this handle keeps its value.
  shape_view extents() const;
  std::int64_t shape(int axis) const;
  /// The extents as a std::array, for structured bindings: `auto [rows, columns] = x.shape<2>()`.
  /// Throws shape_error unless the array has `Rank` axes.
  template <std::size_t Rank>
  std::array<std::int64_t, Rank> shape(location where = location::current()) const {
    std::array<std::int64_t, Rank> extents{};
    detail::copy_shape(*this, extents, where);
    return extents;
  }
  int ndim() const { return static_cast<int>(extents().size()); }
  /// The number of elements.
  std::int64_t size() const;
  std::int64_t nbytes() const;
  bool valid() const { return node_ != nullptr; }

  /// The node behind the handle, for the library's own layers.
  detail::node* get() const { return node_; }
  /// Takes ownership of one reference.
  static any_array take(detail::node* n) {
    any_array a;
    a.node_ = n;
    return a;
  }
  /// Releases ownership of the reference to the caller; the handle then holds no array.
  detail::node* give() noexcept { return std::exchange(node_, nullptr); }

 protected:
  detail::node* node_ = nullptr;
};

template <element T>
class array;

namespace detail {

/// Copies the elements of `x`, dense and row-major, to host memory of `x.nbytes()` bytes.
/// Evaluates. Errors name `op`.
void read(const any_array& x, void* to, location where, const char* op = "read");
/// The number of elements of x. Throws memory_error if the host cannot allocate memory for them.
std::size_t host_size(const any_array& x, const char* op, location where);
[[noreturn]] void throw_no_host_memory(const any_array& x, const char* op, location where);
/// A rank-1 source node over a copy of host memory.
any_array from_host(const void* data, sinter::dtype type, shape_view shape, location where);
/// x with the elements shown by `view` (made by slicing x) replaced by `value`.
any_array assign(const any_array& x, const any_array& view, const any_array& value,
                 location where);
any_array astype(const any_array& x, sinter::dtype to, location where);

[[noreturn]] void throw_not_scalar(const any_array& x, location where);

template <class>
struct is_array : std::false_type {};
template <class T>
struct is_array<array<T>> : std::true_type {};

template <class T>
concept expression = requires { typename std::remove_cvref_t<T>::sinter_expression; };

/// What a list in braces beside an operand is: an array of that operand's dtype. It stands as the
/// default of a template parameter, because C++ deduces no type from braces.
template <class X>
using list_beside = array<typename std::remove_cvref_t<X>::value_type>;

}  // namespace detail

}  // namespace sinter
