// Memory of nodes and their details. A statement makes some and an evaluation drops many at once,
// more than the heap keeps at hand, so every thread keeps its own.

#include <new>

#include "engine/nodes/node.hpp"

namespace sinter::detail {
namespace {

/// How many of each a thread keeps: 0.2 MiB in all.
constexpr int most_spare = 256;

struct spare {
  spare* next;
};

// Plain data: nodes may still die while a thread's other objects are being destroyed.
struct spares {
  spare* first;
  int count;
};

thread_local spares nodes, details;

struct thread_end {
  ~thread_end() {
    for (spares* s : {&nodes, &details}) {
      s->count = most_spare;  // nothing is kept any more
      while (s->first) {
        spare* const memory = s->first;
        s->first = memory->next;
        ::operator delete(memory);
      }
    }
  }
};

#if defined(__SANITIZE_ADDRESS__)
constexpr bool keeps = false;  // the sanitizer has to see what is used after its end
#else
constexpr bool keeps = true;
#endif

/// REQUIRES: all of `s` are of `size` bytes.
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
