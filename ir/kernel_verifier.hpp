#pragma once
// The rules of the kernel IR as a program: of schedules, of instructions, of loops, and of levels.

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "ir/kernel.hpp"

namespace sinter::ir::detail {

class kernel_verifier {
 public:
  explicit kernel_verifier(const kernel& k) : k_(k) {}
  void run();

 private:
  static bool is_identifier(const std::string& s);
  void kernel_rule(bool holds, std::string_view rule, std::string_view what) const;
  void require(bool holds, std::string_view rule, std::string_view what) const;

  // ---- schedule and operands (kernel_verify_schedule.cpp)
  void schedule_rules() const;
  void resident_rules() const;
  void block_rules() const;
  void held_rules() const;
  void brought_rules() const;
  void abreast_rules() const;
  void whole_row_rules() const;
  void staged_rules() const;
  void flat_rules() const;
  void tile_rules() const;
  void lead_of_rows_rules() const;
  bool lies_along(int which, int axis) const;
  void reach_rules(int which) const;
  void like_rules(int which) const;
  void staged_reach_rules(const operand& o) const;
  void backwards_rules(const operand& o) const;
  void strip_rules(int which) const;
  void picked_rules(const operand& o) const;
  /// Of inputs that are read by vectors: shifted, aligned and turned ones.
  void vector_reach_rules(int which) const;
  void turn_rules(int which) const;
  void beside_rules(int which) const;
  void operand_rules(const operand& o) const;

  // ---- instructions (kernel_verify_instructions.cpp)
  const inst& argument(const inst& i, int k) const;
  static int argument_count(const inst& i);
  void argument_rules(const inst& i) const;
  void inst_rules(const inst& i) const;
  const operand* operand_of(const inst& i) const;
  void array_rules(const inst& i, operand_role role, dtype type) const;
  void gather_rules(const inst& i) const;
  void flag_rules(const inst& i) const;
  void scatter_rules(const inst& i) const;
  void index_rules(const inst& i) const;
  void compute_rules(const inst& i) const;
  void random_rules(const inst& i) const;
  void reduce_rules(const inst& i) const;
  void scan_rules(const inst& i) const;

  // ---- loops (kernel_verify_loops.cpp)
  /// Packs are only arguments of packs and loops, loops only of picks.
  void list_rules(const inst& i, int k) const;
  /// The body of a loop, independent of its arguments.
  void loop_code_rules(const loop_code& l);
  void place_rules(const inst& i) const;
  void loop_rules(const inst& i) const;
  void pick_rules(const inst& i) const;

  // ---- rules across instructions
  void chain_rules() const;
  void level_rules();
  void store_rules(const inst& i, const kernel& inferred, int phase) const;

  const kernel& k_;
  const std::vector<inst>* body_ = nullptr;  // what `at_` indexes
  const loop_code* loop_ = nullptr;          // the loop whose body it is
  std::size_t at_ = 0;
};

}  // namespace sinter::ir::detail
