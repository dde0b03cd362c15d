#include "runtime/llvm/thread_memory.hpp"

#include <cstddef>
#include <memory>
#include <new>
#include <vector>

namespace sinter::runtime {
namespace {

constexpr std::size_t line = 64;

constexpr std::align_val_t alignment{line};

struct release {
  void operator()(void* p) const { ::operator delete(p, alignment); }
};

struct room {
  std::unique_ptr<void, release> data;
  std::size_t bytes = 0;
};

}  // namespace

void* thread_memory(std::int64_t which, std::int64_t bytes) noexcept {
  thread_local std::vector<room> rooms;
  const auto number = static_cast<std::size_t>(which);
  if (rooms.size() <= number) rooms.resize(number + 1);
  room& r = rooms[number];
  const std::size_t wanted = (static_cast<std::size_t>(bytes) + line - 1) / line * line;
  if (r.bytes >= wanted && r.data) return r.data.get();
  r.data.reset();
  r.data.reset(::operator new(wanted, alignment));
  r.bytes = wanted;
  return r.data.get();
}

}  // namespace sinter::runtime
