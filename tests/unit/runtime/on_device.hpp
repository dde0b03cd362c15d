#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "runtime/device.hpp"

namespace sinter::runtime {

/// Device memory, written and read as host vectors.
template <class T> class on_device {
 public:
  on_device(device& d, const std::vector<T>& from)
      : device_(d),
        count_(from.size()),
        buffer_(d.allocate(std::max<std::size_t>(from.size(), 1) * sizeof(T))) {
    if (!from.empty()) d.copy_from_host(*buffer_, 0, from.data(), from.size() * sizeof(T));
  }
  on_device(device& d, std::int64_t count)
      : on_device(d, std::vector<T>(static_cast<std::size_t>(count))) {}
  T* data() const { return static_cast<T*>(buffer_->data()); }
  std::vector<T> read() const {
    std::vector<T> out(count_);
    if (count_) device_.copy_to_host(out.data(), *buffer_, 0, count_ * sizeof(T));
    return out;
  }

 private:
  device& device_;
  std::size_t count_;
  std::shared_ptr<buffer> buffer_;
};

}  // namespace sinter::runtime
