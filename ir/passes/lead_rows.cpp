#include "ir/passes/lead_rows.hpp"

#include <algorithm>
#include <cstdint>

namespace sinter::ir {
namespace {

/// Vectors of so few bytes are no faster when aligned, nor are those of such short rows (where the
/// work before a row shows).
constexpr int led_vector_bytes = 8;
constexpr extent least_led_bytes = 256, least_led_of_floats = 1024;

class leader {
 public:
  leader(kernel& k, const std::vector<index_expr>& ops) : k_(k), ops_(ops), lane_(k.kept) {}

  bool run(extent length, const machine& m) {
    const int widest = widest_input();
    if (length * widest < (widest < 4 ? least_led_bytes : least_led_of_floats)) return false;
    if (!fits() || widest == 0 || k_.schedule.vector * widest >= led_vector_bytes) return false;
    const int lead = first_along();
    int vector = m.vector_bytes / widest;
    while (vector > k_.schedule.vector && !agree(lead, vector)) vector /= 2;
    if (lead < 0 || vector <= k_.schedule.vector) return false;
    k_.schedule.vector = vector;
    k_.schedule.lead = lead;
    for (std::size_t o = 0; o < ops_.size(); ++o) {
      const bool read = k_.operands[o].role == operand_role::input && lies_along(o);
      if (read && !congruent(o, lead, vector)) k_.operands[o].reach = reach::shifted;
    }
    return true;
  }

 private:
  bool fits() const {
    const schedule& s = k_.schedule;
    const bool rows = k_.reduced == 1 && s.lanes == lane_axis::reduced && !s.split && !s.pieces;
    if (!rows || !k_.loops.empty()) return false;
    const bool apart = std::ranges::any_of(k_.body, [](const inst& i) {
      return i.kind == inst_kind::gather || i.kind == inst_kind::random ||
             (i.kind == inst_kind::store && (i.args[1] >= 0 || i.args[2] >= 0));
    });
    return !apart && std::ranges::all_of(k_.operands, [&](const operand& o) {
      const step along = o.access.steps[lane_];
      const bool index = o.role == operand_role::index;
      return o.access.unravel == 0 && o.apart == 0 && o.base < 0 && o.reach == reach::whole &&
             (index || along == step::zero || along == step::one);
    });
  }

  bool lies_along(std::size_t o) const {
    return k_.operands[o].role != operand_role::index &&
           k_.operands[o].access.steps[lane_] == step::one;
  }

  int widest_input() const {
    std::size_t widest = 0;
    for (const operand& o : k_.operands) {
      if (o.role == operand_role::input) widest = std::max(widest, size_of(o.type));
    }
    return static_cast<int>(widest);
  }

  /// The first operand that lies along the rows: an output, else an input.
  int first_along() const {
    for (operand_role role : {operand_role::output, operand_role::input}) {
      for (std::size_t o = 0; o < ops_.size(); ++o) {
        if (k_.operands[o].role == role && lies_along(o)) return static_cast<int>(o);
      }
    }
    return -1;
  }

  /// Can all outputs be stored by such vectors?
  bool agree(int lead, int vector) const {
    for (std::size_t o = 0; o < ops_.size(); ++o) {
      const bool written = k_.operands[o].role == operand_role::output && lies_along(o);
      if (written && !congruent(o, lead, vector)) return false;
    }
    return true;
  }

  /// Are its vectors aligned where those of the lead are, in every row?
  bool congruent(std::size_t o, int lead, int vector) const {
    const index_expr &a = ops_[o], &b = ops_[static_cast<std::size_t>(lead)];
    if ((a.offset - b.offset) % vector != 0) return false;
    for (std::size_t d = 0; d < lane_; ++d) {
      if ((a.strides[d] - b.strides[d]) % vector != 0) return false;
    }
    return true;
  }

  kernel& k_;
  const std::vector<index_expr>& ops_;
  std::size_t lane_;
};

}  // namespace

bool lead_rows(kernel& k, const std::vector<index_expr>& operands, extent length,
               const machine& m) {
  return leader(k, operands).run(length, m);
}

}  // namespace sinter::ir
