#pragma once
// Scans: how the threads of a row combine their partial scans.
//
// At each step of a walk along rows, vector u of thread t covers the positions from (u *
// row_threads + t) * vector on; along columns, row u of walker t is t * unroll + u. A thread scans
// its vectors (its rows) alone, and is done if its columns have no other walker. Their totals are
// scanned within warps by shuffles, and across the warps of a row by one warp. So the order of
// combination follows from the schedule, which follows from the shape.

#include <string>
#include <vector>

#include "codegen/cuda_text/reduce_layout.hpp"
#include "codegen/cuda_text/writer.hpp"

namespace sinter::codegen::cuda_text {

/// Part of a step: code that has to wait for the scans of earlier parts.
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

/// The neutral value a scan starts from.
std::string start_of(ir::op code, dtype type);

class scan_writer {
 public:
  scan_writer(const ir::kernel& k, const reduce_layout& l, body_writer& b, writer& out)
      : kernel_(k), layout_(l), body_(b), out_(out) {}

  /// Before a walk: declares the running total of a row.
  void begin(int scan);
  /// Declares the registers of one step.
  void declare(int scan);
  /// Takes the current value, inside the loops over vectors and lanes.
  void take_in(int scan);
  /// Turns the values of a step into running totals.
  void combine(int scan);

  // ---- chained (see chain.cpp)

  /// Declares the values of the current chunk and of one that waits, and the warps' shared totals.
  void begin_chain(int scan, bool waits);
  /// Turns the current values into running totals within each warp's vector.
  void alone(int scan);
  /// One warp scans the warps' totals and publishes the chunk's.
  void tell(int scan, const std::string& tables);
  /// The same warp looks back for the prefix of the waiting chunk.
  void look(int scan, const std::string& tables);
  /// Adds the prefix to the values that wait.
  void behind(int scan);

 private:
  std::string type(int scan) const;
  std::string neutral(int scan) const;
  std::string combined(int scan, const std::string& a, const std::string& b) const;
  std::string place() const;
  /// Does a thread own its columns?
  bool has_columns() const { return layout_.columns && layout_.row_threads == 1; }
  std::string name(int scan, std::string_view suffix) const;
  /// Sequences that warps scan, and the entries of each; 0 if each warp has its own rows.
  int sequences() const;
  int entries() const;
  int turns() const;
  void alone_in_row(int scan);
  void alone_in_columns(int scan);
  void down_columns(int scan);
  void across_lanes(int scan);
  void leave_totals(int scan);
  void across_entries(int scan);
  /// The total over the lanes of a warp in `total`, and in `ahead` that of the lanes before.
  void across_warp(int scan, const std::string& total);
  void apply(int scan);

  const ir::kernel& kernel_;
  const reduce_layout& layout_;
  body_writer& body_;
  writer& out_;
};

}  // namespace sinter::codegen::cuda_text
