#pragma once
// Names of devices.

#include <string_view>

#include <sinter/any_array.hpp>

namespace sinter {

/// A device by name: "cpu", "cuda" or "cuda:1".
struct device {
  enum class kind : std::uint8_t { cpu, cuda };
  kind what = kind::cpu;
  int index = 0;
  device() = default;
  device(kind k, int number = 0) : what(k), index(number) {}
  /// Throws value_error for any other name.
  device(std::string_view name, location where = location::current());
  device(const char* name, location where = location::current())
      : device(std::string_view(name), where) {}
  bool operator==(const device&) const = default;
};

namespace detail {
any_array to_device(const any_array& x, device d, location where);
}

}  // namespace sinter
