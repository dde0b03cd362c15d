// Sums of floats along rows: chains of additions are short, and the rounding error of adding them
// to the total is kept beside it.

#include <algorithm>

#include "codegen/llvm/reducer.hpp"

namespace sinter::codegen::cpu {

bool reducer::sums_floats() const {
  return std::ranges::any_of(accumulators_, [](const accumulator& a) { return !a.totals.empty(); });
}

/// Counts elements added to the chains, which grow by one per step, and settles long ones.
void reducer::settle_after(Value* elements, Value* step) {
  Value* const waiting = c_.b.CreateAdd(unsettled_.get(c_.b), elements);
  unsettled_.set(c_.b, waiting);
  Value* const block = c_.times(step, c_.integer(chain_length));
  loops_.when(c_.b.CreateICmpSGE(waiting, block), "settle", [&] {
    for (const accumulator& a : accumulators_) settle(a);
    unsettled_.set(c_.b, c_.integer(0));
  });
}

/// Adds the sum since the last time to the total, and the exact error of that addition to the lost
/// part (Knuth, TAOCP 2, 4.2.2).
void reducer::settle(const accumulator& a) {
  for (std::size_t n = 0; n < a.totals.size(); ++n) {
    Value* const t = a.totals[n].get(c_.b);
    Value* const v = a.values[n].get(c_.b);
    Value* const sum = c_.b.CreateFAdd(t, v);
    Value* const added = c_.b.CreateFSub(sum, t);
    Value* const error = c_.b.CreateFAdd(c_.b.CreateFSub(t, c_.b.CreateFSub(sum, added)),
                                         c_.b.CreateFSub(v, added));
    a.totals[n].set(c_.b, sum);
    a.lost[n].set(c_.b, c_.b.CreateFAdd(a.lost[n].get(c_.b), error));
    a.values[n].set(c_.b, llvm::Constant::getNullValue(v->getType()));
  }
}

/// The lost part is NaN if the total is infinite.
Value* reducer::sum_of(const accumulator& a, std::size_t copy) {
  if (a.totals.empty()) return a.values[copy].get(c_.b);
  Value* const total = a.totals[copy].get(c_.b);
  Value* const lost = a.lost[copy].get(c_.b);
  return c_.b.CreateSelect(c_.b.CreateFCmpORD(lost, lost), c_.b.CreateFAdd(total, lost), total);
}

}  // namespace sinter::codegen::cpu
