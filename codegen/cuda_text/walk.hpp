#pragma once
// A walk: what the threads of a row do at every point of the reduced axes.
//
// A short walk with range checks is emitted twice: a loop over whole steps, without conditions, and
// the tail. A resident row has vectors that are in range for all threads, and others.

#include <optional>
#include <set>
#include <string>
#include <vector>

#include "codegen/cuda_text/combine.hpp"
#include "codegen/cuda_text/reduce_layout.hpp"
#include "codegen/cuda_text/scan.hpp"

namespace sinter::codegen::cuda_text {

class walk_writer {
 public:
  walk_writer(const ir::kernel& k, const reduce_layout& l, access_writer& a, body_writer& b,
              combine_writer& c, scan_writer& s, writer& out)
      : kernel_(k), layout_(l), accesses_(a), body_(b), combine_(c), scan_(s), out_(out) {}

  /// Rows that fit in registers are loaded once, before the first walk.
  void load_row();

  /// Walk `number` of the kernel.
  void walk(const phase&, std::size_t number);

  // ---- for chained scans (chain.cpp): one step, in parts

  /// Where the step begins, and values common to its row.
  void begin_chunk(const phase&);
  /// Declares the registers of inputs, then fills them; or both at once.
  void declare(const operand_list& inputs);
  void fill(const operand_list& inputs);
  void load(const operand_list& inputs);
  void compute(const inst_list& walked, const inst_list& scans);
  /// For `compute` with scans: keeps the conditions of these stores, one bit each, and the value of
  /// the first; -1: none.
  void pack(int packed, int noted) {
    packed_ = packed;
    noted_ = noted;
  }

 private:
  using stretches = std::vector<stretch>;

  int vector() const { return layout_.vector; }
  bool split() const { return kernel_.schedule.split; }
  bool is_last(std::size_t walk) const { return walk + 2 == layout_.phases.size(); }
  /// Is a vector wholly out of range skipped? Not in resident rows: a branch would keep the
  /// compiler from sharing values with a later walk.
  bool passes_by(const frame& f) const { return f.empty && !layout_.resident && !layout_.scans; }
  int step() const;
  int stride() const;
  std::string first() const;
  std::string position_name() const { return layout_.unroll > 1 ? "j0" : "j"; }

  void walk_resident(const phase&, const operand_sets&, bool last);
  void write_again(const phase&, const operand_sets&, const stretches&);
  void walk_in_steps(const phase&, const operand_sets&);
  void walk_together(const phase&, const operand_sets&);
  void load_picked(const phase&, const operand_sets&, const stretches&);
  void take_step(const phase&, const operand_sets&, const stretches&);

  void begin_quotients(const phase&);
  std::optional<inst_list> numerator(int quotient, const phase&) const;
  int brief_quotient(const phase&) const;
  inst_list write_quotients(const phase&);
  inst_list without(const phase&, const inst_list& done) const;
  void position(const frame&);
  writer::scope vectors(const stretch&);
  void load(const operand_list&, const stretches&);
  void keep_packed();
  void load_beside(const operand_list&, const frame&, const inst_list& walked);
  void compute(const phase&, const operand_sets&, const stretches&, const inst_list& scans = {});
  void compute_vector(const frame& inner, const frame& stored, const phase&, const operand_sets&,
                      const inst_list& scans);

  const ir::kernel& kernel_;
  const reduce_layout& layout_;
  access_writer& accesses_;
  body_writer& body_;
  combine_writer& combine_;
  scan_writer& scan_;
  writer& out_;
  std::set<int> reciprocals_;  // of outer values, declared already
  inst_list quotients_;        // divisions of the current walk by them
  int brief_ = -1;             // the bfloat16 made of the quotient of which nothing else is made
  bool one_by_one_ = false;    // the vectors' loop is not unrolled
  int packed_ = -1, noted_ = -1;
  operand_list beside_;        // inputs loaded where a vector is computed
  inst_list picked_;           // gathers loaded before
};

}  // namespace sinter::codegen::cuda_text
