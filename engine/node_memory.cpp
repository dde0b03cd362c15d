// Memory of nodes. A statement makes one and an evaluation drops many, so every thread keeps some.

#include <new>

#include "engine/node.hpp"

namespace sinter::detail {
namespace {

/// How many nodes' memory a thread keeps: 0.1 MiB of it.
constexpr int most_spare = 256;

struct spare {
  spare* next;
};

// Both are plain data: nodes may still die while a thread's other objects are being destroyed.
thread_local spare* first = nullptr;
thread_local int count = 0;

struct thread_end {
  ~thread_end() {
    count = most_spare;  // nothing is kept any more
    while (first) {
      spare* const memory = first;
      first = memory->next;
      ::operator delete(memory);
    }
  }
};

#if defined(__SANITIZE_ADDRESS__)
constexpr bool keeps = false;  // the sanitizer has to see what is used after its end
#else
constexpr bool keeps = true;
#endif

}  // namespace

void* node::operator new(std::size_t bytes) {
  if (!first || bytes != sizeof(node)) return ::operator new(bytes);
  spare* const memory = first;
  first = memory->next;
  --count;
  return memory;
}

void node::operator delete(void* memory) noexcept {
  if (!keeps || count >= most_spare) return ::operator delete(memory);
  static thread_local const thread_end end;
  first = new (memory) spare{first};
  ++count;
}

}  // namespace sinter::detail
