#include "ir/kernel_quick.hpp"

#include <algorithm>

namespace sinter::ir {

bool has_quick_form(const inst& i) {
  const bool wide = i.type == dtype::float32 || i.type == dtype::float64;
  return i.kind == inst_kind::compute && wide && (i.code == op::divide || i.code == op::sqrt);
}

int quick_forms(const kernel& k) {
  return static_cast<int>(std::ranges::count_if(k.body, has_quick_form));
}

bool can_be_quick(const kernel& k) {
  const auto again = [](const inst& i) {
    switch (i.kind) {
      case inst_kind::load:
      case inst_kind::index:
      case inst_kind::scalar:
      case inst_kind::constant:
      case inst_kind::compute:
        return true;
      case inst_kind::store:
        return i.args[1] < 0 && i.args[2] < 0;
      default:
        return false;
    }
  };
  return k.schedule.target == target::gpu && k.reduced == 0 && k.loops.empty() &&
         k.parts.empty() && k.schedule.held == 0 && std::ranges::all_of(k.body, again);
}

}  // namespace sinter::ir
