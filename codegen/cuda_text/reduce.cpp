// Reductions. The threads of a row (or of a vector of columns) walk the reduced axes side by side,
// each into accumulators of its own; these are folded in a fixed order, so a result is the same on
// every run, and every thread of the row gets it. What comes before and after a walk is done by all
// of them, the stores by the first.

#include <set>

#include "codegen/cuda_text/combine.hpp"
#include "codegen/cuda_text/forms.hpp"
#include "codegen/cuda_text/reduce_layout.hpp"
#include "codegen/cuda_text/scan.hpp"
#include "codegen/cuda_text/walk.hpp"

namespace sinter::codegen::cuda_text {
namespace {

class reduction_writer {
 public:
  reduction_writer(const ir::kernel& k, writer& out)
      : kernel_(k),
        out_(out),
        layout_(k),
        accesses_(k, out),
        body_(k, out),
        combine_(k, layout_, body_, out),
        scan_(k, layout_, body_, out),
        walk_(k, layout_, accesses_, body_, combine_, scan_, out) {}

  void write() {
    if (layout_.chained) scan_.take_number();
    if (layout_.columns)
      begin_columns();
    else
      begin_rows();
    begin_range();
    begin_outer();
    walk_.load_row();
    for (std::size_t p = 0; p + 1 < layout_.phases.size(); ++p) {
      const phase& current = layout_.phases[p];
      outer_section(current.outer, p);
      if (current.walked.empty() && current.reduces.empty()) continue;
      out_.blank();
      walk_.walk(current, p);
      for (int r : current.reduces) combine_.finish(r);
    }
    const phase& last = layout_.phases.back();
    outer_section(last.outer, layout_.phases.size() - 1);
    store_outer(last.outer);
  }

 private:
  bool split() const { return kernel_.schedule.split; }
  int vector() const { return layout_.vector; }
  std::string row_group() const {
    if (layout_.chained) return "number % (unsigned)" + rows();
    return split() ? "blockIdx.x / (unsigned)splits" : "blockIdx.x";
  }
  std::string rows() const { return product_of_extents(0, kernel_.kept); }

  /// A row for all blocks of a cluster, which look at each other's shared memory once all began.
  void begin_cluster() {
    const int blocks = layout_.cluster;
    out_.line("const unsigned rank = blockIdx.x % ", blocks, ";");
    out_.line("const unsigned t = rank * ", layout_.row_threads, " + threadIdx.x;");
    out_.line("const unsigned row = blockIdx.x / ", blocks, ";");
    out_.line("sinter_cluster_arrive();");
  }

  /// A row a group of threads, or several groups, side by side.
  void begin_rows() {
    if (layout_.cluster > 1) return begin_cluster();
    const bool several = layout_.groups > 1;
    out_.line("const unsigned t = threadIdx.x", several ? cat(" % ", layout_.row_threads) : "",
              ";");
    const std::string group =
        several ? cat(" * ", layout_.groups, " + threadIdx.x / ", layout_.row_threads) : "";
    const std::string all = product_of_extents(0, kernel_.kept);
    if (!several) return out_.line("const unsigned row = ", row_group(), ";");
    if (layout_.filled > 0) {
      out_.line("const unsigned number = ", row_group(), group, ";");
      out_.line("const int live = number < ", all, ";");
      return out_.line("const unsigned row = live ? number : 0;");
    }
    out_.line("const unsigned row = ", row_group(), group, ";");
    out_.line("const int live = row < ", all, ";");
  }

  /// Neighbouring threads own neighbouring columns; each column has `row_threads` walkers.
  void begin_columns() {
    const bool several = layout_.row_threads > 1;
    out_.line("const unsigned x = threadIdx.x", several ? cat(" % ", layout_.groups) : "", ";");
    if (several) out_.line("const unsigned t = threadIdx.x / ", layout_.groups, ";");
    const std::string column = cat(row_group(), " * ", layout_.groups, " + x");
    out_.line("const unsigned row = ", vector() > 1 ? cat("(", column, ") * ", vector()) : column,
              ";");
    out_.line("const int columns = (int)((unsigned)", product_of_extents(0, kernel_.kept),
              " - row);");
  }

  /// What is walked: all of the reduced axes or a chunk; nothing by threads that own no row.
  void begin_range() {
    if (layout_.always_in_range()) return;
    std::string last = product_of_extents(kernel_.kept, kernel_.kept + kernel_.reduced);
    if (split()) {
      out_.line("const unsigned piece = ",
                layout_.chained ? "number / (unsigned)" + rows() : "blockIdx.x % (unsigned)splits",
                ";");
      out_.line("const long long begin = piece * chunk, length = ", last, ";");
      last = "begin + chunk < length ? begin + chunk : length";
    }
    const std::string idle = split() ? "begin" : "0";
    const std::string works = cat(layout_.outer.left, " > 0");
    if (layout_.outer.empty)
      last = cat(works, " ? ", split() ? cat("(", last, ")") : last, " : ", idle);
    out_.line("const long long end = ", last, ";");
  }

  /// Rows of all operands, and the operands that do not move along reduced axes.
  void begin_outer() {
    accesses_.coordinates("row", 0, kernel_.kept);
    accesses_.rows(layout_.inner_operands.inputs);
    accesses_.rows(layout_.inner_operands.gathered);
    accesses_.rows(layout_.inner_operands.indices);
    accesses_.rows(layout_.inner_operands.outputs);
    if (split() && !layout_.chained) out_.line("const long long slice = row * splits + piece;");
    for (int which : layout_.outer_operands.outputs) {
      if (split()) accesses_.redirect(which, "slice", "splits");
    }
    accesses_.offsets(layout_.outer_operands.inputs, 0, kernel_.kept);
    accesses_.offsets(layout_.outer_operands.gathered, 0, kernel_.kept);
    accesses_.offsets(layout_.outer_operands.indices, 0, kernel_.kept);
    accesses_.offsets(layout_.outer_operands.outputs, 0, kernel_.kept);
    accesses_.load(layout_.outer, layout_.outer_operands.inputs);
    for (const phase& p : layout_.phases) bind_operands(body_, accesses_, layout_.outer, p.outer);
  }

  /// Outer values that a later loop uses have to outlive the one that computes them.
  inst_list outliving(const inst_list& outer, std::size_t number) const {
    std::set<int> later;
    // A pack is no value of its own: who uses it uses what is in it.
    const auto use = [&](const auto& self, int i) -> void {
      for (int a : arguments_of(body_.inst(i))) {
        if (later.insert(a).second && body_.inst(a).kind == ir::inst_kind::pack) self(self, a);
      }
    };
    for (std::size_t p = number; p < layout_.phases.size(); ++p) {
      const phase& current = layout_.phases[p];
      if (p > number) {
        for (int i : current.outer) use(use, i);
      }
      for (int i : current.walked) use(use, i);
      for (int i : current.reduces) use(use, i);
    }
    inst_list list;
    for (int i : outer) {
      if (is_statement(body_.inst(i)) && later.count(i)) list.push_back(i);
    }
    return list;
  }

  void outer_section(const inst_list& outer, std::size_t number) {
    bool works = false;
    for (int i : outer) {
      works |= is_statement(body_.inst(i)) || body_.inst(i).kind == ir::inst_kind::store;
    }
    if (!works) return;
    out_.blank();
    if (layout_.outer.vector > 1) {
      for (int i : outliving(outer, number)) body_.keep(i, layout_.outer.vector);
      accesses_.registers(layout_.outer, operands_of(kernel_, outer).outputs);
    }
    const auto lanes = out_.lanes("k", layout_.outer.vector);
    body_.statements(outer);
    if (layout_.outer.vector > 1) write_store_registers(body_, accesses_, layout_.outer, outer);
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

  const ir::kernel& kernel_;
  writer& out_;
  reduce_layout layout_;
  access_writer accesses_;
  body_writer body_;
  combine_writer combine_;
  scan_writer scan_;
  walk_writer walk_;
};

}  // namespace

void write_reduction(const ir::kernel& k, writer& out) {
  reduction_writer(k, out).write();
}

}  // namespace sinter::codegen::cuda_text
