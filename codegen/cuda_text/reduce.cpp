// Reductions. The threads of a row (or of a vector of columns) walk the reduced axes side by side,
// each into accumulators of its own; these are folded in a fixed order, so a result is the same on
// every run, and every thread of the row gets it. What comes before and after a walk is done by all
// of them, the stores by the first.

#include <set>

#include "codegen/cuda_text/combine.hpp"
#include "codegen/cuda_text/forms.hpp"
#include "codegen/cuda_text/reduce_layout.hpp"
#include "codegen/cuda_text/scan.hpp"

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
        scan_(k, layout_, body_, out) {}

  void write() {
    if (layout_.chained) scan_.take_number();
    if (layout_.columns)
      begin_columns();
    else
      begin_rows();
    begin_range();
    begin_outer();
    load_row();
    for (std::size_t p = 0; p + 1 < layout_.phases.size(); ++p) {
      const phase& current = layout_.phases[p];
      outer_section(current.outer, p);
      if (current.walked.empty() && current.reduces.empty()) continue;
      out_.blank();
      walk(current, p);
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

  /// A row a group of threads, or several groups, side by side.
  void begin_rows() {
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

  /// The distance of the vectors in flight, and of a thread's steps if there is one only.
  int step() const {
    if (layout_.columns) return layout_.scans ? 1 : layout_.row_threads;
    return layout_.row_threads * vector();
  }
  /// What all threads of a row step over at a time.
  int stride() const {
    return layout_.unroll * layout_.row_threads * (layout_.columns ? 1 : vector());
  }

  /// Where the thread's walk begins.
  std::string first() const {
    const bool alone = layout_.row_threads == 1;
    const std::string own = !layout_.columns && vector() > 1 ? cat("t * ", vector()) : "t";
    if (split()) return alone ? "begin" : cat("begin + ", own);
    return alone ? "0" : own;
  }

  std::string position_name() const { return layout_.unroll > 1 ? "j0" : "j"; }

  /// Rows that fit in registers are loaded once, before the first walk.
  void load_row() {
    if (!kernel_.schedule.resident) return;
    out_.blank();
    out_.line("const long long ", position_name(), " = ", first(), ";");
    if (layout_.unroll == 1) position(layout_.stretches().front().inner);
    load(layout_.kept_inputs);
  }

  /// Those that only the last walk reads need registers there alone.
  bool is_last(std::size_t walk) const { return walk + 2 == layout_.phases.size(); }

  /// A float that many elements are divided by: the reciprocal is taken once.
  void begin_quotients(const phase& p) {
    if (layout_.outer.vector > 1) return;
    for (int i : p.walked) {
      const ir::inst& at = body_.inst(i);
      const bool by_row = at.kind == ir::inst_kind::compute && at.code == ir::op::divide &&
                          at.type == dtype::float32 && !body_.inst(at.args[1]).inner;
      if (!by_row) continue;
      const std::string name = cat("over_", at.args[1]);
      if (reciprocals_.insert(at.args[1]).second) {
        out_.line("const float ", name, " = sinter_reciprocal(", body_.value(at.args[1]), ");");
      }
      body_.divide_by(i, name);
    }
  }

  void walk(const phase& p, std::size_t number) {
    begin_quotients(p);
    for (int r : p.reduces) combine_.begin(r);
    if (layout_.phases.size() > 2) out_.line("// walk ", number + 1);
    const operand_sets used = operands_of(kernel_, p.walked);
    if (kernel_.schedule.resident) {
      const auto scope = out_.block();
      if (is_last(number)) load(layout_.late_inputs);
      return compute(p, used);
    }
    if (layout_.scans) {
      const auto scope = out_.block();
      return walk_together(p, used);
    }
    out_.line("#pragma unroll 1");
    const std::string j = position_name();
    const auto loop = out_.block("for (long long ", j, " = ", first(), "; ", j, " < end; ", j,
                                 " += ", stride(), ")");
    if (layout_.unroll == 1) position(layout_.inner);
    load(used.inputs);
    compute(p, used);
  }

  /// A walk with scans: all threads of a row take each step, in range or not, and what comes after
  /// a scan waits for it.
  void walk_together(const phase& p, const operand_sets& used) {
    const scan_stages stages(kernel_, p);
    for (int s : stages.scans()) scan_.begin(s);
    const std::string all = product_of_extents(kernel_.kept, kernel_.kept + kernel_.reduced);
    if (!split()) out_.line("#pragma unroll 1");
    const auto loop =
        split() ? out_.block()
                : out_.block("for (long long base = 0; base < ", all, "; base += ", stride(), ")");
    const std::string from = split() ? "begin" : "base";
    const std::string own = layout_.columns ? cat("t * ", layout_.unroll)
                            : vector() > 1  ? cat("t * ", vector())
                                            : "t";
    out_.line("const long long ", position_name(), " = ", from,
              layout_.row_threads == 1 ? "" : " + " + own, ";");
    if (layout_.unroll == 1) position(layout_.inner);
    load(used.inputs);
    for (const scan_stage& s : stages.list) {
      for (int i : s.scans) scan_.declare(i);
      {
        const auto scope = out_.block();
        compute({{}, s.reduces, s.walked}, operands_of(kernel_, s.walked), s.scans);
      }
      for (int i : s.scans) {
        const auto scope = out_.block();
        scan_.combine(i);
      }
    }
  }

  /// Where the vector stands in the reduced axes, and how much of it is in range.
  void position(const frame& f) {
    if (f.unroll > 1) out_.line("const long long j = j0 + u * ", step(), ";");
    if (layout_.columns) {
      if (f.unroll > 1 || layout_.scans) out_.line("const int left = j < end ? columns : 0;");
    } else if (f.guarded()) {
      out_.line("const int left = sinter_within(end - j, ", f.vector, ");");
    }
    const int first = kernel_.kept, last = kernel_.kept + kernel_.reduced;
    accesses_.coordinates(kernel_.reduced > 1 ? "(unsigned)j" : "j", first, last);
  }

  /// A loop over some of a thread's vectors.
  writer::scope vectors(const stretch& s) {
    if (layout_.unroll == 1) return out_.lanes("u", 1);
    return out_.lanes("u", s.first, s.last);
  }

  void load(const operand_list& inputs) {
    if (inputs.empty()) return;
    if (layout_.unroll > 1) accesses_.registers(layout_.inner, inputs);
    for (const stretch& s : layout_.stretches()) {
      const auto loop = vectors(s);
      if (layout_.unroll > 1) position(s.inner);
      accesses_.offsets(inputs, kernel_.kept, kernel_.kept + kernel_.reduced);
      accesses_.load(s.inner, inputs);
    }
  }

  void compute(const phase& p, const operand_sets& used, const inst_list& scans = {}) {
    for (const stretch& s : layout_.stretches()) {
      const auto loop = vectors(s);
      if (layout_.unroll > 1) position(s.inner);
      compute(s, p, used, scans);
    }
  }

  void compute(const stretch& s, const phase& p, const operand_sets& used, const inst_list& scans) {
    const int first = kernel_.kept, last = kernel_.kept + kernel_.reduced;
    accesses_.offsets(used.indices, first, last);
    accesses_.offsets(used.gathered, first, last);
    accesses_.offsets(used.outputs, first, last);
    accesses_.registers(s.stored, used.outputs);
    bind_operands(body_, accesses_, s.inner, p.walked);
    write_random_runs(body_, accesses_, s.inner, p.walked, out_);
    {
      const auto lanes = out_.lanes("k", vector());
      body_.statements(p.walked);
      write_store_registers(body_, accesses_, s.stored, p.walked);
      for (int r : p.reduces) combine_.accumulate(r, s.inner);
      for (int i : scans) scan_.take_in(i);
    }
    accesses_.store(s.stored, used.outputs);
  }

  const ir::kernel& kernel_;
  writer& out_;
  reduce_layout layout_;
  access_writer accesses_;
  body_writer body_;
  combine_writer combine_;
  scan_writer scan_;
  std::set<int> reciprocals_;  // of outer values, declared already
};

}  // namespace

void write_reduction(const ir::kernel& k, writer& out) {
  reduction_writer(k, out).write();
}

}  // namespace sinter::codegen::cuda_text
