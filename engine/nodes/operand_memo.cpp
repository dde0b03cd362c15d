#include <sinter/operand_memo.hpp>

#include <atomic>

#include "engine/nodes/node.hpp"

namespace sinter::detail {

any_array operand_memo::get() const noexcept {
  node* const n = std::atomic_ref(node_).load(std::memory_order_acquire);
  if (n) retain(n);
  return any_array::take(n);
}

any_array operand_memo::keep(any_array x) const noexcept {
  x.get()->remembered = true;
  node* first = nullptr;
  if (!std::atomic_ref(node_).compare_exchange_strong(first, x.get(), std::memory_order_acq_rel)) {
    return get();
  }
  any_array kept = x;
  static_cast<void>(x.give());  // the memo owns the reference now
  return kept;
}

}  // namespace sinter::detail
