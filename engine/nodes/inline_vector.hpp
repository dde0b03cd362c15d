#pragma once
// A vector whose first N elements live inside it: nodes are made once a statement and must not cost
// three allocations.

#include <cstddef>
#include <memory>
#include <span>
#include <utility>
#include <vector>

namespace sinter::detail {

template <class T, std::size_t N>
class inline_vector {
 public:
  inline_vector() = default;
  inline_vector(std::span<const T> v) { assign(v); }
  inline_vector(inline_vector&&) = default;
  inline_vector& operator=(inline_vector&&) = default;

  void assign(std::span<const T> v) {
    clear();
    fill(v.size(), [&](std::size_t i) { return v[i]; });
  }
  /// n elements, f(i). REQUIRES: it is empty.
  template <class F> void fill(std::size_t n, F f) {
    if (n <= N) {
      for (std::size_t i = 0; i < n; ++i) local_[i] = f(i);
    } else {
      heap_.reserve(n);
      for (std::size_t i = 0; i < n; ++i) heap_.push_back(f(i));
    }
    size_ = n;
  }
  void reserve(std::size_t n) {
    if (n > N) heap_.reserve(n);
  }
  void push_back(T x) {
    if (size_ < N) {
      local_[size_] = std::move(x);
    } else {
      if (size_ == N)
        heap_.assign(std::make_move_iterator(local_), std::make_move_iterator(local_ + N));
      heap_.push_back(std::move(x));
    }
    ++size_;
  }
  void clear() {
    for (std::size_t i = 0; i < size_ && i < N; ++i) local_[i] = T();
    heap_.clear();
    size_ = 0;
  }
  std::size_t size() const { return size_; }
  bool empty() const { return size_ == 0; }
  T* data() { return size_ <= N ? local_ : heap_.data(); }
  const T* data() const { return size_ <= N ? local_ : heap_.data(); }
  T& operator[](std::size_t i) { return data()[i]; }
  const T& operator[](std::size_t i) const { return data()[i]; }
  T* begin() { return data(); }
  T* end() { return data() + size_; }
  const T* begin() const { return data(); }
  const T* end() const { return data() + size_; }
  operator std::span<const T>() const { return {data(), size_}; }

 private:
  T local_[N] = {};
  std::vector<T> heap_;
  std::size_t size_ = 0;
};

}  // namespace sinter::detail
