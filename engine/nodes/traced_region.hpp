#pragma once
// The nodes a function recorded that depend on its stand-ins.

#include <unordered_map>
#include <vector>

#include "engine/nodes/node.hpp"

namespace sinter::detail {

class region {
 public:
  void stand_in(const any_array& x) { stand_in(x.get()); }
  void stand_in(const node* n) { depends_[n] = true; }
  /// Visits x and everything it is computed from.
  void add(const any_array& x);

  bool depends(const any_array& x) const {
    const auto it = depends_.find(x.get());
    return it != depends_.end() && it->second;
  }
  /// The nodes that depend on stand-ins, excluding these, inputs first.
  const std::vector<any_array>& nodes() const { return order_; }
  /// Of a visited node.
  const std::vector<any_array>& inputs(const any_array& x) const { return inputs_.at(x.get()); }

 private:
  void leave(const any_array& x);

  std::unordered_map<const node*, bool> depends_;
  std::unordered_map<const node*, std::vector<any_array>> inputs_;
  std::vector<any_array> order_, held_;
};

/// Is x computed from a stand-in, so that it has no value?
bool needs_stand_in(const any_array& x);

}  // namespace sinter::detail
