#pragma once
// A vector whose first N elements are stored inline: every statement makes nodes, which should not
// cost three allocations each.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <iterator>
#include <memory>
#include <span>
#include <type_traits>
#include <utility>
#include <vector>

namespace sinter::detail {

template <class T, std::uint32_t N>
class inline_vector {
 public:
  inline_vector() = default;
  inline_vector(std::span<const T> v) { assign(v); }
  inline_vector(const std::vector<T>& v) { assign(v); }
  inline_vector(std::initializer_list<T> v) { assign({v.begin(), v.size()}); }
  template <std::random_access_iterator I> inline_vector(I first, I last) { assign(first, last); }
  inline_vector(const inline_vector& v) { assign(v); }
  inline_vector(inline_vector&& v) noexcept { take(v); }
  inline_vector& operator=(const inline_vector& v) {
    if (this != &v) assign(v);
    return *this;
  }
  inline_vector& operator=(inline_vector&& v) noexcept {
    if (this == &v) return *this;
    clear();
    take(v);
    return *this;
  }

  void assign(std::span<const T> v) {
    clear();
    fill(v.size(), [&](std::size_t i) { return v[i]; });
  }
  template <std::random_access_iterator I> void assign(I first, I last) {
    clear();
    fill(static_cast<std::size_t>(last - first), [&](std::size_t) { return *first++; });
  }
  void assign(std::size_t n, const T& x) {
    clear();
    fill(n, [&](std::size_t) { return x; });
  }
  /// n elements, f(i). REQUIRES: it is empty.
  template <class F> void fill(std::size_t n, F f) {
    reserve(n);
    T* const to = data();
    for (std::size_t i = 0; i < n; ++i) to[i] = f(i);
    size_ = static_cast<std::uint32_t>(n);
  }
  void reserve(std::size_t n) {
    if (n <= capacity_) return;
    auto more = std::make_unique<T[]>(n);
    std::move(begin(), end(), more.get());
    heap_ = std::move(more);
    capacity_ = static_cast<std::uint32_t>(n);
  }
  void push_back(T x) {
    if (size_ == capacity_) reserve(2 * std::size_t{capacity_});
    data()[size_++] = std::move(x);
  }
  void resize(std::size_t n, const T& x) {
    reserve(n);
    for (std::size_t i = size_; i < n; ++i) data()[i] = x;
    for (std::size_t i = n; i < size_; ++i) data()[i] = T();
    size_ = static_cast<std::uint32_t>(n);
  }
  void insert(const T* at, std::size_t count, const T& x) {
    const auto before = at - begin();
    resize(size_ + count, x);
    std::rotate(begin() + before, end() - count, end());
  }
  void insert(const T* at, const T& x) { insert(at, 1, x); }
  template <std::input_iterator I> void insert(const T* at, I first, I last) {
    const auto before = at - begin(), old = end() - begin();
    for (; first != last; ++first) push_back(*first);
    std::rotate(begin() + before, begin() + old, end());
  }
  void erase(const T* at) {
    T* const gap = begin() + (at - begin());
    std::move(gap + 1, end(), gap);
    data()[--size_] = T();
  }
  void clear() {
    for (T& x : *this) x = T();
    size_ = 0;
  }
  std::size_t size() const { return size_; }
  bool empty() const { return size_ == 0; }
  T* data() { return heap_ ? heap_.get() : local_; }
  const T* data() const { return heap_ ? heap_.get() : local_; }
  T& operator[](std::size_t i) { return data()[i]; }
  const T& operator[](std::size_t i) const { return data()[i]; }
  T& back() { return data()[size_ - 1]; }
  const T& back() const { return data()[size_ - 1]; }
  T* begin() { return data(); }
  T* end() { return data() + size_; }
  const T* begin() const { return data(); }
  const T* end() const { return data() + size_; }
  operator std::span<const T>() const { return {data(), size_}; }
  bool operator==(const inline_vector& b) const {
    return std::equal(begin(), end(), b.begin(), b.end());
  }

 private:
  /// REQUIRES: this one is empty. Leaves the other one empty.
  void take(inline_vector& v) noexcept {
    if (v.heap_) {
      heap_ = std::move(v.heap_);
      capacity_ = std::exchange(v.capacity_, N);
    } else if (std::is_trivially_copyable_v<T> && !heap_) {
      std::copy_n(v.local_, N, local_);  // constant length, no call
    } else {
      std::move(v.begin(), v.end(), data());
    }
    size_ = std::exchange(v.size_, 0);
  }

  T local_[N] = {};
  std::unique_ptr<T[]> heap_;
  std::uint32_t size_ = 0, capacity_ = N;
};

}  // namespace sinter::detail
