#include "runtime/cpu/first.hpp"

#include "runtime/cpu/wide_registers.hpp"

namespace sinter::runtime {
namespace {

/// A full stretch is a loop of constant length, which compilers unroll and vectorise.
template <class Key>
[[gnu::always_inline]] inline bool compared(const Key* keys, std::int64_t n, Key limit) {
  constexpr std::int64_t stretch = 64;
  bool found = false;
  if (n == stretch) {
    for (std::int64_t i = 0; i < stretch; ++i) found |= keys[i] < limit;
  } else {
    for (std::int64_t i = 0; i < n; ++i) found |= keys[i] < limit;
  }
  return found;
}

template <class Key> bool any_of(const Key* keys, std::int64_t n, Key limit) {
  return with_wide_registers(
      [](const Key* k, std::int64_t count, Key most) __attribute__((always_inline)) {
        return compared(k, count, most);
      },
      keys, n, limit);
}

}  // namespace

bool any_below(const std::uint8_t* keys, std::int64_t n, std::uint8_t limit) {
  return any_of(keys, n, limit);
}
bool any_below(const std::uint16_t* keys, std::int64_t n, std::uint16_t limit) {
  return any_of(keys, n, limit);
}
bool any_below(const std::uint32_t* keys, std::int64_t n, std::uint32_t limit) {
  return any_of(keys, n, limit);
}
bool any_below(const std::uint64_t* keys, std::int64_t n, std::uint64_t limit) {
  return any_of(keys, n, limit);
}

}  // namespace sinter::runtime
