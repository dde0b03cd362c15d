// Decoupled look-back, one turn late. A block takes chunks from a counter until none are left. It
// publishes a chunk's total as soon as it has it, and looks back for that chunk's prefix a turn
// later, after it has published the total of the next: by then all preceding chunks have published
// theirs, so no block waits. (A block that looks back at once waits for the slowest of its
// predecessors, and so do all blocks behind it: half the speed of memory.)
//
// Three tables: the total of each chunk, the total of each 32 chunks, and the prefix that ends with
// each 1024. The last chunk of 32, or of 1024, publishes that entry too, at once. So a chunk
// combines, in an order that does not depend on which came first, the prefix before its 1024, the
// totals of the 32s before its own, and those of the chunks in its 32.

#include "codegen/cuda_text/chain.hpp"

#include <algorithm>
#include <set>

#include "codegen/cuda_text/row_writer.hpp"
#include "codegen/cuda_text/spelling.hpp"

namespace sinter::codegen::cuda_text {
namespace {

class chain_writer : row_writer {
 public:
  chain_writer(const ir::kernel& k, writer& out)
      : row_writer(k, out), stages_(k, layout_.phases.front()) {
    if (k.schedule.packs) packed_ = ir::packed_store(k);
    // All stores wait: an output may be an array that the waiting chunk reads again.
    inst_list first, last;
    for (int s : first_stage().scans) first.push_back(body_.inst(s).args[0]);
    if (packed_ >= 0) {
      first.push_back(body_.inst(packed_).args[0]);
      first.push_back(body_.inst(packed_).args[1]);
    }
    for (int i : layout_.phases.front().walked) {
      if (i != packed_ && body_.inst(i).kind == ir::inst_kind::store) last.push_back(i);
    }
    if (packed_ >= 0 && last.size() == 1 && can_be_noted(last[0])) {
      noted_ = last[0];
      last.clear();
      first.push_back(body_.inst(noted_).args[1]);
    }
    at_hand_ = needed_by(first);
    behind_ = needed_by(last);
    walk_.pack(packed_, noted_);
  }

  void write() {
    begin();
    out_.line("#pragma unroll 1");
    const auto loop = out_.block("for (unsigned turn = 1;; ++turn)");
    {
      out_.line("// the chunk at hand, by itself");
      const auto some = out_.block("if (number < all)");
      at_hand();
    }
    out_.line("__syncthreads();");
    meet();
    out_.line("__syncthreads();");
    {
      out_.line("// the chunk before it, behind all others");
      const auto some = out_.block("if (waiting < all)");
      behind();
    }
    out_.line("if (number >= all) break;");
    if (packed_ >= 0) pack();
    for (const std::string& name : lasting_)
      out_.line("sinter_keep(", name, "_waits, ", name, ");");
    out_.line("waiting = number;");
    out_.line("number = taken[turn % 2];");
  }

 private:
  const scan_stage& first_stage() const { return stages_.list.front(); }

  /// The inner instructions that these need, themselves included; not through scans.
  inst_list needed_by(const inst_list& list) const {
    std::set<int> all;
    const auto add = [&](const auto& self, int i) -> void {
      if (!body_.inst(i).inner || is_scan(body_.inst(i)) || !all.insert(i).second) return;
      for (int a : arguments_of(body_.inst(i))) self(self, a);
    };
    for (int i : list) add(add, i);
    return {all.begin(), all.end()};
  }
  /// Is this a flag, raised under a condition, whose value depends on scans alone? Then a chunk
  /// only has to remember the count at that point.
  bool can_be_noted(int i) const {
    const ir::inst& store = body_.inst(i);
    const auto follows = [this](int v) { return body_.inst(v).kind == ir::inst_kind::compute; };
    const inst_list value = needed_by({store.args[0]}), condition = needed_by({store.args[1]});
    const auto scans = [this](int v) {
      const auto& args = body_.inst(v).args;
      return std::any_of(args, args + 3, [&](int a) { return a >= 0 && is_scan(body_.inst(a)); });
    };
    return store.args[1] >= 0 && store.args[2] < 0 && store.code == ir::op::cast &&
           std::all_of(value.begin(), value.end(), follows) &&
           std::none_of(condition.begin(), condition.end(), scans);
  }
  std::string state() const {
    std::size_t i = 0;
    while (kernel_.operands[i].role != ir::operand_role::state) ++i;
    return ir::name_of(kernel_, static_cast<int>(i));
  }

  void begin() {
    out_.line("const unsigned t = threadIdx.x, all = (unsigned)(", rows(), " * splits);");
    out_.line("__shared__ unsigned taken[2];");
    out_.line("if (t == 0) taken[0] = (unsigned)atomicAdd(", state(), ", 1ull);");
    walk_.declare(operands_of(kernel_, at_hand_).inputs);
    for (int s : first_stage().scans) {
      scan_.begin_chain(s, !behind_.empty());
      if (!behind_.empty()) lasting_.push_back(cat("scan_", s));
    }
    if (packed_ >= 0) begin_packed();
    out_.line("__syncthreads();");
    out_.line("unsigned number = taken[0], waiting = all;");
  }

  /// Declares where chunk `number` lies, and the length of its row.
  void place(const std::string& number) {
    out_.line("const unsigned row = ", number, " % (unsigned)", rows(), ", piece = ", number,
              " / (unsigned)", rows(), ";");
    out_.line("const long long begin = piece * chunk, length = ", length(), ";");
    out_.line("const long long end = begin + chunk < length ? begin + chunk : length;");
    outer_.begin();
    outer_.section(layout_.phases.front().outer, 0);
    walk_.begin_chunk(layout_.phases.front());
  }

  void at_hand() {
    place("number");
    walk_.fill(operands_of(kernel_, at_hand_).inputs);
    {
      const auto scope = out_.block();
      if (packed_ >= 0) out_.line("packed_bits = 0;");
      if (noted_ >= 0) out_.line("noted_bits = 0;");
      walk_.compute(at_hand_, first_stage().scans);
    }
    for (int s : first_stage().scans) {
      const auto scope = out_.block();
      scan_.alone(s);
      if (packed_ >= 0) out_.line("sinter_keep(packed_ahead, scan_", s, "_ahead);");
    }
  }

  /// One warp per scan.
  void meet() {
    const int warps = kernel_.schedule.threads / warp;
    int count = 0;
    for (int s : first_stage().scans) {
      const auto one = out_.block("if (t / ", warp, " == ", count % warps, ")");
      const auto tables = [&](const char* number) {
        return cat(state(), " + 1 + ", 6 * count, " * all, all, ", number, " % (unsigned)", rows(),
                   " * splits, ", number, " / (unsigned)", rows());
      };
      {
        const auto some = out_.block("if (number < all)");
        scan_.tell(s, tables("number"));
        if (count == 0) {
          out_.line("if (lane == 0) taken[turn % 2] = (unsigned)atomicAdd(", state(), ", 1ull);");
          if (packed_ >= 0) out_.line("if (lane == 0) packed_count[turn % 2] = (unsigned)total;");
        }
      }
      const auto some = out_.block("if (waiting < all)");
      scan_.look(s, tables("waiting"));
      ++count;
    }
  }

  void behind() {
    for (const std::string& name : lasting_) out_.line("auto& ", name, " = ", name, "_waits;");
    place("waiting");
    if (!behind_.empty()) {
      // Loaded again, from L2, where the last turn left them: there are no registers to keep them
      // in.
      walk_.load(operands_of(kernel_, behind_).inputs);
      for (int s : first_stage().scans) scan_.behind(s);
      walk_.compute(behind_, {});
    }
    if (packed_ >= 0) store_packed();
    if (noted_ >= 0) store_noted();
  }

  // ---- selected elements: those of a chunk wait in shared memory, packed

  int count() const { return first_stage().scans.front(); }
  std::string type() const {
    const ir::operand& o = kernel_.operands[static_cast<std::size_t>(body_.inst(packed_).which)];
    return std::string(storage_type(o.type));
  }

  void begin_packed() {
    const int own = layout_.registers();
    out_.line(type(), " packed_v[", own, "];");
    out_.line(value_type(body_.inst(count()).type), " packed_ahead[", layout_.unroll, "];");
    out_.line("unsigned packed_bits = 0;");
    out_.line("__shared__ ", type(), " packed[", kernel_.schedule.threads * own, "];");
    out_.line("__shared__ unsigned packed_count[2];");
    if (noted_ < 0) return;
    out_.line("unsigned noted_bits = 0;");
    out_.line("__shared__ unsigned noted_turn;");
    out_.line("__shared__ ", value_type(body_.inst(count()).type), " noted;");
    out_.line("if (t == 0) noted_turn = 0;");
  }

  void pack() {
    out_.line("__syncthreads();");
    const auto vectors = out_.lanes("u", layout_.unroll);
    const std::string u = layout_.unroll > 1 ? cat("u * ", vector()) : "0";
    const int warps = layout_.row_threads / warp;
    const auto scope = out_.block();
    out_.line("auto rank = scan_", count(), "_fronts[turn % 2][",
              layout_.unroll > 1 ? cat("u * ", warps, " + ") : "", "t / ", warp,
              "] + packed_ahead[", layout_.unroll > 1 ? "u" : "0", "];");
    const auto lanes = out_.lanes("k", vector());
    const std::string place = cat(u, vector() > 1 ? " + k" : "");
    out_.line("if (packed_bits >> (", place, ") & 1) packed[rank++] = packed_v[", place, "];");
    if (noted_ < 0) return;
    out_.line("if (noted_bits >> (", place, ") & 1) noted = rank, noted_turn = turn;");
  }

  void store_packed() {
    const int which = body_.inst(packed_).which;
    accesses_.offsets({which}, kernel_.kept, kernel_.kept + kernel_.reduced);
    out_.line("const long long packed_at = ", accesses_.index(layout_.outer, which), " + scan_",
              count(), "_before;");
    const auto some = out_.block("for (unsigned i = t; i < packed_count[1 - turn % 2]; i += ",
                                 kernel_.schedule.threads, ")");
    out_.line(accesses_.name(which), "[packed_at + i] = packed[i];");
  }

  void store_noted() {
    const int which = body_.inst(noted_).which;
    const auto there = out_.block("if (t == 0 && noted_turn + 1 == turn)");
    out_.line("const auto scan = scan_", count(), "_before + noted;");
    body_.rename(count(), "scan");
    body_.statements(needed_by({body_.inst(noted_).args[0]}));
    accesses_.offsets({which}, kernel_.kept, kernel_.kept + kernel_.reduced);
    const std::string element =
        cat(accesses_.name(which), "[", accesses_.index(layout_.outer, which), "]");
    body_.statement(noted_, cat(element, " = ", body_.value(body_.inst(noted_).args[0]), ";"));
  }

  scan_stages stages_;
  int packed_ = -1, noted_ = -1;      // stores emitted separately: see pack, store_noted
  inst_list at_hand_, behind_;        // computed before the scans, and after them
  std::vector<std::string> lasting_;  // registers that the waiting chunk has copies of
};

}  // namespace

void scan_writer::begin_chain(int s, bool waits) {
  out_.line(type(s), " ", name(s, ""), "[", layout_.registers(), "];");
  if (waits) {
    out_.line(type(s), " ", name(s, "_waits"), "[", layout_.registers(), "] = {};");
  }
  out_.line("__shared__ ", type(s), " ", name(s, "_totals"), "[", entries(), "], ",
            name(s, "_fronts"), "[2][", entries(), "], ", name(s, "_before"), ";");
}

void scan_writer::alone(int s) {
  out_.line("// what each thread's values come to, then those of a warp");
  alone_in_row(s);
  across_lanes(s);
  const int warps = layout_.row_threads / warp;
  const auto vectors = out_.lanes("u", layout_.unroll);
  const std::string u = layout_.unroll > 1 ? "[u]" : "[0]";
  out_.line("if (t % ", warp, " == 0) ", name(s, "_totals"), "[",
            layout_.unroll > 1 ? cat("u * ", warps, " + ") : "", "t / ", warp,
            "] = ", name(s, "_total") + u, ";");
  const auto lanes = out_.lanes("k", layout_.vector);
  const std::string value = name(s, "") + place();
  out_.line(value, " = ", combined(s, name(s, "_ahead") + u, value), ";");
}

/// Each lane has adjacent entries.
void scan_writer::tell(int s, const std::string& tables) {
  const int own = (entries() + warp - 1) / warp;
  const std::string at = own > 1 ? cat("lane * ", own, " + p") : "lane";
  const bool spare = own * warp != entries();
  const std::string part = own > 1 ? "part[p]" : "part[0]";
  out_.line("const unsigned lane = t % ", warp, ";");
  out_.line(type(s), " part[", own, "], ahead = ", neutral(s), ";");
  {
    const auto each = out_.lanes("p", own);
    const std::string total = cat(name(s, "_totals"), "[", at, "]");
    out_.line(part, " = ",
              spare ? cat(at, " < ", entries(), " ? ", total, " : ", neutral(s)) : total, ";");
    if (own > 1) out_.line("if (p > 0) part[p] = ", combined(s, "part[p - 1]", "part[p]"), ";");
  }
  out_.line(type(s), " total = part[", own - 1, "];");
  across_warp(s, "total");
  {
    const auto each = out_.lanes("p", own);
    const std::string front =
        own > 1 ? cat("p > 0 ? ", combined(s, "ahead", "part[p - 1]"), " : ahead") : "ahead";
    out_.line(spare ? cat("if (", at, " < ", entries(), ") ") : "", name(s, "_fronts"),
              "[turn % 2][", at, "] = ", front, ";");
  }
  out_.line(tell_name(body_.inst(s).code, body_.inst(s).type), "(", tables, ", total);");
}

void scan_writer::look(int s, const std::string& tables) {
  out_.line("const ", type(s), " before = ", look_name(body_.inst(s).code, body_.inst(s).type), "(",
            tables, ");");
  out_.line("if (t % ", warp, " == 0) ", name(s, "_before"), " = before;");
}

void scan_writer::behind(int s) {
  const int warps = layout_.row_threads / warp;
  const auto vectors = out_.lanes("u", layout_.unroll);
  const auto scope = out_.block();
  const std::string front =
      cat(name(s, "_fronts"), "[1 - turn % 2][",
          layout_.unroll > 1 ? cat("u * ", warps, " + ") : "", "t / ", warp, "]");
  out_.line("const ", type(s), " front = ", combined(s, name(s, "_before"), front), ";");
  const auto lanes = out_.lanes("k", layout_.vector);
  const std::string value = name(s, "") + place();
  out_.line(value, " = ", combined(s, "front", value), ";");
  body_.rename(s, value);
}

void write_chain(const ir::kernel& k, writer& out) {
  chain_writer(k, out).write();
}

}  // namespace sinter::codegen::cuda_text
