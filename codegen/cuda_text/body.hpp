#pragma once
// The instructions of a kernel as statements, one per value.

#include <algorithm>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "codegen/cuda_text/writer.hpp"
#include "ir/kernel.hpp"
#include "ir/quick_tests.hpp"

namespace sinter::codegen::cuda_text {

using inst_list = std::vector<int>;  // ascending

inline bool contains(const std::vector<int>& list, int x) {
  return std::find(list.begin(), list.end(), x) != list.end();
}

/// Where a gather reads, apart from its own index, and when its lane is in range.
struct gather_place {
  std::string array, position, in_range;
};

/// Is the instruction a statement of its own?
inline bool is_statement(const ir::inst& i) {
  return i.kind == ir::inst_kind::compute || i.kind == ir::inst_kind::random ||
         i.kind == ir::inst_kind::gather || i.kind == ir::inst_kind::loop ||
         i.kind == ir::inst_kind::pick;
}

/// A store with a condition or an index: a statement of its own, not part of a vector.
inline bool stands_alone(const ir::inst& i) {
  return i.kind == ir::inst_kind::store && (i.args[1] >= 0 || i.args[2] >= 0);
}

/// The variables that track quick quotients and roots: `least` of what must be of ordinary size,
/// `lowest` of those among them that are never negative.
inline constexpr std::string_view least_seen = "least", lowest_seen = "lowest";

class body_writer {
 public:
  /// `prefix` distinguishes the names of values from those of another body: "5_".
  body_writer(const ir::kernel&, writer&, std::string prefix = {});

  const ir::kernel& kernel() const { return kernel_; }
  const ir::inst& inst(int i) const { return kernel_.body[static_cast<std::size_t>(i)]; }

  /// The expression that stands for instruction `i` where its value is used.
  const std::string& value(int i) const { return values_[static_cast<std::size_t>(i)]; }

  /// Binds an element in a register, or an index, to the value of instruction `i`.
  void bind(int i, const std::string& place);

  /// Where gather `i` reads.
  void aim(int i, gather_place place) { places_[static_cast<std::size_t>(i)] = std::move(place); }
  const gather_place& place(int i) const { return places_[static_cast<std::size_t>(i)]; }

  /// Where the gathers and stores of loops find an operand.
  void aim_operand(int operand, gather_place place) { operands_[operand] = std::move(place); }
  const gather_place& operand_place(int operand) const { return operands_.at(operand); }
  const std::string& lane_in_range(int i) const {
    return places_[static_cast<std::size_t>(i)].in_range;
  }

  /// Renames a value.
  void rename(int i, std::string name) { values_[static_cast<std::size_t>(i)] = std::move(name); }

  /// Gives a value that several loops over lanes use an array of its own.
  void keep(int i, int lanes);

  /// Instruction `i` is no statement: its value is already at this place, until withdrawn.
  void supply(int i, std::string place) {
    supplied_.try_emplace(i, value(i));
    rename(i, std::move(place));
  }

  /// Withdraws all supplied values except `kept`: a loop's vectors are emitted twice, whole ones
  /// and the tail, and the registers of one are not those of the other.
  void withdraw_supplies(const inst_list& kept);

  /// Gathers that read consecutive elements, in this order: one load for all.
  void read_together(const inst_list& gathers);

  /// Division `i` has a divisor whose reciprocal has this name.
  void divide_by(int i, std::string reciprocal) { reciprocals_[i] = std::move(reciprocal); }

  /// Enables or disables quotients and roots without tests (schedule::quick) from here on: a float
  /// `least` and an unsigned `lowest` track what must be of ordinary size.
  void leave_tests_out(bool);

  /// From here on quotients of doubles are calls, for rarely executed code with many of them, which
  /// compiles faster so (an equation of state with 12 of them in 147 ms for 240).
  void call_quotients() { calls_quotients_ = true; }

  /// Writes the instructions that compute something. Call once per section.
  void statements(const inst_list& list) { statements(list, nullptr); }
  /// The same with the stores among them in place, each written by `store`.
  void statements(const inst_list&, const std::function<void(int)>& store);

  /// Does the load or store access one part of a complex element?
  bool is_part(int i) const {
    return is_complex(kernel_.operands[static_cast<std::size_t>(inst(i).which)].type);
  }

  /// The name of an instruction's value in `statements`, without a lane.
  std::string label(int i) const;

  /// Writes `text` below the note of instruction `i`, if that differs from the last one.
  void statement(int i, const std::string& text);

  /// Writes the note of instruction `i`, if that differs from the last one.
  void remark(int i);

  /// The next statement begins another section.
  void section() { note_ = -1; }

 private:
  /// An `or` of operands of which the kernel also has the `and` (see sinter_either).
  bool stands_beside_and(const ir::inst&) const;
  /// Shifts by a number unknown to the compiler all go to the unit that does the bitwise operations
  /// around them; a product uses another.
  bool shifts_by_scalar(const ir::inst&) const;
  std::string computed(int i, std::string& remark) const;
  void write_inverse(int i);
  std::string quick(int i, const std::vector<std::string>& args) const;
  std::string gathered(int i) const;
  std::string position_of(int i) const;
  std::string condition_of(int i) const;
  void load_together(const inst_list& gathers);

  const ir::kernel& kernel_;
  writer& out_;
  std::string prefix_;
  std::vector<std::string> values_;
  std::vector<gather_place> places_;  // per instruction
  std::map<int, gather_place> operands_;
  std::map<int, inst_list> together_;       // per gather: all gathers of its load
  std::set<int> loaded_;                    // in this section: the first of each
  std::map<int, std::string> reciprocals_;  // per instruction
  std::map<int, std::string> inverses_;     // per divisor, in this section
  std::vector<ir::quick_test> tests_;        // per instruction; empty: all have their own
  std::vector<bool> positive_;               // per instruction: never negative
  std::vector<bool> kept_;
  std::map<int, std::string> supplied_;  // per instruction: its name before
  bool calls_quotients_ = false;
  int note_ = -1;
};

/// The name of the reciprocal of a scalar divisor of floats or doubles.
std::string inverse_of(dtype, int scalar);

/// A function of the text that combines two values as `code` does: "sinter_add".
std::string combiner_name(ir::op code);
/// One that atomically combines a value with a stored one: "sinter_add_to".
std::string meeting_name(ir::op code);
/// All such functions a kernel calls.
void write_meetings(const ir::kernel&, writer&);
void write_combiner(ir::op code, dtype type, writer&);

}  // namespace sinter::codegen::cuda_text
