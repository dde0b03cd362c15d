#include "codegen/cuda_text/quick.hpp"

#include <algorithm>

#include "codegen/cuda_text/operands.hpp"
#include "codegen/cuda_text/parameters.hpp"
#include "codegen/cuda_text/spelling.hpp"

namespace sinter::codegen::cuda_text {
namespace {

constexpr std::string_view least = "least";  // of what has to be of ordinary size

/// What the function is given: scalars, what stands for their reciprocals, and the element's own.
struct interface {
  std::vector<ir::slot> slots;
  inst_list leaves;   // loads and coordinates
  inst_list results;  // computed values that are stored
};

interface interface_of(const ir::kernel& k) {
  interface all;
  for (const ir::slot& s : ir::slots_of(k)) {
    const bool scalar = s.kind == ir::slot_kind::scalar || s.kind == ir::slot_kind::over;
    if (scalar) all.slots.push_back(s);
  }
  for (int i : every_inst(k)) {
    const ir::inst& at = k.body[static_cast<std::size_t>(i)];
    const bool leaf = at.kind == ir::inst_kind::load || at.kind == ir::inst_kind::index;
    if (leaf) all.leaves.push_back(i);
    if (at.kind != ir::inst_kind::store) continue;
    const int value = at.args[0];
    const bool known = std::ranges::find(all.results, value) != all.results.end();
    if (is_statement(k.body[static_cast<std::size_t>(value)]) && !known) {
      all.results.push_back(value);
    }
  }
  return all;
}

void compute_again(body_writer& body, writer& out) {
  const interface with = interface_of(body.kernel());
  std::vector<std::string> words = names(body.kernel(), with.slots);
  for (int i : with.leaves) words.push_back(body.value(i));
  for (int i : with.results) {
    out.line(value_type(body.inst(i).result), " ", body.label(i), ";");
    words.push_back(body.label(i));
  }
  out.line("careful(", listed(words).substr(4), ");");
}

}  // namespace

void write_careful_function(const ir::kernel& k, writer& out) {
  if (!k.schedule.quick) return;
  const interface with = interface_of(k);
  body_writer body(k, out);
  std::vector<std::string> words = declarations(k, with.slots);
  for (int i : with.leaves) {
    body.rename(i, cat("x", i));
    words.push_back(cat(value_type(body.inst(i).result), " x", i));
  }
  for (int i : with.results) words.push_back(cat(value_type(body.inst(i).result), "& y", i));
  out.blank();
  out.line("// an element, with the tests that `kernel` leaves out");
  out.line("__device__ __noinline__ void careful(");
  const auto function = out.block(listed(words), ")");
  body.statements(every_inst(k));
  for (int i : with.results) out.line("y", i, " = ", body.value(i), ";");
}

void write_lanes(body_writer& body, const access_writer& accesses, const frame& f,
                 const inst_list& list, writer& out) {
  const bool quick = body.kernel().schedule.quick;
  if (quick) {
    out.line("float ", least, " = 1.0f;");
    body.leave_tests_out(std::string(least));
  }
  {
    const auto lanes = out.lanes("k", f.vector);
    body.statements(list);
    write_store_registers(body, accesses, f, list);
  }
  if (!quick) return;
  const auto rare = out.block("if (sinter_is_unusual(", least, "))");
  const auto lanes = out.lanes("k", f.vector);
  compute_again(body, out);
  write_store_registers(body, accesses, f, list);
}

}  // namespace sinter::codegen::cuda_text
