#pragma once
// mdspans: a small one for the tests, as not every compiler has std's, and CUDA's if available.

#include <array>
#include <cstdint>
#include <utility>

#if __has_include(<version>)
#include <version>
#endif
#if defined(__cpp_lib_mdspan)
#include <mdspan>
#endif
#if defined(SINTER_TEST_CUDA_MDSPAN)
#include <cuda/std/mdspan>
#endif

/// What sinter requires of an mdspan, with explicit or row-major strides.
template <class T, std::size_t R>
class strided_span {
 public:
  using element_type = T;
  using index_type = std::int64_t;
  struct extents_type {};

  strided_span(T* data, std::array<std::int64_t, R> extents, std::array<std::int64_t, R> strides)
      : data_(data), extents_(extents), strides_(strides) {}
  template <class... I>
    requires(sizeof...(I) == R && (std::is_integral_v<I> && ...))
  explicit strided_span(T* data, I... extents) : data_(data), extents_{extents...} {
    std::int64_t stride = 1;
    for (std::size_t r = R; r-- > 0; stride *= extents_[r]) strides_[r] = stride;
  }

  static constexpr std::size_t rank() { return R; }
  static constexpr std::size_t static_extent(std::size_t) { return static_cast<std::size_t>(-1); }
  T* data_handle() const { return data_; }
  std::int64_t extent(std::size_t r) const { return extents_[r]; }
  std::int64_t stride(std::size_t r) const { return strides_[r]; }

 private:
  T* data_;
  std::array<std::int64_t, R> extents_, strides_{};
};
