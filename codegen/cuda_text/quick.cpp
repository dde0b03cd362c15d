#include "codegen/cuda_text/quick.hpp"

#include <algorithm>

#include "codegen/cuda_text/operands.hpp"
#include "codegen/cuda_text/parameters.hpp"
#include "codegen/cuda_text/reduce_layout.hpp"
#include "codegen/cuda_text/spelling.hpp"

namespace sinter::codegen::cuda_text {
namespace {

/// What the function takes: scalars, the variables for their reciprocals, and the element's values.
struct interface {
  std::vector<ir::slot> slots;
  inst_list leaves;    // loads, coordinates, and values of the row
  inst_list computed;  // from these
  inst_list results;   // computed values that are stored or accumulated
};

void add_once(inst_list& list, int i) {
  if (std::ranges::find(list, i) == list.end()) list.push_back(i);
}

bool is_leaf(const ir::inst& i) {
  return i.kind == ir::inst_kind::load || i.kind == ir::inst_kind::index;
}

/// Adds the values of the row that a walked instruction reads.
void add_arguments(interface& all, const ir::kernel& k, int i) {
  for (int a : arguments_of(k.body[static_cast<std::size_t>(i)])) {
    const ir::inst& from = k.body[static_cast<std::size_t>(a)];
    const bool known =
        from.kind == ir::inst_kind::scalar || from.kind == ir::inst_kind::constant;
    if (!from.inner && !known) add_once(all.leaves, a);
  }
}

interface interface_of(const ir::kernel& k) {
  interface all;
  for (const ir::slot& s : ir::slots_of(k)) {
    const bool scalar = s.kind == ir::slot_kind::scalar || s.kind == ir::slot_kind::over;
    if (scalar) all.slots.push_back(s);
  }
  const bool walks = k.reduced > 0;
  const phase walk = walks ? reduce_layout(k).phases[0] : phase{};
  all.computed = walks ? walk.walked : every_inst(k);
  for (int i : all.computed) {
    const ir::inst& at = k.body[static_cast<std::size_t>(i)];
    if (is_leaf(at)) add_once(all.leaves, i);
    if (walks) add_arguments(all, k, i);
  }
  const auto result = [&](int i) {
    const int value = k.body[static_cast<std::size_t>(i)].args[0];
    const ir::inst& at = k.body[static_cast<std::size_t>(value)];
    if (is_statement(at) && at.inner == walks) add_once(all.results, value);
  };
  for (int r : walk.reduces) result(r);
  for (int i : all.computed) {
    if (k.body[static_cast<std::size_t>(i)].kind == ir::inst_kind::store) result(i);
  }
  return all;
}

void begin_quick(body_writer& body, writer& out) {
  out.line("float ", least_seen, " = 1.0f;");
  out.line("unsigned ", lowest_seen, " = 0x3f800000u;");
  body.leave_tests_out(true);
}

std::string again(const body_writer& body, int i) { return body.label(i) + "_again"; }

/// Recomputes one lane into variables of its own: the function takes references, and a register has
/// no address.
void compute_again(body_writer& body, writer& out, const interface& with) {
  std::vector<std::string> words = names(body.kernel(), with.slots);
  for (int i : with.leaves) words.push_back(body.value(i));
  for (int i : with.results) {
    out.line(value_type(body.inst(i).result), " ", again(body, i), ";");
    words.push_back(again(body, i));
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
  body.call_quotients();
  body.statements(with.computed);
  for (int i : with.results) out.line("y", i, " = ", body.value(i), ";");
}

void write_walked_lanes(body_writer& body, const inst_list& walked, int vector, writer& out) {
  const interface with = interface_of(body.kernel());
  for (int i : with.results) body.keep(i, vector);
  begin_quick(body, out);
  {
    const auto lanes = out.lanes("k", vector);
    body.statements(walked);
  }
  body.leave_tests_out(false);
  const auto rare = out.block("if (sinter_is_unusual(", least_seen, ", ", lowest_seen, "))");
  const auto lanes = out.lanes("k", vector);
  compute_again(body, out, with);
  for (int i : with.results) out.line(body.value(i), " = ", again(body, i), ";");
}

void write_lanes(body_writer& body, const access_writer& accesses, const frame& f,
                 const inst_list& list, writer& out) {
  const bool quick = body.kernel().schedule.quick;
  if (quick) {
    begin_quick(body, out);
  }
  {
    const auto lanes = out.lanes("k", f.vector);
    body.statements(list);
    write_store_registers(body, accesses, f, list);
  }
  if (!quick) return;
  const auto rare = out.block("if (sinter_is_unusual(", least_seen, ", ", lowest_seen, "))");
  const auto lanes = out.lanes("k", f.vector);
  const interface with = interface_of(body.kernel());
  compute_again(body, out, with);
  for (int i : with.results) body.rename(i, again(body, i));
  write_store_registers(body, accesses, f, list);
}

}  // namespace sinter::codegen::cuda_text
