#pragma once
// Scans: how the threads of a row bring together what each has scanned by itself.
//
// At each step of a walk along rows, vector u of thread t covers the positions behind
// (u * row_threads + t) * vector; along columns, row u of walker t is t * unroll + u. A thread
// scans its vectors (its rows) alone, and is done where its columns have no other walker. What
// they come to is scanned across warps by shuffles, and across the warps of a row by a warp again.
// So the order of combination follows from the schedule, which follows from the shape.

#include <string>
#include <vector>

#include "codegen/cuda_text/reduce_layout.hpp"
#include "codegen/cuda_text/writer.hpp"

namespace sinter::codegen::cuda_text {

/// Part of a step: what has to wait for the scans of the parts before.
struct scan_stage {
  inst_list walked, reduces, scans;
};

struct scan_stages {
  scan_stages(const ir::kernel&, const phase&);
  inst_list scans() const;
  std::vector<scan_stage> list;
};

inline bool is_scan(const ir::inst& i) {
  return i.kind == ir::inst_kind::scan;
}

/// What leaves a value as it is.
std::string start_of(ir::op code, dtype type);

class scan_writer {
 public:
  scan_writer(const ir::kernel& k, const reduce_layout& l, body_writer& b, writer& out)
      : kernel_(k), layout_(l), body_(b), out_(out) {}

  /// Ahead of a walk: what a row has come to.
  void begin(int scan);
  /// Registers for one step.
  void declare(int scan);
  /// Takes in the value at hand, in the loops over vectors and lanes.
  void take_in(int scan);
  /// Turns the values of a step into what the row comes to at each.
  void combine(int scan);

  // ---- chained (see chain.cpp)

  /// Values of the chunk at hand and of one that waits, and what warps leave for each other.
  void begin_chain(int scan, bool waits);
  /// Turns the values at hand into what each comes to in its warp's vector.
  void alone(int scan);
  /// One warp brings together what warps left, and tells it.
  void tell(int scan, const std::string& tables);
  /// The same warp finds out what stands before the chunk that waits.
  void look(int scan, const std::string& tables);
  /// The values that wait, behind all before them.
  void behind(int scan);

 private:
  std::string type(int scan) const;
  std::string neutral(int scan) const;
  std::string combined(int scan, const std::string& a, const std::string& b) const;
  std::string place() const;
  /// Does a thread have its columns to itself?
  bool has_columns() const { return layout_.columns && layout_.row_threads == 1; }
  std::string name(int scan, std::string_view suffix) const;
  /// Sequences that warps scan, and how many entries each has; 0 where a warp has its own rows.
  int sequences() const;
  int entries() const;
  int turns() const;
  void alone_in_row(int scan);
  void alone_in_columns(int scan);
  void down_columns(int scan);
  void across_lanes(int scan);
  void leave_totals(int scan);
  void across_entries(int scan);
  /// What the lanes of a warp have in `total` comes to, and in `ahead` what those before have.
  void across_warp(int scan, const std::string& total);
  void apply(int scan);

  const ir::kernel& kernel_;
  const reduce_layout& layout_;
  body_writer& body_;
  writer& out_;
};

}  // namespace sinter::codegen::cuda_text
