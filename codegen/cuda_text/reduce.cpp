// Reductions. The threads of a row (or of a vector of columns) walk the reduced axes side by side,
// each with its own accumulators; these are folded in a fixed order, so a result is the same on
// every run, and every thread of the row gets it. All of them execute what precedes and follows a
// walk; the first one stores.

#include "codegen/cuda_text/chain.hpp"
#include "codegen/cuda_text/forms.hpp"
#include "codegen/cuda_text/row_writer.hpp"
#include "codegen/cuda_text/stage.hpp"

namespace sinter::codegen::cuda_text {
namespace {

class reduction_writer : row_writer {
 public:
  reduction_writer(const ir::kernel& k, const char* block, const std::string& meet, writer& out)
      : row_writer(k, out), block_(block) {
    layout_.meet = meet;
  }

  void write() {
    if (layout_.columns)
      begin_columns();
    else
      begin_rows();
    begin_range();
    if (kernel_.schedule.staged > 0) write_staged_inputs(kernel_, "live > 0", accesses_, out_);
    outer_.begin();
    prefetch();
    walk_.load_row();
    for (std::size_t p = 0; p + 1 < layout_.phases.size(); ++p) {
      const phase& current = layout_.phases[p];
      outer_.section(current.outer, p);
      if (current.walked.empty() && current.reduces.empty()) continue;
      out_.blank();
      walk_.walk(current, p);
      for (int r : current.reduces) combine_.finish(r);
    }
    const phase& last = layout_.phases.back();
    outer_.section(last.outer, layout_.phases.size() - 1);
    store_outer(last.outer);
    if (kernel_.schedule.staged > 0) write_staged_outputs(kernel_, out_);
  }

 private:
  bool split() const { return kernel_.schedule.split; }
  std::string row_group() const {
    return split() ? cat(block_, " / (unsigned)splits") : block_;
  }

  /// All blocks of a cluster share a row; they access each other's shared memory after all have
  /// begun.
  void begin_cluster() {
    const int blocks = layout_.cluster;
    out_.line("const unsigned rank = ", block_, " % ", blocks, ";");
    const std::string threads = layout_.elastic ? "blockDim.x" : cat(layout_.row_threads);
    out_.line("const unsigned t = rank * ", threads, " + threadIdx.x;");
    out_.line("const unsigned row = ", block_, " / ", blocks, ";");
    combine_.begin_cluster();
  }

  /// One row per group of threads; a block may have several groups.
  void begin_rows() {
    if (layout_.cluster > 1) return begin_cluster();
    const bool several = layout_.groups > 1;
    out_.line("const unsigned t = threadIdx.x", several ? cat(" % ", layout_.row_threads) : "",
              ";");
    const std::string group =
        several ? cat(" * ", layout_.groups, " + threadIdx.x / ", layout_.row_threads) : "";
    if (!several) return out_.line("const unsigned row = ", row_group(), ";");
    if (layout_.filled > 0) {
      out_.line("const unsigned number = ", row_group(), group, ";");
      out_.line("const int live = number < ", rows(), ";");
      return out_.line("const unsigned row = live ? number : 0;");
    }
    out_.line("const unsigned row = ", row_group(), group, ";");
    out_.line("const int live = row < ", rows(), ";");
  }

  /// Neighbouring threads own neighbouring columns; each column has `row_threads` walkers. Blocks
  /// of the same rows are consecutive, so that the lines they share are in L2.
  void begin_columns() {
    const bool several = layout_.row_threads > 1;
    const int wide = layout_.groups * vector();
    if (split()) {
      out_.line("const unsigned across = ((unsigned)", rows(), " + ", wide - 1, ") / ", wide, ";");
    }
    out_.line("const unsigned x = threadIdx.x", several ? cat(" % ", layout_.groups) : "", ";");
    if (several) out_.line("const unsigned t = threadIdx.x / ", layout_.groups, ";");
    const std::string group = split() ? cat(block_, " % across") : block_;
    const std::string column = cat(group, " * ", layout_.groups, " + x");
    out_.line("const unsigned row = ", vector() > 1 ? cat("(", column, ") * ", vector()) : column,
              ";");
    out_.line("const int columns = (int)((unsigned)", rows(), " - row);");
  }

  /// Declares the walked range: all of the reduced axes or a chunk; empty for threads that own no
  /// row.
  void begin_range() {
    if (layout_.always_in_range()) return;
    std::string last = length();
    if (split()) {
      const bool down = kernel_.schedule.lanes == ir::lane_axis::kept;
      out_.line("const unsigned piece = ", block_, down ? " / across;" : " % (unsigned)splits;");
      out_.line("const long long begin = piece * chunk, length = ", last, ";");
      last = "begin + chunk < length ? begin + chunk : length";
    }
    const std::string idle = split() ? "begin" : "0";
    const std::string works = cat(layout_.outer.left, " > 0");
    if (layout_.outer.empty)
      last = cat(works, " ? ", split() ? cat("(", last, ")") : last, " : ", idle);
    out_.line("const long long end = ", last, ";");
  }

  /// Rows are loaded at once and then computed with, and memory would have nothing to do meanwhile:
  /// so the first thread of a row, or of a block's part of it, asks for one that comes later.
  void prefetch() {
    const operand_list inputs = prefetched();
    if (inputs.empty()) return;
    const std::string threads = layout_.elastic ? "blockDim.x" : cat(layout_.row_threads);
    const int blocks = layout_.cluster;
    out_.blank();
    const auto first = out_.block("if (", blocks > 1 ? "threadIdx.x" : "t", " == 0)");
    out_.line("const unsigned later = row + ", kernel_.schedule.ahead, " / (",
              blocks > 1 ? cat(blocks, " * ") : "", threads, ");");
    const auto there = out_.block("if (later < ", rows(), ")");
    const std::string all = cat("(unsigned)", length());
    const std::string part = blocks > 1 ? cat(all, " / ", blocks) : all;
    for (int which : inputs) {
      out_.line("sinter_prefetch(", accesses_.begin_of(which, "(long long)later"),
                blocks > 1 ? cat(" + rank * (", part, ")") : "", ", ", part, ");");
    }
  }

  /// What is read along rows, another row of it each.
  operand_list prefetched() const {
    operand_list list;
    if (kernel_.schedule.ahead == 0) return list;
    for (int which : layout_.inner_operands.inputs) {
      const ir::operand& o = kernel_.operands[static_cast<std::size_t>(which)];
      const bool moves = o.access.steps[0] != ir::step::zero && o.access.unravel == 0;
      const bool taken = o.reach == ir::reach::whole || o.reach == ir::reach::shifted;
      if (taken && moves && o.access.steps[1] == ir::step::one) list.push_back(which);
    }
    return list;
  }

  void store_outer(const inst_list& outer) {
    const operand_list outputs = operands_of(kernel_, outer).outputs;
    if (outputs.empty()) return;
    const bool shared = layout_.row_threads > 1;
    if (layout_.outer.vector > 1) {
      if (!shared) return accesses_.store(layout_.outer, outputs);
      const auto first = out_.block("if (t == 0)");
      return accesses_.store(layout_.outer, outputs);
    }
    frame one = layout_.outer;
    std::string guard = shared ? "t == 0" : "";
    if (one.empty) guard += cat(shared ? " && " : "", one.left, " > 0");
    one.empty = false;
    const auto first = guard.empty() ? out_.block() : out_.block("if (", guard, ")");
    accesses_.registers(one, outputs);
    write_store_registers(body_, accesses_, one, outer);
    accesses_.store(one, outputs);
  }

  const std::string block_;
};

}  // namespace

void write_reduction(const ir::kernel& k, const char* block, const std::string& meet,
                     writer& out) {
  if (reduce_layout(k).chained) return write_chain(k, out);
  reduction_writer(k, block, meet, out).write();
}

}  // namespace sinter::codegen::cuda_text
