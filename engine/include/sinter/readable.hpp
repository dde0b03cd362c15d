#pragma once
// The common interface of arrays and expressions: reading, indexing and reshaping.

#include <array>
#include <memory>
#include <tuple>
#include <vector>

#include <sinter/device.hpp>
#include <sinter/expr.hpp>
#include <sinter/index.hpp>

namespace sinter {

/// The return type of x.at(indices): <sinter/scatter.hpp>.
template <element T>
class places_of_array;

namespace detail {

/// The elements of x that the indices select.
any_array index(const any_array& x, index_list items);
any_array index(const any_array& x, std::span<const index_item> items);
any_array with_dtype(any_array x, dtype expected, location where);
any_array from_scalar(const scalar_word& value, dtype type, location where);
std::int64_t checked_size(const any_array& x, const char* op, location where);
const void* host_pointer(const any_array& x, location where);
const void* device_pointer(const any_array& x, std::uintptr_t stream, location where);
any_array reverse_axes(const any_array& x, location where);
any_array matrix_transpose(const any_array& x, location where);
any_array reshape(const any_array& x, shape_view shape, location where);
/// x as converted for an array of `to`. Throws dtype_error for complex numbers in a real array.
any_array assigned(const any_array& x, dtype to, location where);

template <class Self, element V>
struct readable {
  using value_type = V;

  /// Records the value as an array; computes nothing.
  sinter::array<V> to_array(location where = location::current()) const& {
    return sinter::array<V>(static_cast<const Self&>(*this), where);
  }

  /// Copies the elements, dense and row-major, to a container of V. Evaluates. Throws memory_error,
  /// device_error.
  template <template <class...> class Container = std::vector>
  Container<V> to_host(location where = location::current()) const {
    const auto a = to_array(where);
    const std::size_t size = host_size(a, "to_host", where);
    try {
      if constexpr (std::same_as<V, bool>) {  // vector<bool> has no data()
        std::vector<unsigned char> bytes(size);
        read(a, bytes.data(), where, "to_host");
        return Container<V>(bytes.begin(), bytes.end());
      } else {
        Container<V> host(size);
        read(a, host.data(), where, "to_host");
        return host;
      }
    } catch (const std::bad_alloc&) {
      throw_no_host_memory(a, "to_host", where);
    }
  }

  /// Returns the only element. Evaluates. Throws shape_error if there is not exactly one;
  /// memory_error, device_error.
  V item(location where = location::current()) const {
    const auto a = to_array(where);
    if (checked_size(a, "item", where) != 1) throw_not_scalar(a, where);
    V value;
    read(a, &value, where, "item");
    return value;
  }

  /// The value on another device: itself if it is already there, else a copy. Evaluates. Throws
  /// device_error if there is no such device.
  sinter::array<V> to(device d, location where = location::current()) const {
    return sinter::array<V>(to_device(to_array(where), d, where), where);
  }

  /// A view by NumPy's basic indexing, with up to 8 indices; nothing is copied. Throws index_error,
  /// and value_error for a slice of step 0.
  auto operator()(index_arg i0, index_arg i1 = no_index, index_arg i2 = no_index,
                  index_arg i3 = no_index, index_arg i4 = no_index, index_arg i5 = no_index,
                  index_arg i6 = no_index, index_arg i7 = no_index) const& {
    const index_item* const items[] = {&i0, &i1, &i2, &i3, &i4, &i5, &i6, &i7};
    const auto a = to_array(i0.where);
    return sinter::array<V>(index(a, items), i0.where);
  }

  /// Not an index: C++20 would take `x[i, j]` for `x[j]`.
  template <class I>
  auto operator[](I&&) const {
    static_assert(!std::same_as<I, I>, "indices stand in parentheses: x(i), x(i, j)");
  }

  /// All indices in one tuple: `x(ix_(rows, columns))`.
  template <class... I>
  auto operator()(const std::tuple<I...>& indices,
                  location where = location::current()) const& {
    return std::apply([&](const I&... i) { return (*this)(index_item(i, where)...); }, indices);
  }
  /// All indices in one std::array or std::vector, up to 8: `m(triu_indices(3))`,
  /// `m(unravel_index(argmax(m), m.shape()))`.
  template <expression I, std::size_t N>
  auto operator()(const std::array<I, N>& indices,
                  location where = location::current()) const& {
    return std::apply([&](const auto&... i) { return (*this)(index_item(i, where)...); }, indices);
  }
  template <expression I>
  auto operator()(const std::vector<I>& indices, location where = location::current()) const& {
    const auto at = [&](std::size_t k) { return index_of(indices, k, where); };
    return (*this)(at(0), at(1), at(2), at(3), at(4), at(5), at(6), at(7));
  }

  /// Functional updates: the value with elements set, added to and so on; x itself is unchanged.
  /// `x.at(rows).add(1)`, `(-x).at(0).set(1)`
  places_of_array<V> at(index_arg i0, index_arg i1 = no_index, index_arg i2 = no_index,
                        index_arg i3 = no_index, index_arg i4 = no_index, index_arg i5 = no_index,
                        index_arg i6 = no_index, index_arg i7 = no_index) const {
    sinter::array<V> x(to_array(i0.where), i0.where);
    return {std::move(x), {i0, i1, i2, i3, i4, i5, i6, i7}, i0.where};
  }

  /// The extents; computes nothing.
  array_shape shape(location where = location::current()) const {
    return array_shape(to_array(where).extents());
  }
  /// The same for structured bindings: `auto [rows, columns] = (x + y).shape<2>()`. Throws
  /// shape_error.
  template <std::size_t Rank>
  std::array<std::int64_t, Rank> shape(location where = location::current()) const {
    const any_array& a = to_array(where);
    return a.shape<Rank>(where);
  }
  int ndim() const { return static_cast<int>(shape().size()); }
  std::int64_t size() const { return to_array().size(); }
  static constexpr sinter::dtype dtype() { return dtype_of<V>; }

  /// The axes in reverse order; a view.
  sinter::array<V> T(location where = location::current()) const {
    return sinter::array<V>(reverse_axes(to_array(where), where), where);
  }
  /// The last two axes exchanged; a view. Throws shape_error below two dimensions.
  sinter::array<V> mT(location where = location::current()) const {
    return sinter::array<V>(matrix_transpose(to_array(where), where), where);
  }
  /// The only element: `double(norm(x))`, `int(argmax(x))`, `if (all(x > 0))`. Floats do not
  /// convert to integers. Evaluates. Throws as `item`, and value_error for an integer that does not
  /// fit.
  /// Only a truth value converts implicitly: `bool close = norm(r) < eps`.
  template <made_from<V> U>
  explicit(!(std::same_as<U, bool> && std::same_as<V, bool>)) operator U() const {
    return made<U>(item());
  }
  /// The same elements in another shape, where one extent may be -1; a view. Throws shape_error.
  sinter::array<V> reshape(const int_list& shape, location where = location::current()) const {
    return sinter::array<V>(detail::reshape(to_array(where), shape, where), where);
  }
  sinter::array<V> reshape(extent first, extent second, std::integral auto... rest) const {
    return reshape({first.value, second.value, std::int64_t(rest)...}, first.where);
  }
};

}  // namespace detail

}  // namespace sinter
