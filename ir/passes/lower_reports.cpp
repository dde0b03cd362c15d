// What people read about a kernel: its name, its statements, the bytes it moves.
#include <algorithm>
#include <map>
#include <string>
#include <utility>

#include "ir/passes/lowering.hpp"

namespace sinter::ir {

void lowering::name(kernel& k, const body& b) const {
  const bool scans = scan_count(k) > 0;
  const bool reduces = std::any_of(k.body.begin(), k.body.end(), [](const inst& i) {
    return i.kind == inst_kind::reduce;
  });
  k.name = scans ? "scan" : reduces ? "reduce" : "map";
  std::string last;
  int listed = 0;
  for (const std::string& op : b.ops) {
    if (op == last || op == "cast") continue;
    if (++listed > 4) break;
    k.name += "_" + op;
    last = op;
  }
  if (k.schedule.split && !scans) k.name += "_part";
  k.name += "_" + std::to_string(out_.kernels.size());
}

void lowering::keep_notes(kernel& k) const {
  std::map<std::int32_t, std::int32_t> place;
  for (inst& i : k.body) {
    if (i.note < 0) continue;
    const auto [it, fresh] = place.emplace(i.note, static_cast<std::int32_t>(place.size()));
    if (fresh) k.notes.push_back(out_.origins[static_cast<std::size_t>(i.note)]);
    i.note = it->second;
  }
}

void lowering::report(const body& b, const group& g) {
  kernel_report r;
  r.ops = b.ops;
  r.refusals = g.refusals;
  // Several operands that read one array count no more than all of it.
  std::map<std::pair<node_id, int>, extent> left;
  for (const body_operand& o : b.operands) {
    if (o.role == operand_role::index) continue;
    const auto& p = out_.buffers[static_cast<std::size_t>(buffer_of_.at({o.buffer, o.partial}))];
    extent reach = 1;
    for (std::size_t d = 0; d < g.domain.size(); ++d) {
      if (o.partial < 0 && (o.gathered || o.at.stride(d) != 0)) reach *= g.domain[d];
    }
    extent& rest = left.emplace(std::pair(o.buffer, o.partial), p.count).first->second;
    const extent touched = o.partial >= 0 ? rest : std::min(rest, reach);
    rest -= touched;
    (o.role == operand_role::input ? r.bytes_read : r.bytes_written) += touched * size_of(o.type);
  }
  out_.reports.push_back(std::move(r));
}

}  // namespace sinter::ir
