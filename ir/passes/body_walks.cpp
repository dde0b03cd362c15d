// Loops at a point, and reductions of rows.
#include <algorithm>
#include <string>
#include <utility>

#include "ir/passes/body_builder.hpp"
#include "ir/passes/loop_body.hpp"

namespace sinter::ir {

// ---- loops
parts body_builder::came_to(node_id n, const index_expr& at) {
  const node_id loop = g_[n].inputs[0];
  return run_loop(loop, home_of(loop) ? group_place(loop) : at)[g_[n].value[0]];
}

bool body_builder::home_of(node_id loop) const {
  return std::any_of(group_.roots.begin(), group_.roots.end(), [&](node_id r) {
    return g_[r].kind == node_kind::result && g_[r].inputs[0] == loop;
  });
}

index_expr body_builder::group_place(node_id n) const {
  return group_.domain == g_[n].shape ? dense(group_.domain) : group_.kept_index();
}

const std::vector<parts>& body_builder::run_loop(node_id n, const index_expr& at) {
  for (const ran& r : loops_[n]) {
    if (r.at == at && r.guard == guard_) return r.outputs;
  }
  const node& x = g_[n];
  const std::size_t slices = sliced_inputs(x.loop), whole = whole_inputs(x);
  loop_body l(x);
  for (std::size_t k = 0; k < whole; ++k) {
    l.input(out_.code, value(x.inputs[k], g_[x.inputs[k]].shape.empty() ? index_expr{} : at));
  }
  for (std::size_t k = 0; k < slices; ++k) {
    const node_id in = x.inputs[whole + k];
    const index_expr where = *compose(at, group_.domain, x.shape, x.loop.maps[k]);
    l.slice(out_.code, operand_of({operand_role::input, g_[in].type, in, -1, where, true}),
            x.loop.along[k] == 1 ? -1 : distance(x.loop.along[k]));
  }
  tables(n, l);
  for (node_id r : group_.roots) {
    if (!is_emitted(g_, r) || g_[r].inputs[0] != n || table_of(g_, r) >= 0) continue;
    l.emit(out_.code, static_cast<std::size_t>(g_[r].value[0]),
           operand_of({operand_role::output, g_[r].type, r, -1, at, true}),
           distance(size_of(x.shape)));
  }
  const std::vector<std::string> ops = l.ops();
  out_.ops.push_back("loop");
  out_.ops.insert(out_.ops.end(), ops.begin(), ops.end());
  auto outputs = l.write(out_.code, guard_, static_cast<std::int32_t>(out_.loops.size()));
  out_.loops.push_back(l.take());
  loops_[n].push_back({at, guard_, std::move(outputs)});
  return loops_[n].back().outputs;
}

/// The rounds read and write the table's result, which begins as the table.
void body_builder::tables(node_id n, loop_body& l) {
  const ir::loop& loop = g_[n].loop;
  std::vector<node_id> made(static_cast<std::size_t>(loop.tables));
  for (node_id r : group_.roots) {
    if (table_of(g_, r) < 0 || g_[r].inputs[0] != n) continue;
    made[g_[r].value[0] - loop.results.size()] = r;
  }
  const auto at = [&](int table, extent offset) {
    const node_id r = made[static_cast<std::size_t>(table)];
    index_expr place;
    place.offset = offset;
    place.strides.assign(group_.domain.size(), 0);
    return operand_of({operand_role::output, g_[r].type, r, -1, place, true});
  };
  for (std::size_t k = 0; k < loop.reads.size(); ++k) {
    const std::size_t slice = sliced_inputs(loop) + k;
    const extent along = loop.along[slice];
    l.slice(out_.code, at(loop.reads[k].table, loop.maps[slice].offset),
            along == 1 ? -1 : distance(along));
  }
  for (const table_write& w : loop.writes) l.table_store(at(w.table, w.offset));
}

std::int32_t body_builder::distance(extent elements) {
  index_expr still;
  still.offset = elements;
  return index(still);
}

// ---- reductions
parts body_builder::reduction(node_id n) {
  const node& x = g_[n];
  note_reduction(n);
  if (part_ == body_part::combine) {
    const std::int32_t re = combined(x, n, 0);
    return {re, is_complex(x.type) ? combined(x, n, 1) : -1};
  }
  const parts v = value(x.inputs[0], input_index(n));
  const std::int32_t re = reduce(x, v.first);
  return {re, is_complex(x.type) ? reduce(x, v.second) : -1};
}

parts body_builder::scan(node_id n, const index_expr& at) {
  const node& x = g_[n];
  const parts v = value(x.inputs[0], at);
  out_.ops.push_back("scan_" + std::string(name(x.reduction.code)));
  const std::int32_t re = walk(inst_kind::scan, x, v.first);
  return {re, is_complex(x.type) ? walk(inst_kind::scan, x, v.second) : -1};
}

std::int32_t body_builder::combined(const node& x, node_id n, std::int32_t word) {
  const index_expr at;
  inst i;
  i.kind = inst_kind::load;
  i.which = operand_of({operand_role::input, real_of(x.type), n, word, at});
  i.type = i.result = real_of(x.type);
  return reduce(x, push(i));
}

std::int32_t body_builder::walk(inst_kind kind, const node& x, std::int32_t in) {
  inst i;
  i.kind = kind;
  i.code = x.reduction.code;
  i.arg = x.reduction.arg;
  i.type = out_.code[static_cast<std::size_t>(in)].result;
  i.result = i.arg ? dtype::int64 : i.type;
  i.args[0] = in;
  i.inner = false;
  i.note = x.origin;
  return push(i);
}

void body_builder::note_reduction(node_id n) {
  const ir::reduction& r = g_[n].reduction;
  out_.ops.push_back((r.arg ? "arg" : "reduce_") + std::string(name(r.code)));
}

index_expr body_builder::input_index(node_id n) const {
  return reduction_index(g_[g_[n].inputs[0]].shape, g_[n].reduction, group_.reduced);
}

}  // namespace sinter::ir
