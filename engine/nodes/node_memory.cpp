// Memory of nodes and their details. A statement allocates some and an evaluation frees many at
// once, more than the heap caches, so every thread has its own free list.

#include <new>

#include "engine/nodes/node.hpp"

namespace sinter::detail {
namespace {

/// The most spare blocks of each kind per thread: 0.2 MiB in all.
constexpr int most_spare = 256;

struct spare {
  spare* next;
};

// Trivially destructible: nodes may still die while a thread's other objects are being destroyed.
struct spares {
  spare* first;
  int count;
};

thread_local spares nodes, details;

struct thread_end {
  ~thread_end() {
    for (spares* s : {&nodes, &details}) {
      s->count = most_spare;  // from here on nothing is kept
      while (s->first) {
        spare* const memory = s->first;
        s->first = memory->next;
        ::operator delete(memory);
      }
    }
  }
};

#if defined(__SANITIZE_ADDRESS__)
constexpr bool keeps = false;  // the sanitizer must see every use after free
#else
constexpr bool keeps = true;
#endif

/// REQUIRES: all blocks of `s` have `size` bytes.
void* take(spares& s, std::size_t bytes, std::size_t size) {
  if (!s.first || bytes != size) return ::operator new(bytes);
  spare* const memory = s.first;
  s.first = memory->next;
  --s.count;
  return memory;
}

void give(spares& s, void* memory) noexcept {
  if (!keeps || s.count >= most_spare) return ::operator delete(memory);
  static thread_local const thread_end end;
  s.first = new (memory) spare{s.first};
  ++s.count;
}

}  // namespace

void* node::operator new(std::size_t bytes) { return take(nodes, bytes, sizeof(node)); }
void node::operator delete(void* memory) noexcept { give(nodes, memory); }

void* node_details::operator new(std::size_t bytes) {
  return take(details, bytes, sizeof(node_details));
}
void node_details::operator delete(void* memory) noexcept { give(details, memory); }

}  // namespace sinter::detail
