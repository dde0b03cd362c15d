#include "codegen/cuda_text/outer.hpp"

#include <set>

namespace sinter::codegen::cuda_text {

void outer_writer::begin() {
  const bool split = kernel_.schedule.split;
  accesses_.coordinates("row", 0, kernel_.kept);
  accesses_.rows(layout_.inner_operands.inputs);
  accesses_.rows(layout_.inner_operands.gathered);
  accesses_.rows(layout_.inner_operands.indices);
  accesses_.rows(layout_.inner_operands.outputs);
  if (split && !layout_.chained) out_.line("const long long slice = row * splits + piece;");
  for (int which : layout_.outer_operands.outputs) {
    if (split) accesses_.redirect(which, "slice", "splits");
  }
  accesses_.offsets(layout_.outer_operands.inputs, 0, kernel_.kept);
  accesses_.offsets(layout_.outer_operands.gathered, 0, kernel_.kept);
  accesses_.offsets(layout_.outer_operands.indices, 0, kernel_.kept);
  accesses_.offsets(layout_.outer_operands.outputs, 0, kernel_.kept);
  accesses_.load(layout_.outer, layout_.outer_operands.inputs);
  for (const phase& p : layout_.phases) bind_operands(body_, accesses_, layout_.outer, p.outer);
}

/// Outer values that a later loop uses must outlive the loop that computes them.
inst_list outer_writer::outliving(const inst_list& outer, std::size_t number) const {
  std::set<int> later;
  // A pack is no value of its own: its users use its arguments.
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

void outer_writer::section(const inst_list& outer, std::size_t number) {
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

}  // namespace sinter::codegen::cuda_text
