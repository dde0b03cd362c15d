#include "codegen/cuda_text/gathered_rows.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <map>

#include "codegen/cuda_text/spelling.hpp"
#include "ir/kernel_pieces.hpp"

namespace sinter::codegen::cuda_text {
namespace {

/// The most that one access reads.
constexpr std::size_t row_bytes = 16;

/// Per value that gathers use: is it the same for all lanes?
std::vector<bool> lanes_alike(const ir::kernel& k, const access_writer& accesses, const frame& f) {
  return ir::find_edges(k, [&](int o) {
           if (accesses.lanes_agree(f, o)) return ir::step::zero;
           return accesses.is_consecutive(f, o) ? ir::step::one : ir::step::any;
         }).shared;
}

std::string registers_of(const body_writer& body, int i) { return body.label(i) + "_v"; }

dtype stored_type(const body_writer& body, int i) {
  return body.kernel().operands[static_cast<std::size_t>(body.inst(i).which)].type;
}

/// The indices and conditions by which rows are picked.
inst_list picked_by(const body_writer& body, const inst_list& rows) {
  inst_list all;
  for (int i : rows) {
    all.push_back(body.inst(i).args[0]);
    if (body.inst(i).args[1] >= 0) all.push_back(body.inst(i).args[1]);
  }
  return all;
}

}  // namespace

inst_list gathered_rows(const body_writer& body, const access_writer& accesses, const frame& f,
                        const inst_list& list) {
  inst_list rows;
  if (f.vector == 1 || !f.first.empty()) return rows;
  const auto picks = [&](int i) {
    const ir::inst& at = body.inst(i);
    return at.kind == ir::inst_kind::gather && at.args[0] >= 0 && !body.is_part(i) &&
           accesses.is_consecutive(f, at.which);
  };
  if (std::ranges::none_of(list, picks)) return rows;
  const std::vector<bool> alike = lanes_alike(body.kernel(), accesses, f);
  const auto same = [&](int a) { return a < 0 || alike[static_cast<std::size_t>(a)]; };
  for (int i : list) {
    if (picks(i) && same(body.inst(i).args[0]) && same(body.inst(i).args[1])) rows.push_back(i);
  }
  return rows;
}

void declare_rows(const body_writer& body, const frame& f, const inst_list& rows, writer& out) {
  for (int i : rows) {
    out.line(storage_type(stored_type(body, i)), " ", registers_of(body, i),
             f.unroll > 1 ? cat("[", f.unroll, "]") : std::string(), "[", f.vector, "]",
             body.inst(i).args[1] >= 0 ? " = {};" : ";");
  }
}

void load_rows(body_writer& body, const access_writer& accesses, const frame& f,
               const inst_list& rows) {
  for (int i : rows) {
    const ir::inst& at = body.inst(i);
    const std::string to = cat(registers_of(body, i), f.unroll > 1 ? "[u]" : "");
    const std::string& first = accesses.first(at.which);
    const std::string condition =
        at.args[1] < 0 ? std::string() : cat("if (", body.value(at.args[1]), ") ");
    body.statement(i, cat(condition, "sinter_load_row(", to, ", ", accesses.name(at.which),
                          first.empty() ? "" : " + ", first, " + ", body.value(at.args[0]),
                          f.guarded() ? ", " : "", f.guarded() ? f.left : std::string(), ");"));
    const std::string lane = to + "[k]";
    body.supply(i, is_bool(at.result) ? cat("(", lane, " != 0)") : lane);
  }
}

void take_first_lane(const body_writer& body, writer& out) {
  const ir::kernel& k = body.kernel();
  const bool columns = k.reduced > 0 && k.schedule.lanes == ir::lane_axis::kept;
  if (columns && k.schedule.vector > 1) out.line("constexpr int k = 0;");
}

void write_gathered_rows(body_writer& body, const access_writer& accesses, const frame& f,
                         const inst_list& list, writer& out) {
  frame one = f;
  one.unroll = 1;
  const inst_list rows = gathered_rows(body, accesses, one, list);
  if (rows.empty()) return;
  declare_rows(body, one, rows, out);
  const auto scope = out.block();
  take_first_lane(body, out);
  body.statements(needed_for(body.kernel(), picked_by(body, rows), list));
  load_rows(body, accesses, one, rows);
}

namespace {

/// How far behind its base an operand lies.
int turn_of(const body_writer& body, int i) {
  const ir::operand& o = body.kernel().operands[static_cast<std::size_t>(body.inst(i).which)];
  return o.base < 0 ? 0 : o.turn;
}

/// Joins gathers, in the order of their turns, that one access can read.
void join(body_writer& body, const inst_list& columns) {
  const std::size_t most = row_bytes / size_of(stored_type(body, columns[0]));
  for (std::size_t i = 0; i + 1 < columns.size();) {
    std::size_t run = 1;
    const auto next = [&] {
      return i + run < columns.size() &&
             turn_of(body, columns[i + run]) == turn_of(body, columns[i]) + static_cast<int>(run);
    };
    while (run < most && next()) ++run;
    run = std::bit_floor(run);
    const auto begin = columns.begin() + static_cast<std::ptrdiff_t>(i);
    if (run > 1) body.read_together({begin, begin + static_cast<std::ptrdiff_t>(run)});
    i += run;
  }
}

}  // namespace

void join_columns(body_writer& body, const inst_list& list) {
  std::map<std::array<int, 3>, inst_list> rows;  // by base, index and condition
  for (int i : list) {
    const ir::inst& at = body.inst(i);
    if (at.kind != ir::inst_kind::gather || at.args[0] < 0 || body.is_part(i)) continue;
    const ir::operand& o = body.kernel().operands[static_cast<std::size_t>(at.which)];
    rows[{o.base < 0 ? at.which : o.base, at.args[0], at.args[1]}].push_back(i);
  }
  for (auto& [of, columns] : rows) {
    std::ranges::sort(columns, {}, [&](int i) { return turn_of(body, i); });
    join(body, columns);
  }
}

}  // namespace sinter::codegen::cuda_text
