#include "codegen/cuda_text/operands.hpp"

#include <cstdlib>
#include <numeric>
#include <set>

#include "codegen/cuda_text/gathered_rows.hpp"
#include "codegen/cuda_text/held.hpp"
#include "codegen/cuda_text/spelling.hpp"

namespace sinter::codegen::cuda_text {

namespace {

/// The operands that the rounds of a loop read or write.
std::set<int> reached_by(const ir::kernel& k, const ir::inst& loop) {
  std::set<int> all;
  if (loop.kind != ir::inst_kind::loop) return all;
  for (const ir::inst& i : k.loops[static_cast<std::size_t>(loop.which)].body) {
    const bool reaches = i.kind == ir::inst_kind::gather || i.kind == ir::inst_kind::store;
    if (reaches) all.insert(i.which);
  }
  return all;
}

}  // namespace

operand_sets operands_of(const ir::kernel& k, const inst_list& list) {
  std::set<int> inputs, gathered, indices, outputs;
  for (int i : list) {
    const ir::inst& at = k.body[static_cast<std::size_t>(i)];
    if (at.kind == ir::inst_kind::load) inputs.insert(at.which);
    if (at.kind == ir::inst_kind::index) indices.insert(at.which);
    if (at.kind == ir::inst_kind::gather) gathered.insert(at.which);
    if (at.kind == ir::inst_kind::store && at.args[2] >= 0) gathered.insert(at.which);
    if (at.kind == ir::inst_kind::store && !stands_alone(at)) outputs.insert(at.which);
    for (int which : reached_by(k, at)) gathered.insert(which);
  }
  return {{inputs.begin(), inputs.end()},
          {gathered.begin(), gathered.end()},
          {indices.begin(), indices.end()},
          {outputs.begin(), outputs.end()}};
}

inst_list every_inst(const ir::kernel& k) {
  inst_list all(k.body.size());
  std::iota(all.begin(), all.end(), 0);
  return all;
}

inst_list needed_for(const ir::kernel& k, const inst_list& of, const inst_list& among) {
  std::vector<bool> marks(k.body.size());
  for (int i : of) marks[static_cast<std::size_t>(i)] = true;
  inst_list needed;
  for (auto i = among.rbegin(); i != among.rend(); ++i) {
    if (!marks[static_cast<std::size_t>(*i)]) continue;
    needed.push_back(*i);
    for (int a : arguments_of(k.body[static_cast<std::size_t>(*i)])) {
      marks[static_cast<std::size_t>(a)] = true;
    }
  }
  return {needed.rbegin(), needed.rend()};
}

void write_distances(const ir::kernel& k, writer& out) {
  for (std::size_t o = 0; o < k.operands.size(); ++o) {
    const ir::operand& x = k.operands[o];
    if (x.base < 0 || x.apart > 0) continue;
    out.line(ir::name_of(k, static_cast<int>(o)), " = ", ir::name_of(k, x.base),
             x.turn < 0 ? " - " : " + ", std::abs(x.turn), ";");
  }
}

void bind_operands(body_writer& body, const access_writer& accesses, const frame& f,
                   const inst_list& list) {
  for (int i : list) {
    const ir::inst& at = body.inst(i);
    if (at.kind == ir::inst_kind::load) body.bind(i, accesses.lane(f, at.which));
    if (at.kind == ir::inst_kind::index) body.bind(i, accesses.index(f, at.which));
    if (at.kind == ir::inst_kind::gather) {
      body.aim(i, {accesses.name(at.which), accesses.index(f, at.which), f.lane_in_range()});
    }
    if (at.kind == ir::inst_kind::loop) body.aim(i, {"", "", f.lane_in_range()});
    for (int which : reached_by(body.kernel(), at)) {
      body.aim_operand(which, {accesses.name(which), accesses.index(f, which), ""});
    }
  }
  join_columns(body, list);
}

void write_random_runs(body_writer& body, const access_writer& accesses, const frame& f,
                       const inst_list& list, writer& out) {
  if (f.vector == 1) return;
  for (int i : list) {
    const ir::inst& at = body.inst(i);
    if (at.kind != ir::inst_kind::random) continue;
    const ir::inst &counter = body.inst(at.args[0]), &key = body.inst(at.args[1]);
    const bool same_key = key.kind == ir::inst_kind::scalar || key.kind == ir::inst_kind::constant;
    if (counter.kind != ir::inst_kind::index || !same_key) continue;
    if (!accesses.is_consecutive(f, counter.which)) continue;
    out.line(value_type(at.result), " ", body.label(i), "[", f.vector, "];");
    out.line("sinter_random_run(", body.label(i), ", ", accesses.first(counter.which), ", ",
             body.value(at.args[1]), ");");
    body.supply(i, body.label(i) + "[k]");
  }
}

void write_store_registers(body_writer& body, const access_writer& accesses, const frame& f,
                           const inst_list& list) {
  for (int i : list) {
    const ir::inst& at = body.inst(i);
    if (at.kind != ir::inst_kind::store) continue;
    const std::string_view part = !body.is_part(i) ? "" : at.part == 0 ? ".re" : ".im";
    if (stands_alone(at)) {
      std::string condition = f.lane_in_range(), place = "0";
      if (at.args[1] >= 0) {
        condition += cat(condition.empty() ? "" : " && ", body.value(at.args[1]));
      }
      if (at.args[2] >= 0) place = cat(accesses.index(f, at.which), " + ", body.value(at.args[2]));
      const bool held = is_held(body.kernel(), at);
      const std::string element = held ? held_element(body.kernel(), at.which, place)
                                       : cat(accesses.name(at.which), "[", place, "]", part);
      body.statement(i, cat(condition.empty() ? "" : cat("if (", condition, ") "),
                            at.code == ir::op::cast
                                ? cat(element, " = ", body.value(at.args[0]), ";")
                                : cat(held ? held_function(at) : meeting_name(at.code), "(&",
                                      element, ", ", body.value(at.args[0]), ");")));
      continue;
    }
    body.statement(i, cat(accesses.lane(f, at.which), part, " = ", body.value(at.args[0]), ";"));
  }
}

}  // namespace sinter::codegen::cuda_text
